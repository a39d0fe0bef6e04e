// A menu button that follows the ARIA pattern: arrow keys, Home, End and first letters move, Escape closes.
import { html, nothing, type TemplateResult } from "lit";
import { LightElement, icon } from "../base/element.ts";
import { iconButton } from "../base/iconButton.ts";

/** One line of a menu. */
export interface MenuItem {
  readonly label: string;
  readonly icon: string;
  /** The displayed key that does the same. */
  readonly key?: string;
  /** For a choice among the items: whether this one is in effect. */
  readonly checked?: boolean;
  /** Identifies the item of a choice, as `data-value`. */
  readonly value?: string;
  /** The tooltip. */
  readonly title?: string;
  /** A line separates the item from the ones before it. */
  readonly startsGroup?: true;
  readonly run: () => void;
}

/** The items of these groups, with a line between two groups. */
export const inGroups = (groups: readonly (readonly MenuItem[])[]): readonly MenuItem[] =>
  groups.flatMap((items, group) =>
    items.map((item, at) => (group > 0 && at === 0 ? { ...item, startsGroup: true as const } : item)),
  );

/** `<parley-menu>`: the button, and its menu while it is open. */
export class MenuElement extends LightElement {
  static override properties = {
    label: { attribute: false },
    text: { attribute: false },
    details: { attribute: false },
    spoken: { attribute: false },
    textIcon: { attribute: false },
    tooltip: { attribute: false },
    items: { attribute: false },
    floats: { attribute: false },
    open: { state: true },
  };
  declare label: string;
  /** The text on the button: the choice in effect. Without it, the button shows an ellipsis. */
  declare text: string | undefined;
  /** A text after that of the button, which is never cut. */
  declare details: string | undefined;
  /** What screen readers read in place of the texts of the button. */
  declare spoken: string | undefined;
  /** The codicon before the text of the button. */
  declare textIcon: string | undefined;
  declare tooltip: string | undefined;
  declare items: readonly MenuItem[];
  /** The menu is above the page, because a box around it clips what it contains. */
  declare floats: boolean;
  declare open: boolean;
  /** The item to focus after the menu is rendered. */
  #focusAt: number | undefined;

  constructor() {
    super();
    this.label = "";
    this.items = [];
    this.floats = false;
    this.open = false;
    this.addEventListener("keydown", event => this.#keydown(event));
    this.addEventListener("focusout", event => {
      // Moving the focus elsewhere closes the menu. A null target is another window, or no element.
      if (event.relatedTarget instanceof Node && !this.contains(event.relatedTarget)) this.open = false;
    });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener("pointerdown", this.#closeFromOutside);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener("pointerdown", this.#closeFromOutside);
  }

  protected override updated(): void {
    if (this.open && this.floats) this.#float();
    if (this.#focusAt === undefined) return;
    this.#choices[this.#focusAt]?.focus();
    this.#focusAt = undefined;
  }

  protected override render(): TemplateResult {
    return html`${this.text === undefined ? this.#iconButton() : this.#textButton(this.text)}
    ${this.open ? this.#menu() : nothing}`;
  }

  /** Places the menu below its button, or above it where the page ends. */
  #float(): void {
    const menu = this.querySelector<HTMLElement>(".menu");
    const button = this.querySelector("[aria-haspopup]")?.getBoundingClientRect();
    if (!menu || !button || menu.matches(":popover-open")) return;
    menu.showPopover();
    const { width, height } = menu.getBoundingClientRect();
    const isBelow = button.bottom + height <= innerHeight;
    menu.style.top = `${isBelow ? button.bottom : Math.max(0, button.top - height)}px`;
    menu.style.left = `${Math.max(0, Math.min(button.right, innerWidth) - width)}px`;
  }

  #iconButton(): TemplateResult {
    return iconButton("ellipsis", { label: this.label, menuOpen: this.open, onClick: this.#toggle });
  }

  #textButton(text: string): TemplateResult {
    const { spoken } = this;
    const hidden = spoken === undefined ? nothing : "true";
    return html`<button
      class="menu-choice"
      type="button"
      aria-label=${spoken === undefined ? `${this.label}: ${text}` : nothing}
      title=${this.tooltip ?? this.label}
      aria-haspopup="menu"
      aria-expanded=${this.open}
      @click=${this.#toggle}
    >
      ${spoken === undefined ? nothing : html`<span class="sr-only">${`${this.label}: ${spoken}`}</span>`}
      ${this.textIcon === undefined ? nothing : icon(this.textIcon)}
      <span class="ellipsis" dir="auto" aria-hidden=${hidden}>${text}</span>
      ${this.details ? html`<span class="menu-details" dir="ltr" aria-hidden=${hidden}>${this.details}</span>` : nothing}
      ${icon("chevron-down")}
    </button>`;
  }

  #toggle = (): void => {
    if (this.open) this.#close();
    else this.#show(this.#firstIndex);
  };

  /** The item in effect, or the first. */
  get #firstIndex(): number {
    return Math.max(
      0,
      this.items.findIndex(item => item.checked),
    );
  }

  #menu(): TemplateResult {
    return html`<div class="menu" role="menu" aria-label=${this.label} popover=${this.floats ? "manual" : nothing}>
      ${this.items.map(
        item =>
          html`${item.startsGroup ? html`<div class="menu-separator" role="separator"></div>` : nothing}<button
              class="menu-item"
              type="button"
              role=${item.checked === undefined ? "menuitem" : "menuitemradio"}
              aria-checked=${item.checked ?? nothing}
              data-value=${item.value ?? nothing}
              title=${item.title ?? nothing}
              tabindex="-1"
              @click=${() => this.#runItem(item)}
            >
              ${icon(item.icon)} <span class="menu-label">${item.label}</span>
              ${item.key === undefined ? nothing : html`<kbd aria-hidden="true">${item.key}</kbd>`}
            </button>`,
      )}
    </div>`;
  }

  get #choices(): readonly HTMLElement[] {
    return [...this.querySelectorAll<HTMLElement>(".menu-item")];
  }

  #show(at: number): void {
    this.#focusAt = at;
    this.open = true;
  }

  #close(): void {
    this.open = false;
    this.querySelector<HTMLElement>("[aria-haspopup]")?.focus();
  }

  #runItem(item: MenuItem): void {
    this.#close();
    item.run();
  }

  #closeFromOutside = (event: Event): void => {
    if (this.open && !this.contains(event.target as Node)) this.open = false;
  };

  #keydown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!this.open) {
      if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
      event.preventDefault();
      return this.#show(event.key === "ArrowDown" ? this.#firstIndex : this.items.length - 1);
    }
    if (event.key === "Tab") {
      this.open = false;
      return;
    }
    if (event.key === "Escape") {
      event.preventDefault();
      // Escape only closes the menu and must not also stop the agent.
      event.stopPropagation();
      return this.#close();
    }
    const choices = this.#choices;
    const to = this.#targetIndex(event.key, choices.indexOf(document.activeElement as HTMLElement));
    if (to === undefined) return;
    event.preventDefault();
    choices[to]?.focus();
  }

  #targetIndex(key: string, at: number): number | undefined {
    const { length } = this.items;
    switch (key) {
      case "ArrowDown":
        return (at + 1) % length;
      case "ArrowUp":
        return (at - 1 + length) % length;
      case "Home":
        return 0;
      case "End":
        return length - 1;
      default: {
        if (key.length !== 1 || key === " ") return undefined;
        const order = this.items.map((_, i) => (at + 1 + i) % length);
        return order.find(i => this.items[i]?.label.toLowerCase().startsWith(key.toLowerCase()));
      }
    }
  }
}
