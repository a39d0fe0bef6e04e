// The boundary between the page that searches all conversations, an editor tab, and the extension host.
import {
  isBoolean,
  isMessageOf,
  isNonNegativeInteger,
  isString,
  type Fields,
  type MessageOf,
} from "../base/validators.ts";

/** A line with hits, with the lines of the same entry around it. */
export interface SearchRow {
  /** The position of the entry in its conversation. */
  readonly entry: number;
  /** The number of the line in the texts of the entry, and where its first hit begins. From 0, UTF-16 units. */
  readonly lineInEntry: number;
  readonly column: number;
  /** The number of hits in this entry before this line. */
  readonly nth: number;
  /** The hits in the line. */
  readonly hits: number;
  readonly before: readonly string[];
  /** The line, cut if it is long. */
  readonly line: string;
  /** The hits in `line`: pairs of start and end. UTF-16 units. */
  readonly marks: readonly (readonly [number, number])[];
  readonly after: readonly string[];
}

/** Another folder of the profile that was searched. */
export interface FoundFolder {
  readonly uri: string;
  readonly name: string;
  /** Its path, with `~` for the home folder. */
  readonly label: string;
}

/** A conversation with hits. */
export interface FoundSession {
  readonly session: string;
  /** Absent if the conversation is one of this window's folder. */
  readonly folder?: FoundFolder;
  /** Empty if it has none. */
  readonly title: string;
  readonly agent: string;
  /** When it was used last, ms since the epoch. */
  readonly updated: number;
  readonly isDone: boolean;
  readonly rows: readonly SearchRow[];
  /** There are more hits in it. */
  readonly isCut: boolean;
}

/** A conversation that could not be searched, or not all of it, and why, as a sentence. */
export interface UnsearchedSession {
  readonly title: string;
  /** The name of another folder that it belongs to. */
  readonly folder?: string;
  readonly reason: string;
}

/** What the extension host sends to the page. `request` is that of the search which it answers. */
export type SearchMessage =
  /** More conversations with hits, the latest used first within one message. */
  | { readonly type: "found"; readonly request: number; readonly sessions: readonly FoundSession[] }
  /** Conversations that must be read first, and how many of them are left. */
  | { readonly type: "reading"; readonly request: number; readonly left: number }
  | {
      readonly type: "done";
      readonly request: number;
      /** The search ended because it has enough hits. */
      readonly isCut: boolean;
      readonly unsearched: readonly UnsearchedSession[];
      /** Why there is no result, as a sentence. */
      readonly problem?: string;
    }
  /** A conversation could not be opened or attached: `problem` is a sentence. */
  | { readonly type: "failed"; readonly problem: string }
  /** A command was run: the box gets the focus, or the selected hit if there is one. */
  | { readonly type: "focus"; readonly on: "box" | "hit" }
  /** Selects the hit after the selected one, or before it, and opens it. */
  | { readonly type: "go"; readonly step: 1 | -1 };

const query = { query: isString, matchCase: isBoolean, wholeWord: isBoolean, regex: isBoolean };

/** Every intent of the page. */
const searchIntents = {
  ready: {},
  /** `allFolders`: also in the other folders of the profile. */
  search: { request: isNonNegativeInteger, ...query, allFolders: isBoolean },
  /** Opens a conversation at a hit: the `nth` in the entry at this position. */
  open: { session: isString, entry: isNonNegativeInteger, nth: isNonNegativeInteger, ...query },
  /** Opens a conversation that has no hit, because only filters were typed. */
  show: { session: isString },
  /** Attaches the passage around a line with hits to the message in the chat. */
  attachHit: {
    ...{ session: isString, entry: isNonNegativeInteger },
    ...{ lineInEntry: isNonNegativeInteger, column: isNonNegativeInteger },
  },
  /** Attaches a whole conversation to the message in the chat. */
  attachSession: { session: isString },
} as const satisfies Readonly<Record<string, Fields>>;

export type SearchIntent = MessageOf<typeof searchIntents>;

/** Longer texts are no search. Characters. */
const maxQueryLength = 2000;

const isAnySearchIntent = isMessageOf(searchIntents);

/** Whether a message of the page is an intent. */
export const isSearchIntent = (message: unknown): message is SearchIntent =>
  isAnySearchIntent(message) && !("query" in message && message.query.length > maxQueryLength);
