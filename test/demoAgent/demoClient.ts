// A small, well-behaved ACP client for the tests of the demo agent. It runs a real demo agent process and is built on
// the official SDK.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { Readable, Writable } from "node:stream";
import {
  client,
  ndJsonStream,
  RequestError,
  type ClientCapabilities,
  type ClientConnection,
  type ContentBlock,
  type InitializeResponse,
  type NewSessionResponse,
  type PromptResponse,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import * as esbuild from "esbuild";

/** All client capabilities that the demo agent uses. */
const allCapabilities: ClientCapabilities = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  session: { configOptions: { boolean: {} } },
};

/** Bundles the demo agent into a temporary folder, like the build does. */
export async function bundleDemoAgent(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "parley-test-agent-"));
  const outfile = join(folder, "demo-agent.mjs");
  await esbuild.build({
    entryPoints: ["examples/demo-agent/main.ts"],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    outfile,
    logLevel: "warning",
  });
  return outfile;
}

/** A fresh copy of the sample workspace. */
export async function sampleWorkspace(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "parley-test-workspace-"));
  await cp(resolve("examples/sample-workspace"), folder, { recursive: true });
  return folder;
}

/** A workspace with the given files. */
export async function workspaceOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "parley-test-workspace-"));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

/** The client's behavior. */
export interface ClientSetup {
  readonly cwd: string;
  readonly capabilities?: ClientCapabilities;
  readonly env?: Readonly<Record<string, string>>;
  /** The option chosen at each question; waits forever while it returns undefined. */
  readonly choose?: (question: RequestPermissionRequest) => string | undefined;
  /** Unsaved text, by absolute path. */
  readonly buffers?: ReadonlyMap<string, string>;
}

interface TerminalRecord {
  readonly exited: Promise<{ readonly exitCode: number | null; readonly signal: string | null }>;
  readonly kill: () => void;
  output: string;
}

/** A demo agent process and its client. */
export class DemoClient {
  readonly updates: SessionUpdate[] = [];
  readonly questions: RequestPermissionRequest[] = [];
  readonly filesRead: string[] = [];
  readonly commands: string[] = [];
  /** Terminals that were created and not yet released. */
  readonly terminals = new Map<string, TerminalRecord>();
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  readonly connection: ClientConnection;
  stderr = "";
  #watchers = new Set<() => void>();
  #written = new Map<string, string>();
  #openPermissions = new Set<(cancelled: boolean) => void>();
  #nextTerminal = 1;
  readonly #setup: ClientSetup;

