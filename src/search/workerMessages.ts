// What the extension host and the worker that searches joined texts send each other.
import type { FindQuery } from "../panel/find/findProtocol.ts";
import type { SearchRow } from "../panel/searchPage.ts";

/** A search in joined texts. A later one ends it. */
export interface TextSearchTask {
  readonly task: number;
  /** The folder of the logs and the joined texts. */
  readonly folder: string;
  /** In the order of the search. `isCurrent`: its joined text is known to be as new as the session. */
  readonly sessions: readonly { readonly id: string; readonly isCurrent: boolean }[];
  /** Without a query, every session with a fitting file is found. */
  readonly query: FindQuery;
  /** Parts of paths, in lower case. Only sessions whose tool calls name such a file are searched. */
  readonly files: readonly string[];
  /** The search ends after this many lines with hits. */
  readonly maxRows: number;
}

/** What the worker found in a session. */
export interface FoundText {
  readonly id: string;
  readonly rows: readonly SearchRow[];
  /** There are more hits in it. */
  readonly isCut: boolean;
}

export type WorkerMessage =
  | {
      readonly task: number;
      readonly type: "progress";
      readonly found: readonly FoundText[];
      /** Sessions whose joined text is missing, damaged or older than the log. */
      readonly stale: readonly string[];
      /** Sessions of which the joined text has only a part. */
      readonly cut: readonly string[];
      /** Sessions with lines of the log that could not be read, and how many. */
      readonly damaged: readonly { readonly id: string; readonly lines: number }[];
    }
  /** `isCut`: there are enough hits. `detail`: the engine rejects the expression, with its message. */
  | { readonly task: number; readonly type: "done"; readonly isCut: boolean; readonly detail?: string };
