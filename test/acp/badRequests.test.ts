// Requests over the wire with one mistake at a time: each gets an error response, and the next request is served.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hostEnvironment } from "../../src/base/windowEnvironment.ts";
import type { AgentConnection } from "../../src/acp/connect.ts";
import { Emitter, findLeaks, trackLeaks } from "../../src/base/lifecycle.ts";
import { nullLog, systemClock, type Log } from "../../src/base/log.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { Session } from "../../src/session/session.ts";
import type { SessionServices } from "../../src/session/sessionServices.ts";
import { openQuestions } from "../../src/session/state.ts";
import { SessionFiles } from "../../src/files/sessionFiles.ts";
import { nodePaths } from "../../src/files/nodePaths.ts";
import { Confinement } from "../../src/files/paths.ts";
import { PermissionBroker } from "../../src/permissions/permissionBroker.ts";
import { SessionTerminals } from "../../src/terminals/sessionTerminals.ts";
import { wrongParams, wrongUpdates } from "../support/agents/wrongTypes.mjs";
import { until } from "../support/fakes/until.ts";
import { WireAgent, type SentMessage } from "../support/fakes/wireAgent.ts";
import { NodeDocuments } from "../support/fakes/nodeDocuments.ts";

// Error codes from the spec page "Error".
const invalidParams = -32602;
const methodNotFound = -32601;
const resourceNotFound = -32002;
const internalError = -32603;

type Params = Readonly<Record<string, unknown>>;

/** A field with an invalid value. `code` is the expected error code. */
type Wrong = readonly [what: string, field: string, value: unknown, code?: number];

interface Method {
  readonly name: string;
  /** Fields that must be strings, in addition to the session id. */
  readonly texts: readonly string[];
  /** Valid params. */
  readonly good: () => Params | Promise<Params>;
  readonly wrong?: readonly Wrong[];
  /** Sends a valid request and checks that it is served. */
  readonly works: (params: Params) => Promise<void>;
}

const megabyte = "x".repeat(1024 * 1024);
/** Values that no string field accepts. */
const noTexts: readonly (readonly [string, unknown])[] = [
  ["missing", undefined],
  ["null", null],
  ["a number", 7],
  ["true", true],
  ["a list", []],
  ["a list of a string", ["text"]],
  ["an object", {}],
];
const noCounts: readonly (readonly [string, unknown])[] = [
  ["-1", -1],
  ["-1e308", -1e308],
  ["a number as a string", "1"],
  ["NaN as a string", "NaN"],
  ["an empty string", ""],
  ["true", true],
  ["a list", [1]],
  ["an object", {}],
];
/** Values of `params` that are not an object with a session. */
const noParams: readonly (readonly [string, unknown])[] = [
  ["missing", undefined],
  ["null", null],
  ["an empty list", []],
  ["a list of strings", ["s", "/a"]],
  ["a string", "text"],
  ["a number", 7],
  ["an empty object", {}],
];

