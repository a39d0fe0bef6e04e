// An agent with the fault that its first argument names. Plain Node, no packages.
//   node bad.mjs <behaviour> [value]
// Everything except the named fault is correct, so that a test sees one fault at a time. Each behavior is described
// where it is defined, at the end of this file.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { signInBehaviours, signInProgram } from "./signInBehaviours.mjs";
import { startBehaviours } from "./startBehaviours.mjs";
import { wrongParams, wrongUpdates } from "./wrongTypes.mjs";

const [name = "", value] = process.argv.slice(2);

/** Writes text and waits for room in the pipe. */
async function write(text) {
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}

let lineEnd = "\n";
const send = message => write(JSON.stringify({ jsonrpc: "2.0", ...message }) + lineEnd);
const answer = (id, result) => send({ id, result });
const refuse = (id, code, message, data) => send({ id, error: { code, message, ...(data && { data }) } });
const update = fields => send({ method: "session/update", params: { sessionId, update: fields } });
const say = text => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const stop = (id, stopReason = "end_turn") => answer(id, { stopReason });
const complain = text => new Promise(done => process.stderr.write(`${text}\n`, done));

const options = [
  { optionId: "allow", name: "Allow", kind: "allow_once" },
  { optionId: "reject", name: "Reject", kind: "reject_once" },
];

let sessionId = "";
let cancelled = () => {};
/** Pending responses to our requests, by the JSON of their id. */
const awaited = new Map();

/** Sends a request with any id, and waits for its response. */
function ask(id, method, params) {
  const answered = new Promise(done => awaited.set(JSON.stringify(id), done));
  void send({ id, method, params });
  return answered;
}

const askPermission = (id, toolCall) => ask(id, "session/request_permission", { sessionId, toolCall, options });

/** The well-behaved agent that each behavior modifies. */
const right = {
  initialize: ({ id }) =>
    answer(id, {
      protocolVersion: 1,
      agentInfo: { name: "bad-agent", title: "Bad Agent", version: "1.0.0" },
      agentCapabilities: { promptCapabilities: { embeddedContext: true } },
      authMethods: [],
    }),
  "session/new": ({ id }) => {
    sessionId = randomUUID();
    return answer(id, { sessionId });
  },
  "session/prompt": async ({ id, params }) => {
    const words = params.prompt.map(block => (block.type === "text" ? block.text : `[${block.type}]`)).join(" ");
    await say(`You said: ${words}`);
    const usage = { inputTokens: 1200, outputTokens: 34, totalTokens: 1234 };
    const ended = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "" } };
    await update({ ...ended, _meta: { usage, contextLimit: 10_000 } });
    await answer(id, { stopReason: "end_turn", usage });
  },
  "session/cancel": () => cancelled(),
};

/** The bytes of every line, as they arrive. Our own side must be correct. */
function listen(handlers) {
  let rest = "";
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", async chunk => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line.trim() !== "") await receive(JSON.parse(line), handlers);
  });
}

async function receive(message, handlers) {
  if (message.method === undefined) {
    const key = JSON.stringify(message.id);
    awaited.get(key)?.(message.result ?? { error: message.error });
    awaited.delete(key);
    return;
  }
  const handler = handlers[message.method];
  // Not awaited: a prompt must not block its own responses and its cancel.
  if (handler) void handler(message);
  else if (message.id !== undefined) await refuse(message.id, -32601, `Method not found: ${message.method}`);
}

const waitForCancel = () => new Promise(done => (cancelled = done));

/** A handler for prompts that ends the turn when its body is done. */
const onPrompt = body => ({
  "session/prompt": async message => {
    await body(message);
    await stop(message.id);
  },
});

