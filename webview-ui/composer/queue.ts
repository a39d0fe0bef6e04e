// The queued prompts above the composer, which can be edited, reordered, put on hold, sent immediately and removed.
import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { ViewQueuedPrompt } from "../../src/panel/protocol.ts";
import { LightElement, icon, roveByKey, roveTabStop, roveToFocus } from "../base/element.ts";
import { iconButton } from "../base/iconButton.ts";
import { send } from "../base/vscodeApi.ts";
import { t } from "../base/l10n.ts";

type Action = "edit" | "up" | "down" | "hold" | "steer" | "now" | "remove";

/** `<parley-queue>`: one tab stop; the arrow keys move between the buttons, Alt+Up and Alt+Down move a row. */
export class QueueElement extends LightElement {
  static override properties = { queue: { attribute: false }, editing: { state: true } };
  declare queue: readonly ViewQueuedPrompt[];
  /** The row that is being edited, and its current text. */
  declare editing: { readonly id: string; readonly text: string } | null;
  /** Called when the focused element disappeared. */
  onLeave: () => void = () => {};
  /** Called with the edited text of a prompt that was sent before the edit was saved. */
  onLate: (text: string) => void = () => {};
  #focused: { readonly id: string; readonly action: Action | "box" } | undefined;

  constructor() {
    super();
    this.queue = [];
    this.editing = null;
    this.addEventListener("keydown", event => this.#keydown(event));
    this.addEventListener("focusin", event => roveToFocus(this, event));
  }

  protected override willUpdate(): void {
    const { activeElement } = document;
    if (activeElement instanceof HTMLElement && this.contains(activeElement)) {
      const id = activeElement.closest<HTMLElement>("li")?.dataset["id"];
      const action = (activeElement.dataset["action"] ?? "box") as Action | "box";
      this.#focused = id === undefined ? undefined : { id, action };
    }
    const { editing } = this;
    if (!editing || this.queue.some(({ id, sent }) => id === editing.id && !sent)) return;
    this.editing = null;
    if (editing.text !== this.#textBeforeEdit) this.onLate(editing.text);
  }

  /** The original text of the row that is being edited. */
  #textBeforeEdit = "";

  protected override updated(): void {
    roveTabStop(this);
    const focused = this.#focused;
    this.#focused = undefined;
    // Moving or removing a row drops its focus.
    if (!focused || this.contains(document.activeElement)) return;
    const next = this.#control(focused.id, focused.action) ?? this.#control(focused.id, "edit");
    if (next) next.focus();
    else this.onLeave();
  }

  #control(id: string, action: Action | "box"): HTMLElement | undefined {
    const row = [...this.querySelectorAll<HTMLElement>("li")].find(each => each.dataset["id"] === id);
    const found = action === "box" ? row?.querySelector("textarea") : row?.querySelector(`[data-action=${action}]`);
    return found instanceof HTMLElement ? found : undefined;
  }

  protected override render(): TemplateResult | typeof nothing {
    if (this.queue.length === 0) return nothing;
    return html`${this.queue.some(one => one.paused) ? this.#pausedRow() : nothing}
      <ul class="queue" aria-label=${t("Queued messages")}>
        ${repeat(
          this.queue,
          ({ id }) => id,
          (one, at) => (this.editing?.id === one.id ? this.#editor(one) : this.#row(one, at)),
        )}
      </ul>`;
  }

  /** The state of a queue that waits for the user, with the button that sends it. */
  #pausedRow(): TemplateResult {
    const resume = (): void => {
      send({ type: "resumeQueue" });
      // The button disappears. Move the focus to the composer so that the page does not get it.
      this.onLeave();
    };
    return html`<div class="queue-paused quiet">
      ${icon("debug-pause")} ${t("Paused")} <span aria-hidden="true">·</span>
      <button class="link" type="button" title=${t("Send the queued messages")} @click=${resume}>${t("Resume")}</button>
    </div>`;
  }

