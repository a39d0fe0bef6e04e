// The user's choices that the agent does not have, above the composer: prompts wait until the user decides.
import { html, nothing, type TemplateResult } from "lit";
import { visibleText } from "../../src/base/visibleText.ts";
import type { ViewHead, ViewRefusedChoice } from "../../src/panel/protocol.ts";
import { icon } from "../base/element.ts";
import { send } from "../base/vscodeApi.ts";
import { t } from "../base/l10n.ts";

/** What the agent refused, with the two ways to go on. Nothing if the agent has every choice. */
export function refusedChoices({ connection, agent, queue }: ViewHead): TemplateResult | typeof nothing {
  const refused = connection?.refusedChoices ?? [];
  if (refused.length === 0) return nothing;
  const agentName = agent?.name ?? t("The agent");
  const changeable = refused.find(({ option }) => option !== undefined)?.option;
  const isPromptWaiting = queue.some(({ sent }) => !sent);
  const sentences = refused.map(choice => visibleText(sentenceOf(choice, agentName)));
  if (isPromptWaiting) sentences.push(t("Your message was not sent."));
  return html`<div class="refused-choices">
    ${icon("warning")}
    <div class="refused-text">
      ${sentences.map(sentence => html`<div>${sentence}</div>`)}
      <div class="buttons">
        ${changeable === undefined ? nothing : chooseButton(changeable)}${isPromptWaiting ? sendButton() : nothing}
      </div>
    </div>
  </div>`;
}

const chooseButton = (option: string): TemplateResult =>
  html`<button class="primary" type="button" @click=${() => openOption(option)}>${t("Choose…")}</button>`;

const sendButton = (): TemplateResult =>
  html`<button class="secondary" type="button" @click=${() => send({ type: "sendAnyway" })}>
    ${t("Send Anyway")}
  </button>`;

function sentenceOf({ name, chosen, reason, message }: ViewRefusedChoice, agentName: string): string {
  const value = typeof chosen === "string" ? chosen : chosen ? t("On") : t("Off");
  const text =
    reason === "missing"
      ? t("{0} no longer offers {1}: {2}, which you chose.", agentName, name, value)
      : t("{0} did not accept {1}: {2}, which you chose.", agentName, name, value);
  return message === undefined ? text : `${text} ${message}`;
}

/** Opens the control of an option, as a click on it does. */
function openOption(id: string): void {
  const controls = [...document.querySelectorAll<HTMLElement>(".option-list [data-option]")];
  const control = controls.find(each => each.dataset["option"] === id);
  control?.focus();
  if (control instanceof HTMLSelectElement) control.showPicker();
  else if (control instanceof HTMLButtonElement) control.click();
}
