// What the extension host tells a chat panel: the view, its patches, and messages to one panel.
// Shared with webview-ui; everything here is plain JSON.
import type { Problem } from "../base/errors.ts";
import type { AttachmentKind, MentionKind } from "./mentionKinds.ts";
import type {
  ActivityState,
  AgentCommand,
  QuestionOption,
  MessageAuthor,
  ConnectionState,
  ExitStatus,
  FileNote,
  FileOperation,
  PlanEntry,
  SessionOption,
  StopReason,
} from "../session/events.ts";

/** A piece of an entry's body. `cut` counts characters left out for size. `forAgent`: the user is not meant to read it. */
export type ViewPart = BarePart & { readonly forAgent?: true };
type BarePart =
  | { readonly type: "text"; readonly text: string; readonly cut?: number }
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

/** Bytes of an image or another file. What the panel cannot show stays with the host, and only `bytes` tells its size. */
export interface ViewMedia {
  /** Base64. */
  readonly data?: string;
  readonly bytes?: number;
  /** Pixels of an image, where its header tells. */
  readonly width?: number;
  readonly height?: number;
}

/** Columns of a line, from and to, in UTF-16 units: in order, never touching. */
export type ColumnRanges = readonly (readonly [from: number, to: number])[];

/** A line of a unified diff, without its end. */
export interface DiffLine {
  readonly op: "same" | "add" | "del";
  readonly text: string;
  /** What changed within the line, where the line is known to be another one's new or old self. */
  readonly marks?: ColumnRanges;
  /** Characters left out at its end. */
  readonly cut?: number;
  /** The file ends here, without a line end. */
  readonly noEnd?: true;
}

/** Start lines are 1-based: of the hunk's first line, or where it would stand. */
export interface DiffHunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: readonly DiffLine[];
}

/** What changes in one file. */
export interface DiffBody {
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly DiffHunk[];
  /** There are no hunks yet; or there never will be, because the texts are too large to compare here. */
  readonly state?: "computing" | "tooLarge";
  /** Lines of hunks left out at the end. */
  readonly more?: number;
  /** Lines that stay otherwise change how they end: to this. */
  readonly lineEnds?: "lf" | "crlf" | "mixed";
}

/** A file of a patch. */
export interface ChangedFile {
  readonly operation: string;
  readonly path: string;
  readonly label: string;
  /** Where it was before, as a label. */
  readonly from?: string;
  readonly diff?: DiffBody;
  readonly binary?: true;
  /** The file's mode before and after, as git writes it. */
  readonly mode?: readonly [before: string, after: string];
}

/** What a tool card holds besides {@link ViewPart}s. */
export type ToolPart =
  | ViewPart
  | ({
      readonly type: "diff";
      readonly path: string;
      /** The path as people read it: relative to the session's folder where it lies inside. */
      readonly label: string;
      readonly operation: FileOperation;
    } & DiffBody)
  | {
      readonly type: "files";
      readonly files: readonly ChangedFile[];
      /** The patch as it came, where it does not show in the files; `cut` counts characters left out of it. */
      readonly patch?: string;
      readonly cut?: number;
    }
  | {
      readonly type: "terminal";
      readonly terminalId: string;
      readonly command?: string;
      readonly cwd?: string;
      /** What the terminal printed, escape codes and all. */
      readonly text: string;
      readonly exit?: ExitStatus;
      readonly truncated: boolean;
      /** It runs here and can be ended. */
      readonly canKill?: true;
    }
  /** Raw input or output, pretty JSON. */
  | { readonly type: "json"; readonly label: "Input" | "Output"; readonly text: string; readonly cut?: number };

/** What a tool card shows as its state. `waiting`: a question about it is open. */
export type ViewToolStatus = "pending" | "waiting" | "running" | "done" | "failed" | "cancelled";

export interface ViewMessage {
  readonly id: string;
  readonly kind: MessageAuthor;
  /** The tool card it stands in, which is further up: a sub-agent said it. */
  readonly parent?: string;
  readonly parts: readonly ViewPart[];
  /** Of a prompt: its turn's beginning can be gone back to. */
  readonly checkpoint?: true;
  /** First and latest content, ms since the epoch. */
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
  /** When it ended, ms since the epoch. */
  readonly ended?: number;
  /** The tool card it stands in, which is further up: a sub-agent made the call. */
  readonly parent?: string;
  readonly locations: readonly { readonly path: string; readonly label: string; readonly line?: number }[];
  readonly parts: readonly ToolPart[];
  /** Answers that were given by rules, in words. */
  readonly decisions?: readonly string[];
  readonly files?: readonly ViewNotedFile[];
}

