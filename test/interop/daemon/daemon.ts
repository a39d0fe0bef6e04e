// An agent that runs as a server on loopback.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable } from "node:stream";
import { killAtExit, killTree } from "../../../src/base/processTree.ts";
import { define, type RealAgent, type Surroundings } from "../agents.ts";

/** A running server of an agent. */
export interface Daemon {
  /** Such as `http://127.0.0.1:4170`. */
  readonly origin: string;
  /** The running prompts and the open questions of all sessions. */
  work(): Promise<{ readonly prompts: number; readonly questions: number }>;
  /** Ends it with all of its processes. */
  stop(): Promise<void>;
}

/** How long a server may take to start (ms). */
const maxStartTime = 60_000;

/** Starts the server of the agent for one folder. Rejects with its output if it is not ready in time. */
export async function startDaemon(agent: RealAgent, surroundings: Surroundings, folder: string): Promise<Daemon> {
  const { daemon } = agent;
  if (!daemon) throw new Error(`${agent.id} has no server.`);
  const { command, args, env } = define({ ...agent, args: [...daemon.args, folder] }, surroundings);
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, ...(env as Record<string, string>) },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const { pid } = child;
  const atExit = pid === undefined ? undefined : killAtExit(pid);
  const stop = async (): Promise<void> => {
    if (pid !== undefined) await killTree(pid);
    atExit?.dispose();
  };
  try {
    const origin = await addressOf(child, daemon.ready);
    return { origin, stop, work: () => workOf(`${origin}${daemon.health}`) };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The address that the server prints, as soon as it has also printed `ready`. */
function addressOf(child: ChildProcessByStdio<null, Readable, Readable>, ready: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = "";
    const fail = (reason: string): void => reject(new Error(`The server ${reason}.\n${printed}`));
    const timer = setTimeout(() => fail("was not ready in time"), maxStartTime);
    const read = (text: string): void => {
      printed += text;
      const [, address] = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(printed) ?? [];
      if (address === undefined || !printed.includes(ready)) return;
      clearTimeout(timer);
      resolve(address);
    };
    child.stdout.setEncoding("utf8").on("data", read);
    child.stderr.setEncoding("utf8").on("data", read);
    child.on("error", reject);
    child.on("exit", code => {
      clearTimeout(timer);
      fail(`exited with code ${code} before it was ready`);
    });
  });
}

async function workOf(health: string): ReturnType<Daemon["work"]> {
  const response = await fetch(health);
  const { activePrompts, pendingPermissions } = (await response.json()) as Readonly<Record<string, number>>;
  return { prompts: activePrompts ?? Number.NaN, questions: pendingPermissions ?? Number.NaN };
}
