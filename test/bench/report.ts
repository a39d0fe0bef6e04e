// The result of a benchmark: tables of words and numbers, and the limits that were exceeded.

/** One table of a benchmark. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The outcome of a benchmark. `failures` are sentences about exceeded limits. */
export interface Report {
  readonly tables: readonly Table[];
  /** The software used besides Node.js, with versions. */
  readonly versions?: readonly string[];
  readonly failures?: readonly string[];
}

/** The median of the values, which one slow run on a busy machine does not move. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error("There is no median of nothing.");
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2;
}

/** The value that 95 of 100 do not exceed. */
export function p95(values: readonly number[]): number {
  if (values.length === 0) throw new Error("Nothing was measured.");
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] as number;
}

/** Milliseconds, with a decimal where it is significant. */
export const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : Math.round(value).toString()} ms`;

/** The smallest and the largest value, to show how far runs differ. */
export const range = (values: readonly number[]): string =>
  `${ms(Math.min(...values)).replace(" ms", "")}–${ms(Math.max(...values))}`;

export const kB = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;
export const ratio = (value: number): string => `${value.toFixed(2)}×`;
