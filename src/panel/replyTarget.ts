// The panel that a request came from, to answer it there.
import type { Intent } from "./intents.ts";
import type { PanelMessage } from "./protocol.ts";

/** Intents that mean something outside the panel's own channel. */
export type PanelAction = Exclude<Intent, { type: "hello" | "resync" | "painted" }>;

/** How an intent's effect answers the panel it came from. */
export interface ReplyTarget {
  /** Posts to that panel only. What the panel does not take is dropped. */
  reply(message: PanelMessage): void;
}
