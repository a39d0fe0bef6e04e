// The whole panel: header, banner, transcript or empty state, and what is pinned below it.
import { html, nothing, type TemplateResult } from "lit";
import type { Head, PanelMessage, View } from "../../src/panel/protocol.ts";
import type { AsksElement } from "../question/questionCard.ts";
import { keepAnswers } from "../transcript/questionOptions.ts";
import { CHANGES } from "./changes.ts";
import type { ComposerElement } from "../composer/composer.ts";
import type { FindElement, FindSurroundings } from "../find/find.ts";
import { LightElement, everySecond, icon } from "../base/element.ts";
import { emptyState } from "./emptyState.ts";
import type { HeaderElement } from "./header.ts";
import { memory, remember } from "../base/vscodeApi.ts";
import { duration, t } from "../base/l10n.ts";
import { plainText } from "../transcript/message.ts";
import { runId } from "../transcript/outline.ts";
import { problemBody } from "../transcript/problem.ts";
import { play } from "./sound.ts";
import { Speech } from "./speech.ts";
import type { Change, Store } from "../base/store.ts";
import { ASK_LEFT } from "../transcript/toolCall.ts";
import type { TranscriptElement } from "../transcript/transcript.ts";
import { unknownHead } from "../base/placeholderHead.ts";
import { activityWords, connectionWords } from "./statusText.ts";

/** `<parley-panel>`: set `store` before it is connected. */
export class PanelElement extends LightElement {
  static override properties = { head: { state: true } };
  declare store: Store;
  declare head: Head | undefined;
  #speech: Speech | undefined;
  /** Changes are spoken one after the other, each when it has been painted. */
  #spoken: Promise<void> = Promise.resolve();
  #stopTicking: (() => void) | undefined;
  readonly #aroundFind: FindSurroundings = {
    transcript: () => this.#transcript,
    entries: () => this.store.view?.entries ?? [],
    focusElsewhere: () => this.focusComposer(),
  };

  /** Brings a change onto the page: an entry that changed in place is repainted alone. */
  show(change: Change, view: View): void {
    const transcript = this.#transcript;
    const asks = this.head?.asks ?? [];
    if (change.head.size > 0) this.head = view.head;
    if (change.head.has("live")) transcript.setLive(view.head.live);
    if (change.head.has("asks")) {
      keepAnswers(view.head.asks);
      transcript.setAsks(view.head.asks, asks);
    }
    if (change.snapshot ? !change.partial : change.prepended > 0) forgetStrangers(view);
    const touched = [...change.touched].flatMap(id => this.store.entry(id) ?? []);
    transcript.show(view.entries, change, touched);
    // Examples to try would mock whoever cannot try anything yet.
    const isEmpty = view.entries.length === 0 && view.head.problem === null;
    transcript.empty = isEmpty ? emptyState(view.head, text => this.#composer?.fill(text)) : nothing;
    if (change.snapshot) void transcript.restoreAnchor();
    this.#find?.viewChanged(change);
    this.#spoken = this.#spoken.then(async () => {
      await this.updateComplete;
      await transcript.updateComplete;
      await this.#speech?.hear(change, view);
    });
  }

  /** Takes what is said to this panel alone. */
  hear(message: PanelMessage): void {
    switch (message.type) {
      case "focus":
        if (message.target === "find") void this.#find?.open();
        else if (message.target === "ask") this.focusAsk();
        else this.focusComposer();
        break;
      case "completions":
      case "attached":
      case "refused":
      case "unsent":
      case "draft":
        this.#composer?.hear(message);
        break;
      case "found":
        this.#find?.hear(message);
        break;
      case "sound":
        play(message.sound);
        break;
      case "say":
        this.#speech?.say(message.text);
        break;
      default:
        message satisfies never;
    }
  }

  /** Gives the focus to the text box. */
  focusComposer(): void {
    this.#composer?.focusBox();
  }

  /** Goes to the open question, or to the composer where there is none. */
  focusAsk(): void {
    if (this.head && this.head.asks.length > 0) this.querySelector<AsksElement>("parley-asks")?.focusCard();
    else this.focusComposer();
  }

  async #afterAnswer(): Promise<void> {
    await this.updateComplete;
    await this.querySelector<AsksElement>("parley-asks")?.updateComplete;
    this.focusAsk();
  }

  get #transcript(): TranscriptElement {
    return this.querySelector("parley-transcript") as TranscriptElement;
  }
  get #find(): FindElement | null {
    return this.querySelector("parley-find");
  }
  get #composer(): ComposerElement | null {
    return this.querySelector("parley-composer");
  }

  protected override firstUpdated(): void {
    // Answered in its tool card: on to the next question, once it stands above the composer.
    this.addEventListener(ASK_LEFT, () => void this.#afterAnswer());
    const region = this.querySelector<HTMLElement>(".speech");
    if (region) this.#speech = new Speech(region, id => this.#transcript.spokenText(id));
  }

  protected override updated(): void {
    if (this.head !== undefined && activityWords(this.head) !== undefined)
      this.#stopTicking ??= everySecond(() => this.requestUpdate());
    else {
      this.#stopTicking?.();
      this.#stopTicking = undefined;
    }
  }

  protected override render(): TemplateResult {
    const { head } = this;
    return html`<main class="panel" data-session=${head?.session ?? nothing} @keydown=${this.#keydown}>
      ${head ? this.#top(head) : nothing}
      <parley-find .around=${this.#aroundFind}></parley-find>
      <parley-transcript></parley-transcript>
      ${this.#dock(head ?? unknownHead)}
      <div class="speech sr-only" role="status" aria-live="polite"></div>
    </main>`;
  }

  /** F2 names the session, wherever the focus is. */
  #keydown = (event: KeyboardEvent): void => {
    if (event.key !== "F2" || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    this.querySelector<HeaderElement>("parley-header")?.rename();
  };

  #top(head: Head): TemplateResult {
    return html`<parley-header
        .sessionTitle=${head.title}
        .hasSession=${head.connection !== null}
        .agent=${head.agent}
        .agents=${head.agents}
        .follow=${head.follow}
      ></parley-header>
      ${
        head.problem
          ? html`<div class="problem banner" role="group" aria-label=${t("Problem")}>
              ${problemBody(head.problem, true)}
            </div>`
          : nothing
      }`;
  }

  #dock(head: Head): TemplateResult {
    return html`<div class="dock">
      ${statusLine(head)}
      <parley-plan .plans=${head.plans}></parley-plan>
      <parley-asks
        .asks=${head.asks}
        .entryOf=${(id: string) => this.store.entry(id)}
        .onLeave=${() => this.focusComposer()}
      ></parley-asks>
      <parley-changes .changes=${head.changes}></parley-changes>
      <parley-composer
        .head=${head}
        .prompts=${() => this.#prompts()}
        .onSend=${() => this.#transcript.toEnd()}
      ></parley-composer>
    </div>`;
  }

  #prompts(): readonly string[] {
    const entries = this.store.view?.entries ?? [];
    return entries
      .flatMap(entry => (entry.kind === "user" && entry.parent === undefined ? [plainText(entry.parts)] : []))
      .filter(text => text !== "");
  }
}

