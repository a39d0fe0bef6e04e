// Terminal output in a card: grows by lines, the last of which may still change.
import { AnsiLines, type Run } from "./ansi.ts";

/** More lines than this are dropped from the top: the whole is in the terminal and in the log. */
const MAX_LINES = 2000;

/** `<parley-terminal>`: set `text`; text that grows is appended. */
export class TerminalElement extends HTMLElement {
  #text = "";
  #lines = new AnsiLines();
  #last: HTMLElement | undefined;
  #follows = true;

  connectedCallback(): void {
    this.className = "terminal-output";
    this.tabIndex = 0;
    this.onscroll = () => {
      this.#follows = this.scrollHeight - this.scrollTop - this.clientHeight < 8;
    };
  }

  set text(text: string) {
    if (text === this.#text) return;
    if (!text.startsWith(this.#text)) this.#clear();
    const finished = this.#lines.write(text.slice(this.#text.length));
    this.#text = text;
    const fresh = document.createDocumentFragment();
    this.#last?.remove();
    for (const line of finished) fresh.append(lineOf(line));
    this.#last = undefined;
    if (this.#lines.line.length > 0) fresh.append((this.#last = lineOf(this.#lines.line)));
    this.append(fresh);
    while (this.childElementCount > MAX_LINES) this.firstElementChild?.remove();
    if (this.#follows) this.scrollTop = this.scrollHeight;
  }

  #clear(): void {
    this.#text = "";
    this.#lines = new AnsiLines();
    this.#last = undefined;
    this.replaceChildren();
  }
}

function lineOf(line: readonly Run[]): HTMLElement {
  const element = document.createElement("div");
  for (const { text, style } of line) {
    if (style === "") {
      element.append(text);
      continue;
    }
    const span = document.createElement("span");
    span.className = style;
    span.textContent = text;
    element.append(span);
  }
  if (line.length === 0) element.append("\u200b");
  return element;
}
