// A tool card: kind, title, status, places; its body is built only when it is opened.
import { html, nothing, type TemplateResult } from "lit";
import { visible } from "../../src/base/visibleText.ts";
import type { ShownStatus, ViewAsk, ViewTool } from "../../src/panel/protocol.ts";
import { AskOptions, onAnswer } from "./questionOptions.ts";
import { partCounts } from "./diffView.ts";
import { LightElement, everySecond, icon, roveByKey, roveTabStop, roveToFocus } from "../base/element.ts";
import { entryList } from "./entries.ts";
import { openState, setOpen } from "../base/vscodeApi.ts";
import { count, duration, t } from "../base/l10n.ts";
import { fileLink } from "../markdown/links.ts";
import { decisionNotes, fileNotes } from "./notes.ts";
import type { Item, Outline } from "./outline.ts";
import { titleText, toolParts } from "./parts.ts";

const KIND_ICONS: Readonly<Record<string, string>> = {
  read: "book",
  edit: "edit",
  delete: "trash",
  move: "file-symlink-file",
  search: "search",
  execute: "terminal",
  think: "lightbulb",
  fetch: "globe",
  switch_mode: "arrow-swap",
};

const STATUS_ICONS: Readonly<Record<ShownStatus, string>> = {
  pending: "circle-large-outline",
  waiting: "question",
  running: "loading codicon-modifier-spin",
  done: "check",
  failed: "error",
  cancelled: "circle-slash",
};

/** The codicon for a kind of tool. */
export function kindIcon(kind: string | undefined): string {
  return (kind !== undefined && Object.hasOwn(KIND_ICONS, kind) && KIND_ICONS[kind]) || "tools";
}

/** Fired where a question went away that had the focus. */
export const ASK_LEFT = "parley-ask-left";

/** How many places a folded card names. */
const SHOWN_LOCATIONS = 3;

/** `<parley-tool>`: one tool call of the transcript. */
export class ToolCallElement extends LightElement {
  static override properties = {
    entry: { attribute: false },
    live: { attribute: false },
    nested: { attribute: false },
    ask: { attribute: false },
  };
  declare entry: ViewTool;
  declare live: boolean;
  /** What a sub-agent did on behalf of this call. */
  declare nested: readonly Item[];
  /** The open question about this call. */
  declare ask: ViewAsk | undefined;
  declare outline: Outline;
  readonly #options = new AskOptions(() => this.#inlineAsk);
  #stopTicking: (() => void) | undefined;
  #unlisten: (() => void) | undefined;
  /** The question went away while it had the focus. */
  #askLeft = false;

