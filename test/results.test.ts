// The results of a suite that hangs: which test hung, and which tests did not run.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "./support/fakes/until.ts";
import { maxQuietSeconds, maxTestTime, whenQuiet } from "../scripts/tools/quiet.mjs";
import { mochaCommand } from "../scripts/tools/mocha.mjs";
import { notRunTests, readResults } from "../scripts/tools/results.mjs";
import { afterMinutes, newLanes, runLimited } from "../scripts/tools/sideBySide.mjs";

describe("the results of a suite", () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-results-"));
  const results = join(folder, "results.json");
  after(() => rmSync(folder, { recursive: true, force: true }));

  const suite = (body: string): readonly string[] => {
    const file = join(folder, "planted.test.mjs");
    writeFileSync(file, body);
    return mochaCommand([file], { results });
  };

  it("name the test that hangs, and every test that did not run because of it", async () => {
    const command = suite(`describe("a suite", () => {
      it("passes first", () => {});
      it("hangs", function () { this.timeout(0); return new Promise(() => setInterval(() => {}, 1000)); });
      it("would pass", () => {});
      it("would pass, too", () => {});
    });`);
    let output = "";
    const code = await runLimited(
      command,
      end => whenQuiet(results, end, 2),
      text => (output += text),
    );
    assert.equal(code, "late", output);
    const read = readResults(results);
    assert.equal(read.finished, false);
    assert.equal(read.running, "a suite hangs");
    assert.deepEqual(
      read.tests.map(({ title }) => title),
      ["a suite passes first"],
    );
    assert.deepEqual(notRunTests(read), ["a suite would pass", "a suite would pass, too"]);
  });

  it("name a hook that hangs before all tests", async () => {
    const command = suite(`describe("a suite", () => {
      before(function () { this.timeout(0); return new Promise(() => setInterval(() => {}, 1000)); });
      it("would pass", () => {});
    });`);
    assert.equal(
      await runLimited(
        command,
        end => whenQuiet(results, end, 2),
        () => {},
      ),
      "late",
    );
    const read = readResults(results);
    assert.match(read.running ?? "", /"before all" hook/);
    assert.deepEqual(notRunTests(read), ["a suite would pass"]);
  });

  it("are complete if every test ends, also after one that fails", async () => {
    const command = suite(`describe("a suite", () => {
      it("fails", () => { throw new Error("planted"); });
      it("passes", () => {});
    });`);
    assert.equal(await runLimited(command, afterMinutes(1), () => {}), 1);
    const read = readResults(results);
    assert.equal(read.finished, true);
    assert.deepEqual(
      read.tests.map(({ state }) => state),
      ["failed", "passed"],
    );
    assert.deepEqual(notRunTests(read), []);
  });

  it("have a failure if a timer, process or connection stays open after the last test", async () => {
    const command = suite(`describe("a suite", () => {
      it("passes", () => { setInterval(() => {}, 1000); });
    });`);
    const soon = ["--reporter-option", "maxOpenHandleTime=10"];
    assert.equal(await runLimited([...command, ...soon], afterMinutes(1), () => {}), 1);
    const { tests } = readResults(results);
    assert.deepEqual(
      tests.map(({ title, state }) => [title, state]),
      [
        ["a suite passes", "passed"],
        ["no handle stays open after the last test", "failed"],
      ],
    );
  });

  it("leave mocha the time to report a test before the suite is ended", () => {
    assert.ok(maxTestTime / 1000 < maxQuietSeconds);
  });
});

describe("the suites that run at the same time", () => {
  it("keep as many processors busy as there are, and start in their order", async () => {
    const lanes = newLanes(2);
    const running = new Map<string, () => void>();
    const run = (name: string, processors?: number): Promise<void> =>
      lanes(() => new Promise<void>(resolve => running.set(name, resolve)), processors).finally(() =>
        running.delete(name),
      );
    const end = (name: string): void => running.get(name)?.();
    const names = (): readonly string[] => [...running.keys()];
    const ended = [run("small"), run("editor", 2), run("other"), run("last", 9)];
    await until(() => names().length > 0);
    assert.deepEqual(names(), ["small"]);
    end("small");
    await until(() => names().includes("editor"));
    assert.deepEqual(names(), ["editor"]);
    end("editor");
    await until(() => names().includes("other"));
    assert.deepEqual(names(), ["other"]);
    end("other");
    await until(() => names().includes("last"));
    end("last");
    await Promise.all(ended);
  });

  it("let the next one start after one that fails", async () => {
    const lanes = newLanes(1);
    await assert.rejects(lanes(() => Promise.reject(new Error("planted"))));
    assert.equal(await lanes(() => Promise.resolve("ran")), "ran");
  });
});
