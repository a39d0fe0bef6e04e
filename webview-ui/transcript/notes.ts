// Notes below a tool card or a notice: decisions by rules, and files that need the user's attention.
import { html, nothing, type TemplateResult } from "lit";
import { visibleText } from "../../src/base/visibleText.ts";
import type { SettleFileChoice, ViewNotedFile, ViewTool } from "../../src/panel/protocol.ts";
import type { SessionLink } from "../../src/session/events.ts";
import { icon } from "../base/element.ts";
import { send } from "../base/vscodeApi.ts";
import { t } from "../base/l10n.ts";
import { fileLink } from "../markdown/links.ts";

/** Decisions by rules, each with a button that opens the rules, and the answer to all edits, which has no rule. */
export function decisionNotes({ decisions = [], byAllEdits }: ViewTool): TemplateResult | typeof nothing {
  if (decisions.length === 0 && byAllEdits === undefined) return nothing;
  const note = (words: string, button?: TemplateResult): TemplateResult =>
    html`<div class="quiet decision" dir="auto">
      ${icon("shield")} <span>${visibleText(words)}</span> ${button ?? nothing}
    </div>`;
  return html`<div class="decisions">
    ${decisions.map(words => note(words, rulesButton(words)))} ${byAllEdits === undefined ? nothing : note(byAllEdits)}
  </div>`;
}

/** A button that opens the list of rules at the rule that decided. */
export function rulesButton(decision: string): TemplateResult {
  const open = (): void => send({ type: "manageRules", decision });
  return html`<button class="link" type="button" @click=${open}>${t("Rules")}</button>`;
}

/** A button that shows the other session of a link. */
export function sessionButton({ session, relation, title }: SessionLink): TemplateResult {
  const show = (): void => send({ type: "showSession", id: session });
  const name = relation === "continues" ? t("Show the session “{0}”", visibleText(title)) : t("Show the new session");
  return html`<button class="link" type="button" aria-label=${name} @click=${show}>${t("Show Session")}</button>`;
}

/** Files with text that is only in the editor, or that differs from the disk, with actions for each. */
export function fileNotes(files: readonly ViewNotedFile[] | undefined): TemplateResult | typeof nothing {
  if (!files || files.length === 0) return nothing;
  return html`${files.map(
    file =>
      html`<div class="file-note" role="group" aria-label=${noteText(file)}>
        ${icon("warning")} <span class="sentence">${noteText(file)} ${fileLink(file.path, file.label)}</span>
        <span class="file-actions">${actionsOf(file).map(([how, words]) => settleButton(file, how, words))}</span>
      </div>`,
  )}`;
}

function noteText({ note }: ViewNotedFile): string {
  return note === "unsaved"
    ? t("Not saved because of your unsaved changes:")
    : t("Changed on disk while you had unsaved changes:");
}

function actionsOf({ note }: ViewNotedFile): readonly (readonly [SettleFileChoice, string])[] {
  if (note === "unsaved") return [["save", t("Save")]];
  return [
    ["compare", t("Compare")],
    ["take", t("Use Agent's Version")],
    ["keep", t("Keep Mine")],
  ];
}

function settleButton({ path, label }: ViewNotedFile, how: SettleFileChoice, words: string): TemplateResult {
  return html`<button
    class="secondary"
    type="button"
    aria-label=${`${words}: ${visibleText(label)}`}
    @click=${() => send({ type: "settleFile", path, how })}
  >
    ${words}
  </button>`;
}
