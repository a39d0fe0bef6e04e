// The demo agent's scripted mode sends exactly what the script contains. Also tests the agents that misbehave on
// purpose.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { RequestError } from "@agentclientprotocol/sdk";
import { parseScript, ScriptError } from "../../examples/demo-agent/script.ts";
import { bundleDemoAgent, DemoClient, remove, workspaceOf, type ClientSetup } from "./demoClient.ts";

const rawAgents: RawAgent[] = [];

/** A process that receives lines and whose stdout is kept line by line. */
class RawAgent {
  readonly lines: string[] = [];
  stderr = "";
  readonly exited: Promise<number | null>;
  readonly #child;
  #changed: (() => void) | undefined;
  #rest = "";

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.#child = spawn(process.execPath, args, { env: { ...process.env, PARLEY_DEMO_SPEED: "0", ...env } });
    this.#child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (this.#rest + chunk).split("\n");
      this.#rest = lines.pop() ?? "";
      this.lines.push(...lines);
      this.#changed?.();
    });
    this.#child.stderr.on("data", (chunk: Buffer) => (this.stderr += chunk.toString("utf8")));
    this.exited = new Promise(done => this.#child.on("close", done));
    rawAgents.push(this);
  }

  send(message: Readonly<Record<string, unknown>>): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  /** The first line that contains the text, now or later. */
  async line(text: string): Promise<string> {
    return this.#find(lines => lines.find(line => line.includes(text)));
  }

  /** The line with the given index (from 0) among the lines that match, now or later. */
  async lineNumber(index: number, pattern: RegExp): Promise<string> {
    return this.#find(lines => lines.filter(line => pattern.test(line))[index]);
  }

  /** Initializes, opens a session, and sends the text as a prompt with the id 2. */
  async prompt(text: string, cwd = process.cwd()): Promise<void> {
    this.send({ id: 0, method: "initialize", params: { protocolVersion: 1 } });
    await this.line('"id":0');
    this.send({ id: 1, method: "session/new", params: { cwd, mcpServers: [] } });
    const opened = JSON.parse(await this.line('"id":1')) as { readonly result: { readonly sessionId: string } };
    const { sessionId } = opened.result;
    this.send({ id: 2, method: "session/prompt", params: { sessionId, prompt: [{ type: "text", text }] } });
  }

  async #find(choose: (lines: readonly string[]) => string | undefined): Promise<string> {
    for (;;) {
      const found = choose(this.lines);
      if (found !== undefined) return found;
      await new Promise<void>(done => (this.#changed = done));
    }
  }

  async close(): Promise<void> {
    this.#child.stdin.end();
    await this.exited;
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }
}

async function endRawAgents(): Promise<void> {
  for (const agent of rawAgents.splice(0)) {
    agent.kill();
    await agent.exited;
  }
}