/** A file that needs the user: its text is only in the editor, or disk and editor differ. */
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
  /** It tells what a rule decided. */
  readonly byRule?: true;
  readonly files?: readonly ViewNotedFile[];
  readonly at: number;
}

export interface ViewCompaction {
  readonly id: string;
  readonly kind: "compaction";
  readonly status: string;
  readonly parts: readonly ViewPart[];
  readonly error?: string;
  readonly at: number;
}

/** A failure at its place in the conversation: a refused prompt, a turn that ended in an error, a lost agent. */
export interface ViewProblem {
  readonly id: string;
  readonly kind: "problem";
  readonly problem: Problem;
  readonly at: number;
}

/** How a turn ended, where that is worth a word (not for `end_turn`). */
export interface ViewTurnEnd {
  readonly id: string;
  readonly kind: "turnEnd";
  readonly stopReason: StopReason;
  readonly at: number;
}

/** `id` is stable for the life of the session: a panel may remember things by it. */
export type ViewEntry = ViewMessage | ViewTool | ViewNotice | ViewCompaction | ViewProblem | ViewTurnEnd;

/** An open question, with all that is needed to decide it. */
export interface ViewQuestion {
  readonly id: string;
  readonly title: string;
  /** The entry id of the tool card it is about, where there is one. */
  readonly entry?: string;
  readonly toolKind?: string;
  /** The exact command line and its folder, for commands. */
  readonly command?: string;
  readonly cwd?: string;
  readonly parts: readonly ToolPart[];
  readonly locations: ViewTool["locations"];
  readonly options: readonly QuestionOption[];
  /** Why the user is asked although there are rules. */
  readonly reason?: string;
  /** A rule can be made of the answer. */
  readonly always?: true;
  /** Environment variables the command gets, with secret values masked. */
  readonly env?: readonly { readonly name: string; readonly value: string }[];
}

/** A prompt on its way to the agent. */
export interface ViewQueuedPrompt {
  readonly id: string;
  readonly text: string;
  /** What goes with its words, by name. */
  readonly attachments?: readonly string[];
  /** The agent has got it: it cannot be changed any more. */
  readonly sent: boolean;
}

export interface ViewAgent {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
}

/** All that is not in the transcript. A `head` patch replaces whole keys, so a key that was present stays present. */
export interface ViewHead {
  /** The id of the session. Absent while the window has no session. */
  readonly session?: string;
  readonly title: string;
  /** The agent of this session; null before one was chosen. */
  readonly agent: ViewAgent | null;
  /** What the agent picker offers. */
  readonly agents: readonly ViewAgent[];
  readonly connection: { readonly state: ConnectionState; readonly detail?: string } | null;
  readonly activity: { readonly state: ActivityState; readonly since: number; readonly cancelling: boolean };
  /** The entry that is being streamed into, by id. It is settled once this names another, or nothing. */
  readonly live: string | null;
  /** A failure of the whole session, with its next steps: shown as a banner until it is resolved. */
  readonly problem: Problem | null;
  /** Open questions, oldest first. */
  readonly asks: readonly ViewQuestion[];
  readonly plans: readonly { readonly id: string; readonly entries: readonly PlanEntry[] }[];
  /** Prompts written but not yet sent to the agent or not yet placed by it, in order. */
  readonly queue: readonly ViewQueuedPrompt[];
  readonly commands: readonly AgentCommand[];
  readonly options: readonly SessionOption[];
  readonly usage: {
    readonly used: number;
    readonly size: number;
    readonly cost?: { readonly amount: number; readonly currency: string };
  } | null;
  /** What the agent changed and the user has not reviewed; null where there is nothing to review. */
  readonly changes: ViewChanges | null;
  /** The folder the agent works in, for labels. */
  readonly cwd: string;
  /** What the agent takes in prompts beside text and links; null until it has said so. Files are links where not embedded. */
  readonly accepts: { readonly image: boolean; readonly audio: boolean; readonly embedded: boolean } | null;
  readonly sendKey: "enter" | "modEnter";
  /** Whether the editor goes where the agent is; paused while the user looks at something else. */
  readonly follow: "off" | "on" | "paused";
}

export interface View {
  readonly head: ViewHead;
  readonly entries: readonly ViewEntry[];
}

/** The closed set of changes between two views. */
export type ViewPatch =
  | { readonly op: "head"; readonly head: Partial<ViewHead> }
  /** Text added to the end of one part of one entry. */
  | {
      readonly op: "append";
      readonly id: string;
      readonly part: number;
      readonly text: string;
      readonly until?: number;
    }
  /** Replaces the entry at that index, or adds one at the end. */
  | { readonly op: "put"; readonly at: number; readonly entry: ViewEntry }
  /** Adds entries before all others. Comes first: the indices of others count them. */
  | { readonly op: "prepend"; readonly entries: readonly ViewEntry[] }
  /** Drops every entry from that index on. */
  | { readonly op: "keep"; readonly count: number };

