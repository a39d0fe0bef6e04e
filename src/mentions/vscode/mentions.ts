// Answers the composer's `@`: what may be mentioned, and the chip for what was chosen.
import { basename } from "node:path";
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import type { Disposable } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import type { Completion } from "../../panel/protocol.ts";
import { commandText } from "../lastCommand.ts";
import { imageExtensions, attachSelection, type AttachResult, type Attachments } from "./attachments.ts";
import type { ReplyTarget } from "../../panel/replyTarget.ts";
import type { FileIndexer } from "./fileIndexer.ts";
import {
  uncommittedDiff,
  hasUncommittedChanges,
  linesOfProblems,
  searchSymbols,
  type FoundSymbol,
  type TerminalCommands,
} from "./mentionSources.ts";
import { openFiles, type RecentFiles } from "./recentFiles.ts";

export interface MentionsOptions {
  readonly indexer: FileIndexer;
  readonly recent: RecentFiles;
  readonly terminals: TerminalCommands;
  readonly attachments: Attachments;
  readonly log: Log;
}

/** A completion, and how it becomes a chip. */
interface Offer {
  readonly item: Completion;
  readonly attach: () => Promise<AttachResult>;
}

const maxFiles = 30;
const maxRecent = 12;

/** Language servers may take this long. Milliseconds. */
const symbolTimeout = 3000;

/** The user still types, within this time. Milliseconds. */
const symbolDelay = 150;

/** Answers of a panel whose items can still be chosen. */
const maxKeptRequests = 8;

/** What a panel asked last, and what it was offered. */
interface PanelRequests {
  stop: AbortController;
  readonly offers: Map<number, ReadonlyMap<string, Offer>>;
}

export class Mentions implements Disposable {
  readonly #options: MentionsOptions;
  readonly #requests = new WeakMap<ReplyTarget, PanelRequests>();
  #disposed = false;

  constructor(options: MentionsOptions) {
    this.#options = options;
  }

