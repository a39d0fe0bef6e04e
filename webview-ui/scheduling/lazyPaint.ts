// What is about to be seen, and what can wait until nothing else is to be done.
import { isBusy } from "./paintScheduler.ts";

/** Pixels: how wide a character is, how high a line, what is between blocks and beside them. Rather too little. */
const CHARACTER = 6.3;
const LINE = 19;
const GAP = 6;
const BESIDE = 30;

/** A page that is not shown yet has no height. */
const LEAST = 600;
/** So much above the end is painted with it, in heights of the window. */
const NEAR = 1.1;
/** A slice of what can wait. Milliseconds. */
const SLICE = 4;
/** While text floods in, it is looked again after this time. Milliseconds. */
const PAUSE = 100;

/** Something of which parts can wait to be painted. */
export interface Patient {
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
export function heightOf(source: string): number {
  if (source.trim() === "") return 0;
  const line = source.startsWith("```") ? Infinity : Math.max(1, (width - BESIDE) / CHARACTER);
  let lines = 0;
  for (const each of source.trimEnd().split("\n")) lines += Math.max(1, Math.ceil(each.length / line));
  return lines * LINE + GAP;
}

/** How much above the end, in pixels, may be seen by who follows it. */
export const sight = (): number => Math.max(height, LEAST) * NEAR;

const waiting = new Set<Patient>();
const places = new WeakMap<Element, Patient>();
let asked = false;

const seen = new IntersectionObserver(entries => {
  for (const { target, isIntersecting } of entries) if (isIntersecting) places.get(target)?.paintAt(target);
});

/** Has `patient` paint what waits in `place` when that comes into sight, or when nothing else is to be done. */
export function paintLater(patient: Patient, place: Element): void {
  places.set(place, patient);
  seen.observe(place);
  waiting.add(patient);
  ask();
}

/** Nothing waits in `place` any more. */
export function forget(place: Element): void {
  seen.unobserve(place);
}

// What is copied is copied whole.
addEventListener("copy", () => waiting.forEach(patient => patient.complete()), { capture: true });

function serve(): void {
  const until = performance.now() + SLICE;
  for (const patient of waiting) {
    while (!isBusy() && performance.now() < until) {
      if (patient.paintPart()) continue;
      waiting.delete(patient);
      break;
    }
  }
  asked = false;
  ask();
}

/** In the next frame, or a while later: a frame that is asked for in a flood costs what it has to spare. */
function ask(): void {
  if (asked || waiting.size === 0) return;
  asked = true;
  if (isBusy()) setTimeout(serve, PAUSE);
  else requestAnimationFrame(serve);
}
