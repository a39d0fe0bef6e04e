// How much text that streams in is painted in one frame: as much as leaves the frame short enough to be typed in. What is
// too much for one waits for the next.
import { standStill } from "./pauseAnimations.ts";

/**
 * Characters: what any page can take up at once, and what none should. Less than the least spares little: of what comes
 * together, no more is painted than is in sight.
 */
const LEAST = 6000;
const MOST = 16_000;
/** While somebody is typing. */
const LITTLE = 1500;
/** A frame that took longer, painting included, was too much; one that was shorter could have held more. Milliseconds. */
const LONG = 38;
const SHORT = 28;

/** Frames come no faster. Milliseconds. */
const FRAME = 16;
/** Somebody who pressed a key within this time is typing. Milliseconds. */
const TYPING = 300;
/** Text waits for a moment between two keys, at least so long and not longer than this. Milliseconds. */
const REST = 100;
const PATIENCE = 150;

/** Something that paints in portions. */
export interface Hungry {
  /** Takes up about so many characters, or all that is left. Returns how many it took, and how many are left then. */
  take(characters: number): { readonly taken: number; readonly left: number };
}

const waiting = new Set<Hungry>();
/** Characters that the last frame left. */
let left = 0;
/** Characters that it took. */
let taken = 0;
let portion = MOST;
let frame: number | undefined;
/** When text was taken last, how long that took, and when its frame began. */
let began = -Infinity;
let taking = 0;
let framed = 0;
let pressedAt = -Infinity;
/** Text waits for the frame after a key's, or for this timer. */
let held: ReturnType<typeof setTimeout> | undefined;
/** Called once nothing is held any more. */
const onRelease = new Set<() => void>();
let keyFrame: number | undefined;

const { port1, port2 } = new MessageChannel();
/** Comes after the frame has been painted. One that held less than it might tells nothing of what it could have held. */
port1.onmessage = () => {
  if (taken <= LITTLE) return;
  const took = taking + performance.now() - framed;
  if (took > LONG) portion = Math.max(LEAST, Math.round(portion * 0.7));
  else if (left > 0 && took < SHORT) portion = Math.min(MOST, Math.round(portion * 1.2));
};

addEventListener(
  "keydown",
  () => {
    pressedAt = performance.now();
    if (held === undefined || pressedAt - began < REST) return;
    keyFrame ??= requestAnimationFrame(() => {
      keyFrame = undefined;
      release();
    });
  },
  { capture: true, passive: true },
);

/** What was typed has been sent: nobody is typing any more. */
export function endTyping(): void {
  pressedAt = -Infinity;
  release();
}

/** A flood is over, and somebody pauses while typing, after this time. Milliseconds. */
const QUIET = 150;

/** Whether text floods in, or somebody is typing: what can wait should. */
export function isBusy(): boolean {
  const now = performance.now();
  return waiting.size > 0 || (taken > LITTLE && now - began < QUIET) || now - pressedAt < QUIET;
}

const isTyping = (now: number): boolean => now - pressedAt < TYPING;
const portionAt = (now: number): number => (isTyping(now) ? LITTLE : portion);

/**
 * Asks `hungry` to take a portion for the next frame, and for those after it until it has all: at once where no frame is
 * under way and nobody is typing, so that the frame, when it comes, need not wait for that.
 */
export function feed(hungry: Hungry): void {
  waiting.add(hungry);
  if (frame !== undefined || held !== undefined) return;
  const now = performance.now();
  if (isTyping(now)) return hold(now);
  if (now - began < FRAME) {
    frame = requestAnimationFrame(serve);
    return;
  }
  takeUp(now);
  frame = requestAnimationFrame(goOn);
}

/** Takes back what {@link feed} asked for. */
export function dismiss(hungry: Hungry): void {
  waiting.delete(hungry);
}

/** Whether there is more to paint than the next frame can hold. */
export const isBehind = (): boolean => held !== undefined || left > portionAt(performance.now());

/** Calls `run` when text no longer waits for somebody who types: at once, if none does. */
export function whenReleased(run: () => void): void {
  if (held === undefined) run();
  else onRelease.add(run);
}

/**
 * Has text wait for the frame after the next key's: that is when the key after it is furthest away, and a key that comes
 * while a frame is being made waits for all of it. No frame is asked for meanwhile: a page that asks for none gets its next
 * one at once, others when the screen is refreshed.
 */
function hold(now: number): void {
  held = setTimeout(release, Math.max(0, began + PATIENCE - now));
}

function release(): void {
  if (held === undefined) return;
  clearTimeout(held);
  held = undefined;
  frame ??= requestAnimationFrame(serve);
  const runs = [...onRelease];
  onRelease.clear();
  for (const run of runs) run();
}

function serve(): void {
  takeUp(performance.now());
  goOn();
}

function takeUp(now: number): void {
  began = now;
  left = 0;
  taken = 0;
  for (const hungry of [...waiting]) {
    const bite = hungry.take(portionAt(now));
    left += bite.left;
    taken += bite.taken;
    if (bite.left === 0) waiting.delete(hungry);
  }
  if (taken > 0) standStill();
  taking = performance.now() - now;
}

/** In the frame of what was taken up. */
function goOn(): void {
  framed = performance.now();
  port2.postMessage(0);
  frame = undefined;
  if (waiting.size === 0) return;
  if (isTyping(framed)) hold(framed);
  else frame = requestAnimationFrame(serve);
}
