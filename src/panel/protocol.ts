// The messages from the extension host to a chat panel: the view, its patches, and messages to one panel. Shared with
// webview-ui. Everything here is plain JSON.
import type { TurnSummary } from "../session/state.ts";
import type { Problem } from "../base/errors.ts";
import type { Money } from "../base/money.ts";
import type { TypeOf } from "../base/validators.ts";
import type { Form, WebAddress, HeldFields } from "../session/forms/form.ts";
import type { isAttachment } from "./attachment.ts";
import type { FindHit, FindQuery } from "./find/findProtocol.ts";
import type { Intent } from "./intents.ts";
import type { ItemPreview } from "./itemPreview.ts";
import type { Completion } from "./mentionKinds.ts";
import type {
  ActivityState,
  AgentCommand,
  QuestionOption,
  MessageAuthor,
  ConnectionState,
  ExitStatus,
  FileNote,
  FileOperation,
  Plan,
  OptionChoice,
  SessionEvent,
  SessionLink,
  SessionOption,
  StopReason,
  TurnUsage,
} from "../session/events.ts";

/** A piece of the body of an entry. `cut` counts characters left out for size. `forAgent`: not meant for the user. */
export type ViewPart = BarePart & { readonly forAgent?: true };
type BarePart =
  /** Markdown. With `pre`, the text of a tool, which is preformatted and may be code in a language. */
  | {
      readonly type: "text";
      readonly text: string;
      readonly cut?: number;
      readonly pre?: { readonly language?: string };
    }
  | ({ readonly type: "image"; readonly mimeType: string; readonly uri?: string } & ViewMedia)
  | ({ readonly type: "audio"; readonly mimeType: string } & ViewMedia)
  | {
      readonly type: "link";
      readonly uri: string;
      readonly name: string;
      readonly description?: string;
      readonly mimeType?: string;
      readonly size?: number;
    }
  | ({
      readonly type: "resource";
      readonly uri: string;
      readonly mimeType?: string;
      readonly text?: string;
      readonly cut?: number;
    } & ViewMedia)
  | { readonly type: "placeholder"; readonly kind: string };

/**
 * The bytes of an image or another file. Data that the panel cannot show stays with the host, and only `bytes` is sent.
 */
export interface ViewMedia {
  /** In base64. */
  readonly data?: string;
  readonly bytes?: number;
  /** The pixels of an image, if its header states them. */
  readonly width?: number;
  readonly height?: number;
}

/** Columns of a line, from and to, in UTF-16 units. Sorted, and not adjacent. */
export type ColumnRanges = readonly (readonly [from: number, to: number])[];

/** A line of a unified diff, without its line ending. */
export interface DiffLine {
  readonly op: "same" | "add" | "del";
  readonly text: string;
  /** The changed columns of a line whose old or new version is known. */
  readonly marks?: ColumnRanges;
  /** The number of characters cut at the end. */
  readonly cut?: number;
  /** The file ends here, without a line ending. */
  readonly noEnd?: true;
}

/** Start lines are 1-based: the first line of the hunk, or the line where it would be. */
export interface DiffHunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: readonly DiffLine[];
}

/** The changes of one file. */
export interface DiffBody {
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly DiffHunk[];
  /** It is not known where in the file the hunks are, so their lines have no numbers. */
  readonly unplaced?: true;
  /** `computing`: the hunks will follow. `tooLarge`: the texts are too large to compare here. */
  readonly state?: "computing" | "tooLarge";
  /** The number of lines left out at the end of the hunks. */
  readonly more?: number;
  /** The new line ending of lines that are otherwise unchanged. */
  readonly lineEnds?: "lf" | "crlf" | "mixed";
}

/** A file of a patch. */
export interface ChangedFile {
  readonly operation: string;
  readonly path: string;
  readonly label: string;
  /** The label of the previous path. */
  readonly from?: string;
  readonly diff?: DiffBody;
  readonly binary?: true;
  /** The file mode before and after, as git writes it. */
  readonly mode?: readonly [before: string, after: string];
}

