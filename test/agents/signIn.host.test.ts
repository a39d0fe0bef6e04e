// Signing in to agents that really run: each kind of method signed in, refused and cancelled, and nobody asked twice.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { storedKeyCommands } from "../../src/agents/vscode/createSignIn.ts";
import { AgentPool } from "../../src/agents/pool.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { openQuestions } from "../../src/session/state.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { until } from "../support/fakes/until.ts";
import { WindowBench } from "../support/host/windowBench.ts";

const project = vscode.extensions.getExtension("parley.parley")?.extensionPath ?? "";

const program = (name: string): string => join(project, "test", "support", "agents", name);
const programs = new Map([["sdk", [program("sdkSignIn.mjs")]]]);

describe("signing in to an agent", function () {
  let folder: string;
  let pool: AgentPool;
  let bench: WindowBench;
  let clock: FakeClock;

  /** Starts a session with the misbehaving agent, and waits until it asks for a sign-in or is ready. */
  async function start(behaviour: string): Promise<void> {
    folder = mkdtempSync(join(tmpdir(), "parley-sign-in-"));
    pool = new AgentPool(nullLog, systemClock, "0.0.0", join(folder, "agents"));
    clock = new FakeClock();
    bench = new WindowBench(new Map(), pool, clock);
    bench.agents = [
      {
        id: "bad",
        name: "Bad Agent",
        command: process.execPath,
        args: programs.get(behaviour) ?? [program("bad.mjs"), ...behaviour.split(" ")],
        env: {
          ELECTRON_RUN_AS_NODE: "1",
          BAD_SIGNED_IN: join(folder, "signed-in"),
          SIGNED_IN: join(folder, "signed-in"),
        },
        missingFiles: "error",
        startTimeout: 20,
      },
    ];
    bench.sessions.start("bad");
    await until(() => bench.state.lost !== null || isReady());
  }
  afterEach(async () => {
    await bench.dispose();
    await pool.dispose();
    rmSync(folder, { recursive: true, force: true });
  });
  const isReady = (): boolean => bench.state.connection?.state === "ready";
  const offered = (): readonly string[] | undefined => bench.state.lost?.signIn?.map(({ name }) => name);
  const signingIn = (): object | undefined => bench.view().head.problem?.signingIn;
  const sent = (method: string): number =>
    (pool.tap("bad")?.records ?? []).filter(({ msg }) => (msg as { method?: string } | undefined)?.method === method)
      .length;

  /** Types in the terminal of the sign-in until it has ended. */
  async function typing(keys: string, done: Promise<void>): Promise<void> {
    let hasEnded = false;
    const end = (): void => void (hasEnded = true);
    void done.then(end, end);
    await until(() => {
      if (!hasEnded) signInTerminal()?.sendText(keys, false);
      return hasEnded;
    });
    await done;
  }
  const leaving = (done: Promise<void>): Promise<void> => typing("\r", done);
  const signInTerminal = (): vscode.Terminal | undefined =>
    vscode.window.terminals.find(({ name }) => name === "Sign In: Bad Agent");

  it("by the agent itself opens the session again, once", async () => {
    await start("auth-required");
    assert.deepEqual(offered(), ["Log in", "Log in at the terminal", "Use a key"]);
    await bench.signInBy("login");
    assert.ok(isReady());
    assert.deepEqual([sent("authenticate"), sent("session/new")], [1, 2]);
    assert.equal(bench.view().head.problem, null);
    assert.equal(signingIn(), undefined);
  });

  it("by the agent itself shows the agent's words when it refuses, and offers every way again", async () => {
    await start("auth-nobody");
    await assert.rejects(bench.signInBy("denied"), /Bad Agent did not sign you in: The account is closed\./);
    assert.deepEqual(offered(), ["login", "denied"]);
    assert.equal(sent("session/new"), 1);
  });

  it("that signs nobody in ends with an error in the agent's words, not in a loop", async () => {
    await start("auth-nobody");
    await bench.signInBy("login");
    const { lost } = bench.state;
    assert.equal(lost?.message, "Bad Agent still refuses after you signed in: No seat is left");
    assert.equal(lost.signIn, undefined);
    assert.equal(sent("session/new"), 2);
  });

  it("that the agent never answers can be cancelled, which restarts it, and is late after two minutes", async () => {
    await start("auth-silent");
    const done = bench.signInBy("login");
    await until(() => sent("authenticate") === 1);
    assert.deepEqual(signingIn(), { name: "Log in" });
    clock.advance(119_000);
    assert.deepEqual(signingIn(), { name: "Log in" });
    clock.advance(1_000);
    assert.deepEqual(signingIn(), { name: "Log in", late: true });
    bench.cancelSignIn();
    await done;
    assert.deepEqual(offered(), ["Log in"]);
    assert.equal(sent("authenticate"), 0, "it is another process");
    assert.equal(signingIn(), undefined);
  });

  for (const behaviour of ["auth-crash", "auth-crash flood"]) {
    it(`that ends the agent says so, and works again with the next process: ${behaviour}`, async () => {
      await start(behaviour);
      for (let attempt = 0; attempt < 2; attempt++) {
        await assert.rejects(
          bench.signInBy("login"),
          /^ProblemError: Bad Agent did not sign you in: Its connection has/,
        );
        assert.deepEqual([offered(), signingIn()], [["Log in"], undefined]);
      }
    });
  }

  it("ends without effect when another session replaces the one that it was for", async () => {
    await start("auth-silent");
    const { session } = bench;
    const done = bench.signInBy("login");
    await until(() => sent("authenticate") === 1);
    bench.sessions.start("bad");
    await done;
    assert.notEqual(bench.session, session);
    assert.equal(signingIn(), undefined);
    assert.equal(sent("authenticate"), 1, "the process that both use still runs");
  });

  it("in a terminal succeeds with exit code 0, and starts the agent again", async () => {
    await start("auth-required");
    await bench.signInBy("terminal");
    assert.ok(existsSync(join(folder, "signed-in")));
    assert.ok(isReady());
    assert.equal(sent("authenticate"), 0);
  });

  it("in a terminal fails with another exit code, and can be cancelled", async () => {
    await start("auth-required exit");
    await assert.rejects(leaving(bench.signInBy("terminal")), /its sign-in program ended with code 1/);
    assert.deepEqual(offered()?.length, 3);
    const cancelled = bench.signInBy("terminal");
    bench.cancelSignIn();
    await cancelled;
    assert.deepEqual(offered()?.length, 3);
  });

  it("in a terminal fails if a signal ends the program", async () => {
    await start("auth-required killed");
    await assert.rejects(leaving(bench.signInBy("terminal")), /its sign-in program ended with code 137/);
    assert.deepEqual(offered()?.length, 3);
  });

  it("in a terminal is cancelled by Ctrl+C", async () => {
    await start("sdk");
    await typing("\u0003", bench.signInBy("waiting"));
    assert.deepEqual([offered()?.length, sent("session/new")], [7, 1]);
  });

  it("by keys asks for them in a form, keeps them in the secret storage, and gives them to the next process", async () => {
    await start("auth-required");
    const done = bench.signInBy("key");
    await until(() => openQuestions(bench.state).length === 1);
    const [question] = openQuestions(bench.state);
    assert.deepEqual(question?.form?.fields, [
      { type: "text", name: "BAD_KEY", title: "BAD_KEY", required: true, secret: true },
    ]);
    assert.ok(bench.session?.forms.accept(question.id, new Map([["BAD_KEY", "key-4711"]])));
    await done;
    assert.ok(isReady());
    assert.deepEqual([...bench.secrets], [["parley.key.bad.BAD_KEY", "key-4711"]]);
    assert.deepEqual(bench.signIn.keys.names, { bad: ["BAD_KEY"] });
    assert.ok(!JSON.stringify([...bench.files, ...bench.globalState]).includes("key-4711"));
    assert.ok(!JSON.stringify(pool.tap("bad")?.records).includes("key-4711"));
    await bench.signIn.keys.remove("bad");
    assert.deepEqual([bench.secrets.size, bench.signIn.keys.names], [0, {}]);
  });

  it("by keys ends without effect when the user cancels the form, and nobody is asked twice", async () => {
    await start("auth-required");
    const done = bench.signInBy("key");
    await until(() => openQuestions(bench.state).length === 1);
    void bench.signInBy("login");
    bench.session?.forms.cancel(openQuestions(bench.state)[0]?.id ?? "");
    await done;
    assert.deepEqual(openQuestions(bench.state), []);
    assert.deepEqual([sent("session/new"), sent("authenticate"), bench.secrets.size], [1, 0, 0]);
    assert.equal(offered()?.length, 3);
  });

  it("for a prompt returns the prompt to the head of the queue, which goes on after the sign-in", async () => {
    await start("auth-prompt");
    const { session } = bench;
    assert.ok(session);
    session.send([{ type: "text", text: "first" }]);
    session.send([{ type: "text", text: "second" }]);
    const queue = (): readonly string[] => bench.view().head.queue.map(({ text }) => text);
    await until(() => session.state.signIn !== null);
    assert.deepEqual([queue(), session.state.queuePaused], [["first", "second"], true]);
    assert.deepEqual(bench.view().head.problem?.signIn, [{ id: "login", name: "Log in" }]);
    await bench.signInBy("login");
    assert.equal(bench.view().head.problem, null);
    await until(() => queue().length === 0 && session.state.activity.state === "idle");
    const answers = [...session.state.entries].flatMap(entry =>
      entry.kind === "message" && entry.author === "agent" ? [JSON.stringify(entry.content)] : [],
    );
    assert.deepEqual(
      answers.map(text => /You said: (\w+)/.exec(text)?.[1]),
      ["first", "second"],
    );
    await bench.windowAgents.signOut(bench.session);
    session.send([{ type: "text", text: "third" }]);
    await until(() => session.state.signIn !== null);
  });

  it("is remembered for the list of agents, also for the next window", async () => {
    await start("auth-prompt");
    const shown = (): unknown => bench.view().head.agents.map(({ presence, signIn }) => [presence, signIn]);
    await until(() => bench.view().head.agents[0]?.presence !== undefined);
    assert.deepEqual(shown(), [["installed", undefined]], "the agent was ready, and has not worked yet");
    bench.session?.send([{ type: "text", text: "first" }]);
    await until(() => bench.session?.state.signIn !== null);
    assert.deepEqual(shown(), [["installed", "needed"]]);
    await bench.signInBy("login");
    await until(() => bench.state.activity.stopReason === "end_turn");
    assert.deepEqual(shown(), [["installed", "done"]]);
    assert.deepEqual(bench.globalState.get("parley.lastSignIns"), { bad: "done" });
  });

  it("for a prompt that the agent still refuses afterwards shows its words at the prompt", async () => {
    await start("auth-prompt never");
    const { session } = bench;
    session?.send([{ type: "text", text: "first" }]);
    await until(() => session?.state.signIn !== null);
    await bench.signInBy("login");
    await until(() => session?.state.entries.at(-1)?.kind === "problem");
    const last = session?.state.entries.at(-1);
    assert.equal(
      last?.kind === "problem" && last.problem.message,
      "Bad Agent still refuses after you signed in: Your login has expired",
    );
    assert.equal(session?.state.signIn, null);
    assert.equal(sent("session/prompt"), 2);
  });

  for (const method of ["login", "terminal", "key"]) {
    it(`on the official SDK by its method “${method}” works, and is asked for once`, async () => {
      await start("sdk");
      assert.equal(offered()?.length, 7);
      const done = bench.signInBy(method);
      if (method === "key") {
        await until(() => openQuestions(bench.state).length === 1);
        const id = openQuestions(bench.state)[0]?.id ?? "";
        bench.session?.forms.accept(id, new Map([["SDK_KEY", "key-1"]]));
      }
      await done;
      assert.ok(isReady());
      bench.session?.send([{ type: "text", text: "hello" }]);
      await until(() => bench.state.activity.stopReason === "end_turn");
      assert.deepEqual(openQuestions(bench.state), []);
      assert.equal(bench.view().head.problem, null);
    });
  }

  it("on the official SDK says why it refuses, for each way, and nothing is signed in", async () => {
    await start("sdk");
    await assert.rejects(bench.signInBy("denied"), /did not sign you in: .*The account is closed\./);
    await assert.rejects(leaving(bench.signInBy("broken")), /ended with code 1/);
    assert.equal(existsSync(join(folder, "signed-in")), false);
    assert.equal(offered()?.length, 7);
  });

  it("on the official SDK by a key that it refuses ends with an error, not in a loop, and the key can be removed", async () => {
    await start("sdk");
    const done = bench.signInBy("key");
    await until(() => openQuestions(bench.state).length === 1);
    bench.session?.forms.accept(openQuestions(bench.state)[0]?.id ?? "", new Map([["SDK_KEY", "no"]]));
    await done;
    const { lost } = bench.state;
    assert.match(lost?.message ?? "", /^SDK Agent still refuses after you signed in|^Bad Agent still refuses/);
    assert.deepEqual([lost?.signIn, openQuestions(bench.state)], [undefined, []]);
    assert.deepEqual(bench.signIn.keys.names, { bad: ["SDK_KEY"] });
    await removeKeys();
    assert.deepEqual([bench.secrets.size, bench.signIn.keys.names], [0, {}]);
  });

  for (const method of ["silent", "waiting", "key"]) {
    it(`on the official SDK by its method “${method}” can be cancelled, and nobody is asked twice`, async () => {
      await start("sdk");
      const done = bench.signInBy(method);
      await until(() =>
        method === "key"
          ? openQuestions(bench.state).length === 1
          : method === "silent"
            ? sent("authenticate") === 1
            : signInTerminal() !== undefined,
      );
      // A second click changes nothing.
      await bench.signInBy("login");
      assert.equal(openQuestions(bench.state).length, method === "key" ? 1 : 0);
      if (method === "key") bench.session?.forms.cancel(openQuestions(bench.state)[0]?.id ?? "");
      else bench.cancelSignIn();
      await done;
      await until(() => offered()?.length === 7);
      assert.deepEqual([openQuestions(bench.state), signingIn()], [[], undefined]);
      assert.ok(!existsSync(join(folder, "signed-in")) && bench.secrets.size === 0);
    });
  }

  it("on the official SDK can be undone in the menu of agents, which offers it only for a running agent", async () => {
    await start("sdk");
    const canSignOut = (): unknown => bench.view().head.agents.find(({ id }) => id === "bad")?.canSignOut;
    await bench.signInBy("login");
    assert.ok(isReady());
    assert.equal(canSignOut(), true);
    await bench.windowAgents.signOut(bench.session);
    assert.ok(!existsSync(join(folder, "signed-in")));
    await bench.session?.restart();
    assert.equal(offered()?.length, 7);
  });

  /** Answers the modal question for each program by its button with this text, and collects the questions. */
  async function answering(button: string | undefined, run: () => Promise<void>): Promise<readonly string[]> {
    const { showWarningMessage } = vscode.window;
    const questions: string[] = [];
    Object.assign(vscode.window, {
      showWarningMessage: (message: string, { modal, detail }: vscode.MessageOptions, ...buttons: string[]) => {
        assert.deepEqual([modal, buttons], [true, ["Run Program"]]);
        questions.push(`${message}\n${detail ?? ""}`);
        return Promise.resolve(button);
      },
    });
    try {
      await run();
    } finally {
      Object.assign(vscode.window, { showWarningMessage });
    }
    return questions;
  }
  const hasRun = (): boolean => existsSync(join(folder, "signed-in"));

  it("by a program that the agent names asks first, with all that it runs", async () => {
    await start("auth-programs");
    const questions = await answering(undefined, () => bench.signInBy("shell"));
    assert.equal(hasRun(), false);
    assert.equal(questions.length, 1);
    const [question = ""] = questions;
    assert.match(question, /^Run this program to sign in to Bad Agent\?\nThe agent names this program/);
    assert.match(question, /\nProgram: \/bin\/sh\nArgument: -c\nArgument: echo ran > '.*signed-in'\nFolder: \/\S/);
  });

  it("by a program that the user allowed runs, and only another one is asked about again", async () => {
    await start("auth-programs");
    const run = (method: string) => () => bench.signInBy(method);
    assert.equal((await answering("Run Program", run("shell"))).length, 1);
    assert.ok(hasRun());
    assert.equal((await answering(undefined, run("shell"))).length, 0);
    assert.equal((await answering(undefined, run("other"))).length, 1);
    assert.equal((await answering(undefined, run("preload"))).length, 1);
  });

  it("by a program with hidden text shows each character, or how often it is repeated", async () => {
    await start("auth-programs");
    const [question = ""] = await answering(undefined, () => bench.signInBy("hidden"));
    assert.match(question, /Argument: : \[U\+202E\]\[900 blanks\]⏎echo ran > '.*signed-in'⏎\[900 × :\]\n/);
    await assert.rejects(
      answering("Run Program", () => bench.signInBy("endless")),
      /was not run: its arguments and variables are too long to check/,
    );
    assert.equal(hasRun(), false);
  });

  for (const [method, variable] of [
    ["preload", "LD_PRELOAD=/tmp/evil.so"],
    ["docker", "DOCKER_HOST=tcp://evil:2375"],
  ] as const) {
    it(`by the agent's own program asks about a variable that chooses programs: ${variable}`, async () => {
      await start("auth-programs");
      const questions = await answering(undefined, () => bench.signInBy(method));
      assert.equal(hasRun(), false);
      assert.equal(questions.length, 1);
      assert.ok(questions[0]?.includes(`\nVariable: ${variable}`), questions[0]);
    });
  }

  it("by the agent's own program precedes another program of the same method, and does not ask", async () => {
    await start("auth-programs");
    assert.deepEqual(await answering(undefined, () => bench.signInBy("own")), []);
    assert.equal(readFileSync(join(folder, "signed-in"), "utf8"), "yes", "the agent's own program wrote it");
  });

  it("by keys refuses variables that choose programs, with a sentence", async () => {
    await start("auth-programs");
    await assert.rejects(
      bench.signInBy("path"),
      /Bad Agent asks for PATH, NODE_OPTIONS, which choose the programs that/,
    );
    assert.deepEqual(openQuestions(bench.state), []);
  });

  it("does not use a stored variable that chooses programs", async () => {
    await start("auth-programs");
    await bench.signIn.keys.store("bad", new Map([["LD_PRELOAD", "/tmp/evil.so"], ["BAD_KEY", "key"]])); // prettier-ignore
    assert.deepEqual(await bench.signIn.keys.values("bad"), { BAD_KEY: "key" });
  });

  /** Runs the command, and selects every agent. */
  async function removeKeys(): Promise<void> {
    const { showQuickPick } = vscode.window;
    Object.assign(vscode.window, {
      showQuickPick: (picks: readonly vscode.QuickPickItem[]) => {
        assert.deepEqual(
          picks.map(({ label, description }) => [label, description]),
          [["Bad Agent", "SDK_KEY"]],
        );
        return Promise.resolve(picks);
      },
    });
    try {
      await storedKeyCommands(bench.signIn.keys, () => bench.agents)["parley.removeStoredKeys"]();
    } finally {
      Object.assign(vscode.window, { showQuickPick });
    }
  }
});
