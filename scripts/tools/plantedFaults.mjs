// The planted faults: patches of one line in test/faults, and the table of them. Each is a mistake that a programmer could
// make and that the tests find.
import fs from "node:fs";
import path from "node:path";
import { inProject } from "./project.mjs";

/**
 * @typedef {object} PlantedFault
 * @property {string} name the name of its patch, without the ending
 * @property {string} wrong what users or developers would see, as a sentence
 * @property {readonly string[]} foundBy the test files that found it, lowest suite first
 */

/** The folder of the patches. */
export const faultsFolder = path.join("test", "faults");

/** @returns {readonly PlantedFault[]} */
export function readFaults() {
  return JSON.parse(fs.readFileSync(inProject(faultsFolder, "faults.json"), "utf8"));
}

/** The path of the patch inside the project. @param {string} name */
export const patchOf = name => path.join(faultsFolder, `${name}.patch`);

/** The suites of `npm test` that can find a fault, lowest first. */
export const faultSuites = /** @type {const} */ (["unit", "webview", "joined", "host", "e2e"]);

/** The suite that runs the test file. @param {string} file a path inside the project, with slashes */
export function suiteOf(file) {
  if (file.endsWith(".host.test.ts")) return "host";
  const [, folder] = file.split("/");
  return folder === "webview" || folder === "joined" || folder === "e2e" ? folder : "unit";
}
