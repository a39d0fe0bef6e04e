// How much text that streams in is painted in one frame: as much as leaves the frame short enough to be typed in. What is
// too much for one waits for the next.

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
/** Text waits for a moment between two keys, but no longer than this. Milliseconds. */
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
/** Text waits for a key. */
let isHeld = false;
let pressedAt = -Infinity;
/** A key was pressed, and its own frame is yet to come; or that has just been. */
let key: "pressed" | "painted" | undefined;

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
    key = "pressed";
  },
  { capture: true, passive: true },
);

/** A flood is over, and somebody pauses while typing, after this time. Milliseconds. */
const QUIET = 150;

/** Whether text floods in, or somebody is typing: what can wait should. */
export function isBusy(): boolean {
  const now = performance.now();
  return waiting.size > 0 || (taken > LITTLE && now - began < QUIET) || now - pressedAt < QUIET;
}

const portionAt = (now: number): number => (now - pressedAt < TYPING ? LITTLE : portion);

/**
 * Asks `hungry` to take a portion for the next frame, and for those after it until it has all: at once where no frame is
 * under way and nobody is typing, so that the frame, when it comes, need not wait for that.
 */
export function feed(hungry: Hungry): void {
  waiting.add(hungry);
  if (frame !== undefined) return;
  const now = performance.now();
  if (now - pressedAt < TYPING || now - began < FRAME) {
    frame = requestAnimationFrame(serve);
    return;
  }
  isHeld = false;
  takeUp(now);
  frame = requestAnimationFrame(goOn);
}

/** Takes back what {@link feed} asked for. */
export function dismiss(hungry: Hungry): void {
  waiting.delete(hungry);
}

/** Whether there is more to paint than the next frame can hold. */
export const isBehind = (): boolean => isHeld || left > portionAt(performance.now());

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
  const now = performance.now();
  isHeld = waits(now);
  if (isHeld) {
    frame = requestAnimationFrame(serve);
    return;
  }
  takeUp(now);
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
  taking = performance.now() - now;
}

/** In the frame of what was taken up. */
function goOn(): void {
  framed = performance.now();
  port2.postMessage(0);
  frame = waiting.size > 0 ? requestAnimationFrame(serve) : undefined;
}
