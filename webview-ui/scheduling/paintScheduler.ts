// Limits how much streamed text is painted in one frame, so that frames stay short enough for typing. The rest waits
// for the next frame.
import {
  frameInterval,
  longFrame,
  maxHoldTime,
  maxPortion,
  minHoldTime,
  minPortion,
  quietTime,
  shortFrame,
  typingPortion,
  typingTime,
} from "./limits.ts";
import { pauseAnimations } from "./pauseAnimations.ts";

/** An element that paints streamed text in portions. */
export interface StreamPainter {
  /** Paints about this many characters, or all that are left. Returns how many were painted, and how many are left. */
  paintPortion(characters: number): { readonly taken: number; readonly left: number };
}

const waitingPainters = new Set<StreamPainter>();
/** Characters that were left after the last frame. */
let left = 0;
/** Characters that the last frame painted. */
let taken = 0;
let portion = maxPortion;
let frame: number | undefined;
/** When the last portion was painted, how long that took, and when its frame began. */
let portionStartedAt = -Infinity;
let portionDuration = 0;
let frameStartedAt = 0;
let pressedAt = -Infinity;
/** While set, text is held back until the frame after the next key press, or until this timer fires. */
let holdTimer: ReturnType<typeof setTimeout> | undefined;
/** Called when text is no longer held back. */
const releaseCallbacks = new Set<() => void>();
let keyFrame: number | undefined;

const { port1, port2 } = new MessageChannel();
/** Runs after the frame has been painted. A frame with little text does not show how much it could have painted. */
port1.onmessage = () => {
  if (taken <= typingPortion) return;
  const took = portionDuration + performance.now() - frameStartedAt;
  if (took > longFrame) portion = Math.max(minPortion, Math.round(portion * 0.7));
  else if (left > 0 && took < shortFrame) portion = Math.min(maxPortion, Math.round(portion * 1.2));
};

addEventListener(
  "keydown",
  () => {
    pressedAt = performance.now();
    if (holdTimer === undefined || pressedAt - portionStartedAt < minHoldTime) return;
    keyFrame ??= requestAnimationFrame(() => {
      keyFrame = undefined;
      releaseHold();
    });
  },
  { capture: true, passive: true },
);

/** Ends the typing state, because the prompt was sent. */
export function endTyping(): void {
  pressedAt = -Infinity;
  releaseHold();
}

/** Whether much text is arriving or the user is typing, so that work that can wait should wait. */
export function isPageBusy(): boolean {
  const now = performance.now();
  return (
    waitingPainters.size > 0 ||
    (taken > typingPortion && now - portionStartedAt < quietTime) ||
    now - pressedAt < quietTime
  );
}

const isTyping = (now: number): boolean => now - pressedAt < typingTime;
const portionAt = (now: number): number => (isTyping(now) ? typingPortion : portion);

/**
 * Lets `painter` paint a portion in the next frame and in those after it until nothing is left. The first portion is
 * painted immediately if no frame is pending and the user is not typing, so that the frame does not have to wait for
 * it.
 */
export function schedulePaint(painter: StreamPainter): void {
  waitingPainters.add(painter);
  if (frame !== undefined || holdTimer !== undefined) return;
  const now = performance.now();
  if (isTyping(now)) return holdForKey(now);
  if (now - portionStartedAt < frameInterval) {
    frame = requestAnimationFrame(paintFrame);
    return;
  }
  paintPortions(now);
  frame = requestAnimationFrame(continueAfterFrame);
}

/** Cancels {@link schedulePaint}. */
export function cancelPaint(painter: StreamPainter): void {
  waitingPainters.delete(painter);
}

/** Whether there is more to paint than fits in the next frame. */
export const isBehind = (): boolean => holdTimer !== undefined || left > portionAt(performance.now());

/** Calls `run` when text is no longer held back for a user who is typing: immediately if none is held back. */
export function whenReleased(run: () => void): void {
  if (holdTimer === undefined) run();
  else releaseCallbacks.add(run);
}

/**
 * Holds text back until the frame after the next key press. At that time the following key press is furthest away, and
 * a key pressed while a frame is being produced waits for all of it. No frame is requested in the meantime: a page
 * without requests gets its next frame immediately, other pages get it when the screen is refreshed.
 */
function holdForKey(now: number): void {
  holdTimer = setTimeout(releaseHold, Math.max(0, portionStartedAt + maxHoldTime - now));
}

function releaseHold(): void {
  if (holdTimer === undefined) return;
  clearTimeout(holdTimer);
  holdTimer = undefined;
  frame ??= requestAnimationFrame(paintFrame);
  const runs = [...releaseCallbacks];
  releaseCallbacks.clear();
  for (const run of runs) run();
}

function paintFrame(): void {
  paintPortions(performance.now());
  continueAfterFrame();
}

function paintPortions(now: number): void {
  portionStartedAt = now;
  left = 0;
  taken = 0;
  for (const painter of [...waitingPainters]) {
    const result = painter.paintPortion(portionAt(now));
    left += result.left;
    taken += result.taken;
    if (result.left === 0) waitingPainters.delete(painter);
  }
  if (taken > 0) pauseAnimations();
  portionDuration = performance.now() - now;
}

/** Runs in the frame that shows the painted portion. */
function continueAfterFrame(): void {
  frameStartedAt = performance.now();
  port2.postMessage(0);
  frame = undefined;
  if (waitingPainters.size === 0) return;
  if (isTyping(frameStartedAt)) holdForKey(frameStartedAt);
  else frame = requestAnimationFrame(paintFrame);
}
