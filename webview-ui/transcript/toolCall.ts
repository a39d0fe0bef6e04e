// A tool card: kind, title, status and locations. Its body is built only when it is opened.
import { html, nothing, type TemplateResult } from "lit";
import { visibleText } from "../../src/base/visibleText.ts";
import { namesFile, showsFile } from "../../src/panel/fileNames.ts";
import type { Excludable, ViewToolStatus, ViewQuestion, ViewTool } from "../../src/panel/protocol.ts";
import { partCounts } from "./diffView.ts";
import { LightElement, everySecond, icon, markExcluded, roveByKey, roveTabStop, roveToFocus } from "../base/element.ts";
import { entryList } from "./entries.ts";
import { withKey } from "../base/keyName.ts";
import { openState, send, setOpen } from "../base/vscodeApi.ts";
import { formatCount, formatDuration, t } from "../base/l10n.ts";
import { exitIcon, exitLevel, exitText, notableExit } from "./exit.ts";
import { fileLink } from "../markdown/links.ts";
import { unnamedFileLink } from "./unnamedFileLink.ts";
import { decisionNotes, fileNotes } from "./notes.ts";
import type { OutlineItem, Outline } from "./outline.ts";
import { titleText, toolParts } from "./parts.ts";
import { planSummary } from "./planContent.ts";

const iconsByKind: Readonly<Record<string, string>> = {
  read: "book",
  edit: "edit",
  delete: "trash",
  move: "file-symlink-file",
  search: "search",
  execute: "terminal",
  think: "lightbulb",
  fetch: "globe",
  switch_mode: "arrow-swap",
  subagent: "hubot",
};

const statusIcons: Readonly<Record<ViewToolStatus, string>> = {
  pending: "circle-large-outline",
  waiting: "question",
  running: "loading codicon-modifier-spin",
  paused: "debug-pause",
  done: "check",
  failed: "error",
  cancelled: "circle-slash",
};

/** The codicon of a kind of tool call. */
export function toolKindIcon(kind: string | undefined): string {
  return (kind !== undefined && Object.hasOwn(iconsByKind, kind) && iconsByKind[kind]) || "tools";
}

/** Asks for the focus in the card of a question above the composer. The detail is the id of the question. */
export const showQuestionEvent = "parley-show-question";

/** How many locations a folded card shows. */
const maxFoldedLocations = 3;

/** `<parley-tool>`: one tool call of the transcript. */
export class ToolCallElement extends LightElement {
  static override properties = {
    entry: { attribute: false },
    live: { attribute: false },
    nested: { attribute: false },
    question: { attribute: false },
  };
  declare entry: ViewTool & Excludable;
  declare live: boolean;
  /** The entries of the sub-agent that this call started. */
  declare nested: readonly OutlineItem[];
  /** The open question about this call. */
  declare question: ViewQuestion | undefined;
  declare outline: Outline;
  #stopTicking: (() => void) | undefined;
  /** The question disappeared while the link to it had the focus. */
  #linkHadFocus = false;

  constructor() {
    super();
    this.nested = [];
    this.addEventListener("keydown", event => roveByKey(this, event));
    this.addEventListener("focusin", event => roveToFocus(this, event));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stopTicking?.();
    this.#stopTicking = undefined;
  }

  protected override willUpdate(changed: Map<PropertyKey, unknown>): void {
    const before = changed.get("question") as ViewQuestion | undefined;
    if (before && before.id !== this.question?.id)
      this.#linkHadFocus =
        this.querySelector(":scope > .tool > .to-question")?.contains(document.activeElement) ?? false;
  }

