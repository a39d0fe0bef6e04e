// Everything that can happen to a session, as plain JSON. The events are shaped like ACP v2: src/acp/v1/v1Updates.ts
// converts v1 updates to them, and Parley's own facts are events too. Logs store them, so fields keep their names even
// where the code has other words: `submission` is the id of a prompt, `ask` of a question, `cwd` a workspace folder.
import type { Problem } from "../base/errors.ts";
import type { Form, FormDecision, WebAddress } from "./forms/form.ts";

/** A patch as in ACP v2: absent leaves a field, null clears it, a value replaces it. */
export type Patch<T> = { readonly [K in keyof T]?: T[K] | null };

/** The audience of a block, its priority (0 to 1), and when it last changed (ISO 8601). */
export interface Annotations {
  readonly audience?: readonly string[];
  readonly priority?: number;
  readonly lastModified?: string;
}

/** A content block. Types that Parley does not know become `other`. `data` and `blob` are base64. */
export type ContentBlock = BareBlock & { readonly annotations?: Annotations };
type BareBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly mimeType: string; readonly data: string; readonly uri?: string }
  | { readonly type: "audio"; readonly mimeType: string; readonly data: string }
  | {
      readonly type: "link";
      readonly uri: string;
      readonly name: string;
      readonly title?: string;
      readonly description?: string;
      readonly mimeType?: string;
      readonly size?: number;
    }
  | {
      readonly type: "resource";
      readonly uri: string;
      readonly mimeType?: string;
      readonly text?: string;
      readonly blob?: string;
    }
  | { readonly type: "other"; readonly kind: string; readonly raw: unknown };

export type FileOperation = "add" | "delete" | "modify" | "move" | "copy";

/**
 * The content of a tool call. A `diff` without `oldText` is a new file; with `deleted` the file was deleted. `line` is
 * the 1-based line of the file where its texts begin. Parley adds it, because many agents send only the changed lines.
 */
export type ToolContent =
  | { readonly type: "content"; readonly content: ContentBlock }
  | {
      readonly type: "diff";
      readonly path: string;
      readonly oldText?: string;
      readonly newText: string;
      readonly deleted?: true;
      readonly line?: number;
    }
  | {
      readonly type: "changes";
      readonly changes: readonly {
        readonly operation: FileOperation | (string & {});
        readonly path: string;
        readonly oldPath?: string;
      }[];
      readonly patch?: string;
    }
  | { readonly type: "terminal"; readonly terminalId: string }
  | { readonly type: "other"; readonly kind: string; readonly raw: unknown };

export type MessageAuthor = "user" | "agent" | "thought";
export type StopReason =
  "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled" | "error" | (string & {});
export type ToolStatus = "pending" | "in_progress" | "completed" | "failed" | "cancelled" | "paused" | (string & {});
export type ToolKind =
  | "read" | "edit" | "delete" | "move" | "search" | "execute" | "think" | "fetch" | "switch_mode" | "other"
  | (string & {}); // prettier-ignore

/** A place in a file. `line` is 1-based; 0 is shown as the first line. */
export interface FileLocation {
  readonly path: string;
  readonly line?: number;
}

export interface ToolFields {
  readonly title: string;
  readonly name: string;
  readonly kind: ToolKind;
  readonly status: ToolStatus;
  readonly content: readonly ToolContent[];
  readonly locations: readonly FileLocation[];
  readonly rawInput: unknown;
  readonly rawOutput: unknown;
  /** The user can end this call alone. */
  readonly canCancel: boolean;
  /** The call stands for a sub-agent, which has a session of its own at the agent and may outlive the turn. */
  readonly subAgent: boolean;
}

export interface QuestionOption {
  readonly id: string;
  readonly name: string;
  readonly kind: "allow_once" | "allow_always" | "reject_once" | "reject_always" | (string & {});
}

