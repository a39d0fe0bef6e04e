// The index of a session's checkpoints, as it stands on disk.

/** A tree of everything in a folder, in the private store of trees. */
export interface TreeRecord {
  /** The folder that the tree was taken of. */
  readonly folder: string;
  readonly tree: string;
  /** Paths that the tree lacks because they were too large or repositories of their own, relative to the folder. */
  readonly left: readonly string[];
}

/** What is known of a file that was touched. Texts by their names in the store; null: there was no such file. */
export interface FileRecord {
  /** Before the first touch. Absent: not known. */
  readonly before?: string | null;
  /** The bytes before, where the text does not tell them. */
  readonly raw?: string;
  /** After the last write. Absent: no write is known. */
  readonly after?: string | null;
  /** Somebody else changed it in the middle of the turn. */
  readonly others?: true;
}

/** A turn, or a restore, and the files that were touched in it. */
export interface TurnRecord {
  readonly id: string;
  readonly kind: "turn" | "restore";
  /** When it began, ms since the epoch. */
  readonly at: number;
  readonly trees: readonly TreeRecord[];
  readonly files: Readonly<Record<string, FileRecord>>;
  /** A restore that was undone, or that undid one. */
  readonly undone?: true;
}

const version = 1;

/** The index as text. */
export function serializeIndex(turns: readonly TurnRecord[]): string {
  return JSON.stringify({ version, turns });
}

/** The turns of an index, the oldest first. Throws for what is none. */
export function parseIndex(text: string): readonly TurnRecord[] {
  const { version: storedVersion, turns } = JSON.parse(text) as {
    readonly version?: unknown;
    readonly turns?: unknown;
  };
  if (storedVersion !== version || !Array.isArray(turns) || !turns.every(isTurn)) {
    throw new Error("The index of checkpoints is not in a form that is known.");
  }
  return turns;
}

function isTurn(value: unknown): value is TurnRecord {
  const turn = value as Partial<TurnRecord> | null;
  return (
    typeof turn?.id === "string" &&
    (turn.kind === "turn" || turn.kind === "restore") &&
    typeof turn.at === "number" &&
    Array.isArray(turn.trees) &&
    typeof turn.files === "object" &&
    turn.files !== null
  );
}
