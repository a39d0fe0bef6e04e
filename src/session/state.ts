// The immutable state of a session, and functions that derive values from it.
import type { Money } from "../base/money.ts";
import { byAllEdits } from "./byAllEdits.ts";
import type { Problem } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { maskKnownSecrets } from "../base/secrets/knownSecrets.ts";
import type { FieldsOf } from "../base/validators.ts";
import { EntryList } from "./entryList.ts";
import type {
  ActivityState,
  AgentCommand,
  BackgroundWork,
  MessageAuthor,
  ConnectionState,
  ContentBlock,
  ExitStatus,
  FileNote,
  NewProblem,
  Plan,
  ProblemCounts,
  SessionEvent,
  SessionOption,
  SessionLink,
  StopReason,
  ToolContent,
  ToolFields,
  TurnUsage,
  questionFields,
} from "./events.ts";

export interface Message {
  readonly kind: "message";
  readonly id: string;
  readonly author: MessageAuthor;
  readonly content: readonly ContentBlock[];
  /** The tool call of the sub-agent that wrote it. */
  readonly parent?: string;
  /** The id of the prompt, if the user wrote the message here. It is also the id of the turn that the prompt began. */
  readonly submission?: string;
  /** The agent has accepted the prompt and not named its message yet. */
  readonly unnamed?: true;
  /** The agent repeated it while the session opened, so its times are not those of the conversation. */
  readonly isRepeated?: true;
  /** The key of the name that the agent gave the message after it was added. */
  readonly namedKey?: string;
  /** When the first and the latest content arrived, ms since the epoch. */
  readonly at: number;
  readonly until: number;
}
export interface ToolEntry {
  readonly kind: "tool";
  readonly id: string;
  readonly toolCallId: string;
  /** The tool call of the sub-agent that made this call. */
  readonly parent?: string;
  /** The fields as the agent reported them. */
  readonly fields: Partial<ToolFields>;
  /** The arguments of the call as JSON, as far as they have arrived, if the agent sent them as text of its content. */
  readonly input?: string;
  /** Set by Parley: the turn ended or was stopped before the agent closed the call. */
  readonly closed?: true;
  /** The call began outside of a turn, or a call of that kind made it. Only the end of background work closes it. */
  readonly background?: true;
  /** When its latest question was answered with Allow, ms since the epoch. */
  readonly allowedAt?: number;
  /** The agent has reported no status since then. */
  readonly statusIsOld?: true;
  /** Stop ended its latest question, so it was never allowed. */
  readonly stopped?: true;
  /** The results of its writes, where they differ from the reported diffs. */
  readonly results?: readonly FileDiff[];
  /** Files that it wrote and that need the user. */
  readonly files?: readonly NotedFile[];
  /** The plans of the sub-agent that the call stands for. */
  readonly plans?: readonly SubAgentPlan[];
  /** Files that it changed although rules deny that. */
  readonly denied?: readonly DeniedChange[];
  readonly at: number;
  readonly ended?: number;
}
export interface SubAgentPlan extends Plan {
  /** The agent's id of the plan. */
  readonly id: string;
}
/** A file that the agent changed without asking, and the rule that denies it. */
export interface DeniedChange {
  readonly path: string;
  readonly by: string;
}
export type FileDiff = Extract<ToolContent, { type: "diff" }>;
/** The latest retry that the agent reported, and where it is shown. */
export interface LastRetry {
  readonly title: string;
  readonly description?: string;
  /** The agent's id of the turn. */
  readonly turn?: string;
  /** The id of its notice; null once the turn has gone on, and if the report was about an earlier turn. */
  readonly notice: string | null;
  /** The start of the turn in which the agent reported it. */
  readonly turnStart: number;
}
/** A file that needs the user, and the reason. */
export interface NotedFile {
  readonly path: string;
  readonly note: FileNote;
}
export interface Notice {
  readonly kind: "notice";
  readonly id: string;
  readonly severity: string;
  readonly title: string;
  readonly description?: string;
  readonly files?: readonly NotedFile[];
  /** The agent tries again by itself. The next retry of the turn replaces the notice. */
  readonly retry?: true;
  /** The turn has gone on after the retry, so the notice is hidden. */
  readonly over?: true;
  /** The notice reports the decision of a rule. */
  readonly byRule?: true;
  /** The session that the notice leads to. */
  readonly link?: SessionLink;
  readonly at: number;
}
export interface Compaction {
  readonly kind: "compaction";
  readonly id: string;
  readonly status: string;
  readonly summary: readonly ContentBlock[];
  readonly error?: string;
  /** The tool call of the sub-agent whose context it is. */
  readonly parent?: string;
  readonly at: number;
}
export interface ProblemEntry {
  readonly kind: "problem";
  readonly id: string;
  readonly problem: Problem;
  readonly at: number;
}
export interface TurnEnd {
  readonly kind: "turnEnd";
  readonly id: string;
  readonly stopReason: StopReason;
  /** The turn was cancelled without Stop: by the agent, another client, a restart or the end of the window. */
  readonly unrequested?: true;
  /** The agent has gone on with the turn after a reload of the window, so it is hidden. */
  readonly over?: true;
  readonly at: number;
}
/** What a finished turn comes to. Absent: not known, or none. */
export interface TurnSummary {
  /** In ms. */
  readonly duration?: number;
  /** The number of tool calls, and of the files that they changed. */
  readonly calls?: number;
  readonly files?: number;
  readonly tokens?: number;
  readonly cost?: { readonly amount: number; readonly currency: string };
  readonly problems?: ProblemCounts;
}
/** When a turn began, ms since the epoch, and what the agent's session had cost by then. */
export interface TurnBegin {
  readonly at: number;
  readonly cost: { readonly amount: number; readonly currency: string } | "none" | "unknown";
}
/** What one turn has used. Absent: the agent did not report it. */
export interface TurnSpending {
  /** When the turn ended, ms since the epoch. */
  readonly at: number;
  /** The id of the model, or the ids of several. */
  readonly model?: string;
  readonly input?: number;
  readonly output?: number;
  /** All tokens. */
  readonly tokens?: number;
  readonly cost?: Money;
}

