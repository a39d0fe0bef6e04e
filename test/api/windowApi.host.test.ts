// The API as another extension uses it: consent, sessions, prompts, events and ends, with the sessions of a window and a stub agent.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { ApiHost, WindowApi } from "../../src/api/vscode/apiModule.ts";
import type { ParleyApi, ParleySession, ParleyTurn } from "../../src/api/vscode/parleyApi.ts";
import { createWindowApi } from "../../src/api/vscode/windowApi.ts";
import type { PromptDraft } from "../../src/mentions/promptDraft.ts";
import type { PanelMessage } from "../../src/panel/protocol.ts";
import type { SessionOption } from "../../src/session/events.ts";
import { until } from "../support/fakes/until.ts";
import { WindowBench } from "../support/host/windowBench.ts";

/** The extension with tools that the host tests install. */
const callerId = "parley-test.notes";
const caller = (): vscode.Extension<unknown> => {
  const found = vscode.extensions.getExtension(callerId);
  assert.ok(found, "The extension of the tests is not installed.");
  return found;
};

/** Replaces a function of VS Code's window, which shows dialogs, until the test ends. */
const replaced: (() => void)[] = [];
function replaceInWindow(name: "showWarningMessage" | "showInformationMessage" | "showQuickPick", by: unknown): void {
  const before = Object.getOwnPropertyDescriptor(vscode.window, name);
  assert.ok(before);
  Object.defineProperty(vscode.window, name, { value: by, configurable: true });
  replaced.push(() => Object.defineProperty(vscode.window, name, before));
}

const mode: SessionOption = {
  type: "select",
  id: "mode",
  name: "Mode",
  category: "mode",
  value: "ask",
  choices: [
    { value: "ask", name: "Ask" },
    { value: "plan", name: "Plan" },
    { value: "bypassPermissions", name: "Bypass permissions" },
  ],
} as SessionOption;

