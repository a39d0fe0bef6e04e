// Texts, images and other files that agents sent in the conversation, as read-only files for any editor. Texts have no
// secret that Parley knows.
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { maskKnownSecrets } from "../../base/secrets/knownSecrets.ts";
import type { Disposable } from "../../base/lifecycle.ts";
import { ReadOnlyFiles } from "../../editor/readOnlyFiles.ts";
import { contentAt } from "../../panel/projection/contentParts.ts";
import type { ContentBlock } from "../../session/events.ts";
import type { SessionState } from "../../session/state.ts";

/** The number of files that stay readable for open editors. The oldest is dropped first. */
const maxFiles = 50;

interface ContentFile {
  readonly name: string;
  readonly bytes: () => Uint8Array;
}

export class ContentDocuments implements Disposable {
  readonly #files: ReadOnlyFiles;

  constructor(scheme = "parley-content") {
    this.#files = new ReadOnlyFiles({ scheme, maxFiles });
  }

  /** Opens the content block at `part` of an entry in the editor for its type. Rejects if there is no such block. */
  async open(state: SessionState, entry: string, part: number): Promise<void> {
    const { name, bytes } = contentFile(state, entry, part);
    await vscode.commands.executeCommand("vscode.open", this.add(name, bytes), { preview: true });
  }

  /** Asks for a file and writes the content block there. */
  async save(state: SessionState, entry: string, part: number): Promise<void> {
    const { name, bytes } = contentFile(state, entry, part);
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const target = await vscode.window.showSaveDialog(
      folder ? { defaultUri: vscode.Uri.joinPath(folder, name) } : { title: name },
    );
    if (!target) return;
    try {
      await vscode.workspace.fs.writeFile(target, bytes());
    } catch (error) {
      throw new Error(vscode.l10n.t("{0} could not be saved: {1}", name, asError(error).message), { cause: error });
    }
  }

  /** Adds a read-only file with this name. */
  add(name: string, bytes: () => Uint8Array): vscode.Uri {
    return this.#files.add(`/${name}`, () => Promise.resolve(bytes()));
  }

  dispose(): void {
    this.#files.dispose();
  }
}

function contentFile(state: SessionState, entry: string, part: number): ContentFile {
  const block = contentAt(state, entry, part);
  const bytes = block && bytesOf(block);
  if (!block || !bytes) throw new Error(vscode.l10n.t("This content is no longer part of the conversation."));
  return { name: contentFileName(block), bytes };
}

function bytesOf(block: ContentBlock): (() => Uint8Array) | undefined {
  switch (block.type) {
    case "text":
      return () => Buffer.from(maskKnownSecrets(block.text));
    case "image":
    case "audio":
      return () => Buffer.from(block.data, "base64");
    case "resource": {
      const { text, blob = "" } = block;
      return () => (text === undefined ? Buffer.from(blob, "base64") : Buffer.from(maskKnownSecrets(text)));
    }
    default:
      return undefined;
  }
}

const extensionsBySubtype: Readonly<Record<string, string>> = {
  "svg+xml": "svg",
  mpeg: "mp3",
  "x-wav": "wav",
  plain: "txt",
  markdown: "md",
};

/** A file name by which VS Code chooses the editor: the agent's, with an extension by MIME type if it has none. */
function contentFileName(block: ContentBlock): string {
  if (block.type === "text") return "text.md";
  const uri = "uri" in block ? (block.uri ?? "") : "";
  const mimeType = "mimeType" in block ? (block.mimeType ?? "") : "";
  // Only the last segment of the path, without the characters that some file systems do not allow.
  const lastSegment =
    uri
      .replace(/[?#].*/s, "")
      .split(/[\\/:]/)
      .at(-1) ?? "";
  const name =
    [...lastSegment]
      .filter(char => char >= " " && !'<>"|*'.includes(char))
      .join("")
      .slice(-100) || block.type;
  if (/\.\w+$/.test(name)) return name;
  const kind = /^\w+\/([\w.+-]+)/.exec(mimeType)?.[1] ?? "";
  return kind === "" ? name : `${name}.${extensionsBySubtype[kind] ?? kind}`;
}
