// Replacing the session of the window: what the user is asked, and what then happens.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { confirmEnd } from "../../src/window/confirmEnd.ts";
import { until } from "../support/fakes/until.ts";
import { WindowBench } from "../support/host/windowBench.ts";

describe("the session of a window", () => {
  let bench: WindowBench;
  let asked: string[];
  let answer: string | undefined;
  const showWarningMessage = vscode.window.showWarningMessage;

  beforeEach(async () => {
    bench = new WindowBench();
    bench.confirm = () => confirmEnd(bench.current.state);
    asked = [];
    answer = undefined;
    const stub = (message: string, _options: vscode.MessageOptions): Promise<string | undefined> => {
      asked.push(message);
      return Promise.resolve(answer);
    };
    Object.assign(vscode.window, { showWarningMessage: stub });
    await bench.current.restoreOrStart();
  });
  afterEach(async () => {
    Object.assign(vscode.window, { showWarningMessage });
    await bench.dispose();
  });

  const send = (text: string): void => bench.current.session?.send([{ type: "text", text }]);

  it("is replaced without a question while no turn runs", async () => {
    const before = bench.current.session;
    assert.equal(await bench.current.replace("other"), true);
    assert.notEqual(bench.current.session, before);
    assert.equal(bench.current.state.agent?.id, "other");
    assert.deepEqual(asked, []);
  });

  it("ends a running turn only if the user confirms it", async () => {
    const before = bench.current.session;
    send("a long task");
    await until(() => bench.current.state.activity.state === "running");
    assert.equal(await bench.current.replace(), false);
    assert.equal(await bench.current.replace("other"), false);
    assert.equal(bench.current.session, before);
    assert.equal(bench.remote?.cancels, 0);
    assert.deepEqual(asked, ["Stub is still working in this session.", "Stub is still working in this session."]);
    answer = "Stop and Start New Session";
    assert.equal(await bench.current.replace(), true);
    assert.notEqual(bench.current.session, before);
    assert.equal(bench.agent.sessions[0]?.cancels, 1);
  });

  it("discards queued prompts only if the user confirms it", async () => {
    const before = bench.current.session;
    send("a long task");
    await until(() => bench.current.state.activity.state === "running");
    send("and then this");
    bench.current.session?.stop();
    bench.remote?.end("cancelled");
    await until(() => bench.current.state.activity.state === "idle");
    assert.equal(await bench.current.replace(), false);
    assert.equal(bench.current.session, before);
    assert.deepEqual(asked, ["This session has queued messages that Stub has not received."]);
    answer = "Discard and Start New Session";
    assert.equal(await bench.current.replace(), true);
  });

  it("is replaced once if the user is asked twice at the same time", async () => {
    send("a long task");
    await until(() => bench.current.state.activity.state === "running");
    answer = "Stop and Start New Session";
    assert.deepEqual(await Promise.all([bench.current.replace(), bench.current.replace()]), [true, false]);
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
        await bench.current.restoreOrStart();
        assert.equal(bench.restoreFailures.length, 1);
        assert.match(bench.restoreFailures[0] ?? "", failure);
        const { session } = bench.current;
        assert.ok(session, "another session was started");
        await until(() => bench.remote !== undefined);
        assert.equal(bench.files.get("current.json"), files["current.json"]);
        session.send([{ type: "text", text: "go on" }]);
        await until(() => bench.files.get("current.json")?.includes(session.id) === true);
      } finally {
        await bench.dispose();
      }
    });
  }
});
