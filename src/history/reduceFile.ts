// The reducer of what is known of a file: takes in one fact, and finds who changed the file and from which text. Pure: what
// has to be read is in the result, and the answer is a fact, too.
import { looksTyped } from "../files/typedEdits.ts";
import { authorOf, isReportedAt, meanwhileTurn, unknownTurn, type Author, type ChangeEvidence } from "./author.ts";
import { baseOf, type Base } from "./base.ts";
import type { Fact, FactAuthor, FactEdit, FactOrigin, FileFact, WindowFact } from "./facts.ts";
import {
  newRecord,
  without,
  type AttributedChange,
  type DocumentChangeSeen,
  type FileRecord,
  type PendingChange,
  type Want,
} from "./fileRecord.ts";
import { startTurnOf, type FileTurns } from "./fileTurns.ts";
import { clockTick } from "./turnTimes.ts";

export interface Reduced {
  readonly record: FileRecord;
  /** What must be read. */
  readonly wants: readonly Want[];
  /** The changes of which the author is known now, in their order. */
  readonly changes: readonly AttributedChange[];
}

type FactOf<Type extends FileFact["type"]> = Extract<FileFact, { readonly type: Type }>;

/** What was read from disk. */
interface Seen {
  readonly text?: string | null;
  readonly changedAt?: number;
  readonly origin?: FactOrigin;
}

/** The times of more changes are not kept, and no call can explain all of them. */
const maxTimes = 20;

/** The longest time between the announcement of a move, deletion or creation by the user and its report. Milliseconds. */
const maxOperationTime = 10_000;

const only = (record: FileRecord, changes: readonly AttributedChange[] = []): Reduced => ({
  record,
  wants: [],
  changes,
});
const wantDisk = (record: FileRecord): Reduced => ({
  record,
  wants: [{ type: "readDisk", revision: record.revision }],
  changes: [],
});

/** Goes on with the record of a result. */
function then({ record, wants, changes }: Reduced, next: (record: FileRecord) => Reduced): Reduced {
  const after = next(record);
  return { record: after.record, wants: [...wants, ...after.wants], changes: [...changes, ...after.changes] };
}

/** An answer that is on its way is out of date from now on. */
const outdated = (record: FileRecord): FileRecord => ({ ...record, revision: record.revision + 1 });

/**
 * Takes in a fact about the file, one about a folder that contains it, or one about all files. `turns`: what the turns
 * know, also of the fact.
 */
export function reduceFile(record: FileRecord, fact: Fact, turns: FileTurns): Reduced {
  switch (fact.type) {
    case "turnBegan":
    case "turnEnded":
      return turnChanged(record, fact, turns);
    case "textSeen":
      return textSeen(record, fact, turns);
    case "toolNamed":
      return then(reported(record, turns), wantDisk);
    case "writeBegan": {
      const { turn, text } = fact;
      const { written: _, ...rest } = record;
      return only(outdated({ ...rest, write: { turn, text, before: record.text, hasReachedEditor: false } }));
    }
    case "writeEnded":
      return writeEnded(record);
    case "documentChanged":
      return documentChanged(record, fact, turns);
    case "documentDirtied":
      return decideDocuments({ ...withUsersLast(record), isUnsaved: true }, turns);
    case "documentSaved":
      return documentSaved(record, fact);
    case "diskSeen":
      return diskSeen(record, fact, turns);
    case "startKnown":
      return startKnown(record, fact, turns);
    case "compared":
      return compared(record, fact, turns);
    case "userBegan":
      return only({ ...record, users: { since: turns.now, isDone: false } });
    case "userCreated":
      return only({ ...record, users: { since: turns.now, isDone: true } });
    case "userDeleted":
      return goneByUser(record, turns);
    case "userMoved":
      return userMoved(record, fact, turns);
    case "decisionBegan":
      return only({ ...record, decided: { text: fact.text, ...(record.decided && { moved: record.decided.text }) } });
    case "decisionFailed":
      return only(without(record, "decided"));
    case "decided":
      return decided(record, fact, turns);
    case "allowedOutside":
      return wantDisk(record);
    case "fileRestored":
      return only({ ...record, text: fact.text, disk: fact.text, isFollowed: true });
    case "changeDated":
    case "committed":
    case "attributed":
    case "headMoved":
    case "foldersReplaced":
    case "located":
    case "windowBegan":
    case "turnResumed":
    case "toolReported":
    case "terminalChanged":
    case "questionsChanged":
    case "sessionEnded":
      return only(record);
  }
}

