// Answers the composer's `@`: what may be mentioned, and the chip for what was chosen.
import { basename } from "node:path";
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import type { Disposable } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import type { Completion } from "../../panel/protocol.ts";
import { commandText } from "../lastCommand.ts";
import { imageEndings, selectionOf, type Attached, type Attaching } from "./attachments.ts";
import type { Asker } from "../../panel/replyTarget.ts";
import type { FileIndexer } from "./fileIndexer.ts";
import {
  changes,
  hasChanges,
  problemsOf,
  symbolsNamed,
  type FoundSymbol,
  type TerminalCommands,
} from "./mentionSources.ts";
import { openFiles, type RecentFiles } from "./recentFiles.ts";

export interface MentionsOptions {
  readonly indexer: FileIndexer;
  readonly recent: RecentFiles;
  readonly terminals: TerminalCommands;
  readonly attaching: Attaching;
  readonly log: Log;
}

/** A completion, and how it becomes a chip. */
interface Offer {
  readonly item: Completion;
  readonly attach: () => Promise<Attached>;
}

const mostFiles = 30;
const mostRecent = 12;

/** Language servers may take this long. Milliseconds. */
const symbolTime = 3000;

/** The user still types, within this time. Milliseconds. */
const symbolWait = 150;

/** Answers of a panel whose items can still be chosen. */
const mostKept = 8;

/** What a panel asked last, and what it was offered. */
interface Asked {
  stop: AbortController;
  readonly offers: Map<number, ReadonlyMap<string, Offer>>;
}

export class Mentions implements Disposable {
  readonly #options: MentionsOptions;
  readonly #asked = new WeakMap<Asker, Asked>();
  #disposed = false;

  constructor(options: MentionsOptions) {
    this.#options = options;
  }

  /** Answers with `completions`, again for the same request as more is found. A newer request ends this one. */
  async complete(asker: Asker, request: number, query: string): Promise<void> {
    const asked = this.#of(asker);
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
      for (const old of [...asked.offers.keys()].slice(0, -mostKept)) asked.offers.delete(old);
      const indexing = indexer.indexing && !query.startsWith("#");
      asker.reply({
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
      await new Promise(resolve => setTimeout(resolve, symbolWait));
      if (signal.aborted) return;
      const found = await symbolsNamed(name, symbolTime, this.#options.log);
      symbols = found.map(symbol => this.#symbol(symbol));
      if (symbols.length > 0 || query.startsWith("#")) post();
    };
    if (query.startsWith("#")) return findSymbols();
    const symbolsFound = findSymbols();
    await findFiles();
    if (indexer.indexing) {
      await indexer.whenIdle();
      if (!signal.aborted && !this.#disposed) await findFiles();
    }
    await symbolsFound;
  }

  /** The chip for a completion; answers with `attached` or `refused`. */
  async attachItem(asker: Asker, request: number, key: string): Promise<void> {
    const offer = this.#of(asker).offers.get(request)?.get(key);
    if (!offer) {
      return asker.reply({ type: "refused", reason: vscode.l10n.t("This is not offered any more. Choose again.") });
    }
    // The panel waits for an answer, also where something went wrong.
    const made = await offer.attach().catch((error: unknown) => {
      const reason = vscode.l10n.t("{0} could not be attached: {1}", offer.item.label, asError(error).message);
      return { attachments: [], refused: [reason] };
    });
    hand(asker, made);
  }

  /** Files that were dropped. What is no file, or lies elsewhere and is not agreed to, is refused. */
  async attachUris(asker: Asker, uris: readonly string[]): Promise<void> {
    const paths: string[] = [];
    const refused: string[] = [];
    for (const given of uris) {
      const uri = parsed(given);
      if (uri?.scheme === "file" && uri.authority === "") paths.push(uri.fsPath);
      else refused.push(vscode.l10n.t("{0} is no file of this machine.", given.slice(0, 200)));
    }
    const made = await this.#options.attaching.paths(
      paths.map(path => ({ path })),
      false,
    );
    hand(asker, { attachments: made.attachments, refused: [...refused, ...made.refused] });
  }

  /** The attach button: asks what. Nothing is said when the user chooses nothing. */
  async pick(asker: Asker): Promise<void> {
    const { attaching } = this.#options;
    const files = async (images: boolean): Promise<Attached> => {
      const picked = await vscode.window.showOpenDialog({
        canSelectMany: true,
        canSelectFolders: false,
        openLabel: vscode.l10n.t("Attach"),
        ...(images && { filters: { [vscode.l10n.t("Images")]: [...imageEndings] } }),
      });
      const wanted = (picked ?? []).filter(({ scheme }) => scheme === "file").map(({ fsPath }) => ({ path: fsPath }));
      return attaching.paths(wanted, true);
    };
    const choices = [
      { label: `$(file) ${vscode.l10n.t("Files…")}`, attach: () => files(false) },
      { label: `$(file-media) ${vscode.l10n.t("Image…")}`, attach: () => files(true) },
      ...this.#specials().map(({ item, attach }) => ({
        label: `$(${icons[item.kind]}) ${item.label}`,
        description: item.detail ?? "",
        attach,
      })),
    ];
    const chosen = await vscode.window.showQuickPick(choices, { title: vscode.l10n.t("Attach to the Message") });
    if (chosen) hand(asker, await chosen.attach());
  }

