// MCP servers for tests, started as processes, and connections to them.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { connectToServer } from "../../../src/mcp/client/connectToServer.ts";
import type { ServerConnectOptions, PromptServer, ServerStreams, ServerTarget } from "../../../src/mcp/promptServer.ts";

const require = createRequire(join(process.cwd(), "package.json"));
/** The published server of the MCP project with every kind of prompt. */
export const everything = require.resolve("@modelcontextprotocol/server-everything/dist/index.js");
export const modern = join(process.cwd(), "test", "support", "mcp", "modernServer.mjs");
export const hostile = join(process.cwd(), "test", "support", "mcp", "hostileServer.mjs");

const running = new Set<ChildProcess>();

/** Ends every process that a test has started. */
export async function endServers(): Promise<void> {
  await Promise.all(
    [...running].map(async child => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    }),
  );
  running.clear();
}

function startProgram(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"], env: { ...process.env, ...env } });
  running.add(child);
  return child;
}

/** A server over stdio, and how often it was started. */
export function stdio(...args: readonly string[]): ServerTarget & { readonly starts: () => number } {
  let starts = 0;
  return {
    type: "stdio",
    starts: () => starts,
    start: () => {
      starts++;
      const child = startProgram(args);
      const { stdin, stdout, pid } = child;
      if (!stdin || !stdout || pid === undefined) return Promise.reject(new Error("not started"));
      const streams: ServerStreams = {
        stdin,
        stdout,
        pid,
        stop: async () => {
          if (child.exitCode !== null || child.signalCode !== null) return;
          child.kill();
          await once(child, "exit");
        },
      };
      return Promise.resolve(streams);
    },
  };
}

/** A port on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise(resolve => server.close(resolve));
  return port;
}

/** The port on which a server listens: the first number in its output, or `port` once it has printed a line with it. */
export async function listening(args: readonly string[], port?: number): Promise<number> {
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...(port !== undefined && { PORT: String(port) }) },
  });
  running.add(child);
  for (const stream of [child.stderr, child.stdout]) stream.resume();
  return new Promise((resolve, reject) => {
    child.once("exit", () => reject(new Error("The server has ended.")));
    for (const input of [child.stdout, child.stderr])
      createInterface({ input }).on("line", line => {
        const found = /\b(\d{4,5})\b/.exec(line)?.[1];
        if (found !== undefined && (port === undefined || Number(found) === port)) resolve(Number(found));
      });
  });
}

/** Connects, with a form that is declined and events that are recorded. */
export async function connected(
  target: ServerTarget,
  options: Partial<ServerConnectOptions> = {},
): Promise<PromptServer & { readonly warnings: readonly string[]; readonly changes: () => number }> {
  const warnings: string[] = [];
  let changes = 0;
  const server = await connectToServer(target, {
    clientVersion: "0",
    // A busy machine can need some seconds to start a server.
    timeout: 60_000,
    signal: new AbortController().signal,
    onPromptsChanged: () => changes++,
    onClosed: () => {},
    onWarning: message => warnings.push(message),
    askForm: () => Promise.resolve({ action: "decline" }),
    ...options,
  });
  return Object.assign(server, { warnings, changes: () => changes });
}