export interface PlanEntry {
  readonly content: string;
  readonly priority: "high" | "medium" | "low" | (string & {});
  readonly status: "pending" | "in_progress" | "completed" | "cancelled" | (string & {});
}

/**
 * A plan: a list of entries, a text in Markdown, or a file. `kind` names a form that Parley does not know. A log of an
 * earlier version has only entries.
 */
export interface Plan {
  readonly entries: readonly PlanEntry[];
  readonly markdown?: string;
  readonly uri?: string;
  readonly kind?: string;
}

/** A slash command of the agent, named without the slash. */
export interface AgentCommand {
  readonly name: string;
  readonly description: string;
  readonly hint?: string;
}

export interface OptionChoice {
  readonly value: string;
  readonly name: string;
  readonly description?: string;
  readonly group?: string;
}
/** A session option the agent offers: mode, model, thought level or anything else. */
export type SessionOption = {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly category?: "mode" | "model" | "model_config" | "thought_level" | (string & {});
} & (
  | { readonly type: "select"; readonly value: string; readonly choices: readonly OptionChoice[] }
  | { readonly type: "boolean"; readonly value: boolean }
);

/** The subject of Parley's own questions, which have no tool call. */
export interface QuestionSubject {
  readonly kind?: ToolKind;
  /** As shown to the user. */
  readonly command?: string;
  /** The program and its arguments, if they were given separately. */
  readonly argv?: readonly string[];
  /** Environment variables for the command, with secret values masked. */
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly cwd?: string;
  readonly paths?: readonly string[];
}

/**
 * Why a file that the agent wrote needs the user. `unsaved`: the text is only in the editor, because the user has unsaved
 * changes there. `diverged`: the file changed on disk while the user has unsaved changes in it.
 */
export type FileNote = "unsaved" | "diverged";

/** How a process ended. All absent: it ended, nothing more is known. */
export interface ExitStatus {
  readonly exitCode?: number;
  readonly signal?: string;
  /** The user or the agent stopped it. */
  readonly cancelled?: true;
}

/** Work that the agent continues while no turn is running: a tool call, a terminal, or something else. */
export interface BackgroundWork {
  readonly kind: "tool_call" | "terminal" | "subagent" | (string & {});
  readonly toolCallId?: string;
  readonly terminalId?: string;
}

/** The tokens of one turn, as the agent counted them. `models` has the counts of each model, if the agent tells them apart. */
export interface TurnUsage {
  readonly input?: number;
  readonly output?: number;
  readonly total?: number;
  readonly thought?: number;
  readonly cachedRead?: number;
  readonly cachedWrite?: number;
  readonly models?: readonly ({ readonly model: string } & Omit<TurnUsage, "models">)[];
}

