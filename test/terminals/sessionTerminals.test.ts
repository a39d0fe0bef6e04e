// Terminals with real processes: output, exits, limits, and process trees that resist termination.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hostEnvironment } from "../../src/base/windowEnvironment.ts";
import { findLeaks, trackLeaks } from "../../src/base/lifecycle.ts";
import type { TerminalRequest } from "../../src/session/agent.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { nodePaths } from "../../src/files/nodePaths.ts";
import { Confinement } from "../../src/files/paths.ts";
import { SessionTerminals, type SessionTerminalsOptions } from "../../src/terminals/sessionTerminals.ts";
import { rejectsWithRefusal } from "../support/contracts/documents.ts";
import { emptyHead } from "../support/fakes/heads.ts";
import { isAlive, until } from "../support/fakes/until.ts";
import { WholeProjector } from "../support/fakes/wholeViews.ts";

const never = new AbortController().signal;
const times = { grace: 300, force: 1000, quiet: 100, drain: 500 };

describe("SessionTerminals", function () {
  let folder: string;
  let events: SessionEvent[];
  let open: SessionTerminals[];

  beforeEach(async () => {
    trackLeaks();
    folder = await realpath(await mkdtemp(join(tmpdir(), "parley-terminals-")));
    await mkdir(join(folder, "sub"));
    events = [];
    open = [];
  });
  afterEach(async () => {
    await Promise.all(open.map(terminals => terminals.close()));
    await rm(folder, { recursive: true, force: true });
    assert.deepEqual(findLeaks(), []);
  });

  function session(options: Partial<SessionTerminalsOptions> = {}): SessionTerminals {
    const terminals = new SessionTerminals({
      confinement: new Confinement(nodePaths(), [folder]),
      workspaceFolder: folder,
      environment: hostEnvironment,
      report: event => events.push(event),
      times,
      ...options,
    });
    open.push(terminals);
    return terminals;
  }

  /** A request that runs a script with Node. */
  const node = (script: string, rest: Partial<TerminalRequest> = {}): TerminalRequest => ({
    command: process.execPath,
    args: ["-e", script],
    ...rest,
  });

  async function run(request: TerminalRequest, terminals = session()) {
    const id = await terminals.createTerminal(request);
    const exit = await terminals.waitForTerminalExit(id, never);
    return { id, exit, ...(await terminals.terminalOutput(id)) };
  }

  const shownText = (id: string): string => {
    let text = "";
    for (const event of events) {
      if (event.type === "terminalOutput" && event.terminalId === id) text += event.text;
      if (event.type === "terminal" && event.terminalId === id && event.output !== undefined) text = event.output;
    }
    return text;
  };

  describe("with a command", () => {
    it("returns its output and its exit code", async () => {
      const { output, truncated, exit } = await run(node("console.log('héllo'); process.exitCode = 3"));
      assert.deepEqual({ output, truncated, exit }, { output: "héllo\n", truncated: false, exit: { exitCode: 3 } });
    });

    it("passes its arguments unchanged", async () => {
      const words = ["a b", "$HOME", "*", "`x`", "'q'", "", "é"];
      const { output } = await run({
        command: process.execPath,
        args: ["-p", "JSON.stringify(process.argv.slice(1))", "--", ...words],
      });
      assert.deepEqual(JSON.parse(output), words);
    });

    it("accepts a whole command line", async () => {
      const { output, exit } = await run({ command: "echo one && echo two | tr a-z A-Z; exit 5" });
      assert.deepEqual([output, exit], ["one\nTWO\n", { exitCode: 5 }]);
    });

    it("keeps both its output streams in the order of the writes", async () => {
      const script = "for (let i = 0; i < 50; i++) require('fs').writeSync(i % 2 ? 1 : 2, i + ' ')";
      const { output } = await run(node(script));
      assert.equal(output, Array.from({ length: 50 }, (_, index) => `${index} `).join(""));
    });

    it("provides no input", async () => {
      const { output } = await run(node("process.stdin.on('end', () => console.log('end')).resume()"));
      assert.equal(output, "end\n");
    });

    it("provides no terminal that could ask for a password", async () => {
      const { output } = await run({ command: "(: < /dev/tty) 2>/dev/null && echo asked || echo not asked" });
      assert.equal(output, "not asked\n");
    });

    it("runs it in the session's folder or in the requested one, and sets PWD", async () => {
      const where = node("console.log(process.cwd() + ' ' + process.env.PWD)");
      assert.equal((await run(where)).output, `${folder} ${folder}\n`);
      const sub = join(folder, "sub");
      assert.equal((await run({ ...where, cwd: sub })).output, `${sub} ${sub}\n`);
    });

    it("passes the environment of the request, and no pager", async () => {
      const { output } = await run(
        node("console.log(process.env.MINE, process.env.PAGER, process.env.GIT_TERMINAL_PROMPT)", {
          env: [{ name: "MINE", value: "yes" }],
        }),
      );
      assert.equal(output, "yes cat 0\n");
    });

    it("reports the signal that ended it", async () => {
      const { exit } = await run(node("process.kill(process.pid, 'SIGKILL')"));
      assert.deepEqual(exit, { signal: "SIGKILL" });
    });

    it("has all its output when it has ended", async () => {
      const { output } = await run(node("process.stdout.write('x'.repeat(300000) + 'end')"));
      assert.equal(output.length, 300_003);
      assert.ok(output.endsWith("end"));
    });
  });

  describe("with an invalid request", () => {
    it("names the missing program", async () => {
      await rejectsWithRefusal(
        "failed",
        /“no-such-program” was not found on the PATH/,
        session().createTerminal({ command: "no-such-program", args: ["x"] }),
      );
    });

    it("refuses a file that is not executable", async () => {
      await writeFile(join(folder, "plain.txt"), "");
      await rejectsWithRefusal(
        "failed",
        /may not be executed/,
        session().createTerminal({ command: "./plain.txt", args: ["x"] }),
      );
    });

    it("refuses a folder that is relative, missing, a file or outside", async () => {
      await writeFile(join(folder, "file"), "");
      const cases: readonly (readonly [string, RegExp])[] = [
        ["sub", /relative/],
        [join(folder, "none"), /not an existing folder/],
        [join(folder, "file"), /not an existing folder/],
        [tmpdir(), /outside/],
        [join(folder, ".."), /outside/],
      ];
      for (const [cwd, message] of cases)
        await rejectsWithRefusal("invalid", message, session().createTerminal(node("", { cwd })));
    });

    it("refuses an invalid limit or variable", async () => {
      for (const outputByteLimit of [-1, 1.5, Number.NaN]) {
        await rejectsWithRefusal("invalid", /outputByteLimit/, session().createTerminal(node("", { outputByteLimit })));
      }
      const env = [{ name: "A=B", value: "" }];
      await rejectsWithRefusal("invalid", /environment variable/, session().createTerminal(node("", { env })));
    });

    it("leaves nothing behind", async () => {
      const terminals = session({ maxRunning: 1 });
      for (let count = 0; count < 3; count++) {
        await rejectsWithRefusal("failed", /not found/, terminals.createTerminal({ command: "no-such-program" }));
      }
      assert.equal((await run(node("console.log(1)"), terminals)).output, "1\n");
      assert.ok(events.every(event => event.type !== "terminal" || event.command !== "no-such-program"));
    });
  });

  describe("with ids", () => {
    it("accepts only those of the same session", async () => {
      const [one, other] = [session(), session()];
      const { id } = await run(node(""), one);
      await rejectsWithRefusal("notFound", /no such terminal/, other.terminalOutput(id));
      await rejectsWithRefusal("notFound", /no such terminal/, other.killTerminal(id));
      await rejectsWithRefusal("notFound", /no such terminal/, other.waitForTerminalExit(id, never));
      await rejectsWithRefusal("notFound", /no such terminal/, other.releaseTerminal(id));
    });

    it("refuses them after the release, and makes them impossible to guess", async () => {
      const terminals = session();
      const { id } = await run(node(""), terminals);
      assert.match(id, /^terminal_[0-9a-f-]{36}$/);
      await terminals.releaseTerminal(id);
      await rejectsWithRefusal("notFound", /released/, terminals.terminalOutput(id));
      await rejectsWithRefusal("notFound", /released/, terminals.releaseTerminal(id));
    });
  });

  describe("with output", () => {
    it("returns it while the command runs", async () => {
      const terminals = session();
      const id = await terminals.createTerminal(node("console.log('started'); setInterval(() => {}, 1000)"));
      await until(async () => (await terminals.terminalOutput(id)).output === "started\n");
      assert.equal((await terminals.terminalOutput(id)).exit, undefined);
    });

    it("keeps the end, cut between characters, from the first byte on", async () => {
      const { output, truncated } = await run(
        node("process.stdout.write('€'.repeat(1000) + '.')", { outputByteLimit: 9 }),
      );
      assert.deepEqual([output, truncated], ["€€.", true]);
    });

    it("returns empty, truncated output for a limit of 0", async () => {
      const { output, truncated } = await run(node("console.log('x')", { outputByteLimit: 0 }));
      assert.deepEqual([output, truncated], ["", true]);
    });

    it("shows no partial characters, for any chunks", async () => {
      const script = `
        const bytes = Buffer.from("a😀é€\\n".repeat(3));
        let at = 0;
        (function next() {
          if (at < bytes.length) process.stdout.write(bytes.subarray(at, ++at), () => setTimeout(next, 2));
        })();`;
      const { id, output } = await run(node(script));
      assert.equal(output, "a😀é€\n".repeat(3));
      await until(() => events.some(event => event.type === "terminal" && event.exit));
      assert.equal(shownText(id), output);
      for (const event of events) if (event.type === "terminalOutput") assert.ok(!event.text.includes("\uFFFD"));
    });

    it("shows replacement characters for bytes that are not text", async () => {
      const { output } = await run(node("process.stdout.write(Buffer.from([0x41, 0xff, 0xe2, 0x82]))"));
      assert.equal(output, "A\uFFFD\uFFFD");
    });
  });

  describe("with a display", () => {
    it("reports the command, the output and the exit, in this order", async () => {
      const { id } = await run({ command: "echo", args: ["two words"] });
      await until(() => events.some(event => event.type === "terminal" && event.exit));
      assert.deepEqual(events, [
        { type: "terminal", terminalId: id, own: true, command: "echo 'two words'", cwd: folder },
        { type: "terminalOutput", terminalId: id, text: "two words\n" },
        { type: "terminal", terminalId: id, exit: { exitCode: 0 } },
      ]);
    });

    it("reports few and small events of a flood, and finally the newest output", async () => {
      const started = Date.now();
      const script = `
        const block = "0123456789abcde\\n".repeat(4096);
        let left = 400;
        (function next() { while (left-- > 0) if (!process.stdout.write(block)) return process.stdout.once("drain", next); process.stdout.write("last\\n"); })();`;
      const { id, truncated } = await run(node(script));
      await until(() => events.some(event => event.type === "terminal" && event.exit));
      const shown = events.filter(
        event => event.type === "terminalOutput" || (event.type === "terminal" && event.output !== undefined),
      );
      assert.ok(shown.length <= 2 + (Date.now() - started) / 33, `${shown.length} events`);
      for (const event of shown) {
        assert.ok(
          (event.type === "terminalOutput" ? event.text : (event.type === "terminal" && event.output) || "").length <=
            65_536,
        );
      }
      assert.ok(shown.some(event => event.type === "terminal" && event.truncated));
      assert.ok(shownText(id).endsWith("\nlast\n"));
      assert.equal(truncated, true);
      assert.ok(events.some(event => event.type === "terminal" && event.exit && event.truncated));
    });
  });

  describe("with kill", () => {
    it("ends the command, and the id stays valid", async () => {
      const terminals = session();
      const id = await terminals.createTerminal(node("console.log('up'); setInterval(() => {}, 1000)"));
      await until(async () => (await terminals.terminalOutput(id)).output === "up\n");
      await terminals.killTerminal(id);
      assert.deepEqual(await terminals.terminalOutput(id), {
        output: "up\n",
        truncated: false,
        exit: { signal: "SIGTERM" },
      });
      assert.deepEqual(await terminals.waitForTerminalExit(id, never), { signal: "SIGTERM" });
      await terminals.killTerminal(id);
    });

    it("settles pending waits", async () => {
      const terminals = session();
      const id = await terminals.createTerminal({ command: "sleep", args: ["100"] });
      const waits = [terminals.waitForTerminalExit(id, never), terminals.waitForTerminalExit(id, never)];
      await terminals.killTerminal(id);
      assert.deepEqual(await Promise.all(waits), [{ signal: "SIGTERM" }, { signal: "SIGTERM" }]);
    });

    it("accepts a command that has already ended", async () => {
      const terminals = session();
      const { id } = await run(node("console.log(1)"), terminals);
      await terminals.killTerminal(id);
      assert.deepEqual(await terminals.terminalOutput(id), { output: "1\n", truncated: false, exit: { exitCode: 0 } });
    });

    it("ends grandchildren that ignore SIGTERM and hold the pipe", async () => {
      const terminals = session();
      const grandchild = "process.on('SIGTERM', () => {}); console.log(process.pid); setInterval(() => {}, 1000)";
      const child = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(grandchild)}], { stdio: "inherit" }); setInterval(() => {}, 1000)`;
      const id = await terminals.createTerminal(node(child));
      await until(async () => /^\d+\n$/.test((await terminals.terminalOutput(id)).output));
      const pid = Number((await terminals.terminalOutput(id)).output);
      assert.ok(isAlive(pid));
      const started = Date.now();
      await terminals.killTerminal(id);
      assert.ok(!isAlive(pid), "the grandchild lives");
      assert.ok(Date.now() - started < 5000);
      assert.deepEqual((await terminals.terminalOutput(id)).exit, { signal: "SIGTERM" });
    });

    it("ends descendants in a session of their own", async () => {
      const terminals = session();
      const grandchild = "process.on('SIGTERM', () => {}); console.log(process.pid); setInterval(() => {}, 1000)";
      const child = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(grandchild)}], { stdio: "inherit", detached: true }); setInterval(() => {}, 1000)`;
      const id = await terminals.createTerminal(node(child));
      await until(async () => /^\d+\n$/.test((await terminals.terminalOutput(id)).output));
      const pid = Number((await terminals.terminalOutput(id)).output);
      await terminals.killTerminal(id);
      assert.ok(!isAlive(pid), "the grandchild lives");
    });

    it("ends a stopped process gracefully", async () => {
      const terminals = session({ times: { ...times, grace: 10_000 } });
      const id = await terminals.createTerminal(node("console.log('up'); process.kill(process.pid, 'SIGSTOP')"));
      await until(async () => (await terminals.terminalOutput(id)).output === "up\n");
      await terminals.killTerminal(id);
      assert.deepEqual((await terminals.terminalOutput(id)).exit, { signal: "SIGTERM" });
    });
  });

  describe("with a command that leaves a process running", () => {
    const background = "sleep 100 & echo $!";

    it("reports the exit although the pipe is still held", async () => {
      const terminals = session();
      const { output, exit, id } = await run({ command: background }, terminals);
      assert.deepEqual(exit, { exitCode: 0 });
      assert.ok(isAlive(Number(output)));
      await terminals.killTerminal(id);
      assert.ok(!isAlive(Number(output)));
    });

    it("ends the process on release", async () => {
      const terminals = session();
      const { output, id } = await run({ command: `${background}; exec >&- 2>&-` }, terminals);
      assert.ok(isAlive(Number(output)));
      await terminals.releaseTerminal(id);
      assert.ok(!isAlive(Number(output)));
    });

    it("reports the exit after the end of the output, if that does not take too long", async () => {
      const patient = { ...times, quiet: 1000, drain: 10_000 };
      const command = "(for i in 1 2 3 4 5; do sleep 0.3; echo $i; done) & echo now";
      const { output } = await run({ command }, session({ times: patient }));
      assert.equal(output, "now\n1\n2\n3\n4\n5\n");
    });

    it("includes its later output", async () => {
      const terminals = session();
      const { id, output } = await run({ command: "(sleep 1; echo late) & echo now" }, terminals);
      assert.equal(output, "now\n");
      await until(async () => (await terminals.terminalOutput(id)).output === "now\nlate\n");
    });
  });

  describe("with release", () => {
    it("ends the command and settles pending waits", async () => {
      const terminals = session();
      const id = await terminals.createTerminal({ command: "sleep", args: ["100"] });
      const waiting = terminals.waitForTerminalExit(id, never);
      await terminals.releaseTerminal(id);
      assert.deepEqual(await waiting, { signal: "SIGTERM" });
    });

    it("still shows how the command ended", async () => {
      const terminals = session();
      const id = await terminals.createTerminal({ command: "sleep", args: ["100"] });
      await terminals.releaseTerminal(id);
      assert.deepEqual(events.at(-1), { type: "terminal", terminalId: id, exit: { signal: "SIGTERM" } });
    });

    it("still shows the output of the command in the card of its tool call", async () => {
      const terminals = session();
      const id = await terminals.createTerminal(node("console.log('ready'); setInterval(() => {}, 1000)"));
      await until(() => shownText(id) !== "");
      await terminals.releaseTerminal(id);
      const content = [{ type: "terminal" as const, terminalId: id }];
      const all: readonly SessionEvent[] = [
        { type: "tool", toolCallId: "t", patch: { title: "Serve", content } },
        ...events,
      ];
      const state = all.reduce<SessionState>((was, event, seq) => reduce(was, { seq, at: seq, event }), emptySession);
      const [card] = new WholeProjector().project(state, emptyHead).entries;
      const [part] = card?.kind === "tool" ? card.parts : [];
      assert.ok(part?.type === "terminal");
      assert.deepEqual([part.terminalId, part.text.trim(), part.exit], [id, "ready", { signal: "SIGTERM" }]);
    });
  });

  describe("with a wait for exit", () => {
    it("allows it to be cancelled while the command continues", async () => {
      const terminals = session();
      const id = await terminals.createTerminal({ command: "sleep", args: ["100"] });
      const abort = new AbortController();
      const waiting = rejectsWithRefusal("cancelled", /cancelled/, terminals.waitForTerminalExit(id, abort.signal));
      abort.abort();
      await waiting;
      await rejectsWithRefusal("cancelled", /cancelled/, terminals.waitForTerminalExit(id, abort.signal));
      assert.equal((await terminals.terminalOutput(id)).exit, undefined);
    });
  });

  describe("with limits", () => {
    it("refuses a command beyond the maximum of running commands, until one ends", async () => {
      const terminals = session({ maxRunning: 2 });
      const requests = [1, 2, 3].map(() => terminals.createTerminal({ command: "sleep", args: ["100"] }));
      const third = rejectsWithRefusal("failed", /2 commands of this session are running/, requests[2]!);
      const [first] = await Promise.all(requests.slice(0, 2));
      await third;
      await terminals.killTerminal(first!);
      await terminals.createTerminal({ command: "sleep", args: ["100"] });
    });
  });

  describe("with a command whose request is cancelled while it starts", () => {
    it("refuses the request, and ends the command without showing it", async () => {
      const terminals = session();
      const abort = new AbortController();
      const starting = rejectsWithRefusal(
        "cancelled",
        /./,
        terminals.createTerminal(node("setInterval(() => {}, 1000)"), abort.signal),
      );
      abort.abort();
      await starting;
      assert.deepEqual(events, []);
    });
  });

  describe("at the end of the session", () => {
    it("ends every command, and refuses pending and later requests", async () => {
      const terminals = session();
      const ids = await Promise.all(
        [1, 2].map(() => terminals.createTerminal(node("console.log(process.pid); setInterval(() => {}, 1000)"))),
      );
      const pids: number[] = [];
      for (const id of ids) {
        await until(async () => (await terminals.terminalOutput(id)).output !== "");
        pids.push(Number((await terminals.terminalOutput(id)).output));
      }
      const waiting = ids.map(id => rejectsWithRefusal("cancelled", /./, terminals.waitForTerminalExit(id, never)));
      const starting = rejectsWithRefusal(
        "cancelled",
        /closed/,
        terminals.createTerminal({ command: "sleep", args: ["100"] }),
      );
      const reported = events.length;
      await terminals.close();
      await Promise.all([...waiting, starting]);
      assert.deepEqual(pids.map(isAlive), [false, false]);
      await rejectsWithRefusal("cancelled", /closed/, terminals.createTerminal(node("")));
      await rejectsWithRefusal("cancelled", /closed/, terminals.terminalOutput(ids[0]!));
      assert.equal(events.length, reported);
    });

    it("continues after an agent ends, which ends the commands and their ids, and lets another agent start new ones", async () => {
      const terminals = session();
      const id = await terminals.createTerminal(node("console.log(process.pid); setInterval(() => {}, 1000)"));
      await until(async () => (await terminals.terminalOutput(id)).output !== "");
      const pid = Number((await terminals.terminalOutput(id)).output);
      terminals.endAll();
      await rejectsWithRefusal("notFound", /no such terminal/, terminals.terminalOutput(id));
      await until(() => events.some(event => event.type === "terminal" && event.terminalId === id && event.exit));
      assert.equal(isAlive(pid), false);
      const next = await terminals.createTerminal(node("console.log(1)"));
      assert.deepEqual(await terminals.waitForTerminalExit(next, never), { exitCode: 0 });
      await terminals.close();
    });

    it("reports nothing more, not even for a command whose release was pending", async () => {
      const terminals = session();
      const id = await terminals.createTerminal({ command: "sleep", args: ["100"] });
      const releasing = terminals.releaseTerminal(id);
      const reported = events.length;
      await Promise.all([terminals.close(), releasing]);
      assert.equal(events.length, reported);
    });

    it("ends a command that was just starting, at any moment", async () => {
      const mark = `100.${process.pid}`;
      const left = (): boolean =>
        execFileSync("ps", ["-A", "-o", "args="], { encoding: "utf8" }).includes(`sleep ${mark}`);
      for (let turns = 0; turns < 12; turns++) {
        const terminals = session();
        const starting = terminals.createTerminal({ command: "sleep", args: [mark] }).catch(() => undefined);
        for (let turn = 0; turn < turns; turn++) await new Promise(resolve => setImmediate(resolve));
        await terminals.close();
        assert.ok(!left(), `closed after ${turns} turns`);
        await starting;
      }
    });
  });
});