describe("the scripted agent", function () {
  let agentFile = "";
  let cwd = "";
  const open: DemoClient[] = [];

  const start = async (setup: Partial<ClientSetup> = {}): ReturnType<typeof DemoClient.open> => {
    const opened = await DemoClient.open(agentFile, { cwd, choose: () => "allow", ...setup });
    open.push(opened.agent);
    return opened;
  };
  const script = async (value: unknown): Promise<string> => {
    await writeFile(join(cwd, "script.json"), JSON.stringify(value));
    return "#script script.json";
  };

  before(async () => {
    agentFile = await bundleDemoAgent();
  });
  after(async () => remove(dirname(agentFile)));
  beforeEach(async () => {
    cwd = await workspaceOf({});
  });
  afterEach(async () => {
    await endRawAgents();
    for (const agent of open.splice(0)) await agent.close();
    await remove(cwd);
  });

  it("plays updates, chunks and thoughts in order, and stops with the given reason", async () => {
    const { agent, sessionId } = await start();
    const steps = [
      { chunk: "a$n ", times: 3, messageId: "m1" },
      { chunk: "hm", thought: true },
      { update: { sessionUpdate: "usage_update", used: 7, size: "$n" } },
      { update: { sessionUpdate: "plan", entries: [] }, comment: "an empty plan" },
      { stop: "max_tokens" },
      { chunk: "never" },
    ];
    assert.equal((await agent.prompt(sessionId, await script(steps))).stopReason, "max_tokens");
    assert.deepEqual([agent.messageText, agent.thought], ["a0 a1 a2 ", "hm"]);
    const kinds = agent.updates
      .map(update => update.sessionUpdate)
      .filter(kind => kind !== "available_commands_update");
    assert.deepEqual(kinds, [
      ...Array<string>(3).fill("agent_message_chunk"),
      "agent_thought_chunk",
      "usage_update",
      "plan",
    ]);
  });

  it("keeps the responses to its requests, and uses them in later steps", async () => {
    await writeFile(join(cwd, "a.txt"), "hello");
    const { agent, sessionId } = await start();
    const steps = [
      { request: { method: "fs/read_text_file", params: { sessionId: "$session", path: "$cwd/a.txt" } }, as: "file" },
      { chunk: "It says $file.content." },
      { request: { method: "fs/read_text_file", params: { sessionId: "$session", path: "$dir/b.txt" } }, as: "gone" },
      { chunk: " code $gone.error.code" },
      { request: { method: "_nobody/knows" }, as: "unknown" },
      { chunk: " code $unknown.error.code" },
    ];
    await agent.prompt(sessionId, await script({ steps }));
    assert.equal(agent.messageText, "It says hello. code -32002 code -32601");
  });

  it("asks several questions at once, and waits for each by name", async () => {
    const { agent, sessionId } = await start({
      choose: question => (question.toolCall.toolCallId === "t1" ? "allow" : "reject"),
    });
    const steps = [
      { permission: { toolCall: { toolCallId: "t1", title: "One" } }, as: "one", background: true },
      { permission: { toolCall: { toolCallId: "t2", title: "Two" } }, as: "two", background: true },
      { await: "one" },
      { await: "two" },
      { echo: "one" },
      { echo: "two" },
    ];
    await agent.prompt(sessionId, await script({ steps }));
    assert.equal(agent.questions.length, 2);
    const answered = (optionId: string): string => JSON.stringify({ outcome: { outcome: "selected", optionId } });
    assert.equal(agent.messageText, answered("allow") + answered("reject"));
  });

  it("answers the prompt with the error of the script", async () => {
    const { agent, sessionId } = await start();
    const failed = agent.prompt(
      sessionId,
      await script([{ error: { code: -32099, message: "No luck", data: { a: 1 } } }]),
    );
    await assert.rejects(failed, (error: unknown) => {
      assert.ok(error instanceof RequestError);
      assert.deepEqual([error.code, error.message, error.data], [-32099, "No luck", { a: 1 }]);
      return true;
    });
  });

  it("is ended by cancel in the middle of a flood, of a wait, and of a question", async () => {
    const { agent, sessionId } = await start({ choose: () => undefined });
    const endless = [
      { chunk: "x", times: 1_000_000, delayMs: 1 },
      { waitMs: 1_000_000 },
      { permission: { toolCall: { toolCallId: "t" } } },
    ];
    for (const step of endless) {
      const from = agent.updates.length;
      const turn = agent.prompt(sessionId, await script([{ chunk: "begun" }, step, { chunk: "never" }]));
      await agent.until(() => agent.updates.slice(from).some(update => JSON.stringify(update).includes("begun")));
      await agent.cancel(sessionId);
      assert.equal((await turn).stopReason, "cancelled");
    }
    assert.doesNotMatch(agent.messageText, /never/);
  });

  it("continues after cancel where the script waits for it", async () => {
    const { agent, sessionId } = await start();
    const steps = [{ chunk: "one" }, { waitForCancel: true }, { waitMs: 1 }, { chunk: " two" }, { stop: "cancelled" }];
    const turn = agent.prompt(sessionId, await script(steps));
    await agent.until(() => agent.messageText === "one");
    await agent.cancel(sessionId);
    assert.equal((await turn).stopReason, "cancelled");
    assert.equal(agent.messageText, "one two");
  });

  it("marks when its last write was handed over", async () => {
    const { agent, sessionId } = await start();
    const before = performance.timeOrigin + performance.now();
    const steps = [{ mark: "start" }, { chunk: "x".repeat(1000), times: 2000 }, { mark: "end" }];
    await agent.prompt(sessionId, await script({ marks: "marks.ndjson", steps }));
    const after = performance.timeOrigin + performance.now();
    const marks = (await readFile(join(cwd, "marks.ndjson"), "utf8"))
      .trim()
      .split("\n")
      .map(line => JSON.parse(line) as { readonly name: string; readonly at: number });
    assert.deepEqual(
      marks.map(mark => mark.name),
      ["start", "end"],
    );
    const [first, last] = marks.map(mark => mark.at);
    assert.ok(first !== undefined && last !== undefined && before - 5 < first && first < last && last < after + 5);
    assert.equal(agent.messageText.length, 2_000_000);
  });

  it("sends malformed lines, invalid updates and stderr unchanged", async () => {
    const steps = [
      { raw: '{"jsonrpc":"2.0",' },
      { raw: "sep\u2028arator" },
      { update: { sessionUpdate: 7, odd: [null] } },
      { notify: { method: "_x/y", params: { s: "$session" } } },
      { stderr: "a warning $n", times: 2 },
    ];
    const agent = new RawAgent([agentFile]);
    await agent.prompt(await script({ steps }), cwd);
    await agent.line('"id":2');
    const from = agent.lines.indexOf('{"jsonrpc":"2.0",');
    assert.equal(agent.lines[from + 1], "sep\u2028arator");
    assert.match(agent.lines[from + 2] ?? "", /"update":\{"sessionUpdate":7,"odd":\[null\]\}\}\}$/);
    assert.match(agent.lines[from + 3] ?? "", /"method":"_x\/y","params":\{"s":"[\w-]{36}"\}/);
    await agent.close();
    assert.equal(agent.stderr, "a warning 0\na warning 1\n");
  });

  it("exits as scripted, with a code or by a signal", async () => {
    const first = await start();
    void first.agent
      .prompt(first.sessionId, await script([{ chunk: "last words" }, { exit: 7 }]))
      .catch(() => undefined);
    assert.deepEqual(await first.agent.exited, { code: 7, signal: null });
    await first.agent.until(() => first.agent.messageText === "last words");
    const second = await start();
    void second.agent.prompt(second.sessionId, await script([{ crash: true }])).catch(() => undefined);
    assert.deepEqual(await second.agent.exited, { code: null, signal: "SIGKILL" });
  });

  it("hangs as scripted, ignores cancel, and ends with its stdin", async () => {
    const { agent, sessionId } = await start();
    let ended = false;
    const turn = agent.prompt(sessionId, await script([{ chunk: "hm" }, { hang: true }])).finally(() => (ended = true));
    await agent.until(() => agent.messageText === "hm");
    await agent.cancel(sessionId);
    // Another answered request shows that the agent has read the cancel.
    await agent.newSession();
    assert.equal(ended, false);
    const gone = assert.rejects(turn);
    await agent.close();
    await gone;
  });

  it("plays the script of the environment for every prompt, and merges its fields into the answers", async () => {
    const file = join(cwd, "env.json");
    const agentInfo = { name: "other", version: "9" };
    await writeFile(
      file,
      JSON.stringify({ initialize: { agentInfo }, newSession: { configOptions: [] }, steps: [{ chunk: "!" }] }),
    );
    const agent = new DemoClient(agentFile, { cwd, env: { PARLEY_DEMO_SCRIPT: file } });
    open.push(agent);
    assert.deepEqual((await agent.initialize()).agentInfo, agentInfo);
    const { sessionId, configOptions } = await agent.newSession();
    assert.deepEqual(configOptions, []);
    await agent.prompt(sessionId, "anything");
    await agent.prompt(sessionId, "else");
    assert.equal(agent.messageText, "!!");
  });

  it("answers a missing or invalid script with an error that explains the problem", async () => {
    const { agent, sessionId } = await start();
    await assert.rejects(agent.prompt(sessionId, "#script nowhere.json"), /nowhere\.json could not be read/);
    const wrong = agent.prompt(sessionId, await script([{ chunk: "a" }, { chunk: "b", speed: 3 }]));
    await assert.rejects(wrong, /script\.json is invalid\. Step 2: "chunk" does not support "speed"/);
    assert.equal(agent.messageText, "");
  });

  const mistakes: readonly (readonly [text: string, reason: RegExp])[] = [
    ["{", /not valid JSON/],
    ["7", /A script must be an object/],
    ["{}", /needs "steps"/],
    ['{"steps":[],"stepz":1}', /no field "stepz"/],
    ["[7]", /Step 1: A step must be an object/],
    ["[{}]", /This step has none/],
    ['[{"chunk":"a","raw":"b"}]', /chunk and raw/],
    ['[{"chunk":7}]', /"chunk" must be a string/],
    ['[{"chunk":"a","times":1.5}]', /must be an integer/],
    ['[{"waitMs":-1}]', /"waitMs" must be a number/],
    ['[{"stop":"bored"}]', /"stop" must be one of end_turn/],
    ['[{"request":{}}]', /"request.method" must be a string/],
    ['[{"request":{"method":"a"},"background":true}]', /needs "as"/],
    ['[{"permission":{}}]', /needs a "toolCall"/],
    ['[{"mark":"a"}]', /needs a "file"/],
    ['[{"hang":1}]', /"hang" must be true or absent/],
    ['[{"error":{"code":"x","message":"y"}}]', /"error.code" must be a number/],
  ];
  for (const [text, reason] of mistakes) {
    it(`finds the mistake in ${text}`, () => {
      assert.throws(
        () => parseScript(text),
        (error: unknown) => error instanceof ScriptError && reason.test(error.message),
      );
    });
  }
});