/** The content of a tool card: {@link ViewPart}s and the following. */
export type ToolPart =
  | ViewPart
  | ({
      readonly type: "diff";
      readonly path: string;
      /** The path as the user reads it, relative to the workspace folder if it is inside. */
      readonly label: string;
      readonly operation: FileOperation;
    } & DiffBody)
  | {
      readonly type: "files";
      readonly files: readonly ChangedFile[];
      /** The raw patch, if the files do not show all of it. `cut` counts characters left out of it. */
      readonly patch?: string;
      readonly cut?: number;
    }
  | {
      readonly type: "terminal";
      readonly terminalId: string;
      readonly command?: string;
      readonly cwd?: string;
      /** The output of the terminal, including escape codes. */
      readonly text: string;
      readonly exit?: ExitStatus;
      readonly truncated: boolean;
      /** The terminal runs in VS Code and can be killed. */
      readonly canKill?: true;
    }
  /** A sub-agent that the call names, by its card and its title. Without them, it is not in the conversation. */
  | { readonly type: "session"; readonly entry?: string; readonly title?: string }
  /** A plan of the sub-agent that the call stands for. */
  | ({ readonly type: "plan" } & ViewPlan)
  /** Raw input or output, as formatted JSON. Without `folded`, it is folded if another part describes the call. */
  | {
      readonly type: "json";
      readonly label: "Input" | "Output";
      readonly text: string;
      readonly cut?: number;
      readonly folded?: boolean;
    };

/** A plan, with its file if the agent names one. */
export interface ViewPlan extends Omit<Plan, "path"> {
  /** `label` is the path as the user reads it. A file outside the workspace folders cannot be opened from the chat. */
  readonly file?: { readonly path: string; readonly label: string; readonly isOutside?: true };
}

/** The status that a tool card shows. `waiting`: a question about the call is open. */
export type ViewToolStatus = "pending" | "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";

/** One of several branches: its number, from 1, how many there are, and the ids of the sessions beside it. */
export interface ViewBranch {
  readonly at: number;
  readonly of: number;
  readonly previous?: string;
  readonly next?: string;
}

export interface ViewMessage {
  readonly id: string;
  readonly kind: MessageAuthor;
  /** The id of an earlier tool card that contains this message, because a sub-agent wrote it. */
  readonly parent?: string;
  readonly parts: readonly ViewPart[];
  /** For a prompt: the start of its turn can be restored. */
  readonly checkpoint?: true;
  /** Branches of the conversation part here. */
  readonly branch?: ViewBranch;
  /** The agent repeated it when the session opened, so its times are not those of the conversation. */
  readonly isRepeated?: true;
  /** The times of the first and the latest content, in ms since the epoch. */
  readonly at: number;
  readonly until: number;
}

export interface ViewTool {
  readonly id: string;
  readonly kind: "tool";
  readonly toolKind: string;
  readonly title: string;
  readonly status: ViewToolStatus;
  readonly at: number;
  /** When the user or a rule allowed it, in ms since the epoch. It runs since then. */
  readonly since?: number;
  /** The time at which the call ended, in ms since the epoch. */
  readonly ended?: number;
  /** The id of an earlier tool card that contains this one, because a sub-agent made the call. */
  readonly parent?: string;
  readonly locations: readonly { readonly path: string; readonly label: string; readonly line?: number }[];
  readonly parts: readonly ToolPart[];
  /** A file of the call is outside the workspace folders. */
  readonly isOutside?: true;
  /** The answers that rules gave, as texts. */
  readonly decisions?: readonly string[];
  /** The answer that the user gave to all edits of the session, as text. No rule belongs to it. */
  readonly byAllEdits?: string;
  /** The id of the call, if the user can end it alone. */
  readonly cancel?: string;
  readonly files?: readonly ViewNotedFile[];
}

/** A file that needs the user: its text is only in the editor, or the disk and the editor differ. */
export interface ViewNotedFile {
  readonly path: string;
  readonly label: string;
  readonly note: FileNote;
}

export interface ViewNotice {
  readonly id: string;
  readonly kind: "notice";
  readonly severity: "info" | "warning" | "error";
  readonly title: string;
  readonly description?: string;
  /** The agent has met an error and tries again by itself. */
  readonly retry?: true;
  /** The turn has gone on after the retry, so the notice is hidden. */
  readonly over?: true;
  /** The notice is about a decision of a rule. */
  readonly byRule?: true;
  /** The session that the notice leads to. */
  readonly link?: SessionLink;
  readonly files?: readonly ViewNotedFile[];
  readonly at: number;
}

