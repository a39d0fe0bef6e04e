// The immutable session model, and the questions one may ask of it.
import type { Problem } from "../base/errors.ts";
import { type EntryList, EntryList as List } from "./entryList.ts";
import type {
  ActivityState,
  AgentCommand,
  QuestionAnswer,
  QuestionOption,
  QuestionSubject,
  MessageAuthor,
  ConnectionState,
  ContentBlock,
  ExitStatus,
  FileNote,
  PlanEntry,
  SessionEvent,
  SessionOption,
  StopReason,
  ToolContent,
  ToolFields,
} from "./events.ts";

export interface Message {
  readonly kind: "message";
  readonly id: string;
  readonly author: MessageAuthor;
  readonly content: readonly ContentBlock[];
  /** The tool call of the sub-agent that says it. */
  readonly parent?: string;
  /** Of a prompt written here: its submission, which names the turn that it began. */
  readonly submission?: string;
  /** First and latest content, ms since the epoch. */
  readonly at: number;
  readonly until: number;
}
export interface ToolEntry {
  readonly kind: "tool";
  readonly id: string;
  readonly toolCallId: string;
  /** The tool call of the sub-agent that makes it. */
  readonly parent?: string;
  /** What the agent reported, untouched. */
  readonly fields: Partial<ToolFields>;
  /** Our own decision: the turn ended or was stopped while the agent had not closed the call. */
  readonly closed?: true;
  /** What became of its writes, where that is not what it reported. */
  readonly results?: readonly FileDiff[];
  /** Files it wrote that need the user. */
  readonly files?: readonly NotedFile[];
  readonly at: number;
  readonly ended?: number;
}
export type FileDiff = Extract<ToolContent, { type: "diff" }>;
/** A file that needs the user, and why. */
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
  /** It tells what a rule decided. */
  readonly byRule?: true;
  readonly at: number;
}
export interface Compaction {
  readonly kind: "compaction";
  readonly id: string;
  readonly status: string;
  readonly summary: readonly ContentBlock[];
  readonly error?: string;
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
  readonly at: number;
}
export type Entry = Message | ToolEntry | Notice | Compaction | ProblemEntry | TurnEnd;

/** A prompt on its way: written here, not yet in the agent's history. */
export interface PendingPrompt {
  readonly id: string;
  readonly content: readonly ContentBlock[];
  readonly messageId?: string;
}
export interface Question {
  readonly id: string;
  readonly title: string;
  readonly toolCallId?: string;
  readonly options: readonly QuestionOption[];
  readonly subject?: QuestionSubject;
  readonly reason?: string;
  readonly always?: true;
  readonly answer?: QuestionAnswer;
  readonly by?: string;
}
/** What a terminal printed, newest last; the oldest output goes first when it grows beyond bounds. */
export interface TerminalState {
  readonly id: string;
  readonly own?: true;
  readonly command?: string;
  readonly cwd?: string;
  readonly output: string;
  readonly truncated: boolean;
  readonly exit?: ExitStatus;
}

export interface SessionState {
  readonly agent: { readonly id: string; readonly name: string } | null;
  readonly workspaceFolder: string;
  readonly connection: { readonly state: ConnectionState; readonly detail?: string } | null;
  /** How often the agent was started for this session, and got ready. */
  readonly starts: number;
  /** What the agent takes in prompts beside text and links; null until it has said so. */
  readonly accepts: { readonly image: boolean; readonly audio: boolean; readonly embeddedContext: boolean } | null;
  /** The agent's title for the session. */
  readonly title: string | null;
  /** The user's own, which goes before the agent's. */
  readonly ownTitle: string | null;
  readonly updatedAt: string | null;
  readonly entries: EntryList<Entry>;
  /** How many events made an entry without an id of its own; keys for the next one. */
  readonly generatedIds: number;
  readonly pendingPrompts: readonly PendingPrompt[];
  readonly questions: readonly Question[];
  readonly terminals: ReadonlyMap<string, TerminalState>;
  readonly plans: ReadonlyMap<string, readonly PlanEntry[]>;
  readonly commands: readonly AgentCommand[];
  readonly options: readonly SessionOption[];
  readonly usage: Omit<Extract<SessionEvent, { type: "usage" }>, "type"> | null;
  readonly activity: { readonly state: ActivityState; readonly stopReason?: StopReason; readonly since: number };
  /** Stop was pressed and the turn has not ended yet. */
  readonly cancelling: boolean;
  /** The agent is gone. */
  readonly lost: Problem | null;
}

