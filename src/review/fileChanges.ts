// The changes of one file since the agent's first unreviewed edit: the text before it (the base), the current text, and
// the hunks between the two. Pure and immutable. All texts have "\n" line endings and no byte-order mark.
import { changesBetween, runToEnd, type LineChange, type Work } from "../base/lineDiff.ts";
import { applyEdits, trimEdit, type OffsetEdit, type TextPosition } from "../files/textEdits.ts";
import type { FileChanges, Hunk, LineRange } from "./hunk.ts";
import { updateHunks, applySplices, type EditOrigin, type RecallHunk } from "./hunkUpdates.ts";
import { readableChanges } from "./readableChanges.ts";
import { textLinesOf, type TextLines } from "./textLines.ts";
import { undoneHunk } from "./userLines.ts";

/** The result of an undo. `edits` turn the old text into the new one. They are in order and do not touch. */
export interface UndoResult {
  readonly changes: FileChanges;
  readonly edits: readonly OffsetEdit[];
  /** The lines that the agent and the user wrote. They stay as they are, and are still hunks. */
  readonly left: readonly LineRange[];
}

/** Replaces the text between two positions of the old text. */
export interface RangeEdit {
  readonly start: TextPosition;
  readonly end: TextPosition;
  readonly text: string;
}

/** Starts a review of a file that was `base` and is now `text`. */
export function track(base: string | null, text: string | null, turn: string): FileChanges {
  return runToEnd(trackWork(base, text, turn));
}

/** {@link track} in steps. The input must not change meanwhile. If the file changes, the work has to start again. */
export function trackWork(base: string | null, text: string | null, turn: string): Work<FileChanges> {
  return applyAgentEditWork({ base, text: base, hunks: [], nextId: 1, kept: [] }, text, turn);
}

/** The agent changed the text to `after`. The base stays. */
export function applyAgentEdit(changes: FileChanges, after: string | null, turn: string): FileChanges {
  return runToEnd(applyAgentEditWork(changes, after, turn));
}

/** {@link applyAgentEdit} in steps. */
export function* applyAgentEditWork(changes: FileChanges, after: string | null, turn: string): Work<FileChanges> {
  const { base, text } = changes;
  if (after === text) return changes;
  if (base === null || after === null) return asOneHunk(changes, after, turn);
  const edits = yield* readableChanges(textLinesOf(text ?? ""), textLinesOf(after));
  return yield* withEdits({ ...changes, text: text ?? "" }, after, edits, { kind: "agent", turn });
}

/**
 * The user edited the text. Positions refer to the text before the edits. The edits do not touch each other and are in
 * any order. An edit that overlaps no hunk is applied to the base too, and so are whole lines inserted in a hunk:
 * they divide it. A line of a hunk that the user changes stays in it, but is not undone with it. After an edit, a file that the agent created is no longer only the agent's: its base is empty instead
 * of missing.
 */
export function applyUserEdits(changes: FileChanges, edits: readonly RangeEdit[]): FileChanges {
  return runToEnd(applyUserEditsWork(changes, edits));
}

/** {@link applyUserEdits} in steps. */
function* applyUserEditsWork(changes: FileChanges, edits: readonly RangeEdit[]): Work<FileChanges> {
  const lines = textLinesOf(changes.text ?? "");
  const offsets = edits
    .map(({ start, end, text }) => trimEdit(lines.text, lines.offset(start), lines.offset(end), text))
    .filter(edit => edit.end > edit.start || edit.text !== "")
    .sort((a, b) => a.start - b.start || a.end - b.end);
  if (offsets.length === 0) return changes;
  const after = applyEdits(lines.text, offsets);
  if (changes.text === null) return yield* applyReplacementWork(changes, after);
  return yield* withEdits(changes, after, yield* lineEdits(lines, offsets), { kind: "user" });
}

/** {@link applyUserEdits} in steps, with `after` as the result also if the edits do not lead to it. */
export function* userChangedWork(changes: FileChanges, edits: readonly RangeEdit[], after: string): Work<FileChanges> {
  const edited = yield* applyUserEditsWork(changes, edits);
  return edited.text === after ? edited : yield* applyReplacementWork(changes, after);
}

