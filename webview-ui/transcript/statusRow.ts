// The status rows of the transcript: notices, compactions, turn ends and problems.
import { html, nothing, type TemplateResult } from "lit";
import type { StopReason } from "../../src/session/events.ts";
import type { ViewCompaction, ViewEntry, ViewMessage, ViewNotice, ViewTool } from "../../src/panel/protocol.ts";
import { LightElement, icon, markExcluded } from "../base/element.ts";
import { openState, setOpen } from "../base/vscodeApi.ts";
import { t } from "../base/l10n.ts";
import { fileNotes, rulesButton, sessionButton } from "./notes.ts";
import { messagePart, partAt } from "./parts.ts";
import { problemBody } from "./problem.ts";

const severityIcons: Readonly<Record<ViewNotice["severity"], string>> = {
  info: "info",
  warning: "warning",
  error: "error",
};

/** `<parley-row>`: an entry that is neither a message nor a tool call. */
export class StatusRowElement extends LightElement {
  static override properties = {
    entry: { attribute: false },
    live: { attribute: false },
    current: { attribute: false },
  };
  declare entry: Exclude<ViewEntry, ViewMessage | ViewTool>;
  declare live: boolean;
  /** Whether no later prompt follows, so that the next steps of a problem still apply. */
  declare current: boolean;

  protected override render(): TemplateResult {
    const { entry } = this;
    this.dataset["kind"] = entry.kind;
    markExcluded(this, entry);
    // The row stays, so that the positions of the entries after it do.
    this.hidden = (entry.kind === "notice" || entry.kind === "turnEnd") && entry.over === true;
    switch (entry.kind) {
      case "notice":
        return html`<div class="row" dir="auto" data-severity=${entry.retry ? nothing : entry.severity}>
            ${icon(entry.byRule ? "shield" : entry.retry ? "sync" : severityIcons[entry.severity])}
            <span
              ><span class="lines">${entry.title}</span
              >${entry.description === undefined ? nothing : html` <span class="description" dir="auto">${entry.description}</span>`}
              ${entry.link ? sessionButton(entry.link) : nothing}
              ${entry.byRule ? rulesButton(entry.title) : nothing}</span
            >
          </div>
          ${fileNotes(entry.files)}`;
      case "compaction":
        return this.#compaction(entry);
      case "problem":
        return html`<div class="problem" role="group" aria-label=${t("Problem")}>
          ${problemBody(entry.problem, this.current)}
        </div>`;
      case "turnEnd":
        return html`<div class="row">
          ${icon("circle-slash")} <span>${turnEndText(entry.stopReason, entry.unrequested)}</span>
        </div>`;
      default:
        entry satisfies never;
        return html``;
    }
  }

  #compaction(entry: ViewCompaction): TemplateResult {
    const title = html`<span
      >${compactionText(entry.status)}${entry.error === undefined ? nothing : `: ${entry.error}`}</span
    >`;
    if (entry.parts.length === 0) return html`<div class="row">${icon("fold")} ${title}</div>`;
    const open = openState(entry.id) ?? false;
    const toggle = (): void => {
      setOpen(entry.id, !open);
      this.requestUpdate();
    };
    return html`<button class="fold" type="button" aria-expanded=${open} @click=${toggle}>
        ${icon(open ? "chevron-down" : "chevron-right")} ${title}
      </button>
      ${open ? html`<div class="body">${entry.parts.map((part, i) => partAt(i, messagePart(part, this.live, { entry: entry.id, part: i })))}</div>` : nothing}`;
  }
}

function compactionText(status: string): string {
  switch (status) {
    case "in_progress":
      return t("Summarizing the conversation to free up context…");
    case "failed":
      return t("Could not summarize the conversation");
    case "cancelled":
      return t("Summarization was cancelled");
    default:
      return t("Summarized the conversation to free up context");
  }
}

/** How a turn ended, as text. `unrequested`: it was cancelled without Stop. */
export function turnEndText(reason: StopReason, unrequested?: boolean): string {
  switch (reason) {
    case "cancelled":
      return unrequested ? t("The turn was cancelled.") : t("Stopped");
    case "max_tokens":
      return t("The agent stopped because its answer reached the length limit. Send “continue” to resume.");
    case "max_turn_requests":
      return t("The agent stopped because it reached the step limit for one prompt. Send “continue” to resume.");
    case "refusal":
      return t(
        "The agent declined to answer. Your message and everything after it are no longer part of the conversation.",
      );
    case "error":
      return t("The turn ended with an error.");
    case "end_turn":
      return t("Finished");
    default:
      return t("The agent stopped: {0}", reason);
  }
}
