// Messages: the user's as typed, the agent's as streaming Markdown, thoughts folded into one line.
import { html, nothing, type TemplateResult } from "lit";
import type { Excludable, ViewMessage, ViewPart } from "../../src/panel/protocol.ts";
import { copyButton } from "../markdown/copy.ts";
import { LightElement, everySecond, icon, markExcluded } from "../base/element.ts";
import { openState, send, setOpen } from "../base/vscodeApi.ts";
import { formatDuration, formatTime, t } from "../base/l10n.ts";
import { messagePart, partAt, userPart } from "./parts.ts";

/** How many characters of a streaming thought are shown while it is folded. */
const thoughtTailLength = 240;
const excerptLength = 80;

/** `<parley-message>`: one message or thought of the transcript. */
export class MessageElement extends LightElement {
  static override properties = { entry: { attribute: false }, live: { attribute: false } };
  declare entry: ViewMessage & Excludable;
  declare live: boolean;
  #stopTicking: (() => void) | undefined;
  /** The time is made only once it can be seen, because the browser's first one takes longer than painting an entry. */
  #showsTime = false;

  constructor() {
    super();
    for (const type of ["pointerenter", "focusin"]) this.addEventListener(type, this.#showTime);
  }

  #showTime = (): void => {
    if (this.#showsTime) return;
    this.#showsTime = true;
    this.requestUpdate();
  };

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stopTicking?.();
    this.#stopTicking = undefined;
  }

  protected override updated(): void {
    const ticks = this.entry.kind === "thought" && this.live;
    if (ticks) this.#stopTicking ??= everySecond(() => this.requestUpdate());
    else {
      this.#stopTicking?.();
      this.#stopTicking = undefined;
    }
  }

  protected override render(): TemplateResult {
    const { entry } = this;
    this.dataset["kind"] = entry.kind;
    markExcluded(this, entry);
    switch (entry.kind) {
      case "user":
        return this.#userMessage(entry);
      case "agent":
        return html`<div class="body">
            ${entry.parts.map((part, i) => partAt(i, messagePart(part, this.#isLive(i), { entry: entry.id, part: i })))}
          </div>
          ${this.#actions(this.live ? undefined : t("Copy Answer"))}`;
      case "thought":
        return this.#thought(entry);
      default:
        entry.kind satisfies never;
        return html``;
    }
  }

  #userMessage(entry: ViewMessage & Excludable): TemplateResult {
    return html`${entry.checkpoint ? this.#checkpointMark() : nothing}
      <h3 class="sr-only">${t("You: {0}", excerpt(messageText(entry.parts)))}</h3>
      <div class="body">${entry.parts.map((part, i) => partAt(i, userPart(part, { entry: entry.id, part: i })))}</div>
      ${entry.excluded ? html`<div class="quiet excluded">${icon("circle-slash")} ${excludedText(entry)}</div>` : nothing}
      ${this.#actions(t("Copy Prompt"), entry.checkpoint ? this.#menu() : nothing)}`;
  }

  #thought(entry: ViewMessage): TemplateResult {
    const open = openState(entry.id) ?? false;
    return html`<button class="fold" type="button" aria-expanded=${open} @click=${() => this.#toggle(!open)}>
        ${icon(open ? "chevron-down" : "chevron-right")} <span>${this.#thoughtTitle(entry)}</span>
      </button>
      ${
        open
          ? html`<div class="body" dir="auto">
              ${entry.parts.map((part, i) => partAt(i, messagePart(part, this.#isLive(i), { entry: entry.id, part: i })))}
            </div>`
          : this.live
            ? html`<div class="thought-tail" dir="auto" aria-hidden="true">
                <div>${messageText(entry.parts).slice(-thoughtTailLength)}</div>
              </div>`
            : nothing
      }`;
  }

  #thoughtTitle(entry: ViewMessage): string {
    if (this.live) {
      const elapsed = Date.now() - entry.at;
      return elapsed < 1000 ? t("Thinking…") : t("Thinking… {0}", formatDuration(elapsed));
    }
    return entry.until - entry.at < 1000 ? t("Thought") : t("Thought for {0}", formatDuration(entry.until - entry.at));
  }

  #toggle(open: boolean): void {
    setOpen(this.entry.id, open);
    this.requestUpdate();
  }

  /** Whether the part can grow: only the last one can. */
  #isLive(part: number): boolean {
    return this.live && part === this.entry.parts.length - 1;
  }

  #restore = (): void => send({ type: "restoreCheckpoint", entry: this.entry.id });

  /** The line before the turn: its begin can be restored. */
  #checkpointMark(): TemplateResult {
    return html`<div class="checkpoint-mark">
      <button type="button" title=${t("Restore Checkpoint")} @click=${this.#restore}>
        ${icon("discard")} <span class="checkpoint-label">${t("Restore Checkpoint")}</span>
      </button>
    </div>`;
  }

  #menu(): TemplateResult {
    const items = [{ label: t("Restore Checkpoint"), icon: "discard", run: this.#restore }];
    return html`<parley-menu .label=${t("Message Actions")} .floats=${true} .items=${items}></parley-menu>`;
  }

  /** The time and the buttons have a line of their own, so that they never cover a text. */
  #actions(label: string | undefined, more: TemplateResult | typeof nothing = nothing): TemplateResult {
    return html`<div class="actions">
      ${this.#time()}${label === undefined ? nothing : copyButton(label, () => messageText(this.entry.parts))}${more}
    </div>`;
  }

  #time(): TemplateResult | typeof nothing {
    const { at, isRepeated } = this.entry;
    if (!this.#showsTime || isRepeated) return nothing;
    const date = new Date(at);
    return html`<time class="quiet" datetime=${date.toISOString()} title=${date.toLocaleString()}
      >${formatTime(date)}</time
    >`;
  }
}

/** The text parts of a message, as written. */
export function messageText(parts: readonly ViewPart[]): string {
  return parts.flatMap(part => (part.type === "text" ? [part.text] : [])).join("\n\n");
}

function excerpt(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > excerptLength ? `${line.slice(0, excerptLength)}…` : line;
}

const excludedText = ({ unsent }: Excludable): string =>
  unsent ? t("Not answered, because the agent required a sign-in") : t("No longer part of the conversation");