  constructor(agentFile: string, setup: ClientSetup) {
    this.#setup = setup;
    this.child = spawn(process.execPath, [agentFile], {
      env: { ...process.env, ELECTRON_RUN_AS_NODE: "1", PARLEY_DEMO_SPEED: "0", ...setup.env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.child.stderr.on("data", (chunk: Buffer) => (this.stderr += chunk.toString("utf8")));
    this.exited = new Promise(done => this.child.on("exit", (code, signal) => done({ code, signal })));
    this.connection = this.#connect();
  }

  /** Starts an agent, initializes it, and opens a session in the folder. */
  static async open(
    agentFile: string,
    setup: ClientSetup,
  ): Promise<{ readonly agent: DemoClient; readonly sessionId: string; readonly session: NewSessionResponse }> {
    const agent = new DemoClient(agentFile, setup);
    await agent.initialize();
    const session = await agent.newSession();
    return { agent, sessionId: session.sessionId, session };
  }

  async initialize(): Promise<InitializeResponse> {
    const clientCapabilities = this.#setup.capabilities ?? allCapabilities;
    return this.connection.agent.request("initialize", { protocolVersion: 1, clientCapabilities });
  }

  async newSession(): Promise<NewSessionResponse> {
    return this.connection.agent.request("session/new", { cwd: this.#setup.cwd, mcpServers: [] });
  }

  async prompt(sessionId: string, prompt: string | ContentBlock[]): Promise<PromptResponse> {
    const blocks: ContentBlock[] = typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt;
    return this.connection.agent.request("session/prompt", { sessionId, prompt: blocks });
  }

  /** Cancels a session as the protocol requires: open questions are answered "cancelled". */
  async cancel(sessionId: string): Promise<void> {
    for (const settle of this.#openPermissions) settle(true);
    await this.connection.agent.notify("session/cancel", { sessionId });
  }

  /** The text of all agent messages. */
  get messageText(): string {
    return this.#text("agent_message_chunk");
  }

  /** The text of all thoughts. */
  get thought(): string {
    return this.#text("agent_thought_chunk");
  }

  /** The final state of the tool calls, in the order in which they began. */
  get tools(): readonly Extract<SessionUpdate, { sessionUpdate: "tool_call" }>[] {
    const byId = new Map<string, Extract<SessionUpdate, { sessionUpdate: "tool_call" }>>();
    for (const update of this.updates) {
      if (update.sessionUpdate === "tool_call") byId.set(update.toolCallId, { ...update });
      if (update.sessionUpdate !== "tool_call_update") continue;
      const known = byId.get(update.toolCallId);
      if (known)
        Object.assign(known, Object.fromEntries(Object.entries(update).filter(([key]) => key !== "sessionUpdate")));
    }
    return [...byId.values()];
  }

  /** Resolves when the condition holds; checks it after every message. */
  async until(condition: () => boolean): Promise<void> {
    if (condition()) return;
    await new Promise<void>(done => {
      const watch = (): void => {
        if (!condition()) return;
        this.#watchers.delete(watch);
        done();
      };
      this.#watchers.add(watch);
    });
  }

  /** Ends the agent like a client does: closes its stdin, and waits for the exit. */
  async close(): Promise<void> {
    this.child.stdin.end();
    await this.exited;
  }

  #text(kind: SessionUpdate["sessionUpdate"]): string {
    return this.updates
      .map(update => {
        if (update.sessionUpdate !== kind || !("content" in update)) return "";
        const { content } = update;
        return content && !Array.isArray(content) && content.type === "text" ? content.text : "";
      })
      .join("");
  }

  #noticed(): void {
    for (const watch of [...this.#watchers]) watch();
  }

  #connect(): ClientConnection {
    const input = Readable.toWeb(this.child.stdout) as ReadableStream<Uint8Array>;
    const stream = ndJsonStream(Writable.toWeb(this.child.stdin) as WritableStream<Uint8Array>, input);
    return client({ name: "demo-client" })
      .onNotification("session/update", ({ params }) => {
        this.updates.push(params.update);
        this.#noticed();
      })
      .onRequest("session/request_permission", async ({ params }) => this.#answer(params))
      .onRequest("fs/read_text_file", async ({ params }) => ({ content: await this.#readFile(params.path) }))
      .onRequest("fs/write_text_file", async ({ params }) => {
        await writeFile(params.path, params.content);
        this.#written.set(params.path, params.content);
        return {};
      })
      .onRequest("terminal/create", ({ params }) => {
        this.commands.push([params.command, ...(params.args ?? [])].join(" "));
        return { terminalId: this.#startTerminal(params.command, params.args ?? [], params.cwd ?? undefined) };
      })
      .onRequest("terminal/output", async ({ params }) => {
        const terminal = this.#terminal(params.terminalId);
        return { output: terminal.output, truncated: false };
      })
      .onRequest("terminal/wait_for_exit", async ({ params }) => this.#terminal(params.terminalId).exited)
      .onRequest("terminal/kill", ({ params }) => {
        this.#terminal(params.terminalId).kill();
        return {};
      })
      .onRequest("terminal/release", ({ params }) => {
        this.#terminal(params.terminalId).kill();
        this.terminals.delete(params.terminalId);
        this.#noticed();
        return {};
      })
      .connect(stream);
  }

  async #answer(
    params: RequestPermissionRequest,
  ): Promise<{ outcome: { outcome: "selected"; optionId: string } | { outcome: "cancelled" } }> {
    const choice = this.#setup.choose?.(params);
    this.questions.push(params);
    this.#noticed();
    if (choice !== undefined) return { outcome: { outcome: "selected", optionId: choice } };
    await new Promise<boolean>(settle => this.#openPermissions.add(settle));
    return { outcome: { outcome: "cancelled" } };
  }

  async #readFile(path: string): Promise<string> {
    this.filesRead.push(path);
    const unsaved = this.#written.has(path) ? undefined : this.#setup.buffers?.get(path);
    if (unsaved !== undefined) return unsaved;
    try {
      return await readFile(path, "utf8");
    } catch {
      throw RequestError.resourceNotFound(path);
    }
  }

  #terminal(id: string): TerminalRecord {
    const terminal = this.terminals.get(id);
    if (!terminal) throw RequestError.invalidParams(undefined, `There is no terminal ${id}.`);
    return terminal;
  }

  #startTerminal(command: string, args: readonly string[], cwd: string | undefined): string {
    const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    const id = `t${this.#nextTerminal++}`;
    const exited = new Promise<{ readonly exitCode: number | null; readonly signal: string | null }>(done => {
      child.on("close", (exitCode, signal) => done({ exitCode, signal }));
      child.on("error", () => done({ exitCode: 127, signal: null }));
    });
    const record: TerminalRecord = { exited, kill: () => void child.kill("SIGKILL"), output: "" };
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => (record.output += chunk.toString("utf8")));
    }
    this.terminals.set(id, record);
    this.#noticed();
    return id;
  }
}

/** Removes a folder that a test created. */
export async function remove(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
