// Menus, lists and the title that the user opens while a command still moves the focus to the message box.

const opened = ".menu, .popup, .title-input";

/**
 * A command shows its session first, and moves the focus a moment later. The user can have opened a menu in between,
 * which keeps the focus: otherwise it would close while the user chooses.
 */
export class OpenedLater {
  /** Whether the user has used the panel since the focus came to it and since it shows this session. */
  #isUsed = false;

  constructor() {
    addEventListener("focus", () => (this.#isUsed = false));
    addEventListener("click", () => (this.#isUsed = true), true);
    // Keys with a modifier run commands of VS Code.
    const key = (event: KeyboardEvent): void => {
      if (!event.ctrlKey && !event.metaKey && !event.altKey) this.#isUsed = true;
    };
    addEventListener("keydown", key, true);
  }

  /** Call this when the panel shows another session. */
  sessionChanged(): void {
    this.#isUsed = false;
  }

  /** Whether the focus is in a menu, a list or the title that the user has opened since. */
  get hasFocus(): boolean {
    const focused = document.activeElement;
    return this.#isUsed && focused !== null && focused.closest(opened) !== null;
  }
}
