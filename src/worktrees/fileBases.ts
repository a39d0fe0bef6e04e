// The content with which the files of a worktree are compared, if that is no longer the commit on which its branch began:
// what was copied into it, and what was brought back. Each worktree has a file of its own, beside its record.
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isNotFoundError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import {
  isAnyOf,
  isBoolean,
  isOneOf,
  isRecordOf,
  isRecordWith,
  isString,
  optional,
  type TypeOf,
} from "../base/validators.ts";
import { isSameState, type FileState } from "../files/fileState.ts";

const isStoredBase = isAnyOf(
  isRecordOf({ kind: isOneOf("missing") }),
  isRecordOf({ kind: isOneOf("link"), target: isString }),
  /** `bytes`: in base64. */
  isRecordOf({ kind: isOneOf("file"), bytes: isString, executable: isBoolean }),
  /** A text that no file had as a whole. */
  isRecordOf({ kind: isOneOf("text"), text: isString, executable: isBoolean }),
  /** A file that is too large to be stored. */
  isRecordOf({ kind: isOneOf("hash"), hash: isString, executable: isBoolean }),
);
type StoredBase = TypeOf<typeof isStoredBase>;

const isStoredBases = isRecordWith({
  commit: isString,
  merged: optional(isRecordOf({ head: isString, as: isString })),
  files: (value: unknown): value is Readonly<Record<string, StoredBase>> =>
    isRecordWith({})(value) && Object.values(value).every(isStoredBase),
});

/**
 * The content of a file that both sides of a merge have in common. `text`: a part of the changes was brought back, so that
 * no file has it. `hash`: only whether another file is the same is known.
 */
export type BaseState =
  | FileState
  | { readonly kind: "text"; readonly text: string; readonly executable: boolean }
  | { readonly kind: "hash"; readonly hash: string; readonly executable: boolean };

/** The bases of a worktree. */
export interface FileBases {
  /** The commit that files without a base of their own are compared with. */
  readonly commit: string;
  /** The last commit of the branch that was merged as one commit (squash), and that commit. */
  readonly merged?: { readonly head: string; readonly as: string };
  /** The bases by path, relative to the top folder, with slashes. */
  readonly files: ReadonlyMap<string, BaseState>;
}

/** Larger files are stored by their hash. Bytes. */
const maxStoredBytes = 8 * 1024 * 1024;

/** Stores the bases of worktrees. */
export class FileBaseStore {
  /** The folder of the records, in which other files can be for a while. */
  readonly folder: string;

  /** `folder`: the folder of the records. */
  constructor(folder: string) {
    this.folder = folder;
  }

  /** Undefined: none were stored. Rejects if they cannot be read, or are damaged. */
  async read(worktree: string): Promise<FileBases | undefined> {
    let stored: unknown;
    try {
      stored = JSON.parse(await readFile(this.#path(worktree), "utf8"));
    } catch (thrown) {
      if (isNotFoundError(thrown)) return undefined;
      throw thrown;
    }
    if (!isStoredBases(stored))
      throw new Error(t("The file with what was brought back is damaged: {0}", this.#path(worktree)));
    const { commit, merged, files } = stored;
    const bases = Object.entries(files).map(([path, base]): [string, BaseState] => [path, fromStored(base)]);
    return { commit, ...(merged !== undefined && { merged }), files: new Map(bases) };
  }

  /** Replaces the bases. Rejects if they cannot be stored. */
  async write(worktree: string, { commit, merged, files }: FileBases): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    const stored = Object.fromEntries([...files].map(([path, base]) => [path, toStored(base)]));
    const path = this.#path(worktree);
    const temporaryFile = `${path}.${process.pid}.tmp`;
    await writeFile(temporaryFile, JSON.stringify({ commit, ...(merged !== undefined && { merged }), files: stored }));
    await rename(temporaryFile, path);
  }

  async remove(worktree: string): Promise<void> {
    await rm(this.#path(worktree), { force: true });
  }

  #path(worktree: string): string {
    return join(this.folder, `${createHash("sha256").update(worktree).digest("hex").slice(0, 32)}.bases.json`);
  }
}

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Whether a file is exactly its base. */
export function isBase(base: BaseState, state: FileState): boolean {
  if (base.kind === "text") return false;
  if (base.kind !== "hash") return isSameState(base, state);
  return state.kind === "file" && state.executable === base.executable && hashOf(state.bytes) === base.hash;
}

function toStored(base: BaseState): StoredBase {
  if (base.kind === "missing") return { kind: "missing" };
  if (base.kind !== "file") return base;
  const { bytes, executable } = base;
  return bytes.length > maxStoredBytes
    ? { kind: "hash", hash: hashOf(bytes), executable }
    : { kind: "file", bytes: Buffer.from(bytes).toString("base64"), executable };
}

const fromStored = (base: StoredBase): BaseState =>
  base.kind === "file" ? { kind: "file", bytes: Buffer.from(base.bytes, "base64"), executable: base.executable } : base;
