// How much text that streams in is painted in one frame: as much as leaves the frame short enough to be typed in. What is
// too much for one waits for the next.

/** Characters: what any page can paint at once, and what none should. */
const LEAST = 1500;
const MOST = 16_000;
/** A frame that took longer, painting included, was too much; one that was shorter could have held more. Milliseconds. */
const LONG = 38;
const SHORT = 28;

/** Somebody who pressed a key within this time is typing. Milliseconds. */
const TYPING = 300;
/** Text waits for a moment between two keys, but no longer than this. Milliseconds. */
const PATIENCE = 150;

/** Something that paints in portions. */
export interface Hungry {
  /** Takes up so many characters, or all that is left. Returns how many are left then. */
  take(characters: number): number;
}

const waiting = new Set<Hungry>();
/** Characters that the last frame left. */
let left = 0;
let portion = LEAST;
let frame: number | undefined;
/** When text was taken last. */
let began = 0;
/** Text waits for a key. */
let isHeld = false;
let pressedAt = -Infinity;
/** A key was pressed, and its own frame is yet to come; or that has just been. */
let key: "pressed" | "painted" | undefined;

const { port1, port2 } = new MessageChannel();
/** Comes after the frame has been painted. One that held less than it might tells nothing of what it could have held. */
port1.onmessage = () => {
  const took = performance.now() - began;
  if (took > LONG) portion = Math.max(LEAST, Math.round(portion * 0.7));
  else if (left > 0 && took < SHORT) portion = Math.min(MOST, Math.round(portion * 1.2));
};

addEventListener(
  "keydown",
  () => {
    pressedAt = performance.now();
    key = "pressed";
  },
  { capture: true, passive: true },
);

/** Asks `hungry` to take a portion in the next frame, and in those after it until it has all. */
export function feed(hungry: Hungry): void {
  waiting.add(hungry);
  frame ??= requestAnimationFrame(serve);
}

/** Takes back what {@link feed} asked for. */
export function dismiss(hungry: Hungry): void {
  waiting.delete(hungry);
}

/** Whether there is more to paint than the next frame can hold. */
export const isBehind = (): boolean => isHeld || left > portion;

/**
 * Whether text should wait for another frame: the one after a key's is when the next key is furthest away, and a key that
 * comes while a frame is being made waits for all of it.
 */
function waits(now: number): boolean {
  const was = key;
  if (key === "painted") key = undefined;
  else if (key === "pressed") key = "painted";
  if (now - pressedAt > TYPING || now - began > PATIENCE) return false;
  return was !== "painted";
}

function serve(): void {
  frame = undefined;
  const now = performance.now();
  isHeld = waits(now);
  if (isHeld) {
    frame = requestAnimationFrame(serve);
    return;
  }
  began = now;
  left = 0;
  for (const hungry of [...waiting]) {
    const rest = hungry.take(portion);
    left += rest;
    if (rest === 0) waiting.delete(hungry);
  }
  port2.postMessage(0);
  if (waiting.size > 0) frame = requestAnimationFrame(serve);
}