export type SessionEvent =
  // Parley's own events.
  | {
      readonly type: "opened";
      readonly agent: string;
      readonly agentName: string;
      readonly cwd: string;
      /** The log records choices as `chosen`. Without it, the values that the agent reported last are the choices. */
      readonly choices?: true;
    }
  | {
      readonly type: "connection";
      readonly state: ConnectionState;
      readonly detail?: string;
      /** The content types that the agent supports in prompts, besides text and links. Set once it is known. */
      readonly accepts?: { readonly image: boolean; readonly audio: boolean; readonly embeddedContext: boolean };
      /** The agent accepts prompts while it works. */
      readonly steers?: true;
    }
  /**
   * The agent opened this session, or continued it. Everything that it reports afterwards belongs to the session. Agents
   * can give a new session the id of an earlier one.
   */
  | { readonly type: "agentSession"; readonly sessionId: string; readonly continued?: true }
  | { readonly type: "promptSent"; readonly submission: string; readonly content: readonly ContentBlock[] }
  /** The prompt went to an agent that can hold it before it accepts it. */
  | { readonly type: "promptSubmitted"; readonly submission: string }
  /** The agent gave the prompt back. It waits in the queue again. */
  | { readonly type: "promptReturned"; readonly submission: string }
  | {
      readonly type: "promptAccepted";
      readonly submission: string;
      readonly messageId: string;
      /** The agent has not begun to work on it. */
      readonly awaitsTurn?: true;
    }
  | {
      readonly type: "promptFailed";
      readonly submission: string;
      readonly problem: Problem;
      /** The agent no longer has the session. */
      readonly forgotten?: true;
    }
  | { readonly type: "promptWithdrawn"; readonly submission: string }
  /** Another text for a queued prompt. Its attachments stay. */
  | { readonly type: "promptEdited"; readonly submission: string; readonly text: string }
  /** Moves a queued prompt before another one, or to the end. */
  | { readonly type: "promptMoved"; readonly submission: string; readonly before?: string }
  /** Whether queued prompts wait until the user resumes the queue. */
  | { readonly type: "queuePaused"; readonly paused: boolean }
  | { readonly type: "cancelRequested" }
  /** The agent has not ended the turn some seconds after Stop. */
  | { readonly type: "stopIgnored" }
  /** The work outside of a turn has ended or was stopped. */
  | { readonly type: "backgroundEnded" }
  /** The user's own title for the session; null restores the agent's. */
  | { readonly type: "titled"; readonly title: string | null }
  | {
      readonly type: "askOpened";
      readonly ask: string;
      readonly title: string;
      readonly description?: string;
      readonly toolCallId?: string;
      readonly options: readonly QuestionOption[];
      readonly subject?: QuestionSubject;
      /** Why no rule answered the question, as a sentence. */
      readonly reason?: string;
      /** The user can create a rule from the question. */
      readonly always?: true;
      /** Absent for a permission. A form has a `form`, unless Parley declined it, and a web address an `address`. */
      readonly kind?: "form" | "url";
      readonly form?: Form;
      readonly address?: WebAddress;
      /** An answer without the user: of a rule, or of Parley to a form that it cannot show. */
      readonly answer?: AskAnswer;
      readonly by?: string;
    }
  /**
   * Values of options that the user chose; null: no choice any more. Sent to the agent unless it has them already, which
   * `applied` states.
   */
  | {
      readonly type: "chosen";
      readonly choices: readonly {
        readonly id: string;
        readonly value: string | boolean | null;
        readonly applied?: true;
      }[];
    }
  /** The agent lacks a chosen option or value (`missing`), or did not accept it. `message` is a sentence. */
  | {
      readonly type: "choiceRefused";
      readonly id: string;
      readonly reason: "missing" | "refused";
      readonly message?: string;
    }
  /** The user sends prompts although choices were refused. */
  | { readonly type: "choicesWaived" }
  | { readonly type: "askClosed"; readonly ask: string; readonly answer: AskAnswer; readonly by?: string }
  /** The agent refused something because the user has to sign in. */
  | { readonly type: "signInNeeded"; readonly problem: Problem }
  | { readonly type: "signedIn" }
  /** The user has opened the web address of a question, which stays open until the agent reports its end. */
  | { readonly type: "addressOpened"; readonly ask: string }
  /** A file that the agent wrote needs the user; null: it no longer does. */
  | { readonly type: "file"; readonly path: string; readonly note: FileNote | null }
  /** The result of an agent's write, where the user's save settings changed its text. */
  | { readonly type: "fileResult"; readonly path: string; readonly before: string; readonly after: string }
  /** The lines where diffs of a tool call begin. `item` is the index of the diff in the content of the call. */
  | {
      readonly type: "diffLines";
      readonly toolCallId: string;
      readonly lines: readonly { readonly item: number; readonly line: number }[];
    }
  | { readonly type: "agentLost"; readonly problem: Problem }
  // Events that the agent reported.
  | {
      readonly type: "message";
      readonly author: MessageAuthor;
      readonly messageId: string;
      readonly content?: readonly ContentBlock[] | null;
      readonly parent?: string;
    }
  | {
      readonly type: "messageChunk";
      readonly author: MessageAuthor;
      readonly messageId: string;
      readonly content: ContentBlock;
      /** The tool call of the sub-agent that wrote it. */
      readonly parent?: string;
    }
  | {
      readonly type: "tool";
      readonly toolCallId: string;
      readonly patch: Patch<ToolFields>;
      /** The tool call of the sub-agent that made this call. */
      readonly parent?: string;
    }
  | {
      readonly type: "toolChunk";
      readonly toolCallId: string;
      readonly content: ToolContent;
      /** The content is an item of its own. Otherwise, text continues the text before it. */
      readonly item?: true;
    }
  | {
      readonly type: "terminal";
      readonly terminalId: string;
      /** Parley runs the command, so the user can end it. */
      readonly own?: true;
      readonly command?: string | null;
      readonly cwd?: string | null;
      /** Replaces all output so far. */
      readonly output?: string;
      readonly exit?: ExitStatus | null;
      readonly truncated?: boolean;
      /** The size of the screen for which the agent formats the output, in characters. */
      readonly size?: { readonly cols: number; readonly rows: number } | null;
      /** The agent runs it, and the user can end it. */
      readonly canCancel?: boolean;
    }
  | { readonly type: "terminalOutput"; readonly terminalId: string; readonly text: string }
  | {
      readonly type: "activity";
      readonly state: ActivityState;
      readonly stopReason?: StopReason;
      readonly problem?: Problem;
      readonly usage?: TurnUsage;
      /** The agent did not begin the turn, because the user has to sign in. */
      readonly unsent?: true;
      /** All work outside of a turn. Absent: not reported. */
      readonly background?: readonly BackgroundWork[];
      /** The agent did not begin the turn, because it no longer has the session. */
      readonly forgotten?: true;
    }
  | ({ readonly type: "plan"; readonly planId: string } & Plan)
  | { readonly type: "planRemoved"; readonly planId: string }
  | { readonly type: "commands"; readonly commands: readonly AgentCommand[] }
  | { readonly type: "options"; readonly options: readonly SessionOption[] }
  | { readonly type: "option"; readonly id: string; readonly value: string | boolean }
  | {
      readonly type: "usage";
      readonly used: number;
      readonly size: number;
      readonly cost?: { readonly amount: number; readonly currency: string };
    }
  | { readonly type: "info"; readonly title?: string | null; readonly updatedAt?: string | null }
  | {
      readonly type: "notice";
      readonly severity: "info" | "warning" | "error" | (string & {});
      readonly title: string;
      readonly description?: string;
      /** The agent has met an error and tries again by itself. */
      readonly retry?: true;
    }
  | {
      readonly type: "compaction";
      readonly compactionId: string;
      readonly status?: "in_progress" | "completed" | "failed" | "cancelled" | (string & {});
      readonly summary?: readonly ContentBlock[] | null;
      readonly error?: string | null;
    }
  | { readonly type: "compactionChunk"; readonly compactionId: string; readonly content: ContentBlock }
  /** An update that Parley does not know. It is kept in the log, and shown if it has a `variant`: the name of its kind. */
  | { readonly type: "unknown"; readonly method: string; readonly raw: unknown; readonly variant?: string };

/** The steps to a usable session, in order. */
export type ConnectionState = "starting" | "connecting" | "opening" | "ready" | "closed";
export type ActivityState = "running" | "idle" | "requires_action" | (string & {});
/** The id of the chosen option, or `cancelled` if none was chosen. */
export type QuestionAnswer = { readonly option: string } | "cancelled";
/** The answer to a question of any kind. Free text of a form is not part of it. */
export type AskAnswer = QuestionAnswer | FormDecision;

/**
 * An event as the log stores it and the reducer gets it. `at` (ms since the epoch) is set on dispatch, because the reducer
 * never reads a clock.
 */
export interface LoggedEvent {
  readonly seq: number;
  readonly at: number;
  readonly event: SessionEvent;
}