  constructor() {
    super();
    this.nested = [];
    this.addEventListener("keydown", event => this.#keydown(event));
    this.addEventListener("focusin", event => this.#focusin(event));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stopTicking?.();
    this.#stopTicking = undefined;
    this.#unlisten?.();
    this.#unlisten = undefined;
  }

  get #inlineAsk(): HTMLElement | null {
    return this.querySelector(":scope > .tool > .inline-ask");
  }

  #keydown(event: KeyboardEvent): void {
    const inAsk = this.#inlineAsk?.contains(event.target as Node) ?? false;
    if (inAsk && this.ask && this.#options.key(this.ask, event)) return;
    roveByKey(this, event);
  }

  #focusin(event: FocusEvent): void {
    if (this.#inlineAsk?.contains(event.target as Node)) this.#options.focused(event);
    roveToFocus(this, event);
  }

  protected override willUpdate(changed: Map<PropertyKey, unknown>): void {
    const before = changed.get("ask") as ViewAsk | undefined;
    if (before && before.id !== this.ask?.id)
      this.#askLeft = this.#inlineAsk?.contains(document.activeElement) ?? false;
  }

  protected override updated(): void {
    roveTabStop(this);
    // What opened by itself for a question does not fold up under the reader once it is answered.
    if (openState(this.entry.id) === undefined && this.#hasWaiting()) setOpen(this.entry.id, true);
    if (this.ask) {
      const listener = this.#unlisten === undefined ? onAnswer(() => this.requestUpdate()) : undefined;
      if (listener) this.#unlisten = () => listener.dispose();
    } else {
      this.#unlisten?.();
      this.#unlisten = undefined;
    }
    if (this.#askLeft) {
      this.#askLeft = false;
      this.dispatchEvent(new CustomEvent(ASK_LEFT, { bubbles: true }));
    }
    if (this.entry.status === "running") this.#stopTicking ??= everySecond(() => this.requestUpdate());
    else {
      this.#stopTicking?.();
      this.#stopTicking = undefined;
    }
  }

  protected override render(): TemplateResult {
    const { entry } = this;
    const hasBody = entry.parts.length + this.nested.length > 0 || entry.locations.length > SHOWN_LOCATIONS;
    const open = hasBody && (openState(entry.id) ?? (entry.status === "failed" || this.#hasWaiting()));
    return html`<article
      class="tool"
      aria-label=${visible(entry.title)}
      data-status=${entry.status}
      data-kind=${entry.toolKind}
    >
      ${
        hasBody
          ? html`<button class="tool-head" type="button" aria-expanded=${open} @click=${() => this.#toggle(!open)}>
              ${this.#head(icon(open ? "chevron-down" : "chevron-right"))}
            </button>`
          : html`<div class="tool-head">${this.#head(nothing)}</div>`
      }
      ${this.ask ? this.#question(this.ask) : nothing}
      ${open || this.nested.length === 0 ? nothing : this.#latestStep()} ${this.#locations(open)}
      ${decisionNotes(entry.decisions)} ${fileNotes(entry.files)} ${open ? this.#body() : nothing}
    </article>`;
  }

  #head(chevron: TemplateResult | typeof nothing): TemplateResult {
    const { entry } = this;
    return html`${icon(kindIcon(entry.toolKind))} <span class="tool-title">${titleText(entry.title)}</span>
      <span class="tool-meta"
        >${this.nested.length > 0 ? html`<span class="quiet">${this.#steps()}</span>` : nothing}
        ${partCounts(entry.parts) ?? nothing}
        <span class="status"
          >${icon(STATUS_ICONS[entry.status])} <span class="status-word">${statusWords(entry)}</span></span
        >
        ${chevron}</span
      >`;
  }

  #locations(open: boolean): TemplateResult | typeof nothing {
    const { locations, title } = this.entry;
    // A title that already names its one file needs no second line until the card is opened.
    const shown = open ? locations : locations.filter(({ label }) => !title.includes(label)).slice(0, SHOWN_LOCATIONS);
    if (shown.length === 0) return nothing;
    const more = open ? 0 : locations.length - shown.length;
    return html`<div class="locations">
      ${shown.map(({ path, label, line }) => fileLink(path, line === undefined ? label : `${label}:${line}`, line))}
      ${more > 0 ? html`<span class="quiet">${t("and {0} more", more)}</span>` : nothing}
    </div>`;
  }

  #body(): TemplateResult {
    const { entry } = this;
    const running = entry.status === "running";
    return html`<div class="tool-body">
      ${this.nested.length > 0 ? this.#transcript() : nothing}${toolParts(entry.parts, entry, running)}
    </div>`;
  }

  /** The same question stands above the composer; answering it in either place is enough. */
  #question(ask: ViewAsk): TemplateResult {
    const { command } = ask;
    return html`<div class="inline-ask" role="group" aria-label=${t("Waiting for you")}>
      ${
        command === undefined || this.entry.title.includes(command)
          ? nothing
          : html`<div class="command"><code>${command}</code></div>`
      }
      ${this.#options.buttons(ask)}
    </div>`;
  }

  #transcript(): TemplateResult {
    return html`<div class="nested" role="group" aria-label=${t("Steps of {0}", this.entry.title)}>
      ${entryList(this.nested, this.outline, () => this.requestUpdate())}
    </div>`;
  }

  #steps(): string {
    const steps = this.outline.within(this.entry.id).filter(({ kind }) => kind === "tool").length;
    return steps === 1 ? t("1 step") : t("{0} steps", count(steps));
  }

  /** What the sub-agent is at, while its transcript is folded. */
  #latestStep(): TemplateResult | typeof nothing {
    const step = this.outline.within(this.entry.id).findLast(({ kind }) => kind === "tool");
    if (step?.kind !== "tool" || this.entry.status !== "running") return nothing;
    return html`<div class="latest-step">
      ${icon(kindIcon(step.toolKind))} <span class="ellipsis">${step.title}</span>
    </div>`;
  }

  #hasWaiting(): boolean {
    if (this.nested.length === 0) return false;
    return this.outline.within(this.entry.id).some(entry => entry.kind === "tool" && entry.status === "waiting");
  }

  #toggle(open: boolean): void {
    setOpen(this.entry.id, open);
    this.requestUpdate();
  }
}

function statusWords(entry: ViewTool): string {
  switch (entry.status) {
    case "pending":
      return t("Pending");
    case "waiting":
      return t("Waiting for you");
    case "running": {
      const elapsed = Date.now() - entry.at;
      return elapsed < 1000 ? t("Running") : t("Running {0}", duration(elapsed));
    }
    case "done":
      return t("Done");
    case "failed":
      return t("Failed");
    case "cancelled":
      return t("Cancelled");
    default:
      entry.status satisfies never;
      return "";
  }
}
