// What happened to files, as plain JSON: the input of the history of files. Sensors note facts; nothing else is known.

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

/** What the user decided about changes of a file. `restore`: the user restored a checkpoint, or undid a restore. */
export type FactDecision = "keep" | "undo" | "undoDecision" | "restore";

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
    }
  /** The file was read from disk. */
  | { readonly type: "diskSeen"; readonly text?: string | null }
  /** The text of the file at the start of a turn. */
  | { readonly type: "startKnown"; readonly turn: string; readonly text?: string | null }
  | { readonly type: "userCreated" }
  | { readonly type: "userDeleted" }
  /** The user moved the file to this path. */
  | { readonly type: "userMoved"; readonly from: string }
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
