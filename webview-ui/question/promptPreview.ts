// The card that shows what a prompt of an MCP server or of a file would send. Nothing is sent before the user selects Send.
import { html, nothing, type TemplateResult } from "lit";
import { visibleText } from "../../src/base/visibleText.ts";
import type { ViewPart, ViewQuestion } from "../../src/panel/protocol.ts";
import { questionNavigation, type QuestionPosition } from "./questionNavigation.ts";
import { LightElement, icon } from "../base/element.ts";
import { t } from "../base/l10n.ts";
import { send } from "../base/vscodeApi.ts";
import { messagePart } from "../transcript/parts.ts";

/** `<parley-preview>` */
export class PromptPreviewElement extends LightElement {
  static override properties = { question: { attribute: false }, position: { attribute: false } };
  declare question: ViewQuestion | undefined;
  declare position: QuestionPosition;
  #isAnswered = false;

  constructor() {
    super();
    this.position = { at: 0, count: 1, move: () => {} };
  }

  /** Focuses Send, at the user's request. */
  focusCard(): void {
    void this.updateComplete.then(() => this.querySelector<HTMLElement>("button.primary")?.focus());
  }

  protected override render(): TemplateResult | typeof nothing {
    const { question } = this;
    if (!question?.preview) return nothing;
    const { sections, notes } = question.preview;
    const isUsers = sections.every(({ role }) => role === "user");
    return html`<div
      class="question preview-card"
      role="group"
      aria-label=${t("Preview of {0}", visibleText(question.title))}
    >
      <div class="question-head" dir="auto">
        ${icon("sparkle")} <span class="question-title">${visibleText(question.title)}</span>
        ${questionNavigation(this.position)}
      </div>
      <div class="quiet" dir="auto">${`${visibleText(question.origin ?? "")} ${t("This is what will be sent.")}`}</div>
      ${notes.map(note => html`<div class="quiet pre" dir="auto">${visibleText(note)}</div>`)}
      <div class="question-details preview-content" tabindex="0" role="group" aria-label=${t("Content of the prompt")}>
        ${sections.map(
          ({ role, parts }) =>
            html`${isUsers ? nothing : html`<div class="preview-role">${role === "user" ? t("User") : t("Assistant")}</div>`}
            ${parts.map(previewPart)}`,
        )}
      </div>
      <div class="options">
        <button class="primary" type="button" @click=${() => this.#answer("send")}>${t("Send")}</button>
        <button class="secondary" type="button" @click=${() => this.#answer("edit")}>${t("Edit")}</button>
        <button class="secondary" type="button" @click=${() => this.#answer("cancel")}>${t("Cancel")}</button>
      </div>
    </div>`;
  }

  #answer(answer: "send" | "edit" | "cancel"): void {
    if (!this.question || this.#isAnswered) return;
    this.#isAnswered = true;
    send({ type: "answerPreview", question: this.question.id, answer });
  }
}

/** Texts are shown exactly as they are sent, and not as Markdown. */
const previewPart = (part: ViewPart): TemplateResult =>
  part.type === "text"
    ? html`<div class="pre preview-text" dir="auto">${visibleText(part.text)}</div>`
    : messagePart(part, false);
