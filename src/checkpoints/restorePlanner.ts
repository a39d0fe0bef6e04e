// What a restore would change: compares what the records and trees of turns know with the files as they are now.
import { forEachLimited } from "../base/async.ts";
import { asError, Refusal } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { decodeUtf8, normalizeText } from "../base/text.ts";
import { isSameState, type FileState } from "../files/fileState.ts";
import type { TurnFileRecord, TurnRecord } from "./checkpointIndex.ts";
import type { CheckpointTrees } from "./checkpointTrees.ts";
import { isUntouched, stateKey, textKey, wasChangedBetween } from "./fileHistory.ts";

/** A file that a restore would change. Undefined texts are those of files that are no text. */
export interface FileRestore {
  readonly path: string;
  /** The text after the restore. Null: the file would be deleted. */
  readonly to: string | null | undefined;
  /** The exact state after the restore, if it is known. */
  readonly state?: FileState;
  /** The current text, including unsaved changes. Null: the file does not exist. */
  readonly now: string | null | undefined;
  /** The user or another program changed the file since, so it is kept unless the user selects it. */
  readonly changedSince: boolean;
}

/** What happened to the files before the conversation continues from an earlier message. */
export type FilesOfBranch = "kept" | "restored" | "cancelled";

/** The effects of restoring a checkpoint. */
export interface RestorePlan {
  /** The turn or the restore whose start is restored. */
  readonly checkpoint: string;
  readonly files: readonly FileRestore[];
  /** Changed files whose earlier content is unknown. */
  readonly unknown: readonly string[];
  /** The number of further files that differ, and that no agent is known to have touched. */
  readonly more: number;
}

/** Reads the text of a file as the user sees it. Null: the file does not exist. Rejects if the file is not a text. */
export type ReadCurrentText = (path: string) => Promise<string | null>;

/** Reads the files as they are now. */
export interface CurrentFiles {
  readonly text: ReadCurrentText;
  /** The exact state on disk. Absent: only texts are compared. */
  readonly state?: (path: string) => Promise<FileState | undefined>;
}

/** How many files are compared at the same time. */
const maxConcurrentFiles = 16;

/** The maximum number of changes without a known author in a plan. */
const maxOtherFiles = 200;

export interface RestorePlannerOptions {
  readonly trees?: CheckpointTrees;
  /** The stored bytes with this key. */
  readonly content: (key: string) => Promise<Uint8Array | undefined>;
  readonly log: Log;
}

interface FoundFile {
  readonly text: string | null | undefined;
  readonly state?: FileState;
}

export class RestorePlanner {
  readonly #options: RestorePlannerOptions;

  constructor(options: RestorePlannerOptions) {
    this.#options = options;
  }

  /** The changes that bring back the start of the first of the records, oldest first. */
  async plan(records: readonly TurnRecord[], now: CurrentFiles, signal: AbortSignal): Promise<RestorePlan> {
    const known = await this.#touchedFiles(records, now);
    const others = await this.#otherFiles(records, now, signal);
    return {
      checkpoint: records[0]?.id ?? "",
      files: [...known.files, ...others.files].sort(byPath),
      unknown: [...known.unknown, ...others.unknown].sort(),
      more: others.more,
    };
  }

  /** The changes that bring back the files of one record. */
  async planRecord(record: TurnRecord, now: CurrentFiles): Promise<RestorePlan> {
    const { files, unknown } = await this.#touchedFiles([record], now);
    return { checkpoint: record.id, files: [...files].sort(byPath), unknown, more: 0 };
  }

