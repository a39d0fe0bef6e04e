// The boundary between the page of the protocol inspector, an editor tab, and the extension host.
import {
  isMessageOf,
  isNonNegativeInteger,
  isOneOf,
  isString,
  optional,
  type Fields,
  type MessageOf,
} from "../base/validators.ts";

/** The most rows that the page can ask for at once. */
export const maxRowsAtOnce = 400;

/** What is wrong with a message by the list of the protocol. */
export interface InspectorFault {
  readonly kind:
    | "unknownMethod"
    | "wrongSide"
    | "isNoRequest"
    | "isNoNotification"
    | "unknownUpdate"
    | "missingField"
    | "noResult"
    | "notMessage"
    | "duplicateId"
    | "noRequest"
    | "noAnswer";
  /** The field or the name, as the message has it, cut to what can be shown. */
  readonly name?: string;
}

/** One message, without its content. */
export interface InspectorRow {
  /** Counted from the first record of the connection. */
  readonly number: number;
  /** Since the start of the connection (ms). */
  readonly time: number;
  /** To the agent, from the agent, or a line that is no message: of its errors, of its output, or a note of Parley. */
  readonly dir: "c>a" | "a>c" | "err" | "out" | "note";
  readonly kind: "request" | "notification" | "answer" | "text";
  /** Of an answer, the method of its request. Empty: none, or not known. */
  readonly method: string;
  /** The kind of a session update. */
  readonly update?: string;
  readonly id?: string;
  /** The agent's ID of the session. */
  readonly session?: string;
  readonly bytes: number;
  /** The number of the answer to a request, or of the request of an answer. */
  readonly other?: number;
  /** From the request to its answer (ms). */
  readonly wait?: number;
  readonly isError?: true;
  readonly faults?: readonly InspectorFault[];
}

/** A value of JSON, cut to what can be shown. Secrets are masked. */
export interface InspectorNode {
  /** The name of the field, or the index of the item. Empty at the root. */
  readonly key: string;
  readonly kind: "object" | "array" | "string" | "literal";
  /** Of a string or a literal. */
  readonly text?: string;
  /** The number of fields or items. */
  readonly size?: number;
  readonly children?: readonly InspectorNode[];
  /** The number of fields, items or characters that are not shown. */
  readonly cut?: number;
}

/** What a row must have. An absent field allows all. */
export interface InspectorFilter {
  readonly method?: string;
  readonly session?: string;
  /** In the message as it is shown, without regard to case. */
  readonly text?: string;
  readonly only?: "errors" | "faults";
}

/** What the list has now. A position counts the rows that were dropped from its beginning (`removed`). */
export interface InspectorList {
  /** Another number: the rows of the list before are not those of this one. */
  readonly list: number;
  /** Another number: the messages are those of another connection, so the number of a message is that of another one. */
  readonly connection: number;
  readonly agent: string;
  readonly agents: readonly { readonly id: string; readonly name: string }[];
  readonly filter: InspectorFilter;
  readonly removed: number;
  /** The position after the last row. */
  readonly end: number;
  /** The number of kept messages, without regard to the filter. */
  readonly total: number;
  /** The number of messages that were dropped. */
  readonly dropped: number;
  /** Rows are still being found. */
  readonly isReading?: true;
  /** The connection has ended. */
  readonly isClosed?: true;
  /** What the filter can select. */
  readonly methods: readonly string[];
  readonly sessions: readonly string[];
}

/** What the extension host sends to the page. */
export type InspectorMessage =
  | { readonly type: "list"; readonly list: InspectorList }
  | { readonly type: "rows"; readonly list: number; readonly from: number; readonly rows: readonly InspectorRow[] }
  /** The selected message. `position` is absent if the row does not pass the filter. `reveal`: the page goes there. */
  | {
      readonly type: "message";
      readonly list: number;
      readonly row: InspectorRow;
      readonly position?: number;
      readonly root: InspectorNode;
      readonly reveal?: true;
    }
  /** The message that was to be shown is no longer recorded. */
  | { readonly type: "gone"; readonly list: number }
  /** What was done, or could not be: a sentence. */
  | { readonly type: "outcome"; readonly text: string; readonly isProblem?: true };

/** Every intent of the page. */
const inspectorIntents = {
  ready: {},
  chooseAgent: { agent: isString },
  filter: {
    method: optional(isString),
    session: optional(isString),
    text: optional(isString),
    only: optional(isOneOf("errors", "faults")),
  },
  /** Rows of this list, from a position on. */
  rows: { list: isNonNegativeInteger, from: isNonNegativeInteger, count: isNonNegativeInteger },
  /** Shows the message at this position. */
  select: { list: isNonNegativeInteger, position: isNonNegativeInteger },
  /** Shows the message with this number, in the list without a filter if the filter hides it. */
  goTo: { list: isNonNegativeInteger, number: isNonNegativeInteger },
  /** Copies the message with this number. */
  copy: { list: isNonNegativeInteger, number: isNonNegativeInteger },
  export: {},
} as const satisfies Readonly<Record<string, Fields>>;

export type InspectorIntent = MessageOf<typeof inspectorIntents>;

/** Whether a message of the page is an intent. */
export const isInspectorIntent = isMessageOf(inspectorIntents);
