// What Parley writes for an agent of the registry, and what an update changes.
import assert from "node:assert/strict";
import { resolveAgents } from "../../src/agents/registry.ts";
import { shownStart, type Distribution } from "../../src/agentRegistry/distribution.ts";
import {
  compareVersions,
  hasUpdate,
  installCaveats,
  isEditedByUser,
  mergedSettingEntry,
  restoredEntry,
  settingEntry,
  startDifferences,
} from "../../src/agentRegistry/installPlan.ts";

const start = { args: ["--acp"], env: { A: "1" } };
const npx: Distribution = { type: "npx", package: "p@1.0.0", ...start };
const uvx: Distribution = { type: "uvx", package: "p==1.0.0", ...start };
const binary: Distribution = {
  type: "binary",
  archive: "https://f.example/a.zip",
  archiveKind: "zip",
  cmd: "bin/agent",
  ...start,
};

describe("the plan of an installation", () => {
  it("starts packages with npx and uvx, also with another program of the package", () => {
    const line = (distribution: Distribution): string => {
      const { command, args } = shownStart(distribution);
      return [command, ...args].join(" ");
    };
    assert.equal(line(npx), "npx --yes p@1.0.0 --acp");
    assert.equal(line({ ...npx, cmd: "acp" }), "npx --yes --package=p@1.0.0 acp --acp");
    assert.equal(line(uvx), "uvx p==1.0.0 --acp");
    assert.equal(line({ ...uvx, cmd: "acp" }), "uvx --from p==1.0.0 acp --acp");
    assert.equal(line(binary), "bin/agent --acp");
    const entry = settingEntry({ name: "Agent", description: "" }, binary, "/store/agent");
    assert.deepEqual(entry, { name: "Agent", command: "/store/agent", ...start, startTimeout: 60 });
  });

  it("shows what changes in command, arguments and environment, and nothing else", () => {
    const before = { command: "bin/a", args: ["--acp"], env: { A: "1", B: "2" } };
    assert.deepEqual(startDifferences(before, { ...before }), []);
    assert.deepEqual(startDifferences(before, { command: "bin/b", args: ["--acp", "a b"], env: { A: "3", C: "4" } }), [
      { part: "command", before: "bin/a", after: "bin/b" },
      { part: "args", before: "--acp", after: "--acp 'a b'" },
      { part: "env", before: "A=1", after: "A=3" },
      { part: "env", before: "B=2" },
      { part: "env", after: "C=4" },
    ]);
    assert.deepEqual(startDifferences(before, { ...before, args: [] }), [{ part: "args", before: "--acp" }]);
    // Arguments that are joined differently are different.
    assert.equal(startDifferences({ ...before, args: ["a b"] }, { ...before, args: ["a", "b"] }).length, 1);
  });

  it("says whether an archive can be verified, and whether a package has a fixed version", () => {
    assert.match(installCaveats(binary).join(), /^Unverified/);
    assert.match(installCaveats({ ...binary, sha256: "a" }).join(), /^Parley installs the archive only if/);
    assert.deepEqual([installCaveats(npx), installCaveats(uvx)], [[], []]);
    for (const name of ["@scope/p@1.0.0-beta.1", "@1scope/p@10.0.0+build"])
      assert.deepEqual(installCaveats({ ...npx, package: name }), [], name);
    for (const name of ["p[extra]==1.0", "p@2024.1"])
      assert.deepEqual(installCaveats({ ...uvx, package: name }), [], name);
    const loose: readonly Distribution[] = [
      ...["p", "p@latest", "p@1", "p@1.x", "@scope/p", "@1password/agent"].map(name => ({ ...npx, package: name })),
      ...["p", "p@latest", "p==latest"].map(name => ({ ...uvx, package: name })),
    ];
    for (const distribution of loose) assert.match(installCaveats(distribution).join(), /no fixed version/);
  });

  const written = settingEntry({ name: "Agent", description: "Text" }, npx, undefined);

  it("keeps the fields and variables of the user, and replaces its own", () => {
    const own = { icon: "rocket", env: { A: "1", KEY: "k" }, command: "old", defaults: { mode: "plan" } };
    const next = settingEntry({ name: "Agent", description: "" }, { ...npx, env: { B: "2" } }, undefined);
    assert.deepEqual(mergedSettingEntry(own, next, written), {
      ...{
        icon: "rocket",
        defaults: { mode: "plan" },
        name: "Agent",
        command: "npx",
        args: ["--yes", "p@1.0.0", "--acp"],
      },
      ...{ startTimeout: 300, env: { B: "2", KEY: "k" } },
    });
    // A value that the user has changed stays.
    assert.deepEqual(mergedSettingEntry({ env: { B: "mine" } }, next, written)["env"], { B: "mine" });
  });

  it("notices changes of the user that the next version replaces", () => {
    const entry = mergedSettingEntry({ icon: "rocket", env: { KEY: "k" } }, written);
    assert.ok(!isEditedByUser(entry, written));
    assert.ok(isEditedByUser({ ...entry, args: [...written.args, "--debug"] }, written));
    assert.ok(isEditedByUser({ ...entry, command: "/usr/bin/npx" }, written));
  });

  it("restores what the agent replaced", () => {
    const restored = (own: object, before?: unknown): unknown =>
      restoredEntry("one", { ...mergedSettingEntry({}, written), ...own }, written, before);
    assert.equal(restored({}), undefined);
    assert.equal(restored({}, false), false);
    const before = { command: "mine", args: ["x"], env: { A: "mine" } };
    assert.deepEqual(restoredEntry("one", mergedSettingEntry(before, written), written, before), before);
    assert.deepEqual(restored({ icon: "rocket", env: { A: "1", KEY: "k" } }, before), {
      ...{ ...before, icon: "rocket" },
      env: { A: "mine", KEY: "k" },
    });
  });

  it("leaves no entry that starts nothing, whatever the user has added to it", () => {
    for (const added of [{ protocol: "2" }, { env: { A: "1", KEY: "k" } }, { icon: "rocket", defaults: { a: "b" } }])
      for (const id of ["one", "gemini"]) {
        const own = { ...mergedSettingEntry({}, written), ...added };
        const restored = restoredEntry(id, own, written, undefined);
        assert.deepEqual(resolveAgents([], restored === undefined ? {} : { [id]: restored }).bad, []);
        const { env: _env, ...fields } = added as Record<string, unknown>;
        const kept = "env" in added ? { ...fields, env: { KEY: "k" } } : fields;
        assert.deepEqual(restored, id === "gemini" ? kept : undefined);
      }
  });

  it("replaces the server of an own entry with a program, and restores it", () => {
    const before = { url: "https://a.example", headers: { "X-Key": "k" }, sameFolder: true, icon: "rocket" };
    const entry = mergedSettingEntry(before, written);
    assert.deepEqual(resolveAgents([], { one: before }).bad, []);
    assert.deepEqual(resolveAgents([], { one: entry }).bad, []);
    assert.equal(entry["icon"], "rocket");
    assert.deepEqual(restoredEntry("one", entry, written, before), before);
  });

  it("orders versions by their numbers, and takes a text without numbers for an update, but no build", () => {
    const order = ["0.9.0", "1.0.0-beta.2", "1.0.0-beta.10", "1.0.0", "1.2.0", "1.10.0", "2.0.0"];
    assert.deepEqual([...order].reverse().sort(compareVersions), order);
    assert.ok(hasUpdate("1.2.0", "1.10.0"));
    assert.ok(!hasUpdate("1.10.0", "1.2.0"));
    assert.ok(!hasUpdate("1.2.0", "1.2.0"));
    assert.ok(hasUpdate("stable", "edge"));
    assert.ok(!hasUpdate("1.2.0", "1.2.0+build.1"));
  });
});
