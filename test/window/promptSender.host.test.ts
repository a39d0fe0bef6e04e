// Which session receives a prompt while sessions are restored, started and ended, and what happens to intents about a
// session that has ended.
import assert from "node:assert/strict";
import { nullLog } from "../../src/base/log.ts";
import { nodePaths } from "../../src/files/nodePaths.ts";
import { EditorDocuments } from "../../src/files/vscode/editorDocuments.ts";
import { Attachments } from "../../src/mentions/vscode/attachments.ts";
import type { SessionRegistry } from "../../src/library/sessionRegistry.ts";
import type { ContentBlock } from "../../src/session/events.ts";
import { emptySession } from "../../src/session/state.ts";
import type { Attachment } from "../../src/panel/protocol.ts";
import type { IntentHandlers, IntentType } from "../../src/panel/intentHandlers.ts";
import type { PanelAction } from "../../src/panel/replyTarget.ts";
import { intentRunner } from "../../src/window/intentRunner.ts";
import { PromptSender, type PromptSenderOptions } from "../../src/window/promptSender.ts";
import { until } from "../support/fakes/until.ts";
import { FakePanel, WindowBench } from "../support/host/windowBench.ts";

const hello: Attachment = { id: "1", kind: "selection", label: "a", source: { type: "text", text: "hello" } };

/** What goes of the active file. */
const nothing: PromptSenderOptions["activeFile"] = { content: () => Promise.resolve({ links: [], attachments: [] }) };
const activeFile: PromptSenderOptions["activeFile"] = {
  content: () =>
    Promise.resolve({ links: [{ type: "link", uri: "file:///w/sum.js", name: "sum.js" }], attachments: [] }),
};
const noProblems: PromptSenderOptions["newProblems"] = { content: () => Promise.resolve([]) };

describe("a prompt", () => {
  let bench: WindowBench;
  let panel: FakePanel;
  let sender: PromptSender;

  const open = (files?: ReadonlyMap<string, string>): void => {
    bench = new WindowBench(files);
    panel = new FakePanel();
    const documents = new EditorDocuments(nodePaths());
    const attaching = new Attachments({
      documents,
      roots: () => [],
      sensitive: () => [],
      accepts: () => null,
      agentName: () => "Stub",
    });
    sender = new PromptSender({
      registry: bench.sessions,
      documents,
      attaching,
      activeFile: nothing,
      newProblems: noProblems,
    });
  };
  const shownId = (): string => {
    const { session } = bench;
    assert.ok(session, "a session is shown");
    return session.id;
  };

  beforeEach(() => open());
  afterEach(() => bench.dispose());

  it("that is sent while the last session is being restored goes to that session", async () => {
    await bench.sessions.restoreOrStart();
    const id = shownId();
    await sender.send({ type: "send", text: "before the reload", session: id }, panel);
    await until(() => bench.prompts.flat().length === 1);
    await bench.dispose();

    open(bench.files);
    let resolve = (): void => {};
    bench.readable = new Promise(done => (resolve = done));
    const restored = bench.sessions.restoreOrStart();
    const sent = sender.send({ type: "send", text: "after the reload" }, panel);
    assert.equal(bench.session, undefined, "nothing starts while the last session is being restored");
    resolve();
    await Promise.all([restored, sent]);
    assert.equal(shownId(), id);
    await until(() => bench.prompts.flat().includes("after the reload"));
    assert.deepEqual(panel.messages, []);
  });

  it("starts the first session of a window", async () => {
    await sender.send({ type: "send", text: "first" }, panel);
    await until(() => bench.prompts.flat().includes("first"));
    assert.deepEqual(panel.messages, []);
  });

  it("goes with the link to the active file and the new problems, but for an agent that works and with a command, and not twice", async () => {
    const sent: (readonly ContentBlock[])[] = [];
    const at = (state: "idle" | "running"): PromptSender => {
      const session = {
        id: "s",
        state: {
          ...emptySession,
          commands: [{ name: "compact", description: "" }],
          activity: { ...emptySession.activity, state },
        },
        send: (content: readonly ContentBlock[]) => void sent.push(content),
      };
      const registry = { open: { get: () => session, selected: () => session } } as unknown as SessionRegistry;
      const documents = { stat: () => Promise.resolve({ kind: "folder", size: 0 }) };
      const attaching = { declinedPaths: () => Promise.resolve([]) };
      const newProblems = {
        content: () =>
          Promise.resolve([
            { id: "p", kind: "problems", label: "1 new problem", source: { type: "text", text: "Written: …" } },
          ]),
      };
      const given = { registry, documents, attaching, activeFile, newProblems };
      return new PromptSender(given as unknown as PromptSenderOptions);
    };
    await at("idle").send({ type: "send", session: "s", text: "look" }, panel);
    await at("running").send({ type: "send", session: "s", text: "not so" }, panel);
    await at("idle").send({ type: "send", session: "s", text: "/compact now" }, panel);
    const source = { type: "path", path: "/w/sum.js" } as const;
    const attachments = [{ id: "1", kind: "folder", label: "sum.js", source } as const];
    await at("idle").send({ type: "send", session: "s", text: "again", attachments }, panel);
    const text = "Written: …\nFix these problems.\n";
    const fixed = [{ id: "2", kind: "problems", label: "1 new problem", source: { type: "text", text } } as const];
    await at("idle").send({ type: "send", session: "s", text: "fix", attachments: fixed }, panel);
    assert.deepEqual(
      sent.map(content => content.map(({ type }) => type)),
      [["text", "resource", "link"], ["text"], ["text"], ["text", "link", "resource"], ["text", "resource", "link"]],
    );
    assert.deepEqual(sent[0]?.at(-1), { type: "link", uri: "file:///w/sum.js", name: "sum.js" });
  });

  it("returns to the composer with its attachments if the panel shows another session meanwhile", async () => {
    await bench.sessions.restoreOrStart();
    const session = shownId();
    bench.sessions.start();
    await sender.send({ type: "send", text: "for the old session", attachments: [hello], session }, panel);
    await sender.send({ type: "send", text: "plain", session }, panel);
    assert.deepEqual(
      panel.unsent.map(({ text, attachments }) => [text, attachments]),
      [
        ["for the old session", [hello]],
        ["plain", []],
      ],
    );
    assert.match(panel.unsent[0]?.reason ?? "", /because the chat shows another session now/);
    assert.deepEqual(bench.prompts.flat(), []);
    await sender.send({ type: "send", text: "again", session: shownId() }, panel);
    await until(() => bench.prompts.flat().includes("again"));
  });

  it("returns to the composer if no session can be started", async () => {
    bench.agents = [];
    await sender.send({ type: "send", text: "hello" }, panel);
    assert.equal(panel.unsent[0]?.text, "hello");
    assert.match(panel.unsent[0].reason, /no session could be started/);
  });
});

