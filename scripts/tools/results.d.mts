// The types of results.mjs, for the tests inside the extension host, which are TypeScript.
import type { Runner } from "mocha";

/** What became of one test, or of one check. */
export interface TestResult {
  readonly title: string;
  readonly state: "passed" | "failed" | "skipped";
  readonly ms?: number;
  readonly error?: string;
}

/** What the file holds. `finished` is false while the suite runs, and stays false when it crashes. */
export interface SuiteResults {
  readonly finished: boolean;
  readonly tests: readonly TestResult[];
}

/** Writes into the file what becomes of the tests of that run. */
export function recordResults(runner: Runner, file: string): void;
/** Begins a results file by hand. */
export function newResults(file: string): { add(test: TestResult): void; finish(): void };
/** What the file holds now; nothing, unfinished, if it is not there. */
export function readResults(file: string): SuiteResults;
/** One line for people, with the error below it. */
export function resultLine(test: TestResult): string;
