// An agent for a server that keeps its sessions when a connection ends. Each prompt asks one question, and answers with
// several messages. A prompt `write <path>` writes the file through the client.
import { agent, methods, type ContentBlock } from "@agentclientprotocol/sdk";
import type { AgentFactory } from "@agentclientprotocol/sdk/experimental/server";

/** What a session has, in order: prompts of the user and words of the agent. */
type Line = { readonly from: "user" | "agent"; readonly id: string; readonly text: string };

/** What the agent saw, over all connections. */
export interface RemoteAgentRecord {
  readonly sessions: Map<string, Line[]>;
  /** The parameters of each `initialize`, in order. */
  readonly introductions: unknown[];
  /** The folders of the sessions that were opened. */
  readonly folders: string[];
  /** The requests that continued sessions. */
  readonly continued: string[];
  /** The answers to its questions. */
  readonly answers: string[];
}

export interface RemoteAgentOptions {
  /** How sessions continue. Absent: by both. */
  readonly continues?: readonly ("load" | "resume")[];
}

/** A factory for connections to one agent, and what the agent saw. */
export function remoteAgent(options: RemoteAgentOptions = {}): {
  readonly create: AgentFactory;
  readonly record: RemoteAgentRecord;
} {
  const { continues = ["load", "resume"] } = options;
  const record: RemoteAgentRecord = {
    sessions: new Map(),
    ...{ introductions: [], folders: [], continued: [], answers: [] },
  };
  let ids = 0;
  const create: AgentFactory = () =>
    agent({ name: "remote-agent" })
      .onRequest(methods.agent.initialize, ({ params }) => {
        record.introductions.push(params);
        return {
          protocolVersion: 1,
          agentInfo: { name: "remote-agent", title: "Remote Agent", version: "1.0.0" },
          agentCapabilities: {
            loadSession: continues.includes("load"),
            ...(continues.includes("resume") && { sessionCapabilities: { resume: {} } }),
          },
        };
      })
      .onRequest(methods.agent.session.new, ({ params }) => {
        const sessionId = `session-${++ids}`;
        record.folders.push(params.cwd);
        record.sessions.set(sessionId, []);
        return { sessionId };
      })
      .onRequest(methods.agent.session.load, async ({ params, client }) => {
        const { sessionId } = params;
        record.continued.push("load");
        for (const { from, id, text } of record.sessions.get(sessionId) ?? []) {
          const sessionUpdate = from === "user" ? "user_message_chunk" : "agent_message_chunk";
          const content = { type: "text" as const, text };
          await client.notify(methods.client.session.update, {
            sessionId,
            update: { sessionUpdate, messageId: id, content },
          });
        }
        return {};
      })
      .onRequest(methods.agent.session.resume, () => {
        record.continued.push("resume");
        return {};
      })
      .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
        const { sessionId } = params;
        const lines = record.sessions.get(sessionId) ?? [];
        record.sessions.set(sessionId, lines);
        const text = params.prompt.map((block: ContentBlock) => (block.type === "text" ? block.text : "")).join("");
        lines.push({ from: "user", id: `m${++ids}`, text });
        const say = async (words: string): Promise<void> => {
          const id = `m${++ids}`;
          lines.push({ from: "agent", id, text: words });
          const content = { type: "text" as const, text: words };
          await client.notify(methods.client.session.update, {
            sessionId,
            update: { sessionUpdate: "agent_message_chunk", messageId: id, content },
          });
        };
        await say(`You said: ${text}`);
        const toolCallId = `t${++ids}`;
        await client.notify(methods.client.session.update, {
          sessionId,
          update: { sessionUpdate: "tool_call", toolCallId, title: "Deploy", kind: "other", status: "pending" },
        });
        const { outcome } = await client.request(methods.client.session.requestPermission, {
          sessionId,
          toolCall: { toolCallId },
          options: [
            { optionId: "yes", name: "Allow", kind: "allow_once" },
            { optionId: "no", name: "Reject", kind: "reject_once" },
          ],
        });
        const answer = outcome.outcome === "selected" ? outcome.optionId : "cancelled";
        record.answers.push(answer);
        await client.notify(methods.client.session.update, {
          sessionId,
          update: { sessionUpdate: "tool_call_update", toolCallId, status: "completed" },
        });
        const [, path] = /^write (.+)$/.exec(text) ?? [];
        if (path !== undefined && answer === "yes")
          await client.request(methods.client.fs.writeTextFile, {
            sessionId,
            path,
            content: "written on the server\n",
          });
        await say(`You answered: ${answer}`);
        return { stopReason: "end_turn" as const };
      });
  return { create, record };
}
