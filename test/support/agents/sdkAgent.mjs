// An agent built on the official SDK that runs the steps of a prompt and reports the results, for tests of the client.
// Plain Node; the SDK comes from the project's node_modules.
//   node sdkAgent.mjs [--pid-file=<name in the folder of the session>] [--stubborn]
// A prompt is a list of steps as JSON. The steps run one after the other; those of an inner list run at once:
//   {"request": "<method>", "params": {…}, "as": "<name>"}   a request to the client; the session's id is added
//   {"update": {…}}                                          a `session/update`
//   {"terminal": {…}}                                        a command, run through the SDK's own terminal handle
// The response is one message: the outcomes as JSON, in the same form, each {"result"} or {"error"}. Setting the option
// `withdraw` to the name of a request cancels it with `$/cancel_request`. With --stubborn the process keeps running
// when its input ends, and ignores SIGTERM.
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream, RequestError } from "@agentclientprotocol/sdk";

const stubborn = process.argv.includes("--stubborn");
const pidFile = process.argv.find(argument => argument.startsWith("--pid-file="))?.slice("--pid-file=".length);
if (stubborn) {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});
  setInterval(() => {}, 1000);
}

/** The current turn of each session. */
const turns = new Map();

class Turn {
  withdrawals = new Map();
  cancelled = false;

  constructor(client, sessionId) {
    this.client = client;
    this.sessionId = sessionId;
  }

  async play(steps) {
    const outcomes = [];
    for (const step of steps) {
      if (this.cancelled) break;
      outcomes.push(Array.isArray(step) ? await Promise.all(step.map(one => this.take(one))) : await this.take(step));
    }
    return outcomes;
  }

  take(step) {
    return this.perform(step).then(
      result => ({ result: result ?? null }),
      error => ({ error: { code: error.code, message: error.message, data: error.data } }),
    );
  }

  async perform({ request, params, as, update, terminal }) {
    const { client, sessionId } = this;
    if (update) return client.notify(methods.client.session.update, { sessionId, update });
    if (terminal) return this.runTerminal(terminal);
    const withdrawal = new AbortController();
    if (as) this.withdrawals.set(as, withdrawal);
    return client.request(request, { sessionId, ...params }, { cancellationSignal: withdrawal.signal });
  }

  async runTerminal(params) {
    const terminal = await this.client.createTerminal({ sessionId: this.sessionId, ...params });
    const exit = await terminal.waitForExit();
    const output = await terminal.currentOutput();
    const killed = await terminal.kill();
    await terminal.release();
    const after = await this.take({ request: methods.client.terminal.output, params: { terminalId: terminal.id } });
    return { exit, output, killed, after };
  }
}

const withdraw = { id: "withdraw", name: "Withdraw", type: "select", currentValue: "", options: [] };

const app = agent({ name: "sdk-agent" })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentInfo: { name: "sdk-agent", title: "SDK Agent", version: "1.0.0" },
    agentCapabilities: {},
  }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    if (pidFile) writeFileSync(join(params.cwd, pidFile), String(process.pid));
    return { sessionId: randomUUID(), configOptions: [withdraw] };
  })
  .onRequest(methods.agent.session.setConfigOption, ({ params }) => {
    const withdrawal = turns.get(params.sessionId)?.withdrawals.get(params.value);
    if (!withdrawal) throw RequestError.invalidParams(undefined, `Nothing called ${params.value} is open.`);
    withdrawal.abort();
    return { configOptions: [withdraw] };
  })
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const { sessionId, prompt } = params;
    const turn = new Turn(client, sessionId);
    turns.set(sessionId, turn);
    const outcomes = await turn.play(JSON.parse(prompt.map(block => block.text ?? "").join("")));
    const content = { type: "text", text: JSON.stringify(outcomes) };
    const update = { sessionUpdate: "agent_message_chunk", messageId: randomUUID(), content };
    await client.notify(methods.client.session.update, { sessionId, update });
    return { stopReason: turn.cancelled ? "cancelled" : "end_turn" };
  })
  .onNotification(methods.agent.session.cancel, ({ params }) => {
    const turn = turns.get(params.sessionId);
    if (turn) turn.cancelled = true;
  });

const connection = app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
void connection.closed.then(() => stubborn || process.exit(0));
