// The base of all elements of the panel: light DOM, icons, the shared one-second timer and the roving tab stop.
import { LitElement, html, type TemplateResult } from "lit";
import type { Excludable } from "../../src/panel/protocol.ts";

/** A lit element without a shadow root, so that one stylesheet and the highlighter's classes apply everywhere. */
export class LightElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }
}

/** Marks the element of an entry that is no longer part of the conversation. */
export function markExcluded(element: HTMLElement, { excluded }: Excludable): void {
  element.toggleAttribute("data-excluded", excluded === true);
}

/** A codicon. It is always next to text or inside a named control, so it is hidden from assistive technology. */
export function icon(name: string): TemplateResult {
  return html`<span class="codicon codicon-${name}" aria-hidden="true"></span>`;
}

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** Calls `listener` every second until the returned function is called. All listeners share one timer. */
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

/** Cards can be nested. Each has its own tab stop. */
const cardSelector = "parley-tool, .question";

/** The controls of a card, without those of nested cards. */
const controlsOf = (card: HTMLElement): HTMLElement[] =>
  [...card.querySelectorAll<HTMLElement>(controlSelector)].filter(control => {
    const nearest = control.closest(cardSelector);
    return nearest === card || nearest === null || nearest.contains(card);
  });

/** Keeps one tab stop in a card: the control focused last, or the first. The arrow keys reach the others. */
export function roveTabStop(card: HTMLElement): void {
  const controls = controlsOf(card);
  const current = controls.find(control => control.dataset["current"] !== undefined) ?? controls[0];
  for (const control of controls) control.tabIndex = control === current ? 0 : -1;
}

/**
 * Handles `keydown` on a card: the arrow keys, Home and End move the focus between its controls. Home on the first
 * control and End on the last are left to the parent of the card.
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

/** Handles `focusin` on a card: the focused control becomes its tab stop. */
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
