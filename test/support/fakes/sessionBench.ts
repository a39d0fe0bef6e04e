// A session with a stub agent that a test controls step by step.
import assert from "node:assert/strict";
import type { Problem } from "../../../src/base/errors.ts";
import { Emitter } from "../../../src/base/lifecycle.ts";
import { nullLog } from "../../../src/base/log.ts";
import type { ConnectionState, LoggedEvent, SessionEvent } from "../../../src/session/events.ts";
import type { InitialChoices } from "../../../src/session/choices.ts";
import type { AgentConnector } from "../../../src/session/agent.ts";
import { replayAtOnce } from "./wholeViews.ts";
import { Session } from "../../../src/session/session.ts";
import { PermissionBroker } from "../../../src/permissions/permissionBroker.ts";
import { FakeClock } from "./fakePorts.ts";
import { questionServices } from "./questionRoom.ts";
import { StubAgent, type StubSession } from "./stubAgent.ts";

export const exitedProblem: Problem = { message: "Stub ended with code 1.", next: ["restartAgent"] };

/** The session and its stub agent. */
export class SessionBench implements AgentConnector {
  agent = new StubAgent();
  died = new Emitter<Problem>();
  restarts = 0;
  connects = 0;
  refuse: Error | undefined;
  /** Whether the agent's output has ended. */
  ended = false;
  /** The promise that a start waits for. */
  gate: Promise<void> = Promise.resolve();
  readonly log: LoggedEvent[] = [];
  readonly warnings: string[] = [];
  readonly clock = new FakeClock();
  readonly session: Session;
  /** What the options of a new session get. */
  initialChoices: InitialChoices = { defaults: {}, last: {} };
  /** Whether the agent may read an earlier conversation again, and how often the session asked. */
  mayContinue = true;
  continueQuestions = 0;
  broker: PermissionBroker | undefined;
  /** Prepares the folder before the agent starts. */
  prepareFolder: ((signal: AbortSignal, dispatch: (event: SessionEvent) => void) => Promise<void>) | undefined;
  /** How often the session's services were asked to end the agent's commands. */
  endTerminalsCount = 0;

  constructor(past?: readonly LoggedEvent[]) {
    // Never reuse an id of an earlier run.
    let minted = past?.length ?? 0;
    this.session = new Session({
      id: "session",
      agent: { id: "stub", name: "Stub" },
      workspaceFolder: "/w",
      clock: this.clock,
      log: { ...nullLog, error: message => this.warnings.push(message) },
      newId: () => `s${++minted}`,
      connection: this,
      createServices: dispatch => {
        this.broker = new PermissionBroker({ report: dispatch, newId: () => `q${++minted}` });
        const services = questionServices(this.broker, () => this.endTerminalsCount++);
        return Object.defineProperty(services, "prepareFolder", {
          get: () => this.prepareFolder && ((signal: AbortSignal) => this.prepareFolder?.(signal, dispatch)),
        });
      },
      onLog: one => this.log.push(one),
      initialChoices: () => this.initialChoices,
      resumption: {
        mayContinue: () => {
          this.continueQuestions++;
          return Promise.resolve(this.mayContinue);
        },
      },
      ...(past && { earlier: replayAtOnce(past, { ...nullLog, error: message => this.warnings.push(message) }) }),
    });
  }

  /** The agent accepts prompts while it works, and repeats each. */
  acceptsPromptsWhileRunning(): void {
    this.agent.onOpen = session =>
      (session.sendWhileRunning = async content => {
        session.prompts.push(content);
        session.report({ type: "message", author: "user", messageId: "steered", content });
        return { messageId: "steered" };
      });
  }

  async connect(onProgress: (state: ConnectionState) => void): ReturnType<AgentConnector["connect"]> {
    this.connects++;
    onProgress("starting");
    const { agent, died, refuse } = this;
    await this.gate;
    if (refuse) throw refuse;
    return { agent, onDidDie: died.event, hasEnded: () => this.ended };
  }
  async restart(): Promise<void> {
    this.restarts++;
    this.agent = new StubAgent();
    this.died = new Emitter<Problem>();
  }

  get remote(): StubSession {
    const last = this.agent.sessions.at(-1);
    assert.ok(last, "no session was opened");
    return last;
  }
  get entryKinds(): readonly string[] {
    return [...this.session.state.entries].map(entry => entry.kind);
  }
  get queued(): readonly string[] {
    return this.session.state.pendingPrompts.map(s => s.content.map(c => (c.type === "text" ? c.text : "")).join(""));
  }
  send(text: string): void {
    this.session.send([{ type: "text", text }]);
  }
  async openReady(): Promise<this> {
    await this.session.open();
    assert.equal(this.session.state.connection?.state, "ready");
    return this;
  }
  /** Lets all settled promises continue. */
  async flushPromises(): Promise<void> {
    for (let i = 0; i < 3; i++) await new Promise(resolve => setImmediate(resolve));
  }
}

export const permissionQuestion = {
  title: "May I?",
  toolCallId: "t",
  options: [{ id: "y", name: "Yes", kind: "allow_once" }],
};