describe("an intent about a session that has ended", () => {
  const run = async (
    intents: readonly PanelAction[],
  ): Promise<{ handled: string[]; panel: FakePanel; log: string[] }> => {
    const handled: string[] = [];
    const log: string[] = [];

    const panel = new FakePanel();
    const options = {
      isOpen: (id: string) => id === "new",
      log: { ...nullLog, info: (line: string) => void log.push(line) },
    };
    const handlers = Object.fromEntries(intents.map(({ type }) => [type, () => void handled.push(type)]));
    const runner = intentRunner([handlers as unknown as IntentHandlers<IntentType>], options);
    for (const intent of intents) await runner(intent, panel);
    return { handled, panel, log };
  };

  it("does not reach its handler and is logged", async () => {
    const { handled, panel, log } = await run([
      { type: "stop", session: "old" },
      { type: "answer", question: "q", option: "y", session: "old" },
      { type: "newSession", session: "old" },
      { type: "rename", title: "t", session: "old" },
    ]);
    assert.deepEqual(handled, []);
    assert.deepEqual(panel.messages, []);
    assert.equal(log.length, 4);
    assert.match(log[0] ?? "", /"stop" because its session has ended/);
  });

  it("gives the text of an edited prompt back, and ends a search", async () => {
    const { panel } = await run([
      { type: "editQueued", prompt: "s", text: "edited", session: "old" },
      { type: "find", request: 3, query: "x", matchCase: false, wholeWord: false, regex: false, session: "old" },
    ]);
    assert.equal(panel.unsent[0]?.text, "edited");
    assert.deepEqual(panel.messages[1], { type: "found", request: 3, total: 0, hits: [] });
  });

  it("is run if it names an open session, or if it is about none", async () => {
    const { handled } = await run([
      { type: "stop", session: "new" },
      { type: "newSession" },
      { type: "copy", text: "x" },
    ]);
    assert.deepEqual(handled, ["stop", "newSession", "copy"]);
  });
});