export interface ViewCompaction {
  readonly id: string;
  readonly kind: "compaction";
  readonly status: string;
  readonly parts: readonly ViewPart[];
  readonly error?: string;
  /** The id of an earlier tool card that contains it, because a sub-agent summarized its own context. */
  readonly parent?: string;
  readonly at: number;
}

/** A failure at its place in the conversation: a rejected prompt, a turn that ended with an error, a lost agent. */
export interface ViewProblem {
  readonly id: string;
  readonly kind: "problem";
  readonly problem: Problem;
  readonly at: number;
}

/** How a turn ended, unless it ended normally (`end_turn`). */
export interface ViewTurnEnd {
  readonly id: string;
  readonly kind: "turnEnd";
  readonly stopReason: StopReason;
  /** The turn was cancelled without Stop. */
  readonly unrequested?: true;
  /** The agent has gone on with the turn, so it is hidden. */
  readonly over?: true;
  readonly at: number;
}

/** `id` is stable for the lifetime of the session, so a panel may use it to remember things. */
export type ViewEntry = (ViewMessage | ViewTool | ViewNotice | ViewCompaction | ViewProblem | ViewTurnEnd) &
  Excludable & {
    /** The turn that ended with the entry. */
    readonly turn?: TurnSummary;
  };

/**
 * `excluded`: the agent refused the turn of the entry, so it is no longer part of the conversation. `unsent`: only until
 * the user signs in, so its prompt is sent again.
 */
export interface Excludable {
  readonly excluded?: true;
  readonly unsent?: true;
}

/** An open question, with everything needed to decide it. */
export interface ViewQuestion {
  readonly id: string;
  readonly title: string;
  readonly description?: string;
  /** The entry id of the tool card that the question is about, if there is one. */
  readonly entry?: string;
  readonly toolKind?: string;
  /** For a command: the exact command line and its folder. */
  readonly command?: string;
  readonly cwd?: string;
  readonly parts: readonly ToolPart[];
  readonly locations: ViewTool["locations"];
  readonly options: readonly QuestionOption[];
  /** The reason why the rules did not answer. */
  readonly reason?: string;
  /** The answer can be made a rule. */
  readonly always?: true;
  /** It is an edit that can be allowed with all edits of the session. */
  readonly edits?: true;
  /** The id of the plan that it asks to approve. */
  readonly plan?: string;
  /** The environment variables of the command, with secret values masked. */
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  /** A form to fill in, instead of options. */
  readonly form?: Form;
  /** A web address to open, instead of options. */
  readonly address?: WebAddress;
  /** The user has opened the web address. */
  readonly opened?: true;
  /** Who asks, if it is not the agent. */
  readonly asker?: string;
  /** Where a prompt comes from that the user chose, as a sentence. */
  readonly origin?: string;
  /** What a prompt would send, instead of options. `notes` are sentences. */
  readonly preview?: {
    readonly sections: readonly { readonly role: "user" | "assistant"; readonly parts: readonly ViewPart[] }[];
    readonly notes: readonly string[];
  };
}

/** A prompt that waits for the agent. `paused`: until the user resumes the queue. `canSteer`: it can go out now. */
export interface ViewQueuedPrompt {
  readonly id: string;
  readonly text: string;
  readonly attachments?: readonly string[];
  /** The agent has received the prompt, so it can no longer be changed. */
  readonly sent: boolean;
  /** The agent has not accepted the prompt, so it can give it back. */
  readonly isHeld?: true;
  readonly paused?: true;
  /** The user does not want it sent until the user releases it. */
  readonly isOnHold?: true;
  readonly canSteer?: true;
}

/** An option of the session, with the value that the user chose or, without a choice, the one that the agent reported. */
export type ViewOption = ViewOptionFacts &
  (
    | (Omit<Extract<SessionOption, { type: "select" }>, "choices"> & { readonly choices: readonly ViewOptionChoice[] })
    | Extract<SessionOption, { type: "boolean" }>
  );
interface ViewOptionFacts {
  /** The agent does not have the value yet. */
  readonly pending?: true;
  /** The value approves everything. For a checkbox, the value _on_ does. */
  readonly warning?: true;
}
export type ViewOptionChoice = OptionChoice & { readonly warning?: true };

