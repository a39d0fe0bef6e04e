// Recorded messages of real agents with random changes, over the real wire into a session, its view and its log.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { ProtocolVersion } from "../../src/acp/handshake.ts";
import { Emitter } from "../../src/base/lifecycle.ts";
import { nullLog, type Log } from "../../src/base/log.ts";
import { WholeProjector, replayAtOnce } from "../support/fakes/wholeViews.ts";
import { PermissionBroker } from "../../src/permissions/permissionBroker.ts";
import type { LoggedEvent } from "../../src/session/events.ts";
import { readSession, SessionWriter } from "../../src/session/log/sessionStore.ts";
import { Session } from "../../src/session/session.ts";
import type { Agent } from "../../src/session/agent.ts";
import { isBusy, type SessionState } from "../../src/session/state.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { questionServices } from "../support/fakes/questionRoom.ts";
import { StoredFiles } from "../support/fakes/storedData.ts";
import { messageOf, readTranscript, transcriptNames, type RecordedMessage } from "../support/fakes/transcript.ts";
import { until } from "../support/fakes/until.ts";
import { WireAgent } from "../support/fakes/wireAgent.ts";
import { fuzz, leaveNothingBehind, memoryInUse } from "./fuzz.ts";
import { version2Messages } from "./version2Messages.ts";
import { byteChange, changeBytes, changeJson, jsonChange, jsonText, valuesByName } from "./mutations.ts";
import { emptyHead } from "../support/fakes/heads.ts";

const sessionId = "session";
/** The longest recorded message that is used, in characters. Longer ones only take longer. */
const maxLength = 4000;

/** What agents have sent, except responses, once for each shape. */
function recordedMessages(): readonly RecordedMessage[] {
  const shapes = new Map<string, RecordedMessage>();
  for (const name of transcriptNames()) {
    for (const line of readTranscript(name)) {
      const message = line.dir === "a>c" ? messageOf(line) : undefined;
      if (message?.method === undefined || JSON.stringify(message).length > maxLength) continue;
      const keys: string[] = [message.method];
      JSON.stringify(
        message,
        (key, value: unknown) => (keys.push(key, key === "sessionUpdate" ? String(value) : ""), value),
      );
      const params = { ...message.params, ...("sessionId" in (message.params ?? {}) && { sessionId }) };
      shapes.set(keys.join(), { ...message, params });
    }
  }
  return [...shapes.values()];
}

/** At most this many messages are sent in a turn. */
const maxMessages = 25;
/** This many changed messages are sent in each version, in turns of {@link maxMessages}. 0: 200 turns of any length. */
const messageCount = Number(process.env["FUZZ_MESSAGES"] ?? 0);
/** The sessions together may keep at most this much memory (bytes). */
const maxMemory = 50 * 1024 * 1024;

/** The text that an agent sends in a last turn, to check that the session still works. */
const canary = "The session still works.";

/** A session whose agent is the test. Collects every error that is logged or thrown on the way to the view. */
class Conversation {
  readonly errors: string[] = [];
  readonly events: LoggedEvent[] = [];
  readonly #wire = new WireAgent();
  readonly #died = new Emitter<never>();
  readonly #log: Log = { ...nullLog, error: (message, detail) => this.errors.push(`${message} ${String(detail)}`) };
  readonly #projector = new WholeProjector(undefined, undefined, error => this.errors.push(String(error)));
  readonly #version: ProtocolVersion;
  #session: Session | undefined;
  #prompts = 0;

  constructor(version: ProtocolVersion) {
    this.#version = version;
  }

