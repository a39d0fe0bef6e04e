// Pauses spinners while text streams in. The text already shows that the agent is working. A page with a running
// animation gets a frame only when the screen is refreshed, so that a keystroke waits for that instead of being painted
// immediately.

/** Animations stay paused for this long after the last text. Milliseconds. */
const pauseTime = 1000;

let timer: ReturnType<typeof setTimeout> | undefined;
let lastAt = -Infinity;

/** Pauses animations, because text has arrived. */
export function pauseAnimations(): void {
  lastAt = performance.now();
  if (timer !== undefined) return;
  document.body.classList.add("still");
  timer = setTimeout(resumeWhenQuiet, pauseTime);
}

function resumeWhenQuiet(): void {
  const remaining = lastAt + pauseTime - performance.now();
  timer = remaining > 0 ? setTimeout(resumeWhenQuiet, remaining) : undefined;
  if (timer === undefined) document.body.classList.remove("still");
}
