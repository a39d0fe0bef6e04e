// Projects the state of a session to the view that a panel paints. Entries are memoised, so that unchanged entries keep
// their identity.
import type { Problem } from "../../base/errors.ts";
import { maskVariable } from "../../base/mask.ts";
import type { ToolFields } from "../../session/events.ts";
import type { EntryList } from "../../session/entryList.ts";
import { shownContent } from "../../session/fileNotes.ts";
import {
  ruleAnswerText,
  isBusy,
  openQuestions,
  sessionTitle,
  shownToolStatus,
  toolKey,
  type Question,
  type Entry,
  type Message,
  type NotedFile,
  type SessionState,
  type TerminalState,
  type ToolEntry,
} from "../../session/state.ts";
import { limitTexts } from "./textLimits.ts";
import { viewPart } from "./contentParts.ts";
import type {
  ViewHead,
  ToolPart,
  View,
  ViewAgent,
  ViewQuestion,
  ViewEntry,
  ViewNotedFile,
  ViewTool,
} from "../protocol.ts";
import { DiffStore } from "../diff/diffStore.ts";
import { queuedPromptView } from "./queueView.ts";
import { recentEntriesStart, type RecentEntries } from "./recentEntries.ts";
import { commandOf, toolParts, type TerminalStates } from "./toolParts.ts";
import { relativeLabel } from "./labels.ts";

/** The parts of the view that belong to no session. */
export interface WindowState {
  /** The id of the projected session. The events of a session do not contain it. */
  readonly session?: string;
  readonly agents: readonly ViewAgent[];
  /** The agent chosen for the next session. */
  readonly chosenAgent: ViewAgent | null;
  /** The reason why no session can start: no folder, or no trust. */
  readonly problem: Problem | null;
  readonly sendKey: ViewHead["sendKey"];
  /** The changes to review. */
  readonly changes?: ViewHead["changes"];
  /** The turns with a checkpoint, by their prompt ids. Stays the same set until a checkpoint is added. */
  readonly checkpoints?: ReadonlySet<string>;
  /** Absent means off. */
  readonly follow?: ViewHead["follow"];
}

const noDecisions: readonly string[] = [];
const noTurns: ReadonlySet<string> = new Set();

interface CachedEntry {
  readonly asked: boolean;
  readonly checkpoint: boolean;
  readonly decisions: readonly string[];
  readonly cwd: string;
  readonly terminals: readonly (TerminalState | undefined)[];
  /** The version of the diff store, if the view lacks a diff that is being computed. */
  readonly version: number | undefined;
  readonly view: ViewEntry;
}