export const emptySession: SessionState = {
  agent: null,
  workspaceFolder: "",
  connection: null,
  starts: 0,
  accepts: null,
  title: null,
  ownTitle: null,
  updatedAt: null,
  entries: List.of<Entry>(),
  generatedIds: 0,
  pendingPrompts: [],
  questions: [],
  terminals: new Map(),
  plans: new Map(),
  commands: [],
  options: [],
  usage: null,
  activity: { state: "idle", since: 0 },
  cancelling: false,
  lost: null,
};

// Agents own several id spaces (messages by author, tool calls, compactions); the transcript has one.
export const messageKey = (author: MessageAuthor, id: string): string => `m:${author}:${id}`;
export const toolKey = (id: string): string => `t:${id}`;
export const compactionKey = (id: string): string => `c:${id}`;

export const openQuestions = (state: SessionState): readonly Question[] =>
  state.questions.filter(ask => ask.answer === undefined);

/** A prompt of the user's, not what an agent told its sub-agent. */
export const isPrompt = (entry: Entry): boolean =>
  entry.kind === "message" && entry.author === "user" && entry.parent === undefined;

/** The turn that runs or ran last, by the submission that began it; empty before the first prompt. */
export function currentTurn({ entries }: SessionState): string {
  const prompt = entries.findLast(entry => entry.kind === "message" && entry.submission !== undefined);
  return prompt?.kind === "message" ? (prompt.submission ?? "") : "";
}

/** The user's title, else the agent's; until there is one, the first line of the first prompt; empty before that. */
export function sessionTitle({ ownTitle, title, entries }: SessionState): string {
  if (ownTitle !== null) return ownTitle;
  if (title !== null) return title;
  for (const entry of entries) {
    if (entry.kind !== "message" || !isPrompt(entry)) continue;
    return firstLine(entry.content);
  }
  return "";
}

/** The first line of the prompt of a turn; empty when there is no such turn. */
export function promptTitle({ entries, pendingPrompts: submissions }: SessionState, turn: string): string {
  const sent = entries.findLast(entry => entry.kind === "message" && entry.submission === turn);
  const waiting = submissions.find(({ id }) => id === turn);
  return firstLine((sent?.kind === "message" ? sent : waiting)?.content ?? []);
}

function firstLine(content: readonly ContentBlock[]): string {
  const line = contentText(content).trim().split("\n")[0] ?? "";
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

/** The text blocks of a content, as one text. */
export const contentText = (content: readonly ContentBlock[]): string =>
  content.map(block => (block.type === "text" ? block.text : "")).join("");

/** What a rule answered in the user's place, in words. Undefined: no rule did. */
export function ruleAnswerText(ask: Question): string | undefined {
  const { answer, by } = ask;
  if (by === undefined || answer === undefined || answer === "cancelled") return undefined;
  const kind = ask.options.find(option => option.id === answer.option)?.kind ?? "";
  return `${kind.startsWith("reject") ? "Refused" : "Allowed"} by rule: ${by}`;
}

/** A turn is under way: anything the agent reports but idle, known or not. */
export const isBusy = (state: SessionState): boolean => state.activity.state !== "idle";

/** Whether a tool call with this status has ended, so that nothing comes after it. */
export const isFinal = (status: string | null | undefined): boolean =>
  status === "completed" || status === "failed" || status === "cancelled";

/**
 * What to show as a tool call's state. Three facts stay apart: what the agent reported, what we decided, and whether a
 * question is open. An open question means waiting, whatever was reported; a final report beats our own closing.
 */
export function shownToolStatus(
  tool: ToolEntry,
  hasOpenQuestion: boolean,
): "waiting" | "pending" | "running" | "done" | "failed" | "cancelled" {
  if (hasOpenQuestion) return "waiting";
  switch (tool.fields.status) {
    case "completed":
      return "done";
    case "failed":
      return "failed";
    case "cancelled":
      return "cancelled";
    default:
      if (tool.closed) return "cancelled";
      return tool.fields.status === undefined || tool.fields.status === "pending" ? "pending" : "running";
  }
}
