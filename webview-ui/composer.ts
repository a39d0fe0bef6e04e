// Where prompts are written: the growing text box, Send and Stop, the queue above it, the agent's options below.
import { html, nothing, type TemplateResult } from "lit";
import { live } from "lit/directives/live.js";
import type { Head, PanelMessage } from "../src/chat/protocol.ts";
import { LightElement, icon } from "./element.ts";
import { memory, remember, send } from "./host.ts";
import { t } from "./l10n.ts";
import { optionControls, usageRing } from "./options.ts";

/** `<parley-composer>`. */
export class ComposerElement extends LightElement {
  static override properties = { head: { attribute: false }, draft: { state: true } };
  declare head: Head;
  declare draft: string;
  /** Earlier prompts of this session, oldest first. */
  prompts: () => readonly string[] = () => [];
  /** Called when a prompt goes out. */
  onSend: () => void = () => {};
  /** How many prompts back the draft was recalled from; 0 when it was typed. */
  #recalled = 0;

  constructor() {
    super();
    this.draft = memory.draft;
  }

  /** Gives the focus to the text box. */
  focusBox(): void {
    this.#box?.focus();
  }

  /** Takes what the host says to the composer of this panel. */
  hear(message: Extract<PanelMessage, { type: "completions" | "attached" | "refused" | "unsent" }>): void {
    // What was written meanwhile stays, below what comes back.
    if (message.type === "unsent") this.fill([message.text, this.draft].filter(text => text !== "").join("\n\n"));
  }

  /** Puts a text into the box, ready to be changed or sent. */
  fill(text: string): void {
    this.#setDraft(text);
    void this.updateComplete.then(() => {
      this.focusBox();
      this.#box?.setSelectionRange(text.length, text.length);
    });
  }

  get #box(): HTMLTextAreaElement | null {
    return this.querySelector("textarea");
  }

  get #running(): boolean {
    return this.head.activity.state !== "idle";
  }

  protected override render(): TemplateResult {
    const { head } = this;
    const { agent } = head;
    const canSend = this.#takes && this.draft.trim() !== "";
    return html`${this.#queue()}
      <div class="composer">
        <textarea
          aria-label=${t("Message")}
          placeholder=${agent ? t("Message {0}", agent.name) : t("Select an agent to start")}
          rows="1"
          .value=${live(this.draft)}
          @input=${this.#input}
          @keydown=${this.#keydown}
        ></textarea>
        <div class="composer-bar">
          <div class="option-list">${optionControls(head.options)}</div>
          <div class="composer-end">
            ${usageRing(head.usage)} ${this.#running ? this.#stopButton() : nothing}
            <button
              class="icon-button send"
              type="button"
              aria-label=${t("Send")}
              title=${this.#running ? t("Queue this message") : this.#sendTitle()}
              ?disabled=${!canSend}
              @click=${this.#submit}
            >
              ${icon("send")}
            </button>
          </div>
        </div>
      </div>`;
  }

  #sendTitle(): string {
    return this.head.sendKey === "enter" ? t("Send (Enter)") : t("Send (Ctrl+Enter or ⌘Enter)");
  }

  #stopButton(): TemplateResult {
    const { cancelling } = this.head.activity;
    return html`<button
      class="icon-button stop"
      type="button"
      aria-label=${t("Stop")}
      title=${cancelling ? t("Stopping…") : t("Stop (Escape)")}
      ?disabled=${cancelling}
      @click=${this.#stop}
    >
      ${icon("debug-stop")}
    </button>`;
  }

  #queue(): TemplateResult | typeof nothing {
    const { queue } = this.head;
    if (queue.length === 0) return nothing;
    return html`<ul class="queue" aria-label=${t("Queued messages")}>
      ${queue.map(
        ({ id, text, sent }) =>
          html`<li>
            ${icon(sent ? "sync" : "comment")} <span class="ellipsis" title=${text}>${text}</span>
            ${
              sent
                ? html`<span class="quiet">${t("Sent")}</span>`
                : html`<button
                      class="icon-button"
                      type="button"
                      aria-label=${t("Send now: {0}", text)}
                      title=${t("Send now: stops what runs")}
                      @click=${() => send({ type: "sendNow", submission: id })}
                    >
                      ${icon("run-above")}</button
                    ><button
                      class="icon-button"
                      type="button"
                      aria-label=${t("Remove from queue: {0}", text)}
                      title=${t("Remove from queue")}
                      @click=${() => this.#withdraw(id)}
                    >
                      ${icon("close")}
                    </button>`
            }
          </li>`,
      )}
    </ul>`;
  }

  #withdraw(submission: string): void {
    send({ type: "withdraw", submission });
    // Its button goes away with it: keep the focus in the composer instead of losing it to the page.
    this.focusBox();
  }

  #input = (event: Event): void => {
    this.#recalled = 0;
    this.#setDraft((event.target as HTMLTextAreaElement).value);
  };

  #keydown = (event: KeyboardEvent): void => {
    // 229: the key belongs to an input method, also where isComposing is already false.
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Enter" && this.#sends(event)) {
      event.preventDefault();
      this.#submit();
    } else if (event.key === "Escape" && this.#running) {
      event.preventDefault();
      this.#stop();
    } else if (event.key === "ArrowUp") this.#recall(event, 1);
    else if (event.key === "ArrowDown") this.#recall(event, -1);
  };

  #sends(event: KeyboardEvent): boolean {
    if (event.shiftKey || event.altKey) return false;
    const modified = event.ctrlKey || event.metaKey;
    return this.head.sendKey === "modEnter" ? modified : !modified;
  }

  /** Whether a prompt would be taken: not where nothing can be started, so that no text is lost. */
  get #takes(): boolean {
    const { agent, connection, problem } = this.head;
    return agent !== null && !(connection === null && problem !== null);
  }

  #submit = (): void => {
    const text = this.draft;
    if (text.trim() === "" || !this.#takes) return;
    send({ type: "send", text });
    this.#recalled = 0;
    this.#setDraft("");
    this.onSend();
    this.focusBox();
  };

  #stop = (): void => {
    if (this.head.activity.cancelling) return;
    send({ type: "stop" });
    this.focusBox();
  };

  /** Up and down walk through earlier prompts, from an empty box and as long as what was recalled is not changed. */
  #recall(event: KeyboardEvent, step: 1 | -1): void {
    if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.#recalled === 0 && (step < 0 || this.draft !== "")) return;
    const prompts = this.prompts();
    const back = Math.min(this.#recalled + step, prompts.length);
    if (back === this.#recalled) return;
    event.preventDefault();
    this.#recalled = back;
    this.#setDraft(back === 0 ? "" : (prompts.at(-back) ?? ""));
  }

  #setDraft(draft: string): void {
    this.draft = draft;
    remember({ draft });
  }
}
