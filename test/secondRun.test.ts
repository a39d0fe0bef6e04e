// The second run of the tests that failed.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mochaCommand } from "../scripts/tools/mocha.mjs";
import { readResults, type TestResult } from "../scripts/tools/results.mjs";
import { onlyTitle, withSecondResults } from "../scripts/tools/secondRun.mjs";
import { runLimited } from "../scripts/tools/sideBySide.mjs";

describe("the second run of failed tests", () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-second-run-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "planted.test.mjs");
  const results = join(folder, "results.json");

  const runTests = async (grep?: string): Promise<readonly TestResult[]> => {
    const command = mochaCommand([file], { results, ...(grep !== undefined && { grep }) });
    await runLimited(
      command,
      () => () => {},
      () => {},
    );
    return readResults(results).tests;
  };

  it("keeps the reason of a test that passes alone, and leaves the others as they are", async () => {
    writeFileSync(
      file,
      `import fs from "node:fs";
      const mark = ${JSON.stringify(join(folder, "mark"))};
      describe("a suite", () => {
        it("(always) passes", () => {});
        it("fails once [a+b]", () => {
          if (fs.existsSync(mark)) return;
          fs.writeFileSync(mark, "");
          throw new Error("The first time.");
        });
        it("fails once [a+b], and always", () => { throw new Error("Every time."); });
      });`,
    );
    const asked: string[] = [];
    const tests = await withSecondResults(await runTests(), title => {
      asked.push(title);
      return runTests(onlyTitle(title));
    });
    assert.deepEqual(
      tests.map(({ title, state }) => `${state}: ${title}`),
      [
        "passed: a suite (always) passes",
        "unstable: a suite fails once [a+b]",
        "failed: a suite fails once [a+b], and always",
      ],
    );
    assert.match(tests[1]?.error ?? "", /The first time\./);
    assert.deepEqual(asked, ["a suite fails once [a+b]", "a suite fails once [a+b], and always"]);
  });

  it("excuses nothing that it could not run, and no test with a failure around it", async () => {
    const failed: TestResult = { title: "no handle stays open after the last test", state: "failed" };
    assert.deepEqual(await withSecondResults([failed], () => Promise.resolve([])), [failed]);
    const hook: TestResult = { title: 'a suite "after all" hook', state: "failed" };
    const around = await withSecondResults([failed], () => Promise.resolve([{ ...failed, state: "passed" }, hook]));
    assert.deepEqual(around, [failed]);
  });
});
