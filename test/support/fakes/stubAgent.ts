// An agent made of promises that a test settles, to test how Session uses an agent, whatever its protocol.
import type { Agent, AgentClient, AgentSession, OpenSessionRequest } from "../../../src/session/agent.ts";
import type { ContentBlock, SessionEvent, SessionOption } from "../../../src/session/events.ts";

/** A session of a {@link StubAgent}, and the requests it received. */
export class StubSession implements AgentSession {
  readonly sessionId: string;
  readonly client: AgentClient;
  readonly prompts: (readonly ContentBlock[])[] = [];
  /** What each prompt got besides the message. */
  readonly contexts: (readonly ContentBlock[])[] = [];
  cancels = 0;
  disposed = false;
  closed = false;
  promptError: Error | undefined;
  /** Prompts are accepted, and a test reports when the agent begins to work on them. */
  acceptsOnly = false;
  /** What the agent does before it accepts a prompt. */
  onPrompt: (messageId: string) => void | Promise<void> = () => {};
  holdsPrompts?: boolean;
  sendWhileRunning?: AgentSession["sendWhileRunning"];
  /** The options that were set, and prompts, in order. */
  readonly requests: string[] = [];
  /** What the agent does with a value. It accepts and reports the value unless a test decides otherwise. */
  onSetOption: (id: string, value: string | boolean) => Promise<void> = async (id, value) =>
    this.report({ type: "option", id, value });
  constructor(sessionId: string, client: AgentClient) {
    this.sessionId = sessionId;
    this.client = client;
  }

  async prompt(
    content: readonly ContentBlock[],
    context: readonly ContentBlock[] = [],
  ): Promise<{ readonly messageId: string }> {
    this.prompts.push(content);
    this.contexts.push(context);
    this.requests.push(`prompt ${this.texts.at(-1)}`);
    if (this.promptError) throw this.promptError;
    const messageId = `u${this.prompts.length}`;
    await this.onPrompt(messageId);
    this.report({ type: "message", author: "user", messageId, content });
    if (!this.acceptsOnly) this.report({ type: "activity", state: "running" });
    return { messageId };
  }
  cancel(): void {
    this.cancels++;
  }
  async cancelTool(toolCallId: string): Promise<void> {
    this.requests.push(`cancel ${toolCallId}`);
  }
  async cancelTerminal(terminalId: string): Promise<void> {
    this.requests.push(`cancel ${terminalId}`);
  }
  setOption(id: string, value: string | boolean): Promise<void> {
    this.requests.push(`${id} = ${value}`);
    return this.onSetOption(id, value);
  }
  dispose(): void {
    this.disposed = true;
  }
  close(): void {
    this.closed = true;
    this.dispose();
  }

  report(event: SessionEvent): void {
    this.client.report(event);
  }
  /** Ends the turn. */
  end(stopReason = "end_turn"): void {
    this.report({ type: "activity", state: "idle", stopReason });
  }
  /** The prompts so far, as text. */
  get texts(): readonly string[] {
    return this.prompts.map(content => content.map(block => (block.type === "text" ? block.text : "?")).join(""));
  }
}

export class StubAgent implements Agent {
  readonly info = {
    name: "Stub",
    version: "1",
    protocolVersion: 1,
    capabilities: { image: false, audio: false, embeddedContext: false },
  };
  readonly signInMethods = [];
  authenticate(): Promise<void> {
    return Promise.resolve();
  }
  readonly sessions: StubSession[] = [];
  /** The options that each new session reports. */
  options: readonly SessionOption[] | undefined;
  /** Called with each new session, before anything uses it. */
  onOpen: (session: StubSession) => void = () => {};
  /** Continues sessions, if a test defines it. */
  continueSession?: NonNullable<Agent["continueSession"]>;
  loadsSession?: NonNullable<Agent["loadsSession"]>;
  /** A promise that delays the response. */
  ready: Promise<void> = Promise.resolve();

  async open(_request: OpenSessionRequest, client: AgentClient): Promise<AgentSession> {
    await this.ready;
    const session = new StubSession(`r${this.sessions.length}`, client);
    this.sessions.push(session);
    session.report({ type: "agentSession", sessionId: session.sessionId });
    this.onOpen(session);
    if (this.options) session.report({ type: "options", options: this.options });
    return session;
  }
}
