// What turns stands still while words come in: they show well enough that somebody works, and a page in which something
// moves gets a frame only when the screen is refreshed. A key waits for that then, instead of being painted at once.

/** Words come in for so long after the last. Milliseconds. */
const pauseTime = 1000;

let timer: ReturnType<typeof setTimeout> | undefined;
let lastAt = -Infinity;

/** Words have come in. */
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
