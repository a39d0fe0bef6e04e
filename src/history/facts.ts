// What happened to files, as plain JSON: the input of the history of files. Sensors note facts; nothing else is known.
import type { ToolContent } from "../session/events.ts";

/** An edit of a document. Lines and characters are 0-based. */
export interface FactEdit {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
  readonly text: string;
}

/** Who made a change. `meanwhile`: it was made while a turn ran but no tool call, perhaps by the user. */
export type FactAuthor =
  | { readonly kind: "agent"; readonly turn: string }
  | { readonly kind: "user" }
  /** The editor went to an earlier or later text, by undo, redo or revert. */
  | { readonly kind: "editor" }
  | { readonly kind: "meanwhile" | "git" | "others" };

/** Who put a text on disk, as far as others know: git, the user in another window, or neither of them. */
export type FactOrigin = "git" | "elsewhere" | "neither";

/**
 * What the user decided about changes of a file. `restore`: the user restored a checkpoint, or undid a restore.
 * `bringBack`: the user brought changes back from a worktree.
 */
export type FactDecision = "keep" | "undo" | "undoDecision" | "restore" | "bringBack";

/** A fact about one file. Texts are normalized: null if there is no file, absent if the file is no text. */
export type FileFact = { readonly path: string } & (
  | {
      /** A tool call named the file, or reported again. */
      readonly type: "toolNamed";
      readonly session: string;
      readonly toolCallId: string;
      readonly title?: string;
      readonly kind?: string;
      readonly status?: string;
    }
  | {
      /** The current text was read, because a call named the file, a write begins, or the editor opened the file. */
      readonly type: "textSeen";
      readonly text?: string | null;
      /** As in `diskSeen`. Absent: the text is that before the changes of the turn, as far as anybody knows. */
      readonly changedAt?: number;
    }
  /** The agent began to write the file through Parley. */
  | { readonly type: "writeBegan"; readonly turn: string; readonly text: string }
  | { readonly type: "writeEnded"; readonly turn: string }
  | {
      /** The text of an open document changed. */
      readonly type: "documentChanged";
      readonly text: string;
      readonly edits: readonly FactEdit[];
      readonly reason?: "undo" | "redo";
      readonly isDirty: boolean;
      /** A write of the agent has just put this text into the document. */
      readonly isAgents?: true;
    }
  /** The document has unsaved changes since its last change, which VS Code reports as one of a saved document. */
  | { readonly type: "documentDirtied" }
  /** The user saved the document with this text. */
  | { readonly type: "documentSaved"; readonly text: string }
  | {
      /** The file was read from disk. */
      readonly type: "diskSeen";
      readonly text?: string | null;
      /** What stands at the path, or the folder of a file that is gone, was changed then. In ms since the epoch. */
      readonly changedAt?: number;
      /** Git or another window put the text there. Absent: this was not asked. */
      readonly origin?: FactOrigin;
      /** The revision of the record at which the text was asked for. Absent: nobody asked. */
      readonly asked?: number;
      /** What stands at the path, if it is no file. */
      readonly is?: "folder" | "link";
      /** The text was read because a write of the agent in this turn has ended. */
      readonly written?: string;
      /** The text was read because a turn begins, so no agent has put it there in the turn. */
      readonly isBeforeTurn?: true;
    }
  /** Where the path leads, if it is not the path itself, or leads out of the folders under review. */
  | { readonly type: "located"; readonly leadsTo: string; readonly isInside: boolean }
  /** The review of an earlier window has the file, with this text. */
  | { readonly type: "fileRestored"; readonly text: string | null }
  /** When the last change was made, and who put it there, as far as it was asked. See `diskSeen`. */
  | { readonly type: "changeDated"; readonly changedAt?: number; readonly origin?: FactOrigin }
  /** The text of the file at the start of a turn. */
  | { readonly type: "startKnown"; readonly turn: string; readonly text?: string | null }
  /** The comparison of a turn with its start shows that the file is different. `text`: at the start. */
  | { readonly type: "compared"; readonly turn: string; readonly text?: string | null; readonly isGone: boolean }
  /** The user is about to move, delete or create the file or folder, or to move something there. */
  | { readonly type: "userBegan" }
  | { readonly type: "userCreated" }
  | { readonly type: "userDeleted" }
  /** The user moved the file to this path. */
  | { readonly type: "userMoved"; readonly from: string }
  /** A decision of the user is about to give the file this text. */
  | { readonly type: "decisionBegan"; readonly text: string | null }
  /** A decision that began could not change the file. */
  | { readonly type: "decisionFailed" }
  /** `movedFrom`: the decision moved the file back from this path. */
  | { readonly type: "decided"; readonly decision: FactDecision; readonly movedFrom?: string }
  /** A commit contains this text. */
  | { readonly type: "committed"; readonly text: string }
  /** The user allowed the agent to write a file outside the workspace folders. */
  | { readonly type: "allowedOutside" }
  | {
      /** Parley found out who made a change. `text`: the text after it. `movedFrom`: where an agent moved it from. */
      readonly type: "attributed";
      readonly author: FactAuthor;
      readonly text?: string | null;
      readonly edits?: readonly FactEdit[];
      readonly movedFrom?: string;
      /** The evidence, as a sentence for the user. */
      readonly why?: string;
    }
);