/** Projects the states of one session. Keep one per session, because its cache keeps identities stable. */
export class Projector {
  readonly #entries = new WeakMap<Entry, CachedEntry>();
  readonly #diffs: DiffStore;
  #last:
    | {
        readonly list: EntryList<Entry>;
        readonly asks: SessionState["questions"];
        readonly terminals: SessionState["terminals"];
        readonly cwd: string;
        readonly version: number;
        readonly checkpoints: ReadonlySet<string>;
        readonly views: readonly ViewEntry[];
      }
    | undefined;
  #decisions: {
    readonly of: SessionState["questions"] | undefined;
    readonly words: ReadonlyMap<string, readonly string[]>;
  } = {
    of: undefined,
    words: new Map(),
  };
  #asks: readonly ViewQuestion[] = [];
  #plans: { readonly from: SessionState["plans"]; readonly views: ViewHead["plans"] } | undefined;
  #queue: { readonly from: SessionState["pendingPrompts"]; readonly views: ViewHead["queue"] } | undefined;

  /** Without a store of its own, diffs are computed at once. */
  constructor(diffs = new DiffStore()) {
    this.#diffs = diffs;
  }

  project(state: SessionState, windowState: WindowState): View {
    const open = openQuestions(state);
    const entries = this.#project(state, toolCallsInQuestion(open), windowState.checkpoints ?? noTurns);
    return { entries, head: this.#head(state, windowState, open) };
  }

  /** The end of a long conversation. Undefined for a short one. */
  recentEntries(state: SessionState, windowState: WindowState): RecentEntries | undefined {
    const from = recentEntriesStart(state.entries);
    if (from === 0) return undefined;
    const open = openQuestions(state);
    const asked = toolCallsInQuestion(open);
    const checkpoints = windowState.checkpoints ?? noTurns;
    this.#decide(state.questions);
    const entries: ViewEntry[] = [];
    for (let at = from; at < state.entries.length; at++)
      entries.push(this.#entry(state.entries.at(at) as Entry, state, asked, checkpoints));
    return { view: { entries, head: this.#head(state, windowState, open) }, from };
  }

  #decide(asks: SessionState["questions"]): void {
    if (this.#decisions.of !== asks) this.#decisions = { of: asks, words: decisionsIn(asks) };
  }

  #project(state: SessionState, asked: ReadonlySet<string>, checkpoints: ReadonlySet<string>): readonly ViewEntry[] {
    const { entries: list, questions: questions, terminals, workspaceFolder: workspaceFolder } = state;
    const last = this.#last;
    const { version } = this.#diffs;
    if (
      last?.list === list &&
      last.asks === questions &&
      last.terminals === terminals &&
      last.cwd === workspaceFolder &&
      last.version === version &&
      last.checkpoints === checkpoints
    )
      return last.views;
    this.#decide(questions);
    const views: ViewEntry[] = [];
    for (const entry of list) views.push(this.#entry(entry, state, asked, checkpoints));
    this.#last = { list, asks: questions, terminals, cwd: workspaceFolder, version, checkpoints, views };
    return views;
  }

  #entry(entry: Entry, state: SessionState, asked: ReadonlySet<string>, checkpoints: ReadonlySet<string>): ViewEntry {
    const isAsked = entry.kind === "tool" && asked.has(entry.toolCallId);
    const checkpoint = entry.kind === "message" && checkpoints.has(entry.submission ?? "");
    const terminals = entry.kind === "tool" ? terminalsOf(entry, state) : [];
    const old = this.#entries.get(entry);
    const { workspaceFolder: workspaceFolder } = state;
    const { version } = this.#diffs;
    const decisions =
      entry.kind === "tool" ? (this.#decisions.words.get(entry.toolCallId) ?? noDecisions) : noDecisions;
    if (
      old?.asked === isAsked &&
      old.checkpoint === checkpoint &&
      old.decisions.length === decisions.length &&
      old.cwd === workspaceFolder &&
      (old.version === undefined || old.version === version) &&
      old.terminals.every((terminal, i) => terminal === terminals[i])
    )
      return old.view;
    const bare = limitTexts(entryView(entry, state, isAsked, decisions, this.#diffs));
    const view = checkpoint && bare.kind === "user" ? { ...bare, checkpoint } : bare;
    const waits = view.kind === "tool" && view.parts.some(isComputing);
    this.#entries.set(entry, {
      asked: isAsked,
      checkpoint,
      decisions,
      cwd: workspaceFolder,
      terminals,
      version: waits ? version : undefined,
      view,
    });
    return view;
  }

  #head(state: SessionState, windowState: WindowState, open: readonly Question[]): ViewHead {
    const { activity, cancelling } = state;
    const lastEntry = state.entries.at(-1);
    const streams = isBusy(state) && lastEntry?.kind === "message" && lastEntry.author !== "user";
    const agent = state.agent ? { id: state.agent.id, name: state.agent.name } : windowState.chosenAgent;
    const asks = open.map(ask => questionView(ask, state, this.#diffs));
    if (!sameJson(asks, this.#asks)) this.#asks = asks;
    if (this.#plans?.from !== state.plans) {
      const views = [...state.plans]
        .filter(([, entries]) => entries.length > 0)
        .map(([id, entries]) => ({ id, entries }));
      this.#plans = { from: state.plans, views };
    }
    if (this.#queue?.from !== state.pendingPrompts) {
      const views = state.pendingPrompts.map(queuedPromptView);
      this.#queue = { from: state.pendingPrompts, views };
    }
    return limitTexts({
      ...(windowState.session !== undefined && { session: windowState.session }),
      title: sessionTitle(state),
      agent,
      agents: windowState.agents,
      connection: state.connection,
      activity: { state: activity.state, since: activity.since, cancelling },
      live: streams ? lastEntry.id : null,
      problem: state.lost ?? windowState.problem,
      asks: this.#asks,
      plans: this.#plans.views,
      queue: this.#queue.views,
      commands: state.commands,
      options: state.options,
      usage: state.usage,
      changes: windowState.changes ?? null,
      cwd: state.workspaceFolder,
      accepts: state.accepts && acceptsView(state.accepts),
      sendKey: windowState.sendKey,
      follow: windowState.follow ?? "off",
    });
  }
}

const toolCallsInQuestion = (open: readonly Question[]): ReadonlySet<string> =>
  new Set(open.map(ask => ask.toolCallId).filter(id => id !== undefined));

const isComputing = (part: ToolPart): boolean =>
  part.type === "diff"
    ? part.state === "computing"
    : part.type === "files" && part.files.some(file => file.diff?.state === "computing");

type Accepts = NonNullable<SessionState["accepts"]>;

/** Projected once for each value, so that its identity is stable. */
function acceptsView(accepts: Accepts): NonNullable<ViewHead["accepts"]> {
  const { image, audio, embeddedContext: embedded } = accepts;
  const known = acceptsViews.get(accepts) ?? { image, audio, embedded };
  acceptsViews.set(accepts, known);
  return known;
}
const acceptsViews = new WeakMap<Accepts, NonNullable<ViewHead["accepts"]>>();

function terminalsOf(tool: ToolEntry, state: SessionState): readonly (TerminalState | undefined)[] {
  const content = tool.fields.content ?? [];
  return content.flatMap(item => (item.type === "terminal" ? [state.terminals.get(item.terminalId)] : []));
}

function entryView(
  entry: Entry,
  state: SessionState,
  asked: boolean,
  decisions: readonly string[],
  diffs: DiffStore,
): ViewEntry {
  switch (entry.kind) {
    case "message":
      return {
        id: entry.id,
        kind: entry.author,
        ...parentIn(entry, state),
        parts: entry.content.map(viewPart),
        at: entry.at,
        until: wholeSeconds(entry.at, entry.until),
      };
    case "tool":
      return toolView(entry, state, asked, decisions, diffs);
    case "notice": {
      const { severity, files, ...rest } = entry;
      const known = severity === "warning" || severity === "error" ? severity : "info";
      return {
        ...rest,
        severity: known,
        ...(files &&
          (files.length > 0 ? { files: filesOf(files, state.workspaceFolder) } : { description: "Settled." })),
      };
    }
    case "compaction": {
      const { summary, ...rest } = entry;
      return { ...rest, parts: summary.map(viewPart) };
    }
    case "problem":
    case "turnEnd":
      return entry;
    default:
      return entry satisfies never;
  }
}

/**
 * The card that contains an entry: the tool call of its sub-agent, if that call comes earlier in the conversation. This
 * condition ensures that no entry is lost if a call was never announced, and that no two calls contain each other.
 */
function parentIn({ id, parent }: Message | ToolEntry, { entries }: SessionState): { readonly parent?: string } {
  if (parent === undefined) return {};
  const key = toolKey(parent);
  return entries.position(key) < entries.position(id) ? { parent: key } : {};
}

/** The panel shows durations in whole seconds, so the exact time of every chunk is not sent. */
const wholeSeconds = (at: number, until: number): number => at + Math.floor((until - at) / 1000) * 1000;

function toolView(
  entry: ToolEntry,
  state: SessionState,
  asked: boolean,
  decisions: readonly string[],
  diffs: DiffStore,
): ViewTool {
  const { fields } = entry;
  return {
    id: entry.id,
    kind: "tool",
    ...parentIn(entry, state),
    toolKind: fields.kind ?? "other",
    title: titleOf(fields.title) ?? commandOf(fields.rawInput) ?? fields.name ?? fields.kind ?? "Tool call",
    status: shownToolStatus(entry, asked),
    at: entry.at,
    ...(entry.ended !== undefined && { ended: entry.ended }),
    locations: locationsOf(entry, state.workspaceFolder),
    parts: toolParts(shownFields(entry), viewPart, state.workspaceFolder, state.terminals as TerminalStates, diffs),
    ...(decisions.length > 0 && { decisions }),
    ...(entry.files && { files: filesOf(entry.files, state.workspaceFolder) }),
  };
}

const shownFields = (entry: ToolEntry): Partial<ToolFields> =>
  entry.results ? { ...entry.fields, content: shownContent(entry) } : entry.fields;

const filesOf = (files: readonly NotedFile[], cwd: string): readonly ViewNotedFile[] =>
  files.map(file => ({ ...file, label: relativeLabel(file.path, cwd) }));

/** The answers that rules gave, by the tool call of the question. */
function decisionsIn(asks: readonly Question[]): ReadonlyMap<string, readonly string[]> {
  const decisions = new Map<string, readonly string[]>();
  for (const ask of asks) {
    const words = ruleAnswerText(ask);
    if (words === undefined || ask.toolCallId === undefined) continue;
    decisions.set(ask.toolCallId, [...(decisions.get(ask.toolCallId) ?? []), words]);
  }
  return decisions;
}

const titleOf = (title: string | undefined): string | undefined => (title?.trim() === "" ? undefined : title);

const locationsOf = (entry: ToolEntry, cwd: string): ViewTool["locations"] =>
  (entry.fields.locations ?? []).map(place => ({ ...place, label: relativeLabel(place.path, cwd) }));

type UnknownRecord = Readonly<Record<string, unknown>>;

const maxVariables = 50;

/**
 * Environment variables in the raw input of a tool call: an object, or a list of names and values. Values are masked.
 */
function envOf(raw: unknown): NonNullable<ViewQuestion["env"]> {
  const env = typeof raw === "object" && raw !== null ? (raw as UnknownRecord)["env"] : undefined;
  if (typeof env !== "object" || env === null) return [];
  const pairs: readonly (readonly [unknown, unknown])[] = Array.isArray(env)
    ? (env as readonly unknown[]).map(item => [
        (item as UnknownRecord | null)?.["name"],
        (item as UnknownRecord | null)?.["value"],
      ])
    : Object.entries(env);
  return pairs.slice(0, maxVariables).flatMap(([name, value]) => {
    if (typeof name !== "string" || typeof value !== "string") return [];
    return [{ name, value: maskVariable(name, value) }];
  });
}

/** The folder in the raw input of a command, by the same names as in permissions/questionFacts.ts. */
function folderOf(raw: unknown): string | undefined {
  const isFolder = (key: string): boolean =>
    /^(?:cwd|workdir|workingdir(?:ectory)?|directory|dirpath)$/i.test(key.replace(/[^a-z]/gi, ""));
  const found = Object.entries(raw ?? {}).find(([key, value]) => isFolder(key) && typeof value === "string" && value);
  return found && (found[1] as string);
}

function questionView(ask: Question, state: SessionState, diffs: DiffStore): ViewQuestion {
  const id = ask.toolCallId === undefined ? undefined : toolKey(ask.toolCallId);
  const entry = id === undefined ? undefined : state.entries.get(id);
  const tool = entry?.kind === "tool" ? entry : undefined;
  const { subject, reason, always } = ask;
  const raw = tool?.fields.rawInput;
  const command = subject?.command ?? commandOf(raw);
  const cwd = subject?.cwd ?? folderOf(raw);
  const kind = subject?.kind ?? tool?.fields.kind;
  const env = subject?.env ?? envOf(raw);
  const parts = tool
    ? toolParts(shownFields(tool), viewPart, state.workspaceFolder, state.terminals as TerminalStates, diffs)
    : [];
  // The user decides by what will happen, so raw input is shown only if nothing describes it better.
  const descriptiveParts = parts.filter(part => part.type !== "json");
  return {
    id: ask.id,
    title: titleOf(ask.title) ?? titleOf(tool?.fields.title) ?? command ?? "The agent asks for permission",
    ...(id !== undefined && { entry: id }),
    ...(kind !== undefined && { toolKind: kind }),
    ...(command !== undefined && { command, cwd: typeof cwd === "string" ? cwd : state.workspaceFolder }),
    parts: descriptiveParts.length > 0 || command !== undefined ? descriptiveParts : parts,
    locations: tool
      ? locationsOf(tool, state.workspaceFolder)
      : (subject?.paths ?? []).map(path => ({ path, label: relativeLabel(path, state.workspaceFolder) })),
    options: ask.options,
    ...(reason !== undefined && { reason }),
    ...(always && { always }),
    ...(env.length > 0 && { env }),
  };
}

const sameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
