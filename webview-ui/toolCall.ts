// A tool card: kind, title, status, places; its body is built only when it is opened.
import { html, nothing, type TemplateResult } from "lit";
import { visible } from "../src/base/visible.ts";
import type { ShownStatus, ViewTool } from "../src/chat/protocol.ts";
import { partCounts } from "./diffView.ts";
import { LightElement, everySecond, icon, roveByKey, roveTabStop, roveToFocus } from "./element.ts";
import { openState, setOpen } from "./host.ts";
import { duration, t } from "./l10n.ts";
import { fileLink } from "./links.ts";
import { decisionNotes, fileNotes } from "./notes.ts";
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

/** How many places a folded card names. */
const SHOWN_LOCATIONS = 3;

/** `<parley-tool>`: one tool call of the transcript. */
export class ToolCallElement extends LightElement {
  static override properties = { entry: { attribute: false }, live: { attribute: false } };
  declare entry: ViewTool;
  declare live: boolean;
  #stopTicking: (() => void) | undefined;

  constructor() {
    super();
    this.addEventListener("keydown", event => roveByKey(this, event));
    this.addEventListener("focusin", event => roveToFocus(this, event));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stopTicking?.();
    this.#stopTicking = undefined;
  }

  protected override updated(): void {
    roveTabStop(this);
    if (this.entry.status === "running") this.#stopTicking ??= everySecond(() => this.requestUpdate());
    else {
      this.#stopTicking?.();
      this.#stopTicking = undefined;
    }
  }

  protected override render(): TemplateResult {
    const { entry } = this;
    const hasBody = entry.parts.length > 0 || entry.locations.length > SHOWN_LOCATIONS;
    const open = hasBody && (openState(entry.id) ?? entry.status === "failed");
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
      ${this.#locations(open)} ${decisionNotes(entry.decisions)} ${fileNotes(entry.files)}
      ${open ? this.#body() : nothing}
    </article>`;
  }

  #head(chevron: TemplateResult | typeof nothing): TemplateResult {
    const { entry } = this;
    return html`${icon(kindIcon(entry.toolKind))} <span class="tool-title">${titleText(entry.title)}</span>
      <span class="tool-meta"
        >${partCounts(entry.parts) ?? nothing}
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
    return html`<div class="tool-body">${toolParts(entry.parts, entry, running)}</div>`;
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