/** A choice that the agent does not have. */
export interface ViewRefusedChoice {
  /** The option to change, if the agent still offers it. */
  readonly option?: string;
  readonly name: string;
  /** The name of the value, or the value of a checkbox. */
  readonly chosen: string | boolean;
  readonly reason: "missing" | "refused";
  /** The agent's reason, as a sentence. */
  readonly message?: string;
}

/** A failure of the whole session, and the sign-in that the user has begun to resolve it. */
export type ViewBanner = Problem & { readonly signingIn?: ViewSignIn };

/** A sign-in in progress. `late`: the agent has not answered for two minutes. */
export interface ViewSignIn {
  readonly name: string;
  readonly late?: true;
}

/** An agent to choose, or the one of the session. */
export interface ViewAgent {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** The name of a codicon. */
  readonly icon?: string;
  /** The seconds after which the user is asked whether to wait longer for the agent to start. */
  readonly startTimeout?: number;
  /** The account that the agent works with. */
  readonly account?: string;
  /** The agent runs, and can sign the user out. */
  readonly canSignOut?: true;
  /** The user has chosen the agent. Only in the agent of a session or of the next one. */
  readonly isChosen?: true;
  /** Whether its program is there. `downloads`: npx downloads it at the first start. Absent until it is known. */
  readonly presence?: "installed" | "downloads" | "notFound";
  /** The sign-in as of the last connection. Absent without one, and for an agent that needs none. */
  readonly signIn?: "done" | "needed";
  /** The npm package that npx starts, with its version. */
  readonly package?: string;
}

/** A session that an empty chat offers to continue. */
export interface ViewRecentSession {
  readonly id: string;
  readonly title: string;
  readonly agentName: string;
  /** The name of the codicon of its agent. */
  readonly icon?: string;
  /** The time of the last change, in ms since the epoch. */
  readonly updated?: number;
  readonly status: "waiting" | "working" | "failed" | "interrupted" | "idle";
  readonly isUnread?: true;
}

/** The files with changes to review, and the line counts of all of them. */
export interface ViewChanges {
  readonly files: readonly {
    readonly path: string;
    readonly label: string;
    readonly added: number;
    readonly removed: number;
    /** The reason, as a sentence, why the changes cannot be shown. Without `canUndo`, they cannot be undone either. */
    readonly unknown?: string;
    readonly canUndo?: true;
    /** The label of the path that the file had before the agent moved it. */
    readonly movedFrom?: string;
    /** Programs run the file without an action of the user, or with the next build, or agents follow it. */
    readonly runs?: "byItself" | "withBuild" | "byAgents";
    /** The file is outside the workspace folders. */
    readonly isOutside?: true;
    /** The file changed while no tool call ran, perhaps by the user. Undo All leaves it. */
    readonly isMeanwhile?: true;
  }[];
  readonly added: number;
  readonly removed: number;
  /** The number of files that are marked as reviewed. Absent: none. */
  readonly reviewed?: number;
  /** The changes of sessions that the panel does not show. */
  readonly others?: {
    /** The number of files that these sessions changed. */
    readonly files: number;
    readonly sessions: readonly { readonly id: string; readonly title: string }[];
  };
}

/** A prompt in the list after `/`, or a server whose prompts are not known yet. */
export interface ViewPrompt {
  /** `server:prompt`, or the name of a prompt file. */
  readonly name: string;
  readonly description: string;
  readonly hint?: string;
  /** The prompt file cannot be used. The description says why, and choosing the row shows the file. */
  readonly isFaulty?: true;
  /** Choosing the row does this with the server, instead of using a prompt. `wait`: it starts already. */
  readonly action?: { readonly server: string; readonly kind: "allow" | "retry" | "wait" | "signIn" };
}

