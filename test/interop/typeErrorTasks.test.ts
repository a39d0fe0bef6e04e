import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { withRangeEdits } from "../../src/editorTools/rangeEdits.ts";
import { repairOf, reportedErrors } from "./repairs.mjs";
import { compilerErrors, taskFiles, taskOf, typeErrorTasks } from "./typeErrorTasks.ts";

describe("the tasks with type errors", () => {
  let folder = "";
  const inTask = (id: string, name: string): string => join(folder, "tasks", id, name);
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "parley-tasks-")));
    for (const [name, text] of Object.entries(taskFiles())) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("have no errors at first, one error each after their edit, and none after the repairs that the errors choose", () => {
    assert.deepEqual(compilerErrors(folder), []);
    for (const { id, edit } of typeErrorTasks) {
      const [name, from, to] = edit;
      const text = readFileSync(inTask(id, name), "utf8");
      assert.equal(text.split(from).length, 2, `${id}: the text occurs once`);
      writeFileSync(
        inTask(id, name),
        text.replace(from, () => to),
      );
    }
    const errors = compilerErrors(folder);
    assert.deepEqual(
      errors.map(({ path }) => taskOf(path)).sort(),
      typeErrorTasks.map(({ id }) => id).sort(),
      JSON.stringify(errors, null, 1),
    );
    // As the tool writes them.
    const result = errors.map(
      ({ path, line, column, message, code }) => `${path}:${line}:${column} error: ${message} (ts ${code})`,
    );
    const reported = reportedErrors(["10 errors.", ...result].join("\n"));
    assert.deepEqual(reported, errors);
    for (const error of reported) {
      const repair = repairOf(error);
      assert.ok(repair, `the model knows a repair: ${error.message}`);
      writeFileSync(error.path, withRangeEdits(readFileSync(error.path, "utf8"), [repair], error.path));
    }
    assert.deepEqual(compilerErrors(folder), []);
  });
});