/** A fact that concerns many files. */
export type WindowFact =
  | {
      readonly type: "turnBegan";
      readonly turn: string;
      /** The first line of the prompt. */
      readonly title: string;
      readonly session: string;
      readonly sessionTitle: string;
    }
  | { readonly type: "turnEnded"; readonly turn: string }
  /** A window begins. What an earlier one knew is not known, but for what it restores. */
  | { readonly type: "windowBegan" }
  /** A turn of an earlier window is compared with its start now. Times are in ms since the epoch. */
  | {
      readonly type: "turnResumed";
      readonly turn: string;
      readonly session: string;
      readonly began: number;
      readonly ended: number;
    }
  | {
      /** A tool call was reported, or has reported again. */
      readonly type: "toolReported";
      readonly session: string;
      readonly toolCallId: string;
      /** The call of the sub-agent that made this one. */
      readonly parent?: string;
      readonly title?: string;
      readonly kind?: string;
      readonly status?: string;
      /** The files that it names, as the agent gave them. */
      readonly paths?: readonly string[];
      /** The edits that it reports. */
      readonly reported?: readonly ToolContent[];
      /** The edits are more ones. Otherwise they replace those of earlier reports. */
      readonly isPart?: true;
      /** Its title, its input or its command contains the word git. */
      readonly namesGit?: true;
    }
  /** A terminal of the agent runs, or has ended. */
  | {
      readonly type: "terminalChanged";
      readonly session: string;
      readonly terminal: string;
      readonly isRunning: boolean;
      readonly namesGit?: true;
    }
  /** The user has been asked, or has answered. */
  | {
      readonly type: "questionsChanged";
      readonly session: string;
      readonly open: readonly { readonly id: string; readonly toolCallId?: string }[];
    }
  /** The session, or its agent, has ended, so nothing of it runs. */
  | { readonly type: "sessionEnded"; readonly session: string }
  /** HEAD of the repository of a folder moved. `what`: the entry of git's log, such as `pull: Fast-forward`. */
  | { readonly type: "headMoved"; readonly folder: string; readonly what: string }
  /** The folders under review are other ones now. */
  | { readonly type: "foldersReplaced"; readonly folders: readonly string[] };

/** `at`: in ms since the epoch. Paths are absolute, without links. */
export type Fact = { readonly at: number } & (FileFact | WindowFact);

/** Takes in facts, in the order in which they were noticed. */
export interface FactSink {
  note(fact: FileFact | WindowFact): void;
}

/** Ignores facts. */
export const noFacts: FactSink = { note: () => {} };