export interface Spending {
  /** The turns for which the agent reported something, in the order of their ends. */
  readonly turns: readonly TurnSpending[];
  /** The cost of the agent's session at the end of the latest turn. */
  readonly counted?: Money;
  /** The agent's session is new and has run no turn, so it has cost nothing, whatever is in the conversation. */
  readonly isNew?: true;
}
export type Entry = (Message | ToolEntry | Notice | Compaction | ProblemEntry | TurnEnd) & {
  /** The turn that ended with the entry. */
  readonly turn?: TurnSummary;
  /** The first problems that are new since that turn began to change files. Absent: none. */
  readonly newProblems?: readonly NewProblem[];
  /** The agent refused the turn of the entry, so it is no longer part of the conversation. */
  readonly excluded?: true;
  /** The agent refused the turn until the user signs in. The turn was not run, and its prompt is in the queue again. */
  readonly unsent?: true;
};

/** A prompt that the user wrote here and that is not yet in the agent's history. */
export interface PendingPrompt {
  readonly id: string;
  readonly content: readonly ContentBlock[];
  readonly messageId?: string;
  /** The agent has it, and may have accepted it since. */
  readonly isSubmitted?: true;
  /** The number of entries when it was submitted. Its message comes after them. */
  readonly place?: number;
  /** The user does not want it sent until the user releases it. */
  readonly isOnHold?: true;
}
/** A prompt that was sent and that is not known to be a part of a turn yet. */
export interface AwaitedTurn {
  /** The id of the prompt. */
  readonly id: string;
  /** It was sent into the turn that still runs. */
  readonly isSteered?: true;
  /** The user pressed Stop since it was sent. */
  readonly isStopped?: true;
}
export interface Question extends FieldsOf<typeof questionFields> {
  readonly id: string;
  /** The user has opened the web address. */
  readonly opened?: true;
  /** The question was asked outside of a turn, or about a call of the background work. No end of a turn cancels it. */
  readonly background?: true;
}
/** A terminal's output. Beyond a limit the oldest output is dropped. */
export interface TerminalState {
  readonly id: string;
  readonly own?: true;
  readonly command?: string;
  readonly cwd?: string;
  readonly output: string;
  readonly truncated: boolean;
  readonly exit?: ExitStatus;
  readonly size?: { readonly cols: number; readonly rows: number };
  /** The agent runs it, and the user can end it. */
  readonly canCancel?: true;
}

/** The value of an option. */
export type OptionValue = SessionOption["value"];