  #row(one: ViewQueuedPrompt, at: number): TemplateResult {
    const { id, text, sent, isOnHold } = one;
    return html`<li dir="auto" data-id=${id} class=${isOnHold ? "on-hold" : nothing}>
      ${icon(sent ? "sync" : isOnHold ? "debug-pause" : "comment")}
      <span class="ellipsis queue-text" title=${text}>${text}</span>
      ${attachmentCount(one)}
      ${
        isOnHold
          ? html`<span
              class="quiet queue-state"
              title=${t("This message and those behind it wait until you release it")}
              >${t("On hold")}</span
            >`
          : this.#waitsForRelease(one, at)
      }
      ${
        sent
          ? html`<span class="quiet">${t("Sent")}</span
              >${one.isHeld ? this.#button(one, "remove", "close", t("Ask the agent to give it back"), t("Ask the agent to give it back: {0}", text)) : nothing}`
          : html`<span class="queue-actions"
              ><span class="queue-more"
                >${this.#button(one, "edit", "edit", t("Edit"), t("Edit: {0}", text))}${this.#moveButtons(one)}</span
              ><span class="queue-hold">${this.#holdButton(one)}</span
              >${one.canSteer ? this.#button(one, "steer", "send", t("Send while running"), t("Send while running: {0}", text)) : nothing}${this.#button(one, "now", "run-above", t("Stop and send now"), t("Send now: {0}", text))}${this.#button(
                one,
                "remove",
                "close",
                t("Remove from queue"),
                t("Remove from queue: {0}", text),
              )}</span
            >`
      }
    </li>`;
  }

  /** Why a message waits that is not on hold itself. */
  #waitsForRelease({ sent }: ViewQueuedPrompt, at: number): TemplateResult | typeof nothing {
    if (sent || !this.queue.slice(0, at).some(({ isOnHold }) => isOnHold)) return nothing;
    const reason = t("Waits until the message on hold before it is released");
    return html`<span class="quiet queue-state" title=${reason}
      ><span aria-hidden="true">${t("Waits")}</span><span class="sr-only">${reason}</span></span
    >`;
  }

  #moveButtons(one: ViewQueuedPrompt): readonly TemplateResult[] | typeof nothing {
    const waiting = this.#waiting;
    if (waiting.length < 2) return nothing;
    const { id, text } = one;
    return [
      this.#button(one, "up", "arrow-up", t("Move up (Alt+Up)"), t("Move up: {0}", text), id === waiting[0]?.id),
      this.#button(
        one,
        "down",
        "arrow-down",
        t("Move down (Alt+Down)"),
        t("Move down: {0}", text),
        id === waiting.at(-1)?.id,
      ),
    ];
  }

  /** One button for both, so that it keeps the focus. */
  #holdButton(one: ViewQueuedPrompt): TemplateResult {
    return one.isOnHold
      ? this.#button(one, "hold", "debug-start", t("Release"), t("Release: {0}", one.text))
      : this.#button(one, "hold", "debug-pause", t("Hold until you release it"), t("Hold: {0}", one.text));
  }

  #button(
    one: ViewQueuedPrompt,
    action: Action,
    codicon: string,
    title: string,
    label: string,
    softDisabled = false,
  ): TemplateResult {
    return iconButton(codicon, { label, title, action, softDisabled, onClick: () => this.#act(one, action) });
  }

  #editor(one: ViewQueuedPrompt): TemplateResult {
    return html`<li data-id=${one.id} class="queue-editor">
      <textarea
        rows="1"
        dir="auto"
        aria-label=${t("Edit queued text")}
        .value=${this.editing?.text ?? ""}
        @input=${(event: Event) => (this.editing = { id: one.id, text: (event.target as HTMLTextAreaElement).value })}
        @keydown=${(event: KeyboardEvent) => this.#editorKey(event, one)}
      ></textarea>
      <div class="buttons">
        ${attachmentCount(one)}
        <button class="primary" type="button" @click=${() => this.#save(one)}>${t("Save")}</button>
        <button class="secondary" type="button" @click=${() => this.#cancel(one)}>${t("Cancel")}</button>
      </div>
    </li>`;
  }

  get #waiting(): readonly ViewQueuedPrompt[] {
    return this.queue.filter(({ sent }) => !sent);
  }

  #act(one: ViewQueuedPrompt, action: Action): void {
    const promptId = one.id;
    switch (action) {
      case "edit":
        return this.#edit(one);
      case "up":
        return this.#move(promptId, -1);
      case "down":
        return this.#move(promptId, 1);
      case "hold":
        return send({ type: one.isOnHold ? "releaseQueued" : "holdQueued", prompt: promptId });
      case "steer":
        return send({ type: "sendWhileRunning", prompt: promptId });
      case "now":
        return send({ type: "sendNow", prompt: promptId });
      case "remove":
        send({ type: "withdraw", prompt: promptId });
        // The button disappears with its row. Move the focus to the composer so that the page does not get it.
        return this.onLeave();
      default:
        action satisfies never;
    }
  }

  #move(promptId: string, step: -1 | 1): void {
    const waiting = this.#waiting;
    const to = waiting.findIndex(({ id }) => id === promptId) + step;
    if (to < 0 || to >= waiting.length) return;
    const before = waiting[step < 0 ? to : to + 1]?.id;
    send({ type: "moveQueued", prompt: promptId, ...(before !== undefined && { before }) });
  }

  #edit({ id, text }: ViewQueuedPrompt): void {
    this.#textBeforeEdit = text;
    this.editing = { id, text };
    void this.updateComplete.then(() => {
      const box = this.querySelector("textarea");
      box?.focus();
      box?.setSelectionRange(text.length, text.length);
    });
  }

  #editorKey(event: KeyboardEvent, one: ViewQueuedPrompt): void {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape") this.#cancel(one);
    else if (event.key === "Enter" && !event.shiftKey && !event.altKey) this.#save(one);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #save({ id, attachments }: ViewQueuedPrompt): void {
    const text = this.editing?.text ?? "";
    this.editing = null;
    const isEmpty = text.trim() === "" && !attachments;
    if (isEmpty) send({ type: "withdraw", prompt: id });
    else if (text !== this.#textBeforeEdit) send({ type: "editQueued", prompt: id, text });
    if (isEmpty) this.onLeave();
    else this.#focusEditButton(id);
  }

  #cancel({ id }: ViewQueuedPrompt): void {
    this.editing = null;
    this.#focusEditButton(id);
  }

  #focusEditButton(id: string): void {
    void this.updateComplete.then(() => this.#control(id, "edit")?.focus());
  }

  #keydown(event: KeyboardEvent): void {
    const row = (event.target as HTMLElement).closest<HTMLElement>("li");
    const id = row?.dataset["id"];
    if ((event.target as HTMLElement).tagName === "TEXTAREA") return;
    if (id !== undefined && event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      event.preventDefault();
      this.#move(id, event.key === "ArrowUp" ? -1 : 1);
    } else roveByKey(this, event);
  }
}

function attachmentCount({ attachments }: ViewQueuedPrompt): TemplateResult | typeof nothing {
  if (!attachments || attachments.length === 0) return nothing;
  const words = attachments.length === 1 ? t("1 attachment") : t("{0} attachments", attachments.length);
  return html`<span class="quiet queue-attached" title=${attachments.join("\n")}
    >${icon("attach")}<span aria-hidden="true">${attachments.length}</span><span class="sr-only">${words}</span></span
  >`;
}
