// What the panel and the extension host send each other for Find in Conversation.
import type { Intent } from "../intents.ts";

/** A search in the conversation. */
export type FindQuery = Omit<Extract<Intent, { type: "find" }>, "type" | "request">;

/** One hit of a search. */
export interface FindHit {
  readonly entry: string;
  /** The index of its part. Absent for a hit in the frame of the entry: title, locations, notes. */
  readonly part?: number;
  /** The number of equal texts before it in the same part or frame, as painted. */
  readonly nth: number;
  /** The matched text. Cut if it is very long. */
  readonly text: string;
}
