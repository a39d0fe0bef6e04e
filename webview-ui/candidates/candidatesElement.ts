// The page that compares candidates: a row for each, with what it did and what the user can do with it.
import { html, nothing, type TemplateResult } from "lit";
import { visibleText } from "../../src/base/visibleText.ts";
import type {
  CandidateRow,
  CandidatesIntent,
  CandidatesMessage,
  CandidatesView,
} from "../../src/panel/candidatesPage.ts";
import { everySecond, icon, LightElement, roveByKey, roveTabStop, roveToFocus } from "../base/element.ts";
import { formatCount, formatDuration, t } from "../base/l10n.ts";
import { checkWords, costTexts, filesText, problemsText, stateWords, timeText, tokensText } from "./candidateWords.ts";

export class CandidatesElement extends LightElement {
  send: (intent: CandidatesIntent) => void = () => undefined;
  #view: CandidatesView | undefined;
  #problem = "";
  #stopTimer: (() => void) | undefined;

  /** Takes a message of the host. */
  receive(message: CandidatesMessage): void {
    if (message.type === "problem") this.#problem = visibleText(message.problem);
    else this.#view = message.view;
    this.requestUpdate();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#stopTimer = everySecond(() => {
      const runs = this.#view?.rows.some(row => row.since !== undefined || row.checkSince !== undefined);
      if (runs) this.requestUpdate();
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stopTimer?.();
  }

  protected override updated(): void {
    for (const bar of this.querySelectorAll<HTMLElement>("[role=toolbar]")) roveTabStop(bar);
  }

  protected override render(): TemplateResult {
    const view = this.#view;
    return html`<main class="candidates">
      <h1>${t("Compare Candidates")}</h1>
      ${view ? html`${this.#head(view)} ${this.#table(view)}` : html`<p role="status">${t("Loading…")}</p>`}
    </main>`;
  }

  #head(view: CandidatesView): TemplateResult {
    const { title, base, command, rows } = view;
    const held = rows.filter(({ state }) => state === "held").length;
    const isStarting = rows.some(({ state }) => state === "starting");
    const checks = rows.some(({ checkSince }) => checkSince !== undefined);
    return html`<p class="candidates-prompt"><bdi>${visibleText(title)}</bdi></p>
      <p class="quiet">
        ${t("All of them began at commit {0}.", base)}
        ${command === "" ? nothing : html`${t("Check:")} <code>${visibleText(command)}</code>`}
      </p>
      ${
        held > 0
          ? html`<div class="candidates-held">
              <p>${t("Choose models and modes, then send the prompt.")}</p>
              <button type="button" ?disabled=${isStarting} @click=${() => this.#act({ type: "send" })}>
                ${held === 1 ? t("Send to 1 Agent") : t("Send to {0} Agents", held)}
              </button>
            </div>`
          : nothing
      }
      <div class="candidates-bar">
        <button type="button" class="secondary" @click=${() => this.#act({ type: "compareFile" })}>
          ${t("One File of All…")}
        </button>
        ${
          command === ""
            ? html`<button type="button" class="secondary" @click=${() => this.#act({ type: "setCheckCommand" })}>
                ${t("Set a Check Command…")}
              </button>`
            : html`<button
                type="button"
                class="secondary"
                ?disabled=${checks}
                @click=${() => this.#act({ type: "runChecks" })}
              >
                ${t("Run All Checks")}
              </button>`
        }
      </div>
      <p role="status" class="candidates-problem">${this.#problem}</p>`;
  }

  #table({ rows, command }: CandidatesView): TemplateResult {
    // The roles are explicit, because a narrow page shows the cells below each other.
    const heads = [t("Agent"), t("State"), t("Time"), t("Tokens"), t("Cost"), t("Changes"), t("Check")];
    return html`<table role="table" aria-label=${t("Candidates")}>
      <thead role="rowgroup">
        <tr role="row">
          ${heads.map(head => html`<th role="columnheader" scope="col">${head}</th>`)}
        </tr>
      </thead>
      ${rows.map(row => this.#candidate(row, rows.length, command !== ""))}
    </table>`;
  }

  #candidate(row: CandidateRow, count: number, hasCheck: boolean): TemplateResult {
    const { name, branch, choices, state, reason } = row;
    const [stateIcon, words] = stateWords(state);
    const cell = (label: string, content: unknown): TemplateResult =>
      html`<td role="cell" data-label=${label}><div>${content}</div></td>`;
    return html`<tbody role="rowgroup" data-state=${state}>
      <tr role="row">
        <th role="rowheader" scope="row">
          <bdi class="candidates-name">${visibleText(name)}</bdi>
          <div class="quiet"><bdi>${visibleText(branch)}</bdi></div>
          ${choices.length > 0 ? html`<div class="quiet"><bdi>${choices.map(visibleText).join(" · ")}</bdi></div>` : nothing}
        </th>
        ${cell(t("State"), html`<span class="candidates-state">${icon(stateIcon)} ${words}</span>${reason === undefined ? nothing : html`<div class="candidates-reason" dir="auto">${visibleText(reason)}</div>`}`)}
        ${cell(t("Time"), html`<span class="candidates-time">${timeText(row, Date.now())}</span>`)}
        ${cell(t("Tokens"), tokensText(row))}
        ${cell(
          t("Cost"),
          costTexts(row).map(cost => html`<div>${cost}</div>`),
        )}
        ${cell(t("Changes"), changesCell(row))} ${cell(t("Check"), checkCell(row))}
      </tr>
      <tr role="row">
        <td role="cell" colspan="7" class="candidates-more">
          ${this.#options(row)} ${this.#toolbar(row, count, hasCheck)} ${outputOf(row)}
        </td>
      </tr>
    </tbody>`;
  }

  #options({ session, name, options }: CandidateRow): TemplateResult | typeof nothing {
    if (options.length === 0) return nothing;
    return html`<div class="candidates-options">
      ${options.map(option => {
        const choose = (event: Event): void =>
          this.#act({
            type: "setOption",
            session,
            option: option.id,
            value: (event.target as HTMLSelectElement).value,
          });
        return html`<label
          ><bdi>${visibleText(option.name)}</bdi>
          <select aria-label=${t("{0} of {1}", visibleText(option.name), visibleText(name))} @change=${choose}>
            ${option.choices.map(
              choice =>
                html`<option value=${choice.value} ?selected=${choice.value === option.value}>
                  ${visibleText(choice.name)}
                </option>`,
            )}
          </select></label
        >`;
      })}
    </div>`;
  }

