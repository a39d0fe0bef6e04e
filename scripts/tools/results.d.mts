// The types of results.mjs, for the tests inside the extension host, which are TypeScript.
import type { Runner } from "mocha";

/** The result of one test, or of one check. */
export interface TestResult {
  readonly title: string;
  /** `unstable`: it failed, and passed when it ran again. */
  readonly state: "passed" | "failed" | "skipped" | "unstable";
  readonly ms?: number;
  readonly error?: string;
}

/** The content of the file. `finished` is false while the suite runs, and stays false if it crashes. */
export interface SuiteResults {
  readonly finished: boolean;
  readonly tests: readonly TestResult[];
  /** The titles of all tests that the suite runs. */
  readonly planned: readonly string[];
  /** The title of the test that runs. */
  readonly running?: string;
}

/** Writes the results of that run into the file. `grep`: the titles that run. */
export function recordResults(runner: Runner, file: string, grep?: string | RegExp): void;
/** Starts a results file whose results the caller adds. */
export function newResults(file: string): {
  plan(titles: readonly string[]): void;
  start(title: string): void;
  add(test: TestResult): void;
  finish(): void;
};
/** The titles of the tests that have no result, apart from the running one. */
export function notRunTests(results: SuiteResults): readonly string[];
/** The current content of the file. A missing file has no results and is unfinished. */
export function readResults(file: string): SuiteResults;
/** Formats the result as one line, with the error below it. */
export function resultLine(test: TestResult): string;