/**
 * The whole text was replaced, but not by the agent. Works like {@link applyUserEdits} with the smallest edits, except
 * that text which equals the base again needs no review. `null`: the file was deleted.
 */
export function applyReplacement(changes: FileChanges, after: string | null): FileChanges {
  return runToEnd(applyReplacementWork(changes, after));
}

/** {@link applyReplacement} in steps. */
export function applyReplacementWork(changes: FileChanges, after: string | null): Work<FileChanges> {
  return replacedWork(changes, after);
}

function* replacedWork(changes: FileChanges, after: string | null, recall?: RecallHunk): Work<FileChanges> {
  const { base, text } = changes;
  if (after === text) return changes;
  if (after === null || text === null || after === base) return { ...changes, base: after, text: after, hunks: [] };
  const edits = yield* changesBetween(text, after);
  return yield* withEdits(changes, after, edits, { kind: "replaced", ...(recall && { recall }) });
}

/**
 * The editor went to `after` by undo or redo. If that was the text of an earlier state, the base and the hunks of that
 * state are restored, without the hunks that were kept since. Otherwise it works like {@link applyReplacement}, except
 * that lines which an agent once put in place of the same lines belong to the agent again.
 * @param history earlier states of the file's changes, newest last
 */
export function applyUndoRedo(changes: FileChanges, after: string, history: readonly FileChanges[]): FileChanges {
  return runToEnd(applyUndoRedoWork(changes, after, history));
}

/** {@link applyUndoRedo} in steps. */
export function* applyUndoRedoWork(
  changes: FileChanges,
  after: string,
  history: readonly FileChanges[],
): Work<FileChanges> {
  if (after === changes.text) return changes;
  // A state with a kept hunk that is no longer kept cannot be restored.
  const kept = new Set(changes.kept);
  const earlier = history.findLast(one => one.text === after && one.kept.every(id => kept.has(id)));
  if (earlier) {
    const nextId = Math.max(earlier.nextId, changes.nextId);
    return { ...keepHunks({ ...earlier, nextId }, changes.kept), kept: changes.kept };
  }
  return yield* replacedWork(changes, after, recallFrom(history, kept));
}

/** The number of latest states, and of hunks in them, that are searched for an agent's lines. */
const maxRecalledStates = 20;
const maxRecalledHunks = 2000;

function recallFrom(history: readonly FileChanges[], kept: ReadonlySet<string>): RecallHunk {
  const key = (base: string, text: string): string => `${base.length} ${base}${text}`;
  let known: Map<string, Hunk> | undefined;
  const find = (): Map<string, Hunk> => {
    const found = new Map<string, Hunk>();
    for (const { base, text, hunks } of history.slice(-maxRecalledStates).reverse()) {
      if (base === null || text === null || hunks.length === 0 || found.size > maxRecalledHunks) continue;
      const [bases, texts] = [textLinesOf(base), textLinesOf(text)];
      for (const hunk of hunks) {
        const lines = key(bases.slice(hunk.base), texts.slice(hunk.text));
        if (!found.has(lines)) found.set(lines, hunk);
      }
    }
    return found;
  };
  return (base, text) => {
    const hunk = (known ??= find()).get(key(base, text));
    return hunk && !kept.has(hunk.id) ? hunk : undefined;
  };
}

/** Adds the lines of the hunks to the base. */
export function keepHunks(changes: FileChanges, ids: readonly string[]): FileChanges {
  const { base, text, hunks } = changes;
  const chosen = chosenFrom(hunks, ids);
  if (chosen.size === 0) return changes;
  const kept = [...new Set([...changes.kept, ...[...chosen].map(hunk => hunk.id)])];
  if (base === null || text === null) return { ...changes, base: text, hunks: [], kept };
  const lines = textLinesOf(text);
  const splices = [...chosen].map(hunk => ({ range: hunk.base, text: lines.slice(hunk.text) }));
  return { ...changes, base: applySplices(textLinesOf(base), splices), hunks: withoutKept(chosen, hunks), kept };
}

