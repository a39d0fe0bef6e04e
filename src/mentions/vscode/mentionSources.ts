// The source of each kind of mention: open editors, the selection, problems, the last terminal command, uncommitted
// changes, files, and symbols.
import { basename } from "node:path";
import * as vscode from "vscode";
import { withTimeout } from "../../base/async.ts";
import { asError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { gitDiff } from "../../git/gitQueries.ts";
import { findGit, type Git } from "../../git/gitProgram.ts";
import { previewText, type ItemPreview } from "../../panel/itemPreview.ts";
import type { Attachment } from "../../panel/protocol.ts";
import { mentionKinds, type Completion, type MentionKind } from "../../panel/mentionKinds.ts";
import {
  conversationDetail,
  conversationLabel,
  conversationPrefix,
  digestLabel,
  digestPrefix,
  matchingConversations,
  type ConversationMatch,
  type MentionedConversations,
} from "../mentionedConversations.ts";
import { problemText } from "../problemText.ts";
import { commandText } from "../lastCommand.ts";
import { currentEditor } from "../../editor/currentEditor.ts";
import { sessionFolder } from "../../editor/folders.ts";
import { gitOf } from "../../git/vscode/gitOf.ts";
import { secretNote } from "../pathPreview.ts";
import {
  attachSelection,
  intactSelection,
  isSecretDocument,
  type AttachResult,
  type Attachments,
} from "./attachments.ts";
import type { FileIndexer } from "./fileIndexer.ts";
import type { RecentFiles } from "./recentFiles.ts";
import type { TerminalCommands } from "./terminalCommands.ts";
import { isAtOrBelow } from "../../files/nodePaths.ts";

/** The services that sources use. */
export interface MentionContext {
  readonly indexer: FileIndexer;
  readonly recent: RecentFiles;
  readonly terminals: TerminalCommands;
  readonly attachments: Attachments;
  readonly conversations: MentionedConversations;
  readonly log: Log;
}

/** A completion, and the functions that turn it into an attachment and show what it stands for. */
export interface MentionOffer {
  readonly item: Completion;
  readonly attach: () => Promise<AttachResult>;
  /** Must not ask the user anything. */
  readonly preview?: () => Promise<ItemPreview>;
}

/** A query of the composer. */
export interface MentionQuery {
  readonly text: string;
  readonly context: MentionContext;
  /** Aborted as soon as the user types more. */
  readonly signal: AbortSignal;
}

export interface MentionSource {
  /** Finds the offers for a query. Undefined: the source has no answer to this query. */
  find(query: MentionQuery): Promise<readonly MentionOffer[] | undefined>;
  /** Lists what is available now. The Attach menu shows these offers too. */
  list?(context: MentionContext): readonly MentionOffer[];
  /** A query with this prefix goes only to the sources that have it. */
  readonly prefix?: string;
  /** The source takes long. Its offers are added after those of the other sources. */
  readonly isSlow?: true;
}

const maxFiles = 30;
const maxRecent = 6;
const maxProblems = 200;
/** After the prefix of conversations, and without it. */
const maxConversations = 30;
const maxConversationsAmongOthers = 5;
/** Fewer letters of a title would fit most titles. */
const minTitleLetters = 2;

/** A symbol of the workspace. Lines are 1-based. */
interface FoundSymbol {
  readonly name: string;
  readonly container: string;
  /** As in codicons: "enum-member". */
  readonly kind: string;
  readonly path: string;
  readonly line: number;
  readonly endLine: number;
}

const maxSymbols = 20;

/** The time limit for language servers, in milliseconds. */
const symbolTimeout = 3000;

/** Language servers are asked only after the user has paused typing for this long, in milliseconds. */
const symbolDelay = 150;

/** Searches symbols by name in the language servers. Returns none if they exceed the time limit. */
async function searchSymbols(query: string, log: Log): Promise<readonly FoundSymbol[]> {
  const symbols = Promise.resolve(
    vscode.commands.executeCommand<readonly vscode.SymbolInformation[] | undefined>(
      "vscode.executeWorkspaceSymbolProvider",
      query,
    ),
  ).catch((error: unknown) => {
    log.debug("The symbols of the workspace could not be searched.", asError(error).message);
    return undefined;
  });
  const found = await withTimeout(symbols, symbolTimeout, () => undefined);
  return (found ?? [])
    .filter(({ location }) => location.uri.scheme === "file")
    .slice(0, maxSymbols)
    .map(({ name, kind, containerName, location: { uri, range } }) => ({
      name,
      container: containerName,
      kind: (vscode.SymbolKind[kind] ?? "misc").replace(/(?<=[a-z])[A-Z]/g, "-$&").toLowerCase(),
      path: uri.fsPath,
      line: range.start.line + 1,
      endLine: range.end.line + 1,
    }));
}

const severities = ["error", "warning", "information", "hint"] as const;

/** Problems as lines for people and agents: "src/a.ts:3:5 error: … (ts 2304)". */
export function problemLines(uri: vscode.Uri, problems: readonly vscode.Diagnostic[]): readonly string[] {
  const path = vscode.workspace.asRelativePath(uri);
  return problems.map(({ range: { start }, severity, message, source, code }) => {
    const id = typeof code === "object" ? code.value : code;
    const from = [source, id].filter(one => one !== undefined && one !== "").join(" ");
    const place = `${path}:${start.line + 1}:${start.character + 1}`;
    return problemText({ place, severity: severities[severity], message, from });
  });
}

/** The problems of a file, or of the whole workspace: errors first, then warnings. Hints are left out. */
function linesOfProblems(uri?: vscode.Uri): readonly string[] {
  const all: readonly (readonly [vscode.Uri, readonly vscode.Diagnostic[]])[] = uri
    ? [[uri, vscode.languages.getDiagnostics(uri)]]
    : vscode.languages.getDiagnostics();
  const problemTexts = all.flatMap(([at, problems]) =>
    problems
      .filter(({ severity }) => severity <= vscode.DiagnosticSeverity.Warning)
      .map(problem => ({ severity: problem.severity, words: problemLines(at, [problem]).join("") })),
  );
  return problemTexts.sort((a, b) => a.severity - b.severity).map(({ words }) => words);
}

/** The part of the built-in git extension's API that is used here. */
interface GitExtension {
  getAPI(version: 1): {
    readonly git: { readonly path: string };
    readonly repositories: readonly {
      readonly rootUri: vscode.Uri;
      readonly state: { readonly workingTreeChanges: readonly unknown[]; readonly indexChanges: readonly unknown[] };
    }[];
  };
}

/** The git repository of the session's folder, and whether it has changes. Undefined if there is no repository. */
function sessionGit(): { readonly git: Git; readonly folder: string; readonly changed: boolean } | undefined {
  const folder = sessionFolder();
  if (folder === undefined || !vscode.workspace.isTrusted) return undefined;
  const extension = vscode.extensions.getExtension<GitExtension>("vscode.git");
  try {
    const api = extension?.isActive ? extension.exports.getAPI(1) : undefined;
    const repository = api?.repositories.find(({ rootUri }) => isAtOrBelow(folder, rootUri.fsPath));
    const git = api ? findGit(api.git.path) : gitOf(vscode.Uri.file(folder));
    if (!git) return undefined;
    const { workingTreeChanges = [], indexChanges = [] } = repository?.state ?? {};
    // If the extension has not opened the repository yet, git itself determines whether something changed.
    return { git, folder, changed: !repository || workingTreeChanges.length + indexChanges.length > 0 };
  } catch {
    return undefined; // The git extension is installed but disabled.
  }
}

/** Whether to offer a git diff. */
const hasUncommittedChanges = (): boolean => sessionGit()?.changed ?? false;

/**
 * The changes since the last commit, as a diff. Rejects with a sentence if there are none, or if there is no git
 * repository.
 */
async function uncommittedDiff(): Promise<string> {
  const here = sessionGit();
  if (!here) throw new Error(vscode.l10n.t("There is no git repository in this workspace."));
  const diff = await gitDiff(here.git, here.folder).catch((error: unknown) => {
    throw new Error(vscode.l10n.t("git could not determine the changes: {0}", asError(error).message));
  });
  if (diff === "") throw new Error(vscode.l10n.t("There are no changes since the last commit."));
  return diff;
}

/** Keeps the offers whose label has a word at which the query starts. */
function listed(list: (context: MentionContext) => readonly MentionOffer[]): MentionSource {
  const find = ({ text, context }: MentionQuery): readonly MentionOffer[] => {
    const words = text.trim().toLowerCase();
    return list(context).filter(({ item }) =>
      item.label
        .toLowerCase()
        .split(/\s+/)
        .some((_, i, all) => all.slice(i).join(" ").startsWith(words)),
    );
  };
  return { list, find: query => Promise.resolve(find(query)) };
}

/** `text`: the content, for the preview. */
const offer = (
  kind: MentionKind,
  label: string,
  detail: string,
  attach: MentionOffer["attach"],
  text: () => Promise<string>,
): MentionOffer => ({
  item: { key: `${kind}:${label}`, kind, label, detail },
  attach,
  preview: async () => ({ text: previewText(await text()) }),
});

/** Attaches or shows the file or folder at a path. */
const pathOffer = ({ attachments }: MentionContext, path: string): Omit<MentionOffer, "item"> => ({
  attach: () => attachments.attachPaths([{ path }], false),
  preview: () => attachments.preview({ path }),
});

/** Open editors, the active one first, then recently used files. Only for an empty query. */
const editorSource: MentionSource = {
  find({ text, context }) {
    if (text.trim() !== "") return Promise.resolve(undefined);
    const { indexer, recent } = context;
    const open = new Set(recent.open);
    const used = recent.paths;
    const paths = [...used.filter(path => open.has(path)), ...open, ...used];
    const offers = [...new Set(paths)]
      .filter(path => open.has(path) || indexer.has(indexer.indexPath(path) ?? ""))
      .slice(0, maxRecent)
      .map((path): MentionOffer => {
        const kind = open.has(path) ? "editor" : "file";
        const at = vscode.workspace.asRelativePath(path);
        const folder = at.slice(0, Math.max(0, at.length - basename(path).length - 1));
        return {
          item: { key: `${kind}:${path}`, kind, label: basename(path), ...(folder !== "" && { detail: folder }) },
          ...pathOffer(context, path),
        };
      });
    return Promise.resolve(offers);
  },
};

const selectionSource = listed(({ attachments }) => {
  const editor = currentEditor();
  const selection = attachSelection(editor, attachments);
  if (!selection || !editor) return [];
  const where = selection.attachments[0]?.label ?? vscode.workspace.asRelativePath(editor.document.uri);
  const label = mentionKinds.selection.label();
  const { document } = editor;
  const source = selection.attachments[0]?.source;
  const found: MentionOffer = {
    item: { key: `selection:${label}`, kind: "selection", label, detail: where },
    attach: () => intactSelection(editor, selection, attachments),
    preview: async () => {
      const path = document.uri.scheme === "file" ? document.uri.fsPath : document.uri.path;
      if (await isSecretDocument(document, attachments)) return { path, note: secretNote() };
      return { path, ...(source?.type === "text" && { text: previewText(source.text) }) };
    },
  };
  return [found];
});

/** The problems of the current editor, if other files have problems too, and those of the workspace. */
const problemsSource = listed(({ attachments }) => {
  const editor = currentEditor();
  const all = linesOfProblems();
  const own = editor ? linesOfProblems(editor.document.uri) : [];
  const problems = (label: string, lines: readonly string[]): readonly MentionOffer[] => {
    if (lines.length === 0) return [];
    const detail = lines.length === 1 ? vscode.l10n.t("1 problem") : vscode.l10n.t("{0} problems", lines.length);
    const text = `${lines.slice(0, maxProblems).join("\n")}\n`;
    const attach = (): AttachResult => attachments.attachText("problems", label, text, { detail });
    return [
      offer(
        "problems",
        label,
        detail,
        () => Promise.resolve(attach()),
        () => Promise.resolve(text),
      ),
    ];
  };
  const ownLabel = vscode.l10n.t("Problems in {0}", basename(editor?.document.uri.path ?? ""));
  return [...problems(ownLabel, own.length < all.length ? own : []), ...problems(mentionKinds.problems.label(), all)];
});

const terminalSource = listed(({ attachments, terminals }) => {
  const { last } = terminals;
  if (!last) return [];
  const label = mentionKinds.terminal.label();
  const detail = last.command.split("\n")[0]?.slice(0, 80) ?? "";
  const attach = (): AttachResult => attachments.attachText("terminal", label, commandText(last), { detail });
  return [
    offer(
      "terminal",
      label,
      detail,
      () => Promise.resolve(attach()),
      () => Promise.resolve(commandText(last)),
    ),
  ];
});

const diffSource = listed(({ attachments }) => {
  if (!hasUncommittedChanges()) return [];
  const label = mentionKinds.diff.label();
  const detail = vscode.l10n.t("Changes since the last commit");
  const attach = async (): Promise<AttachResult> => {
    try {
      return attachments.attachText("diff", label, await uncommittedDiff(), { detail, mimeType: "text/x-diff" });
    } catch (error) {
      return { attachments: [], refused: [asError(error).message] };
    }
  };
  return [offer("diff", label, detail, attach, uncommittedDiff)];
});

/** Files and folders of the index. One search finds both, so that they are ranked together. */
const fileSource: MentionSource = {
  async find({ text, context, signal }) {
    if (text.trim() === "") return undefined;
    const { indexer, recent } = context;
    const used = recent.paths.flatMap(path => indexer.indexPath(path) ?? []);
    const hits = await indexer.find(text, { limit: maxFiles, recent: used, signal });
    return hits.map(({ path, name, folder, matches }): MentionOffer => {
      const at = path.slice(0, -name.length - 1);
      const kind = folder ? "folder" : "file";
      const item: Completion = {
        key: `${kind}:${path}`,
        kind,
        label: name,
        ...(at !== "" && { detail: at }),
        ...(matches.length > 0 && { matches }),
      };
      return { item, ...pathOffer(context, indexer.absolutePath(path)) };
    });
  },
};

/** Symbols of the workspace. After `#` nothing else is offered. */
const symbolSource: MentionSource = {
  prefix: "#",
  isSlow: true,
  async find({ text, context, signal }) {
    const name = text.replace(/^#/, "").trim();
    if (name === "") return undefined;
    await new Promise(resolve => setTimeout(resolve, symbolDelay));
    if (signal.aborted) return undefined;
    const found = await searchSymbols(name, context.log);
    return found.map(symbol => symbolOffer(context, symbol));
  },
};

function symbolOffer({ attachments }: MentionContext, symbol: FoundSymbol): MentionOffer {
  const { name, container, kind, path, line, endLine } = symbol;
  const where = `${vscode.workspace.asRelativePath(path)}:${line}`;
  const detail = container === "" ? where : `${container} · ${where}`;
  return {
    item: { key: `symbol:${name}:${path}:${line}:${endLine}`, kind: "symbol", label: name, detail, symbolKind: kind },
    attach: async () => {
      const made = await attachments.attachPaths([{ path, kind: "symbol", line, endLine }], false);
      return { ...made, attachments: made.attachments.map(chip => ({ ...chip, label: name, detail })) };
    },
    preview: () => attachments.preview({ path, line, endLine }),
  };
}

/** Stored conversations: among other items those with a word that begins with the query, and more after the prefix. */
const conversationSource: MentionSource = {
  prefix: conversationPrefix,
  async find({ text, context: { conversations } }) {
    const query = text.trim().toLowerCase();
    const offers = (found: readonly ConversationMatch[]): readonly MentionOffer[] =>
      found.map(match => conversationOffer(conversations, match));
    if (query.startsWith(conversationPrefix)) {
      await conversations.load();
      const words = text.trim().slice(conversationPrefix.length);
      return offers(matchingConversations(words, conversations.list(), { limit: maxConversations }));
    }
    if (query.length < minTitleLetters) return undefined;
    const limit = maxConversationsAmongOthers;
    const found = matchingConversations(query, conversations.list(), { limit, atWordStart: true });
    const prefix = conversationPrefix.startsWith(query) ? [prefixOffer("conversation", query)] : [];
    return [...prefix, ...offers(found)];
  },
};

/** Digests of stored conversations, which are offered only after their prefix. */
const digestSource: MentionSource = {
  prefix: digestPrefix,
  async find({ text, context: { conversations } }) {
    const query = text.trim().toLowerCase();
    if (!query.startsWith(digestPrefix))
      return query.length >= minTitleLetters && digestPrefix.startsWith(query)
        ? [prefixOffer("digest", query)]
        : undefined;
    await conversations.load();
    const words = text.trim().slice(digestPrefix.length);
    const found = matchingConversations(words, conversations.list(), { limit: maxConversations });
    return found.map(match => digestOffer(conversations, match));
  },
};

function conversationOffer(
  conversations: MentionedConversations,
  { conversation: { id, title, agentName, updated }, matches }: ConversationMatch,
): MentionOffer {
  return storedOffer(
    {
      ...{ key: `${conversationPrefix}${id}`, kind: "conversation", label: conversationLabel(title) },
      ...{ detail: conversationDetail(agentName, updated), matches },
    },
    () => conversations.attachment(id),
  );
}

function digestOffer(
  conversations: MentionedConversations,
  { conversation: { id, title, agentName, updated }, matches }: ConversationMatch,
): MentionOffer {
  const name = conversationLabel(title);
  const label = digestLabel(name);
  const start = label.indexOf(name);
  return storedOffer(
    {
      ...{ key: `${digestPrefix}${id}`, kind: "digest", label, detail: conversationDetail(agentName, updated) },
      matches: matches.map(at => at + start),
    },
    () => conversations.digest(id),
  );
}

function storedOffer(
  { matches, ...item }: Completion & Required<Pick<Completion, "matches">>,
  attachment: () => Promise<Attachment>,
): MentionOffer {
  return {
    item: { ...item, ...(matches.length > 0 && { matches }) },
    attach: async () => ({ attachments: [await attachment()], refused: [] }),
    preview: async () => {
      const { preview } = await attachment();
      return preview === undefined ? {} : { text: preview };
    },
  };
}

/** Completes the prefix of conversations or of their digests, of which the query is the beginning. */
const prefixOffer = (kind: "conversation" | "digest", query: string): MentionOffer =>
  kind === "conversation"
    ? kindOffer(
        kind,
        vscode.l10n.t("Conversations"),
        vscode.l10n.t("Type a title"),
        conversationPrefix.slice(query.length),
      )
    : kindOffer(
        kind,
        vscode.l10n.t("Digests of conversations"),
        vscode.l10n.t("Type a title"),
        digestPrefix.slice(query.length),
      );

/** Attaches nothing: `continuesWith` is appended to the query. */
const kindOffer = (kind: MentionKind, label: string, detail: string, continuesWith: string): MentionOffer => ({
  item: { key: `kind:${kind}`, kind, label, detail, continuesWith },
  attach: () => Promise.resolve({ attachments: [], refused: [detail] }),
});

/**
 * Items for an empty query that complete the list of kinds: how to find files, folders and symbols, and the kinds that
 * have nothing to offer now. `found` are the offers of the sources.
 */
export function kindOffers(found: readonly MentionOffer[]): readonly MentionOffer[] {
  const present = new Set(found.map(({ item }) => item.kind));
  const kinds: readonly (readonly [MentionKind, string, string, string?])[] = [
    ["file", vscode.l10n.t("Files"), vscode.l10n.t("Type a name")],
    ["folder", vscode.l10n.t("Folders"), vscode.l10n.t("Type a name")],
    ["symbol", vscode.l10n.t("Symbols"), vscode.l10n.t("Type # and a name"), "#"],
    ["conversation", vscode.l10n.t("Conversations"), vscode.l10n.t("Type a title"), conversationPrefix],
    ["digest", vscode.l10n.t("Digests of conversations"), vscode.l10n.t("Type a title"), digestPrefix],
    ["editor", vscode.l10n.t("Open editors"), vscode.l10n.t("None is open")],
    ["selection", mentionKinds.selection.label(), vscode.l10n.t("Nothing is selected")],
    ["problems", mentionKinds.problems.label(), vscode.l10n.t("There are no problems")],
    ["terminal", mentionKinds.terminal.label(), vscode.l10n.t("No command has run")],
    ["diff", mentionKinds.diff.label(), vscode.l10n.t("There are no changes")],
  ];
  return kinds
    .filter(([kind]) => kind === "file" || !present.has(kind))
    .map(([kind, label, detail, continuesWith = ""]) => kindOffer(kind, label, detail, continuesWith));
}

/** The source of each kind. The composer lists offers in this order. */
export const mentionSources: Readonly<Record<MentionKind, MentionSource>> = {
  editor: editorSource,
  selection: selectionSource,
  problems: problemsSource,
  terminal: terminalSource,
  diff: diffSource,
  file: fileSource,
  folder: fileSource,
  conversation: conversationSource,
  digest: digestSource,
  symbol: symbolSource,
};
