// A real session with an agent that a test controls line by line.
import type { Problem } from "../../../src/base/errors.ts";
import { Emitter } from "../../../src/base/lifecycle.ts";
import { nullLog } from "../../../src/base/log.ts";
import type { AgentConnection } from "../../../src/acp/connect.ts";
import type { LoggedEvent } from "../../../src/session/events.ts";
import { PermissionBroker } from "../../../src/permissions/permissionBroker.ts";
import { Session } from "../../../src/session/session.ts";
import { contentText, type SessionState } from "../../../src/session/state.ts";
import type { View } from "../../../src/panel/protocol.ts";
import { FakeClock } from "./fakePorts.ts";
import { emptyHead } from "./heads.ts";
import { questionServices } from "./questionRoom.ts";
import { until } from "./until.ts";
import { WireAgent, type SentMessage } from "./wireAgent.ts";
import { replayAtOnce, WholeProjector } from "./wholeViews.ts";

interface WireSessionOptions {
  /** Of the protocol. 2 unless given. */
  readonly version?: 1 | 2;
  /** What the agent advertises. */
  readonly capabilities?: object;
}

/** The session is named `s` at the agent. */
export class WireSession {
  agent = new WireAgent();
  readonly version: 1 | 2;
  readonly clock = new FakeClock();
  /** The whole log, also of earlier windows. */
  readonly log: LoggedEvent[];
  readonly session: Session;
  #connected: AgentConnection | undefined;
  #died = new Emitter<Problem>();

  constructor(past?: readonly LoggedEvent[], options: WireSessionOptions = {}) {
    const { version = 2, capabilities = version === 2 ? { session: { resume: {} } } : {} } = options;
    this.version = version;
    this.log = [...(past ?? [])];
    let minted = this.log.length;
    this.session = new Session({
      id: "session",
      agent: { id: "robo", name: "Robo" },
      workspaceFolder: "/w",
      clock: this.clock,
      log: nullLog,
      newId: () => `s${++minted}`,
      connection: {
        connect: async () => {
          const connecting = this.agent.connect(undefined, { protocol: version, limitClock: this.clock });
          const info = { name: "robo", title: "Robo", version: "2" };
          const introduction =
            version === 2 ? { info, capabilities } : { agentInfo: info, agentCapabilities: capabilities };
          this.agent.answer(await this.agent.request("initialize"), { protocolVersion: version, ...introduction });
          this.#connected = await connecting;
          return { agent: this.#connected.agent, onDidDie: this.#died.event, hasEnded: () => false };
        },
        restart: () => Promise.reject(new Error("Nothing restarts here.")),
      },
      createServices: dispatch => {
        const broker = new PermissionBroker({ report: dispatch, newId: () => `q${++minted}` });
        return questionServices(broker, () => undefined);
      },
      onLog: one => this.log.push(one),
      ...(past && { earlier: replayAtOnce(past, nullLog) }),
    });
  }

  /** Opens a new session at the agent. */
  async opened(): Promise<this> {
    const opening = this.session.open();
    this.agent.answer(await this.agent.request("session/new"), { sessionId: "s" });
    await opening;
    return this;
  }

  get state(): SessionState {
    return this.session.state;
  }

  /** What the panel shows. */
  get view(): View {
    return new WholeProjector().project(this.state, emptyHead);
  }

  /** The prompts that wait, as text. */
  get queued(): readonly string[] {
    return this.state.pendingPrompts.map(({ content }) => contentText(content));
  }

  /** The messages, as `author: text`, with `(excluded)` if they are no part of the conversation. */
  get messages(): readonly string[] {
    return [...this.state.entries].flatMap(entry =>
      entry.kind === "message"
        ? [`${entry.author}: ${contentText(entry.content)}${entry.excluded ? " (excluded)" : ""}`]
        : [],
    );
  }

  /** Sends a prompt of the user. Resolves with the request. */
  async send(text: string): Promise<SentMessage> {
    this.session.send([{ type: "text", text }]);
    return this.agent.request("session/prompt");
  }

  update(sessionUpdate: string, fields: object = {}): void {
    this.agent.update("s", { sessionUpdate, ...fields });
  }
  running(): void {
    this.update("state_update", { state: "running" });
  }
  idle(fields: object = { stopReason: "end_turn" }): void {
    this.update("state_update", { state: "idle", ...fields });
  }
  message(author: "user" | "agent", messageId: string, text: string): void {
    this.update(`${author}_message`, { messageId, content: [{ type: "text", text }] });
  }

  /** Resolves when everything that the agent sent so far is processed. */
  async processed(): Promise<void> {
    const title = `mark ${Math.random()}`;
    this.update("notice", { severity: "info", title });
    await until(() => [...this.state.entries].some(entry => entry.kind === "notice" && entry.title === title));
    for (let i = 0; i < 3; i++) await new Promise(resolve => setImmediate(resolve));
  }

  /** The methods that the session has sent and no test has taken. */
  get sent(): readonly string[] {
    return this.agent.received.flatMap(({ method }) => method ?? []);
  }

  /** A whole turn with a prompt that the agent repeats. */
  async turn(text: string, messageId: string, answer: string): Promise<void> {
    const request = await this.send(text);
    this.agent.answer(request, { messageId });
    this.message("user", messageId, text);
    this.running();
    this.message("agent", `answer to ${messageId}`, answer);
    this.idle();
    await this.processed();
  }

  /** The window reloads: the session in the new window, which is not open yet. */
  reloaded(): WireSession {
    this.dispose();
    return new WireSession(this.log, { version: this.version });
  }

  /** Opens the session again. `repeat`: what the agent sends before it answers. Resolves with the request. */
  async resumed(repeat: () => void = () => {}): Promise<SentMessage> {
    const opening = this.session.open();
    const resume = await this.agent.request("session/resume");
    repeat();
    this.agent.answer(resume, {});
    await opening;
    await this.processed();
    return resume;
  }

  /** The agent's process ends. The next connection is to a new one. */
  loseAgent(): void {
    this.#connected?.dispose();
    this.#connected = undefined;
    this.agent = new WireAgent();
    const died = this.#died;
    this.#died = new Emitter();
    died.fire({ message: "Robo ended.", next: ["restartAgent"] });
  }

  dispose(): void {
    this.session.dispose();
    this.#connected?.dispose();
  }
}