/**
 * Restores the lines of the base. Lines that the agent and the user wrote stay as they are, and stay hunks. A created
 * file is removed again, a deleted file is created again.
 */
export function undoHunks(changes: FileChanges, ids: readonly string[]): UndoResult {
  const { base, text, hunks } = changes;
  const chosen = chosenFrom(hunks, ids);
  if (chosen.size === 0) return { changes, edits: [], left: [] };
  if (base === null || text === null) {
    const edit = { start: 0, end: text?.length ?? 0, text: base ?? "" };
    const edits = edit.end > 0 || edit.text !== "" ? [edit] : [];
    return { changes: { ...changes, text: base, hunks: [] }, edits, left: [] };
  }
  const [bases, texts] = [textLinesOf(base), textLinesOf(text)];
  const edits: OffsetEdit[] = [];
  const remaining: Hunk[] = [];
  const left: LineRange[] = [];
  let { nextId } = changes;
  let by = 0;
  for (const hunk of hunks) {
    const at = hunk.text.from + by;
    if (!chosen.has(hunk)) {
      remaining.push({ ...hunk, text: { from: at, to: hunk.text.to + by } });
      continue;
    }
    const undone = undoneHunk(hunk, bases, texts);
    edits.push(trimEdit(text, texts.start(hunk.text.from), texts.start(hunk.text.to), undone.text));
    for (const [i, one] of undone.left.entries()) {
      const range = { from: at + one.text.from, to: at + one.text.to };
      const old = { from: hunk.base.from + one.base.from, to: hunk.base.from + one.base.to };
      const id = i === 0 ? hunk.id : `${nextId++}`;
      remaining.push({ id, base: old, text: range, turns: hunk.turns, shared: one.shared });
      left.push(range);
    }
    by += undone.lines - (hunk.text.to - hunk.text.from);
  }
  return {
    changes: { ...changes, text: applyEdits(text, edits), hunks: remaining, nextId },
    edits: edits.filter(edit => edit.end > edit.start || edit.text !== ""),
    left,
  };
}

function chosenFrom(hunks: readonly Hunk[], ids: readonly string[]): ReadonlySet<Hunk> {
  const wanted = new Set(ids);
  return new Set(hunks.filter(hunk => wanted.has(hunk.id)));
}

/** The remaining hunks after some were kept, at their place in the new base. */
function withoutKept(kept: ReadonlySet<Hunk>, hunks: readonly Hunk[]): readonly Hunk[] {
  const left: Hunk[] = [];
  let by = 0;
  for (const hunk of hunks) {
    const { base, text } = hunk;
    if (kept.has(hunk)) by += text.to - text.from - base.to + base.from;
    else left.push({ ...hunk, base: { from: base.from + by, to: base.to + by } });
  }
  return left;
}

/** Whether there is nothing to review. */
export function isSettled({ base, text }: FileChanges): boolean {
  return base === text;
}

/** The number of lines that the hunks add and remove. */
export function lineCounts({ hunks }: FileChanges): { readonly added: number; readonly removed: number } {
  const size = ({ from, to }: LineRange): number => to - from;
  return {
    added: hunks.reduce((sum, hunk) => sum + size(hunk.text), 0),
    removed: hunks.reduce((sum, hunk) => sum + size(hunk.base), 0),
  };
}

/** Keeps what was committed to git: hunks that no difference between the text and the committed text touches. */
export function keepCommitted(changes: FileChanges, committedText: string): FileChanges {
  return runToEnd(keepCommittedWork(changes, committedText));
}

/** {@link keepCommitted} in steps. */
export function* keepCommittedWork(changes: FileChanges, committedText: string): Work<FileChanges> {
  const { text, hunks } = changes;
  if (text === null) return changes;
  const differences = yield* readableChanges(textLinesOf(text), textLinesOf(committedText));
  let next = 0;
  // Both are in order.
  const isCommitted = ({ text: { from, to } }: Hunk): boolean => {
    while ((differences[next]?.oldTo ?? Infinity) < from) next++;
    return (differences[next]?.oldFrom ?? Infinity) > to;
  };
  return keepHunks(
    changes,
    hunks.filter(isCommitted).map(hunk => hunk.id),
  );
}

