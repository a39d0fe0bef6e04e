// Finds out which of the files that are gone and which of the new ones are the same file, moved. Pure.

/** A file that is gone, or a new one. */
export interface MovePart {
  readonly path: string;
  /** The same for a file that was moved, and for files with the same content. */
  readonly id: string | undefined;
  /** Undefined: it is not a text. */
  readonly text: string | undefined;
}

export interface MovePair {
  readonly from: string;
  readonly to: string;
}

/** Files with fewer equal characters than this share are different files. Git has the same limit. */
const minSimilarity = 0.5;

/** The most files on each side, and the longest text, that are compared by their lines. */
const maxComparedFiles = 100;
const maxComparedLength = 200_000;

/** Pairs the files that are gone with new ones: by content, then by similar lines. Each file is in one pair at most. */
export function pairMoves(gone: readonly MovePart[], added: readonly MovePart[]): readonly MovePair[] {
  const pairs: MovePair[] = [];
  const left = { gone: new Set(gone), added: new Set(added) };
  const take = (from: MovePart, to: MovePart): void => {
    if (!left.gone.has(from) || !left.added.has(to)) return;
    left.gone.delete(from);
    left.added.delete(to);
    pairs.push({ from: from.path, to: to.path });
  };
  for (const { from, to } of sameFiles([...left.gone], [...left.added])) take(from, to);
  for (const { from, to } of similarFiles([...left.gone], [...left.added])) take(from, to);
  return pairs;
}

interface Candidate {
  readonly from: MovePart;
  readonly to: MovePart;
  readonly score: number;
}

const best = (candidates: readonly Candidate[]): readonly Candidate[] =>
  candidates.toSorted((a, b) => b.score - a.score);

/** The most files with one content that are all compared. More are paired only if they have the same name. */
const maxSame = 50;

function sameFiles(gone: readonly MovePart[], added: readonly MovePart[]): readonly Candidate[] {
  const candidates: Candidate[] = [];
  const keysOf = ({ id, text }: MovePart): readonly string[] => [
    ...(id === undefined ? [] : [`id ${id}`]),
    ...(text === undefined || text === "" ? [] : [`text ${text}`]),
  ];
  const byContent = new Map<string, Map<string, MovePart[]>>();
  for (const to of added) {
    for (const key of keysOf(to)) {
      const byName = getOrAdd(byContent, key, () => new Map<string, MovePart[]>());
      getOrAdd(byName, nameOf(to), () => []).push(to);
    }
  }
  for (const from of gone) {
    for (const key of keysOf(from)) {
      const byName = byContent.get(key) ?? new Map<string, MovePart[]>();
      // Empty files have the same content without being the same file.
      const isUnique = from.text !== "" && byName.size <= maxSame;
      const names = isUnique ? [...byName.keys()] : [nameOf(from)];
      for (const to of names.flatMap(name => (byName.get(name) ?? []).slice(0, maxSame)))
        candidates.push({ from, to, score: sharedNames(from.path, to.path) });
    }
  }
  return best(candidates);
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

const nameOf = ({ path }: MovePart): string => path.split(/[\\/]/).at(-1) ?? "";

function similarFiles(gone: readonly MovePart[], added: readonly MovePart[]): readonly Candidate[] {
  if (gone.length > maxComparedFiles || added.length > maxComparedFiles) return [];
  const candidates: Candidate[] = [];
  for (const from of gone) {
    for (const to of added) {
      const share = similarity(from.text, to.text);
      if (share >= minSimilarity) candidates.push({ from, to, score: share + sharedNames(from.path, to.path) });
    }
  }
  return best(candidates);
}

/** The share of characters in equal lines, in any order, from 0 to 1. */
function similarity(from: string | undefined, to: string | undefined): number {
  if (!from || !to) return 0;
  const longest = Math.max(from.length, to.length);
  if (longest > maxComparedLength || Math.min(from.length, to.length) < longest * minSimilarity) return 0;
  const counts = new Map<string, number>();
  for (const line of from.split("\n")) counts.set(line, (counts.get(line) ?? 0) + 1);
  let same = 0;
  for (const line of to.split("\n")) {
    const count = counts.get(line) ?? 0;
    if (count === 0) continue;
    counts.set(line, count - 1);
    same += line.length + 1;
  }
  return Math.min(same, longest) / longest;
}

/** The number of equal names at the end of both paths. */
function sharedNames(from: string, to: string): number {
  const [a, b] = [from, to].map(path => path.split(/[\\/]/).reverse());
  const differs = (a ?? []).findIndex((name, i) => name !== b?.[i]);
  return differs < 0 ? (a ?? []).length : differs;
}
