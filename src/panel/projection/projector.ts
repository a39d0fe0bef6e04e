// Projects the state of a session to the view that a panel paints. Entries are memoised, so that unchanged entries keep
// their identity.
import type { Problem } from "../../base/errors.ts";
import { jsonEqual } from "../../base/jsonEqual.ts";
import { t } from "../../base/l10n.ts";
import { maskKnownIn } from "../../base/secrets/knownSecrets.ts";
import { relativeLabel } from "../../base/pathLabel.ts";
import { isWorking } from "../../session/background/background.ts";
import { EntryList } from "../../session/entryList.ts";
import type { ToolContent } from "../../session/events.ts";
import { deniedChangeText } from "../../session/fileNotes.ts";
import {
  ruleAnswerText,
  isBusy,
  isFinal,
  openQuestions,
  sessionTitle,
  shownToolStatus,
  toolKey,
  type Question,
  type Compaction,
  type Entry,
  type Message,
  type NotedFile,
  type SessionState,
  type TerminalState,
  type ToolEntry,
} from "../../session/state.ts";
import { isEmptyPlan } from "../../session/plans.ts";
import { isRetrying } from "../../session/retries.ts";
import { pathsOf } from "../../session/toolPaths.ts";
import { byAllEdits } from "../../session/byAllEdits.ts";
import { toolTitle } from "../../session/toolTitle.ts";
import { limitTexts } from "./textLimits.ts";
import { viewPart } from "./contentParts.ts";
import type {
  ViewAgent,
  ViewBanner,
  ViewSignIn,
  ViewHead,
  ToolPart,
  ViewQuestion,
  ViewBranch,
  ViewEntry,
  ViewNotedFile,
  ViewTool,
} from "../protocol.ts";
import type { HeadInputs } from "../headParts.ts";
import { DiffStore } from "../diff/diffStore.ts";
import type { SharedView } from "../patch.ts";
import { OptionsView } from "./optionsView.ts";
import { queuedPromptView } from "./queueView.ts";
import { recentEntriesStart, type RecentEntries } from "./recentEntries.ts";
import { questionView } from "./questionView.ts";
import { locationsOf, shownFields } from "./toolFields.ts";
import { planView } from "./planView.ts";
import { prepareParts, toolParts } from "./toolParts.ts";

const noDecisions: readonly Decision[] = [];
const noTurns: ReadonlySet<string> = new Set();
const noBranches: ReadonlyMap<string, ViewBranch> = new Map();

/** What features add to messages. */
interface MessageMarks {
  /** The turns whose start can be restored. */
  readonly checkpoints: ReadonlySet<string>;
  readonly branches: ReadonlyMap<string, ViewBranch>;
}
const noMarks: MessageMarks = { checkpoints: noTurns, branches: noBranches };
const marksOf = ({ checkpoints = noTurns, branches = noBranches }: HeadInputs): MessageMarks => ({
  checkpoints,
  branches,
});

interface CachedEntry {
  readonly asked: boolean;
  readonly checkpoint: boolean;
  readonly branch: ViewBranch | undefined;
  readonly decisions: readonly Decision[];
  readonly cwd: string;
  /** What it shows of others: terminals, and the cards of sub-agents that its content names. */
  readonly shown: readonly (TerminalState | Entry | undefined)[];
  /** The version of the diff store, if the view lacks a diff that is being computed. */
  readonly version: number | undefined;
  readonly view: ViewEntry;
}

interface ProjectedBlock {
  readonly entries: readonly Entry[];
  /** Whether an entry shows terminals or names sub-agents, or has a diff that is being computed. */
  readonly hasTerminals: boolean;
  readonly namesSubAgents: boolean;
  readonly isComputing: boolean;
}

interface LastProjection {
  readonly blocks: readonly ProjectedBlock[];
  readonly questions: SessionState["questions"];
  readonly terminals: SessionState["terminals"];
  readonly cwd: string;
  readonly version: number;
  readonly marks: MessageMarks;
  readonly views: EntryList<ViewEntry>;
}

/** Whether a path that an agent names is outside the folders of a session. */
type IsOutside = (path: string, workspaceFolder: string) => boolean;

