// An agent made of promises that a test settles, to test how Session uses an agent, whatever its protocol.
import type { Agent, AgentClient, AgentSession } from "../../../src/session/agent.ts";
import type { ContentBlock, SessionEvent } from "../../../src/session/events.ts";

/** A session of a {@link StubAgent}, and the requests it received. */
export class StubSession implements AgentSession {
  readonly sessionId: string;
  readonly client: AgentClient;
  readonly prompts: (readonly ContentBlock[])[] = [];
  cancels = 0;
  disposed = false;
  promptError: Error | undefined;
  constructor(sessionId: string, client: AgentClient) {
    this.sessionId = sessionId;
    this.client = client;
  }

  async prompt(content: readonly ContentBlock[]): Promise<{ readonly messageId: string }> {
    this.prompts.push(content);
    if (this.promptError) throw this.promptError;
    const messageId = `u${this.prompts.length}`;
    this.report({ type: "message", author: "user", messageId, content });
    this.report({ type: "activity", state: "running" });
    return { messageId };
  }
  cancel(): void {
    this.cancels++;
  }
  async setOption(): Promise<void> {}
  dispose(): void {
    this.disposed = true;
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
    capabilities: { image: false, audio: false, embeddedContext: false, load: false },
  };
  readonly sessions: StubSession[] = [];
  /** A promise that delays the response. */
  ready: Promise<void> = Promise.resolve();

  async open(_request: { readonly cwd: string }, client: AgentClient): Promise<AgentSession> {
    await this.ready;
    const session = new StubSession(`r${this.sessions.length}`, client);
    this.sessions.push(session);
    return session;
  }
}
