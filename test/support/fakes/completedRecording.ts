// Facts that recordings lack because no sensor noted them, as far as other facts of the recording show them. No fact is
// derived from what Parley found out, that is, from `attributed`.
import type { Fact, FactOrigin, FileFact } from "../../../src/history/facts.ts";
import type { RecordedLine } from "./recordedFacts.ts";

/** One step of a recording, in ms: longer than the inaccuracy of clocks, and short enough for late notices. */
const step = 50;
/** The time of the first step, in ms. No turn ended shortly before it. */
const start = 1_000_000;

/** The lines of a recording without what Parley found out, and with the facts that it lacks. Times are in ms. */
export function completedRecording(recording: readonly RecordedLine[]): readonly RecordedLine[] {
  const lines = recording.filter(({ type }) => type !== "attributed");
  const paths = new Set(lines.flatMap(line => ("path" in line ? [line.path] : [])));
  const isFolder = (path: string): boolean => [...paths].some(one => one.startsWith(`${path}/`));
  const isComplete = lines.some(({ type }) => type === "changeDated" || type === "textSeen");
  const times = isComplete ? undefined : new ChangeTimes();
  const begun = isComplete ? new Map<number, readonly FileFact[]>() : begunBefore(lines);
  return lines.flatMap((line, index): readonly RecordedLine[] => {
    if (line.type === "review") return [line];
    const at = start + line.at * step;
    const timed = { ...line, at };
    const before = (begun.get(index) ?? []).map(one => ({ at, ...one }));
    // Nothing shows whether a folder or a binary file was read.
    if (line.type === "diskSeen" && isFolder(line.path)) return before;
    // Git and other windows are not asked in most tests, and their answers are not recorded.
    if (timed.type === "diskSeen") {
      const saved = isComplete ? [] : savedBefore(lines, index, timed).map(one => ({ at, ...one }));
      const dated = isComplete ? datedAfter(lines, index, timed.path) : times?.seen(timed.path, timed.text, at);
      return [...before, ...saved, { ...timed, origin: "neither", ...dated }];
    }
    if (timed.type === "textSeen") return [...before, { ...timed, ...datedAfter(lines, index, timed.path) }];
    if (timed.type === "turnBegan" || timed.type === "turnEnded") times?.turnChanged(timed);
    if (timed.type !== "documentChanged" || isComplete || timed.isDirty || isLoaded(timed)) return [...before, timed];
    return [...before, timed, { at, type: "documentDirtied", path: timed.path }];
  });
}

/** The time and the origin of a change, which were asked after the disk was read. */
function datedAfter(
  lines: readonly RecordedLine[],
  index: number,
  path: string,
): { readonly changedAt?: number; readonly origin?: FactOrigin } {
  const next = lines
    .slice(index + 1)
    .find(one => isOfFile(one, path) && /^(?:textSeen|diskSeen|changeDated)$/.test(one.type));
  if (next?.type !== "changeDated") return {};
  const { changedAt, origin } = next;
  return {
    ...(changedAt !== undefined && { changedAt: start + changedAt * step }),
    ...(origin && { origin }),
  };
}

/** When files were changed, if both texts were read while no turn ran. */
class ChangeTimes {
  readonly #busy = new Set<string>();
  /** What was on disk, and when it was put there, if that is known. `since`: no turn ran since the first read of it. */
  readonly #last = new Map<string, { text: string | null | undefined; changedAt?: number; isOutside: boolean }>();

