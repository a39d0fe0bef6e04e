// What is about to be seen, and what can wait until nothing else is to be done.
import { isPageBusy } from "./paintScheduler.ts";

/** Pixels: how wide a character is, how high a line, what is between blocks and beside them. Rather too little. */
const characterWidth = 6.3;
const lineHeight = 19;
const blockGap = 6;
const horizontalPadding = 30;

/** A page that is not shown yet has no height. */
const minWindowHeight = 600;
/** So much above the end is painted with it, in heights of the window. */
const nearFactor = 1.1;
/** A slice of what can wait. Milliseconds. */
const sliceTime = 4;
/** While text floods in, it is looked again after this time. Milliseconds. */
const busyDelay = 100;

/** Something of which parts can wait to be painted. */
export interface LazyPainter {
  /** Paints one part of what waits, that nearest to the end. Returns false if there was none. */
  paintPart(): boolean;
  /** Paints the part that `place` stands for. */
  paintAt(place: Element): void;
  /** Paints all that waits. */
  complete(): void;
}

let { innerWidth: width, innerHeight: height } = window;
addEventListener("resize", () => ({ innerWidth: width, innerHeight: height } = window));

/** About how high Markdown source comes out, in pixels: seldom less high than that. */
export function estimatedHeight(source: string): number {
  if (source.trim() === "") return 0;
  const charactersPerLine = source.startsWith("```")
    ? Infinity
    : Math.max(1, (width - horizontalPadding) / characterWidth);
  let lines = 0;
  for (const each of source.trimEnd().split("\n")) lines += Math.max(1, Math.ceil(each.length / charactersPerLine));
  return lines * lineHeight + blockGap;
}

/** How much above the end, in pixels, may be seen by who follows it. */
export const heightInSight = (): number => Math.max(height, minWindowHeight) * nearFactor;

const waitingPainters = new Set<LazyPainter>();
const painterByElement = new WeakMap<Element, LazyPainter>();
let isSliceScheduled = false;

const visibilityObserver = new IntersectionObserver(entries => {
  for (const { target, isIntersecting } of entries) if (isIntersecting) painterByElement.get(target)?.paintAt(target);
});

/** Has `patient` paint what waits in `place` when that comes into sight, or when nothing else is to be done. */
export function paintLater(painter: LazyPainter, place: Element): void {
  painterByElement.set(place, painter);
  visibilityObserver.observe(place);
  waitingPainters.add(painter);
  scheduleSlice();
}

/** Nothing waits in `place` any more. */
export function cancelPaintLater(place: Element): void {
  visibilityObserver.unobserve(place);
}

// What is copied is copied whole.
addEventListener("copy", () => waitingPainters.forEach(painter => painter.complete()), { capture: true });

function paintSlice(): void {
  const until = performance.now() + sliceTime;
  for (const painter of waitingPainters) {
    while (!isPageBusy() && performance.now() < until) {
      if (painter.paintPart()) continue;
      waitingPainters.delete(painter);
      break;
    }
  }
  isSliceScheduled = false;
  scheduleSlice();
}

/** In the next frame, or a while later: a frame that is asked for in a flood costs what it has to spare. */
function scheduleSlice(): void {
  if (isSliceScheduled || waitingPainters.size === 0) return;
  isSliceScheduled = true;
  if (isPageBusy()) setTimeout(paintSlice, busyDelay);
  else requestAnimationFrame(paintSlice);
}
