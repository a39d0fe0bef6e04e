// The chat as features use it: a surface to reveal, and the type of its editor tabs.
import type { Event } from "../base/lifecycle.ts";
import type { FocusTarget, PanelMessage } from "./protocol.ts";

/** The type of editor tabs. The manifest activates the extension for tabs that an earlier window left open. */
export const chatEditorType = "parley.chatEditor";

/** A surface that was opened or shown. */
export interface ShownSurface {
  readonly surface: string;
  /** The session that it showed in the last window. */
  readonly session?: string;
}

/** Shows the chat in the view or in an editor tab. */
export interface ChatSurface {
  /** Shows the chat and posts the message to the panel that is shown. `surfaces`: shows one of these. */
  reveal(message: PanelMessage, surfaces?: readonly string[]): Promise<void>;
  /** Shows the chat and moves the focus there. `surfaces`: shows one of these. */
  focus(target: FocusTarget, surfaces?: readonly string[]): Promise<void>;
  /** Shows one of the surfaces. The focus stays where it is. */
  showSurface(surfaces: readonly string[]): Promise<void>;
  /** Opens the chat in a new editor tab. Returns its surface. */
  openEditor(): string;
  /** Whether the user sees one of these surfaces. */
  isVisible(surfaces: readonly string[]): boolean;
  /** Fires when a surface was opened or shown. */
  readonly onDidShow: Event<ShownSurface>;
}
