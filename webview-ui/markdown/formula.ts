// Formulas in Markdown. Each is painted as its source and drawn soon after, in short slices. The source stays on the page
// below the drawing, because it is what is found, selected and copied. What cannot be drawn keeps showing its source.
import { asError } from "../../src/base/errors.ts";
import { formulaAt } from "../../src/base/formulas.ts";
import { send } from "../base/vscodeApi.ts";
import { sliceTime } from "../scheduling/limits.ts";
import type { mathOf } from "./mathml.ts";
import { sanitizedMath } from "./sanitizer.ts";

export const formulaClass = "formula";
/** It is complete and has not been drawn yet. */
export const undrawnClass = "undrawn";
/** Its end is still to come. */
export const openFormulaClass = "open";
/** Its element has two children: the source and the drawing. */
const drawnClass = "drawn";
const sourceClass = "formula-source";
/** It is wider than its line. */
const wideClass = "wide";

/** How many formulas of one message are drawn, and how many elements their drawings have together. */
const maxFormulas = 1000;
const maxElements = 40_000;

/** Temml, loaded for the first formula. */
let drawing: typeof mathOf | undefined;
let loading: Promise<void> | undefined;
let isScheduled = false;

const waiting = new Set<HTMLElement>();

/** What has been drawn in a message so far. */
interface Drawn {
  formulas: number;
  elements: number;
}
const drawnByMessage = new WeakMap<Element, Drawn>();

/** Whether formulas below `root` have not been drawn yet. */
export const hasUndrawnFormula = (root: Element): boolean => root.getElementsByClassName(undrawnClass).length > 0;

/** Draws all formulas below `root`, and `root` if it is one: soon, or once the chunk that draws is loaded. */
export function drawFormulas(root: HTMLElement): void {
  if (root.classList.contains(undrawnClass)) wait(root);
  for (const element of [...root.getElementsByClassName(undrawnClass)]) wait(element as HTMLElement);
  if (waiting.size === 0) return;
  if (drawing) return schedule();
  loading ??= import("./mathml.ts").then(
    chunk => {
      drawing = chunk.mathOf;
      schedule();
    },
    (thrown: unknown) => send({ type: "report", kind: "error", text: asError(thrown).message }),
  );
}

/** Whether `fresh` is the formula that `old` shows already, drawn or not. */
export function showsFormula(old: Element, fresh: Element): boolean {
  if (!old.classList.contains(formulaClass) || !fresh.classList.contains(undrawnClass)) return false;
  return (
    old.localName === fresh.localName && !old.classList.contains(openFormulaClass) && sourceOf(old) === sourceOf(fresh)
  );
}

const sourceOf = (element: Element): string =>
  (element.classList.contains(drawnClass) ? element.firstChild : element)?.textContent ?? "";

function wait(element: HTMLElement): void {
  element.classList.remove(undrawnClass);
  waiting.add(element);
}

function schedule(): void {
  if (isScheduled || waiting.size === 0) return;
  isScheduled = true;
  setTimeout(drawSlice);
}

function drawSlice(): void {
  isScheduled = false;
  const until = performance.now() + sliceTime;
  for (const element of waiting) {
    waiting.delete(element);
    if (element.isConnected) draw(element);
    if (performance.now() >= until) break;
  }
  schedule();
}

function draw(element: HTMLElement): void {
  const message = element.closest("parley-markdown") ?? element;
  // A text that was painted again from the start has no drawings.
  const known = message.getElementsByClassName(drawnClass).length > 0 ? drawnByMessage.get(message) : undefined;
  const drawn = known ?? { formulas: 0, elements: 0 };
  drawnByMessage.set(message, drawn);
  if (drawn.formulas >= maxFormulas || drawn.elements >= maxElements) return;
  drawn.formulas++;
  const source = element.textContent ?? "";
  const isBlock = element.localName === "div";
  const math = drawing?.(formulaAt(source, 0)?.tex ?? "", isBlock);
  if (!math) return;
  const fragment = sanitizedMath(math);
  drawn.elements += fragment.querySelectorAll("*").length;
  const text = document.createElement("span");
  text.className = sourceClass;
  text.ariaHidden = "true";
  text.textContent = source;
  element.replaceChildren(text, fragment);
  element.classList.add(drawnClass);
  if (!isBlock) widthObserver.observe(element);
}

/** A formula in a line cannot be scrolled there, so one that is wider than the line gets lines of its own. */
const widthObserver = new ResizeObserver(entries => {
  const wide = entries
    .map(({ target }) => target)
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1);
  if (wide.length === 0) return;
  // A change of the observed sizes in this callback would be reported as an error.
  requestAnimationFrame(() => {
    for (const element of wide) {
      element.classList.add(wideClass);
      widthObserver.unobserve(element);
    }
  });
});