/** The share of lines that must remain, exclusive, for stored hunks to be useful. */
const minRemainingShare = 0.5;

/**
 * Moves stored changes to the current text, which may have changed meanwhile. Those changes are taken as the user's.
 * Undefined if the text is entirely different, or if the file was created or deleted, because the hunks are useless
 * then.
 */
export function reanchor(changes: FileChanges, currentText: string | null): FileChanges | undefined {
  return runToEnd(reanchorWork(changes, currentText));
}

/** {@link reanchor} in steps. */
export function* reanchorWork(changes: FileChanges, currentText: string | null): Work<FileChanges | undefined> {
  const { text } = changes;
  if (currentText === text) return changes;
  if (text === null || currentText === null) return undefined;
  const before = textLinesOf(text).count;
  const changed = (yield* changesBetween(text, currentText)).reduce(
    (sum, { oldFrom, oldTo }) => sum + oldTo - oldFrom,
    0,
  );
  return before - changed > before * minRemainingShare ? yield* applyReplacementWork(changes, currentText) : undefined;
}

/** A file that is missing on one side, so nothing can be compared. */
function asOneHunk(changes: FileChanges, after: string | null, turn: string): FileChanges {
  const { base, hunks, nextId } = changes;
  if (base === after) return { ...changes, text: after, hunks: [] };
  const all = (text: string | null): LineRange => ({ from: 0, to: textLinesOf(text ?? "").count });
  const turns = [...new Set([...hunks.flatMap(hunk => hunk.turns).filter(other => other !== turn), turn])];
  const hunk = { id: hunks[0]?.id ?? `${nextId}`, base: all(base), text: all(after), turns };
  return { ...changes, text: after, hunks: [hunk], nextId: hunks[0] ? nextId : nextId + 1 };
}

/** The number of lines to process in one step of work. */
const linesPerStep = 5;

function* withEdits(
  changes: FileChanges,
  after: string,
  edits: readonly LineChange[],
  author: EditOrigin,
): Work<FileChanges> {
  const [base, text] = [changes.base ?? "", changes.text ?? ""];
  const hunks = base === text ? [] : changes.hunks;
  const sides = { base: textLinesOf(base), text: textLinesOf(text), hunks, nextId: changes.nextId };
  yield Math.round((sides.base.count + sides.text.count) / linesPerStep);
  const lines = textLinesOf(after);
  yield Math.round(lines.count / linesPerStep);
  const result = yield* updateHunks(sides, lines, edits, author);
  return { ...changes, ...result, hunks: result.base === result.text ? [] : result.hunks };
}

/** Converts edits of a text, in order, to changes of whole lines, in order. */
function* lineEdits(lines: TextLines, edits: readonly OffsetEdit[]): Work<readonly LineChange[]> {
  const changes: LineChange[] = [];
  let growth = 0;
  for (let i = 0; i < edits.length;) {
    const from = lines.lineAt(edits[i]?.start ?? 0);
    const own: OffsetEdit[] = [];
    let to = from;
    for (let edit = edits[i]; edit && (own.length === 0 || lines.lineAt(edit.start) < to); edit = edits[++i]) {
      own.push(edit);
      to = Math.max(to, Math.min(lines.lineAt(edit.end) + 1, lines.count));
    }
    const start = lines.start(from);
    const before = lines.slice({ from, to });
    const inside = own.map(edit => ({ ...edit, start: edit.start - start, end: edit.end - start }));
    const found = yield* changesBetween(before, applyEdits(before, inside));
    for (const { oldFrom, oldTo, newFrom, newTo } of found) {
      const at = from + growth;
      changes.push({ oldFrom: oldFrom + from, oldTo: oldTo + from, newFrom: newFrom + at, newTo: newTo + at });
    }
    growth += found.reduce((sum, one) => sum + one.newTo - one.newFrom - one.oldTo + one.oldFrom, 0);
  }
  return changes;
}