function turnChanged(
  record: FileRecord,
  fact: Extract<WindowFact, { readonly type: "turnBegan" | "turnEnded" }>,
  turns: FileTurns,
): Reduced {
  if (fact.type === "turnEnded") return turns.isNamed || record.isFollowed ? wantDisk(record) : only(record);
  // What is known stays known while another turn runs.
  if (turns.isOverlap) return only(record);
  const { path, revision, text, isFollowed, isUnsaved, documents, keptAt, last, isFolder } = record;
  const kept = {
    ...newRecord(path),
    revision: revision + 1,
    isUnsaved,
    documents,
    ...(keptAt !== undefined && { keptAt }),
    ...(isFolder && { isFolder }),
  };
  if (!isFollowed) return only(kept);
  // Changes made before the turn, even if noticed later, are not the agent's.
  return wantDisk({ ...kept, text, isFollowed, ...(last && { last }) });
}

/** The text is that before the agent's changes, unless the agent has changed the file already. */
function textSeen(record: FileRecord, fact: FactOf<"textSeen">, turns: FileTurns): Reduced {
  const { text, changedAt } = fact;
  if (text === undefined || record.pending) return only(record);
  const isOther = changedAt !== undefined && record.text !== text && !record.isUnsaved && !record.write;
  if (record.text !== undefined && !isOther) return only(record);
  const author = whoChanged(record, fact, turns);
  const turn = changedAt === undefined ? undefined : turnOf(author);
  if (turn === undefined) return only(record.text === undefined ? { ...record, text } : record);
  return agentChanged(noteOpen(record, turn, changedAt), { text, turn, isSeen: true, ...whyOf(author) }, turns);
}

function writeEnded(record: FileRecord): Reduced {
  const { write, ...rest } = outdated(record);
  if (!write) return only(record);
  return wantDisk({ ...rest, written: { turn: write.turn, text: write.text, revision: rest.revision } });
}

/** A decision moved a file to or from this path, or is complete. */
function decided(record: FileRecord, { path, decision, movedFrom }: FactOf<"decided">, turns: FileTurns): Reduced {
  const done = outdated(without(record, "decided"));
  if (path !== record.path) return only({ ...gone(done), isMovedAway: true });
  const { decided: expected } = record;
  const moved = expected?.text ?? undefined;
  if (movedFrom !== undefined)
    return wantDisk({ ...done, text: moved, disk: moved, isFollowed: moved !== undefined, isMovedAway: false });
  const text = expected ? expected.text : done.text;
  const kept = decision === "keep" ? { keptAt: turns.now } : {};
  return only({ ...done, text, disk: expected ? expected.text : done.disk, ...kept });
}

/** There is no file any more. */
const gone = (record: FileRecord): FileRecord =>
  outdated({ ...without(record, "pending", "users"), text: null, disk: null, documents: [] });

/** The user deleted or moved the file, or a folder that contains it. */
function goneByUser(record: FileRecord, { now }: FileTurns): Reduced {
  const after = { ...gone(record), users: { since: now, isDone: true } };
  const isChange = typeof record.text === "string";
  return only(after, isChange ? [{ author: { kind: "user" }, ...textsOf(record, null) }] : []);
}

function userMoved(record: FileRecord, { path, from }: FactOf<"userMoved">, turns: FileTurns): Reduced {
  if (record.path === from || isBelow(record.path, from)) return goneByUser(record, turns);
  if (record.path !== path && !isBelow(record.path, path)) return only(record);
  return wantDisk({ ...record, users: { since: turns.now, isDone: true } });
}

const isBelow = (path: string, folder: string): boolean =>
  path.length > folder.length && path.startsWith(folder) && /^[\\/]/.test(path.slice(folder.length));