  /** Answers with `completions`, again for the same request as more is found. A newer request ends this one. */
  async complete(replyTarget: ReplyTarget, request: number, query: string): Promise<void> {
    const asked = this.#requestsOf(replyTarget);
    asked.stop.abort();
    const stop = (asked.stop = new AbortController());
    const { signal } = stop;
    const { indexer } = this.#options;
    indexer.start();
    let files: readonly Offer[] = [];
    let symbols: readonly Offer[] = [];
    const post = (): void => {
      if (signal.aborted || this.#disposed) return;
      const offers = unique([...files, ...symbols]);
      asked.offers.delete(request);
      asked.offers.set(request, new Map(offers.map(offer => [offer.item.key, offer])));
      for (const old of [...asked.offers.keys()].slice(0, -maxKeptRequests)) asked.offers.delete(old);
      const indexing = indexer.isIndexing && !query.startsWith("#");
      replyTarget.reply({
        type: "completions",
        request,
        items: offers.map(({ item }) => item),
        ...(indexing && { indexing: true as const }),
      });
    };
    const findFiles = async (): Promise<void> => {
      files = await this.#files(query, signal);
      post();
    };
    const findSymbols = async (): Promise<void> => {
      const name = query.replace(/^#/, "").trim();
      if (name === "") return;
      await new Promise(resolve => setTimeout(resolve, symbolDelay));
      if (signal.aborted) return;
      const found = await searchSymbols(name, symbolTimeout, this.#options.log);
      symbols = found.map(symbol => this.#symbol(symbol));
      if (symbols.length > 0 || query.startsWith("#")) post();
    };
    if (query.startsWith("#")) return findSymbols();
    const symbolsFound = findSymbols();
    await findFiles();
    if (indexer.isIndexing) {
      await indexer.whenIdle();
      if (!signal.aborted && !this.#disposed) await findFiles();
    }
    await symbolsFound;
  }

  /** The chip for a completion; answers with `attached` or `refused`. */
  async attachItem(replyTarget: ReplyTarget, request: number, key: string): Promise<void> {
    const offer = this.#requestsOf(replyTarget).offers.get(request)?.get(key);
    if (!offer) {
      return replyTarget.reply({
        type: "refused",
        reason: vscode.l10n.t("This is not offered any more. Choose again."),
      });
    }
    // The panel waits for an answer, also where something went wrong.
    const made = await offer.attach().catch((error: unknown) => {
      const reason = vscode.l10n.t("{0} could not be attached: {1}", offer.item.label, asError(error).message);
      return { attachments: [], refused: [reason] };
    });
    replyWithAttachments(replyTarget, made);
  }

  /** Files that were dropped. What is no file, or lies elsewhere and is not agreed to, is refused. */
  async attachUris(replyTarget: ReplyTarget, uris: readonly string[]): Promise<void> {
    const paths: string[] = [];
    const refused: string[] = [];
    for (const given of uris) {
      const uri = parseUri(given);
      if (uri?.scheme === "file" && uri.authority === "") paths.push(uri.fsPath);
      else refused.push(vscode.l10n.t("{0} is no file of this machine.", given.slice(0, 200)));
    }
    const made = await this.#options.attachments.attachPaths(
      paths.map(path => ({ path })),
      false,
    );
    replyWithAttachments(replyTarget, { attachments: made.attachments, refused: [...refused, ...made.refused] });
  }

  /** The attach button: asks what. Nothing is said when the user chooses nothing. */
  async pick(replyTarget: ReplyTarget): Promise<void> {
    const { attachments } = this.#options;
    const files = async (images: boolean): Promise<AttachResult> => {
      const picked = await vscode.window.showOpenDialog({
        canSelectMany: true,
        canSelectFolders: false,
        openLabel: vscode.l10n.t("Attach"),
        ...(images && { filters: { [vscode.l10n.t("Images")]: [...imageExtensions] } }),
      });
      const wanted = (picked ?? []).filter(({ scheme }) => scheme === "file").map(({ fsPath }) => ({ path: fsPath }));
      return attachments.attachPaths(wanted, true);
    };
    const choices = [
      { label: `$(file) ${vscode.l10n.t("Files…")}`, attach: () => files(false) },
      { label: `$(file-media) ${vscode.l10n.t("Image…")}`, attach: () => files(true) },
      ...this.#otherOffers().map(({ item, attach }) => ({
        label: `$(${icons[item.kind]}) ${item.label}`,
        description: item.detail ?? "",
        attach,
      })),
    ];
    const chosen = await vscode.window.showQuickPick(choices, { title: vscode.l10n.t("Attach to the Message") });
    if (chosen) replyWithAttachments(replyTarget, await chosen.attach());
  }

  dispose(): void {
    this.#disposed = true;
  }

  #requestsOf(replyTarget: ReplyTarget): PanelRequests {
    const known = this.#requests.get(replyTarget) ?? { stop: new AbortController(), offers: new Map() };
    this.#requests.set(replyTarget, known);
    return known;
  }

  async #files(query: string, signal: AbortSignal): Promise<readonly Offer[]> {
    const { indexer, recent } = this.#options;
    const specials = this.#otherOffers();
    if (query.trim() === "") return [...this.#recent(), ...specials];
    const words = query.trim().toLowerCase();
    const fitting = specials.filter(({ item }) =>
      item.label
        .toLowerCase()
        .split(/\s+/)
        .some((_, i, all) => all.slice(i).join(" ").startsWith(words)),
    );
    const used = recent.paths.flatMap(path => indexer.indexPath(path) ?? []);
    const hits = await indexer.find(query, { limit: maxFiles, recent: used, signal });
    const files = hits.map(({ path, name, folder, matches }): Offer => {
      const at = path.slice(0, -name.length - 1);
      const kind = folder ? "folder" : "file";
      const item: Completion = {
        key: `${kind}:${path}`,
        kind,
        label: name,
        ...(at !== "" && { detail: at }),
        ...(matches.length > 0 && { matches }),
      };
      return { item, attach: () => this.#attachPath(indexer.absolutePath(path)) };
    });
    return [...fitting, ...files];
  }

  /** Open editors, the active one first, then files used of late. */
  #recent(): readonly Offer[] {
    const { indexer, recent } = this.#options;
    const open = new Set(openFiles());
    const used = recent.paths;
    const paths = [...used.filter(path => open.has(path)), ...open, ...used];
    return [...new Set(paths)]
      .filter(path => open.has(path) || indexer.has(indexer.indexPath(path) ?? ""))
      .slice(0, maxRecent)
      .map(path => {
        const kind = open.has(path) ? "editor" : "file";
        const at = vscode.workspace.asRelativePath(path);
        const folder = at.slice(0, Math.max(0, at.length - basename(path).length - 1));
        return {
          item: { key: `${kind}:${path}`, kind, label: basename(path), ...(folder !== "" && { detail: folder }) },
          attach: () => this.#attachPath(path),
        } satisfies Offer;
      });
  }

