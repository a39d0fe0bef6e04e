// A picker for an option with many choices: a button with the current choice, and a searchable list above it.
import { html, nothing, type TemplateResult } from "lit";
import type { ViewOption, ViewOptionChoice } from "../../src/panel/protocol.ts";
import { LightElement, icon } from "../base/element.ts";
import { send } from "../base/vscodeApi.ts";
import { t } from "../base/l10n.ts";
import { optionLabel, optionNotes, warningText } from "./optionLabel.ts";
import { placeAbove, bestMatches, listIndex, matchedLabel } from "./listbox.ts";

interface Row {
  readonly choice: ViewOptionChoice;
  readonly matches: readonly number[];
}

/** `<parley-picker>`: set `option` and `tooltip` before it is connected. */
export class PickerElement extends LightElement {
  static override properties = {
    option: { attribute: false },
    tooltip: { attribute: false },
    query: { state: true },
    at: { state: true },
  };
  declare option: Extract<ViewOption, { type: "select" }>;
  declare tooltip: string;
  /** The search text; null while the list is closed. */
  declare query: string | null;
  declare at: number;

  constructor() {
    super();
    this.tooltip = "";
    this.query = null;
    this.at = 0;
    this.addEventListener("focusout", event => this.#focusout(event));
  }

  protected override updated(): void {
    const popup = this.querySelector<HTMLElement>(".popup");
    const bar = this.closest<HTMLElement>(".composer-bar");
    if (popup && bar) placeAbove(popup, bar);
  }

  protected override render(): TemplateResult {
    const { name, choices, value } = this.option;
    const chosen = choices.find(choice => choice.value === value);
    const shown = chosen?.name ?? value;
    const notes = optionNotes(this.option);
    return html`<button
        class="option picker-button"
        type="button"
        aria-haspopup="listbox"
        aria-expanded=${this.query === null ? "false" : "true"}
        data-option=${this.option.id}
        ?data-warning=${this.option.warning}
        ?data-pending=${this.option.pending}
        aria-label=${t("{0}: {1}", name, shown)}
        aria-description=${notes ?? nothing}
        title=${this.tooltip}
        @click=${() => (this.query === null ? this.#open() : this.#close())}
        @keydown=${(event: KeyboardEvent) => this.#buttonKey(event)}
      >
        ${optionLabel(this.option, shown)}<span class="ellipsis" dir="auto">${shown}</span>${icon("chevron-down")}
      </button>
      ${this.query === null ? nothing : this.#list(this.query)}`;
  }

  #list(query: string): TemplateResult {
    const { name, value } = this.option;
    const rows = this.#rows(query);
    // A fixed id, because only one list is open at a time.
    const list = "parley-choices";
    return html`<div class="popup picker" @mousedown=${keepFocus}>
      <div id=${list} class="popup-list" role="listbox" aria-label=${name}>
        ${rows.map(
          ({ choice, matches }, i) =>
            html`${heading(rows, i, query)}
              <div
                id=${`${list}-${i}`}
                class="popup-row"
                role="option"
                aria-selected=${i === this.at ? "true" : "false"}
                title=${choice.description ?? nothing}
                @click=${() => this.#choose(choice)}
              >
                ${icon(choice.value === value ? "check" : "blank")}${matchedLabel(choice.name, matches)}${choice.warning ? html`${icon("warning")}<span class="sr-only">${warningText()}</span>` : nothing}${choice.value === value ? html`<span class="sr-only">${t("current")}</span>` : nothing}${
                  query === "" || choice.group === undefined
                    ? nothing
                    : html`<span class="popup-detail">${choice.group}</span>`
                }
              </div>`,
        )}
      </div>
      ${rows.length === 0 ? html`<div class="popup-note" role="status">${t("No matches")}</div>` : nothing}
      <input
        class="popup-search"
        type="text"
        dir="auto"
        role="combobox"
        aria-label=${t("Search {0}", name)}
        aria-autocomplete="list"
        aria-expanded="true"
        aria-controls=${list}
        aria-activedescendant=${rows.length === 0 ? nothing : `${list}-${this.at}`}
        placeholder=${t("Search {0}", name)}
        .value=${query}
        @input=${(event: Event) => {
          this.query = (event.target as HTMLInputElement).value;
          this.at = 0;
        }}
        @keydown=${(event: KeyboardEvent) => this.#searchKey(event, rows)}
      />
    </div>`;
  }

  #rows(query: string): readonly Row[] {
    const { choices } = this.option;
    if (query === "") return choices.map(choice => ({ choice, matches: [] }));
    return bestMatches(query, choices, choice => choice.name).map(({ item, matches }) => ({ choice: item, matches }));
  }

  #open(): void {
    this.query = "";
    this.at = Math.max(
      0,
      this.option.choices.findIndex(choice => choice.value === this.option.value),
    );
    void this.updateComplete.then(() => this.querySelector("input")?.focus());
  }

  #close(): void {
    if (this.query === null) return;
    const hadFocus = this.contains(document.activeElement);
    this.query = null;
    if (hadFocus) this.querySelector("button")?.focus();
  }

  #choose({ value }: ViewOptionChoice): void {
    this.#close();
    if (value !== this.option.value) send({ type: "setOption", option: this.option.id, value });
  }

  #buttonKey(event: KeyboardEvent): void {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    this.#open();
  }

  #searchKey(event: KeyboardEvent, rows: readonly Row[]): void {
    if (event.isComposing || event.keyCode === 229) return;
    // With search text, Home and End move the caret in it.
    const isCaretKey = (event.key === "Home" || event.key === "End") && this.query !== "";
    const to = isCaretKey ? undefined : listIndex(event.key, this.at, rows.length);
    if (to !== undefined) this.at = to;
    else if (event.key === "Escape") this.#close();
    else if (event.key === "Enter") {
      const row = rows[this.at];
      if (row) this.#choose(row.choice);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #focusout(event: FocusEvent): void {
    if (this.query === null) return;
    if (event.relatedTarget instanceof Node && this.contains(event.relatedTarget)) return;
    this.query = null;
  }
}

/** The group name above the first choice of the group. */
function heading(rows: readonly Row[], at: number, query: string): TemplateResult | typeof nothing {
  const group = rows[at]?.choice.group;
  if (query !== "" || group === undefined || group === rows[at - 1]?.choice.group) return nothing;
  return html`<div class="popup-group" role="presentation">${group}</div>`;
}

/** Keeps the focus in the search box when the user clicks the list. A click in the search box works as usual. */
function keepFocus(event: MouseEvent): void {
  if ((event.target as HTMLElement).tagName !== "INPUT") event.preventDefault();
}
