// The page of the protocol inspector: the filter, the list of messages, and the content of the selected one.
import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { visibleText } from "../../src/base/visibleText.ts";
import type {
  InspectorFilter,
  InspectorIntent,
  InspectorList,
  InspectorMessage,
  InspectorRow,
} from "../../src/panel/inspectorPage.ts";
import { icon, LightElement } from "../base/element.ts";
import { iconButton } from "../base/iconButton.ts";
import { formatCount, formatSize, t } from "../base/l10n.ts";
import type { JsonTreeElement } from "./jsonTreeElement.ts";
import type { MessageListElement } from "./messageList.ts";
import { directionName, faultSentence, messageName, startTimeText, timeText } from "./messageWords.ts";

/** A text is searched when nothing was typed for this long. Milliseconds. */
const typingPause = 150;

export class InspectorElement extends LightElement {
  send: (intent: InspectorIntent) => void = () => undefined;
  #list: InspectorList | undefined;
  #filter: InspectorFilter = {};
  #row: InspectorRow | undefined;
  #outcome: { readonly text: string; readonly isProblem?: true } | undefined;
  /** What a screen reader reads, unlike the number of messages, which changes all the time. */
  #announced = "";
  /** The list whose messages were announced once all were read. */
  #announcedList: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Takes a message of the host. */
  receive(message: InspectorMessage): void {
    switch (message.type) {
      case "list":
        return this.#setList(message.list);
      case "rows":
        if (message.list === this.#list?.list) this.#messages?.setRows(message.from, message.rows);
        return;
      case "message": {
        if (message.list !== this.#list?.list) return;
        const { row, position, root, reveal } = message;
        this.#tree?.setRoot(root, row.number === this.#row?.number);
        this.#row = row;
        if (position !== undefined) {
          this.#messages?.setRow(position, row);
          if (reveal) this.#messages?.reveal(position);
        }
        break;
      }
      case "gone":
        if (message.list !== this.#list?.list) return;
        this.#setOutcome({ text: t("This message is no longer recorded."), isProblem: true });
        break;
      case "outcome":
        this.#setOutcome(message);
        break;
      default:
        message satisfies never;
    }
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#timer);
  }

  protected override firstUpdated(changed: PropertyValues): void {
    super.firstUpdated(changed);
    const messages = this.#messages;
    if (!messages) return;
    messages.ask = (from, count) => {
      if (this.#list) this.send({ type: "rows", list: this.#list.list, from, count });
    };
    messages.choose = position => {
      this.#setOutcome(undefined);
      if (this.#list) this.send({ type: "select", list: this.#list.list, position });
    };
    messages.open = () => this.#tree?.focus();
    messages.followed = () => this.requestUpdate();
    if (this.#list) messages.setList(this.#list);
  }

  protected override render(): TemplateResult {
    return html`<main class="inspector">
      <h1 class="sr-only">${t("Protocol Inspector")}</h1>
      ${this.#bar()}
      <p class="inspector-status" data-failed=${this.#outcome?.isProblem ?? nothing}>
        ${this.#outcome ? visibleText(this.#outcome.text) : this.#statusText()}
      </p>
      <p class="sr-only" role="status">${this.#announced}</p>
      <div class="inspector-body">
        <parley-message-list></parley-message-list>
        <section
          class="message-detail"
          data-number=${this.#row?.number ?? nothing}
          aria-label=${t("Selected message")}
          ?hidden=${this.#row === undefined}
          @keydown=${this.#onDetailKey}
        >
          ${this.#row ? this.#detail(this.#row) : nothing}
          <parley-json-tree></parley-json-tree>
        </section>
      </div>
    </main>`;
  }

  #bar(): TemplateResult {
    const { agent = "", agents = [], methods = [], sessions = [] } = this.#list ?? {};
    const { method = "", session = "", text = "", only } = this.#filter;
    const isFollowing = this.#messages?.isFollowing ?? true;
    return html`<div class="inspector-bar" role="search" aria-label=${t("Filter messages")}>
      ${this.#select(
        t("Agent"),
        agent,
        agents.map(({ id, name }) => [id, name]),
        id => this.send({ type: "chooseAgent", agent: id }),
      )}
      ${this.#select(
        t("Method"),
        method,
        // The filter can have a method of the connection before.
        [
          ["", t("All methods")],
          ...[...new Set([...methods, ...(method && [method])])].map(name => [name, name] as const),
        ],
        name => this.#setFilter({ ...this.#filter, method: name }),
      )}
      ${this.#select(t("Session"), session, [["", t("All sessions")], ...sessions.map(id => [id, id] as const)], id =>
        this.#setFilter({ ...this.#filter, session: id }),
      )}
      <div class="find-box">
        <input
          type="text"
          dir="auto"
          aria-label=${t("Text in messages")}
          placeholder=${t("Text in messages")}
          spellcheck="false"
          maxlength="1000"
          .value=${text}
          @input=${this.#onInput}
          @keydown=${this.#onInputKey}
        />
      </div>
      <div class="inspector-buttons">
        ${iconButton("error", {
          label: t("Errors Only"),
          classes: "find-toggle",
          pressed: only === "errors",
          onClick: () => this.#toggleOnly("errors"),
        })}
        ${iconButton("warning", {
          label: t("Faults Only"),
          classes: "find-toggle",
          pressed: only === "faults",
          onClick: () => this.#toggleOnly("faults"),
        })}
        ${iconButton("fold-down", {
          label: t("Follow New Messages"),
          classes: "find-toggle",
          pressed: isFollowing,
          onClick: () => this.#messages?.setFollowing(!isFollowing),
        })}
        ${iconButton("export", { label: t("Export…"), onClick: () => this.#export() })}
      </div>
    </div>`;
  }

  #select(
    label: string,
    value: string,
    options: readonly (readonly [string, string])[],
    choose: (value: string) => void,
  ): TemplateResult {
    return html`<select
      aria-label=${label}
      title=${label}
      @change=${(event: Event) => choose((event.target as HTMLSelectElement).value)}
    >
      ${options.map(([id, name]) => html`<option value=${id} .selected=${id === value}>${visibleText(name)}</option>`)}
    </select>`;
  }

  #detail(row: InspectorRow): TemplateResult {
    const { number, dir, kind, id, session, other, wait, bytes, time, faults = [] } = row;
    const facts: readonly (readonly [string, string])[] = [
      [t("Direction"), directionName(dir)],
      [t("Time"), t("{0} s after the start", startTimeText(time))],
      ...(id === undefined ? [] : [[t("ID"), visibleText(id)] as const]),
      ...(session === undefined ? [] : [[t("Session"), visibleText(session)] as const]),
      ...(wait === undefined ? [] : [[t("Answered after"), timeText(wait)] as const]),
      [t("Size"), formatSize(bytes)],
    ];
    return html`<div class="detail-head">
        <h2><bdi>${messageName(row)}</bdi></h2>
        <div class="inspector-buttons">
          ${
            other === undefined
              ? nothing
              : html`<button type="button" class="secondary" @click=${() => this.#goTo(other)}>
                  ${kind === "answer" ? t("Go to Request") : t("Go to Answer")}
                </button>`
          }
          ${iconButton("copy", { label: t("Copy Message"), onClick: () => this.#copy(number) })}
        </div>
      </div>
      <dl class="detail-facts">
        ${facts.map(
          ([name, text]) =>
            html`<div>
              <dt>${name}</dt>
              <dd><bdi>${text}</bdi></dd>
            </div>`,
        )}
      </dl>
      ${
        faults.length === 0
          ? nothing
          : html`<ul class="detail-faults" aria-label=${t("Faults")}>
              ${faults.map(fault => html`<li>${icon("warning")} <span>${faultSentence(fault)}</span></li>`)}
            </ul>`
      }`;
  }

  #statusText(): string {
    const list = this.#list;
    if (!list) return t("Reading messages…");
    const { removed, end, total, dropped, filter, isReading, isClosed } = list;
    if (total === 0 && !isReading) return t("No messages have been exchanged with this agent yet.");
    const isFiltered = Object.values(filter).some(value => value !== undefined && value !== "");
    const shown = end - removed;
    const parts = [
      isFiltered
        ? t("{0} of {1} messages", formatCount(shown), formatCount(total))
        : total === 1
          ? t("1 message")
          : t("{0} messages", formatCount(total)),
      ...(dropped > 0 ? [t("older ones were dropped: {0}", formatCount(dropped))] : []),
      ...(isReading ? [t("reading…")] : []),
      ...(isClosed ? [t("the connection has ended")] : []),
    ];
    return parts.join(" · ");
  }

  #setList(list: InspectorList): void {
    const isNew = list.list !== this.#list?.list;
    const isAnnounced = !isNew && this.#announcedList === list.list && list.isClosed === this.#list?.isClosed;
    if (isNew) this.#setOutcome(undefined);
    // What the user types is newer than what the host has.
    if (isNew && this.#timer === undefined) this.#filter = list.filter;
    if (list.connection !== this.#list?.connection) this.#row = undefined;
    this.#list = list;
    this.#messages?.setList(list);
    if (!list.isReading && !isAnnounced) {
      this.#announcedList = list.list;
      this.#announced = this.#statusText();
    }
    this.requestUpdate();
  }

  #setFilter({ method, session, text, only }: InspectorFilter): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#setOutcome(undefined);
    this.#filter = {
      ...(method && { method }),
      ...(session && { session }),
      ...(text && { text }),
      ...(only && { only }),
    };
    this.send({ type: "filter", ...this.#filter });
    this.requestUpdate();
  }

  #toggleOnly(only: "errors" | "faults"): void {
    const { only: before, ...filter } = this.#filter;
    this.#setFilter(before === only ? filter : { ...filter, only });
  }

  readonly #onInput = (event: Event): void => {
    const text = (event.target as HTMLInputElement).value;
    this.#filter = { ...this.#filter, text };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#setFilter(this.#filter), typingPause);
  };

  readonly #onInputKey = (event: KeyboardEvent): void => {
    if (event.key === "Enter") this.#setFilter(this.#filter);
    else if (event.key === "ArrowDown") this.#messages?.focus();
    else return;
    event.preventDefault();
  };

  readonly #onDetailKey = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    this.#messages?.focus();
  };

  /** Shows and announces what was done, also if it is the same as before. */
  #setOutcome(outcome: { readonly text: string; readonly isProblem?: true } | undefined): void {
    this.#outcome = outcome;
    this.#announced = outcome ? visibleText(outcome.text) : "";
    this.requestUpdate();
  }

  #goTo(number: number): void {
    this.#setOutcome(undefined);
    if (this.#list) this.send({ type: "goTo", list: this.#list.list, number });
  }

  #copy(number: number): void {
    this.#setOutcome(undefined);
    if (this.#list) this.send({ type: "copy", list: this.#list.list, number });
  }

  #export(): void {
    this.#setOutcome(undefined);
    this.send({ type: "export" });
  }

  get #messages(): MessageListElement | null {
    return this.querySelector<MessageListElement>("parley-message-list");
  }

  get #tree(): JsonTreeElement | null {
    return this.querySelector<JsonTreeElement>("parley-json-tree");
  }
}