  turnChanged({ type, turn }: Extract<Fact, { readonly type: "turnBegan" | "turnEnded" }>): void {
    if (type === "turnEnded") return void this.#busy.delete(turn);
    this.#busy.add(turn);
    for (const [path, one] of this.#last) this.#last.set(path, { ...one, isOutside: false });
  }

  seen(path: string, text: string | null | undefined, at: number): { readonly changedAt?: number } {
    const last = this.#last.get(path);
    const isOutside = this.#busy.size === 0;
    if (last?.text === text && last) {
      this.#last.set(path, { ...last, isOutside });
      return last.changedAt === undefined ? {} : { changedAt: last.changedAt };
    }
    const time = last?.isOutside && isOutside ? { changedAt: at } : {};
    this.#last.set(path, { text, isOutside, ...time });
    return time;
  }
}

/** Whether the edits are those of a reload: the editor replaces whole lines then. */
const isLoaded = ({ edits, reason }: Extract<FileFact, { readonly type: "documentChanged" }>): boolean =>
  reason === undefined &&
  edits.every(({ start: from, end, text }) => {
    const isInsertion = from.line === end.line && from.character === end.character;
    return from.character === 0 && end.character === 0 && (text === "" || (text.endsWith("\n") && !isInsertion));
  });

/** The save of a text that the user's document had and that the disk shows. */
function savedBefore(
  lines: readonly RecordedLine[],
  index: number,
  { path, text }: Extract<FileFact, { readonly type: "diskSeen" }>,
): readonly FileFact[] {
  const earlier = lines.slice(0, index).filter(one => isOfFile(one, path));
  const seenAt = earlier.findLastIndex(one => one.type === "diskSeen" && one.text === text);
  const isTypedText = (one: RecordedLine): boolean =>
    one.type === "documentChanged" && one.text === text && !isLoaded(one);
  return typeof text === "string" && earlier.slice(seenAt + 1).some(isTypedText)
    ? [{ type: "documentSaved", path, text }]
    : [];
}

/** What begins before lines, by the index of the line: the announced end shows it. */
function begunBefore(lines: readonly RecordedLine[]): ReadonlyMap<number, readonly FileFact[]> {
  const found = new Map<number, FileFact[]>();
  const add = (at: number, fact: FileFact): void => void found.set(at, [...(found.get(at) ?? []), fact]);
  for (const [index, line] of lines.entries()) {
    if (line.type === "decided") addDecision(lines, index, line, add);
    if (line.type === "userCreated") addOperation(lines, index, line.path, false, add);
    if (line.type === "userDeleted") addOperation(lines, index, line.path, true, add);
    if (line.type !== "userMoved") continue;
    addOperation(lines, index, line.path, false, add);
    addOperation(lines, index, line.from, true, add);
  }
  return found;
}

type Add = (index: number, fact: FileFact) => void;

const isOfFile = (line: RecordedLine | undefined, path: string): boolean =>
  line !== undefined && "path" in line && line.path === path;

/** The text of a decision comes from the document or the disk. */
function addDecision(
  lines: readonly RecordedLine[],
  index: number,
  { path, decision, movedFrom }: Extract<FileFact, { readonly type: "decided" }>,
  add: Add,
): void {
  if (decision === "keep" || movedFrom !== undefined) return;
  const own = [...lines.slice(0, index).entries()].filter(([, one]) => isOfFile(one, path) && "text" in one);
  const textAt = (at: number): string | null | undefined => {
    const one = own.at(at)?.[1];
    return one !== undefined && "text" in one ? one.text : undefined;
  };
  const next = lines.slice(index).find(one => isOfFile(one, path) && one.type === "diskSeen");
  const after = next?.type === "diskSeen" ? next.text : undefined;
  // The document and the disk report the text, or one of them.
  let first = -1;
  while (after === textAt(-1) && first > -own.length && textAt(first - 1) === after) first--;
  const [at, reported] = own.at(first) ?? [];
  const isChange = first > -own.length && textAt(first - 1) !== textAt(first);
  const isApplied = reported?.type === "documentChanged" ? !isTyped(reported) : isChange;
  const text = textAt(-1);
  if (at !== undefined && isApplied && text !== undefined) add(at, { type: "decisionBegan", path, text });
  else if (after !== undefined) add(index, { type: "decisionBegan", path, text: after });
}

/** The disk can show what the user does before VS Code reports that it is done. */
function addOperation(lines: readonly RecordedLine[], index: number, path: string, isGone: boolean, add: Add): void {
  const shown = lines.findLastIndex((one, at) => at < index && isOfFile(one, path) && one.type === "diskSeen");
  const last = lines[shown];
  const isShown = last?.type === "diskSeen" && (last.text === null) === isGone;
  add(isShown ? shown : index, { type: "userBegan", path });
}

const isTyped = ({ edits }: Extract<FileFact, { readonly type: "documentChanged" }>): boolean =>
  edits.every(({ start: from, end }) => from.line === end.line && from.character === end.character);