  dispose(): void {
    this.#disposed = true;
  }

  #of(asker: Asker): Asked {
    const known = this.#asked.get(asker) ?? { stop: new AbortController(), offers: new Map() };
    this.#asked.set(asker, known);
    return known;
  }

  async #files(query: string, signal: AbortSignal): Promise<readonly Offer[]> {
    const { indexer, recent } = this.#options;
    const specials = this.#specials();
    if (query.trim() === "") return [...this.#recent(), ...specials];
    const words = query.trim().toLowerCase();
    const fitting = specials.filter(({ item }) =>
      item.label
        .toLowerCase()
        .split(/\s+/)
        .some((_, i, all) => all.slice(i).join(" ").startsWith(words)),
    );
    const used = recent.paths.flatMap(path => indexer.indexed(path) ?? []);
    const hits = await indexer.find(query, { limit: mostFiles, recent: used, signal });
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
      return { item, attach: () => this.#attachPath(indexer.absolute(path)) };
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
      .filter(path => open.has(path) || indexer.has(indexer.indexed(path) ?? ""))
      .slice(0, mostRecent)
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

  #attachPath(path: string): Promise<Attached> {
    return this.#options.attaching.paths([{ path }], false);
  }

  #symbol({ name, container, path, line, endLine }: FoundSymbol): Offer {
    const where = `${vscode.workspace.asRelativePath(path)}:${line}`;
    const detail = container === "" ? where : `${container} · ${where}`;
    return {
      item: { key: `symbol:${name}:${path}:${line}:${endLine}`, kind: "symbol", label: name, detail },
      attach: async () => {
        const made = await this.#options.attaching.paths([{ path, kind: "symbol", line, endLine }], false);
        return { ...made, attachments: made.attachments.map(chip => ({ ...chip, label: name, detail })) };
      },
    };
  }

  /** What there is besides files: only what exists now. */
  #specials(): readonly Offer[] {
    const { attaching, terminals } = this.#options;
    const offers: Offer[] = [];
    const offer = (kind: Completion["kind"], label: string, detail: string, attach: Offer["attach"]): void => {
      offers.push({ item: { key: `${kind}:${label}`, kind, label, detail }, attach });
    };
    // A chat in an editor tab takes the place of the active editor.
    const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
    const selection = selectionOf(editor, attaching);
    const [chip] = selection?.attachments ?? [];
    if (selection && editor) {
      const where = chip?.label ?? vscode.workspace.asRelativePath(editor.document.uri);
      offer("selection", vscode.l10n.t("Selection"), where, () => Promise.resolve(selection));
    }
    const problems = (label: string, lines: readonly string[], detail: string): void => {
      if (lines.length === 0) return;
      const text = `${lines.slice(0, mostProblems).join("\n")}\n`;
      offer("problems", label, detail, () => Promise.resolve(attaching.text("problems", label, text, { detail })));
    };
    const counted = (count: number): string =>
      count === 1 ? vscode.l10n.t("1 problem") : vscode.l10n.t("{0} problems", count);
    const all = problemsOf();
    if (editor) {
      const own = problemsOf(editor.document.uri);
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
        Promise.resolve(attaching.text("terminal", label, commandText(last), { detail })),
      );
    }
    if (hasChanges()) {
      const label = vscode.l10n.t("Git diff");
      const detail = vscode.l10n.t("Changes since the last commit");
      offer("diff", label, detail, async () => {
        try {
          return attaching.text("diff", label, await changes(), { detail, mimeType: "text/x-diff" });
        } catch (error) {
          return { attachments: [], refused: [asError(error).message] };
        }
      });
    }
    return offers;
  }
}

const mostProblems = 200;

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
export function hand(asker: Asker, { attachments, refused }: Attached): void {
  if (attachments.length > 0) asker.reply({ type: "attached", attachments });
  if (refused.length > 0) asker.reply({ type: "refused", reason: refused.join(" ") });
}

function unique(offers: readonly Offer[]): readonly Offer[] {
  return [...new Map(offers.map(offer => [offer.item.key, offer])).values()];
}

function parsed(uri: string): vscode.Uri | undefined {
  try {
    return vscode.Uri.parse(uri, true);
  } catch {
    return undefined; // Not a URI.
  }
}
