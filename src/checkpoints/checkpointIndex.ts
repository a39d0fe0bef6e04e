// The format of the index of a session's checkpoints on disk.
import { relative, sep } from "node:path";

/** A tree of a whole folder, in the private store of trees. */
export interface TreeRecord {
  /** The folder that the tree was taken of. */
  readonly folder: string;
  readonly tree: string;
  /**
   * The paths that the tree lacks because they were too large or are repositories of their own, relative to the folder.
   */
  readonly left: readonly string[];
  /** The paths that the tree lacks because git ignores them, relative to the folder. Folders end with a slash. */
  readonly ignored?: readonly string[];
  /** The tree has all files byte for byte. Absent: git may have converted files that attributes or settings name. */
  readonly exact?: true;
}

/** The known states of a touched file. Texts are stored by their keys. Null: the file did not exist. */
export interface TurnFileRecord {
  /** Before the first touch. Absent: unknown. */
  readonly before?: string | null;
  /** The bytes before, if the text does not determine them. */
  readonly raw?: string;
  /** The text determines the bytes before. */
  readonly plain?: true;
  readonly executable?: true;
  /** The target, if there was a symbolic link. */
  readonly link?: string;
  /** The folders above the file that did not exist either, outermost first. */
  readonly newFolders?: readonly string[];
  /** The text after the last write of a text. Absent: no such write is known. */
  readonly after?: string | null;
  /** What is no text, after a write later than that. The editor can show it as a text. Absent: there was no such write. */
  readonly afterState?: string | null;
  /** The user or another program changed it in the middle of the turn. */
  readonly others?: true;
}

/** A turn, or a restore, and the files that were touched in it. */
export interface TurnRecord {
  readonly id: string;
  readonly kind: "turn" | "restore";
  /** The start time, in ms since the epoch. */
  readonly at: number;
  readonly trees: readonly TreeRecord[];
  readonly files: Readonly<Record<string, TurnFileRecord>>;
  /** The review at the start, by the key of its content. */
  readonly review?: string;
  /** A restore that was undone, or that undid another one. */
  readonly undone?: true;
  /** When a limit removed it, ms since the epoch. It stays for a week. */
  readonly removed?: number;
  /** The user has seen the notice of the removal. */
  readonly seen?: true;
  /** When the user restored it after its removal, ms since the epoch. */
  readonly kept?: number;
}

/** Whether the tree lacks the path, which is relative to its folder, with slashes. */
export const isOmitted = ({ left }: TreeRecord, path: string): boolean => isAmong(left, path);

const isAmong = (paths: readonly string[], path: string): boolean =>
  paths.some(one => (one.endsWith("/") ? path.startsWith(one) : path === one));

/** Whether one of the trees has the file, if it existed. */
export function isInTree(trees: readonly TreeRecord[], path: string): boolean {
  return trees.some(({ folder, left, ignored = [] }) => {
    if (!path.startsWith(`${folder}${sep}`)) return false;
    return !isAmong([...left, ...ignored], relative(folder, path).replaceAll(sep, "/"));
  });
}

const version = 1;

/** Writes the index as text. */
export function serializeIndex(turns: readonly TurnRecord[]): string {
  return JSON.stringify({ version, turns });
}

/** Reads the turns of an index, oldest first. Throws if the text is not an index. */
export function parseIndex(text: string): readonly TurnRecord[] {
  const { version: storedVersion, turns } = JSON.parse(text) as {
    readonly version?: unknown;
    readonly turns?: unknown;
  };
  if (storedVersion !== version || !Array.isArray(turns) || !turns.every(isTurn)) {
    throw new Error("The index of checkpoints has an unknown format.");
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