/** One option's value that the user chose, or that the agent reported after the user allowed it to switch. */
export interface Choice {
  /** The id of the option. */
  readonly id: string;
  readonly value: OptionValue;
  /** The option's name and category, and the name of the value, as the agent called them when it was chosen. */
  readonly name: string;
  readonly category?: string;
  readonly valueName?: string;
  /**
   * Whether the agent session has the choice. `pending`: not yet. `set`: yes, although the agent may have changed the
   * option since. `refused`: no, and prompts wait for the user. `waived`: no, and the user sends prompts without it.
   */
  readonly status: "pending" | "set" | "refused" | "waived";
  /** Why the choice was refused. */
  readonly refusal?: ChoiceRefusal;
}

/** `missing`: the agent has no such option or value. `refused`: it did not accept the value; `message` is a sentence. */
export interface ChoiceRefusal {
  readonly reason: "missing" | "refused";
  readonly message?: string;
}

/** Where a session left the one that it is a branch of. */
export interface Branch {
  /** The id of the branch. */
  readonly session: string;
  /** The id of the session that wrote the last copied entry. */
  readonly from: string;
  /** The id of the last copied entry; empty if nothing was copied. */
  readonly after: string;
  /** When the branch began, ms since the epoch. */
  readonly at: number;
  /** The index of the agent session that was in use then, which the branch does not continue. */
  readonly agentSession: number | null;
}

export interface SessionState {
  readonly agent: { readonly id: string; readonly name: string } | null;
  readonly workspaceFolder: string;
  /** `since`: when Parley began to connect, in ms since the epoch. Absent once it is connected or has given up. */
  readonly connection: { readonly state: ConnectionState; readonly detail?: string; readonly since?: number } | null;
  /** The ids of the agent's sessions for this conversation, oldest first. Null if a log of version 1 lacks the id. */
  readonly agentSessions: readonly (string | null)[];
  /** The index of the agent session that was opened or continued last; null before the first. */
  readonly agentSession: number | null;
  /** The agent no longer has the agent session. */
  readonly agentForgot: boolean;
  /** The branches that led to this session, the first one first. Empty if it is no branch. */
  readonly branches: readonly Branch[];
  /** The agent session does not have the conversation, so a prompt has to attach it. */
  readonly needsConversation: boolean;
  /** How often an agent session was opened or continued. */
  readonly connections: number;
  /** The content types that the agent supports in prompts, besides text and links; null until it is known. */
  readonly accepts: { readonly image: boolean; readonly audio: boolean; readonly embeddedContext: boolean } | null;
  /** The agent accepts prompts while it works. */
  readonly steers: boolean;
  /** The agent's title for the session. */
  readonly title: string | null;
  /** The agent was started again in the middle of the conversation, so its titles no longer describe all of it. */
  readonly keepsTitle: boolean;
  /** The user's own title, which has priority over the agent's. */
  readonly ownTitle: string | null;
  readonly updatedAt: string | null;
  readonly entries: EntryList<Entry>;
  /** The id of the message that received the latest content; null once a tool call or a prompt has followed. */
  readonly latestMessage: string | null;
  /** The number of entries so far without an id from the agent, to generate the next id. */
  readonly generatedIds: number;
  readonly pendingPrompts: readonly PendingPrompt[];
  /** Queued prompts wait for the user, after a stop or a failure. */
  readonly queuePaused: boolean;
  readonly questions: readonly Question[];
  readonly terminals: ReadonlyMap<string, TerminalState>;
  readonly plans: ReadonlyMap<string, Plan>;
  readonly commands: readonly AgentCommand[];
  readonly options: readonly SessionOption[];
  readonly choices: readonly Choice[];
  /** The log records the choices. Logs of earlier versions of Parley do not. */
  readonly recordsChoices: boolean;
  /** The user has allowed the agent to switch its mode in this turn, and the agent has not reported the switch yet. */
  readonly switchAllowed: boolean;
  readonly usage: Omit<Extract<SessionEvent, { type: "usage" }>, "type"> | null;
  /** The tokens of the latest turn; null until it has ended, and if the agent reports none. */
  readonly turnUsage: TurnUsage | null;
  /** What the turns have used, as far as the agent reported it. */
  readonly spending: Spending;
  /** The agent has named a message after it was added, so {@link Message.namedKey} must be searched. */
  readonly hasNamedMessages?: true;
  /** The user withdrew a prompt after the connection had ended, and the agent may have it. */
  readonly hasWithdrawnLate?: boolean;
  readonly activity: { readonly state: ActivityState; readonly stopReason?: StopReason; readonly since: number };
  /** The number of entries when the current or latest turn began. */
  readonly turnStart: number;
  /** The begin of the current or latest turn; absent before the first. */
  readonly turnBegin?: TurnBegin;
  /** The agent has reported something that the user can see since the current or latest turn began. */
  readonly isTurnShown: boolean;
  /** When the agent reported something last, in ms since the epoch, if that is some seconds ago; null otherwise. */
  readonly silentSince: number | null;
  readonly lastRetry: LastRetry | null;
  /** What the agent does outside of a turn: when it began, and the entries of its tool calls. */
  readonly background: {
    readonly since: number;
    readonly calls: readonly string[];
    /** The work as the agent reports it. Absent: the agent does not, so entries outside of a turn show it. */
    readonly reported?: readonly BackgroundWork[];
  } | null;
  /** The prompts that the agent holds, or has accepted and not begun to work on, in the order in which they were sent. */
  readonly awaitedTurns: readonly AwaitedTurn[];
  /** The agent has reported the begin of a turn, so it should report that of each. */
  readonly reportsTurns: boolean;
  /** The stop reason that the agent reported last, which it can repeat; null if it has reported none. */
  readonly reportedReason: StopReason | null;
  /** The agent continues the session, and can still report the end of a turn that ended meanwhile. */
  readonly mayReportEarlierEnd?: boolean;
  /** The prompt of the current or latest turn; null if that is the agent's own work, or a turn of another client. */
  readonly turnPrompt: string | null;
  /** The user pressed Stop and the turn has not ended yet. */
  readonly cancelling: boolean;
  /** The agent has not ended the turn some seconds after Stop. */
  readonly stopIgnored: boolean;
  /** The agent is gone. */
  readonly lost: Problem | null;
  /** The agent runs, and needs the user to sign in before it works. */
  readonly signIn: Problem | null;
}