export interface ViewMcpServer {
  readonly name: string;
  /** The command line or the web address. */
  readonly detail: string;
  /** A `data:` address of an image, which the host has checked. */
  readonly icon?: string;
  /** Whether agents get it in this session. */
  readonly on: boolean;
  /** The agent's session was opened with the other choice. */
  readonly pending?: true;
  /**
   * The state of Parley's own connection. `notStarted` and `notAllowed`: Parley asks before it starts the server. Agents
   * get the user's servers meanwhile (`notStarted`), but not those of the workspace (`notAllowed`). `signInNeeded`: the
   * server rejects requests until the user signs in. `signingIn`: Parley waits for the user or the browser.
   */
  readonly state:
    | "notStarted"
    | "notAllowed"
    | "stopped"
    | "starting"
    | "ready"
    | "failed"
    | "signInNeeded"
    | "signingIn";
  /**
   * The user is signed in. `given`: the agent gets the token. `kept`: it does not. `alone`: the session has no agent, or
   * its agent does not get the server.
   */
  readonly signedIn?: "given" | "kept" | "alone";
  /** Why it failed, why the agent does not get it, or what its list of prompts lacks. Sentences. */
  readonly reason?: string;
}

/** What a server offers for a field of a form. `typed` is the text that the values complete. */
export interface ArgumentValues {
  readonly question: string;
  readonly field: string;
  readonly typed: string;
  readonly values: readonly string[];
}

/** How large the conversation is that the agent would get again. Absent: not known. */
export interface ViewResumeQuestion {
  /** The tokens of the conversation that the agent reported last. */
  readonly tokens?: number;
  /** The size of the log. */
  readonly bytes?: number;
  /** What the session has cost so far. */
  readonly costs?: readonly Money[];
}

/**
 * What features show outside the transcript. The projection does not know these keys: each is a key of the part that its
 * feature exports (`headParts.ts`).
 */
export interface FeatureHead {
  /** The id of the session. Absent while the window has no session. */
  readonly session?: string;
  /** The name of the session's folder. Absent if it is the only one of the workspace. */
  readonly folder?: string;
  /** The agents in the agent picker. */
  readonly agents: readonly ViewAgent[];
  /** The prompts of files and of MCP servers, and the servers. Absent in views of earlier versions and of tests. */
  readonly prompts?: readonly ViewPrompt[];
  readonly mcpServers?: readonly ViewMcpServer[];
  /** The agent's changes that the user has not reviewed. Null if there are none. */
  readonly changes: ViewChanges | null;
  /** The number of comments on lines that are not sent. Absent: there are none. */
  readonly comments?: number;
  readonly sendKey: "enter" | "modEnter";
  /** Whether the editor follows the agent. Paused while the user looks at something else. */
  readonly follow: "off" | "on" | "paused";
  /** The sessions that an empty conversation offers. Absent once it has an entry. */
  readonly recent?: readonly ViewRecentSession[];
  /** The search of all conversations has hits, so F4 goes from one to the next. Absent before the first search. */
  readonly hasSearchHits?: boolean;
  /** Asks before the agent gets a large conversation again. Null: there is no question. Absent in views of tests. */
  readonly resumeQuestion?: ViewResumeQuestion | null;
  /** The user allows all edits of the session. Absent in views of earlier versions and of tests. */
  readonly allowsEdits?: boolean;
  /** The worktree in which the session works. Null: it works in none that Parley has made. Absent in views of tests. */
  readonly worktree?: ViewWorktree | null;
  /** The file with the focus in the editor. Null: there is none, or it is not shared. Absent in views of tests. */
  readonly activeFile?: ViewActiveFile | null;
  /** The new problems of the latest turn, if they can go with the next prompt. Null: none. Absent in views of tests. */
  readonly newProblems?: ViewNewProblems | null;
}

/** Problems that are new since the latest turn began to change files, and that the editor still reports. */
export interface ViewNewProblems {
  readonly count: number;
  /** They go with the next prompt. */
  readonly isSent: boolean;
}

/** The file with the focus in the editor, which can go with each message. */
export interface ViewActiveFile {
  readonly name: string;
  /** Relative to its workspace folder. */
  readonly path: string;
  /** The selected lines, 1-based and inclusive. Absent: nothing is selected. */
  readonly lines?: { readonly from: number; readonly to: number };
  /** The parts that go with each message. */
  readonly sends: Readonly<Record<ActiveFilePart, boolean>>;
}

/** `file`: a link to the file. `selection`: the selected text. */
export type ActiveFilePart = "file" | "selection";