/** Projects the states of one session. Keep one per session, because its cache keeps identities stable. */
export class Projector {
  readonly #entries = new WeakMap<Entry, CachedEntry>();
  readonly #diffs: DiffStore;
  readonly #onError: (error: unknown) => void;
  readonly #isOutside: IsOutside;
  #last: LastProjection | undefined;
  #decisions: {
    readonly of: SessionState["questions"] | undefined;
    readonly byTool: ReadonlyMap<string, readonly Decision[]>;
  } = {
    of: undefined,
    byTool: new Map(),
  };
  readonly #options = new OptionsView();
  #questions: readonly ViewQuestion[] = [];
  #lastBanner: { readonly problem: Problem; readonly signingIn: ViewSignIn; readonly view: ViewBanner } | undefined;
  #plans: ViewHead["plans"] = [];
  #queue:
    | {
        readonly from: SessionState["pendingPrompts"];
        readonly paused: boolean;
        readonly steers: boolean;
        readonly views: ViewHead["queue"];
      }
    | undefined;

  /**
   * Without a store of its own, diffs are computed at once. `isOutside`: whether a path is outside the folders of a
   * session. `onError` gets the errors of views that cannot be made.
   */
  constructor(
    diffs = new DiffStore(),
    isOutside: IsOutside = () => false,
    onError: (error: unknown) => void = () => {},
  ) {
    this.#diffs = diffs;
    this.#onError = onError;
    this.#isOutside = isOutside;
  }

  /** The view with a list of entries that shares everything unchanged with the view before. */
  projectShared(state: SessionState, inputs: HeadInputs): SharedView {
    const open = openQuestions(state);
    const entries = this.#project(state, toolCallsInQuestion(open), marksOf(inputs));
    return { entries, head: this.#head(state, inputs, open) };
  }

  /**
   * Begins to compare the diffs of the last entry. Call this for each change of the state: many calls can arrive between
   * two projections, and a diff that is not ready then is shown and sent twice.
   */
  prepare({ entries }: SessionState): void {
    const last = entries.at(-1);
    if (last?.kind !== "tool") return;
    try {
      prepareParts(shownFields(last).content ?? [], this.#diffs);
    } catch (error) {
      this.#onError(error);
    }
  }

  /** The end of a long conversation. Undefined for a short one. */
  recentEntries(state: SessionState, inputs: HeadInputs): RecentEntries | undefined {
    const from = recentEntriesStart(state.entries);
    if (from === 0) return undefined;
    const open = openQuestions(state);
    const asked = toolCallsInQuestion(open);
    const marks = marksOf(inputs);
    this.#decide(state.questions);
    const entries: ViewEntry[] = [];
    for (let at = from; at < state.entries.length; at++)
      entries.push(this.#entry(state.entries.at(at) as Entry, state, asked, marks).view);
    return { view: { entries, head: this.#head(state, inputs, open) }, from };
  }

  /** The view of one entry, for readers that visit a long conversation in slices. Undefined if there is no such entry. */
  entryAt(state: SessionState, position: number): ViewEntry | undefined {
    const entry = state.entries.at(position);
    this.#decide(state.questions);
    return entry && this.#entry(entry, state, noTurns, noMarks).view;
  }

  #decide(questions: SessionState["questions"]): void {
    if (this.#decisions.of !== questions) this.#decisions = { of: questions, byTool: decisionsIn(questions) };
  }

  /** Visits only the blocks of entries that something changed for, so that the time does not grow with the conversation. */
  #project(state: SessionState, asked: ReadonlySet<string>, marks: MessageMarks): EntryList<ViewEntry> {
    const { entries: list, questions, terminals, workspaceFolder } = state;
    const { version } = this.#diffs;
    const last = this.#last;
    const isSame =
      last?.questions === questions &&
      last.cwd === workspaceFolder &&
      last.marks.checkpoints === marks.checkpoints &&
      last.marks.branches === marks.branches
        ? last
        : undefined;
    this.#decide(questions);
    const blocks: ProjectedBlock[] = [];
    let views = last && last.views.length <= list.length ? last.views : EntryList.of<ViewEntry>();
    let at = 0;
    for (const entries of list.blocks) {
      const known = isSame?.blocks[blocks.length];
      if (
        known?.entries === entries &&
        !known.namesSubAgents &&
        (!known.hasTerminals || last?.terminals === terminals) &&
        (!known.isComputing || last?.version === version)
      ) {
        blocks.push(known);
        at += entries.length;
        continue;
      }
      const block = { entries, hasTerminals: false, namesSubAgents: false, isComputing: false };
      for (const entry of entries) {
        const { view, version: awaited } = this.#entry(entry, state, asked, marks);
        const before = views.at(at++);
        if (before !== undefined && before.id !== view.id) {
          // The state is not a later one of the same conversation.
          this.#last = undefined;
          return this.#project(state, asked, marks);
        }
        views = views.put(view);
        if (hasContent(entry, "terminal")) block.hasTerminals = true;
        if (hasContent(entry, "session")) block.namesSubAgents = true;
        if (awaited !== undefined) block.isComputing = true;
      }
      blocks.push(block);
    }
    this.#last = { blocks, questions, terminals, cwd: workspaceFolder, version, marks, views };
    return views;
  }

  #entry(entry: Entry, state: SessionState, asked: ReadonlySet<string>, marks: MessageMarks): CachedEntry {
    const isAsked = entry.kind === "tool" && asked.has(entry.toolCallId);
    const checkpoint = entry.kind === "message" && marks.checkpoints.has(entry.submission ?? "");
    const branch = marks.branches.get(entry.id);
    const shown = entry.kind === "tool" ? shownBy(entry, state) : [];
    const old = this.#entries.get(entry);
    const { workspaceFolder: workspaceFolder } = state;
    const { version } = this.#diffs;
    const decisions =
      entry.kind === "tool" ? (this.#decisions.byTool.get(entry.toolCallId) ?? noDecisions) : noDecisions;
    if (
      old?.asked === isAsked &&
      old.checkpoint === checkpoint &&
      old.branch === branch &&
      old.decisions.length === decisions.length &&
      old.cwd === workspaceFolder &&
      (old.version === undefined || old.version === version) &&
      old.shown.every((one, i) => one === shown[i])
    )
      return old;
    const bare = this.#viewOf(entry, state, isAsked, decisions);
    const { excluded, unsent } = entry;
    const marked = excluded ? { ...bare, excluded, ...(unsent && { unsent }) } : bare;
    const restorable = checkpoint && marked.kind === "user" ? { ...marked, checkpoint } : marked;
    const parted = branch && isMessageView(restorable) ? { ...restorable, branch } : restorable;
    const view = entry.turn ? { ...parted, turn: entry.turn } : parted;
    const waits = view.kind === "tool" && view.parts.some(isComputing);
    const cached: CachedEntry = {
      asked: isAsked,
      checkpoint,
      branch,
      decisions,
      cwd: workspaceFolder,
      shown,
      version: waits ? version : undefined,
      view,
    };
    this.#entries.set(entry, cached);
    return cached;
  }

  /** An entry whose view cannot be made, because of a bug, is shown as a notice, so that the others stay readable. */
  #viewOf(entry: Entry, state: SessionState, asked: boolean, decisions: readonly Decision[]): ViewEntry {
    try {
      // A secret in what the user decides on stays, because it could hide what the decision is about.
      const hide = asked ? <T>(value: T): T => value : withoutSecrets;
      // Hidden before texts are cut, because a part of a secret is not recognized. The view also has texts of terminals.
      const view = entryView(hide(entry), state, asked, decisions, this.#diffs, this.#isOutside);
      return limitTexts(hide(view));
    } catch (error) {
      this.#onError(error);
      const title = t("Parley cannot show this part of the conversation. The log has the details.");
      return { id: entry.id, kind: "notice", severity: "error", title, at: entry.at };
    }
  }

  /** The same object until one of both changes. */
  #banner(problem: Problem | null, signingIn: ViewSignIn | undefined): ViewBanner | null {
    if (problem === null || signingIn === undefined) return problem;
    const last = this.#lastBanner;
    if (last?.problem !== problem || last.signingIn !== signingIn)
      this.#lastBanner = { problem, signingIn, view: { ...problem, signingIn } };
    return this.#lastBanner?.view ?? problem;
  }

  #questionOf(question: Question, state: SessionState): ViewQuestion {
    try {
      return questionView(question, state, this.#diffs);
    } catch (error) {
      this.#onError(error);
      const title = t("Parley cannot show what the agent asks. The log has the details.");
      return { id: question.id, title, parts: [], locations: [], options: question.options };
    }
  }

  #head(state: SessionState, inputs: HeadInputs, open: readonly Question[]): ViewHead {
    const { hasLostAgent, chosenAgent, problem, settingsProblem, signingIn, ...more } = inputs;
    const { ownQuestions = [], checkpoints: _checkpoints, branches: _branches, ...shown } = more;
    // What the user asked for comes first, so that a question that arrives later does not replace a form being filled in.
    const questions = [...ownQuestions, ...open.map(question => this.#questionOf(question, state))];
    if (!jsonEqual(questions, this.#questions)) this.#questions = questions;
    const plans = [...state.plans]
      .filter(([, plan]) => !isEmptyPlan(plan))
      .map(([id, plan]) => ({ id, ...planView(plan, state.workspaceFolder, this.#isOutside) }));
    if (!jsonEqual(plans, this.#plans)) this.#plans = plans;
    const { pendingPrompts: prompts, queuePaused: paused } = state;
    const steers = state.steers && prompts.length > 0 && isBusy(state);
    if (this.#queue?.from !== prompts || this.#queue.paused !== paused || this.#queue.steers !== steers) {
      const views = prompts.map(prompt => queuedPromptView(prompt, paused, steers));
      this.#queue = { from: prompts, paused, steers, views };
    }
    const head: ViewHead = {
      ...shown,
      // A turn in progress goes on, and can be stopped.
      ...(hasLostAgent !== undefined && { isReadOnly: hasLostAgent && !isBusy(state) }),
      title: sessionTitle(state),
      agent: state.agent ? agentOf(state.agent, chosenAgent) : chosenAgent,
      connection: this.#options.connection(state),
      activity: activityView(state),
      live: isWorking(state) ? state.latestMessage : null,
      problem: this.#banner(state.lost ?? state.signIn ?? problem ?? settingsProblem ?? null, signingIn),
      questions: this.#questions,
      plans: this.#plans,
      queue: this.#queue.views,
      commands: state.commands,
      options: this.#options.options(state),
      usage: state.usage,
      turnUsage: state.turnUsage,
      cwd: state.workspaceFolder,
      accepts: state.accepts && acceptsView(state.accepts),
    };
    return limitTexts(withoutSecrets(head));
  }
}

/** The agent of the session. Whether the user has chosen it folds the list of agents. */
function agentOf({ id, name }: NonNullable<SessionState["agent"]>, chosen: ViewAgent | null): ViewAgent {
  return { id, name, ...(chosen?.isChosen && chosen.id === id && { isChosen: true }) };
}

/** The view without the secrets that Parley knows. What is sent back must match, and questions are shown as they are. */
const withoutSecrets = <T>(view: T): T => maskKnownIn(view, exactFields);
const exactFields: ReadonlySet<string> = new Set(
  "id session entry live terminalId value default data href host questions".split(" "),
);

function activityView(session: SessionState): ViewHead["activity"] {
  const { activity, awaitedTurns, background, cancelling, stopIgnored, silentSince } = session;
  const { since, stopReason } = activity;
  // The agent has the prompt and has not begun to work on it.
  const state = activity.state === "idle" && awaitedTurns.length > 0 ? "accepted" : activity.state;
  const unfinished = stopReason !== undefined && stopReason !== "end_turn";
  return {
    ...{ state, since, cancelling },
    ...(unfinished && { unfinished }),
    ...(stopIgnored && { stopIgnored }),
    ...(silentSince !== null && { silentSince, ...(isRetrying(session) && { isRetrying: true as const }) }),
    ...(background && state === "idle" && { background: background.since }),
  };
}

const toolCallsInQuestion = (open: readonly Question[]): ReadonlySet<string> =>
  new Set(open.map(question => question.toolCallId).filter(id => id !== undefined));

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

function shownBy(tool: ToolEntry, { entries, terminals }: SessionState): CachedEntry["shown"] {
  const content = tool.fields.content ?? [];
  return content.flatMap((item): CachedEntry["shown"] => {
    if (item.type === "terminal") return [terminals.get(item.terminalId)];
    return item.type === "session" ? [entries.get(toolKey(item.toolCallId))] : [];
  });
}

const hasContent = (entry: Entry, type: ToolContent["type"]): boolean =>
  entry.kind === "tool" && entry.fields.content?.some(item => item.type === type) === true;

function entryView(
  entry: Entry,
  state: SessionState,
  asked: boolean,
  decisions: readonly Decision[],
  diffs: DiffStore,
  isOutside: IsOutside,
): ViewEntry {
  switch (entry.kind) {
    case "message":
      return {
        id: entry.id,
        kind: entry.author,
        ...parentIn(entry, state),
        parts: entry.content.map(viewPart),
        ...(entry.isRepeated && { isRepeated: true as const }),
        at: entry.at,
        until: wholeSeconds(entry.at, entry.until),
      };
    case "tool":
      return toolView(entry, state, asked, decisions, diffs, isOutside);
    case "notice": {
      const { severity, files, ...rest } = entry;
      return {
        ...rest,
        severity: severity === "warning" || severity === "error" ? severity : "info",
        ...(files &&
          (files.length > 0 ? { files: filesOf(files, state.workspaceFolder) } : { description: t("Settled.") })),
      };
    }
    case "compaction": {
      const { summary, parent: _, ...rest } = entry;
      return { ...rest, ...parentIn(entry, state), parts: summary.map(viewPart) };
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
function parentIn(
  { id, parent }: Message | ToolEntry | Compaction,
  { entries }: SessionState,
): { readonly parent?: string } {
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
  decisions: readonly Decision[],
  diffs: DiffStore,
  isOutside: IsOutside,
): ViewTool {
  const { fields } = entry;
  const shown = shownFields(entry);
  const paths = pathsOf(shown, "locations", "diffs", "moves");
  const plans = (entry.plans ?? []).map(plan => planView(plan, state.workspaceFolder, isOutside));
  const denied = (entry.denied ?? []).map(change => deniedChangeText(change, state.workspaceFolder));
  const allEditsAnswer = decisions.find(({ isByRule }) => !isByRule)?.words;
  const byRules = [...decisions.filter(({ isByRule }) => isByRule).map(({ words }) => words), ...denied];
  const parts: readonly ToolPart[] = [
    ...toolParts(shown, viewPart, state, diffs),
    ...plans.map(plan => ({ type: "plan" as const, ...plan })),
  ];
  return {
    id: entry.id,
    kind: "tool",
    ...parentIn(entry, state),
    toolKind: fields.subAgent ? "subagent" : (fields.kind ?? "other"),
    title: toolTitle(shown, state.workspaceFolder),
    status: statusOf(entry, asked, parts),
    at: entry.at,
    ...(entry.allowedAt !== undefined && { since: entry.allowedAt }),
    ...(entry.ended !== undefined && { ended: entry.ended }),
    locations: locationsOf(entry, state.workspaceFolder),
    parts,
    ...(paths.some(path => isOutside(path, state.workspaceFolder)) && { isOutside: true as const }),
    ...(byRules.length > 0 && { decisions: byRules }),
    ...(allEditsAnswer !== undefined && { byAllEdits: allEditsAnswer }),
    ...(entry.files && { files: filesOf(entry.files, state.workspaceFolder) }),
    ...(fields.canCancel && !entry.closed && !isFinal(fields.status) && { cancel: entry.toolCallId }),
  };
}

/** Some agents report a cancelled command as failed, and say so only in its output. */
function statusOf(entry: ToolEntry, asked: boolean, parts: readonly ToolPart[]): ViewTool["status"] {
  const status = shownToolStatus(entry, asked);
  const isCancelled = parts.some(part => part.type === "terminal" && part.exit?.cancelled === true);
  return status === "failed" && isCancelled ? "cancelled" : status;
}

const filesOf = (files: readonly NotedFile[], cwd: string): readonly ViewNotedFile[] =>
  files.map(file => ({ ...file, label: relativeLabel(file.path, cwd) }));

/** An answer that a rule gave, or that the user gave to all edits of the session, as a sentence. */
interface Decision {
  readonly words: string;
  readonly isByRule: boolean;
}

/** The answers that no user gave to the question itself, by the tool call of the question. */
function decisionsIn(questions: readonly Question[]): ReadonlyMap<string, readonly Decision[]> {
  const decisions = new Map<string, readonly Decision[]>();
  for (const question of questions) {
    const words = ruleAnswerText(question);
    if (words === undefined || question.toolCallId === undefined) continue;
    const decision = { words, isByRule: question.by !== byAllEdits };
    decisions.set(question.toolCallId, [...(decisions.get(question.toolCallId) ?? []), decision]);
  }
  return decisions;
}

const isMessageView = (view: ViewEntry): view is Extract<ViewEntry, { kind: "user" | "agent" | "thought" }> =>
  view.kind === "user" || view.kind === "agent" || view.kind === "thought";