  async #touchedFiles(
    records: readonly TurnRecord[],
    now: CurrentFiles,
  ): Promise<Pick<RestorePlan, "files" | "unknown">> {
    const paths = new Set(records.flatMap(record => Object.keys(record.files)));
    const files: FileRestore[] = [];
    const unknown: string[] = [];
    await forEachLimited([...paths], maxConcurrentFiles, async path => {
      const history = records.flatMap(record => record.files[path] ?? []);
      const first = records.find(record => record.files[path]);
      const file = history[0];
      if (!first || !file) return;
      const [target, current] = await Promise.all([this.#target(first, path, file), readCurrent(path, now)]);
      const key = keyOf(current);
      if (!target || (current.text === undefined && !current.state)) {
        if (key === undefined || !isUntouched(history, key)) unknown.push(path);
      } else if (!isSame(target, current)) {
        const changedSince = key === undefined || wasChangedBetween(history, key);
        files.push({ path, ...restoreOf(target, current), changedSince });
      }
    });
    return { files, unknown: unknown.sort() };
  }

  /** The file at the start of the turn. Undefined: unknown. */
  async #target(record: TurnRecord, path: string, file: TurnFileRecord): Promise<FoundFile | undefined> {
    const { before, raw, link, plain, newFolders } = file;
    if (before === null) return { text: null, state: { kind: "missing", ...(newFolders && { newFolders }) } };
    if (link !== undefined) return { text: undefined, state: { kind: "link", target: link } };
    const executable = file.executable === true;
    const bytes = raw === undefined ? undefined : await this.#options.content(raw);
    if (before === undefined) {
      if (bytes) return { text: undefined, state: { kind: "file", bytes, executable } };
      const state = await this.#stateInTree(record, path);
      return state && { text: textOf(state), state };
    }
    const stored = await this.#options.content(before);
    if (!stored) return undefined;
    const text = Buffer.from(stored).toString("utf8");
    if (bytes) return { text, state: { kind: "file", bytes, executable } };
    if (plain || executable) return { text, state: { kind: "file", bytes: stored, executable } };
    const state = await this.#stateInTree(record, path);
    // The file may have changed between the start of the turn and the first touch. Another encoding is no UTF-8.
    const found = state && textOf(state);
    return { text, ...(state?.kind === "file" && (found === text || found === undefined) && { state }) };
  }

  async #stateInTree(record: TurnRecord, path: string): Promise<FileState | undefined> {
    const { trees, log } = this.#options;
    if (!trees || record.trees.length === 0) return undefined;
    try {
      return await trees.stateAt(record.trees, path);
    } catch (error) {
      log.warn("A file could not be read from a checkpoint.", asError(error).message);
      return undefined;
    }
  }

  /** The files that differ from the tree and that no agent is known to have touched. */
  async #otherFiles(
    records: readonly TurnRecord[],
    now: CurrentFiles,
    signal: AbortSignal,
  ): Promise<Pick<RestorePlan, "files" | "unknown" | "more">> {
    const none = { files: [], unknown: [], more: 0 };
    const { trees, log } = this.#options;
    const [first] = records;
    if (!trees || !first || first.trees.length === 0) return none;
    try {
      const changes = await trees.changed(first.trees, await trees.take(signal), maxOtherFiles);
      const touched = new Set(records.flatMap(record => Object.keys(record.files)));
      const files: FileRestore[] = [];
      const unknown: string[] = [];
      const others = changes.files.filter(({ path }) => !touched.has(path));
      await forEachLimited(others, maxConcurrentFiles, async ({ path }) => {
        const state = await trees.stateAt(first.trees, path);
        const current = await readCurrent(path, now);
        if (!state || (current.text === undefined && !current.state)) unknown.push(path);
        else if (!isSame({ text: textOf(state), state }, current))
          files.push({ path, ...restoreOf({ text: textOf(state), state }, current), changedSince: true });
      });
      return { files, unknown, more: changes.more };
    } catch (error) {
      log.warn("Other changes since the checkpoint could not be determined.", asError(error).message);
      return none;
    }
  }
}

const byPath = (a: FileRestore, b: FileRestore): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);

/** The text of a state, as far as it is UTF-8. */
function textOf(state: FileState): string | null | undefined {
  if (state.kind === "missing") return null;
  return state.kind === "file" ? decodeUtf8(state.bytes) : undefined;
}

function isSame(target: FoundFile, current: FoundFile): boolean {
  const isSameText = target.text === current.text;
  if (!target.state || !current.state) return isSameText && target.text !== undefined;
  // An open document can have unsaved text.
  const isUnsaved = target.text !== undefined && current.text !== undefined && !isSameText;
  return isSameState(target.state, current.state) && !isUnsaved;
}

function restoreOf({ text, state }: FoundFile, current: FoundFile): Pick<FileRestore, "to" | "state" | "now"> {
  // A file that is no text now is not deleted by its text.
  const needsState = state && (current.text === undefined || !isTextOnly(state));
  return { to: text, now: current.text, ...(needsState && { state }) };
}

/** A file that is only deleted needs no state. */
const isTextOnly = (state: FileState): boolean => state.kind === "missing" && (state.newFolders ?? []).length === 0;

function keyOf({ text, state }: FoundFile): string | null | undefined {
  if (text !== undefined) return textKey(text);
  return state && stateKey(state);
}

/** The current file, its text normalised like the stored texts. */
async function readCurrent(path: string, now: CurrentFiles): Promise<FoundFile> {
  const state = await now.state?.(path);
  const found = { ...(state && { state }) };
  if (state?.kind === "link") return { text: undefined, state };
  try {
    const text = await now.text(path);
    return { text: text === null ? null : normalizeText(text), ...found };
  } catch (error) {
    if (error instanceof Refusal) return { text: undefined, ...found };
    throw error;
  }
}
