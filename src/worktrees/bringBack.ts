// Finds what the files of a worktree have that those of its main checkout lack, and the steps that bring it back. Nothing is
// written to the main checkout here.
import { join } from "node:path";
import { forEachLimited } from "../base/async.ts";
import { t } from "../base/l10n.ts";
import { quotePath } from "../base/text.ts";
import type { FileState } from "../files/fileState.ts";
import { mergeHunks } from "../files/mergeHunks.ts";
import type { FileTextStep } from "../files/ports.ts";
import { stateAtPath } from "../files/standing.ts";
import type { Git } from "../git/gitProgram.ts";
import { commitNamed } from "../git/gitWorktrees.ts";
import {
  checkedOutBytes,
  committedFiles,
  isAncestor,
  mergeBase,
  differingFiles,
  type CommittedFile,
  type DifferingFile,
} from "../git/differingFiles.ts";
import type { BaseState, FileBases } from "./fileBases.ts";
import {
  baseOfKept,
  hasConflict,
  planFile,
  type BaseSide,
  type FilePlan,
  type FileSide,
  type LocalSide,
} from "./planFile.ts";
import { checkRepository, type WorktreeRecord, type WorktreeRecords } from "./worktreeRecords.ts";

/** The texts of files as the editor reads and writes them. */
export interface MergedTexts {
  /** The text of the bytes of a file, with "\n" line endings. Undefined: they are no text. */
  textOf(bytes: Uint8Array, path: string): Promise<string | undefined>;
  /** The state of a file with another text, in its encoding and with its line endings. Undefined: it is no text. */
  withText(path: string, state: FileState, text: string): Promise<FileState | undefined>;
  /** The unsaved text of the file, with "\n" line endings. Undefined: it has none. */
  unsavedText(path: string): string | undefined;
}

export interface BringBackOptions {
  readonly git: Git;
  readonly records: WorktreeRecords;
  readonly texts: MergedTexts;
  readonly signal?: AbortSignal;
}

/** What changed in a file of a worktree. */
export type ChangeKind = "changed" | "new" | "deleted" | "moved" | "binary" | "link" | "mode";

/** A file of a worktree that can be brought back. Paths are relative to the top folders, with slashes. */
export interface BringBackEntry {
  readonly path: string;
  /** Where the file was before the worktree moved it. */
  readonly from?: string;
  readonly kind: ChangeKind;
  readonly plan: FilePlan;
  /** The local file, at `from` if it was moved. */
  readonly local: LocalSide;
  readonly base: BaseSide;
  readonly theirs: FileSide;
}

/** What a worktree has for its main checkout. */
export interface BringBackList {
  readonly entries: readonly BringBackEntry[];
  /** Submodules, other repositories and files that are too large, which stay in the worktree. */
  readonly left: readonly string[];
  readonly bases: FileBases;
}

/** Files that are read at the same time. */
const maxConcurrentFiles = 8;

/** The steps of an entry, and the bases of its files when they are applied. */
export interface EntrySteps {
  readonly steps: readonly FileTextStep[];
  readonly bases: ReadonlyMap<string, BaseState>;
}

/** Lists what can be brought back, by path. Rejects with a GitError, and when the signal aborts. */
export async function listBringBack(record: WorktreeRecord, options: BringBackOptions): Promise<BringBackList> {
  const { git, records, signal } = options;
  const bases = await currentBases(record, options);
  const changes = await differingFiles(
    git,
    record.path,
    { commit: bases.commit, scratch: records.bases.folder },
    signal,
  );
  const reader = new SideReader(record, bases, options);
  const entries: BringBackEntry[] = [];
  const left: string[] = [];
  const listed = new Set<string>();
  const known: DifferingFile[] = [];
  for (const change of changes) {
    const { path, from, committed } = change;
    listed.add(path);
    if (change.isRepository) left.push(path);
    else if (from === undefined) known.push(change);
    else {
      listed.add(from);
      // What was brought back of a move is no move any more.
      if (!bases.files.has(path) && !bases.files.has(from)) known.push(change);
      else
        known.push({ path, committed: undefined, isRepository: false }, { path: from, committed, isRepository: false });
    }
  }
  // The commit has what these have again, but what was brought back differs.
  const others = [...bases.files.keys()].filter(path => !listed.has(path));
  known.push(...others.map(path => ({ path, committed: undefined, isRepository: false })));
  await forEachLimited(known, maxConcurrentFiles, async change => {
    signal?.throwIfAborted();
    const entry = await reader.entryOf(change);
    if (entry === "tooLarge") left.push(change.path);
    else if (entry) entries.push(entry);
  });
  const byPath = (a: string, b: string): number => (a < b ? -1 : 1);
  return { entries: entries.sort((a, b) => byPath(a.path, b.path)), left: left.sort(byPath), bases };
}

/** Whether the entry changes something in the main checkout, or conflicts. */
export const isOpen = ({ plan }: BringBackEntry): boolean => plan.after !== undefined || hasConflict(plan);

