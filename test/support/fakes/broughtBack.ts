// Brings changes of a worktree back as the review does it with files that are not open: on disk, without VS Code.
import assert from "node:assert/strict";
import { withLineFeeds } from "../../../src/base/text.ts";
import {
  missingFolders,
  plainState,
  readFileState,
  writeFileState,
  type FileState,
} from "../../../src/files/fileState.ts";
import { withLineEndsOf } from "../../../src/files/lineEnds.ts";
import {
  listBringBack,
  stepsOf,
  withBases,
  type BringBackEntry,
  type MergedTexts,
} from "../../../src/worktrees/bringBack.ts";
import type { WorktreeRecord } from "../../../src/worktrees/worktreeRecords.ts";
import type { RealRepository } from "./realRepository.ts";

const rawText = (bytes: Uint8Array): string | undefined =>
  bytes.includes(0) ? undefined : Buffer.from(bytes).toString();

/** How texts are read and written. `unsaved`: the unsaved texts by path. */
export const mergedTexts = (unsaved: ReadonlyMap<string, string>): MergedTexts => ({
  textOf: bytes => {
    const text = rawText(bytes);
    return Promise.resolve(text === undefined ? undefined : withLineFeeds(text));
  },
  withText: (_, state, text) => {
    if (state.kind !== "file") return Promise.resolve(undefined);
    return Promise.resolve({ ...state, bytes: Buffer.from(withLineEndsOf(text, rawText(state.bytes) ?? "")) });
  },
  unsavedText: path => unsaved.get(path),
});

export interface ApplyToDiskOptions {
  readonly real: RealRepository;
  readonly record: WorktreeRecord;
  readonly unsaved: Map<string, string>;
  readonly isChosen?: ((hunk: number) => boolean) | undefined;
}

/** A file on disk before and after it was changed. */
export interface AppliedStep {
  readonly path: string;
  readonly before: FileState;
  readonly after: FileState;
}

/** Writes each step of an entry, if the file has the text from before. Resolves with what it changed on disk. */
export async function applyToDisk(
  entry: BringBackEntry,
  { real, record, unsaved, isChosen }: ApplyToDiskOptions,
): Promise<readonly AppliedStep[]> {
  const texts = mergedTexts(unsaved);
  const { steps, bases } = await stepsOf(record, entry, texts, isChosen);
  const applied: AppliedStep[] = [];
  for (const { path, before, after, state } of steps) {
    const now = (await readFileState(path)) ?? plainState(null);
    if (unsaved.has(path)) {
      assert.equal(unsaved.get(path), before);
      assert.equal(typeof after, "string");
      unsaved.set(path, after as string);
      continue;
    }
    const text = now.kind === "file" ? await texts.textOf(now.bytes, path) : now.kind === "missing" ? null : undefined;
    if (before !== undefined) assert.equal(text, before, path);
    const plain = typeof after === "string" && now.kind === "file" ? await texts.withText(path, now, after) : undefined;
    const written = state ?? plain ?? plainState(after ?? null);
    await missingFolders(path);
    await writeFileState(path, written, now);
    applied.push({ path, before: now, after: written });
  }
  const { bases: known } = await listBringBack(record, { git: real.git, records: real.records, texts });
  await real.records.bases.write(record.path, withBases(known, bases));
  return applied;
}
