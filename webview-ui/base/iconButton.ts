// The one icon button of the panel: a codicon whose label is its accessible name.
import { html, nothing, type TemplateResult } from "lit";
import { icon } from "./element.ts";

interface IconButtonOptions {
  /** The accessible name, in the user's language. */
  readonly label: string;
  /** The tooltip; the label if absent. */
  readonly title?: string;
  readonly onClick: (event: MouseEvent) => void;
  /** Further classes. */
  readonly classes?: string;
  readonly disabled?: boolean;
  /** Disabled for assistive technology only, because a disabled button would drop the focus onto the page. */
  readonly softDisabled?: boolean;
  /** The state of a toggle button. */
  readonly pressed?: boolean;
  /** For a button with a menu: whether the menu is open. */
  readonly menuOpen?: boolean;
  /** The key that does the same, as `aria-keyshortcuts`. */
  readonly keyShortcut?: string;
  /** Distinguishes the buttons of a row, as `data-action`. */
  readonly action?: string;
}

/** A button that shows a codicon. */
export function iconButton(codicon: string, options: IconButtonOptions): TemplateResult {
  const { label, classes, pressed, menuOpen } = options;
  return html`<button
    class=${classes === undefined ? "icon-button" : `icon-button ${classes}`}
    type="button"
    data-action=${options.action ?? nothing}
    aria-label=${label}
    title=${options.title ?? label}
    aria-pressed=${pressed ?? nothing}
    aria-haspopup=${menuOpen === undefined ? nothing : "menu"}
    aria-expanded=${menuOpen ?? nothing}
    aria-keyshortcuts=${options.keyShortcut ?? nothing}
    aria-disabled=${options.softDisabled ? "true" : nothing}
    ?disabled=${options.disabled ?? false}
    @click=${options.onClick}
  >
    ${icon(codicon)}
  </button>`;
}
