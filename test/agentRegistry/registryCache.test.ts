// The index over the network, with servers that misbehave, and from the cache.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RegistryCache } from "../../src/agentRegistry/registryCache.ts";
import type { RegistryIndex } from "../../src/agentRegistry/registryAgent.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { LoopbackRegistry, type RegistryAnswer } from "../support/fakes/loopbackRegistry.ts";
import { until } from "../support/fakes/until.ts";

describe("the cache of the registry", () => {
  let registry: LoopbackRegistry;
  let folder: string;
  /** Makes the next time limit end at once. */
  let hurry: boolean;
  const clock = { ...systemClock, after: (ms: number, run: () => void) => systemClock.after(hurry ? 1 : ms, run) };
  const never = new AbortController().signal;
  beforeEach(async () => {
    registry = await LoopbackRegistry.start();
    registry.agents = [agent("one")];
    folder = mkdtempSync(join(tmpdir(), "parley-registry-"));
    hurry = false;
  });
  afterEach(async () => {
    await registry.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const cache = (): RegistryCache => new RegistryCache({ folder, clock, log: nullLog });
  const read = (address = registry.address, signal = never) => cache().read({ address, target: undefined }, signal);
  const agent = (id: string, description = ""): object => ({
    ...{ id, name: id, version: "1.0.0", description },
    distribution: { npx: { package: "agent@1.0.0" } },
  });
  const ids = ({ agents }: RegistryIndex): readonly string[] => agents.map(({ id }) => id);

  it("asks the server only for what has changed", async () => {
    await read();
    const again = await read();
    assert.deepEqual(ids(again.index), ["one"]);
    registry.agents = [agent("two")];
    assert.deepEqual(ids((await read()).index), ["two"]);
    assert.deepEqual(registry.requests, ["/index.json 200", "/index.json 304", "/index.json 200"]);
  });

  it("gives the last index without a network, with its time and the reason", async () => {
    const before = await read();
    await registry.stop();
    const offline = await read();
    assert.deepEqual([ids(offline.index), offline.time], [["one"], before.time]);
    assert.match(offline.offline ?? "", /^127\.0\.0\.1:\d+ could not be reached \(ECONNREFUSED\)\.$/);
  });

  it("rejects with a sentence if there is neither a network nor an earlier index", async () => {
    await registry.stop();
    await assert.rejects(read(), /could not be reached/);
  });

  it("does not give the index of another address", async () => {
    await read();
    await registry.stop();
    await assert.rejects(read(`${registry.address}?other`), /could not be reached|Invalid URL/);
  });

  it("reads a damaged file of the cache as none", async () => {
    await read();
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), "{");
    assert.deepEqual(ids((await read()).index), ["one"]);
    assert.deepEqual(registry.requests, ["/index.json 200", "/index.json 200"]);
  });

  const misbehaving: Readonly<Record<string, readonly [RegistryAnswer, RegExp]>> = {
    "an error": [{ body: "Bad gateway", status: 502 }, /answered with status 502/],
    "a page in place of an index": [{ body: "<html>Sign in</html>" }, /did not answer with an index/],
    "an index without an end": [{ type: "endless" }, /sends more than 10 MB/],
    "the announcement of a huge index": [
      { body: "", headers: { "content-length": "99999999999" } },
      /sends more than 10 MB/,
    ],
    "an index that is cut": [{ type: "cut" }, /ended the download too early|could not be reached|terminated/],
    "redirects in a circle": [{ type: "redirect", to: "/index.json" }, /redirects too often/],
    "a redirect to http elsewhere": [{ type: "redirect", to: "http://registry.example/" }, /is not an https address/],
    "a redirect to a file": [{ type: "redirect", to: "file:///etc/passwd" }, /is not an https address/],
    "a redirect to nowhere": [{ type: "redirect", to: "http://" }, /is not a web address/],
  };
  for (const [what, [answer, reason]] of Object.entries(misbehaving)) {
    it(`gives the last index if the server sends ${what}`, async () => {
      registry.answer("/index.json", answer);
      await assert.rejects(read(), reason);
      registry.forget("/index.json");
      await read();
      registry.answer("/index.json", answer);
      const { index, offline } = await read();
      assert.deepEqual(ids(index), ["one"]);
      assert.match(offline ?? "", reason);
      // The answer has not replaced the earlier one.
      await registry.stop();
      assert.deepEqual(ids((await read()).index), ["one"]);
    });
  }

  it("gives up a server that sends nothing, and ends the connection", async () => {
    registry.answer("/index.json", { type: "silent" });
    hurry = true;
    await assert.rejects(read(), /127\.0\.0\.1:\d+ sends nothing/);
    await until(() => registry.openAnswers === 0);
  });

  it("ends the connection when nobody waits for the index any more", async () => {
    registry.answer("/index.json", { type: "silent" });
    const cancel = new AbortController();
    const reading = read(registry.address, cancel.signal);
    await until(() => registry.openAnswers === 1);
    cancel.abort(new Error("Cancelled."));
    await assert.rejects(reading, /Cancelled/);
    await until(() => registry.openAnswers === 0);
  });

  it("refuses addresses that are not https", async () => {
    await assert.rejects(read("http://registry.example/index.json"), /is not an https address/);
    await assert.rejects(read("file:///etc/passwd"), /is not an https address/);
    await assert.rejects(read("registry"), /is not a web address/);
  });

  it("reads an index of 2000 agents", async () => {
    registry.agents = Array.from({ length: 2000 }, (_, at) => agent(`agent-${at}`, "x".repeat(1000)));
    assert.equal(ids((await read()).index).length, 2000);
  });

  it("judges icons that are stored, too", async () => {
    const name = `${registry.origin}/good.svg`;
    registry.answer("/good.svg", { body: "<svg></svg>" });
    assert.equal((await cache().icons([name], never)).size, 1);
    for (const file of readdirSync(folder)) writeFileSync(join(folder, file), "<svg><use/></svg>");
    assert.equal((await cache().icons([name], never)).size, 0);
  });

  it("keeps icons, and leaves out those that are missing, too large or no SVG", async () => {
    registry.answer("/good.svg", { body: '<svg xmlns="http://www.w3.org/2000/svg"/>' });
    registry.answer("/page.svg", { body: "<html>" });
    registry.answer("/uses.svg", { body: '<svg><g id="a"/><use href="#a"/></svg>' });
    registry.answer("/large.svg", { body: `<svg>${" ".repeat(100_000)}</svg>` });
    const names = ["good", "page", "uses", "large", "missing"].map(name => `${registry.origin}/${name}.svg`);
    assert.deepEqual([...(await cache().icons(names, never)).keys()], names.slice(0, 1));
    await registry.stop();
    const kept = await cache().icons(names, never);
    assert.match(kept.get(names[0] ?? "") ?? "", /^<svg/);
    assert.equal(
      readdirSync(folder).filter(name => readFileSync(join(folder, name), "utf8").includes("<svg")).length,
      1,
    );
  });
});