/** Whether the fact is about the file, about a folder that contains it, or about all files. */
export const concerns = (path: string, fact: FileFact | WindowFact): boolean => {
  if (!("path" in fact) || fact.path === path) return true;
  const from = fact.type === "userMoved" ? fact.from : fact.type === "decided" ? fact.movedFrom : undefined;
  if (from === path) return true;
  const isOfFolder = ["userMoved", "userDeleted", "userBegan"].includes(fact.type);
  return isOfFolder && (isBelow(path, fact.path) || (from !== undefined && isBelow(path, from)));
};

// Documents.

function documentChanged(record: FileRecord, fact: FactOf<"documentChanged">, turns: FileTurns): Reduced {
  const { text, edits, isDirty, reason } = fact;
  if (record.decided?.text === text) return only({ ...record, text });
  const { write } = record;
  if (write) {
    const isOwn = fact.isAgents === true || text === write.text;
    const hasReachedEditor = write.hasReachedEditor || isOwn;
    const now = { ...record, write: { ...write, hasReachedEditor } };
    // The editor loads the text from before the write only now.
    if (!hasReachedEditor && text === record.text) return only(now);
    const isLoaded = !isDirty && text === write.before;
    // A formatter may change the text on save, and the agent's text may be merged with what the user types.
    if (isOwn || (!isTyped(edits) && (hasReachedEditor || isLoaded)))
      return agentChanged(now, { text, turn: write.turn }, turns);
  }
  // A document stays open when its file is deleted.
  if (record.text === null && record.disk === null) return only(record);
  const change: DocumentChangeSeen = { text, edits, ...(reason && { reason }) };
  const next = { ...record, documents: [...record.documents, change] };
  if (isDirty) return decideDocuments({ ...withUsersLast(next), isUnsaved: true }, turns);
  const decidedNow = decideDocuments(next, turns);
  return decidedNow.record.documents.length > 0 ? then(decidedNow, wantDisk) : decidedNow;
}

const isTyped = (edits: readonly FactEdit[]): boolean =>
  looksTyped(
    edits.map(({ start, end, text }) => {
      const isEmpty = start.line === end.line && start.character === end.character;
      return { text, rangeLength: isEmpty ? 0 : 1 };
    }),
  );

/** The text on disk is the user's. What the user typed since is not saved. */
const documentSaved = (record: FileRecord, { text }: FactOf<"documentSaved">): Reduced =>
  only(outdated({ ...record, disk: text, isUnsaved: record.isUnsaved && text !== record.text }));

/** VS Code reports that a document is unsaved just after its first change, so that the last change is the user's. */
const withUsersLast = (record: FileRecord): FileRecord => ({
  ...record,
  documents: record.documents.map((one, at, { length }) => (at === length - 1 ? { ...one, isReload: false } : one)),
});

/** Decides who made the changes of the document that wait. `seen`: what is on disk, which a reload depends on. */
function decideDocuments(record: FileRecord, turns: FileTurns, seen?: Seen): Reduced {
  const [first, ...others] = record.documents;
  if (!first || record.pending) return only(record);
  const next = { ...record, documents: others };
  const decidedFirst =
    first.isReload === false
      ? usersChange(next, first)
      : first.text === record.text
        ? only({ ...next, isUnsaved: false })
        : first.text === record.disk
          ? // The user discarded unsaved text.
            only({ ...next, text: first.text, isUnsaved: false }, [
              { author: { kind: "editor" }, ...textsOf(record, first.text) },
            ])
          : seen && reload(next, first, seen, turns);
  return decidedFirst ? then(decidedFirst, now => decideDocuments(now, turns, seen)) : only(record);
}

function usersChange(record: FileRecord, { text, edits, reason }: DocumentChangeSeen): Reduced {
  const author: FactAuthor = { kind: reason === undefined ? "user" : "editor" };
  return only(outdated({ ...without(record, "unsure"), text }), [{ author, ...textsOf(record, text), edits }]);
}

/** The editor loaded a text from disk. The file can have changed again since. */
function reload(
  record: FileRecord,
  { text, edits, reason }: DocumentChangeSeen,
  seen: Seen,
  turns: FileTurns,
): Reduced {
  // An undo loads nothing, and neither does the user's first change, before the file is saved.
  if (reason !== undefined && seen.text !== text) return usersChange(record, { text, edits, reason });
  return textChanged({ ...record, isUnsaved: false }, { ...seen, text }, turns);
}

