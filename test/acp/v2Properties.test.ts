// Random agents of version 2 that keep all rules of the draft, through the wire: no prompt is sent twice or lost, no text is
// lost or doubled, and no call is left open, whatever order the agent chooses. `npm run test:hostile` tries more of them.
import assert from "node:assert/strict";
import fc from "fast-check";
import { findLeaks, trackLeaks } from "../../src/base/lifecycle.ts";
import { nullLog } from "../../src/base/log.ts";
import type { LoggedEvent } from "../../src/session/events.ts";
import { contentText, isBusy, isFinal, openQuestions, type SessionState } from "../../src/session/state.ts";
import { isWorking } from "../../src/session/background/background.ts";
import { ModelAgent, modelSteps, type ModelFeatures, type ModelStep } from "../support/fakes/modelAgent.ts";
import { visitsAllCases } from "../support/fakes/sample.ts";
import { replayAtOnce } from "../support/fakes/wholeViews.ts";
import { WireSession } from "../support/fakes/wireSession.ts";

/** What the user does, each with how often a test chooses it. */
const userSteps = {
  send: 8,
  steer: 4,
  stop: 3,
  sendNow: 2,
  withdraw: 3,
  hold: 2,
  release: 3,
  resume: 4,
  allow: 3,
  cancelCall: 1,
} as const;
/** What happens to the connection. */
const linkSteps = { reload: 3, lose: 2, connect: 8, connectBriefly: 1 } as const;
type Step = {
  readonly name: ModelStep | keyof typeof userSteps | keyof typeof linkSteps;
  readonly n: number;
  /** Whether Parley has processed everything before the next step. */
  readonly waits: boolean;
};

const stepsOf = (withCuts: boolean): fc.Arbitrary<readonly Step[]> => {
  const weights = { ...modelSteps, ...userSteps, ...(withCuts && linkSteps) };
  const names = Object.entries(weights).flatMap(([name, weight]) =>
    Array.from({ length: weight }, () => name as Step["name"]),
  );
  const step = fc.record({ name: fc.constantFrom(...names), n: fc.nat(10_000), waits: fc.boolean() });
  return fc.array(step, { minLength: 10, maxLength: 120, size: "max" });
};

interface Options extends ModelFeatures {
  readonly cuts?: boolean;
}

/** A user, a session and an agent. */
class World {
  readonly options: Options;
  readonly model: ModelAgent;
  wire = new WireSession();
  readonly #sent: string[] = [];
  readonly #steered = new Set<string>();
  readonly #withdrawn = new Set<string>();
  /** The texts that Parley cannot know, because it did not need the agent to repeat them. */
  readonly #missed = new Set<string>();
  readonly trace: string[] = [];
  #pings = 0;
  #processed: ReadonlySet<object> = new Set();

  constructor(options: Options) {
    this.options = options;
    this.model = new ModelAgent(options);
  }

