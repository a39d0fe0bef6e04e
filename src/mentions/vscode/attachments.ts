// Creates attachments for the composer and checks what may be attached: files by path, images as data, texts as they
// are now.
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { imageTypeOf, pathPreview, type PreviewAccess } from "../pathPreview.ts";
import { linesFragment, maxDataLength, maxEmbeddedBytes, sizeText } from "../promptContent.ts";
import type { ItemPreview } from "../../panel/itemPreview.ts";
import type { Completion } from "../../panel/mentionKinds.ts";
import type { Attachment } from "../../panel/protocol.ts";
import type { SessionState } from "../../session/state.ts";
import { replacedRefusal } from "../../files/vscode/decodedFile.ts";
import type { Documents } from "../../files/ports.ts";
import { pathStandings } from "../../permissions/vscode/pathStandings.ts";
import { showWarningMessage } from "../../editor/editorUi.ts";

export interface AttachmentsOptions {
  readonly documents: Documents;
  /** The folders whose files may be attached without a confirmation. */
  readonly roots: () => readonly string[];
  /** Globs of more files that count as secrets. */
  readonly sensitive: () => readonly string[];
  readonly accepts: () => SessionState["accepts"];
  readonly agentName: () => string;
}

/** A file or folder to attach, by absolute path. Lines are 1-based. */
export interface PathToAttach {
  readonly path: string;
  readonly kind?: Completion["kind"];
  readonly line?: number;
  readonly endLine?: number;
}

/** The attachments, and a sentence for each item that was refused. */
export interface AttachResult {
  readonly attachments: readonly Attachment[];
  readonly refused: readonly string[];
}

/** Another extension that sends a message. */
export interface AskingExtension {
  readonly id: string;
  /** Says that it sends. */
  readonly sentence: string;
}

export class Attachments {
  readonly #options: AttachmentsOptions;
  /** Paths that the user picked or confirmed. */
  readonly #approved = new Set<string>();
  /** Paths that the user confirmed for another extension, by its ID. */
  readonly #approvedFor = new Map<string, Set<string>>();

  constructor(options: AttachmentsOptions) {
    this.#options = options;
  }