const textsOf = ({ text: before }: FileRecord, text: string | null): Pick<AttributedChange, "text" | "before"> => ({
  text,
  before,
});

// The disk.

function diskSeen(record: FileRecord, fact: FactOf<"diskSeen">, turns: FileTurns): Reduced {
  // A turn, a write or a decision has begun or ended since: this can be the text before it.
  if (fact.asked !== undefined && fact.asked < record.revision) return wantDisk(record);
  // The disk is read again when the write ends.
  if (record.write) return only(record);
  const { text } = fact;
  if (fact.is !== undefined && record.decided === undefined) return otherStanding(record, fact, turns);
  if (text !== undefined && record.decided?.text === text)
    return only({ ...record, text, disk: text, isUnsaved: false });
  if (text !== undefined && record.decided?.moved === text) return only({ ...record, text, disk: text });
  // The user can have saved this text. The changes of the document come first.
  return then(decideDocuments(record, turns, fact), now => textSeenOnDisk(now, fact, turns));
}

function textSeenOnDisk(record: FileRecord, seen: FactOf<"diskSeen">, turns: FileTurns): Reduced {
  const { text } = seen;
  if (record.pending) return only({ ...record, pending: { ...record.pending, text } });
  // The files in a folder that is gone have records of their own.
  if (record.isFolder)
    return text === null ? only(without(record, "isFolder")) : textSeenOnDisk(without(record, "isFolder"), seen, turns);
  if (text === null && record.isMovedAway) return only({ ...record, disk: null });
  // The disk can show what the user does before the editor reports it.
  const { users } = record;
  if (text === null && users && !users.isDone && isUsersNow(users, turns.now)) return only(record);
  const now = text === null || !record.isMovedAway ? record : { ...record, isMovedAway: false };
  const { written } = now;
  if (seen.written !== undefined && text !== undefined) {
    const done = { ...without(now, "written"), disk: text };
    return text === now.text ? only(done) : agentChanged(done, { text, turn: seen.written }, turns);
  }
  if (written && (seen.asked === written.revision || text === written.text)) {
    const done = { ...without(now, "written"), disk: text };
    return text === now.text || now.isUnsaved ? only(done) : agentChanged(done, { text, turn: written.turn }, turns);
  }
  if (text === undefined) return stateChanged(now, seen, turns);
  if (seen.isBeforeTurn) {
    const same = { ...now, text, disk: text };
    return only(same, text === now.text ? [] : [{ author: { kind: "others" }, ...textsOf(record, text) }]);
  }
  if (text === now.text) return sameText(now, text, seen, turns);
  if (now.isUnsaved) return belowUnsaved(now, text, seen, turns);
  return textChanged(now, { ...seen, text }, turns);
}

/** A folder or a link stands at the path. A link is no text, and of a folder nothing more is known. */
function otherStanding(record: FileRecord, seen: FactOf<"diskSeen">, turns: FileTurns): Reduced {
  return seen.is === "link" ? stateChanged(record, seen, turns) : only({ ...record, isFolder: true });
}

/** The file is no text. */
function stateChanged(record: FileRecord, seen: Seen, turns: FileTurns): Reduced {
  const author = whoChanged(record, seen, turns);
  const turn = turnOf(author);
  if (turn === undefined) return only(record);
  const { isFollowed } = record;
  const now = noteOpen({ ...record, isFollowed: true, last: { turn, isBaseKnown: isFollowed } }, turn, seen.changedAt);
  return only(now, [{ author: factAuthorOf(turn), text: undefined, before: undefined, ...whyOf(author) }]);
}

