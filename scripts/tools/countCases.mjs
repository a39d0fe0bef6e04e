// Loaded before the tests by test-hostile.mjs: gives all properties the same seed, and counts their cases.
import fs from "node:fs";
import fc from "fast-check";

const file = process.env["PARLEY_CASES_FILE"];
if (!file) throw new Error("Set PARLEY_CASES_FILE.");
let cases = 0;

fc.configureGlobal({
  seed: Number(process.env["SEED"]),
  reporter: details => {
    cases += details.numRuns;
    if (details.failed) throw new Error(fc.defaultReportMessage(details), { cause: details.errorInstance });
  },
});

process.on("exit", () => fs.writeFileSync(file, String(cases)));