/** A worktree that Parley has made, as the chat and lists show it. */
export interface ViewWorktree {
  /** The branch that is checked out there, or the beginning of the id of its last commit. */
  readonly branch: string;
  /** Absent until git has answered. */
  readonly state?: {
    /** The branch of the main checkout that the commits are compared with, or the beginning of the id of a commit. */
    readonly comparedWith: string;
    /** The numbers of commits that only the worktree has, and that only `comparedWith` has. */
    readonly ahead: number;
    readonly behind: number;
    /** The files and lines that have changed since the base, with those that are not committed. */
    readonly files: number;
    readonly added: number;
    readonly removed: number;
  };
  /** Why git cannot tell, as a sentence. */
  readonly problem?: string;
}

/** Everything outside the transcript. A `head` patch replaces whole keys, so a key that was present stays present. */
export interface ViewHead extends FeatureHead {
  /** The settings no longer have the agent, so the session can only be read and exported. */
  readonly isReadOnly?: boolean;
  readonly title: string;
  /** The agent of this session. Null before one is chosen. */
  readonly agent: ViewAgent | null;
  readonly connection: {
    readonly state: ConnectionState;
    readonly detail?: string;
    /** When Parley began to connect, in ms since the epoch. Absent if it is not connecting. */
    readonly since?: number;
    /** The user's choices that the agent does not have. Prompts wait until the user has decided. */
    readonly refusedChoices?: readonly ViewRefusedChoice[];
  } | null;
  readonly activity: {
    readonly state: ActivityState;
    readonly since: number;
    readonly cancelling: boolean;
    /** The last turn did not end normally. An entry or the banner says how it ended. */
    readonly unfinished?: true;
    /** The agent has not stopped for some seconds, so a restart is offered. */
    readonly stopIgnored?: true;
    /** When the agent reported something last, in ms since the epoch, if that is some seconds ago. */
    readonly silentSince?: number;
    /** The agent reported that it tries again, so it waits for its model. */
    readonly isRetrying?: true;
    /** When the agent began to work outside of a turn, in ms since the epoch. Absent while a turn is running. */
    readonly background?: number;
  };
  /** The id of the entry that is being streamed. An entry is complete as soon as this names another one, or none. */
  readonly live: string | null;
  /** A failure of the whole session, with its next steps. Shown as a banner until it is resolved. */
  readonly problem: ViewBanner | null;
  /** Open questions, oldest first. */
  readonly questions: readonly ViewQuestion[];
  readonly plans: readonly ({ readonly id: string } & ViewPlan)[];
  /** Prompts not yet sent to the agent, or not yet placed in the conversation by it, in order. */
  readonly queue: readonly ViewQueuedPrompt[];
  readonly commands: readonly AgentCommand[];
  readonly options: readonly ViewOption[];
  readonly usage: Omit<Extract<SessionEvent, { type: "usage" }>, "type"> | null;
  /** The tokens of the latest turn. Null until it has ended, and if the agent reports none. */
  readonly turnUsage: TurnUsage | null;
  /** The workspace folder of the agent, for labels. */
  readonly cwd: string;
  /**
   * The content that the agent accepts in prompts besides text and links. Null until it is known. Without `embedded`,
   * files are sent as links.
   */
  readonly accepts: { readonly image: boolean; readonly audio: boolean; readonly embedded: boolean } | null;
}

export interface View {
  readonly head: ViewHead;
  readonly entries: readonly ViewEntry[];
}

/** The closed set of changes between two views. */
export type ViewPatch =
  /** `gone`: the keys that the head no longer has. */
  | { readonly op: "head"; readonly head: Partial<ViewHead>; readonly gone?: readonly (keyof ViewHead)[] }
  /** Appends text to one part of one entry. */
  | {
      readonly op: "append";
      readonly id: string;
      readonly part: number;
      readonly text: string;
      readonly until?: number;
    }
  /** The lines of the file at which diffs of the entry at that index begin, by the indices of their parts. */
  | { readonly op: "place"; readonly at: number; readonly lines: readonly (readonly [part: number, line: number])[] }
  /** Replaces the entry at that index, or adds one at the end. */
  | { readonly op: "put"; readonly at: number; readonly entry: ViewEntry }
  /** Adds entries before all others. It is the first patch, because the indices of the others count these entries. */
  | { readonly op: "prepend"; readonly entries: readonly ViewEntry[] }
  /** Removes every entry from that index on. */
  | { readonly op: "keep"; readonly count: number };

