// The test of the page of permission rules: what the rules decide about a typed request. The host evaluates it.
import { html, nothing, type LitElement, type TemplateResult } from "lit";
import { testedRequests, type RuleRow, type RulesIntent, type RulesMessage } from "../../src/panel/rulesPage.ts";
import type { TestedRequest, TestResult } from "../../src/panel/rulesPage.ts";
import { visibleText } from "../../src/base/visibleText.ts";
import { icon } from "../base/element.ts";
import { t } from "../base/l10n.ts";
import { effectIcon, requestName } from "./ruleWords.ts";

/** The test waits this long for the next key (ms). */
const testDelay = 150;

const examples: Readonly<Record<TestedRequest, string>> = {
  command: "npm test",
  read: "src/index.ts",
  edit: "src/index.ts",
  fetch: "https://example.com",
};

/** The test, as a part of the page. */
export class RuleTrial {
  readonly #host: LitElement;
  readonly #send: (intent: RulesIntent) => void;
  readonly #reveal: (row: string) => void;
  #tested: TestedRequest = "command";
  #text = "";
  #request = 0;
  #results: readonly TestResult[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: LitElement, send: (intent: RulesIntent) => void, reveal: (row: string) => void) {
    this.#host = host;
    this.#send = send;
    this.#reveal = reveal;
  }

  /** Whether the rule of a row decides the test. */
  decides(row: string): boolean {
    return this.#results.some(result => result.row === row);
  }

  /** Tests again, because the rules have changed. */
  repeat(): void {
    if (this.#text.trim() !== "") this.#test(0);
  }

  /** Takes the answer to the latest test. */
  receive({ request, results }: RulesMessage & { readonly type: "tested" }): void {
    if (request !== this.#request) return;
    this.#results = results;
    this.#host.requestUpdate();
  }

  render(rows: readonly RuleRow[]): TemplateResult {
    const label = this.#tested === "command" ? t("Command line") : this.#tested === "fetch" ? t("Address") : t("Path");
    return html`<section class="trial" aria-labelledby="rules-test">
      <h2 id="rules-test">${t("Test")}</h2>
      <p class="quiet">${t("Shows what the rules answer if an agent asks for this. Nothing is run.")}</p>
      <div class="trial-fields field">
        <select aria-label=${t("Request")} @change=${this.#onSelect}>
          ${testedRequests.map(
            one => html`<option value=${one} ?selected=${one === this.#tested}>${requestName(one)}</option>`,
          )}
        </select>
        <input
          type="text"
          dir="ltr"
          spellcheck="false"
          autocapitalize="off"
          aria-label=${label}
          placeholder=${examples[this.#tested]}
          .value=${this.#text}
          @input=${this.#onInput}
        />
      </div>
      <div class="trial-results" role="status" aria-label=${t("Result of the test")}>
        ${this.#results.map(result => this.#result(result, rows))}
      </div>
    </section>`;
  }

  #result({ agents, effect, text, row, isHint }: TestResult, rows: readonly RuleRow[]): TemplateResult {
    const isListed = rows.some(({ id }) => id === row);
    return html`<div class="trial-result" data-effect=${isHint ? "hint" : effect}>
      ${icon(isHint ? "info" : effectIcon(effect))}
      <span
        >${agents === undefined ? nothing : html`<strong>${visibleText(agents)}:</strong> `}${visibleText(text)}</span
      >
      ${
        row !== undefined && isListed
          ? html`<button type="button" class="link" @click=${() => this.#reveal(row)}>${t("Show Rule")}</button>`
          : nothing
      }
    </div>`;
  }

  readonly #onSelect = (event: Event): void => {
    const { value } = event.target as HTMLSelectElement;
    this.#tested = testedRequests.find(one => one === value) ?? this.#tested;
    this.#test(0);
    this.#host.requestUpdate();
  };

  readonly #onInput = (event: Event): void => {
    this.#text = (event.target as HTMLInputElement).value;
    this.#test(testDelay);
  };

  #test(delay: number): void {
    clearTimeout(this.#timer);
    // An answer to an earlier text is out of date.
    const request = ++this.#request;
    this.#timer = setTimeout(
      () => this.#send({ type: "test", request, tested: this.#tested, text: this.#text }),
      delay,
    );
  }
}