/**
 * The bases of the files of an entry once the user keeps the local version of what conflicts. Empty: nothing conflicts. A file
 * that the worktree moved stays where it is as a whole.
 */
export function basesOfKept(entry: BringBackEntry): ReadonlyMap<string, BaseState> {
  const { path, from, plan, theirs } = entry;
  if (!hasConflict(plan)) return new Map();
  if (from === undefined) return new Map([[path, baseOfKept(entry) ?? theirs.state]]);
  return new Map<string, BaseState>([
    [path, theirs.state],
    [from, { kind: "missing" }],
  ]);
}

/**
 * The steps that bring an entry back. `isChosen`: whether a hunk of its text is wanted. A whole conflict has no steps, and
 * changes no base.
 */
export async function stepsOf(
  record: WorktreeRecord,
  entry: BringBackEntry,
  texts: MergedTexts,
  isChosen?: (hunk: number) => boolean,
): Promise<EntrySteps> {
  const { path, from, local, base, theirs } = entry;
  const plan = isChosen ? planFile({ base, local, theirs }, isChosen) : entry.plan;
  if (!plan || plan.conflict !== undefined) return { steps: [], bases: new Map() };
  const bases = new Map<string, BaseState>([[path, plan.base]]);
  const at = join(record.origin, from ?? path);
  const after = plan.after && (await resultOf(at, local, plan.after, texts));
  const before = local.text;
  if (from === undefined) {
    const step = after && { path: at, before, after: after.text, ...(after.state && { state: after.state }) };
    return { steps: step ? [step] : [], bases };
  }
  bases.set(from, { kind: "missing" });
  const moved = after?.text ?? local.text;
  const state = after?.state ?? (await movedState(at, local, moved, texts));
  const to = join(record.origin, path);
  return {
    steps: [
      // A file that is no text is removed by its state.
      { path: at, before, after: null, ...(before === undefined && { state: { kind: "missing" } as const }) },
      { path: to, before: null, after: moved, state },
    ],
    bases,
  };
}

/** The result with its exact state, if the text alone does not determine it. */
async function resultOf(
  path: string,
  local: LocalSide,
  { text, state, executable }: NonNullable<FilePlan["after"]>,
  texts: MergedTexts,
): Promise<{ readonly text: string | null | undefined; readonly state?: FileState }> {
  if (state || executable === undefined || typeof text !== "string") return { text, ...(state && { state }) };
  const written = await texts.withText(path, local.state, text);
  return { text, ...(written?.kind === "file" && { state: { ...written, executable } }) };
}

/** The state of a local file at its new path, with the merged text. */
async function movedState(
  path: string,
  { state, text }: LocalSide,
  merged: string | null | undefined,
  texts: MergedTexts,
): Promise<FileState> {
  if (typeof merged !== "string" || merged === text) return state;
  const written = await texts.withText(path, state, merged);
  if (!written) throw new Error(t("{0} could not be written in its encoding.", quotePath(path)));
  return written;
}

/** The bases after entries were brought back. */
export const withBases = (bases: FileBases, changed: ReadonlyMap<string, BaseState>): FileBases => ({
  ...bases,
  files: new Map([...bases.files, ...changed]),
});

/** Stores the bases of the worktree, after its branch or files of it changed. */
export async function keepBases(record: WorktreeRecord, bases: FileBases, records: WorktreeRecords): Promise<void> {
  await records.bases.write(record.path, bases);
  const now = records.of(record.path) ?? record;
  if (now.base !== bases.commit) await records.write({ ...now, base: bases.commit });
}

/**
 * The bases of the worktree now. If its branch got later commits of the main checkout, they are what both sides have in
 * common, and the bases of files move with them.
 */
export async function currentBases(record: WorktreeRecord, options: BringBackOptions): Promise<FileBases> {
  const { git, records, signal } = options;
  await checkRepository(git, record);
  const stored = await records.bases.read(record.path);
  const bases = stored ?? { commit: record.base, files: new Map() };
  const [local, own] = [await commitNamed(git, record.origin, "HEAD"), await commitNamed(git, record.path, "HEAD")];
  const common = local && own && (await mergeBase(git, record.origin, local, own));
  // The base has everything of the main checkout that the branch has.
  if (!common || (await isAncestor(git, record.origin, common, bases.commit))) return bases;
  const paths = [...bases.files.keys()];
  const [before, after] = await Promise.all([
    committedFiles(git, record.path, bases.commit, paths, signal),
    committedFiles(git, record.path, common, paths, signal),
  ]);
  const reader = new SideReader(record, bases, options);
  const files = new Map<string, BaseState>();
  for (const [path, base] of bases.files) {
    const [old, now] = [before.get(path), after.get(path)];
    if (old?.object === now?.object && old?.mode === now?.mode) files.set(path, base);
    else {
      const moved = await movedBase(reader, path, base, old, now);
      if (moved) files.set(path, moved);
    }
  }
  return { ...bases, commit: common, files };
}