/** Starting, connecting, working, waiting: said in words, with how long it has been so. */
function statusLine(head: Head): TemplateResult | typeof nothing {
  const connecting = connectionWords(head);
  const words = connecting ?? activityWords(head);
  if (words === undefined) return nothing;
  const elapsed = Date.now() - head.activity.since;
  const waits = connecting === undefined && head.asks.length > 0;
  const detail = connecting === undefined ? undefined : head.connection?.detail;
  return html`<div class="status-line">
    ${icon(waits ? "question" : head.connection?.state === "closed" ? "debug-disconnect" : "loading codicon-modifier-spin")}
    <span
      >${words}${connecting === undefined && elapsed >= 1000 ? html` <span class="quiet">${duration(elapsed)}</span>` : nothing}</span
    >
    ${detail === undefined ? nothing : html`<span class="status-detail ellipsis" title=${detail}>${detail}</span>`}
  </div>`;
}

/** Another session has other entries: what was open in the one before is not kept forever. */
function forgetStrangers(view: View): void {
  const known = new Set([
    ...view.entries.flatMap(entry => [entry.id, runId(entry.id)]),
    ...view.head.plans.map(plan => `plan:${plan.id}`),
    CHANGES,
  ]);
  const open = Object.fromEntries(Object.entries(memory.open).filter(([id]) => known.has(id)));
  if (Object.keys(open).length < Object.keys(memory.open).length) remember({ open });
}