  #toolbar(row: CandidateRow, count: number, hasCheck: boolean): TemplateResult {
    const { session, name, state, checkSince } = row;
    const exists = state !== "removed";
    const others = count > 1;
    const button = (label: string, type: CandidateIntentType): TemplateResult =>
      html`<button type="button" class="secondary" @click=${() => this.#act({ type, session })}>${label}</button>`;
    const check =
      checkSince === undefined ? button(t("Run Check"), "runCheck") : button(t("Cancel Check"), "stopCheck");
    return html`<div
      role="toolbar"
      class="candidates-actions"
      aria-label=${visibleText(name)}
      @keydown=${(event: KeyboardEvent) => roveByKey(event.currentTarget as HTMLElement, event)}
      @focusin=${(event: FocusEvent) => roveToFocus(event.currentTarget as HTMLElement, event)}
    >
      ${button(t("Show Chat"), "showChat")}
      ${exists ? html`${button(t("Show Changes"), "showChanges")} ${others ? button(t("Compare With…"), "compareWith") : nothing} ${hasCheck ? check : nothing}` : nothing}
      ${exists ? html`${button(t("Bring Back…"), "bringBack")} ${button(t("Go On with This One"), "goOn")}` : nothing}
      ${exists && others ? button(t("Remove the Others…"), "removeOthers") : nothing}
    </div>`;
  }

  #act(intent: CandidatesIntent): void {
    this.#problem = "";
    this.requestUpdate();
    this.send(intent);
  }
}

/** The intents about a candidate that have no other fields. */
type CandidateIntentType =
  | "showChat"
  | "showChanges"
  | "compareWith"
  | "runCheck"
  | "stopCheck"
  | "bringBack"
  | "goOn"
  | "removeOthers";

function changesCell({ changes, problems, state }: CandidateRow): unknown {
  if (state === "removed") return "–";
  if (changes === undefined) return t("Comparing…");
  if (typeof changes === "string") return html`<div class="candidates-reason" dir="auto">${visibleText(changes)}</div>`;
  const { files, added, removed } = changes;
  if (files === 0) return t("None");
  return html`<div>${filesText(files)}</div>
    <div class="candidates-lines">
      <span class="added">+${formatCount(added)}</span> <span class="removed">−${formatCount(removed)}</span>
    </div>
    ${problems === undefined ? nothing : html`<div class="candidates-failed">${problemsText(problems)}</div>`}`;
}

function checkCell({ check, checkSince }: CandidateRow): unknown {
  if (checkSince !== undefined)
    return html`${icon("loading codicon-modifier-spin")}
    ${t("Running for {0}", formatDuration(Date.now() - checkSince))}`;
  if (!check) return "–";
  const isPassed = check.outcome === "passed";
  return html`<div class=${isPassed ? "candidates-passed" : "candidates-failed"}>
      ${icon(isPassed ? "pass" : "error")} ${checkWords(check)}
    </div>
    <div class="quiet">${formatDuration(check.duration)}</div>
    ${check.isOutdated ? html`<div class="quiet">${t("Before the latest changes")}</div>` : nothing}`;
}

function outputOf({ check, checkSince, name }: CandidateRow): TemplateResult | typeof nothing {
  if (!check || checkSince !== undefined || check.output === "") return nothing;
  return html`<details class="candidates-output">
    <summary>${t("Last lines of the check")}</summary>
    <pre tabindex="0" aria-label=${t("Last lines of the check of {0}", visibleText(name))}>
${visibleText(check.output)}</pre>
  </details>`;
}
