// How a process is read whose sessions are partly hidden: the visible ones wait for the panel and hold the process back,
// and the hidden ones never slow them.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, type Readable } from "node:stream";
import fc from "fast-check";
import type { Message } from "vscode-jsonrpc/node";
import { acpDialect } from "../../src/acp/dialect.ts";
import { NdJsonReader, type ReadPace } from "../../src/acp/ndjson.ts";
import { AgentPool } from "../../src/agents/pool.ts";
import { readPace } from "../../src/agents/readPace.ts";
import type { AgentDefinition } from "../../src/agents/registry.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { ReadBudget } from "../../src/base/readBudget.ts";
import { PermissionBroker } from "../../src/permissions/permissionBroker.ts";
import { Session } from "../../src/session/session.ts";
import { contentText, isBusy } from "../../src/session/state.ts";
import { shortUpdates } from "../support/agents/streamWords.mjs";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { questionServices } from "../support/fakes/questionRoom.ts";
import { until } from "../support/fakes/until.ts";

const agentFile = join(process.cwd(), "test/support/agents/streams.mjs");

/** A message as the tests read it. */
interface Received {
  readonly id?: number;
  readonly result?: unknown;
  readonly params?: { readonly sessionId: string; readonly id: number };
}

interface Reading {
  readonly reader: NdJsonReader;
  readonly messages: Received[];
  readonly state: { closed: number };
}

function read(input: Readable, pace: ReadPace): Reading {
  const messages: Received[] = [];
  const state = { closed: 0 };
  const reader = new NdJsonReader(input, acpDialect, {}, pace);
  reader.onClose(() => state.closed++);
  reader.listen((one: Message) => messages.push(one as Received));
  return { reader, messages, state };
}

const of = (messages: readonly Received[], session: string): readonly Received[] =>
  messages.filter(({ params }) => params?.sessionId === session);

/** A budget of a panel that is behind until it is not. Its clock stands still, so it does not stop waiting for the panel. */
function panelBehind(): { readonly budget: ReadBudget; catchUp(): void } {
  let isBehind = true;
  const budget = new ReadBudget({ clock: new FakeClock(), isBehind: () => isBehind, isPainting: () => false });
  return { budget, catchUp: () => (isBehind = false) };
}

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise(resolve => setImmediate(resolve));
};

const line = (sessionId: string, id: number): string =>
  `${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId, id } })}\n`;
const response = (id: number): string => `${JSON.stringify({ jsonrpc: "2.0", id, result: {} })}\n`;
/** Whether a session of the tests is hidden. The session of a sub-agent is not an open session. */
const isHidden = (session: string): boolean | undefined =>
  session === "sub" ? undefined : ["hidden", "other"].includes(session);

describe("the messages of hidden and visible sessions in one process", () => {
  it("keep their order in each session, and around each message without one, for any order and budget", async () => {
    const senders = ["shown", "hidden", "other", "sub", "response"] as const;
    const often = ["shown", "hidden", "other"] as const;
    const sender = fc.oneof({ arbitrary: fc.constantFrom(...often), weight: 9 }, fc.constantFrom(...senders));
    let overtaken = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(sender, { maxLength: 40, size: "max" }),
        fc.infiniteStream(fc.boolean()),
        async (order, exhausted) => {
          let polls = 0;
          // It is not exhausted in every tenth poll, so that each case ends.
          const budget = {
            get isExhausted() {
              return ++polls % 10 !== 0 && exhausted.next().value === true;
            },
            spend: () => {},
          };
          const input = new PassThrough();
          const { messages, state } = read(input, readPace(budget as unknown as ReadBudget, isHidden));
          input.end(order.map((from, id) => (from === "response" ? response(id) : line(from, id))).join(""));
          await until(() => state.closed === 1);
          const delivered = messages.map(({ id, params }) => params?.id ?? id ?? NaN);
          const sorted = (ids: readonly number[]): readonly number[] => [...ids].sort((a, b) => a - b);
          assert.deepEqual(sorted(delivered), [...order.keys()]);
          if (delivered.some((id, at) => id !== at)) overtaken++;
          for (const [at, id] of delivered.entries()) {
            const isAlone = order[id] === "sub" || order[id] === "response";
            if (isAlone) assert.ok(at === id && delivered.slice(0, at).every(before => before < id));
          }
          for (const each of senders) {
            const own = delivered.filter(id => order[id] === each);
            assert.deepEqual(own, sorted(own));
          }
        },
      ),
      { numRuns: 60 },
    );
    assert.ok(overtaken > 5, `${overtaken} cases had another order`);
  });

  it("wait behind a response, and behind a message of an unknown session", async () => {
    for (const barrier of [line("sub", 1), response(1)]) {
      const { budget, catchUp } = panelBehind();
      budget.spend(1_000_000);
      const input = new PassThrough();
      const { messages, state } = read(input, readPace(budget, isHidden));
      input.end([line("hidden", 0), line("shown", 1), barrier, line("hidden", 2)].join(""));
      await until(() => messages.length === 1);
      await turns(50);
      assert.equal(messages.length, 1);
      catchUp();
      await until(() => state.closed === 1);
      assert.equal(messages.length, 4);
      assert.equal(of(messages, "hidden").at(-1), messages.at(-1));
    }
  });
});

