// The API as another extension uses it: consent, sessions, prompts, events and ends, with the sessions of a window and a stub agent.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { Secret } from "../../src/base/secrets/secret.ts";
import type { ParleyTurn } from "../../src/api/vscode/parleyApi.ts";
import { until } from "../support/fakes/until.ts";
import { callerId, replaceInWindow, useApiBench } from "../support/host/apiBench.ts";

describe("the API for other extensions", () => {
  const at = useApiBench();

  describe("asks the user", () => {
    it("once for each extension, also if it calls twice at once", async () => {
      const [first, second] = await Promise.all([at.connect(), at.connect()]);
      assert.equal(first, second);
      assert.equal(await at.connect(), first);
      assert.deepEqual(at.questions, ["Allow the extension “Test Notes” to use your agents?"]);
      first.dispose();
      assert.notEqual(await at.connect(), first);
      assert.equal(at.questions.length, 1);
    });

    it("and not again after a refusal", async () => {
      at.answer = () => Promise.resolve(undefined);
      await assert.rejects(at.connect(), /The user does not allow “Test Notes” to use Parley/);
      await assert.rejects(at.connect(), /The user does not allow/);
      assert.equal(at.questions.length, 1);
    });

    it("never about what is no installed extension that could call", async () => {
      const throwing = {
        get id(): string {
          throw new Error("Surprise.");
        },
      };
      for (const fake of [undefined, null, 1, "parley-test.notes", {}, { id: 1 }, { id: "" }, throwing])
        await assert.rejects(at.window.connect(fake), /Pass the extension of your own context/);
      for (const id of ["nobody.nothing", "vscode.git", "PARLEY.parley", "x".repeat(100_000)])
        await assert.rejects(at.window.connect({ id }), /is not an extension that can use Parley/, id);
      assert.deepEqual(at.questions, []);
    });

    it("and takes the name from VS Code, never from the caller", async () => {
      await at.window.connect({ id: "Parley-Test.Notes", packageJSON: { displayName: "Your Bank" } });
      assert.deepEqual(at.questions, ["Allow the extension “Test Notes” to use your agents?"]);
    });

    it("never in an untrusted workspace", async () => {
      const trusted = Object.getOwnPropertyDescriptor(vscode.workspace, "isTrusted");
      assert.ok(trusted);
      Object.defineProperty(vscode.workspace, "isTrusted", { get: () => false, configurable: true });
      try {
        await assert.rejects(at.connect(), /only in a trusted workspace/);
      } finally {
        Object.defineProperty(vscode.workspace, "isTrusted", trusted);
      }
      assert.deepEqual(at.questions, []);
    });

    it("and settles when the window closes meanwhile", async () => {
      at.answer = () => new Promise(() => {});
      const connecting = at.connect();
      await until(() => at.questions.length === 1);
      at.window.dispose();
      await assert.rejects(connecting, /The window is closing/);
      await assert.rejects(at.connect(), /The window is closing/);
    });
  });

  describe("opens sessions", () => {
    it("with the agents of the user, in a folder of the window, and with a mode", async () => {
      const api = await at.connect();
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
      assert.deepEqual(at.bench.remote?.requests, ["mode = plan"]);
      // The user's own next session is as before.
      assert.equal(at.bench.windowAgents.of(undefined)?.id, "stub");
      assert.deepEqual(at.bench.signIn.lastChoices.of("other"), {});
      assert.ok(at.bench.open.get(session.id), "the list of sessions shows it");
      assert.deepEqual(at.bench.open.surfacesOf(at.bench.open.get(session.id)!), []);
    });

    it("and refuses what is not there with a sentence, and leaves no session", async () => {
      const api = await at.connect();
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
      assert.deepEqual(at.bench.open.sessions, []);
    });

    it("and refuses a token that is none, before it starts or sends anything", async () => {
      const api = await at.connect();
      for (const wrong of [{}, 1, { isCancellationRequested: false }]) {
        const token = wrong as vscode.CancellationToken;
        await assert.rejects(api.openSession({}, token), /Pass a CancellationToken of VS Code/);
      }
      assert.deepEqual(at.bench.open.sessions, []);
      const session = await api.openSession();
      await assert.rejects(session.prompt("go", {} as vscode.CancellationToken), /Pass a CancellationToken/);
      assert.deepEqual(at.bench.prompts.flat(), []);
    });

    it("at most ten at once, also if they are opened at once", async () => {
      const api = await at.connect();
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
      const api = await at.connect();
      let release = (): void => {};
      at.bench.agent.ready = new Promise(resolve => (release = resolve));
      const source = new vscode.CancellationTokenSource();
      const cancelled = api.openSession({}, source.token);
      const ended = api.openSession();
      ended.catch(() => undefined);
      source.cancel();
      await assert.rejects(cancelled, /Opening the session was cancelled/);
      api.dispose();
      await assert.rejects(ended, /The connection to Parley was disposed/);
      release();
      assert.deepEqual(at.bench.open.sessions, []);
      assert.throws(() => api.agents, /The connection to Parley was disposed/);
      await assert.rejects(api.openSession(), /The connection to Parley was disposed/);
    });
  });

  describe("sends prompts", () => {
    it("with their context, reports what happens, and resolves at the end of the turn", async () => {
      const session = await at.opened();
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
      await until(() => at.bench.prompts.flat().includes("go"));
      at.bench.remote?.report({ type: "tool", toolCallId: "t", patch: { title: "Look", status: "in_progress" } });
      at.say("Hel");
      at.say("lo.");
      at.bench.remote?.end();
      assert.deepEqual(await turn, { stopReason: "end_turn", text: "Hello." });
      await until(() => events.at(-1) === "idle");
      assert.deepEqual(
        at.sent[0]?.attachments.map(({ kind, label, source }) => [kind, label, { ...source }]),
        [
          ["file", "a.js", { type: "path", path: uri.fsPath }],
          ["selection", "a.js:3-4", { type: "path", path: uri.fsPath, line: 3, endLine: 4 }],
          ["text", "log", { type: "text", text: "It failed." }],
        ],
      );
      assert.deepEqual(events, ["working", "Look: running", "+ Hel", "+ lo.", "Look: cancelled", "end_turn", "idle"]);
    });

    it("after a notice in the conversation that names the extension, again after a message of the user", async () => {
      const session = await at.opened();
      const own = at.bench.open.get(session.id)!;
      const titles = (): readonly string[] =>
        [...own.state.entries].flatMap(entry => (entry.kind === "notice" ? [entry.title] : []));
      for (const text of ["one", "two"]) {
        const { turn } = await at.prompting(session, text);
        at.end();
        await turn;
      }
      const notice = "The extension “Test Notes” (parley-test.notes) sends messages here.";
      assert.deepEqual(titles(), [notice]);
      own.send([{ type: "text", text: "mine" }]);
      await until(() => at.bench.prompts.flat().includes("mine"));
      at.end();
      await at.prompting(session, "three");
      assert.deepEqual(titles(), [notice, notice]);
    });

    it("in the order of the calls, although the context of one takes longer", async () => {
      const session = await at.opened();
      let release: (() => void) | undefined;
      at.refusal = count =>
        count > 0 ? new Promise(resolve => (release = () => resolve(undefined))) : Promise.resolve(undefined);
      const first = session.prompt({ text: "first", context: [{ type: "text", label: "a", text: "b" }] });
      const second = session.prompt("second");
      await until(() => release !== undefined);
      release?.();
      await until(() => at.bench.prompts.flat().includes("first"));
      at.end();
      await until(() => at.bench.prompts.flat().includes("second"));
      at.bench.remote?.end("refusal");
      assert.deepEqual(
        (await Promise.all([first, second])).map(({ stopReason }) => stopReason),
        ["end_turn", "refusal"],
      );
      assert.deepEqual(at.bench.prompts.flat(), ["first", "second"]);
    });

    it("and refuses hostile ones with a sentence", async () => {
      const session = await at.opened();
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
      at.refusal = () => Promise.resolve("You declined.");
      await assert.rejects(session.prompt({ text: "a", context: [{ type: "file", uri }] }), /You declined/);
      assert.deepEqual(at.bench.prompts.flat(), []);
    });

    it("at most ten at once", async () => {
      const session = await at.opened();
      const turns = Array.from({ length: 12 }, (_, at) => session.prompt(String(at)));
      for (const turn of turns) turn.catch(() => undefined);
      await assert.rejects(turns[10]!, /has 10 messages of this extension already/);
      await assert.rejects(turns[11]!, /has 10 messages/);
    });

    it("and neither sends nor releases anything while the user has put messages on hold", async () => {
      const session = await at.opened();
      const own = at.bench.open.get(session.id)!;
      await at.prompting(session, "go");
      own.send([{ type: "text", text: "mine" }]);
      for (const { id } of own.state.pendingPrompts) own.queue.hold(id);
      at.end();
      await assert.rejects(session.prompt("next"), /others in this session wait for the user/);
      assert.deepEqual(at.bench.prompts.flat(), ["go"]);
    });

    it("and stops its own turns only", async () => {
      const session = await at.opened();
      const own = at.bench.open.get(session.id)!;
      own.send([{ type: "text", text: "mine" }]);
      await until(() => at.bench.prompts.flat().includes("mine"));
      const waiting = session.prompt("waits");
      await until(() => own.state.pendingPrompts.length === 1);
      session.stop();
      assert.deepEqual(await waiting, { stopReason: "cancelled", text: "" });
      assert.equal(at.bench.remote?.cancels, 0);
      at.end();
      const source = new vscode.CancellationTokenSource();
      const turn = session.prompt("runs", source.token);
      await until(() => at.bench.prompts.flat().includes("runs"));
      source.cancel();
      assert.equal(at.bench.remote?.cancels, 1);
      at.bench.remote?.end("cancelled");
      assert.equal((await turn).stopReason, "cancelled");
      assert.deepEqual(await session.prompt("never", source.token), { stopReason: "cancelled", text: "" });
      assert.ok(!at.bench.prompts.flat().includes("never"));
    });

    it("and withdraws one that waits for a sign-in", async () => {
      const session = await at.opened();
      const own = at.bench.open.get(session.id)!;
      const problem = { message: "Sign in first.", next: [], signIn: [] } as const;
      const refuse = async (text: string): Promise<Promise<ParleyTurn>[]> => {
        const { turn } = await at.prompting(session, text);
        at.bench.remote?.report({ type: "activity", state: "idle", stopReason: "error", problem, unsent: true });
        await until(() => own.state.pendingPrompts.length === 1);
        return [turn];
      };
      const [stopped] = await refuse("go");
      session.stop();
      assert.deepEqual(await stopped, { stopReason: "cancelled", text: "" });
      assert.deepEqual(own.state.pendingPrompts, []);
      const [disposed] = await refuse("more");
      session.dispose();
      await assert.rejects(disposed!, /The session was disposed/);
      assert.equal(at.bench.open.get(session.id), undefined, "nobody uses it");
    });

    it("and lets the messages behind a stopped one go on", async () => {
      const session = await at.opened();
      const own = at.bench.open.get(session.id)!;
      const source = new vscode.CancellationTokenSource();
      const first = session.prompt("one", source.token);
      await until(() => at.bench.prompts.flat().includes("one"));
      own.send([{ type: "text", text: "mine" }]);
      const second = session.prompt("two");
      await until(() => own.state.pendingPrompts.length === 2);
      source.cancel();
      at.bench.remote?.end("cancelled");
      assert.equal((await first).stopReason, "cancelled");
      await until(() => at.bench.prompts.flat().includes("mine"));
      at.end();
      await until(() => at.bench.prompts.flat().includes("two"));
      at.end();
      assert.equal((await second).stopReason, "end_turn");
    });

    it("and stops one that is being prepared", async () => {
      const session = await at.opened();
      let release: (() => void) | undefined;
      at.refusal = count =>
        count > 0 ? new Promise(resolve => (release = () => resolve(undefined))) : Promise.resolve(undefined);
      const asking = session.prompt({ text: "asks", context: [{ type: "text", label: "a", text: "b" }] });
      const behind = session.prompt("behind");
      await until(() => release !== undefined);
      session.stop();
      const stopped = { stopReason: "cancelled", text: "" };
      assert.deepEqual(await Promise.all([asking, behind]), [stopped, stopped]);
      release?.();
      const { turn } = await at.prompting(session, "next");
      at.end();
      await turn;
      assert.deepEqual(at.bench.prompts.flat(), ["next"]);
    });

    it("and hides the secrets that Parley knows in texts and titles", async () => {
      const secret = new Secret("s3cr3t-of-the-api");
      const session = await at.opened();
      const titles: string[] = [];
      session.onDidChangeToolCall(({ title }) => titles.push(title));
      const { turn } = await at.prompting(session, `Use ${secret.unwrap()}`);
      const patch = { title: `Push ${secret.unwrap()}`, status: "completed" } as const;
      at.bench.remote?.report({ type: "tool", toolCallId: "t", patch });
      at.say(`I used ${secret.unwrap()}.`);
      at.bench.remote?.end();
      assert.equal((await turn).text, "I used •••.");
      assert.deepEqual([session.title, titles], ["Use •••", ["Push •••"]]);
    });

    it("from the listener of an event, and goes on if a listener throws", async () => {
      const session = await at.opened();
      let next: Promise<ParleyTurn> | undefined;
      session.onDidEndTurn(() => (next ??= session.prompt("next")));
      session.onDidEndTurn(() => {
        throw new Error("A fault of the other extension.");
      });
      const { turn } = await at.prompting(session, "go");
      at.end();
      await turn;
      await until(() => at.bench.prompts.flat().includes("next"));
      at.end();
      assert.equal((await next)?.stopReason, "end_turn");
    });
  });

  describe("ends", () => {
    it("with a closed session in the list, if nobody sees or uses it", async () => {
      const session = await at.opened();
      const states: string[] = [];
      session.onDidChangeState(state => states.push(state));
      const { turn } = await at.prompting(session, "go");
      session.dispose();
      session.dispose();
      assert.deepEqual(states.includes("closed"), false, "listeners run later");
      await assert.rejects(turn, /The session was disposed/);
      await assert.rejects(session.prompt("more"), /The session was disposed/);
      await assert.rejects(session.show(), /The session was disposed/);
      session.stop();
      assert.deepEqual([session.state, session.problem], ["closed", "The session was disposed."]);
      assert.equal(states.at(-1), "closed");
      assert.equal(at.bench.remote?.cancels, 1);
      assert.equal(at.bench.open.get(session.id), undefined);
    });

    it("without closing a session that the user sees or uses", async () => {
      const session = await at.opened();
      at.bench.sessions.show(session.id, "view");
      session.dispose();
      assert.ok(at.bench.open.get(session.id));
      const other = await at.opened();
      at.bench.open.get(other.id)?.send([{ type: "text", text: "mine" }]);
      await until(() => at.bench.prompts.flat().includes("mine"));
      other.dispose();
      assert.ok(at.bench.open.get(other.id));
      assert.equal(at.bench.remote?.cancels, 0);
    });

    it("when the user closes the session", async () => {
      const session = await at.opened();
      const { turn } = await at.prompting(session, "go");
      at.bench.sessions.close(at.bench.open.get(session.id)!);
      await assert.rejects(turn, /The session was closed/);
      assert.equal(session.state, "closed");
    });

    it("when the user withdraws the access, with a sentence, and asks again never by itself", async () => {
      const api = await at.connect();
      const session = await api.openSession();
      const ends: string[] = [];
      api.onDidEnd(reason => ends.push(reason));
      const { turn } = await at.prompting(session, "go");
      let rows: readonly (vscode.QuickPickItem & { readonly detail?: string })[] = [];
      replaceInWindow("showQuickPick", (items: typeof rows) => {
        rows = items;
        return Promise.resolve([]);
      });
      await at.window.manage();
      const row = rows.map(({ label, description, detail, picked }) => ({ label, description, detail, picked }));
      assert.deepEqual(row, [{ label: "Test Notes", description: callerId, detail: "1 open session", picked: true }]);
      const reason = "The user does not allow this extension to use Parley any more.";
      await assert.rejects(turn, { message: reason });
      await assert.rejects(api.openSession(), { message: reason });
      assert.deepEqual([ends, session.state, session.problem], [[reason], "closed", reason]);
      assert.equal(at.bench.remote?.cancels, 1);
      await assert.rejects(at.connect(), /The user does not allow “Test Notes”/);
      assert.equal(at.questions.length, 1);
      // The user allows it again in the same list.
      replaceInWindow("showQuickPick", (items: typeof rows) => Promise.resolve(items));
      await at.window.manage();
      assert.ok(await at.connect());
      assert.equal(at.questions.length, 1);
    });

    it("when the window closes, and all promises settle", async () => {
      const session = await at.opened();
      const { turn } = await at.prompting(session, "go");
      at.refusal = () => new Promise(() => {});
      const asking = session.prompt("asks");
      at.window.dispose();
      await assert.rejects(turn, /The window is closing/);
      await assert.rejects(asking, /The window is closing/);
    });
  });
});
