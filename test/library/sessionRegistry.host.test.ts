// The sessions of the window: which ones are open, what each surface shows, and what the next window restores.
import assert from "node:assert/strict";
import type { AgentDefinition } from "../../src/agents/registry.ts";
import type { Session } from "../../src/session/session.ts";
import { until } from "../support/fakes/until.ts";
import { WindowBench } from "../support/host/windowBench.ts";

function send(session: Session | undefined, text: string): void {
  assert.ok(session, "there is a session");
  session.send([{ type: "text", text }]);
}

describe("the sessions of a window", () => {
  let bench: WindowBench;
  beforeEach(async () => {
    bench = new WindowBench();
    await bench.sessions.restoreOrStart();
  });
  afterEach(() => bench.dispose());

  /** Sends a prompt in the active session, and waits until the agent works on it. */
  async function work(text: string): Promise<Session> {
    const { session } = bench;
    send(session, text);
    await until(() => bench.state.activity.state === "running");
    return session as Session;
  }

  it("stay open and work on when another one starts, and an unused one is closed", async () => {
    const unused = bench.session;
    bench.sessions.start("other");
    assert.equal(bench.state.agent?.id, "other");
    assert.equal(bench.open.get(unused?.id), undefined);
    const first = await work("a long task");
    bench.sessions.start("stub");
    const second = await work("another task");
    assert.deepEqual(bench.open.sessions, [first, second]);
    assert.deepEqual([first.state.activity.state, second.state.activity.state], ["running", "running"]);
    assert.deepEqual(
      bench.agent.sessions.map(({ cancels }) => cancels),
      bench.agent.sessions.map(() => 0),
    );
    bench.sessions.show(first.id);
    assert.equal(bench.session, first);
    assert.equal(bench.view().head.session, first.id);
  });

  it("are shown by each surface on its own", async () => {
    const first = await work("a long task");
    await bench.sessions.restoreOrStart("editor:1");
    assert.equal(bench.open.selected("editor:1"), first);
    bench.open.activate("editor:1");
    bench.sessions.start();
    assert.notEqual(bench.session, first);
    assert.equal(bench.view().head.session, first.id);
    assert.equal(bench.views.view("editor:1").head.session, bench.session?.id);
  });

  it("move to an editor tab, and the view then offers a new one", async () => {
    const first = await work("a long task");
    bench.sessions.start();
    const second = await work("another task");
    bench.sessions.show(first.id);
    bench.open.activate("editor:1");
    bench.sessions.moveToEditor(first, "editor:1");
    await bench.sessions.restoreOrStart("editor:1");
    assert.equal(bench.open.selected("editor:1"), first);
    const offered = bench.open.selected("view");
    assert.ok(offered && offered !== first && offered !== second);
    assert.equal(offered.state.entries.length, 0);
    bench.sessions.moveToEditor(second, "editor:2");
    assert.equal(bench.open.selected("view"), offered, "the view stays if it shows another session");
  });

  it("end when they are closed, and the surface shows the one that was shown before", async () => {
    const first = await work("a long task");
    bench.sessions.start();
    const second = await work("another task");
    bench.sessions.close(second);
    assert.equal(bench.session, first);
    assert.equal(bench.agent.sessions.at(-1)?.cancels, 1);
    assert.equal(bench.agent.sessions[0]?.cancels, 0);
  });

  it("are restored by the next window: the one of the view, those of its tabs, and the others on demand", async () => {
    const ids: string[] = [];
    for (const text of ["first", "second", "third"]) {
      ids.push((await work(text)).id);
      bench.sessions.start();
    }
    bench.sessions.show(ids[1] ?? "");
    await bench.dispose();

    bench = new WindowBench(bench.files);
    await Promise.all([
      bench.sessions.restoreOrStart(),
      bench.sessions.restoreOrStart("editor:1", ids[0]),
      bench.sessions.restoreOrStart("editor:2", "unknown"),
    ]);
    assert.deepEqual(
      ["view", "editor:1", "editor:2"].map(surface => bench.open.selected(surface)?.id),
      [ids[1], ids[0], ids[1]],
    );
    assert.deepEqual(
      bench.sessions.unopened.map(({ id, title }) => [id, title]),
      [[ids[2], "third"]],
    );
    const [third] = bench.sessions.unopened;
    assert.ok(third);
    const opened = await Promise.all([bench.sessions.openStored(third), bench.sessions.openStored(third)]);
    assert.equal(opened[0], opened[1]);
    assert.equal(bench.session, opened[0]);
    assert.deepEqual(bench.sessions.unopened, []);
  });

  it("stay known to the window after the next one, which did not show them", async () => {
    const hidden = await work("first");
    bench.sessions.start();
    await work("second");
    for (let windows = 0; windows < 2; windows++) {
      await bench.dispose();
      bench = new WindowBench(bench.files);
      await bench.sessions.restoreOrStart();
    }
    assert.deepEqual(
      bench.sessions.unopened.map(({ id }) => id),
      [hidden.id],
    );
  });

  it("are restored from the file of a Parley that had one session", async () => {
    const { id } = await work("hello");
    await bench.dispose();
    for (const name of [...bench.files.keys()]) if (name.startsWith("window-")) bench.files.delete(name);
    bench.files.set("current.json", JSON.stringify({ id, agent: "stub", cwd: "/w" }));
    bench = new WindowBench(bench.files);
    await bench.sessions.restoreOrStart();
    assert.equal(bench.session?.id, id);
  });
});

