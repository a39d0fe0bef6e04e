// A snapshot of a session beside its log: the state, and how much of the log it covers. A long log opens from its snapshot
// and the events after it. The log stays the session: a snapshot that does not fit is ignored.
import { maskKnownIn } from "../../base/secrets/knownSecrets.ts";
import { isFiniteNumber, isRecordWith, isString } from "../../base/validators.ts";
import { EntryList } from "../entryList.ts";
import { emptySession, type Entry, type SessionState } from "../state.ts";
import type { Replayed } from "./replay.ts";

/** The name of a session's snapshot in the storage. */
export const snapshotFileName = (session: string): string => `${session}.snapshot.json`;

/** Changes with each change of the state's shape. */
const snapshotFormat = 1;

/** The end of the covered part of the log, in characters. It shows whether the snapshot belongs to the log. */
export const snapshotTailLength = 200;

export interface Snapshot extends Replayed {
  /** The length of the covered part of the log, in bytes. */
  readonly bytes: number;
  /** The last characters of the covered part. */
  readonly tail: string;
}

const isSnapshot = isRecordWith({
  format: isFiniteNumber,
  writer: isString,
  bytes: isFiniteNumber,
  tail: isString,
  nextSeq: isFiniteNumber,
  lastAt: isFiniteNumber,
  state: isRecordWith({}),
});

/** The text of a snapshot. `writer` is the version of Parley. */
export function serializeSnapshot({ state, ...snapshot }: Snapshot, writer: string): string {
  const { entries, terminals, plans, ...rest } = state;
  const stored = { ...rest, entries: [...entries], terminals: [...terminals], plans: [...plans] };
  return JSON.stringify({ format: snapshotFormat, writer, ...snapshot, state: maskKnownIn(stored) });
}

/** The snapshot in the text. Undefined if it is damaged, or was written by another version of Parley. */
export function parseSnapshot(text: string, writer: string): Snapshot | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isSnapshot(value)) return undefined;
    const { format, writer: by, bytes, tail, nextSeq, lastAt, state } = value as StoredSnapshot;
    if (format !== snapshotFormat || by !== writer || !hasEveryField(state)) return undefined;
    const { entries, terminals, plans } = state;
    return {
      ...{ bytes, tail, nextSeq, lastAt },
      state: { ...state, entries: EntryList.of(entries), terminals: new Map(terminals), plans: new Map(plans) },
    };
  } catch {
    return undefined;
  }
}

type Entries<M> = M extends ReadonlyMap<infer K, infer V> ? readonly (readonly [K, V])[] : never;
interface StoredSnapshot extends Omit<Snapshot, "state"> {
  readonly format: number;
  readonly writer: string;
  readonly state: Omit<SessionState, "entries" | "terminals" | "plans"> & {
    readonly entries: readonly Entry[];
    readonly terminals: Entries<SessionState["terminals"]>;
    readonly plans: Entries<SessionState["plans"]>;
  };
}

const hasEveryField = (state: object): boolean => Object.keys(emptySession).every(key => key in state);
