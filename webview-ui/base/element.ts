// What every element of the panel is built from: light DOM, icons, the shared one-second tick.
import { LitElement, html, type TemplateResult } from "lit";

/** A lit element without a shadow root, so that one stylesheet and the highlighter's classes reach everything. */
export class LightElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }
}

/** A codicon. Always beside words or inside a named control, hence hidden from assistive technology. */
export function icon(name: string): TemplateResult {
  return html`<span class="codicon codicon-${name}" aria-hidden="true"></span>`;
}

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** Calls `listener` every second until the returned function is called. All share one timer. */
export function everySecond(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const each of [...listeners]) each();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

const controlSelector = "button, summary, [role=link]";

/** What may stand in each other, each with a tab stop of its own. */
const cardSelector = "parley-tool, .ask";

/** The controls of a card, without those of cards in it. */
const controlsOf = (card: HTMLElement): HTMLElement[] =>
  [...card.querySelectorAll<HTMLElement>(controlSelector)].filter(control => {
    const nearest = control.closest(cardSelector);
    return nearest === card || nearest === null || nearest.contains(card);
  });

/** Leaves one tab stop among the controls of a card: the one last focused, else the first. Arrows reach the others. */
export function roveTabStop(card: HTMLElement): void {
  const controls = controlsOf(card);
  const current = controls.find(control => control.dataset["current"] !== undefined) ?? controls[0];
  for (const control of controls) control.tabIndex = control === current ? 0 : -1;
}

/**
 * Moves the focus among the controls of a card by the arrow keys, Home and End. For `keydown` on the card. Home at the
 * first control and End at the last are left to whoever holds the card.
 */
export function roveByKey(card: HTMLElement, event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const controls = controlsOf(card);
  const at = controls.indexOf(event.target as HTMLElement);
  if (at < 0) return;
  const to = nextIndex(event.key, at, controls.length);
  if (to === undefined || (to === at && (event.key === "Home" || event.key === "End"))) return;
  event.preventDefault();
  controls[to]?.focus();
}

/** Makes the focused control the card's tab stop. For `focusin` on the card. */
export function roveToFocus(card: HTMLElement, event: FocusEvent): void {
  const target = event.target as HTMLElement;
  const controls = controlsOf(card);
  if (!controls.includes(target)) return;
  for (const control of controls) delete control.dataset["current"];
  target.dataset["current"] = "";
  roveTabStop(card);
}

function nextIndex(key: string, at: number, length: number): number | undefined {
  switch (key) {
    case "ArrowDown":
    case "ArrowRight":
      return Math.min(at + 1, length - 1);
    case "ArrowUp":
    case "ArrowLeft":
      return Math.max(at - 1, 0);
    case "Home":
      return 0;
    case "End":
      return length - 1;
    default:
      return undefined;
  }
}
