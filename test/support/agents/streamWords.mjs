// What streams.mjs and those who prompt it agree on.

/** The chunks that a streaming session gets in a second. */
export const chunksPerSecond = 100;
/** The updates of the prompt "long", and its last words. */
export const longUpdates = 10_000;
export const longWords = "The end of the long session.";
/** The updates of the prompt "short". */
export const shortUpdates = 20;