describe("a session whose agent is no longer in the settings", () => {
  it("is read-only, a prompt explains what is possible, and continues once the agent is back", async () => {
    const opened = { type: "opened", agent: "gone", agentName: "Gone Agent", cwd: "/w" };
    const content = [{ type: "text", text: "an earlier prompt" }];
    const events = [opened, { type: "message", author: "user", messageId: "u", content }];
    const log = events.map((event, seq) => `${JSON.stringify({ seq, at: 1, event })}\n`).join("");
    const pointer = JSON.stringify({ id: "last", agent: "gone", cwd: "/w" });
    const files = { "current.json": pointer, "last.jsonl": log };
    const bench = new WindowBench(new Map(Object.entries(files)));
    try {
      await bench.sessions.restoreOrStart();
      assert.equal(bench.view().head.title, "an earlier prompt");
      assert.equal(bench.view().head.isReadOnly, true);
      send(bench.session, "go on");
      await until(() => bench.state.lost !== null);
      assert.match(bench.state.lost?.message ?? "", /^Gone Agent is no longer in your settings/);
      assert.equal(bench.remote, undefined);
      bench.agents = [...bench.agents, { ...(bench.agents[0] as AgentDefinition), id: "gone", name: "Gone Agent" }];
      assert.equal(bench.view().head.isReadOnly, false);
    } finally {
      await bench.dispose();
    }
  });
});

describe("a session that cannot be restored", () => {
  const pointer = JSON.stringify({ id: "last", agent: "stub", cwd: "/w" });
  const broken: readonly (readonly [string, Readonly<Record<string, string>>, RegExp])[] = [
    [
      "because its log has no readable line",
      { "current.json": pointer, "last.jsonl": "\n{]\n" },
      /^last\.jsonl: It contains nothing/,
    ],
    ["because the file that names it is damaged", { "current.json": pointer.slice(1) }, /^current\.json: /],
  ];
  for (const [why, files, failure] of broken) {
    it(`is reported and stays the one to restore until the next one has a prompt, ${why}`, async () => {
      const bench = new WindowBench(new Map(Object.entries(files)));
      try {
        await bench.sessions.restoreOrStart();
        assert.equal(bench.restoreFailures.length, 1);
        assert.match(bench.restoreFailures[0] ?? "", failure);
        const { session } = bench;
        assert.ok(session, "another session was started");
        await until(() => bench.remote !== undefined);
        assert.equal(bench.files.get("current.json"), files["current.json"]);
        send(session, "go on");
        const records = (): string =>
          [...bench.files].map(([name, text]) => (/^window-/.test(name) ? text : "")).join("");
        await until(() => records().includes(session.id) && !bench.files.has("current.json"));
      } finally {
        await bench.dispose();
      }
    });
  }
});