export const emptySession: SessionState = {
  agent: null,
  workspaceFolder: "",
  connection: null,
  agentSessions: [],
  agentSession: null,
  agentForgot: false,
  branches: [],
  needsConversation: false,
  connections: 0,
  accepts: null,
  steers: false,
  title: null,
  keepsTitle: false,
  ownTitle: null,
  updatedAt: null,
  entries: EntryList.of<Entry>(),
  latestMessage: null,
  generatedIds: 0,
  pendingPrompts: [],
  queuePaused: false,
  questions: [],
  terminals: new Map(),
  plans: new Map(),
  commands: [],
  options: [],
  choices: [],
  recordsChoices: false,
  switchAllowed: false,
  usage: null,
  turnUsage: null,
  spending: { turns: [] },
  activity: { state: "idle", since: 0 },
  turnStart: 0,
  isTurnShown: false,
  silentSince: null,
  lastRetry: null,
  background: null,
  awaitedTurns: [],
  reportsTurns: false,
  reportedReason: null,
  turnPrompt: null,
  cancelling: false,
  stopIgnored: false,
  lost: null,
  signIn: null,
};

// Agents have several id spaces (messages by author, tool calls, compactions); the transcript has one.
export const messageKey = (author: MessageAuthor, id: string): string => `m:${author}:${id}`;
export const toolKey = (id: string): string => `t:${id}`;
export const compactionKey = (id: string): string => `c:${id}`;

export const openQuestions = (state: SessionState): readonly Question[] =>
  state.questions.filter(ask => ask.answer === undefined);

/** Whether the entry is a prompt of the user, not a prompt of an agent to its sub-agent. */
export const isPrompt = (entry: Entry): boolean =>
  entry.kind === "message" && entry.author === "user" && entry.parent === undefined;

/** Where the latest turn begins. Prompts that were sent into it belong to it, and so does the prompt that began it. */
export function latestTurnStart({ entries, turnStart }: SessionState): number {
  const prompt = entries.findLast(isPrompt);
  return prompt ? Math.min(turnStart, entries.position(prompt.id)) : turnStart;
}

/** The latest turn that a prompt of the user began, by the id of the prompt; empty before the first prompt. */
export function latestPromptTurn({ entries }: SessionState): string {
  const prompt = entries.findLast(entry => entry.kind === "message" && entry.submission !== undefined);
  return prompt?.kind === "message" ? (prompt.submission ?? "") : "";
}

/**
 * The user's title, else the agent's, else the first line of the first prompt. Before the first prompt, that of the
 * session that this one continues, or empty.
 */