/** What the composer offers after `@`. */
export interface Completion {
  /** Names it to the host, in the answer to the same request. */
  readonly key: string;
  readonly kind: MentionKind;
  readonly label: string;
  /** Where it is, or what it holds. */
  readonly detail?: string;
  /** Offsets in `label` that the query matches, in UTF-16 units. */
  readonly matches?: readonly number[];
}

/** What goes with a prompt besides its text, as a chip of the composer. */
export interface Attachment {
  /** Unique within a draft. */
  readonly id: string;
  readonly kind: AttachmentKind;
  readonly label: string;
  readonly detail?: string;
  /** Size of what the agent gets, where that is known before it is sent. */
  readonly bytes?: number;
  readonly source: AttachmentSource;
}

export type AttachmentSource =
  /** A file or folder, read when the prompt is sent. Lines are 1-based, and both are included. */
  | { readonly type: "path"; readonly path: string; readonly line?: number; readonly endLine?: number }
  /** Captured when it was attached. */
  | { readonly type: "text"; readonly text: string; readonly uri?: string; readonly mimeType?: string }
  /** `data` is base64. */
  | { readonly type: "data"; readonly mimeType: string; readonly data: string };

/** What to look for in the conversation. */
export interface FindQuery {
  readonly query: string;
  readonly matchCase: boolean;
  readonly wholeWord: boolean;
  /** The query is a regular expression. */
  readonly regex: boolean;
}

/** One place where a query was found. */
export interface FindHit {
  readonly entry: string;
  /** The index of the part it is in; absent where it stands in the entry's frame: title, places, notes. */
  readonly part?: number;
  /** How often the same text stands before it in the same part or frame, as it is painted. */
  readonly nth: number;
  /** What was found, in its own letters; cut if very long. */
  readonly text: string;
}

/** Messages that are no part of the view: answers to what one panel asked, and what a command wants of it. */
export type PanelMessage =
  | { readonly type: "focus"; readonly target: "composer" | "ask" | "find" }
  /** Answers `complete`. `indexing`: more will be found once the workspace has been walked. */
  | {
      readonly type: "completions";
      readonly request: number;
      readonly items: readonly Completion[];
      readonly indexing?: true;
    }
  /** Chips for the composer: what was chosen, dropped, pasted or added by a command. */
  | { readonly type: "attached"; readonly attachments: readonly Attachment[] }
  /** Something could not be attached; a sentence. */
  | { readonly type: "refused"; readonly reason: string }
  /** Answers `find`. `total` counts the hits; `truncated`: there may be more. `problem` is a sentence. */
  | {
      readonly type: "found";
      readonly request: number;
      readonly total: number;
      readonly hits: readonly FindHit[];
      readonly truncated?: true;
      readonly problem?: string;
    }
  /** A prompt did not go out, for the reason in the sentence: its draft is to be restored. */
  | {
      readonly type: "unsent";
      readonly text: string;
      readonly attachments: readonly Attachment[];
      readonly reason: string;
    }
  /** A message to begin with, to be changed and sent by the user. */
  | { readonly type: "draft"; readonly text: string; readonly attachments: readonly Attachment[] }
  | { readonly type: "sound"; readonly sound: "question" | "turnEnd" }
  /** To be heard by screen readers; the editor shows it somewhere else. */
  | { readonly type: "say"; readonly text: string };

/** Extension host → panel. A patch applies only to the view of revision `base`. */
export type ViewUpdate =
  | {
      readonly type: "snapshot";
      readonly revision: number;
      readonly view: View;
      /** So many entries stand before those of `view`: they come with the next patch. */
      readonly earlier?: number;
    }
  | { readonly type: "patch"; readonly base: number; readonly revision: number; readonly patches: readonly ViewPatch[] }
  /** More text for the last part of the last entry, leading to revision `base` + 1: most messages of a stream, kept short. */
  | { readonly type: "text"; readonly base: number; readonly text: string };

export type HostMessage = ViewUpdate | PanelMessage;

/** What to do about a file whose text is not on disk, or differs there from the editor's. */
export type SettleFileChoice = "save" | "compare" | "take" | "keep";

/** Files with changes to review, and the lines of all of them. */
export interface ViewChanges {
  readonly files: readonly {
    readonly path: string;
    readonly label: string;
    readonly added: number;
    readonly removed: number;
    /** Why there is nothing to undo, as a sentence. */
    readonly unknown?: string;
  }[];
  readonly added: number;
  readonly removed: number;
}