/** An attachment of a prompt, shown as a chip in the composer. */
export interface Attachment extends TypeOf<typeof isAttachment> {}
export type AttachmentSource = Attachment["source"];

/**
 * Where a command moves the focus. `question`: the composer if no question is open. A prompt is the one before or after the
 * focused one, or the middle of the panel.
 */
export type FocusTarget = "composer" | "question" | "find" | "previousPrompt" | "nextPrompt";

/** Messages outside the view: replies to requests of one panel, and effects of commands on it. */
export type PanelMessage =
  | { readonly type: "focus"; readonly target: FocusTarget }
  /** The panel was hidden. When VS Code gives it the focus again, the composer gets it. */
  | { readonly type: "hidden" }
  /** Answers `complete`. `indexing`: more items follow when the workspace has been indexed. */
  | {
      readonly type: "completions";
      readonly request: number;
      readonly items: readonly Completion[];
      readonly indexing?: true;
    }
  /** Answers `preview`. */
  | { readonly type: "preview"; readonly request: number; readonly preview: ItemPreview }
  /** Attachments for the composer: chosen, dropped, pasted, or added by a command. `key`: answers `attachItem`. */
  | { readonly type: "attached"; readonly attachments: readonly Attachment[]; readonly key?: string }
  /** The reason, as a sentence, why an attachment was refused. `key`: answers `attachItem`. */
  | { readonly type: "refused"; readonly reason: string; readonly key?: string }
  /** Answers `find`. `total` counts the hits. `truncated`: there may be more. `problem` is a sentence. */
  | {
      readonly type: "found";
      readonly request: number;
      readonly total: number;
      readonly hits: readonly FindHit[];
      readonly truncated?: true;
      readonly problem?: string;
    }
  /** Opens Find with these words at a hit of the search of all conversations: the `nth` hit in the entry. */
  | ({ readonly type: "findAt"; readonly session: string; readonly entry: string; readonly nth: number } & FindQuery)
  /** A prompt that was not sent, with the reason as a sentence. The composer restores the draft. */
  | {
      readonly type: "unsent";
      readonly text: string;
      readonly attachments: readonly Attachment[];
      readonly reason: string;
    }
  /** Answers `completeArgument`: values for what the user has typed in the field. */
  | ({ readonly type: "argumentValues" } & ArgumentValues)
  /** A form that was not sent, because of these fields. */
  | ({ readonly type: "formHeld"; readonly question: string } & HeldFields)
  /** Asks the panels of this session for the draft. Answered by the intent `draft`. */
  | { readonly type: "readDraft"; readonly request: number; readonly session: string }
  /** The draft of this session was sent elsewhere. The composer empties it, unless the user has changed it since. */
  | { readonly type: "draftUsed"; readonly session: string; readonly text: string }
  /**
   * A draft that the user can edit and send. It comes before what the user has typed, or `below` it. `note`: a sentence that the
   * composer shows with it.
   */
  | {
      readonly type: "draft";
      readonly text: string;
      readonly attachments: readonly Attachment[];
      readonly below?: true;
      readonly note?: string;
    }
  | { readonly type: "sound"; readonly sound: "question" | "turnEnd" | "failure" }
  /** A text for screen readers. VS Code shows it elsewhere. */
  | { readonly type: "say"; readonly text: string };

/** Extension host → panel. A patch applies only to the view of revision `base`. */
export type ViewUpdate =
  | {
      readonly type: "snapshot";
      readonly revision: number;
      readonly view: View;
      /** The number of entries before those of `view`. They follow with the next patch. */
      readonly earlier?: number;
    }
  | { readonly type: "patch"; readonly base: number; readonly revision: number; readonly patches: readonly ViewPatch[] }
  /**
   * Text for the last part of the last entry, leading to revision `base` + 1. Short, because most messages of a stream
   * are of this type.
   */
  | { readonly type: "text"; readonly base: number; readonly text: string };

export type HostMessage = ViewUpdate | PanelMessage;

/** The ways to settle a file whose text is not on disk, or differs between disk and editor. */
export type SettleFileChoice = Extract<Intent, { type: "settleFile" }>["how"];

/** What the user does with a sign-in to an MCP server. */
export type SignInAction = Extract<Intent, { type: "signInToServer" }>["action"];
