// The chat as features use it: a surface to reveal, and the type of its editor tabs.
import type { PanelMessage } from "./protocol.ts";

/** The type of editor tabs. The manifest activates the extension for tabs that an earlier window left open. */
export const chatEditorType = "parley.chatEditor";

/** Shows the chat in the view or in an editor tab. */
export interface ChatSurface {
  /** Shows the chat and posts the message to the panel that is shown. */
  reveal(message: PanelMessage): Promise<void>;
  /** Shows the chat and moves the focus there. */
  focus(target: "composer" | "ask" | "find"): Promise<void>;
}
