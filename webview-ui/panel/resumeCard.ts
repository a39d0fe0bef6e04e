// Above the composer: the question before the agent gets a large conversation again. It never takes the focus.
import { html, nothing, type TemplateResult } from "lit";
import { formatMoney } from "../../src/base/money.ts";
import { visibleText } from "../../src/base/visibleText.ts";
import type { Intent } from "../../src/panel/intents.ts";
import type { ViewHead, ViewResumeQuestion } from "../../src/panel/protocol.ts";
import { icon } from "../base/element.ts";
import { formatCount, formatSize, t } from "../base/l10n.ts";
import { send } from "../base/vscodeApi.ts";

type Answer = Extract<Intent, { readonly type: "answerResume" }>["answer"];

/** The question, or nothing. `leave` moves the focus away from a button that disappears. */
export function resumeCard(
  { resumeQuestion, agent, queue }: ViewHead,
  leave: () => void,
): TemplateResult | typeof nothing {
  if (!resumeQuestion) return nothing;
  const name = visibleText(agent?.name ?? t("The agent"));
  const isPromptWaiting = queue.some(({ sent }) => !sent);
  const button = (label: string, title: string, answer: Answer): TemplateResult => {
    const press = (): void => {
      send({ type: "answerResume", answer });
      leave();
    };
    return html`<button
      class=${answer === "resume" ? "primary" : "secondary"}
      type="button"
      title=${title}
      @click=${press}
    >
      ${label}
    </button>`;
  };
  return html`<div class="resume-question" role="group" aria-label=${t("Resume this large conversation?")}>
    ${icon("history")}
    <div class="resume-text">
      <div class="resume-title">${t("Resume this large conversation?")}</div>
      <div class="quiet">${sizeTexts(resumeQuestion).join(" · ")}</div>
      <div>${t("{0} gets all of it again, which can use many tokens.", name)}</div>
      ${isPromptWaiting ? html`<div>${t("Your message waits for your answer.")}</div>` : nothing}
      <div class="buttons">
        ${button(t("Resume"), t("Continue the whole conversation. Parley does not ask again in this window."), "resume")}
        ${button(t("Continue From Digest"), t("Continue in a new session, with a digest of this conversation"), "digest")}
        ${button(t("Read Only"), t("Send nothing, and return your message to the message box (Escape)"), "readOnly")}
      </div>
    </div>
  </div>`;
}

/** What is known about the size of the conversation. */
const sizeTexts = ({ tokens, bytes, costs = [] }: ViewResumeQuestion): readonly string[] => [
  ...(tokens === undefined ? [] : [t("{0} tokens", formatCount(tokens))]),
  ...(bytes === undefined ? [] : [t("Size: {0}", formatSize(bytes))]),
  ...(costs.length === 0 ? [] : [t("Cost so far: {0}", costs.map(cost => visibleText(formatMoney(cost))).join(", "))]),
];
