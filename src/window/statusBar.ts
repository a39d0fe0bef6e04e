// The item in the status bar: the agent's name and state. A click opens the chat, at an open question if there is one.
import { t } from "../base/l10n.ts";
import type { StatusItem } from "../editor/editorItems.ts";
import { isBusy, openQuestions, type SessionState } from "../session/state.ts";

export class StatusBar {
  readonly #item: Pick<StatusItem, "show" | "hide">;
  readonly #onDidShowName: (name: string) => void;
  #shown = "";

  /** `onDidShowName`: receives each name that the item shows. */
  constructor(item: Pick<StatusItem, "show" | "hide">, onDidShowName: (name: string) => void) {
    this.#item = item;
    this.#onDidShowName = onDidShowName;
  }

  update(state: SessionState, agentName: string | undefined): void {
    const name = state.agent?.name ?? agentName;
    if (name === undefined) {
      this.#shown = "";
      return this.#item.hide();
    }
    const { icon, words } = sessionStatus(state);
    // This is called often, and each setter makes VS Code paint again.
    const shown = `${icon} ${name} ${words}`;
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#item.show(icon, name, words, `${name}: ${words}`);
    this.#onDidShowName(name);
  }
}

/** A codicon and a text for the state of a session. */
function sessionStatus(state: SessionState): { readonly icon: string; readonly words: string } {
  if (openQuestions(state).length > 0) return { icon: "bell-dot", words: t("Waiting for you") };
  if (state.lost) return { icon: "error", words: state.lost.message };
  if (isBusy(state)) return { icon: "loading~spin", words: t("Working") };
  if (state.background) return { icon: "loading~spin", words: t("Working in the background") };
  switch (state.connection?.state) {
    case "starting":
    case "connecting":
    case "opening":
      return { icon: "loading~spin", words: t("Starting") };
    case "ready":
      return { icon: "comment-discussion", words: t("Ready") };
    default:
      return { icon: "comment-discussion", words: t("Not started") };
  }
}
