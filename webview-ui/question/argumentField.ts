// A text field whose values the server of a prompt completes: a combobox with its list below it.
import { html, nothing, type TemplateResult } from "lit";
import { visibleText } from "../../src/base/visibleText.ts";
import { LightElement } from "../base/element.ts";

/** `<parley-argument>`: set the attributes of the input before it is connected. */
export class ArgumentFieldElement extends LightElement {
  static override properties = {
    fieldId: { attribute: false },
    value: { attribute: false },
    values: { attribute: false },
    invalid: { attribute: false },
    describedBy: { attribute: false },
    required: { attribute: false },
    at: { state: true },
    open: { state: true },
  };
  declare fieldId: string;
  declare value: string;
  /** What the server offers for the current text. */
  declare values: readonly string[];
  declare invalid: boolean;
  declare describedBy: string | undefined;
  declare required: boolean;
  /** The chosen row; -1 for none. */
  declare at: number;
  declare open: boolean;
  onValue: (value: string) => void = () => {};
  /** The user has typed, or has entered the field: new values are wanted. */
  onComplete: () => void = () => {};
  onLeave: () => void = () => {};

  constructor() {
    super();
    this.fieldId = "";
    this.value = "";
    this.values = [];
    this.invalid = false;
    this.required = false;
    this.at = -1;
    this.open = false;
  }

  protected override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (changed.has("values")) this.at = -1;
  }

  protected override updated(): void {
    this.querySelector("[aria-selected='true']")?.scrollIntoView({ block: "nearest" });
  }

  protected override render(): TemplateResult {
    const isOpen = this.open && this.values.length > 0;
    const listId = `${this.fieldId}-values`;
    return html`<input
        id=${this.fieldId}
        type="text"
        dir="auto"
        role="combobox"
        autocomplete="off"
        spellcheck="false"
        aria-autocomplete="list"
        aria-expanded=${isOpen ? "true" : "false"}
        aria-controls=${listId}
        aria-activedescendant=${isOpen && this.at >= 0 ? `${listId}-${this.at}` : nothing}
        aria-required=${this.required ? "true" : nothing}
        aria-invalid=${this.invalid ? "true" : nothing}
        aria-describedby=${this.describedBy ?? nothing}
        .value=${this.value}
        @input=${this.#input}
        @focus=${() => this.onComplete()}
        @keydown=${this.#keydown}
        @blur=${() => {
          this.open = false;
          this.onLeave();
        }}
      />
      <div id=${listId} class="argument-values" role="listbox" ?hidden=${!isOpen}>
        ${
          isOpen
            ? this.values.map(
                (value, at) =>
                  html`<div
                    id="${listId}-${at}"
                    class="popup-row"
                    role="option"
                    aria-selected=${at === this.at ? "true" : "false"}
                    @mousedown=${(event: Event) => event.preventDefault()}
                    @click=${() => this.#choose(at)}
                  >
                    ${visibleText(value)}
                  </div>`,
              )
            : nothing
        }
      </div>`;
  }

  #input = (event: Event): void => {
    this.value = (event.target as HTMLInputElement).value;
    this.open = true;
    this.onValue(this.value);
    this.onComplete();
  };

  #choose(at: number): void {
    const value = this.values[at];
    if (value === undefined) return;
    this.value = value;
    this.open = false;
    this.onValue(value);
  }

  #keydown = (event: KeyboardEvent): void => {
    if (event.isComposing || event.keyCode === 229) return;
    const { length } = this.values;
    switch (event.key) {
      case "ArrowDown":
      case "ArrowUp":
        if (length === 0) return;
        if (!this.open) this.open = true;
        else this.at = event.key === "ArrowDown" ? (this.at + 1) % length : (this.at - 1 + length) % length;
        if (this.at < 0) this.at = event.key === "ArrowDown" ? 0 : length - 1;
        break;
      case "Enter":
        if (!this.open || length === 0 || this.at < 0) return;
        this.#choose(this.at);
        break;
      case "Escape":
        if (!this.open || length === 0) return;
        this.open = false;
        event.stopPropagation();
        break;
      default:
        return;
    }
    event.preventDefault();
  };
}
