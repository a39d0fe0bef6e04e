// Messages: the user's as typed, the agent's as streaming Markdown, thoughts folded into one line.
import { html, nothing, type TemplateResult } from "lit";
import type { Excludable, ViewMessage, ViewPart } from "../../src/panel/protocol.ts";
import { copyButton } from "../markdown/copy.ts";
import { iconButton } from "../base/iconButton.ts";
import { LightElement, everySecond, icon, markExcluded } from "../base/element.ts";
import { openState, send, setOpen } from "../base/vscodeApi.ts";
import { formatDuration, formatTime, t } from "../base/l10n.ts";
import { messagePart, partAt, userPart } from "./parts.ts";

/** How many characters of a streaming thought are shown while it is folded. */
const thoughtTailLength = 240;
const excerptLength = 80;

interface MessageAction {
  readonly label: string;
  readonly icon: string;
  readonly run: () => void;
}

/** `<parley-message>`: one message or thought of the transcript. */
export class MessageElement extends LightElement {
  static override properties = { entry: { attribute: false }, live: { attribute: false }, edited: { state: true } };
  declare entry: ViewMessage & Excludable;
  declare live: boolean;
  /** The text in the editor of the bubble; null while the message is not edited. */
  declare edited: string | null;
  #focuses: "editor" | "edit" | undefined;
  #stopTicking: (() => void) | undefined;
  /** The time is made only once it can be seen, because the browser's first one takes longer than painting an entry. */
  #showsTime = false;

  constructor() {
    super();
    this.edited = null;
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
    this.#moveFocus();
    const ticks = this.entry.kind === "thought" && this.live;
    if (ticks) this.#stopTicking ??= everySecond(() => this.requestUpdate());
    else {
      this.#stopTicking?.();
      this.#stopTicking = undefined;
    }
  }

  #moveFocus(): void {
    const focuses = this.#focuses;
    this.#focuses = undefined;
    if (focuses === "edit") this.querySelector<HTMLElement>("[data-action=edit]")?.focus();
    if (focuses !== "editor") return;
    const box = this.querySelector<HTMLTextAreaElement>(".bubble-editor textarea");
    box?.focus();
    box?.setSelectionRange(box.value.length, box.value.length);
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
          ${this.#switcher()}
          ${this.live ? this.#actions(undefined) : this.#actions(t("Copy Answer"), entry.parent === undefined ? this.#menu([this.#branchItem]) : nothing)}`;
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
      ${this.edited === null ? this.#userBody(entry) : this.#editor(entry, this.edited)}`;
  }

  #userBody(entry: ViewMessage & Excludable): TemplateResult {
    const isSubAgents = entry.parent !== undefined;
    return html`<div class="body">
        ${entry.parts.map((part, i) => partAt(i, userPart(part, { entry: entry.id, part: i })))}
      </div>
      ${entry.excluded ? html`<div class="quiet excluded">${icon("circle-slash")} ${excludedText(entry)}</div>` : nothing}
      ${this.#switcher()}
      ${this.#actions(
        t("Copy Prompt"),
        isSubAgents
          ? nothing
          : html`${isCut(entry.parts) ? nothing : this.#editButton()}${this.#menu(this.#promptItems(entry))}`,
      )}`;
  }

  #promptItems(entry: ViewMessage): readonly MessageAction[] {
    const retry = { label: t("Retry"), icon: "refresh", run: () => send({ type: "retryPrompt", entry: entry.id }) };
    const restore = { label: t("Restore Checkpoint"), icon: "discard", run: this.#restore };
    return [...(entry.checkpoint ? [restore] : []), retry, this.#branchItem];
  }

  get #branchItem(): MessageAction {
    const { id } = this.entry;
    return { label: t("Branch from Here"), icon: "git-branch", run: () => send({ type: "branchFrom", entry: id }) };
  }

  #editButton(): TemplateResult {
    return iconButton("edit", { label: t("Edit Prompt"), action: "edit", onClick: this.#edit });
  }

  #edit = (): void => {
    this.edited = messageText(this.entry.parts);
    this.#focuses = "editor";
  };

  /** The text of the prompt. Its attachments and images stay, and the draft in the composer is another one. */
  #editor(entry: ViewMessage, text: string): TemplateResult {
    const canSend = this.#canSend(text);
    const kept = entry.parts.map((part, i) =>
      part.type === "text" ? nothing : partAt(i, userPart(part, { entry: entry.id, part: i })),
    );
    return html`<div class="bubble-editor">
      <textarea
        rows="2"
        dir="auto"
        aria-label=${t("Edit Prompt")}
        .value=${text}
        @input=${(event: Event) => (this.edited = (event.target as HTMLTextAreaElement).value)}
        @keydown=${this.#editorKey}
      ></textarea>
      <div class="body">${kept}</div>
      <div class="buttons">
        <button class="primary" type="button" ?disabled=${!canSend} @click=${this.#sendEdited}>
          ${t("Send in a New Branch")}
        </button>
        <button class="secondary" type="button" @click=${this.#leaveEditor}>${t("Cancel")}</button>
      </div>
    </div>`;
  }

  #canSend(text: string): boolean {
    return text.trim() !== "" || this.entry.parts.some(({ type }) => type !== "text");
  }

  #editorKey = (event: KeyboardEvent): void => {
    if (event.isComposing || event.keyCode === 229) return;
    const isSent = document.body.dataset["sendKey"] === "modEnter" ? event.ctrlKey || event.metaKey : true;
    if (event.key === "Escape") this.#leaveEditor();
    else if (event.key === "Enter" && !event.shiftKey && !event.altKey && isSent) this.#sendEdited();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  #sendEdited = (): void => {
    const text = this.edited ?? "";
    if (!this.#canSend(text)) return;
    // The editor stays until the branch is shown, so that the text is not lost if the user cancels or it cannot begin.
    send({ type: "editPrompt", entry: this.entry.id, text });
  };

  #leaveEditor = (): void => {
    this.edited = null;
    this.#focuses = "edit";
  };

  /** The branches that part here. */
  #switcher(): TemplateResult | typeof nothing {
    const { branch } = this.entry;
    if (!branch) return nothing;
    const { at, of, previous, next } = branch;
    const button = (codicon: string, label: string, id: string | undefined): TemplateResult =>
      iconButton(codicon, {
        label,
        softDisabled: id === undefined,
        onClick: () => id !== undefined && send({ type: "showBranch", id }),
      });
    return html`<div class="branches" role="group" aria-label=${t("Branches")}>
      ${button("chevron-left", t("Previous Branch"), previous)}
      <span>${t("{0} of {1}", at, of)}</span>
      ${button("chevron-right", t("Next Branch"), next)}
    </div>`;
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

  #menu(items: readonly MessageAction[]): TemplateResult {
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

/** Whether the panel has only a part of the text. */
const isCut = (parts: readonly ViewPart[]): boolean =>
  parts.some(part => part.type === "text" && part.cut !== undefined);
