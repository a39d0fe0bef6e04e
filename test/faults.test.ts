// The planted faults: each can be planted in the code as it is now.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { faultsFolder, patchOf, readFaults } from "../scripts/tools/plantedFaults.mjs";
import { inProject, root } from "../scripts/tools/project.mjs";

describe("the planted faults", () => {
  const faults = readFaults();
  const files = readdirSync(inProject(faultsFolder)).filter(file => file.endsWith(".patch"));
  const patches = new Map(files.map(file => [file, readFileSync(inProject(faultsFolder, file), "utf8")]));
  const changedFile = (patch: string): string => /^\+\+\+ b\/(.+)$/m.exec(patch)?.[1] ?? "";

  it("are at least 40, and the table lists every patch in the order of the names", () => {
    assert.deepEqual(
      faults.map(({ name }) => `${name}.patch`),
      files.sort(),
    );
    assert.ok(faults.length >= 40, `${faults.length}`);
  });

  it("apply to the code as it is now", () => {
    const outdated = faults.flatMap(({ name }) => {
      const { status, stderr } = spawnSync("git", ["apply", "--check", patchOf(name)], { cwd: root, encoding: "utf8" });
      return status === 0 ? [] : [`${name}: ${stderr}`];
    });
    assert.deepEqual(outdated, [], "Replace the fault by one of its kind, see CONTRIBUTING.");
  });

  it("change one line each", () => {
    for (const [file, patch] of patches) {
      const changes = patch.split("\n").filter(line => /^[+-]/.test(line) && !/^(?:\+\+\+|---) /.test(line));
      assert.deepEqual(
        changes.map(line => line[0]),
        ["-", "+"],
        file,
      );
    }
  });

  it("are in every room of the code, and in the panel", () => {
    const changed = [...patches.values()].map(changedFile);
    const rooms = readdirSync(inProject("src"), { withFileTypes: true })
      .filter(entry => entry.isDirectory())
      .map(({ name }) => `src/${name}`);
    for (const folder of [...rooms, "src/acp/v1", "src/acp/v2", "webview-ui"])
      assert.ok(
        changed.some(file => file.startsWith(`${folder}/`)),
        folder,
      );
  });

  it("say what is wrong, and are found by test files that exist", () => {
    for (const { name, wrong, foundBy } of faults) {
      assert.match(wrong, /^[A-Z].+\.$/, name);
      assert.ok(foundBy.length > 0, name);
      for (const file of foundBy) {
        assert.match(file, /^test\/.+\.test\.ts$/, name);
        assert.ok(existsSync(inProject(file)), file);
      }
    }
  });
});