  #connectModel(): void {
    this.model.send = message => {
      this.trace.push(`< ${short(message)}`);
      this.wire.agent.send(message);
    };
  }

  async start(): Promise<void> {
    await this.wire.opened();
    this.#connectModel();
    if (!this.options.cuts) return;
    // With a conversation, the agent's session can be continued.
    this.#send();
    await this.processed();
    this.#read();
    for (const name of ["insert", "run", "say", "end"] as const) this.model.step(name, 0);
    await this.processed();
  }

  /** Resolves when Parley has processed everything that the agent sent. */
  async processed(): Promise<void> {
    const { agent } = this.wire;
    const id = `ping ${++this.#pings}`;
    agent.send({ id, method: "_ping", params: {} });
    await agent.response(id);
    await new Promise(resolve => setImmediate(resolve));
    this.#processed = new Set(agent.received);
    this.model.isKnownBusy = this.model.foreground !== "idle";
    if (this.model.isKnownBusy) assert.ok(isBusy(this.wire.state), "the agent works, and Parley shows it as idle");
    const atRest = this.model.isAtRest && agent.received.length === 0;
    if (atRest) assert.ok(!isBusy(this.wire.state), "the agent is idle, and Parley waits for it");
  }

  async step({ name, n, waits }: Step): Promise<void> {
    const isConnected = this.model.send !== undefined;
    if (name in linkSteps) await this.#link(name as keyof typeof linkSteps, n);
    else if (name in userSteps) {
      if (!this.#use(name as keyof typeof userSteps, n)) return;
      this.trace.push(`user: ${name}`);
    } else if (name === "read") {
      if (!this.#read()) return;
    } else {
      const length = this.trace.length;
      if (!this.model.step(name as Exclude<ModelStep, "read">, n)) return;
      if (this.trace.length === length && !isConnected) this.trace.push(`(not connected) ${name}`);
    }
    if (waits && this.model.send) await this.processed();
  }

  #read(): boolean {
    const message = this.model.send && this.wire.agent.received.shift();
    if (!message) return false;
    this.trace.push(`> ${short(message)}`);
    this.model.read(message, text => this.#steered.has(text), !this.#processed.has(message));
    return true;
  }

  // The user

  #send(): void {
    const text = `prompt ${this.#sent.length + 1}`;
    this.#sent.push(text);
    this.wire.session.send([{ type: "text", text }]);
  }

  #use(name: keyof typeof userSteps, n: number): boolean {
    const { session, state } = this.wire;
    const pending = state.pendingPrompts;
    const prompt = pending[n % Math.max(1, pending.length)];
    switch (name) {
      case "send":
        // Sending reconnects, which is a step of its own.
        if (!this.model.send || pending.length > 3) return false;
        this.#send();
        return true;
      case "steer": {
        if (!prompt || !isBusy(state) || prompt.isSubmitted || prompt.messageId !== undefined) return false;
        this.#steered.add(contentText(prompt.content));
        session.sendWhileRunning(prompt.id);
        return true;
      }
      case "stop":
        if (!isWorking(state)) return false;
        session.stop();
        return true;
      case "sendNow":
        if (!prompt) return false;
        session.sendNow(prompt.id);
        return true;
      case "withdraw":
        if (!prompt) return false;
        this.#withdrawn.add(contentText(prompt.content));
        session.queue.withdraw(prompt.id);
        return true;
      case "hold":
        if (!prompt || prompt.isOnHold || prompt.isSubmitted || prompt.messageId !== undefined) return false;
        session.queue.hold(prompt.id);
        return true;
      case "release":
        // Releasing the first prompt reconnects, which is a step of its own.
        if (!this.model.send || !prompt?.isOnHold) return false;
        session.queue.release(prompt.id);
        return true;
      case "resume":
        if (!this.model.send || !state.queuePaused) return false;
        session.resumeQueue();
        return true;
      case "allow": {
        const open = openQuestions(state);
        const ask = open[n % Math.max(1, open.length)];
        if (!ask) return false;
        session.answer(ask.id, "y");
        return true;
      }
      case "cancelCall": {
        const calls = [...state.entries].flatMap(entry =>
          entry.kind === "tool" && entry.fields.canCancel ? [entry.toolCallId] : [],
        );
        const id = calls[n % Math.max(1, calls.length)];
        if (id === undefined) return false;
        session.cancelTool(id).catch(() => {});
        return true;
      }
    }
  }

  // The connection

  async #link(name: keyof typeof linkSteps, n: number): Promise<void> {
    const isConnected = this.model.send !== undefined;
    if (name === "connect" || name === "connectBriefly") {
      if (!isConnected) await this.connect(n, name === "connectBriefly");
    } else if (isConnected) this.#cut(name === "lose");
  }

  #cut(losesAgent: boolean): void {
    this.trace.push(losesAgent ? "the agent ends" : "the window reloads");
    this.model.disconnect();
    this.#wasWorking ||= isWorking(this.wire.state) || this.wire.state.pendingPrompts.some(each => each.isSubmitted);
    if (losesAgent) return this.wire.loseAgent();
    const log: readonly LoggedEvent[] = [...this.wire.log];
    this.wire.dispose();
    this.wire = new WireSession(log);
  }
  #wasWorking = false;

  async connect(n: number, isCut = false): Promise<void> {
    const { wire, model } = this;
    const opening = wire.session.open();
    const request = await wire.agent.request("session/resume");
    this.trace.push(`> ${short(request)}`);
    this.#connectModel();
    const isReplayed = request.params?.["replayFrom"] !== undefined;
    if (isReplayed) model.replay(n, isCut ? n % 5 : Infinity);
    else {
      assert.ok(!this.#wasWorking, "the agent is not asked to repeat what Parley may lack");
      for (const [key, text] of model.shown) if (this.#shown.get(key) !== text) this.#missed.add(key);
    }
    if (isCut) {
      this.#cut(false);
      await opening;
      return;
    }
    model.resumeState(n);
    this.wire.agent.answer(request, {});
    await opening;
    this.#wasWorking = false;
    await this.processed();
    if (isReplayed) this.#checkTexts();
  }

  // What must hold

  /** Lets the agent and the user finish everything. */
  async finish(n: number): Promise<void> {
    if (!this.model.send) await this.connect(n);
    for (let rounds = 0; ; rounds++) {
      assert.ok(rounds < 200, "the session does not come to rest");
      await this.processed();
      while (this.#read());
      if (this.model.finishSome(n + rounds)) continue;
      await this.processed();
      if (this.wire.agent.received.length > 0) continue;
      const { state, session } = this.wire;
      const onHold = state.pendingPrompts.filter(each => each.isOnHold);
      if ((!state.queuePaused && onHold.length === 0) || state.pendingPrompts.length === 0) break;
      this.trace.push("user: release and resume");
      for (const { id } of onHold) session.queue.release(id);
      session.resumeQueue();
    }
  }

  get #shown(): ReadonlyMap<string, string> {
    const { entries, terminals } = this.wire.state;
    return new Map(
      [...entries].flatMap((entry): readonly (readonly [string, string])[] => {
        if (entry.kind === "message") return [[entry.id, contentText(entry.content)]];
        if (entry.kind !== "tool") return [];
        const { subAgent, content = [], status } = entry.fields;
        if (subAgent) return [[entry.id, ""]];
        const texts = content.flatMap(item => (item.type === "content" ? contentText([item.content]) : []));
        const [terminal] = content.flatMap(item => (item.type === "terminal" ? [terminals.get(item.terminalId)] : []));
        const output = content.some(({ type }) => type === "terminal") ? `[${terminal?.output ?? ""}]` : "";
        return [[entry.id, `${isFinal(status) ? status : "open"} ${output}${texts.join("|")}`]];
      }),
    );
  }

  #checkTexts(): void {
    const isCompared = ([key]: readonly [string, string]): boolean =>
      !this.#missed.has(key) && !key.startsWith("m:user:refused:");
    const shown = [...this.#shown].filter(isCompared);
    // The echo of a message can be on its way.
    const texts = [...this.model.shown].filter(isCompared);
    assert.deepEqual(Object.fromEntries(shown), Object.fromEntries(texts));
    if (this.#missed.size === 0)
      assert.deepEqual(
        shown.map(([key]) => key),
        texts.map(([key]) => key),
        "the order of the conversation",
      );
  }

  check(): void {
    const { state, log, clock } = this.wire;
    assert.deepEqual(
      {
        isBusy: isBusy(state),
        cancelling: state.cancelling,
        queue: state.pendingPrompts.map(({ content }) => contentText(content)),
        questions: openQuestions(state).map(({ title }) => title),
        background: state.background,
      },
      { isBusy: false, cancelling: false, queue: [], questions: [], background: null },
    );
    this.#checkTexts();
    for (const entry of state.entries)
      if (entry.kind === "tool")
        assert.ok(isFinal(entry.fields.status) || entry.closed, `the call ${entry.toolCallId} is left open`);
    this.#checkPrompts(state);
    clock.advance(60_000);
    assert.ok(!this.wire.state.stopIgnored, "Stop was ignored");
    assert.equal(clock.pendingTimers, 0);
    assert.deepEqual([...replayAtOnce(log, nullLog).state.entries], [...this.wire.state.entries], "the log");
  }

  #checkPrompts(state: SessionState): void {
    const texts = [...state.entries].flatMap(entry =>
      entry.kind === "message" && entry.author === "user" ? [contentText(entry.content)] : [],
    );
    for (const text of this.#sent) {
      const inserted = this.model.inserted.get(text) ?? 0;
      assert.ok(inserted <= 1, `"${text}" was inserted twice`);
      const shown = texts.filter(each => each === text).length;
      if (inserted === 1) assert.ok(this.#missed.size > 0 || shown === 1, `"${text}" is shown ${shown} times`);
      else if (!this.#withdrawn.has(text)) assert.equal(shown, 1, `"${text}" is lost`);
    }
  }

  dispose(): void {
    this.wire.dispose();
  }
}

function short(message: object): string {
  const { jsonrpc: _, params, method, ...rest } = message as Record<string, unknown>;
  const { sessionId, update, ...more } = (params ?? {}) as Record<string, unknown>;
  return [
    ...(method === undefined ? [] : [method === "session/update" ? "" : method]),
    ...(sessionId === undefined || sessionId === "s" ? [] : [sessionId]),
    ...[update, more, rest]
      .filter(each => each !== undefined && Object.keys(each as object).length > 0)
      .map(each => JSON.stringify(each)),
  ].join(" ");
}

async function play(options: Options, steps: readonly Step[]): Promise<void> {
  const world = new World(options);
  try {
    await world.start();
    for (const step of steps) await world.step(step);
    await world.finish(steps.length);
    world.check();
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n\n${world.trace.join("\n")}`, {
      cause: error,
    });
  } finally {
    world.dispose();
  }
}

/** The random agents of each kind. */
const runs = Number(process.env["RUNS"] ?? (visitsAllCases ? 400 : 15));

describe("a random agent of version 2", () => {
  beforeEach(() => trackLeaks());
  afterEach(() => assert.deepEqual(findLeaks(), []));

  const kinds: Readonly<Record<string, Options>> = {
    "with one client": {},
    "with two clients": { otherClient: true },
    "with sub-agents and background work": { background: true },
    "whose echo of prompts is slow": { slowEcho: true, otherClient: true },
    "that is cut off and resumes": { cuts: true, otherClient: true, slowEcho: true },
  };
  for (const [title, options] of Object.entries(kinds))
    it(`${title} loses and doubles nothing`, async () => {
      await fc.assert(
        fc.asyncProperty(stepsOf(options.cuts === true), steps => play(options, steps)),
        { numRuns: runs },
      );
    });
});