describe("an invalid request", function () {
  let folder: string;
  let agent: WireAgent;
  let connected: AgentConnection;
  let session: Session;
  let terminals: SessionTerminals;
  let ids = 0;
  /** Errors in our own log. An invalid request is not our error. */
  const faults: string[] = [];
  const log: Log = { ...nullLog, error: (message, data) => faults.push(`${message} ${String(data)}`) };

  before(async () => {
    trackLeaks();
    folder = await realpath(await mkdtemp(join(tmpdir(), "parley-bad-")));
    await writeFile(join(folder, "a.txt"), "one\ntwo\nthree\n");
    await writeFile(join(folder, "binary"), Uint8Array.from([1, 0, 2]));
    await mkdir(join(folder, "sub"));
    agent = new WireAgent();
    const connecting = agent.connect(new AbortController().signal, { log });
    agent.answer(await agent.request("initialize"), { protocolVersion: 1 });
    connected = await connecting;
    session = new Session({
      id: "session",
      agent: { id: "robo", name: "Robo" },
      workspaceFolder: folder,
      clock: systemClock,
      log,
      newId: () => `s${++ids}`,
      connection: {
        connect: () =>
          Promise.resolve({ agent: connected.agent, onDidDie: new Emitter<never>().event, hasEnded: () => false }),
        restart: () => Promise.reject(new Error("Nothing restarts here.")),
      },
      createServices: room,
    });
    const opening = session.open();
    agent.answer(await agent.request("session/new"), { sessionId: "s" });
    await opening;
    assert.equal(session.state.connection?.state, "ready");
  });

  after(async () => {
    session.dispose();
    connected.dispose();
    await terminals.close();
    await rm(folder, { recursive: true, force: true });
    assert.deepEqual(findLeaks(), []);
  });

  afterEach("leaves no trace in our log, and the conversation goes on", async () => {
    assert.deepEqual(faults.splice(0), []);
    const { result } = await ask("fs/read_text_file", { sessionId: "s", path: join(folder, "a.txt") });
    assert.deepEqual(result, { content: "one\ntwo\nthree\n" });
  });

  function room(report: (event: SessionEvent) => void): SessionServices {
    const confinement = new Confinement(nodePaths(), [folder]);
    const files = new SessionFiles(new NodeDocuments(), confinement);
    const broker = new PermissionBroker({ report });
    terminals = new SessionTerminals({ confinement, workspaceFolder: folder, environment: hostEnvironment, report });
    return {
      requestPermission: (question, signal) => broker.requestPermission(question, signal),
      answer: (id, option) => broker.answer(id, option),
      cancelQuestions: () => broker.cancelAll(),
      question: id => broker.question(id),
      endTerminals: () => terminals.endAll(),
      readTextFile: request => files.read(request),
      writeTextFile: request => files.write(request),
      createTerminal: request => terminals.createTerminal(request),
      terminalOutput: id => terminals.terminalOutput(id),
      waitForTerminalExit: (id, signal) => terminals.waitForTerminalExit(id, signal),
      killTerminal: id => terminals.killTerminal(id),
      releaseTerminal: id => terminals.releaseTerminal(id),
      dispose: () => broker.dispose(),
    };
  }

  function ask(method: string, params: unknown): Promise<SentMessage> {
    const id = ++ids;
    agent.send({ id, method, params });
    return agent.response(id);
  }

  async function refused(method: string, params: unknown, code: number): Promise<void> {
    const response = await ask(method, params);
    assert.ok(response.error, `it was served: ${JSON.stringify(response.result)}`);
    assert.equal(response.error.code, code, response.error.message);
    assert.match(response.error.message, /^[“`A-Z].{10}/su, "it says what is wrong");
    const size = JSON.stringify(response).length;
    assert.ok(size < 4000, `the answer has ${size} characters`);
  }

  const run = (script: string): Params => ({ sessionId: "s", command: process.execPath, args: ["-e", script] });
  const made = async (params: Params): Promise<Params> => {
    const { result, error } = await ask("terminal/create", params);
    assert.ok(result, error?.message);
    return { sessionId: "s", terminalId: (result as { readonly terminalId: string }).terminalId };
  };
  const waiting = (): Promise<Params> => made(run("setInterval(() => {}, 1000)"));
  const toolCall = { toolCallId: "t", title: "Run" };
  const options = [{ optionId: "y", name: "Yes", kind: "allow_once" }];
  const without = (params: Params, field: string): Params =>
    Object.fromEntries(Object.entries(params).filter(([name]) => name !== field));
  const succeeds = async (method: string, params: Params): Promise<unknown> => {
    const { result, error } = await ask(method, params);
    assert.ok(result, error?.message);
    return result;
  };

  const paths: readonly Wrong[] = [
    ["an empty path", "path", ""],
    ["a relative path", "path", "a.txt"],
    ["a path that begins with a dot", "path", "./a.txt"],
    ["a path in the home folder", "path", "~/a.txt"],
    ["a URI", "path", "file:///a.txt"],
    ["a path with NUL", "path", "/a\0.txt"],
    ["half a character", "path", "/\ud800"],
    ["a path outside", "path", "/etc/passwd"],
    ["a path that climbs out", "path", "/../../../../etc/passwd"],
    ["a path of 1 MB", "path", `/${megabyte}`],
    ["a path of 1 MB in many folders", "path", "/a".repeat(512 * 1024)],
    ["a path of folders without end", "path", `/${"../".repeat(10_000)}etc/passwd`],
  ];

  const methods: readonly Method[] = [
    {
      name: "fs/read_text_file",
      texts: ["path"],
      good: () => ({ sessionId: "s", path: join(folder, "a.txt"), line: 2, limit: 1 }),
      wrong: [
        ...paths,
        ...noCounts.map(([what, value]): Wrong => [`a line that is ${what}`, "line", value]),
        ...noCounts.map(([what, value]): Wrong => [`a limit that is ${what}`, "limit", value]),
      ],
      works: async params =>
        assert.deepEqual(await succeeds("fs/read_text_file", params), { content: "two\n" }, "lines are counted from 1"),
    },
    {
      name: "fs/write_text_file",
      texts: ["path", "content"],
      good: () => ({ sessionId: "s", path: join(folder, "new.txt"), content: "new\n" }),
      wrong: paths,
      works: async params => {
        assert.deepEqual(await succeeds("fs/write_text_file", params), {});
        assert.equal(await readFile(join(folder, "new.txt"), "utf8"), "new\n");
      },
    },
    {
      name: "session/request_permission",
      texts: [],
      good: () => ({ sessionId: "s", toolCall, options }),
      wrong: [
        ["no options", "options", undefined],
        ["null as options", "options", null],
        ["a string as options", "options", "yes"],
        ["one option without a list", "options", options[0]],
        ["an empty list of options", "options", []],
        ["a list of nothing", "options", [null, 7, "yes", [], {}]],
        ["options whose ids are numbers", "options", [{ optionId: 1, name: "Yes", kind: "allow_once" }]],
        ["no tool call", "toolCall", undefined],
        ["null as tool call", "toolCall", null],
        ["a string as tool call", "toolCall", "t"],
        ["a list as tool call", "toolCall", [toolCall]],
        ["a tool call without id or title", "toolCall", {}],
      ],
      works: async params => {
        const answered = ask("session/request_permission", params);
        await until(() => openQuestions(session.state).length > 0);
        session.answer(openQuestions(session.state)[0]?.id ?? "", "y");
        assert.deepEqual((await answered).result, { outcome: { outcome: "selected", optionId: "y" } });
      },
    },
    {
      name: "terminal/create",
      texts: ["command"],
      good: () => ({ ...run("process.stdout.write('ran')"), env: [{ name: "A", value: "1" }], outputByteLimit: 100 }),
      wrong: [
        ["an empty command", "command", ""],
        ["a blank command", "command", " \t"],
        ["a command with NUL", "command", "a\0b"],
        ["a command of 1 MB", "command", megabyte, internalError],
        ["a command that is not there", "command", "no-such-program-anywhere", internalError],
        ["a string as arguments", "args", "-e 1"],
        ["an object as arguments", "args", { 0: "-e" }],
        ["null among the arguments", "args", ["-e", null]],
        ["an object among the arguments", "args", ["-e", {}]],
        ["an argument with NUL", "args", ["-e", "a\0b"]],
        ["an argument of 1 MB, which no system takes", "args", ["-e", `"${megabyte}"`], internalError],
        ["a string as environment", "env", "A=1"],
        ["an object as environment", "env", { A: "1" }],
        ["a variable without a name", "env", [{ name: "", value: "1" }]],
        ["a variable named A=B", "env", [{ name: "A=B", value: "1" }]],
        ["a variable with NUL", "env", [{ name: "A", value: "1\0" }]],
        ["a number as folder", "cwd", 7],
        ["a list as folder", "cwd", ["/"]],
        ["an empty folder", "cwd", ""],
        ["a relative folder", "cwd", "sub"],
        ["a folder outside", "cwd", "/etc"],
        ["a folder of 1 MB", "cwd", `/${megabyte}`],
        ...noCounts.map(([what, value]): Wrong => [`a limit that is ${what}`, "outputByteLimit", value]),
      ],
      works: async params => {
        const terminal = await made(params);
        const exit = await succeeds("terminal/wait_for_exit", terminal);
        assert.deepEqual(exit, { exitCode: 0, signal: null });
        assert.equal(((await succeeds("terminal/output", terminal)) as { readonly output: string }).output, "ran");
        await succeeds("terminal/release", terminal);
      },
    },
    {
      name: "terminal/output",
      texts: ["terminalId"],
      good: waiting,
      works: async params =>
        assert.deepEqual(await succeeds("terminal/output", params), { output: "", truncated: false }),
    },
    {
      name: "terminal/wait_for_exit",
      texts: ["terminalId"],
      good: () => made(run("process.exit(3)")),
      works: async params =>
        assert.deepEqual(await succeeds("terminal/wait_for_exit", params), { exitCode: 3, signal: null }),
    },
    {
      name: "terminal/kill",
      texts: ["terminalId"],
      good: waiting,
      works: async params => {
        assert.deepEqual(await succeeds("terminal/kill", params), {});
        // Killing a command that has already ended does nothing and is not an error.
        assert.deepEqual(await succeeds("terminal/kill", params), {});
        const exit = await succeeds("terminal/wait_for_exit", params);
        if (process.platform !== "win32") assert.deepEqual(exit, { exitCode: null, signal: "SIGTERM" });
      },
    },
    {
      name: "terminal/release",
      texts: ["terminalId"],
      good: waiting,
      works: async params => {
        assert.deepEqual(await succeeds("terminal/release", params), {});
        for (const name of ["output", "wait_for_exit", "kill", "release"])
          await refused(`terminal/${name}`, params, resourceNotFound);
      },
    },
  ];

  for (const { name, texts, good, wrong = [], works } of methods) {
    describe(name, () => {
      let params: Params;
      before(async () => {
        params = await good();
      });

      for (const [what, value] of noParams) {
        it(`is refused when its params are ${what}`, () => refused(name, value, invalidParams));
      }
      for (const field of ["sessionId", ...texts]) {
        for (const [what, value] of noTexts) {
          it(`is refused when its ${field} is ${what}`, () =>
            refused(name, value === undefined ? without(params, field) : { ...params, [field]: value }, invalidParams));
        }
      }
      for (const [what, id] of [
        ["unknown", "gone"],
        ["empty", ""],
        ["1 MB long", megabyte],
        ["__proto__", "__proto__"],
      ] as const) {
        it(`is refused when its session is ${what}`, () =>
          refused(name, { ...params, sessionId: id }, resourceNotFound));
        if (texts.includes("terminalId")) {
          it(`is refused when its terminal is ${what}`, () =>
            refused(name, { ...params, terminalId: id }, resourceNotFound));
        }
      }
      for (const [what, field, value, code = invalidParams] of wrong) {
        it(`is refused with ${what}`, () =>
          refused(name, value === undefined ? without(params, field) : { ...params, [field]: value }, code));
      }

      it("is served when it is valid, after all of these", () => works(params));
    });
  }

  describe("fs/read_text_file of something that is not a text file", () => {
    for (const [what, name, code] of [
      ["missing", "none.txt", resourceNotFound],
      ["a folder", "sub", invalidParams],
      ["the session's own folder", ".", invalidParams],
      ["binary", "binary", invalidParams],
      ["below a file", "a.txt/b.txt", resourceNotFound],
    ] as const) {
      it(`is refused when it is ${what}`, () =>
        refused("fs/read_text_file", { sessionId: "s", path: join(folder, name) }, code));
    }
  });

  describe("terminal/create in something that is not a folder", () => {
    for (const name of ["a.txt", "none"]) {
      it(`is refused in ${name}`, () =>
        refused("terminal/create", { ...run("1"), cwd: join(folder, name) }, invalidParams));
    }
  });

  describe("a number in params", () => {
    const read = async (more: Params): Promise<unknown> =>
      succeeds("fs/read_text_file", { sessionId: "s", path: join(folder, "a.txt"), ...more });
    for (const huge of [2 ** 31, 2 ** 32, 2 ** 53, 2 ** 64, 1e308]) {
      it(`means past the end as the line ${huge}, and no limit as the limit ${huge}`, async () => {
        assert.deepEqual(await read({ line: huge }), { content: "" });
        assert.deepEqual(await read({ line: 2, limit: huge }), { content: "two\nthree\n" });
      });

      it(`keeps all output as an outputByteLimit of ${huge}`, async () => {
        const terminal = await made({ ...run("process.stdout.write('all of it')"), outputByteLimit: huge });
        await succeeds("terminal/wait_for_exit", terminal);
        assert.deepEqual(await succeeds("terminal/output", terminal), {
          output: "all of it",
          truncated: false,
          exitStatus: { exitCode: 0, signal: null },
        });
        await succeeds("terminal/release", terminal);
      });
    }

    it("is refused when it exceeds the range of numbers", async () => {
      for (const field of ["line", "limit"]) {
        const id = ++ids;
        const path = JSON.stringify(join(folder, "a.txt"));
        agent.line(
          `{"jsonrpc":"2.0","id":${id},"method":"fs/read_text_file","params":{"sessionId":"s","path":${path},"${field}":1e999}}`,
        );
        assert.equal((await agent.response(id)).error?.code, invalidParams);
      }
    });

    it("may be 0: the first line as a line, and no lines as a limit", async () => {
      assert.deepEqual(await read({ line: 0, limit: 1 }), { content: "one\n" });
      assert.deepEqual(await read({ limit: 0 }), { content: "" });
      assert.deepEqual(await read({ line: null, limit: null }), { content: "one\ntwo\nthree\n" });
    });
  });

  describe("an unknown method", () => {
    for (const method of [
      "fs/delete_file",
      "terminal/resize",
      "session/update",
      "_vendor/do",
      "$/unheard",
      "",
      " ",
      "__proto__",
      "constructor",
      "FS/READ_TEXT_FILE",
      megabyte,
    ]) {
      it(`gets the error "method not found": ${JSON.stringify(method.slice(0, 30))}`, async () => {
        for (const [, params] of noParams) {
          const { error } = await ask(method, params);
          assert.equal(error?.code, methodNotFound);
        }
      });
    }
  });

  it("gets a response with its own id, of any form", async () => {
    for (const id of [0, -7, "", "0", "a b", 2 ** 53, megabyte]) {
      agent.send({ id, method: "fs/read_text_file", params: { sessionId: "s", path: "a.txt" } });
      assert.equal((await agent.response(id)).error?.code, invalidParams);
    }
  });

  it("gets its own response when another id differs in type only", async () => {
    const line = (id: unknown): string =>
      JSON.stringify({ jsonrpc: "2.0", id, method: "fs/read_text_file", params: { sessionId: "s", path: "a.txt" } });
    agent.line([line(1e6), line("1000000")].join("\n"));
    for (const id of [1e6, "1000000"]) assert.equal((await agent.response(id)).error?.code, invalidParams);
  });

  it("does no harm as a notification", async () => {
    for (const { name } of methods) for (const [, params] of noParams) agent.send({ method: name, params });
    for (const params of wrongParams) agent.send({ method: "session/update", params });
    for (const update of wrongUpdates()) agent.send({ method: "session/update", params: { sessionId: "s", update } });
    await refused("fs/read_text_file", { sessionId: "s", path: "a.txt" }, invalidParams);
  });

  it("does not keep valid requests around it from being served", async () => {
    const good = { sessionId: "s", path: join(folder, "a.txt") };
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        ask("fs/read_text_file", index % 2 === 0 ? good : { ...good, path: `/${index}` }),
      ),
    );
    for (const [index, { result, error }] of answers.entries())
      assert.ok(index % 2 === 0 ? result : error?.code === invalidParams, String(index));
  });
});

describe("an invalid cancel notification", () => {
  let agent: WireAgent;
  let connected: AgentConnection;
  beforeEach(async () => {
    agent = new WireAgent();
    connected = await agent.ready();
  });
  afterEach(() => connected.dispose());

  const wrongIds: readonly unknown[] = [undefined, null, 7, 1.5, "none", true, {}, [], { toString: 1 }];
  const params = [...noParams.map(([, value]) => value), ...wrongIds.map(requestId => ({ requestId }))];
  for (const method of ["$/cancel_request", "$/cancelRequest"]) {
    for (const one of params) {
      it(`does no harm: ${method} with ${JSON.stringify(one) ?? "no params"}`, async () => {
        agent.send({ method, params: one });
        agent.send({ id: 1, method: "no/such_method" });
        assert.equal((await agent.response(1)).error?.code, methodNotFound);
      });
    }
  }
});
