// Shows a problem: the message, the agent's output, a command to run, and the next steps.
import { html, nothing, type TemplateResult } from "lit";
import { visibleText } from "../../src/base/visibleText.ts";
import type { NextStep, Problem, SignInOption } from "../../src/base/errors.ts";
import type { ViewBanner, ViewSignIn } from "../../src/panel/protocol.ts";
import { copyButton } from "../markdown/copy.ts";
import { icon } from "../base/element.ts";
import { send } from "../base/vscodeApi.ts";
import { titleText } from "./parts.ts";
import { t } from "../base/l10n.ts";

/** The label of a next step. */
export function stepName(step: NextStep): string {
  switch (step) {
    case "retry":
      return t("Retry");
    case "restartAgent":
      return t("Restart Agent");
    case "selectAgent":
      return t("Select Agent");
    case "openSettings":
      return t("Open Settings");
    case "showLog":
      return t("Show Log");
    case "showTraffic":
      return t("Show in Inspector");
    case "checkAgent":
      return t("Check Agent");
    case "manageTrust":
      return t("Manage Workspace Trust");
    case "openFolder":
      return t("Open Folder");
    case "newSession":
      return t("New Session");
    case "exportSession":
      return t("Export Session…");
    case "continueWith":
      return t("Continue With…");
    case "startAnyway":
      return t("Start Anyway");
    case "useDraftProtocol":
      return t("Use Version 2");
    case "setAgentHeader":
      return t("Set Header…");
    default:
      step satisfies never;
      return "";
  }
}

function signInButton({ id, name, description }: SignInOption, at: number): TemplateResult {
  return html`<button
    class=${at === 0 ? "primary" : "secondary"}
    type="button"
    title=${description === undefined ? nothing : visibleText(description)}
    @click=${() => send({ type: "signIn", method: id })}
  >
    <bdi>${visibleText(name)}</bdi>
  </button>`;
}

/** A sign-in in progress takes the place of the offers. */
function signInProgress(problem: Problem, { name, late }: ViewSignIn): TemplateResult {
  return html`<div class="problem-text">${icon("key")} <span class="sentence">${titleText(problem.message)}</span></div>
    <div role="status">
      ${
        late
          ? t("The agent has not answered for two minutes. You can wait, or restart it.")
          : t("Signing in with “{0}”…", visibleText(name))
      }
    </div>
    <div class="buttons">
      <button class="secondary" type="button" @click=${() => send({ type: "cancelSignIn" })}>
        ${late ? t("Cancel and Restart") : t("Cancel")}
      </button>
    </div>`;
}

/** The output of the agent or technical details. */
const detailText = ({ detail = "" }: Problem): TemplateResult | typeof nothing =>
  detail === ""
    ? nothing
    : html`<pre class="detail" tabindex="0" role="group" aria-label=${t("Details")}>${detail}</pre>`;

/** A command line that the user may run. */
const commandLine = ({ command }: Problem): TemplateResult | typeof nothing =>
  command === undefined
    ? nothing
    : html`<div class="run">
        <code>${visibleText(command)}</code>
        ${copyButton(t("Copy Command"), () => command)}
      </div>`;

/** Buttons for the next steps. */
const stepButtons = ({ next }: Problem, isFirstPrimary: boolean): readonly TemplateResult[] =>
  next.map(
    (step, at) =>
      html`<button
        class=${at === 0 && isFirstPrimary ? "primary" : "secondary"}
        type="button"
        @click=${() => send({ type: "nextStep", step })}
      >
        ${stepName(step)}
      </button>`,
  );

const folded = (content: TemplateResult | typeof nothing): TemplateResult =>
  html`<details class="problem-details">
    <summary>${t("Details")}</summary>
    ${content}
  </details>`;

const messageLine = (problem: Problem, symbol: string): TemplateResult =>
  html`<div class="problem-text">${icon(symbol)} <span class="sentence">${titleText(problem.message)}</span></div>`;

/** The content of a row. `offersSteps` is false when the next steps no longer apply. */
export function problemBody(problem: Problem, offersSteps: boolean): TemplateResult {
  return html`${messageLine(problem, "error")} ${detailText(problem)} ${commandLine(problem)}
  ${offersSteps ? html`<div class="buttons">${stepButtons(continuable(problem), true)}</div>` : nothing}`;
}

/** The problem, which the user can leave behind by continuing with another agent. */
const continuable = <P extends Problem>(problem: P): P => ({ ...problem, next: [...problem.next, "continueWith"] });

/**
 * The content of the banner: the sentence and what to do. The rest is folded. `canContinue`: the session has a
 * conversation that another agent can continue.
 */
export function bannerBody(shown: ViewBanner, canContinue: boolean): TemplateResult {
  const problem = canContinue ? continuable(shown) : shown;
  if (problem.signingIn) return signInProgress(problem, problem.signingIn);
  const { detail = "", command, next, signIn = [] } = problem;
  if (signIn.length > 0) {
    const hasMore = detail !== "" || command !== undefined || next.length > 0;
    const more = html`${detailText(problem)} ${commandLine(problem)}
      <div class="buttons">${stepButtons(problem, false)}</div>`;
    return html`${messageLine(problem, "key")}
      <div class="buttons">${signIn.map(signInButton)}</div>
      ${hasMore ? folded(more) : nothing}`;
  }
  return html`${messageLine(problem, "error")} ${commandLine(problem)}
  ${next.length > 0 ? html`<div class="buttons">${stepButtons(problem, true)}</div>` : nothing}
  ${detail === "" ? nothing : folded(detailText(problem))}`;
}
