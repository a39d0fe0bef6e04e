// The types of quiet.mjs, for the tests inside the extension host, which are TypeScript.

/** A suite is ended after so many seconds in which no test has started or ended. */
export const maxQuietSeconds: number;
/** The time limit of a test, in milliseconds. */
export const maxTestTime: number;
/** Calls `onQuiet` once when the file has not grown for so many seconds. Returns a function that stops it. */
export function whenQuiet(file: string, onQuiet: () => void, seconds?: number): () => void;
