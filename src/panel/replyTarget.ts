// The panel that a request came from, so that the reply goes there.
import type { IntentMessage } from "./intents.ts";
import type { PanelMessage } from "./protocol.ts";

/** Intents that are handled outside the panel's own channel. */
export type PanelAction = Exclude<IntentMessage, { type: "hello" | "resync" | "painted" }>;

/** Replies to the panel that an intent came from. */
export interface ReplyTarget {
  /** The panel: the chat view or an editor tab, as the registry of open sessions names it. */
  readonly surface: string;
  /** Posts to that panel only. A message that the panel does not accept is dropped. */
  reply(message: PanelMessage): void;
}