describe("the misbehaving agents", function () {
  const bad = "test/support/agents/bad.mjs";
  afterEach(endRawAgents);

  it("behave correctly except for the one fault in their name", async () => {
    const agent = new RawAgent([bad, "none"]);
    await agent.prompt("hi");
    assert.match(await agent.line("You said"), /You said: hi/);
    assert.match(await agent.line('"id":2'), /"stopReason":"end_turn"/);
    await agent.close();
  });

  it("list their abilities when run without arguments", async () => {
    const agent = new RawAgent([bad]);
    assert.equal(await agent.exited, 64);
    assert.match(agent.stderr, /two-questions/);
  });

  it("exit at once, after some output", async () => {
    const agent = new RawAgent([bad, "exit", "9"]);
    assert.equal(await agent.exited, 9);
    assert.match(agent.stderr, /giving up\n$/);
  });

  it("send requests with unusual ids, and receive the responses", async () => {
    const agent = new RawAgent([bad, "ids"]);
    await agent.prompt("hi");
    for (let answered = 0; answered < 4; answered += 1) {
      const asked = await agent.lineNumber(
        answered,
        /request_permission.*"id":(?!null)|"id":(?!null).*request_permission/,
      );
      const { id } = JSON.parse(asked) as { readonly id: unknown };
      agent.send({ id, result: { outcome: { outcome: "cancelled" } } });
    }
    assert.match(await agent.line("answered"), /4 answered/);
    await agent.close();
  });

  it("flood with 20,000 updates", async () => {
    const agent = new RawAgent([bad, "flood"]);
    await agent.prompt("hi");
    await agent.line('"id":2,');
    assert.equal(agent.lines.filter(line => line.includes("agent_message_chunk")).length, 20_000);
    await agent.close();
  });

  it("leave a grandchild that only SIGKILL ends", async () => {
    const agent = new RawAgent([bad, "grandchild"]);
    await agent.prompt("hi");
    const update = JSON.parse(await agent.line("agent_message_chunk")) as {
      readonly params: { readonly update: { readonly content: { readonly text: string } } };
    };
    const pid = Number(update.params.update.content.text);
    agent.kill();
    await agent.exited;
    process.kill(pid, "SIGTERM");
    await new Promise(setImmediate);
    assert.doesNotThrow(() => process.kill(pid, 0), "it ended on SIGTERM");
    process.kill(pid, "SIGKILL");
  });
});