  #attachPath(path: string): Promise<AttachResult> {
    return this.#options.attachments.attachPaths([{ path }], false);
  }

  #symbol({ name, container, path, line, endLine }: FoundSymbol): Offer {
    const where = `${vscode.workspace.asRelativePath(path)}:${line}`;
    const detail = container === "" ? where : `${container} · ${where}`;
    return {
      item: { key: `symbol:${name}:${path}:${line}:${endLine}`, kind: "symbol", label: name, detail },
      attach: async () => {
        const made = await this.#options.attachments.attachPaths([{ path, kind: "symbol", line, endLine }], false);
        return { ...made, attachments: made.attachments.map(chip => ({ ...chip, label: name, detail })) };
      },
    };
  }

  /** What there is besides files: only what exists now. */
  #otherOffers(): readonly Offer[] {
    const { attachments, terminals } = this.#options;
    const offers: Offer[] = [];
    const offer = (kind: Completion["kind"], label: string, detail: string, attach: Offer["attach"]): void => {
      offers.push({ item: { key: `${kind}:${label}`, kind, label, detail }, attach });
    };
    // A chat in an editor tab takes the place of the active editor.
    const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
    const selection = attachSelection(editor, attachments);
    const [chip] = selection?.attachments ?? [];
    if (selection && editor) {
      const where = chip?.label ?? vscode.workspace.asRelativePath(editor.document.uri);
      offer("selection", vscode.l10n.t("Selection"), where, () => Promise.resolve(selection));
    }
    const problems = (label: string, lines: readonly string[], detail: string): void => {
      if (lines.length === 0) return;
      const text = `${lines.slice(0, maxProblems).join("\n")}\n`;
      offer("problems", label, detail, () =>
        Promise.resolve(attachments.attachText("problems", label, text, { detail })),
      );
    };
    const counted = (count: number): string =>
      count === 1 ? vscode.l10n.t("1 problem") : vscode.l10n.t("{0} problems", count);
    const all = linesOfProblems();
    if (editor) {
      const own = linesOfProblems(editor.document.uri);
      const name = basename(editor.document.uri.path);
      if (own.length < all.length || own.length === 0) {
        problems(vscode.l10n.t("Problems in {0}", name), own, counted(own.length));
      }
    }
    problems(vscode.l10n.t("Problems"), all, counted(all.length));
    const last = terminals.last;
    if (last) {
      const label = vscode.l10n.t("Terminal output");
      const detail = last.command.split("\n")[0]?.slice(0, 80) ?? "";
      offer("terminal", label, detail, () =>
        Promise.resolve(attachments.attachText("terminal", label, commandText(last), { detail })),
      );
    }
    if (hasUncommittedChanges()) {
      const label = vscode.l10n.t("Git diff");
      const detail = vscode.l10n.t("Changes since the last commit");
      offer("diff", label, detail, async () => {
        try {
          return attachments.attachText("diff", label, await uncommittedDiff(), { detail, mimeType: "text/x-diff" });
        } catch (error) {
          return { attachments: [], refused: [asError(error).message] };
        }
      });
    }
    return offers;
  }
}

const maxProblems = 200;

const icons: Readonly<Record<Completion["kind"], string>> = {
  file: "file",
  folder: "folder",
  symbol: "symbol-method",
  editor: "file",
  selection: "selection",
  problems: "warning",
  terminal: "terminal",
  diff: "git-compare",
};

/** Tells the panel what became of it. */
export function replyWithAttachments(replyTarget: ReplyTarget, { attachments, refused }: AttachResult): void {
  if (attachments.length > 0) replyTarget.reply({ type: "attached", attachments });
  if (refused.length > 0) replyTarget.reply({ type: "refused", reason: refused.join(" ") });
}

function unique(offers: readonly Offer[]): readonly Offer[] {
  return [...new Map(offers.map(offer => [offer.item.key, offer])).values()];
}

function parseUri(uri: string): vscode.Uri | undefined {
  try {
    return vscode.Uri.parse(uri, true);
  } catch {
    return undefined; // Not a URI.
  }
}