  async #connect(): Promise<Agent> {
    const connected = this.#wire.connect(undefined, { protocol: this.#version });
    this.#wire.answer(await this.#wire.request("initialize"), { protocolVersion: this.#version });
    return (await connected).agent;
  }

  async start(): Promise<void> {
    const agent = await this.#connect();
    let minted = 0;
    const session = new Session({
      id: sessionId,
      agent: { id: "hostile", name: "Hostile" },
      workspaceFolder: "/work",
      clock: new FakeClock(),
      log: this.#log,
      newId: () => `s${++minted}`,
      connection: {
        connect: () => Promise.resolve({ agent, onDidDie: this.#died.event, hasEnded: () => false }),
        restart: () => Promise.resolve(),
      },
      createServices: report =>
        questionServices(new PermissionBroker({ report, newId: () => `q${++minted}` }), () => {}),
      onLog: logged => this.events.push(logged),
    });
    this.#session = session;
    const opened = session.open();
    this.#wire.answer(await this.#wire.request("session/new"), { sessionId });
    await opened;
  }

  get state(): SessionState {
    return (this.#session ?? assert.fail("Start it first.")).state;
  }

  /** A turn in which the agent sends these bytes. */
  async turn(bytes: readonly Buffer[]): Promise<void> {
    this.#session?.send([{ type: "text", text: "go" }]);
    const prompt = await this.#wire.request("session/prompt");
    const isNext = this.#version === 2;
    if (isNext) {
      this.#wire.answer(prompt, { messageId: `prompt ${++this.#prompts}` });
      this.#wire.update(sessionId, { sessionUpdate: "state_update", state: "running" });
    }
    for (const each of bytes) this.#wire.stdout.write(each);
    if (isNext) {
      this.#wire.line("");
      this.#wire.update(sessionId, { sessionUpdate: "state_update", state: "idle", background: [] });
    } else this.#wire.answer(prompt, { stopReason: "end_turn" });
    await until(() => !isBusy(this.state) && this.state.pendingPrompts.length === 0);
  }

  async turnWith(text: string): Promise<void> {
    const update = { sessionUpdate: "agent_message_chunk", messageId: "canary", content: { type: "text", text } };
    await this.turn([
      Buffer.from(`\n${JSON.stringify({ method: "session/update", params: { sessionId, update } })}\n`),
    ]);
    await until(() => this.shown().includes(text));
  }

  shown(state: SessionState = this.state): string {
    return JSON.stringify([...this.#projector.project(state, emptyHead).entries]);
  }

  /** What a later window shows: the session is written to disk, read and replayed. */
  async restored(): Promise<string> {
    const files = new StoredFiles({});
    const writer = new SessionWriter({
      storage: files,
      session: "s",
      isNew: true,
      clock: new FakeClock(),
      log: this.#log,
    });
    for (const logged of this.events) writer.write(logged);
    await writer.flush();
    writer.dispose();
    const projector = new WholeProjector(undefined, undefined, error => this.errors.push(String(error)));
    const { state } = replayAtOnce((await readSession(files, "s")) ?? [], this.#log);
    return JSON.stringify([...projector.project(state, emptyHead).entries]);
  }

  dispose(): void {
    this.#session?.dispose();
    this.#died.dispose();
    this.#wire.stdout.end();
    this.#wire.stdin.end();
  }
}

describe("an agent that sends anything", () => {
  leaveNothingBehind();
  const recorded = recordedMessages();
  assert.ok(recorded.length > 100, `${recorded.length} recorded messages`);
  const next = version2Messages(sessionId);

  const changed = (messages: readonly object[]): fc.Arbitrary<Buffer> => {
    const others = valuesByName(messages);
    return fc
      .tuple(
        fc.constantFrom(...messages),
        fc.array(jsonChange, { maxLength: 3 }),
        fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(byteChange, { maxLength: 3 })),
      )
      .map(([message, inside, outside]) => {
        const line = Buffer.from(jsonText(changeJson(message, inside, others)));
        return Buffer.concat([changeBytes(line, outside), Buffer.from("\n")]);
      });
  };

  for (const [version, messages] of [
    [1, recorded],
    [2, next],
  ] as const) {
    it(`cannot end its session in version ${version}, and what the panel shows is what is stored`, async () => {
      const minLength = messageCount > 0 ? maxMessages : 1;
      let sent = 0;
      const turns = fc.array(changed(messages), { minLength, maxLength: maxMessages });
      const property = fc.asyncProperty(turns, async lines => {
        sent += lines.length;
        const conversation = new Conversation(version);
        try {
          await conversation.start();
          await conversation.turn(lines);
          conversation.shown();
          await conversation.turnWith(canary);
          const shown = conversation.shown();
          assert.ok(shown.includes(canary), "the next turn is shown");
          assert.equal(await conversation.restored(), shown);
          assert.deepEqual(conversation.errors, []);
        } finally {
          conversation.dispose();
        }
      });
      const before = memoryInUse();
      await fuzz(property, messageCount > 0 ? Math.ceil(messageCount / maxMessages) : 200);
      const kept = memoryInUse() - before;
      const megabytes = (kept / 1024 / 1024).toFixed(1);
      console.log(`      version ${version}: ${sent} changed messages, ${megabytes} MiB more memory in use`);
      assert.ok(kept < maxMemory, `${megabytes} MiB are kept`);
      assert.ok(sent >= messageCount);
    }).timeout(120_000 * Number(process.env["FUZZ_FACTOR"] ?? 1) + 20 * messageCount);
  }
});