/** Each behavior: handlers that replace the correct ones, and actions at the start. */
const behaviours = {
  /** No fault. */
  none: () => ({}),

  /** Exits at once with the given code (3), after three lines on stderr. */
  exit: async () => {
    for (const line of ["bad-agent: reading the settings", "bad-agent: no licence found", "bad-agent: giving up"]) {
      await complain(line);
    }
    process.exit(Number(value ?? 3));
  },

  /** Exits as soon as it has answered `initialize`. */
  "exit-after-initialize": () => ({
    initialize: async message => {
      await right.initialize(message);
      await complain("bad-agent: lost interest");
      process.exit(Number(value ?? 4));
    },
  }),

  /** Prints lines that are not messages before it behaves, and in the middle of a turn. */
  banner: async () => {
    await write("Welcome to Bad Agent 1.0!\n\n  * * *\n\u001b[32mnpm notice\u001b[0m new version\n");
    return onPrompt(async () => {
      await write("DEBUG about to answer\n");
      await say("after the banner");
    });
  },

  /** Answers `initialize` with protocol version 0, or the given one. */
  version: () => ({
    initialize: ({ id }) => answer(id, { protocolVersion: Number(value ?? 0), agentCapabilities: {} }),
  }),

  /** Refuses the requested version of the protocol, because it speaks only later ones. */
  "version-refused": () => ({
    initialize: ({ id }) => refuse(id, -32022, "Unsupported protocol version", { requested: 1, supported: [2, 3] }),
  }),

  /** Answers `initialize` with an error. */
  "initialize-error": () => ({ initialize: ({ id }) => refuse(id, -32603, "The model store is corrupt.") }),

  /** Never answers `initialize`. */
  "initialize-never": () => ({ initialize: () => {} }),

  /** Answers `initialize` with something other than JSON. */
  "initialize-garbage": () => ({ initialize: () => write("<html>502 Bad Gateway</html>\n") }),

  /** Answers `initialize` with values of the wrong types. */
  "initialize-wrong-types": () => ({
    initialize: ({ id }) =>
      answer(id, {
        protocolVersion: 1,
        agentInfo: 7,
        agentCapabilities: { promptCapabilities: "all" },
        authMethods: [null, 7, {}],
      }),
  }),

  /**
   * Requires a sign-in before `session/new`. `authenticate` with "login" works; so does running it with `--sign-in`,
   * which creates the file that BAD_SIGNED_IN names.
   */
  "auth-required": () => {
    let signedIn = false;
    const authMethods = [
      { id: "login", name: "Log in", description: "Opens nothing, succeeds at once" },
      {
        type: "terminal",
        id: "terminal",
        name: "Log in at the terminal",
        args: ["--sign-in"],
        env: { BAD_FLOW: "terminal" },
      },
      { type: "env_var", id: "key", name: "Use a key", vars: [{ name: "BAD_KEY" }] },
    ];
    return {
      initialize: ({ id }) => answer(id, { protocolVersion: 1, agentCapabilities: {}, authMethods }),
      authenticate: ({ id, params }) => {
        signedIn = params.methodId === "login";
        return signedIn ? answer(id, {}) : refuse(id, -32602, `Unknown method ${params.methodId}`);
      },
      "session/new": message => {
        const file = process.env["BAD_SIGNED_IN"];
        if (signedIn || process.env["BAD_KEY"] || (file && existsSync(file))) return right["session/new"](message);
        return refuse(message.id, -32000, "Authentication required");
      },
    };
  },
  ...startBehaviours({ write, complain, value }),
  ...signInBehaviours({ answer, refuse, write, right, value }),
  /** Offers the mode `careful` only in its first process for a folder, as if an update had removed it. */
  "forgets-mode": () => {
    const mode = id => ({ id, name: `${id[0].toUpperCase()}${id.slice(1)}` });
    let isFirst;
    return {
      "session/new": ({ id, params }) => {
        const marker = join(params.cwd, "forgets-mode.started");
        isFirst ??= !existsSync(marker);
        writeFileSync(marker, "");
        const availableModes = (isFirst ? ["quick", "careful"] : ["quick", "thorough"]).map(mode);
        sessionId = randomUUID();
        return answer(id, { sessionId, modes: { currentModeId: "quick", availableModes } });
      },
      "session/set_mode": ({ id }) => answer(id, null),
    };
  },

  /** Refuses `session/new` with an ordinary error. */
  "session-error": () => ({ "session/new": ({ id }) => refuse(id, -32603, "Too many sessions.", { limit: 3 }) }),

  /** Never answers `session/new`. */
  "session-never": () => ({ "session/new": () => {} }),

  /** Every field of every update, with every wrong type; a valid message comes last. */
  "wrong-types": () =>
    onPrompt(async () => {
      for (const wrong of wrongUpdates()) await update(wrong);
      for (const params of wrongParams) await send({ method: "session/update", params });
      await say("still here");
    }),

  /** Updates, notifications, requests and content that no version of the protocol defines. */
  unknown: () =>
    onPrompt(async () => {
      await update({ sessionUpdate: "hologram", beam: [1, 2, 3] });
      await update({ sessionUpdate: "agent_message_chunk", content: { type: "smell", strength: 3 } });
      await update({ sessionUpdate: "tool_call", toolCallId: "t1", title: "Odd", kind: "dance", status: "dizzy" });
      await send({ method: "_bad/hello", params: { a: 1 } });
      await send({ method: "$/unheard", params: {} });
      const answered = await ask("v1", "_bad/question", {});
      await say(`my own question was answered with ${JSON.stringify(answered)}`);
    }),

  /** Sends requests with the ids 0, a UUID, a negative number, and null; reports which were answered. */
  ids: () =>
    onPrompt(async () => {
      await update({ sessionUpdate: "tool_call", toolCallId: "t1", title: "Odd ids", kind: "other" });
      await send({
        id: null,
        method: "session/request_permission",
        params: { sessionId, toolCall: { toolCallId: "t1" }, options },
      });
      const ids = [0, randomUUID(), -7, "0"];
      for (const id of ids) await askPermission(id, { toolCallId: "t1" });
      await say(`${ids.length} answered`);
    }),

  /** Works on after the end of its turn, until it is cancelled: a message, a tool call, and a question about the call. */
  "works-after-turn": () => ({
    "session/prompt": async ({ id }) => {
      await say("I go on later.");
      await stop(id);
      await say("The server has started.");
      void askPermission("watch", { toolCallId: "watch", title: "Watch the server", status: "in_progress" });
      await waitForCancel();
      await say("I was cancelled.");
    },
  }),

  /** Answers the prompt with neither result nor error. */
  "missing-result": () => ({
    "session/prompt": async ({ id }) => {
      await say("no result follows");
      await send({ id });
    },
  }),

  /** Answers the prompt twice, and a request that was never sent. */
  "double-answer": () => ({
    "session/prompt": async ({ id }) => {
      await say("twice");
      await answer(99_999, {});
      await stop(id);
      await stop(id, "refusal");
    },
  }),

  /** Malformed and unusual lines between two valid messages. */
  malformed: () =>
    onPrompt(async () => {
      await say("before");
      for (const line of [
        '{"jsonrpc":"2.0","method":',
        "{}",
        "[]",
        "null",
        "7",
        '"text"',
        "[1,2]",
        "\u0000\u0001",
        "}{",
      ]) {
        await write(`${line}\n`);
      }
      await write(Buffer.from([0xff, 0xfe, 0x80, 0x0a]));
      await write('{"id":1,"result":{}}\n{"jsonrpc":"1.0","method":"session/update","params":{}}\n');
      await say("after");
    }),

  /** U+2028, U+2029 and other characters at which some line splitters break, unescaped inside one line. */
  u2028: () => onPrompt(() => say("a\u2028b\u2029c\u0085d\u000be\u000cf\r\ng")),

  /** Ends its lines with CRLF. */
  crlf: () => {
    lineEnd = "\r\n";
    return {};
  },

  /** One line of 300 KB, or of the given size. */
  "long-line": () => onPrompt(() => say("x".repeat(Number(value ?? 300_000)))),

  /** Its bytes arrive one by one, splitting characters. */
  "split-bytes": () =>
    onPrompt(async () => {
      const content = { type: "text", text: "naïve 🦜 日本" };
      const params = { sessionId, update: { sessionUpdate: "agent_message_chunk", content } };
      const bytes = Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params })}\n`);
      for (const byte of bytes)
        await new Promise(done => process.stdout.write(Buffer.from([byte]), () => setImmediate(done)));
    }),

  /** Two messages in one write, and the end of the turn in the same. */
  "one-write": () => ({
    "session/prompt": async ({ id }) => {
      const chunk = text =>
        JSON.stringify({
          jsonrpc: "2.0",
          method: "session/update",
          params: { sessionId, update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } },
        });
      await write(
        `${chunk("one ")}\n\n${chunk("two")}\n${JSON.stringify({ jsonrpc: "2.0", id, result: { stopReason: "end_turn" } })}\n`,
      );
    },
  }),

  /** Answers the prompt with an error after some text and a retry. The reason is JSON in the data of the error. */
  "prompt-error": () => ({
    "session/prompt": async ({ id }) => {
      await say("thinking about it");
      const retry = { message: "Reconnecting 1/1", additionalDetails: "429 Too Many Requests", willRetry: true };
      await update({ sessionUpdate: "session_info_update", _meta: { bad: { error: retry } } });
      const reason = JSON.stringify({ error: { message: "The model is overloaded." } });
      await refuse(id, -32603, "Internal error", { message: reason, retryAfter: 30 });
    },
  }),

  /** Declines to answer, after some text. */
  refusal: () => ({
    "session/prompt": async ({ id }) => {
      await say("I would rather not.");
      await stop(id, "refusal");
    },
  }),

  /** Ends the turn with an unknown stop reason. */
  "stop-reason": () => ({ "session/prompt": ({ id }) => stop(id, value ?? "bored") }),

  /** Requests permission twice at once, the second time for a tool call that was not reported. Reports both answers. */
  "two-questions": () =>
    onPrompt(async () => {
      await update({
        sessionUpdate: "tool_call",
        toolCallId: "known",
        title: "Known tool",
        kind: "edit",
        status: "pending",
      });
      const first = askPermission("q1", { toolCallId: "known" });
      const second = askPermission("q2", { toolCallId: "unknown", title: "Never announced", kind: "execute" });
      const outcomes = await Promise.all([first, second]);
      await say(outcomes.map(one => one.outcome?.optionId ?? one.outcome?.outcome ?? "error").join(" then "));
    }),

  /** Requests permission with invalid options. */
  "odd-options": () =>
    onPrompt(async () => {
      const odd = [
        { optionId: "forever", name: "Allow forever", kind: "allow_forever" },
        null,
        { optionId: 7, name: 7, kind: 7 },
      ];
      const params = { sessionId, toolCall: { toolCallId: "t1", title: "Odd options" }, options: odd };
      const answered = await ask("q1", "session/request_permission", params);
      await say(JSON.stringify(answered));
    }),

  /** 20,000 updates, or the given number, as fast as the pipe accepts them. */
  flood: () =>
    onPrompt(async () => {
      for (let n = 0; n < Number(value ?? 20_000); n += 1) await say(`${n} `);
    }),

  /** Does nothing until cancelled, then continues to send text, and only then stops. */
  "late-cancel": () => ({
    "session/prompt": async ({ id }) => {
      await update({
        sessionUpdate: "tool_call",
        toolCallId: "t1",
        title: "A long job",
        kind: "execute",
        status: "in_progress",
      });
      await waitForCancel();
      await update({ sessionUpdate: "tool_call_update", toolCallId: "t1", status: "completed" });
      await say("finished all the same");
      await stop(id, "cancelled");
    },
  }),

  /** Answers a cancelled prompt with the error "request cancelled" instead of a stop reason. */
  "cancel-error": () => ({
    "session/prompt": async ({ id }) => {
      await say("waiting");
      await waitForCancel();
      await refuse(id, -32800, "Request cancelled");
    },
  }),

  /** Ignores cancel; the turn never ends. */
  "ignores-cancel": () => ({ "session/prompt": () => say("I do not stop") }),

  /** Exits in the middle of a turn, with output on stderr. */
  "dies-in-turn": () => ({
    "session/new": async ({ id }) => {
      sessionId = randomUUID();
      await update({ sessionUpdate: "session_info_update", title: `Work of process ${process.pid}` });
      await answer(id, { sessionId });
    },
    "session/prompt": async () => {
      await update({
        sessionUpdate: "plan",
        entries: [{ content: "Work hard", priority: "medium", status: "pending" }],
      });
      await say("I feel unwell");
      await complain("bad-agent: out of memory");
      process.exit(Number(value ?? 137));
    },
  }),

  /** Exits while a question is open. */
  "dies-with-question": () => ({
    "session/prompt": async () => {
      void askPermission("q1", { toolCallId: "t1", title: "A last wish", kind: "edit" });
      await new Promise(done => process.stdin.once("data", done));
      process.exit(1);
    },
  }),

  /** Closes its stdout and keeps running. */
  "closes-stdout": () => ({
    "session/prompt": async () => {
      await say("my last words");
      process.stdout.end();
      setInterval(() => {}, 1000);
    },
  }),

  /** Starts a grandchild that ignores SIGTERM and keeps running; reports its process id. */
  grandchild: () => {
    const source = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("ready");';
    const child = spawn(process.execPath, ["-e", source], { stdio: ["ignore", "pipe", "ignore"] });
    return onPrompt(async () => {
      if (!child.stdout.readableEnded && child.stdout.readableLength === 0) await once(child.stdout, "readable");
      await say(String(child.pid));
    });
  },

  /** Keeps running when its stdin ends, and ignores SIGTERM. */
  "ignores-end": () => {
    process.on("SIGTERM", () => {});
    setInterval(() => {}, 1000);
    return {};
  },

  /** Writes to stderr without end, and more than a pipe holds, before it behaves. */
  chatty: async () => {
    for (let n = 0; n < Number(value ?? 5000); n += 1) await complain(`bad-agent: line ${n} of a very long story`);
    return {};
  },
};

if (process.argv.includes("--sign-in")) signInProgram(value);
if (!Object.hasOwn(behaviours, name)) {
  process.stderr.write(`Name a behaviour: ${Object.keys(behaviours).join(", ")}\n`);
  process.exit(64);
}
listen({ ...right, ...(await behaviours[name]()) });
