// Paints content when it is about to become visible, or when the page is idle.
import {
  blockGap,
  busyDelay,
  characterWidth,
  horizontalPadding,
  lineHeight,
  minWindowHeight,
  nearFactor,
  sliceTime,
} from "./limits.ts";
import { isPageBusy } from "./paintScheduler.ts";

/** An element that can paint some of its parts later. */
export interface LazyPainter {
  /** Paints one deferred part, the nearest to the end. Returns false if there is none. */
  paintPart(): boolean;
  /** Paints the part that belongs in `place`. */
  paintAt(place: Element): void;
  /** Paints all deferred parts. */
  complete(): void;
}

let { innerWidth: width, innerHeight: height } = window;
addEventListener("resize", () => ({ innerWidth: width, innerHeight: height } = window));

/** The approximate painted height of Markdown source in pixels. The real height is rarely smaller. */
export function estimatedHeight(source: string): number {
  if (source.trim() === "") return 0;
  const charactersPerLine = source.startsWith("```")
    ? Infinity
    : Math.max(1, (width - horizontalPadding) / characterWidth);
  let lines = 0;
  for (const each of source.trimEnd().split("\n")) lines += Math.max(1, Math.ceil(each.length / charactersPerLine));
  return lines * lineHeight + blockGap;
}

/** How many pixels above the end can be visible while the end is in view. */
export const heightInSight = (): number => Math.max(height, minWindowHeight) * nearFactor;

const waitingPainters = new Set<LazyPainter>();
const painterByElement = new WeakMap<Element, LazyPainter>();
let isSliceScheduled = false;

const visibilityObserver = new IntersectionObserver(entries => {
  for (const { target, isIntersecting } of entries) if (isIntersecting) painterByElement.get(target)?.paintAt(target);
});

/** Lets `painter` paint the part in `place` when it becomes visible, or when the page is idle. */
export function paintLater(painter: LazyPainter, place: Element): void {
  painterByElement.set(place, painter);
  visibilityObserver.observe(place);
  waitingPainters.add(painter);
  scheduleSlice();
}

/** Cancels {@link paintLater} for `place`. */
export function cancelPaintLater(place: Element): void {
  visibilityObserver.unobserve(place);
}

// A copy must contain all of the text.
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

/** In the next frame, or later if the page is busy: a frame requested then would take time that the text needs. */
function scheduleSlice(): void {
  if (isSliceScheduled || waitingPainters.size === 0) return;
  isSliceScheduled = true;
  if (isPageBusy()) setTimeout(paintSlice, busyDelay);
  else requestAnimationFrame(paintSlice);
}
