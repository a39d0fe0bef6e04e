// The folder in which agents start.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareStartFolder } from "../../src/agents/startFolder.ts";

describe("the folder in which agents start", () => {
  let place: string;
  beforeEach(() => (place = join(mkdtempSync(join(tmpdir(), "parley-start-")), "agents")));
  afterEach(() => rmSync(place, { recursive: true, force: true }));

  it("contains only a package.json, and is used for every start", async () => {
    const folder = await prepareStartFolder(place);
    assert.deepEqual(readdirSync(folder), ["package.json"]);
    assert.equal(await prepareStartFolder(place), folder);
  });

  it("is another one if an agent has put a file there, which stays", async () => {
    const first = await prepareStartFolder(place);
    writeFileSync(join(first, ".npmrc"), "node-options=--inspect\n");
    const second = await prepareStartFolder(place);
    assert.notEqual(second, first);
    assert.deepEqual(readdirSync(second), ["package.json"]);
    assert.deepEqual(readdirSync(first).sort(), [".npmrc", "package.json"]);
  });

  it("is another one if an agent has changed its package.json", async () => {
    const first = await prepareStartFolder(place);
    writeFileSync(join(first, "package.json"), '{"bin":"planted"}');
    assert.notEqual(await prepareStartFolder(place), first);
  });

  it("is not searched for without end", async () => {
    for (let n = 1; n <= 100; n++)
      mkdirSync(join(place, n === 1 ? "start" : `start-${n}`, "kept"), { recursive: true });
    await assert.rejects(prepareStartFolder(place), /contain files of agents/);
  });
});