  /** Attaches files and folders. `byHand`: picked in a dialog or a menu of VS Code, so they may be anywhere. */
  async attachPaths(wanted: readonly PathToAttach[], byHand: boolean): Promise<AttachResult> {
    const refused: string[] = [];
    const attachments: Attachment[] = [];
    const rejected = new Set(
      await this.declinedPaths(
        wanted.map(({ path }) => path),
        byHand,
      ),
    );
    for (const one of wanted) {
      if (rejected.has(one.path)) {
        refused.push(vscode.l10n.t("{0} was not attached.", basename(one.path)));
        continue;
      }
      const made = await this.#attachment(one).catch((error: unknown) =>
        vscode.l10n.t("{0} could not be attached: {1}", basename(one.path), asError(error).message),
      );
      if (typeof made === "string") refused.push(made);
      else attachments.push(made);
    }
    return { attachments, refused };
  }

  /** Attaches a text as it is now. */
  attachText(
    kind: Attachment["kind"],
    label: string,
    text: string,
    more: { readonly detail?: string; readonly uri?: string; readonly mimeType?: string } = {},
  ): AttachResult {
    const bytes = Buffer.byteLength(text);
    if (bytes > maxEmbeddedBytes) {
      const reason = vscode.l10n.t(
        "“{0}” is too large to attach ({1}). The limit is {2}.",
        label,
        sizeText(bytes),
        sizeText(maxEmbeddedBytes),
      );
      return { attachments: [], refused: [reason] };
    }
    const { detail, ...source } = more;
    const chip: Attachment = {
      id: randomUUID(),
      kind,
      label,
      ...(detail !== undefined && { detail }),
      bytes,
      source: { type: "text", text, ...source },
    };
    return { attachments: [chip], refused: [] };
  }

  /**
   * The paths that the user declines to share, confirmed in one dialog. The user is asked about likely secrets, and
   * about paths outside the workspace unless they were picked by hand. Confirmed paths are not asked about again.
   * A path that the user confirmed for a message of their own is asked about again for another extension.
   */
  async declinedPaths(paths: readonly string[], byHand: boolean, asker?: AskingExtension): Promise<readonly string[]> {
    const approved = this.#approvedPaths(asker);
    const standingOf = this.#standings();
    const pathsToConfirm: string[] = [];
    const reasons: string[] = [];
    for (const path of new Set(paths)) {
      if (approved.has(path)) continue;
      const { secret, inside } = await standingOf(path);
      if (!secret && (inside || byHand)) {
        if (byHand) approved.add(path);
        continue;
      }
      pathsToConfirm.push(path);
      reasons.push(
        secret
          ? vscode.l10n.t("{0} looks like it contains secrets.", path)
          : vscode.l10n.t("{0} is outside this workspace.", path),
      );
    }
    if (pathsToConfirm.length === 0) return [];
    const attach = vscode.l10n.t("Attach");
    const answer = await showWarningMessage(
      pathsToConfirm.length === 1
        ? vscode.l10n.t("Attach {0} to the message?", basename(pathsToConfirm[0] ?? ""))
        : vscode.l10n.t("Attach these {0} files to the message?", pathsToConfirm.length),
      {
        modal: true,
        detail: [
          ...(asker ? [asker.sentence] : []),
          ...reasons,
          vscode.l10n.t("Attachments are sent to the agent and may leave this machine."),
        ],
      },
      attach,
    );
    if (answer !== attach) return pathsToConfirm;
    for (const path of pathsToConfirm) approved.add(path);
    return [];
  }

  #approvedPaths(asker: AskingExtension | undefined): Set<string> {
    if (!asker) return this.#approved;
    const known = this.#approvedFor.get(asker.id) ?? new Set();
    this.#approvedFor.set(asker.id, known);
    return known;
  }

  /** The preview of a file or folder. Lines are 1-based. */
  async preview(target: PathToAttach): Promise<ItemPreview> {
    return pathPreview(target, await this.previewAccess(target.path), this.#options.documents);
  }

  /** Whether previews may show the content of a path. A secret stays hidden, even if the user attaches it. */
  async previewAccess(path: string): Promise<PreviewAccess> {
    const { secret, inside } = await this.#standings()(path);
    if (secret) return "secret";
    return inside || this.#approved.has(path) ? "allowed" : "outside";
  }

  #standings(): ReturnType<typeof pathStandings> {
    return pathStandings(this.#options.roots(), this.#options.sensitive());
  }

  async #attachment({ path, kind, line, endLine }: PathToAttach): Promise<Attachment | string> {
    const { documents } = this.#options;
    const found = await documents.stat(path);
    const name = basename(path) || path;
    if (found.kind === "missing") return vscode.l10n.t("{0} does not exist.", path);
    if (found.kind === "other") return vscode.l10n.t("{0} is neither a file nor a folder.", name);
    const folder = vscode.workspace.asRelativePath(dirname(path), true);
    const source = {
      type: "path",
      path,
      ...(line !== undefined && { line }),
      ...(endLine !== undefined && { endLine }),
    } as const;
    const base = { id: randomUUID(), detail: folder, source };
    if (found.kind === "folder") return { ...base, kind: "folder", label: name };
    const mimeType = imageTypeOf(path);
    if (mimeType !== undefined) return this.#image(path, mimeType, found.size);
    const shown = kind === "symbol" || kind === "selection" ? kind : "file";
    const label = `${name}${lineSuffix(line, endLine)}`;
    if (line !== undefined) return { ...base, kind: shown, label };
    const { size } = found;
    const detail =
      size > maxEmbeddedBytes
        ? vscode.l10n.t("{0} · {1}, sent as a link that the agent can read", folder, sizeText(size))
        : folder;
    return { ...base, kind: shown, label, detail, bytes: size };
  }

  async #image(path: string, mimeType: string, size: number): Promise<Attachment | string> {
    const label = basename(path);
    if (this.#options.accepts()?.image === false) {
      return vscode.l10n.t("{0} does not take images, so {1} was not attached.", this.#options.agentName(), label);
    }
    const most = Math.floor((maxDataLength * 3) / 4);
    if (size > most) {
      return vscode.l10n.t(
        "{0} is too large ({1}). The limit for images is {2}.",
        label,
        sizeText(size),
        sizeText(most),
      );
    }
    const data = (await readFile(path)).toString("base64");
    const detail = vscode.workspace.asRelativePath(dirname(path), true);
    const source = { type: "data", mimeType, data } as const;
    const secret = (await this.previewAccess(path)) === "secret" && { secret: true as const };
    return { id: randomUUID(), kind: "image", label, detail, bytes: size, source, ...secret };
  }
}

const lineSuffix = (line: number | undefined, endLine: number | undefined): string =>
  line === undefined ? "" : endLine === undefined || endLine === line ? `:${line}` : `:${line}-${endLine}`;

/** The 1-based lines of a selection. One that ends before the first character of a line does not include that line. */
export function selectedLines({ start, end }: vscode.Selection): { readonly line: number; readonly endLine: number } {
  const line = start.line + 1;
  return { line, endLine: Math.max(line, end.character === 0 ? end.line : end.line + 1) };
}

/** Attaches the selected text of the editor. Undefined if nothing is selected. */
export function attachSelection(
  editor: vscode.TextEditor | undefined,
  attachments: Attachments,
): AttachResult | undefined {
  if (!editor || editor.selection.isEmpty) return undefined;
  const { document, selection } = editor;
  const { line, endLine } = selectedLines(selection);
  const name = basename(document.uri.path);
  return attachments.attachText("selection", `${name}${lineSuffix(line, endLine)}`, document.getText(selection), {
    detail: vscode.workspace.asRelativePath(document.uri, true),
    uri: `${document.uri.toString()}${linesFragment({ line, endLine })}`,
  });
}

/** The attached selection, or why it cannot be attached: the editor has replaced bytes that the encoding lacks. */
export async function intactSelection(
  editor: vscode.TextEditor,
  selection: AttachResult,
  attachments: Attachments,
): Promise<AttachResult> {
  const { document } = editor;
  const refusal = await replacedRefusal(document, document.getText(editor.selection));
  if (refusal) return { attachments: [], refused: [refusal.message] };
  if (!(await isSecretDocument(document, attachments))) return selection;
  return { ...selection, attachments: selection.attachments.map(one => ({ ...one, secret: true })) };
}

/** Whether the content of a document must not be shown in previews. */
export const isSecretDocument = async ({ uri }: vscode.TextDocument, attachments: Attachments): Promise<boolean> =>
  uri.scheme === "file" && (await attachments.previewAccess(uri.fsPath)) === "secret";
