// Installing agents of a registry on the loopback interface: first versions, updates, rolling back, removing, and archives
// and servers that are made to do harm.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inProject } from "../../scripts/tools/project.mjs";
import { AgentInstaller } from "../../src/agentRegistry/agentInstaller.ts";
import { archiveLimits } from "../../src/agentRegistry/archiveEntry.ts";
import type { Distribution } from "../../src/agentRegistry/distribution.ts";
import { InstalledAgents, type InstalledAgent } from "../../src/agentRegistry/installedAgents.ts";
import type { UserEntry } from "../../src/agentRegistry/installPlan.ts";
import { readIndex } from "../../src/agentRegistry/readIndex.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { bzippedAgent, tarGzOf, zipOf } from "../support/fakes/archives.ts";
import { LoopbackRegistry, type RegistryAnswer } from "../support/fakes/loopbackRegistry.ts";
import { until } from "../support/fakes/until.ts";

describe("installing an agent of the registry", () => {
  let registry: LoopbackRegistry;
  let folder: string;
  let setting: Record<string, unknown>;
  let installer: AgentInstaller;
  let installed: InstalledAgents;
  /** What the check of an agent does. */
  let check: (entry: UserEntry) => Promise<void>;
  let checked: UserEntry[];
  let stopped: string[];
  let hurry: boolean;

  beforeEach(async () => {
    registry = await LoopbackRegistry.start();
    folder = mkdtempSync(join(tmpdir(), "parley-agents-"));
    [setting, checked, stopped, hurry] = [{}, [], [], false];
    check = () => Promise.resolve();
    installed = new InstalledAgents({
      folder,
      unpackScript: inProject("dist", "unpackArchive.js"),
      clock: { ...systemClock, after: (ms, run) => systemClock.after(hurry ? 1 : ms, run) },
      log: nullLog,
      limits: { ...archiveLimits, ratioFrom: 1_000_000 },
      maxDownload: 5_000_000,
    });
    installer = new AgentInstaller({
      installed,
      entries: {
        read: id => setting[id],
        write: async (id, entry) => {
          const { [id]: _replaced, ...others } = setting;
          setting = entry === undefined ? others : { ...others, [id]: entry };
        },
      },
      check: async (_id, entry) => {
        checked.push(entry);
        await check(entry);
      },
      stop: async id => void stopped.push(id),
    });
  });
  afterEach(async () => {
    await registry.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Offers an agent, usually `one`, and installs it. */
  async function install(
    version: string,
    distribution: object,
    { signal = new AbortController().signal, id = "one" } = {},
  ): Promise<void> {
    registry.agents = [{ id, name: "One", version, distribution }];
    const text = JSON.stringify({ agents: registry.agents });
    const { agents, unusable } = readIndex(text, { address: registry.address, target: "linux-x86_64" });
    const [agent] = agents;
    assert.ok(agent, JSON.stringify(unusable));
    await installer.install(agent, agent.distributions[0] as Distribution, { signal, onProgress: () => {} });
  }

  const npx = (version: string, args: readonly string[] = ["--acp"]) => ({ npx: { package: `one@${version}`, args } });

  /** Offers an archive under this name. */
  function archive(name: string, body: Buffer, fields: object = {}): object {
    registry.answer(`/${name}`, { body });
    return { binary: { "linux-x86_64": { archive: `${registry.origin}/${name}`, cmd: "./agent/run", ...fields } } };
  }
  const packed = (text: string): Promise<Buffer> => tarGzOf([{ name: "agent/run", content: text }]);
  const commandOf = (entry: unknown): string => (entry as { command: string }).command;
  const runsText = (): string => readFileSync(commandOf(setting["one"]), "utf8");
  /** The folders of versions. */
  const folders = (): readonly string[] =>
    existsSync(join(folder, "versions", "one"))
      ? readdirSync(join(folder, "versions", "one")).map(name => name.replace(/-[0-9a-f]{8}$/, ""))
      : [];
  const record = async () => (await installed.read()).get("one");

  it("writes the entry of a package once it has answered", async () => {
    let before: unknown = "unread";
    check = async () => {
      before = setting["one"];
    };
    await install("1.0.0", npx("1.0.0"));
    assert.equal(before, undefined);
    const entry = { name: "One", command: "npx", args: ["--yes", "one@1.0.0", "--acp"], startTimeout: 300 };
    assert.deepEqual(setting, { one: entry });
    assert.deepEqual(checked, [entry]);
    assert.deepEqual((await record())?.version, "1.0.0");
  });

  for (const [kind, name, body] of [
    ["zip", "a.zip", async () => zipOf([{ name: "agent/run", content: "text" }])],
    ["tar.gz", "a.tar.gz", () => packed("text")],
    ["tgz", "a.tgz", () => packed("text")],
    ["tar.bz2", "a.tar.bz2", async () => bzippedAgent],
    ["program without an archive", "agent-linux", async () => Buffer.from("text")],
  ] as const)
    it(`unpacks a ${kind} into a folder of its own, with the program executable`, async () => {
      await install("1.0.0", archive(name, await body()));
      assert.ok(commandOf(setting["one"]).startsWith(join(folder, "versions", "one", "1.0.0-")));
      assert.equal(statSync(commandOf(setting["one"])).mode & 0o777, 0o755);
      assert.deepEqual(folders(), ["1.0.0"]);
    });

  it("replaces the version only after the new one has answered, and keeps the last one to roll back to", async () => {
    await install("1.0.0", archive("1.tgz", await packed("one")));
    setting["one"] = { ...(setting["one"] as object), icon: "rocket", env: { KEY: "k" } };
    let during = "";
    check = async entry => {
      during = runsText();
      assert.equal(readFileSync(commandOf(entry), "utf8"), "two");
      assert.deepEqual(entry["env"], { KEY: "k" });
    };
    await install("2.0.0", archive("2.tgz", await packed("two"), { args: ["acp"] }));
    assert.deepEqual([during, runsText()], ["one", "two"]);
    assert.deepEqual(folders().toSorted(), ["1.0.0", "2.0.0"]);

    await installer.rollBack("one");
    assert.equal(runsText(), "one");
    assert.deepEqual([(await record())?.version, (await record())?.previous?.version], ["1.0.0", "2.0.0"]);
    const { icon, env } = setting["one"] as Record<string, unknown>;
    assert.deepEqual([icon, env], ["rocket", { KEY: "k" }]);
    await installer.rollBack("one");
    assert.equal(runsText(), "two");

    check = () => Promise.resolve();
    await install("3.0.0", archive("3.tgz", await packed("three")));
    assert.deepEqual(folders().toSorted(), ["2.0.0", "3.0.0"], "Only one earlier version stays.");
  });

  it("keeps the last version, and nothing of the new one, if the new one does not answer", async () => {
    await install("1.0.0", archive("1.tgz", await packed("one")));
    const before = [setting["one"], await record()];
    check = () => Promise.reject(new Error("It ended with code 1."));
    await assert.rejects(install("2.0.0", archive("2.tgz", await packed("two"))), /ended with code 1/);
    await assert.rejects(install("2.0.0", npx("2.0.0")), /ended with code 1/);
    assert.deepEqual([setting["one"], await record()], before);
    assert.deepEqual(folders(), ["1.0.0"]);
    assert.equal(runsText(), "one");
  });

  it("adds nothing if the first version does not answer", async () => {
    check = () => Promise.reject(new Error("It ended with code 1."));
    await assert.rejects(install("1.0.0", archive("1.tgz", await packed("one"))), /ended with code 1/);
    assert.deepEqual([setting, folders(), await record()], [{}, [], undefined]);
  });

  it("removes the agent, its folders and what it wrote to the setting", async () => {
    await install("1.0.0", archive("1.tgz", await packed("one")));
    await install("2.0.0", archive("2.tgz", await packed("two")));
    await installer.remove("one");
    assert.deepEqual([setting, stopped, folders(), await record()], [{}, ["one"], [], undefined]);
  });

  it("removes nothing of other agents, whatever the ID of an agent is", async () => {
    await install("1.0.0", archive("1.tgz", await packed("one")));
    const ids = ["records", "versions"];
    for (const id of ids) await install("1.0.0", archive("2.tgz", await packed("two")), { id });
    for (const id of ids) await installer.remove(id);
    assert.deepEqual([...(await installed.read()).keys()], ["one"]);
    assert.equal(runsText(), "one");
  });

  it("keeps the version before when the same version is installed again", async () => {
    await install("1.0.0", archive("1.tgz", await packed("one")));
    await install("2.0.0", archive("2.tgz", await packed("two")));
    delete setting["one"];
    await install("2.0.0", archive("2.tgz", await packed("two")));
    assert.equal((await record())?.previous?.version, "1.0.0");
    assert.deepEqual(folders().toSorted(), ["1.0.0", "2.0.0"]);
    assert.equal(runsText(), "two");
  });

  it("rolls back to no version whose program is gone, and changes nothing", async () => {
    await install("1.0.0", archive("1.tgz", await packed("one")));
    rmSync(commandOf(setting["one"]));
    await install("2.0.0", archive("2.tgz", await packed("two")));
    const before = [setting["one"], await record()];
    await assert.rejects(installer.rollBack("one"), /program of version 1\.0\.0 is missing/);
    assert.deepEqual([setting["one"], await record()], before);
  });

  it("keeps what another window installed while a version was checked", async () => {
    await install("1.0.0", archive("1.tgz", await packed("one")));
    check = async () => {
      check = () => Promise.resolve();
      const { previous: _none, ...first } = (await record()) as InstalledAgent;
      await installed.write({ ...first, version: "1.5.0", previous: first, before: { command: "mine" } });
      setting["one"] = { ...(setting["one"] as object), icon: "rocket" };
    };
    await install("2.0.0", archive("2.tgz", await packed("two")));
    assert.deepEqual([(await record())?.previous?.version, (await record())?.before], ["1.5.0", { command: "mine" }]);
    assert.equal((setting["one"] as { icon?: string }).icon, "rocket");
    await installer.rollBack("one");
    assert.equal(runsText(), "one", "Its folder is that of version 1.5.0.");
  });

  it("restores the entry that the user had before", async () => {
    for (const own of [{ command: "mine", args: ["--x"] }, false]) {
      setting = { one: own, other: { command: "other" } };
      await install("1.0.0", npx("1.0.0"));
      assert.equal(commandOf(setting["one"]), "npx");
      await install("2.0.0", npx("2.0.0"));
      await installer.remove("one");
      assert.deepEqual(setting, { one: own, other: { command: "other" } });
    }
  });

  it("checks the checksum before it unpacks", async () => {
    const body = await packed("one");
    const sha256 = createHash("sha256").update(body).digest("hex");
    await install("1.0.0", archive("1.tgz", body, { sha256: sha256.toUpperCase() }));
    assert.equal(runsText(), "one");
    const before = setting["one"];
    await assert.rejects(install("2.0.0", archive("2.tgz", await packed("evil"), { sha256 })), /checksum is not that/);
    assert.deepEqual([setting["one"], checked.length, folders()], [before, 1, ["1.0.0"]]);
  });

  const hostileArchives: Readonly<Record<string, readonly [string, () => Promise<Buffer> | Buffer, RegExp]>> = {
    "a path out of the folder": ["a.tgz", () => tarGzOf([{ name: "../../evil", content: "x" }]), /“\.\.\/\.\.\/evil”/],
    "a link": ["a.tgz", () => tarGzOf([{ name: "agent/run", type: "symlink", linkname: "/bin/sh" }]), /is a link/],
    "a bomb": ["a.zip", () => zipOf([{ name: "agent/run", content: Buffer.alloc(9_000_000) }]), /far larger/],
    noise: ["a.tgz", () => Buffer.alloc(5000, "noise"), /is damaged/],
    "no program": [
      "a.zip",
      () => zipOf([{ name: "other", content: "x" }]),
      /does not contain the program “agent\/run”/,
    ],
  };
  for (const [what, [name, body, reason]] of Object.entries(hostileArchives))
    it(`refuses an archive with ${what}, starts nothing and leaves nothing behind`, async () => {
      await assert.rejects(install("1.0.0", archive(name, await body())), reason);
      assert.deepEqual([setting, checked, folders(), await record()], [{}, [], [], undefined]);
    });

  const servers: Readonly<Record<string, readonly [RegistryAnswer, RegExp]>> = {
    "has no such file": [{ body: "Not found", status: 404 }, /answered with status 404/],
    "sends without an end": [{ type: "endless" }, /sends more than 5 MB/],
    "ends too early": [{ type: "cut" }, /ended the download too early|could not be reached|terminated/],
    "redirects to http": [{ type: "redirect", to: "http://files.example/a.tgz" }, /is not an https address/],
  };
  for (const [what, [answer, reason]] of Object.entries(servers))
    it(`refuses a server that ${what}, and leaves nothing behind`, async () => {
      const distribution = archive("a.tgz", Buffer.alloc(0));
      registry.answer("/a.tgz", answer);
      await assert.rejects(install("1.0.0", distribution), reason);
      assert.deepEqual([setting, checked, folders()], [{}, [], []]);
    });

  it("gives up a server that sends nothing", async () => {
    const distribution = archive("a.tgz", Buffer.alloc(0));
    registry.answer("/a.tgz", { type: "silent" });
    hurry = true;
    await assert.rejects(install("1.0.0", distribution), /sends nothing/);
    assert.deepEqual(folders(), []);
  });

  it("ends a download when the user cancels", async () => {
    const distribution = archive("a.tgz", Buffer.alloc(0));
    registry.answer("/a.tgz", { type: "silent" });
    const cancel = new AbortController();
    const installing = install("1.0.0", distribution, { signal: cancel.signal });
    await until(() => registry.openAnswers === 1);
    cancel.abort(new Error("Cancelled."));
    await assert.rejects(installing, /Cancelled/);
    await until(() => registry.openAnswers === 0);
    assert.deepEqual([setting, folders()], [{}, []]);
  });

  it("reads no record that names a folder elsewhere", async () => {
    await install("1.0.0", archive("1.tgz", await packed("one")));
    const [name = ""] = readdirSync(join(folder, "records"));
    const path = join(folder, "records", name);
    const stored = JSON.parse(readFileSync(path, "utf8")) as object;
    for (const bad of ["../../..", "/tmp", "a/b", "..", "a..b/.."]) {
      writeFileSync(path, JSON.stringify({ ...stored, folder: bad }));
      assert.equal(await record(), undefined, bad);
    }
  });

  it("removes what an installation that did not end has left, a day later", async () => {
    await install("1.0.0", archive("1.tgz", await packed("one")));
    await install("2.0.0", archive("2.tgz", await packed("two")));
    const versions = join(folder, "versions", "one");
    for (const name of ["3.0.0-00000000", "3.0.0-11111111"]) {
      mkdirSync(join(versions, name));
      writeFileSync(join(versions, `${name}.part`), "");
    }
    const old = new Date(Date.now() - 25 * 60 * 60 * 1000);
    for (const name of readdirSync(versions))
      if (!name.includes("11111111")) utimesSync(join(versions, name), old, old);
    await install("4.0.0", npx("4.0.0"));
    const left = readdirSync(versions).map(name => name.replace(/(?<=^[12].*-)[0-9a-f]{8}$/, ""));
    assert.deepEqual(left.toSorted(), ["2.0.0-", "3.0.0-11111111", "3.0.0-11111111.part"]);
    await installer.rollBack("one");
    assert.equal(runsText(), "two");
  });

  it("keeps the folder of an entry whose record is damaged until the new version has answered", async () => {
    await install("1.0.0", archive("1.tgz", await packed("one")));
    rmSync(join(folder, "records"), { recursive: true });
    for (const name of readdirSync(join(folder, "versions", "one")))
      utimesSync(join(folder, "versions", "one", name), new Date(0), new Date(0));
    check = () => Promise.reject(new Error("It ended with code 1."));
    await assert.rejects(install("2.0.0", archive("2.tgz", await packed("two"))), /ended with code 1/);
    assert.equal(runsText(), "one");
  });

  it("runs changes of one agent one after the other", async () => {
    await Promise.all([install("1.0.0", npx("1.0.0")), install("2.0.0", npx("2.0.0"))]);
    assert.equal((await record())?.version, "2.0.0");
    assert.equal((await record())?.previous?.version, "1.0.0");
  });
});