/** The disk has the known text. A change that was attributed to others can be the agent's. */
function sameText(record: FileRecord, text: string | null, seen: Seen, turns: FileTurns): Reduced {
  const now = { ...record, disk: text, isUnsaved: false };
  const { unsure } = record;
  const { changedAt: time } = seen;
  if (unsure && unsure.text !== text && isReportedAt({ time, turns: turns.evidence })) {
    const author = whoChanged(now, seen, turns);
    const turn = turnOf(author) ?? fallbackTurn(turns);
    return agentChanged({ ...without(now, "unsure"), text: unsure.text }, { text, turn, ...whyOf(author) }, turns);
  }
  // The text was seen after the edit, which a call reports only now.
  if (!record.isFollowed && turns.containsEdit(text)) {
    const author = whoChanged(now, seen, turns);
    const turn = turnOf(author);
    if (turn !== undefined) return agentChanged(noteOpen(now, turn, time), { text, turn, ...whyOf(author) }, turns);
  }
  return only(now);
}

/** The disk has another text than the document, which is not saved. */
function belowUnsaved(record: FileRecord, text: string | null, seen: Seen, turns: FileTurns): Reduced {
  if (text === record.disk || turnOf(whoChanged(record, seen, turns)) === undefined) return only(record);
  const now = { ...record, notLoaded: { text } };
  // What the agent deletes is the text on disk, not that in the editor.
  if (text !== null || record.text === null) return only(now);
  return textChanged({ ...now, text: record.disk }, { ...seen, text }, turns);
}

/** The file has another text than before. Finds who changed it. */
function textChanged(record: FileRecord, seen: Seen & { readonly text: string | null }, turns: FileTurns): Reduced {
  const { text, changedAt } = seen;
  if (text !== null && text === record.disk && record.text !== undefined)
    return only({ ...record, text }, [{ author: { kind: "editor" }, ...textsOf(record, text) }]);
  const author = whoChanged(record, seen, turns);
  const turn = turnOf(author) ?? (record.notLoaded?.text === text ? fallbackTurn(turns) : undefined);
  const now = { ...record, disk: text };
  if (turn !== undefined) return agentChanged(noteOpen(now, turn, changedAt), { text, turn, ...whyOf(author) }, turns);
  // Nothing was there when the turn began, so it was temporary.
  const wasMissing = record.starts[turns.first]?.text === null && record.difference === undefined;
  if (text === null && record.text === undefined && wasMissing) return only(now);
  const { text: before } = record;
  const isUnsure = turns.isLeft && before !== undefined && !record.unsure;
  return only({ ...now, text, ...(isUnsure && { unsure: { text: before } }) }, [
    { author: { kind: author.kind === "git" ? "git" : "others" }, ...textsOf(record, text), ...whyOf(author) },
  ]);
}

// Agents.

/** An agent changed the file. The text before can have to be read first. */
function agentChanged(record: FileRecord, change: PendingChange, turns: FileTurns): Reduced {
  const { text, turn, why } = change;
  const base = baseOf(record, text, turn, turns);
  if (typeof base === "string")
    return { record: { ...record, pending: change }, wants: [{ type: "readStart", turn: base }], changes: [] };
  const isTemporary = text === null && base.text === null;
  if (isTemporary) return only({ ...without(record, "pending", "notLoaded"), text, disk: text });
  if (change.isSeen && text !== undefined && record.text === undefined && isSameAsSeen(text, base, turns))
    return only({ ...without(record, "pending"), text });
  const isBaseKnown = base.text !== undefined;
  const now = { ...without(record, "pending", "notLoaded"), text, isFollowed: true, last: { turn, isBaseKnown } };
  const reason = why === undefined ? {} : { why };
  const done = only(now, [{ author: factAuthorOf(turn), text, before: base.text, ...reason }]);
  // The end of the turn did not ask for the disk, because nobody had changed the file then.
  return turns.isBusy || record.isFollowed ? done : then(done, wantDisk);
}

/**
 * Whether a text that was read is no change: it is that of the start (the line endings or the mode can be other ones), or
 * that is not known, and no call reports an edit in it.
 */
const isSameAsSeen = (text: string | null, base: Base, turns: FileTurns): boolean =>
  base.text === undefined ? !turns.containsEdit(text) : text === base.text;

/** The comparison with the start of the turn shows a difference. */
function compared(record: FileRecord, { text, isGone }: FactOf<"compared">, turns: FileTurns): Reduced {
  const now = { ...record, difference: { text, isGone } };
  const wasNoFile = isGone && text === undefined && record.starts[turns.first]?.text === null;
  // Something else than a file is gone, such as a link, so it was not temporary.
  const isForgotten = wasNoFile && record.text === null && !record.isFollowed;
  return wantDisk(isForgotten ? { ...now, text: undefined } : now);
}

