// 50,000 updates, 50 MB, from an agent process through the whole wire into the state of a session, compared with
// JSON.parse of the same bytes in the same run. Also from a server on loopback, over a WebSocket.
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { connect } from "../../src/acp/connect.ts";
import { connectToAgent, newCookies } from "../../src/agents/remote/client/connectToAgent.ts";
import { LineSplitter } from "../../src/base/lineSplitter.ts";
import { TrafficRecorder } from "../../src/acp/trafficRecorder.ts";
import { Emitter } from "../../src/base/lifecycle.ts";
import type { Problem } from "../../src/base/errors.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { Session } from "../../src/session/session.ts";
import type { SessionServices } from "../../src/session/sessionServices.ts";
import { isBusy } from "../../src/session/state.ts";
import { floodLines } from "./flood.ts";
import { median, ms, range, ratio, type Report } from "./report.ts";

const count = 50_000;
const lineBytes = 1000;
const rounds = 7;

/** Processes the same flood in four ways, alternately, several times. */
export async function run(): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "parley-bench-"));
  try {
    const file = join(folder, "flood.ndjson");
    writeFileSync(file, floodLines(count, lineBytes));
    const parsing: number[] = [];
    const piping: number[] = [];
    const taking: number[] = [];
    const takingFromServer: number[] = [];
    for (let round = 0; round < rounds; round++) {
      parsing.push(parse(readFileSync(file)));
      piping.push(await pipe(file));
      taking.push(await take(file));
      takingFromServer.push(await takeFromServer(file));
    }
    const floor = median(parsing);
    const row = (title: string, times: readonly number[]): readonly string[] => {
      const mid = median(times);
      return [title, ms(mid), range(times), `${((mid * 1000) / count).toFixed(1)} µs`, ratio(mid / floor)];
    };
    const rows = [
      row("`JSON.parse`, line by line, from memory", parsing),
      row("agent process → pipe → lines → `JSON.parse`", piping),
      row("agent process → wire → session", taking),
      row("server → WebSocket → wire → session", takingFromServer),
    ];
    return { tables: [{ columns: ["50,000 updates, 50 MB", "median", "range", "each", "ratio"], rows }] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function parse(bytes: Buffer): number {
  let parsed = 0;
  const started = performance.now();
  for (let from = 0, end = bytes.indexOf(0x0a); end >= 0; from = end + 1, end = bytes.indexOf(0x0a, from)) {
    JSON.parse(bytes.toString("utf8", from, end));
    parsed++;
  }
  const elapsed = performance.now() - started;
  expectAll(parsed);
  return elapsed;
}

/** The minimum work with a process, to which the wire and the session are added. */
async function pipe(file: string): Promise<number> {
  const agent = startAgent(file);
  let parsed = 0;
  const ask = (id: number, method: string): void => void agent.stdin.write(`${JSON.stringify({ id, method })}\n`);
  let started = 0;
  await new Promise<void>(resolve => {
    const lines = new LineSplitter(
      line => {
        const message = JSON.parse(line.toString("utf8")) as { readonly id?: number };
        if (message.id === 1) {
          started = performance.now();
          ask(2, "session/prompt");
        } else if (message.id === 2) resolve();
        else parsed++;
      },
      () => {},
      Number.POSITIVE_INFINITY,
    );
    agent.stdout.on("data", (chunk: Buffer) => lines.push(chunk));
    ask(1, "session/new");
  });
  const elapsed = performance.now() - started;
  await ended(agent);
  expectAll(parsed);
  return elapsed;
}

async function take(file: string): Promise<number> {
  const process = startAgent(file);
  const elapsed = await flooded(process.stdin, process.stdout);
  await ended(process);
  return elapsed;
}

async function takeFromServer(file: string): Promise<number> {
  const server = startAgent(file, "--websocket");
  const port = await new Promise<string>(resolve => server.stdout.once("data", data => resolve(String(data).trim())));
  const url = `ws://127.0.0.1:${port}`;
  const streams = connectToAgent({ url, headers: {}, connectTimeout: 60_000, cookies: newCookies() });
  const elapsed = await flooded(streams.input, streams.output);
  await streams.end();
  await ended(server);
  return elapsed;
}

/** The time of the flood through a session of the agent. */
async function flooded(stdin: Writable, stdout: Readable): Promise<number> {
  let updates = 0;
  const session = await openSession(stdin, stdout, () => updates++);
  updates = 0;
  const done = new Promise<void>(resolve => {
    let busy = false;
    session.onDidChange(state => {
      if (isBusy(state)) busy = true;
      else if (busy) resolve();
    });
  });
  const started = performance.now();
  session.send([{ type: "text", text: "Flood." }]);
  await done;
  const elapsed = performance.now() - started;
  const { title } = session.state;
  session.dispose();
  // The events "sent", "shown", "running", "accepted" and "idle" come from the session itself.
  expectAll(updates - 5);
  if (title !== `Update ${count - 1}`) throw new Error("The last update did not reach the state.");
  return elapsed;
}

async function openSession(stdin: Writable, stdout: Readable, onUpdate: () => void): Promise<Session> {
  const options = {
    ...{
      stdin,
      stdout,
      recorder: new TrafficRecorder(systemClock),
      log: nullLog,
      timeout: 60_000,
    },
    ...{ clientVersion: "0", agentName: "Flood", place: { program: { command: "", args: [] } } },
  };
  const connected = await connect(options, new AbortController().signal);
  const session = new Session({
    ...{
      id: "flood",
      agent: { id: "flood", name: "Flood" },
      workspaceFolder: tmpdir(),
      clock: systemClock,
      log: nullLog,
    },
    newId: () => "submission",
    connection: {
      connect: () =>
        Promise.resolve({ agent: connected.agent, onDidDie: new Emitter<Problem>().event, hasEnded: () => false }),
      restart: () => Promise.resolve(),
    },
    createServices: () => emptyRoom,
    onLog: onUpdate,
  });
  await session.open();
  return session;
}

const refuse = (): Promise<never> => Promise.reject(new Error("The flood asks for nothing."));
const emptyRoom: SessionServices = {
  ...{ requestPermission: refuse, readTextFile: refuse, writeTextFile: refuse, createTerminal: refuse },
  ...{ terminalOutput: refuse, waitForTerminalExit: refuse, killTerminal: refuse, releaseTerminal: refuse },
  answer() {},
  cancelQuestions() {},
  question: () => undefined,
  endTerminals() {},
  dispose() {},
};

function startAgent(file: string, ...more: readonly string[]): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [join(import.meta.dirname, "floodAgent.mjs"), file, ...more]);
  child.stderr.pipe(process.stderr);
  return child;
}

async function ended(agent: ChildProcessWithoutNullStreams): Promise<void> {
  agent.stdin.end();
  if (agent.exitCode === null) await new Promise(resolve => agent.once("exit", resolve));
}

function expectAll(seen: number): void {
  if (seen !== count) throw new Error(`${seen} of ${count} updates were seen.`);
}
