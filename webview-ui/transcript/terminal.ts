// Terminal output in a card, as a terminal shows it. The emulator is a separate chunk. Until it is loaded, or if it
// cannot be loaded, the output is plain text.
import { asError } from "../../src/base/errors.ts";
import type { Emulator, StyledLine, StyledRun } from "./emulator.ts";
import { morph } from "../markdown/morph.ts";
import { roveTabStop } from "../base/element.ts";
import { send } from "../base/vscodeApi.ts";
import { linkPaths } from "./outputLinks.ts";

/** More lines than this are replaced instead of compared with the painted lines. */
const maxComparedLines = 200;
/** Lines per block. Blocks outside the view are not laid out, which saves most of the time for long output. */
const linesPerBlock = 50;

/** Sequences that are not shown: colours and cursor movements, strings such as titles, and short sequences. */
const escapeSequences =
  /(?:\u001b\[|\u009b)[0-9:;<=>?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g;

let emulatorClass: typeof Emulator | undefined;
let loading: Promise<void> | undefined;

function loadEmulator(): Promise<void> {
  return (loading ??= import("./emulator.ts").then(
    module => void (emulatorClass = module.Emulator),
    (thrown: unknown) => send({ type: "report", kind: "error", text: asError(thrown).message }),
  ));
}

/**
 * `<parley-terminal>`: set `folder`, where the command runs, and `text`. Text that grows is appended. Set `ended` when the
 * output is complete.
 */
export class TerminalElement extends HTMLElement {
  folder: string | undefined;
  #text = "";
  #hasEnded = false;
  #emulator: Emulator | undefined;
  /** The text that was written to the emulator. */
  #writtenText = "";
  /** Whether the emulator is still processing it. */
  #isWriting = false;
  #frame: number | undefined;
  #isPlain = true;
  readonly #content = document.createElement("div");
  /** The painted lines of all blocks. */
  #lines: HTMLElement[] = [];
  #followsEnd = true;
  #lastTop = 0;
  /** Blocks get their real heights when they become visible. */
  readonly #resizeObserver = new ResizeObserver(() => {
    if (this.#followsEnd) this.scrollTop = this.scrollHeight;
  });

  connectedCallback(): void {
    this.classList.add("terminal-output", "following");
    this.tabIndex = 0;
    this.onscroll = () => this.#handleScroll();
    this.append(this.#content);
    this.#resizeObserver.observe(this.#content);
    this.#writePending();
  }

  disconnectedCallback(): void {
    this.#resizeObserver.disconnect();
    this.#release();
  }

  set text(text: string) {
    if (text === this.#text) return;
    this.#text = text;
    // A loaded emulator produces its first lines before the next frame.
    if (this.#isPlain && !emulatorClass) this.#paintPlain();
    this.#writePending();
  }

  set ended(ended: boolean) {
    this.#hasEnded = ended;
    this.#releaseIfDone();
  }

  /** The output as shown, without colours. */
  get plainText(): string {
    if (this.#isPlain) return this.#content.textContent;
    return this.#lines.map(line => line.textContent).join("\n");
  }

  /** Writes the new text to the emulator, unless it is still processing earlier text. */
  #writePending(): void {
    if (!this.isConnected || this.#isWriting || this.#text === this.#writtenText) return;
    if (!emulatorClass) {
      void loadEmulator().then(() => emulatorClass && this.#writePending());
      return;
    }
    if (this.#text === "") return this.#clear();
    if (!this.#emulator || !this.#text.startsWith(this.#writtenText)) {
      this.#emulator?.dispose();
      this.#emulator = new emulatorClass();
      this.#writtenText = "";
    }
    const emulator = this.#emulator;
    const rest = this.#text.slice(this.#writtenText.length);
    this.#writtenText = this.#text;
    this.#isWriting = true;
    emulator.write(rest, () => {
      if (emulator !== this.#emulator) return;
      this.#isWriting = false;
      // The first lines are painted immediately, so that an opened card is never empty.
      if (this.#isPlain) this.#paint();
      else this.#frame ??= requestAnimationFrame(() => this.#paint());
      this.#writePending();
    });
  }

  #paint(): void {
    this.#stopFrame();
    if (!this.#emulator) return;
    const { dropped, kept, lines } = this.#emulator.take();
    if (this.#isPlain) this.#content.replaceChildren();
    this.#isPlain = false;
    const tabStop = this.querySelector("[data-current]");
    removeLines(this.#lines.splice(0, dropped));
    // Lines with the same content stay, so that a selection in them survives.
    const compared = lines.length > maxComparedLines ? 0 : Math.min(lines.length, this.#lines.length - kept);
    removeLines(this.#lines.splice(kept + compared));
    for (const [i, line] of lines.entries()) {
      const old = i < compared ? this.#lines[kept + i] : undefined;
      const fresh = lineElement(line);
      linkPaths(fresh, this.folder);
      this.#lines[kept + i] = old ? morph(old, fresh) : this.#append(fresh);
    }
    const card = tabStop?.isConnected === false ? this.closest<HTMLElement>("parley-tool, .question") : null;
    if (card) roveTabStop(card);
    this.#releaseIfDone();
  }

  #append(line: HTMLElement): HTMLElement {
    const last = this.#content.lastElementChild;
    if (last && last.childElementCount < linesPerBlock) last.append(line);
    else this.#content.appendChild(document.createElement("div")).append(line);
    return line;
  }

  #paintPlain(): void {
    this.#content.textContent = this.#text.replace(escapeSequences, "").replace(/\r+\n?/g, "\n");
  }

  #clear(): void {
    this.#release();
    this.#writtenText = "";
    this.#lines = [];
    this.#content.replaceChildren();
  }

  /** Follows the end until the user scrolls up, and again when the user is back at the end. */
  #handleScroll(): void {
    const isUp = this.scrollTop < this.#lastTop;
    this.#lastTop = this.scrollTop;
    const isAtEnd = this.scrollHeight - this.scrollTop - this.clientHeight < 8;
    if (isAtEnd || isUp) this.#followsEnd = isAtEnd;
    this.classList.toggle("following", this.#followsEnd);
  }

  /** Disposes the emulator, which takes megabytes, when it is no longer needed. Its lines stay. */
  #releaseIfDone(): void {
    if (this.#hasEnded && !this.#isWriting && this.#frame === undefined && this.#writtenText === this.#text)
      this.#release();
  }

  #release(): void {
    // Text that was written but not painted must be written again.
    if (this.#isWriting || this.#frame !== undefined) this.#writtenText = "";
    this.#stopFrame();
    this.#isWriting = false;
    this.#emulator?.dispose();
    this.#emulator = undefined;
  }

  #stopFrame(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
  }
}

/** Removes lines, and blocks that become empty. */
function removeLines(lines: readonly HTMLElement[]): void {
  for (const line of lines) {
    const block = line.parentElement;
    line.remove();
    if (block?.childElementCount === 0) block.remove();
  }
}

function lineElement(line: StyledLine): HTMLElement {
  const element = document.createElement("div");
  element.append(...line.map(runNode));
  // An empty line has a height too.
  if (line.length === 0) element.append(document.createElement("br"));
  return element;
}

function runNode({ text, style, foreground, background }: StyledRun): Node | string {
  if (style === "") return text;
  const span = document.createElement("span");
  span.className = style;
  if (foreground !== undefined) span.style.setProperty("--ansi-fg", foreground);
  if (background !== undefined) span.style.setProperty("--ansi-bg", background);
  span.textContent = text;
  return span;
}
