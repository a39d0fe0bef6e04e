// How much text that streams in is painted in one frame: as much as leaves the frame short enough to be typed in. What is
// too much for one waits for the next.
import { pauseAnimations } from "./pauseAnimations.ts";

/**
 * Characters: what any page can take up at once, and what none should. Less than the least spares little: of what comes
 * together, no more is painted than is in sight.
 */
const minPortion = 6000;
const maxPortion = 16_000;
/** While somebody is typing. */
const typingPortion = 1500;
/** A frame that took longer, painting included, was too much; one that was shorter could have held more. Milliseconds. */
const longFrame = 38;
const shortFrame = 28;

/** Frames come no faster. Milliseconds. */
const frameInterval = 16;
/** Somebody who pressed a key within this time is typing. Milliseconds. */
const typingTime = 300;
/** Text waits for a moment between two keys, at least so long and not longer than this. Milliseconds. */
const minHoldTime = 100;
const maxHoldTime = 150;

/** Something that paints in portions. */
export interface StreamPainter {
  /** Takes up about so many characters, or all that is left. Returns how many it took, and how many are left then. */
  paintPortion(characters: number): { readonly taken: number; readonly left: number };
}

const waitingPainters = new Set<StreamPainter>();
/** Characters that the last frame left. */
let left = 0;
/** Characters that it took. */
let taken = 0;
let portion = maxPortion;
let frame: number | undefined;
/** When text was taken last, how long that took, and when its frame began. */
let portionStartedAt = -Infinity;
let portionDuration = 0;
let frameStartedAt = 0;
let pressedAt = -Infinity;
/** Text waits for the frame after a key's, or for this timer. */
let holdTimer: ReturnType<typeof setTimeout> | undefined;
/** Called once nothing is held any more. */
const releaseCallbacks = new Set<() => void>();
let keyFrame: number | undefined;

const { port1, port2 } = new MessageChannel();
/** Comes after the frame has been painted. One that held less than it might tells nothing of what it could have held. */
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

/** What was typed has been sent: nobody is typing any more. */
export function endTyping(): void {
  pressedAt = -Infinity;
  releaseHold();
}

/** A flood is over, and somebody pauses while typing, after this time. Milliseconds. */
const quietTime = 150;

/** Whether text floods in, or somebody is typing: what can wait should. */
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
 * Asks `hungry` to take a portion for the next frame, and for those after it until it has all: at once where no frame is
 * under way and nobody is typing, so that the frame, when it comes, need not wait for that.
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

/** Takes back what {@link schedulePaint} asked for. */
export function cancelPaint(painter: StreamPainter): void {
  waitingPainters.delete(painter);
}

/** Whether there is more to paint than the next frame can hold. */
export const isBehind = (): boolean => holdTimer !== undefined || left > portionAt(performance.now());

/** Calls `run` when text no longer waits for somebody who types: at once, if none does. */
export function whenReleased(run: () => void): void {
  if (holdTimer === undefined) run();
  else releaseCallbacks.add(run);
}

/**
 * Has text wait for the frame after the next key's: that is when the key after it is furthest away, and a key that comes
 * while a frame is being made waits for all of it. No frame is asked for meanwhile: a page that asks for none gets its next
 * one at once, others when the screen is refreshed.
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

/** In the frame of what was taken up. */
function continueAfterFrame(): void {
  frameStartedAt = performance.now();
  port2.postMessage(0);
  frame = undefined;
  if (waitingPainters.size === 0) return;
  if (isTyping(frameStartedAt)) holdForKey(frameStartedAt);
  else frame = requestAnimationFrame(paintFrame);
}