function startKnown(record: FileRecord, { turn, text }: FactOf<"startKnown">, turns: FileTurns): Reduced {
  const now = { ...record, starts: { ...record.starts, [turn]: { text } } };
  const { pending } = record;
  if (!pending || startTurnOf(pending.turn, turns) !== turn) return only(now);
  return then(agentChanged(without(now, "pending"), pending, turns), one => decideDocuments(one, turns));
}

/** A call reported the file: it can give the text before an earlier change, or its author. */
function reported(record: FileRecord, turns: FileTurns): Reduced {
  const { last, text, open } = record;
  let now = record;
  const changes: AttributedChange[] = [];
  const before = last && !last.isBaseKnown && text !== undefined ? turns.before(text) : undefined;
  if (last && before !== undefined) {
    now = { ...now, last: { ...last, isBaseKnown: true } };
    changes.push({ author: factAuthorOf(last.turn), text, before, corrects: last.turn });
  }
  const turn = open && explainedTurn(now, open.times, turns);
  if (open && turn !== undefined && turn !== open.turn && turn !== meanwhileTurn) {
    now = { ...without(now, "open"), ...(now.last && { last: { ...now.last, turn } }) };
    changes.push({ author: factAuthorOf(turn), text, before: undefined, corrects: open.turn });
  }
  return only(now, changes);
}

/** The turn of changes, if agents made all of them. */
function explainedTurn(record: FileRecord, times: readonly (number | null)[], turns: FileTurns): string | undefined {
  if (times.length > maxTimes) return undefined;
  const found = new Set(
    times.map(time => turnOf(whoChanged(record, time === null ? {} : { changedAt: time }, turns)) ?? meanwhileTurn),
  );
  if (found.has(meanwhileTurn)) return undefined;
  return found.size === 1 ? [...found][0] : unknownTurn;
}

/** Keeps when a change was made that is no known agent's. */
function noteOpen(record: FileRecord, turn: string, changedAt: number | undefined): FileRecord {
  if (turn !== unknownTurn && turn !== meanwhileTurn) return record;
  const times = record.open?.times ?? [];
  const time = changedAt ?? null;
  if (times.includes(time)) return record;
  return { ...record, open: { turn, times: [...times, time].slice(0, maxTimes + 1) } };
}

const fallbackTurn = ({ isOverlap, latest }: FileTurns): string => (isOverlap ? unknownTurn : latest);

// Authors.

/** Who made the last change that was seen on disk. */
function whoChanged(record: FileRecord, { text, changedAt: time, origin }: Seen, turns: FileTurns): Author {
  const { difference, keptAt, users, text: known } = record;
  const isNamedGone = turns.isNamed && !(time !== undefined && turns.isBefore(time));
  const evidence: ChangeEvidence = {
    time,
    isCompared: difference !== undefined,
    isGone: text === null && (difference?.isGone === true || isNamedGone),
    // An agent can change the file after the user moved it.
    isUsers:
      users !== undefined && isUsersNow(users, turns.now) && (known === undefined || (known === null && text === null)),
    isSavedElsewhere: origin === "elsewhere",
    isDecided: keptAt !== undefined && time !== undefined && time < keptAt - clockTick,
    isGits: origin === "git",
    turns: turns.evidence,
  };
  return authorOf(evidence);
}

/** An operation of the user that only began can have failed. */
const isUsersNow = ({ since, isDone }: NonNullable<FileRecord["users"]>, now: number): boolean =>
  isDone || now - since < maxOperationTime;

/** The turn under which a change waits for review. Undefined: it does not. */
function turnOf(author: Author): string | undefined {
  if (author.kind === "agent") return author.turn;
  return author.kind === "meanwhile" ? meanwhileTurn : undefined;
}

const factAuthorOf = (turn: string): FactAuthor =>
  turn === meanwhileTurn ? { kind: "meanwhile" } : { kind: "agent", turn };

const whyOf = (author: Author): { readonly why?: string } =>
  author.kind === "agent" || author.kind === "user" ? { why: author.why } : {};
