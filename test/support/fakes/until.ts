// Waiting for a condition: never for a time.

/** Turns of the event loop that a condition gets before it is looked at by the clock, so that others get the processor. */
const immediateChecks = 50;
/** Milliseconds. */
const checkInterval = 5;

/** Resolves when the condition holds; rejects after `ms` milliseconds. */
export async function until(condition: () => boolean, ms = 15_000): Promise<void> {
  const deadline = Date.now() + ms;
  for (let looks = 0; !condition(); looks++) {
    if (Date.now() > deadline) throw new Error(`It did not come to this: ${condition.toString()}`);
    await new Promise<void>(resolve => {
      if (looks < immediateChecks) setImmediate(resolve);
      else setTimeout(resolve, checkInterval);
    });
  }
}