export function sessionTitle({ ownTitle, title, entries }: SessionState): string {
  if (ownTitle !== null) return ownTitle;
  if (title !== null) return maskKnownSecrets(title);
  for (const entry of entries) {
    if (entry.kind !== "message" || !isPrompt(entry)) continue;
    return maskKnownSecrets(firstLine(entry.content));
  }
  return maskKnownSecrets(continuedSession({ entries })?.title ?? "");
}

/** The id of a call that Parley itself makes before the agent starts. `unique`: what no other call of the session has. */
export const setUpCallId = (unique: string): string => `parley:set-up:${unique}`;

/** Whether the user or an agent has written anything. */
export const hasConversation = ({ entries }: Pick<SessionState, "entries">): boolean =>
  entries.findLast(
    ({ kind, id }) => kind === "message" || (kind === "tool" && !id.startsWith(toolKey(setUpCallId("")))),
  ) !== undefined;

/** The session that this one continues. Undefined if it is a conversation of its own. */
export function continuedSession({ entries }: Pick<SessionState, "entries">): SessionLink | undefined {
  // Parley adds the notice to a new session, before everything else.
  for (const entry of entries) {
    if (entry.kind === "notice" && entry.link?.relation === "continues") return entry.link;
    if (entry.kind === "message") return undefined;
  }
  return undefined;
}

/** The first line of a turn's prompt; empty when there is no such turn. */
export function promptTitle({ entries, pendingPrompts }: SessionState, turn: string): string {
  const sent = entries.findLast(entry => entry.kind === "message" && entry.submission === turn);
  const waiting = pendingPrompts.find(({ id }) => id === turn);
  return firstLine((sent?.kind === "message" ? sent : waiting)?.content ?? []);
}

function firstLine(content: readonly ContentBlock[]): string {
  const line = contentText(content).trim().split("\n")[0] ?? "";
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

/** The text blocks of the content, joined. */
export const contentText = (content: readonly ContentBlock[]): string =>
  content.map(block => (block.type === "text" ? block.text : "")).join("");

/** A rule's answer to the question, as a sentence. Undefined if no rule answered. */
export function ruleAnswerText(ask: Question): string | undefined {
  const { answer, by } = ask;
  if (by === undefined || answer === undefined || answer === "cancelled" || "action" in answer) return undefined;
  const kind = ask.options.find(option => option.id === answer.option)?.kind ?? "";
  if (by === byAllEdits) return t("Allowed with all edits of this session");
  return kind.startsWith("reject") ? t("Refused by rule: {0}", by) : t("Allowed by rule: {0}", by);
}

/** Whether the question was answered with an option that allows the request. */
export function isAllowed({ answer, options }: Question): boolean {
  if (answer === undefined || answer === "cancelled" || "action" in answer) return false;
  return options.some(option => option.id === answer.option && option.kind.startsWith("allow"));
}

/** Whether the agent has the prompt, and has not accepted it. */
export const isHeld = ({ isSubmitted, messageId }: PendingPrompt): boolean =>
  isSubmitted === true && messageId === undefined;

/** Whether a turn is running or about to begin: any activity but idle, also one that Parley does not know. */
export const isBusy = ({ activity, awaitedTurns }: SessionState): boolean =>
  activity.state !== "idle" || awaitedTurns.length > 0;

/** Whether a tool call with this status has ended, so that nothing comes after it. */
export const isFinal = (status: string | null | undefined): boolean =>
  status === "completed" || status === "failed" || status === "cancelled";

/**
 * The status to show for a tool call. It combines the agent's report, Parley's own closing, and questions. An open
 * question means waiting, whatever was reported. A final report has priority over Parley's own closing. Many agents
 * report nothing between the answer and the end of the call, so an allowed call is running until they do. Many report
 * a call as failed if Stop ended its question, but nothing was tried, so it is cancelled.
 */
export function shownToolStatus(
  tool: ToolEntry,
  hasOpenQuestion: boolean,
): "waiting" | "pending" | "running" | "paused" | "done" | "failed" | "cancelled" {
  if (hasOpenQuestion) return "waiting";
  switch (tool.fields.status) {
    case "completed":
      return "done";
    case "failed":
      return tool.stopped ? "cancelled" : "failed";
    case "cancelled":
      return "cancelled";
    default:
      if (tool.closed) return "cancelled";
      if (tool.statusIsOld) return "running";
      if (tool.fields.status === "paused") return "paused";
      return tool.fields.status === undefined || tool.fields.status === "pending" ? "pending" : "running";
  }
}
