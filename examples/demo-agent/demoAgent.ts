// The demo agent as an ACP agent: sessions, their options and commands, and one turn at a time in each session.
import { randomUUID } from "node:crypto";
import { isAbsolute } from "node:path";
import {
  agent,
  RequestError,
  type AgentApp,
  type AgentContext,
  type AvailableCommand,
  type ClientCapabilities,
  type ContentBlock,
  type InitializeResponse,
  type SessionConfigOption,
  type StopReason,
} from "@agentclientprotocol/sdk";
import { answer } from "./answer.ts";
import { playScript, scriptFor, startupScript } from "./scriptPlayer.ts";
import type { Output } from "./stdio.ts";
import { modes, Turn, TurnCancelled, type DemoSession, type Mode } from "./turn.ts";

const commands: readonly AvailableCommand[] = [
  { name: "explain", description: "Explain a file", input: { hint: "file" } },
  { name: "fix", description: "Find and fix the bug that makes a test fail", input: { hint: "file" } },
  { name: "test", description: "Run the tests in a terminal" },
  { name: "plan", description: "Plan a refactor" },
  { name: "help", description: "What the demo agent can do" },
];

/** The mode of new sessions. */
const defaultMode: Mode = modes.find(mode => mode === process.env["PARLEY_DEMO_MODE"]) ?? "ask";

/** The demo agent, ready to connect. */
export function demoAgent(output: Output): AgentApp {
  const sessions = new Map<string, DemoSession>();
  const startup = startupScript();
  let capabilities: ClientCapabilities = {};

  const sessionOf = (id: string): DemoSession => {
    const session = sessions.get(id);
    if (!session) throw new RequestError(-32002, `There is no session ${id}.`, { sessionId: id });
    return session;
  };

  return agent({ name: "parley-demo-agent" })
    .onRequest("initialize", ({ params }): InitializeResponse => {
      capabilities = params.clientCapabilities ?? {};
      return {
        protocolVersion: 1,
        agentInfo: { name: "parley-demo-agent", title: "Demo Agent", version: "1.0.0" },
        agentCapabilities: {
          promptCapabilities: { embeddedContext: true, image: true },
          sessionCapabilities: { close: {} },
        },
        authMethods: [],
        ...startup?.initialize,
      };
    })
    .onRequest("session/new", ({ params, client }) => {
      if (!isAbsolute(params.cwd)) throw RequestError.invalidParams(undefined, "cwd must be an absolute path.");
      const session = newSession(params.cwd);
      sessions.set(session.id, session);
      // This runs after the response, because the client learns the session ID from it.
      setImmediate(() => void announceCommands(client, session));
      return { sessionId: session.id, configOptions: configOptions(session, capabilities), ...startup?.newSession };
    })
    .onRequest("session/set_config_option", ({ params }) => {
      const session = sessionOf(params.sessionId);
      const mode = params.configId === "mode" ? modes.find(each => each === params.value) : undefined;
      if (mode !== undefined) {
        session.mode = mode;
        // The change back to asking revokes the permissions that were granted for the session.
        if (mode !== "free") session.alwaysAllowed.clear();
      } else if (params.configId === "thoughts" && typeof params.value === "boolean") {
        session.showThoughts = params.value;
      } else {
        throw RequestError.invalidParams(undefined, `${params.configId} cannot be ${String(params.value)}.`);
      }
      return { configOptions: configOptions(session, capabilities) };
    })
    .onRequest("session/prompt", async ({ params, client, signal }) => {
      const session = sessionOf(params.sessionId);
      if (session.running) throw RequestError.invalidRequest(undefined, "This session is still busy with a prompt.");
      const running = new AbortController();
      session.running = running;
      const stop = (): void => running.abort();
      signal.addEventListener("abort", stop);
      try {
        return { stopReason: await runTurn(client, session, capabilities, running.signal, params.prompt, output) };
      } finally {
        signal.removeEventListener("abort", stop);
        session.running = undefined;
      }
    })
    .onNotification("session/cancel", ({ params }) => sessions.get(params.sessionId)?.running?.abort())
    .onRequest("session/close", ({ params }) => {
      sessionOf(params.sessionId).running?.abort();
      sessions.delete(params.sessionId);
      return {};
    });
}

async function runTurn(
  client: AgentContext,
  session: DemoSession,
  capabilities: ClientCapabilities,
  signal: AbortSignal,
  prompt: readonly ContentBlock[],
  output: Output,
): Promise<StopReason> {
  const script = await scriptFor(session.cwd, prompt);
  if (script) return playScript(script, { client, session, signal, output });
  const turn = new Turn(client, session, capabilities, signal);
  try {
    await answer(turn, prompt);
    return "end_turn";
  } catch (error) {
    if (error instanceof TurnCancelled || signal.aborted) return "cancelled";
    if (error instanceof RequestError) throw error;
    // The SDK would report another kind of error as "Internal error", without the reason.
    throw new RequestError(-32603, error instanceof Error ? error.message : String(error));
  } finally {
    await turn.close();
  }
}

function newSession(cwd: string): DemoSession {
  return {
    id: randomUUID(),
    cwd,
    mode: defaultMode,
    showThoughts: true,
    title: undefined,
    alwaysAllowed: new Set(),
    characters: 0,
    running: undefined,
  };
}

async function announceCommands(client: AgentContext, session: DemoSession): Promise<void> {
  try {
    const update = { sessionUpdate: "available_commands_update" as const, availableCommands: [...commands] };
    await client.notify("session/update", { sessionId: session.id, update });
  } catch (error) {
    // The client disconnected after its request.
    process.stderr.write(`The commands could not be announced: ${String(error)}\n`);
  }
}

function configOptions(session: DemoSession, capabilities: ClientCapabilities): SessionConfigOption[] {
  const mode: SessionConfigOption = {
    id: "mode",
    name: "Mode",
    category: "mode",
    type: "select",
    currentValue: session.mode,
    options: [
      {
        value: "read",
        name: "Read-only",
        description: "Asks each time before it changes a file or runs a command",
      },
      {
        value: "ask",
        name: "Ask before edits",
        description: "Shows every change and command and waits for your approval",
      },
      { value: "free", name: "Edit freely", description: "Edits files and runs the tests without asking" },
    ],
  };
  if (!capabilities.session?.configOptions?.boolean) return [mode];
  const thoughts: SessionConfigOption = {
    id: "thoughts",
    name: "Show thoughts",
    description: "Shows the agent's thoughts while it works",
    type: "boolean",
    currentValue: session.showThoughts,
  };
  return [mode, thoughts];
}
