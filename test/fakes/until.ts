// Waiting for a condition: never for a time.

/** Resolves when the condition holds; rejects after `ms` milliseconds. */
export async function until(condition: () => boolean, ms = 8000): Promise<void> {
  const deadline = Date.now() + ms;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`It did not come to this: ${condition.toString()}`);
    await new Promise(resolve => setImmediate(resolve));
  }
}