describe("the API for other extensions", () => {
  let bench: WindowBench;
  let window: WindowApi;
  let questions: string[];
  /** What the user answers to the question about the consent. */
  let answer: () => Promise<string | undefined>;
  let refusal: (paths: number) => Promise<string | undefined>;
  let shown: PanelMessage[];
  let draft: PromptDraft | undefined;
  let sent: PromptDraft[];

  beforeEach(() => {
    bench = new WindowBench();
    bench.agent.options = [mode];
    questions = [];
    answer = () => Promise.resolve("Allow");
    refusal = () => Promise.resolve(undefined);
    shown = [];
    sent = [];
    draft = undefined;
    replaceInWindow("showWarningMessage", (text: string, options: unknown) => {
      questions.push(text);
      return typeof options === "object" ? answer() : Promise.resolve(undefined);
    });
    const state = new Map<string, unknown>();
    const globalState = {
      get: (key: string) => state.get(key),
      update: (key: string, value: unknown) => Promise.resolve(void state.set(key, value)),
    };
    const host = {
      context: { globalState, extension: { id: "parley.parley" } },
      registry: bench.sessions,
      agents: bench.windowAgents,
      folders: { usual: () => vscode.workspace.workspaceFolders?.[0]?.uri.fsPath },
      chat: {
        reveal: (message: PanelMessage) => Promise.resolve(void shown.push(message)),
        focus: () => Promise.resolve(),
      },
      prompts: {
        read: () => Promise.resolve(draft),
        refusalOf: (attachments: readonly unknown[]) => refusal(attachments.length),
        contentOf: (one: PromptDraft) => {
          sent.push(one);
          return Promise.resolve({ content: [{ type: "text", text: one.text }] });
        },
      },
      secrets: { hide: (text: string) => text, unfinished: () => 0 },
      show: () => Promise.resolve(),
    };
    window = createWindowApi(host as unknown as ApiHost);
  });
  afterEach(async () => {
    window.dispose();
    for (const restore of replaced.splice(0).reverse()) restore();
    await bench.dispose();
  });

  const connect = (): Promise<ParleyApi> => window.connect(caller());
  const opened = async (): Promise<ParleySession> => (await connect()).openSession();
  const say = (text: string): void => {
    const messageId = `a${bench.remote?.prompts.length}`;
    bench.remote?.report({ type: "messageChunk", author: "agent", messageId, content: { type: "text", text } });
  };
  /** The agent answers, and ends the turn. */
  const end = (): void => {
    say("Done.");
    bench.remote?.end();
  };
  /** Sends the prompt, and waits until the agent has it. */
  const prompting = async (session: ParleySession, text: string): Promise<{ readonly turn: Promise<ParleyTurn> }> => {
    const turn = session.prompt(text);
    turn.catch(() => undefined);
    await until(() => bench.prompts.flat().includes(text));
    return { turn };
  };

  describe("asks the user", () => {
    it("once for each extension, also if it calls twice at once", async () => {
      const [first, second] = await Promise.all([connect(), connect()]);
      assert.equal(first, second);
      assert.equal(await connect(), first);
      assert.deepEqual(questions, ["Allow the extension “Test Notes” to use your agents?"]);
      first.dispose();
      assert.notEqual(await connect(), first);
      assert.equal(questions.length, 1);
    });

    it("and not again after a refusal", async () => {
      answer = () => Promise.resolve(undefined);
      await assert.rejects(connect(), /The user does not allow “Test Notes” to use Parley/);
      await assert.rejects(connect(), /The user does not allow/);
      assert.equal(questions.length, 1);
    });

    it("never about what is no installed extension that could call", async () => {
      const throwing = {
        get id(): string {
          throw new Error("Surprise.");
        },
      };
      for (const fake of [undefined, null, 1, "parley-test.notes", {}, { id: 1 }, { id: "" }, throwing])
        await assert.rejects(window.connect(fake), /Pass the extension of your own context/);
      for (const id of ["nobody.nothing", "vscode.git", "PARLEY.parley", "x".repeat(100_000)])
        await assert.rejects(window.connect({ id }), /is not an extension that can use Parley/, id);
      assert.deepEqual(questions, []);
    });

    it("and takes the name from VS Code, never from the caller", async () => {
      await window.connect({ id: "Parley-Test.Notes", packageJSON: { displayName: "Your Bank" } });
      assert.deepEqual(questions, ["Allow the extension “Test Notes” to use your agents?"]);
    });

    it("never in an untrusted workspace", async () => {
      const trusted = Object.getOwnPropertyDescriptor(vscode.workspace, "isTrusted");
      assert.ok(trusted);
      Object.defineProperty(vscode.workspace, "isTrusted", { get: () => false, configurable: true });
      try {
        await assert.rejects(connect(), /only in a trusted workspace/);
      } finally {
        Object.defineProperty(vscode.workspace, "isTrusted", trusted);
      }
      assert.deepEqual(questions, []);
    });

    it("and settles when the window closes meanwhile", async () => {
      answer = () => new Promise(() => {});
      const connecting = connect();
      await until(() => questions.length === 1);
      window.dispose();
      await assert.rejects(connecting, /The window is closing/);
      await assert.rejects(connect(), /The window is closing/);
    });
  });

  describe("opens sessions", () => {
    it("with the agents of the user, in a folder of the window, and with a mode", async () => {
      const api = await connect();
      assert.deepEqual(api.agents, [
        { id: "stub", name: "Stub" },
        { id: "other", name: "Other" },
      ]);
      const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
      assert.ok(folder);
      const session = await api.openSession({ agent: "other", folder, mode: "plan" });
      assert.deepEqual(
        [session.agent, session.folder.fsPath, session.state],
        [{ id: "other", name: "Other" }, folder.fsPath, "idle"],
      );
      assert.deepEqual(session.modes, [
        { id: "ask", name: "Ask" },
        { id: "plan", name: "Plan" },
      ]);
      assert.deepEqual(bench.remote?.requests, ["mode = plan"]);
      // The user's own next session is as before.
      assert.equal(bench.windowAgents.of(undefined)?.id, "stub");
      assert.deepEqual(bench.signIn.lastChoices.of("other"), {});
      assert.ok(bench.open.get(session.id), "the list of sessions shows it");
      assert.deepEqual(bench.open.surfacesOf(bench.open.get(session.id)!), []);
    });

    it("and refuses what is not there with a sentence, and leaves no session", async () => {
      const api = await connect();
      const folder = vscode.Uri.file("/etc");
      await assert.rejects(api.openSession({ folder }), /“\/etc” is no folder of this window/);
      const remote = vscode.Uri.parse("vscode-vfs://github/a/b");
      await assert.rejects(api.openSession({ folder: remote }), /is no folder of this window/);
      await assert.rejects(api.openSession({ agent: "x" }), /There is no agent “x”. The agents are: stub, other/);
      await assert.rejects(api.openSession({ mode: "x" }), /Stub has no mode “x”. Its modes are: ask, plan/);
      const bypass = /lets Stub act without asking. Only the user can choose it/;
      await assert.rejects(api.openSession({ mode: "bypassPermissions" }), bypass);
      for (const wrong of [{ folder: "/w" }, { agent: 1 }, { mode: {} }])
        await assert.rejects(api.openSession(wrong as object), /Pass the folder as a Uri/);
      assert.deepEqual(bench.open.sessions, []);
    });

    it("at most ten at once, also if they are opened at once", async () => {
      const api = await connect();
      const results = await Promise.allSettled(Array.from({ length: 12 }, () => api.openSession()));
      const failed = results.filter(({ status }) => status === "rejected");
      assert.equal(failed.length, 2);
      assert.match(String((failed[0] as PromiseRejectedResult).reason), /has 10 open sessions already/);
      const [first] = results;
      assert.ok(first?.status === "fulfilled");
      first.value.dispose();
      await api.openSession();
    });

    it("and stops opening when it is cancelled, disposed or withdrawn", async () => {
      const api = await connect();
      let release = (): void => {};
      bench.agent.ready = new Promise(resolve => (release = resolve));
      const source = new vscode.CancellationTokenSource();
      const cancelled = api.openSession({}, source.token);
      const ended = api.openSession();
      ended.catch(() => undefined);
      source.cancel();
      await assert.rejects(cancelled, /Opening the session was cancelled/);
      api.dispose();
      await assert.rejects(ended, /The connection to Parley was disposed/);
      release();
      assert.deepEqual(bench.open.sessions, []);
      assert.throws(() => api.agents, /The connection to Parley was disposed/);
      await assert.rejects(api.openSession(), /The connection to Parley was disposed/);
    });
  });

  describe("sends prompts", () => {
    it("with their context, reports what happens, and resolves at the end of the turn", async () => {
      const session = await opened();
      const events: string[] = [];
      session.onDidChangeState(state => events.push(state));
      session.onDidReceiveText(({ text }) => events.push(`+ ${text}`));
      session.onDidChangeToolCall(({ title, status }) => events.push(`${title}: ${status}`));
      session.onDidEndTurn(({ stopReason }) => events.push(stopReason));
      const uri = vscode.Uri.file("/w/a.js");
      const range = new vscode.Range(2, 0, 4, 0);
      const turn = session.prompt({
        text: "go",
        context: [
          { type: "file", uri },
          { type: "selection", uri, range },
          { type: "text", label: "log", text: "It failed." },
        ],
      });
      await until(() => bench.prompts.flat().includes("go"));
      bench.remote?.report({ type: "tool", toolCallId: "t", patch: { title: "Look", status: "in_progress" } });
      say("Hel");
      say("lo.");
      bench.remote?.end();
      assert.deepEqual(await turn, { stopReason: "end_turn", text: "Hello." });
      await until(() => events.at(-1) === "idle");
      assert.deepEqual(
        sent[0]?.attachments.map(({ kind, label, source }) => [kind, label, { ...source }]),
        [
          ["file", "a.js", { type: "path", path: uri.fsPath }],
          ["selection", "a.js:3-4", { type: "path", path: uri.fsPath, line: 3, endLine: 4 }],
          ["text", "log", { type: "text", text: "It failed." }],
        ],
      );
      assert.deepEqual(events, ["working", "Look: running", "+ Hel", "+ lo.", "Look: cancelled", "end_turn", "idle"]);
    });

    it("after a notice in the conversation that names the extension, again after a message of the user", async () => {
      const session = await opened();
      const own = bench.open.get(session.id)!;
      const titles = (): readonly string[] =>
        [...own.state.entries].flatMap(entry => (entry.kind === "notice" ? [entry.title] : []));
      for (const text of ["one", "two"]) {
        const { turn } = await prompting(session, text);
        end();
        await turn;
      }
      const notice = "The extension “Test Notes” (parley-test.notes) sends messages here.";
      assert.deepEqual(titles(), [notice]);
      own.send([{ type: "text", text: "mine" }]);
      await until(() => bench.prompts.flat().includes("mine"));
      end();
      await prompting(session, "three");
      assert.deepEqual(titles(), [notice, notice]);
    });

    it("in the order of the calls, although the context of one takes longer", async () => {
      const session = await opened();
      let release = (): void => {};
      refusal = count =>
        count > 0 ? new Promise(resolve => (release = () => resolve(undefined))) : Promise.resolve(undefined);
      const first = session.prompt({ text: "first", context: [{ type: "text", label: "a", text: "b" }] });
      const second = session.prompt("second");
      await until(() => String(release) !== "() => { }");
      release();
      await until(() => bench.prompts.flat().includes("first"));
      end();
      await until(() => bench.prompts.flat().includes("second"));
      bench.remote?.end("refusal");
      assert.deepEqual(
        (await Promise.all([first, second])).map(({ stopReason }) => stopReason),
        ["end_turn", "refusal"],
      );
      assert.deepEqual(bench.prompts.flat(), ["first", "second"]);
    });

    it("and refuses hostile ones with a sentence", async () => {
      const session = await opened();
      const uri = vscode.Uri.file("/w/a.js");
      const cases: readonly (readonly [unknown, RegExp])[] = [
        [undefined, /A prompt is a text/],
        [{ text: 1 }, /A prompt is a text/],
        [{ text: "a", context: "b" }, /A prompt is a text/],
        ["  ", /The prompt is empty/],
        ["x".repeat(1_000_001), /too long: 1000001 characters, and the limit is 1000000/],
        [
          { text: "a", context: Array.from({ length: 101 }, () => ({ type: "file", uri })) },
          /too much context: 101 items/,
        ],
        [{ text: "a", context: [null] }, /items of the types file, selection and text/],
        [{ text: "a", context: [{ type: "file", uri: "/etc/passwd" }] }, /items of the types/],
        [{ text: "a", context: [{ type: "selection", uri, range: [1, 2] }] }, /items of the types/],
        [{ text: "a", context: [{ type: "file", uri: vscode.Uri.parse("https://a/b") }] }, /is not a file on disk/],
      ];
      for (const [prompt, reason] of cases) await assert.rejects(session.prompt(prompt as string), reason);
      refusal = () => Promise.resolve("You declined.");
      await assert.rejects(session.prompt({ text: "a", context: [{ type: "file", uri }] }), /You declined/);
      assert.deepEqual(bench.prompts.flat(), []);
    });

    it("at most ten at once", async () => {
      const session = await opened();
      const turns = Array.from({ length: 12 }, (_, at) => session.prompt(String(at)));
      for (const turn of turns) turn.catch(() => undefined);
      await assert.rejects(turns[10]!, /has 10 messages of this extension already/);
      await assert.rejects(turns[11]!, /has 10 messages/);
    });

    it("and neither sends nor releases anything while the user has put messages on hold", async () => {
      const session = await opened();
      const own = bench.open.get(session.id)!;
      await prompting(session, "go");
      own.send([{ type: "text", text: "mine" }]);
      for (const { id } of own.state.pendingPrompts) own.queue.hold(id);
      end();
      await assert.rejects(session.prompt("next"), /others in this session wait for the user/);
      assert.deepEqual(bench.prompts.flat(), ["go"]);
    });

    it("and stops its own turns only", async () => {
      const session = await opened();
      const own = bench.open.get(session.id)!;
      own.send([{ type: "text", text: "mine" }]);
      await until(() => bench.prompts.flat().includes("mine"));
      const waiting = session.prompt("waits");
      await until(() => own.state.pendingPrompts.length === 1);
      session.stop();
      assert.deepEqual(await waiting, { stopReason: "cancelled", text: "" });
      assert.equal(bench.remote?.cancels, 0);
      end();
      const source = new vscode.CancellationTokenSource();
      const turn = session.prompt("runs", source.token);
      await until(() => bench.prompts.flat().includes("runs"));
      source.cancel();
      assert.equal(bench.remote?.cancels, 1);
      bench.remote?.end("cancelled");
      assert.equal((await turn).stopReason, "cancelled");
      assert.deepEqual(await session.prompt("never", source.token), { stopReason: "cancelled", text: "" });
      assert.ok(!bench.prompts.flat().includes("never"));
    });

    it("from the listener of an event, and goes on if a listener throws", async () => {
      const session = await opened();
      let next: Promise<ParleyTurn> | undefined;
      session.onDidEndTurn(() => (next ??= session.prompt("next")));
      session.onDidEndTurn(() => {
        throw new Error("A fault of the other extension.");
      });
      const { turn } = await prompting(session, "go");
      end();
      await turn;
      await until(() => bench.prompts.flat().includes("next"));
      end();
      assert.equal((await next)?.stopReason, "end_turn");
    });
  });

  describe("ends", () => {
    it("with a closed session in the list, if nobody sees or uses it", async () => {
      const session = await opened();
      const states: string[] = [];
      session.onDidChangeState(state => states.push(state));
      const { turn } = await prompting(session, "go");
      session.dispose();
      session.dispose();
      await assert.rejects(turn, /The session was disposed/);
      await assert.rejects(session.prompt("more"), /The session was disposed/);
      await assert.rejects(session.show(), /The session was disposed/);
      session.stop();
      assert.deepEqual([session.state, session.problem], ["closed", "The session was disposed."]);
      assert.equal(states.at(-1), "closed");
      assert.equal(bench.remote?.cancels, 1);
      assert.equal(bench.open.get(session.id), undefined);
    });

    it("without closing a session that the user sees or uses", async () => {
      const session = await opened();
      bench.sessions.show(session.id, "view");
      session.dispose();
      assert.ok(bench.open.get(session.id));
      const other = await opened();
      bench.open.get(other.id)?.send([{ type: "text", text: "mine" }]);
      await until(() => bench.prompts.flat().includes("mine"));
      other.dispose();
      assert.ok(bench.open.get(other.id));
      assert.equal(bench.remote?.cancels, 0);
    });

    it("when the user closes the session", async () => {
      const session = await opened();
      const { turn } = await prompting(session, "go");
      bench.sessions.close(bench.open.get(session.id)!);
      await assert.rejects(turn, /The session was closed/);
      assert.equal(session.state, "closed");
    });

    it("when the user withdraws the access, with a sentence, and asks again never by itself", async () => {
      const api = await connect();
      const session = await api.openSession();
      const ends: string[] = [];
      api.onDidEnd(reason => ends.push(reason));
      const { turn } = await prompting(session, "go");
      let rows: readonly (vscode.QuickPickItem & { readonly detail?: string })[] = [];
      replaceInWindow("showQuickPick", (items: typeof rows) => {
        rows = items;
        return Promise.resolve([]);
      });
      await window.manage();
      const row = rows.map(({ label, description, detail, picked }) => ({ label, description, detail, picked }));
      assert.deepEqual(row, [{ label: "Test Notes", description: callerId, detail: "1 open session", picked: true }]);
      const reason = "The user does not allow this extension to use Parley any more.";
      await assert.rejects(turn, { message: reason });
      await assert.rejects(api.openSession(), { message: reason });
      assert.deepEqual([ends, session.state, session.problem], [[reason], "closed", reason]);
      assert.equal(bench.remote?.cancels, 1);
      await assert.rejects(connect(), /The user does not allow “Test Notes”/);
      assert.equal(questions.length, 1);
      // The user allows it again in the same list.
      replaceInWindow("showQuickPick", (items: typeof rows) => Promise.resolve(items));
      await window.manage();
      assert.ok(await connect());
      assert.equal(questions.length, 1);
    });

    it("when the window closes, and all promises settle", async () => {
      const session = await opened();
      const { turn } = await prompting(session, "go");
      refusal = () => new Promise(() => {});
      const asking = session.prompt("asks");
      window.dispose();
      await assert.rejects(turn, /The window is closing/);
      await assert.rejects(asking, /The window is closing/);
    });
  });

  describe("fills the message box", () => {
    const link = (query: string, path = "/prompt"): Promise<void> =>
      window.openLink(vscode.Uri.from({ scheme: "vscode", authority: "parley.parley", path, query }));
    const filled = { text: "Explain a & b", attachments: [], below: true };

    it("from a link, and sends nothing", async () => {
      await link("text=Explain a & b");
      const note = "A link filled the message box. Read the message before you send it.";
      assert.deepEqual(shown, [{ type: "draft", ...filled, note }]);
      assert.deepEqual(bench.prompts.flat(), []);
      assert.ok(bench.session, "a session is shown");
    });

    it("below a draft only if the user wants it", async () => {
      draft = { text: "mine", attachments: [] };
      let pressed: string | undefined;
      const asked: string[] = [];
      replaceInWindow("showInformationMessage", (text: string) => {
        asked.push(text);
        return Promise.resolve(pressed);
      });
      await link("text=Explain a & b");
      pressed = "Discard New Text";
      await link("text=Explain a & b");
      assert.deepEqual(shown, []);
      pressed = "Add Below";
      await link("text=Explain a & b");
      assert.equal(shown.length, 1);
      assert.deepEqual(
        [...new Set(asked)],
        ["The message box has a draft, which stays. Add this text below it? “Explain a & b”"],
      );
      // The user has gone on to another session while the question was open.
      replaceInWindow("showInformationMessage", () => {
        bench.sessions.start();
        return Promise.resolve(pressed);
      });
      await link("text=Explain a & b");
      assert.equal(shown.length, 1);
      assert.deepEqual(questions, ["The text was not added, because the chat shows another session now."]);
    });

    it("in a session of the folder that the link names", async () => {
      const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
      await link(`folder=${folder}&text=x`);
      assert.equal(bench.state.workspaceFolder, folder);
      await link("folder=/etc&text=x");
      await link("text=");
      await link("text=x", "/send");
      assert.deepEqual(questions, [
        "“/etc” is no folder of this window. Open it first.",
        "There is no text for the message box.",
        "Parley does not know this link. Links that fill the message box have the path /prompt.",
      ]);
      assert.equal(shown.length, 1);
    });

    it("of a new session with the agent, the folder and the text of a command", async () => {
      await window.startSession({ agent: "other", text: "Explain a & b" });
      assert.equal(bench.state.agent?.id, "other");
      const note = "A command filled the message box. Read the message before you send it.";
      assert.deepEqual(shown, [{ type: "draft", ...filled, note }]);
      await assert.rejects(window.startSession({ agent: "x" }), /There is no agent “x”/);
      await assert.rejects(window.startSession({ folder: "/etc" }), /is no folder of this window/);
      await assert.rejects(window.startSession({ text: 1 }), /The argument “text” cannot be used/);
      await assert.rejects(window.startSession({ agent: "stub", send: "yes" }), /The argument “send” cannot be used/);
      await assert.rejects(window.startSession({ text: "x".repeat(10_001) }), /the limit is 10000/);
    });
  });
});