describe("a real process with hidden and visible sessions", function () {
  let process_: ChildProcess;
  let reading: Reading | undefined;
  /** The updates that the agent had written when its pipe was full last. */
  let written: number;
  beforeEach(() => {
    written = 0;
    process_ = spawn(process.execPath, [agentFile], { stdio: ["pipe", "pipe", "inherit", "ipc"] });
    process_.on("message", count => (written = Number(count)));
  });
  afterEach(async () => {
    reading?.reader.dispose();
    const exited = new Promise(resolve => process_.once("exit", resolve));
    process_.kill("SIGKILL");
    await exited;
  });

  function start(budget: ReadBudget): readonly Received[] {
    reading = read(
      stdout(),
      readPace(budget, session => session === "hidden"),
    );
    return reading.messages;
  }
  function stdout(): Readable {
    assert.ok(process_.stdout);
    return process_.stdout;
  }
  function prompt(sessionId: string, text: string): void {
    const params = { sessionId, prompt: [{ type: "text", text }] };
    process_.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id: text, method: "session/prompt", params })}\n`);
  }

  it("is paused while the visible session is behind, and continues when the panel has painted", async () => {
    const { budget, catchUp } = panelBehind();
    const messages = start(budget);
    prompt("shown", "flood");
    await until(() => stdout().isPaused() && budget.isExhausted && written > messages.length);
    const { length } = messages;
    let before = 0;
    // The agent fills its pipe once more, and reports that late.
    await until(async () => {
      before = written;
      await turns(500);
      return written === before;
    });
    assert.ok(stdout().isPaused());
    assert.equal(messages.length, length);
    catchUp();
    await until(() => messages.length > length + 2000 && written > before + 2000);
  });

  it("is paused while 16 MiB wait", async () => {
    const { budget, catchUp } = panelBehind();
    budget.spend(1_000_000);
    const messages = start(budget);
    prompt("shown", "large");
    await until(() => stdout().isPaused());
    assert.equal(messages.length, 0);
    catchUp();
    await until(() => messages.some(({ result }) => result !== undefined));
    assert.equal(of(messages, "shown").length, 40);
  });

  it("delivers the hidden session at once while messages of the visible one wait before it", async () => {
    const { budget, catchUp } = panelBehind();
    budget.spend(1_000_000);
    const messages = start(budget);
    prompt("shown", "begin");
    await until(() => reading?.reader.hasWaitingMessages === true);
    prompt("hidden", "flood");
    await until(() => messages.length > 2000);
    assert.equal(of(messages, "shown").length, 0);
    catchUp();
    await until(() => of(messages, "shown").length === shortUpdates);
  });
});

describe("two sessions of one process, of which the hidden one floods", function () {
  let pool: AgentPool;
  let folder: string;
  const sessions: Session[] = [];
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "parley-pace-"))));
  afterEach(async () => {
    for (const session of sessions.splice(0)) session.dispose();
    await pool.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(): Promise<Session> {
    const definition: AgentDefinition = { id: "streams", name: "Streams", command: process.execPath, args: [agentFile], env: {}, missingFiles: "error", startTimeout: 20 }; // prettier-ignore
    const id = `session${sessions.length}`;
    let ids = 0;
    const newId = (): string => `${id}-${++ids}`;
    const session = new Session({
      id,
      agent: { id: definition.id, name: definition.name },
      workspaceFolder: folder,
      clock: systemClock,
      log: nullLog,
      newId,
      connection: {
        connect: onProgress => pool.get(definition, ({ state }) => onProgress(state)),
        restart: () => pool.stop(definition.id),
      },
      createServices: report => questionServices(new PermissionBroker({ report, newId }), () => {}),
    });
    sessions.push(session);
    await session.open();
    assert.equal(session.state.connection?.state, "ready");
    return session;
  }

  const send = (session: Session, text: string): void => void session.send([{ type: "text", text }]);
  const text = ({ state }: Session): string =>
    [...state.entries]
      .map(entry => (entry.kind === "message" && entry.author === "agent" ? contentText(entry.content) : ""))
      .join("");

  it("shows the answer of the visible one after few messages of the hidden one, and keeps all of those", async () => {
    const { budget } = panelBehind();
    const hidden = (agentSession: string): boolean => agentSession === "stream-1";
    pool = new AgentPool(nullLog, systemClock, "0.0.0", join(folder, "agents"), () => readPace(budget, hidden));
    const [flooding, shown] = [await start(), await start()];
    send(flooding, "flood");
    await until(() => text(flooding).length > 20_000);
    for (let round = 0; round < 5; round++) {
      const before = text(flooding).length;
      send(shown, `answer ${round}`);
      await until(() => text(shown).includes(`answer ${round}`) && !isBusy(shown.state));
      // The pipe and the queues have room for about 2,000 messages of 6 characters.
      const between = (text(flooding).length - before) / "flood ".length;
      assert.ok(between < 10_000, `${between} messages of the hidden session came first`);
    }
    send(shown, "stop");
    await until(() => !isBusy(flooding.state) && !isBusy(shown.state));
    assert.match(text(flooding), /^(?:(?:flood ){39}flood\.\n\n)*(?:flood )*$/);
  });
});