  protected override updated(): void {
    roveTabStop(this);
    // A card that opened automatically for a question stays open after the answer.
    if (openState(this.entry.id) === undefined && this.#hasWaitingStep()) setOpen(this.entry.id, true);
    if (this.#linkHadFocus) {
      this.#linkHadFocus = false;
      this.dispatchEvent(new CustomEvent(showQuestionEvent, { bubbles: true }));
    }
    if (this.entry.status === "running") this.#stopTicking ??= everySecond(() => this.requestUpdate());
    else {
      this.#stopTicking?.();
      this.#stopTicking = undefined;
    }
  }

  protected override render(): TemplateResult {
    markExcluded(this, this.entry);
    const { entry } = this;
    const hasBody = entry.parts.length + this.nested.length > 0 || entry.locations.length > maxFoldedLocations;
    const open = hasBody && (openState(entry.id) ?? (entry.status === "failed" || this.#hasWaitingStep()));
    return html`<article
      class="tool"
      aria-label=${visibleText(entry.title)}
      data-status=${entry.status}
      data-kind=${entry.toolKind}
    >
      ${
        hasBody
          ? html`<button
              class="tool-head"
              dir="auto"
              type="button"
              aria-expanded=${open}
              @click=${() => this.#toggle(!open)}
            >
              ${this.#head(icon(open ? "chevron-down" : "chevron-right"))}
            </button>`
          : html`<div class="tool-head" dir="auto">${this.#head(nothing)}</div>`
      }
      ${this.question ? this.#question(this.question) : nothing} ${open ? nothing : this.#planLine()}
      ${open || this.nested.length === 0 ? nothing : this.#latestStep()} ${this.#locations(open)}
      ${entry.cancel === undefined || entry.status === "waiting" ? nothing : cancelButton(entry.cancel, entry.title)}
      ${decisionNotes(entry)} ${fileNotes(entry.files)} ${open ? this.#body() : nothing}
    </article>`;
  }

  #head(chevron: TemplateResult | typeof nothing): TemplateResult {
    const { entry } = this;
    return html`${icon(toolKindIcon(entry.toolKind))} <span class="tool-title">${titleText(entry.title)}</span>
      <span class="tool-meta"
        >${this.nested.length > 0 ? html`<span class="quiet">${this.#stepCount()}</span>` : nothing}
        ${partCounts(entry.parts) ?? nothing} ${this.#status()} ${chevron}</span
      >`;
  }

  #status(): TemplateResult {
    const { entry } = this;
    // The call is done, but its command did not succeed.
    const exit = entry.status === "done" ? notableExit(entry.parts) : undefined;
    const glyph = exit ? exitIcon(exit) : statusIcons[entry.status];
    return html`<span class="status" data-exit=${exit ? exitLevel(exit) : nothing}
      >${icon(glyph)} <span class="status-word">${exit ? exitText(exit) : statusText(entry)}</span></span
    >`;
  }

  #locations(open: boolean): TemplateResult | typeof nothing {
    const { locations, parts, title, isOutside } = this.entry;
    // A folded card does not repeat files that its title names. An opened one links to them.
    const unnamed = locations.filter(place => !namesFile(title, place));
    const shown = open ? locations.filter(({ path }) => !showsFile(parts, path)) : unnamed.slice(0, maxFoldedLocations);
    if (shown.length === 0 && !isOutside) return nothing;
    const more = open ? 0 : unnamed.length - shown.length;
    return html`<div class="locations">
      ${shown.map(place => locationLink(place, !namesFile(title, place)))}
      ${more > 0 ? html`<span class="quiet">${t("and {0} more", more)}</span>` : nothing}
      ${isOutside ? html`<span class="quiet">${t("Outside the workspace")}</span>` : nothing}
    </div>`;
  }

  #body(): TemplateResult {
    const { entry } = this;
    const running = entry.status === "running";
    return html`<div class="tool-body">
      ${this.nested.length > 0 ? this.#nestedTranscript() : nothing}${toolParts(entry.parts, entry, running, entry.title)}
    </div>`;
  }

  /** The question stands above the composer only. This line leads there. */
  #question({ id }: ViewQuestion): TemplateResult {
    const show = (): void => {
      this.dispatchEvent(new CustomEvent(showQuestionEvent, { bubbles: true, detail: id }));
    };
    const label = t("Go to Question");
    return html`<div class="to-question">
      <button class="link" type="button" title=${withKey(label, "Q")} @click=${show}>${label}</button>
    </div>`;
  }

  #nestedTranscript(): TemplateResult {
    return html`<div class="nested" role="group" aria-label=${t("Steps of {0}", this.entry.title)}>
      ${entryList(this.nested, this.outline, () => this.requestUpdate())}
    </div>`;
  }

  #stepCount(): string {
    const steps = this.outline.descendants(this.entry.id).filter(({ kind }) => kind === "tool").length;
    return steps === 1 ? t("1 step") : t("{0} steps", formatCount(steps));
  }

  /** The current step of the sub-agent, while its transcript is folded. */
  #latestStep(): TemplateResult | typeof nothing {
    const step = this.outline.descendants(this.entry.id).findLast(({ kind }) => kind === "tool");
    if (step?.kind !== "tool" || this.entry.status !== "running") return nothing;
    return html`<div class="latest-step" dir="auto">
      ${icon(toolKindIcon(step.toolKind))} <span class="ellipsis">${step.title}</span>
    </div>`;
  }

  /** How far the plan of the sub-agent is, while its card is folded. */
  #planLine(): TemplateResult | typeof nothing {
    const plan = this.entry.parts.findLast(part => part.type === "plan");
    if (!plan || this.entry.status !== "running") return nothing;
    return html`<div class="latest-step" dir="auto">
      ${icon("checklist")} <span class="ellipsis">${planSummary(plan)}</span>
    </div>`;
  }

  #hasWaitingStep(): boolean {
    if (this.nested.length === 0) return false;
    return this.outline.descendants(this.entry.id).some(entry => entry.kind === "tool" && entry.status === "waiting");
  }

  #toggle(open: boolean): void {
    setOpen(this.entry.id, open);
    this.requestUpdate();
  }
}

/** Ends this call, or this sub-agent, and nothing else. */
function cancelButton(toolCall: string, title: string): TemplateResult {
  return html`<div class="tool-cancel">
    <button
      class="link"
      type="button"
      aria-label=${t("Stop {0}", visibleText(title))}
      @click=${() => send({ type: "cancelTool", toolCall })}
    >
      ${t("Stop")}
    </button>
  </div>`;
}

function locationLink({ path, label, line }: ViewTool["locations"][number], named: boolean): TemplateResult {
  if (!named) return unnamedFileLink(path, label, line);
  return fileLink(path, line === undefined ? label : `${label}:${line}`, line);
}

function statusText(entry: ViewTool): string {
  switch (entry.status) {
    case "pending":
      return t("Pending");
    case "waiting":
      return t("Waiting for you");
    case "running": {
      const elapsed = Date.now() - (entry.since ?? entry.at);
      return elapsed < 1000 ? t("Running") : t("Running {0}", formatDuration(elapsed));
    }
    case "paused":
      return t("Paused");
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