/** A base with the changes between two commits. Undefined: it is what the later commit has. */
async function movedBase(
  reader: SideReader,
  path: string,
  base: BaseState,
  old: CommittedFile | undefined,
  now: CommittedFile | undefined,
): Promise<BaseState | undefined> {
  const [own, before, after] = await Promise.all([
    reader.textOf(path, base),
    reader.committed(path, old),
    reader.committed(path, now),
  ]);
  if (typeof own !== "string" || typeof before.text !== "string" || typeof after.text !== "string") return undefined;
  const merged = mergeHunks(before.text, own, after.text);
  const executable = "executable" in after.state ? after.state.executable : false;
  return merged.conflicts.length > 0 ? undefined : { kind: "text", text: merged.text, executable };
}

/** Reads the sides of files. */
class SideReader {
  readonly #record: WorktreeRecord;
  readonly #bases: FileBases;
  readonly #options: BringBackOptions;

  constructor(record: WorktreeRecord, bases: FileBases, options: BringBackOptions) {
    this.#record = record;
    this.#bases = bases;
    this.#options = options;
  }

  /** Undefined: the worktree has not changed the file since it was brought back. */
  async entryOf({ path, from, committed }: DifferingFile): Promise<BringBackEntry | "tooLarge" | undefined> {
    const { origin } = this.#record;
    const localPath = from ?? path;
    const [base, theirs, local] = await Promise.all([
      this.#base(localPath, committed),
      this.#theirs(path),
      this.#local(localPath),
    ]);
    if (!theirs || !local) return "tooLarge";
    if (from === undefined) {
      const plan = planFile({ base, local, theirs });
      return plan && { path, kind: kindOf(base, theirs), plan, base, local, theirs };
    }
    const target = await stateAtPath(join(origin, path), [origin]);
    const plan = movePlan({ base, local, theirs }, target?.kind === "missing");
    return { path, from, kind: "moved", plan, base, local, theirs };
  }

  /** What a commit has. */
  async committed(path: string, file: CommittedFile | undefined): Promise<FileSide> {
    if (!file) return { state: { kind: "missing" }, text: null };
    const { git, signal } = this.#options;
    const bytes = await checkedOutBytes(git, this.#record.path, file, path, signal);
    const state: FileState =
      file.mode === "120000"
        ? { kind: "link", target: Buffer.from(bytes).toString() }
        : { kind: "file", bytes, executable: file.mode === "100755" };
    return { state, text: await this.textOf(path, state) };
  }

  async textOf(path: string, base: BaseState): Promise<string | null | undefined> {
    if (base.kind === "missing") return null;
    if (base.kind === "text") return base.text;
    if (base.kind !== "file") return undefined;
    return this.#options.texts.textOf(base.bytes, join(this.#record.origin, path));
  }

  async #base(path: string, committed: CommittedFile | undefined): Promise<BaseSide> {
    const own = this.#bases.files.get(path);
    return own ? { state: own, text: await this.textOf(path, own) } : this.committed(path, committed);
  }

  async #theirs(path: string): Promise<FileSide | undefined> {
    const state = await stateAtPath(join(this.#record.path, path), [this.#record.path]);
    return state && { state, text: await this.textOf(path, state) };
  }

  async #local(path: string): Promise<LocalSide | undefined> {
    const { origin } = this.#record;
    const unsaved = this.#options.texts.unsavedText(join(origin, path));
    const state = await stateAtPath(join(origin, path), [origin]);
    if (!state) return undefined;
    if (unsaved !== undefined) return { state, text: unsaved, isUnsaved: true };
    return { state, text: await this.textOf(path, state), isUnsaved: false };
  }
}

/** A move is one entry: the content is merged, and the file goes to its new path. */
function movePlan(
  sides: { readonly base: BaseSide; readonly local: LocalSide; readonly theirs: FileSide },
  isFree: boolean,
): FilePlan {
  const { base, local, theirs } = sides;
  const unchanged = { base: theirs.state, places: [], added: 0, removed: 0 };
  const plan = planFile(sides) ?? { ...unchanged, after: { text: local.text } };
  const conflict = !isFree
    ? ("taken" as const)
    : local.isUnsaved
      ? ("unsaved" as const)
      : local.state.kind === "missing"
        ? ("deletedHere" as const)
        : plan.conflict;
  if (conflict === undefined) return { ...plan, after: plan.after ?? { text: local.text } };
  return { ...unchanged, base: base.state, conflict };
}

function kindOf(base: BaseSide, theirs: FileSide): ChangeKind {
  const states = [base.state, theirs.state];
  if (states.some(({ kind }) => kind === "link")) return "link";
  if (base.text === undefined || theirs.text === undefined) return "binary";
  if (theirs.text === null) return "deleted";
  if (base.text === null) return "new";
  return base.text === theirs.text ? "mode" : "changed";
}
