#!/usr/bin/env node
// A scripted stand-in for the model APIs. Plain Node, no dependencies, loopback only.
//
//   node model-server.mjs --port 8099 [--log FILE] [--quiet] [--prompts FILE]
//
// Speaks: Anthropic Messages (+ count_tokens), OpenAI Chat Completions, OpenAI Responses,
// Gemini generateContent / streamGenerateContent / countTokens, and model lists.
//
// The last user text contains the answers as markers, which are played in order. Text markers are combined until the
// next tool marker; a tool marker ends one model reply. The next request (with the tool's result) continues after it.
// When the script is finished the reply is a short text. FILE has markers for prompts that look like those of people: a JSON
// object from a part of the prompt to its markers, which is read for each request.
//
//   [[say:TEXT]]                 one text block (sent as a few chunks)
//   [[stream:N]] [[stream:N,MS]] N small text chunks, MS apart (default 10)
//   [[big:N]]                    one text chunk of N characters
//   [[md]]                       a markdown sample (headings, list, table, fenced code)
//   [[think:TEXT]]               reasoning / thinking
//   [[tool:read PATH]]
//   [[tool:edit PATH|OLD|NEW]]   replace OLD by NEW (\n is a newline)
//   [[tool:write PATH|CONTENT]]
//   [[tool:bash CMD]]            [[tool:escalate CMD]] the same, asking for permission where the tool can (Codex)
//   [[tool:search PATTERN]] [[tool:glob PATTERN]] [[tool:fetch URL]]
//   [[plan]] [[plan:2]]          the todo / plan tool; the number is how many of 3 steps are done
//   [[call:NAME {JSON}]]         that tool with those arguments, whatever it is
//   [[mcp:SERVER.TOOL {JSON}]]   that tool of an MCP server, whatever the agent calls it
//   [[mend:SERVER {JSON}]]       calls the tool diagnostics of the MCP server with these arguments, repairs what it reports
//                                with apply_edits, and calls it again; nothing if that tool is not offered (repairs.mjs)
//   [[model]] [[images]]         text: the name of the model; how many images the last request with user text has
//   [[and]]                      the next tool goes into the same reply (parallel calls)
//   [[wait:SECONDS]]             sleep before continuing
//   [[hang]]                     headers, then nothing, until the client hangs up
//   [[drop]]                     cut the connection in mid-stream
//   [[stop:REASON]]              finish reason: length | refusal | (default) stop
//   [[error:STATUS]] [[error:STATUS xN]] [[error:STATUS noretry]]   HTTP error (the first N times)
//   [[usage:IN,OUT]]             token counts to report
//
// Requests that offer no tools (titles, summaries, classifiers) get a short side reply, or the
// smallest value that fits the JSON schema they ask for.
import http from "node:http";
import fs from "node:fs";
import crypto from "node:crypto";
import { nextRepairCall } from "./repairs.mjs";

const argv = process.argv.slice(2);
const opt = (name, dflt) => {
  const i = argv.indexOf("--" + name);
  return i < 0 ? dflt : argv[i + 1];
};
const PORT = Number(opt("port", "8099"));
const LOG = opt("log", "");
const PROMPTS = opt("prompts", "");
const QUIET = argv.includes("--quiet");
let seq = 0;
let full = false;
// The first request with tools is logged completely, the others only from their last items.
const brief = (body, tools) => {
  if (!full && tools > 3) {
    full = true;
    return body;
  }
  for (const k of ["messages", "input", "contents"])
    if (Array.isArray(body[k]))
      return {
        [k]: body[k].slice(-4).map(m => {
          const t = J(m);
          return t.length < 8000 ? m : { _cut: t.slice(0, 4000) + " ... " + t.slice(-2000) };
        }),
        _of: body[k].length,
      };
  return { _tail: J(body).slice(-2000) };
};
const log = entry => {
  if (LOG) fs.appendFileSync(LOG, JSON.stringify({ ts: new Date().toISOString(), ...entry }) + "\n");
};
const sleep = ms => new Promise(r => setTimeout(r, ms));
const rid = (n = 12) =>
  crypto
    .randomBytes(n)
    .toString("hex")
    .slice(0, n * 2);

// ---------------------------------------------------------------- script

/** The first sentence of an earlier conversation that a client attaches to a prompt. Its markers were played already. */
const attached = "This is the conversation so far.";
/** A line of an earlier conversation, which can also be attached in several texts. */
const attachedLine = /^>.*$/gm;

const unesc = s => s.replace(/\\n/g, "\n").replace(/\\t/g, "\t");

function parseScript(text) {
  const out = [];
  const re = /\[\[([a-z]+)(?::([\s\S]*?))?\]\]/g;
  for (let m; (m = re.exec(text));) {
    const [, name, arg = ""] = m;
    if (name === "tool") {
      const sp = arg.search(/\s/);
      const kind = sp < 0 ? arg : arg.slice(0, sp);
      const rest = sp < 0 ? "" : arg.slice(sp + 1);
      out.push({ op: "tool", kind, parts: rest.split("|").map(unesc), rest });
    } else if (name === "mcp") {
      const sp = arg.indexOf(" ");
      const [server, tool] = arg.slice(0, sp).split(".");
      out.push({ op: "tool", kind: "mcp", server, name: tool, args: JSON.parse(arg.slice(sp + 1)), parts: [] });
    } else if (name === "mend") {
      const sp = arg.indexOf(" ");
      out.push({ op: "mend", server: arg.slice(0, sp), args: JSON.parse(arg.slice(sp + 1)) });
    } else if (name === "plan") out.push({ op: "tool", kind: "plan", done: Number(arg || 0), parts: [] });
    else if (name === "call") {
      const sp = arg.indexOf(" ");
      let args = {};
      try {
        args = JSON.parse(sp < 0 ? "{}" : arg.slice(sp + 1));
      } catch {
        /* left empty */
      }
      out.push({ op: "tool", kind: "call", name: sp < 0 ? arg : arg.slice(0, sp), args, parts: [] });
    } else out.push({ op: name, arg });
  }
  return out;
}

// The replies of the script: each ends after its tool calls.
function replies(script) {
  const list = [[]];
  let open = false; // the last reply ends with a tool call
  let join = false;
  for (const a of script) {
    if (a.op === "and") {
      join = true;
      continue;
    }
    if ((open || (a.op === "mend" && list.at(-1).length > 0)) && !(join && a.op === "tool")) {
      list.push([]);
      open = false;
    }
    list.at(-1).push(a);
    join = false;
    if (a.op === "tool" || a.op === "mend") open = true;
  }
  return list;
}

// ---------------------------------------------------------------- reading requests

const textsOf = c =>
  typeof c === "string"
    ? [c]
    : Array.isArray(c)
      ? c.filter(b => typeof b?.text === "string" && (b.type === undefined || /text/.test(b.type))).map(b => b.text)
      : [];

// Gemini has an object. Its text is in one of several fields.
function textOfResponse(response) {
  const text = response?.output ?? response?.error ?? response;
  return typeof text === "string" ? text : JSON.stringify(text);
}

// Qwen Code can call the tools of servers through one tool.
function nameOfCall({ name, arguments: sent }) {
  if (name !== "tool_call") return name;
  try {
    return JSON.parse(sent).name;
  } catch {
    return name;
  }
}

// Each request becomes { items: [{role, texts[], calls[], named, results, outcomes}], tools, stream, model, jsonSchema }.
// `named` has the names of the calls by their ids, and `outcomes` the ids and texts of the results.
function normAnthropic(b) {
  const items = (b.messages ?? []).map(m => {
    const blocks = typeof m.content === "string" ? [{ type: "text", text: m.content }] : (m.content ?? []);
    return {
      role: m.role,
      texts: blocks.filter(x => x.type === "text").map(x => x.text),
      calls: blocks.filter(x => x.type === "tool_use").map(x => x.id),
      named: blocks.filter(x => x.type === "tool_use").map(x => [x.id, x.name]),
      results: blocks.filter(x => x.type === "tool_result").length,
      outcomes: blocks
        .filter(x => x.type === "tool_result")
        .map(x => ({ id: x.tool_use_id, text: textsOf(x.content).join("\n") })),
    };
  });
  const tools = (b.tools ?? []).map(t => ({ name: t.name, schema: t.input_schema ?? {}, type: t.type }));
  return {
    items,
    tools,
    stream: !!b.stream,
    model: b.model,
    jsonSchema: b.output_config?.format?.schema ?? b.output_format?.schema,
  };
}

function normChat(b) {
  const items = (b.messages ?? []).map(m => ({
    role: m.role === "tool" ? "tool" : m.role === "assistant" ? "assistant" : m.role === "user" ? "user" : "system",
    texts: textsOf(m.content),
    calls: (m.tool_calls ?? []).map(c => c.id),
    named: (m.tool_calls ?? []).map(c => [c.id, nameOfCall(c.function ?? {})]),
    results: m.role === "tool" ? 1 : 0,
    outcomes: m.role === "tool" ? [{ id: m.tool_call_id, text: textsOf(m.content).join("\n") }] : [],
  }));
  const tools = (b.tools ?? []).map(t => ({ name: t.function?.name ?? t.name, schema: t.function?.parameters ?? {} }));
  return { items, tools, stream: !!b.stream, model: b.model, jsonSchema: b.response_format?.json_schema?.schema };
}

function normResponses(b) {
  const input = typeof b.input === "string" ? [{ type: "message", role: "user", content: b.input }] : (b.input ?? []);
  const items = [];
  for (const it of input) {
    const type = it.type ?? "message";
    if (type === "message")
      items.push({
        role: it.role === "developer" ? "system" : it.role,
        texts: textsOf(it.content),
        calls: [],
        results: 0,
      });
    else if (/_call$/.test(type))
      items.push({ role: "assistant", texts: [], calls: [it.call_id ?? it.id], results: 0 });
    else if (/_call_output$/.test(type)) items.push({ role: "tool", texts: [], calls: [], results: 1 });
  }
  const tools = [];
  const add = (list, ns) => {
    for (const t of list ?? []) {
      if (t.type === "namespace" || Array.isArray(t.tools)) add(t.tools, t.name);
      else
        tools.push({
          name: t.name ?? t.type,
          schema: t.parameters ?? {},
          custom: t.type === "custom",
          local: t.type === "local_shell",
          ns,
        });
    }
  };
  add(b.tools);
  for (const it of input) if (it.type === "additional_tools") add(it.tools);
  return { items, tools, stream: !!b.stream, model: b.model, jsonSchema: b.text?.format?.schema };
}

function normGemini(b, stream, model) {
  const items = (b.contents ?? []).map(c => {
    const parts = c.parts ?? [];
    return {
      role: c.role === "model" ? "assistant" : "user",
      texts: parts.filter(p => typeof p.text === "string" && !p.thought).map(p => p.text),
      calls: parts.filter(p => p.functionCall).map(p => p.functionCall.id ?? ""),
      named: parts.filter(p => p.functionCall).map(p => [p.functionCall.id, p.functionCall.name]),
      results: parts.filter(p => p.functionResponse).length,
      outcomes: parts
        .filter(p => p.functionResponse)
        .map(({ functionResponse: { id, name, response } }) => ({ id, name, text: textOfResponse(response) })),
    };
  });
  const tools = (b.tools ?? [])
    .flatMap(t => t.functionDeclarations ?? [])
    .map(f => ({ name: f.name, schema: f.parametersJsonSchema ?? f.parameters ?? {} }));
  const g = b.generationConfig ?? {};
  const jsonSchema =
    g.responseJsonSchema ??
    g.responseSchema ??
    (g.responseMimeType === "application/json" ? { type: "object" } : undefined);
  return { items, tools, stream, model, jsonSchema };
}

// The text with the markers of a user text. Undefined: it has none.
function markersOf(text, prompts) {
  const own = text.split(attached)[0].replace(attachedLine, "");
  if (/\[\[[a-z]+(:[\s\S]*?)?\]\]/.test(own)) return own;
  return Object.entries(prompts).find(([part]) => own.includes(part))?.[1];
}

// The current script, and the number of its replies that have been sent.
function situation(req) {
  const prompts = PROMPTS && fs.existsSync(PROMPTS) ? JSON.parse(fs.readFileSync(PROMPTS, "utf8")) : {};
  let at = -1;
  let text = "";
  for (let i = req.items.length - 1; i >= 0 && at < 0; i--) {
    if (req.items[i].role !== "user") continue;
    for (let j = req.items[i].texts.length - 1; j >= 0; j--) {
      const found = markersOf(req.items[i].texts[j], prompts);
      if (found !== undefined) {
        at = i;
        text = found;
        break;
      }
    }
  }
  if (at < 0) return { script: null, round: 0, text: "" };
  // A later user text after a finished reply belongs to a prompt without markers.
  let finished = false;
  let rounds = 0;
  let tagged = -1;
  for (let i = at + 1; i < req.items.length; i++) {
    const it = req.items[i];
    if (it.role === "assistant") {
      finished = it.calls.length === 0 && it.texts.join("").trim() !== "";
      if (it.calls.length && req.items[i - 1]?.calls.length === 0) rounds++;
      for (const id of it.calls) {
        const m = /_r(\d+)i\d+/.exec(id ?? "");
        if (m) tagged = Math.max(tagged, Number(m[1]));
      }
    } else if (it.role === "tool" || it.results) finished = false;
    else if (
      it.role === "user" &&
      finished &&
      it.texts
        .join("")
        .replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, "")
        .trim()
    )
      return { script: null, round: 0, text: it.texts.join("\n") };
  }
  return {
    script: parseScript(text),
    round: tagged >= 0 ? tagged + 1 : rounds,
    text,
    outcomes: outcomesSince(req, at),
  };
}

// The names and texts of the tool results after this item.
function outcomesSince(req, at) {
  const items = req.items.slice(at + 1);
  const names = new Map(items.flatMap(it => it.named ?? []));
  return items
    .flatMap(it => it.outcomes ?? [])
    .map(({ id, name, text }) => ({ name: name ?? names.get(id) ?? "", text }));
}

// ---------------------------------------------------------------- choosing tools

const NAMES = {
  read: ["read", "read_file", "readfile", "view", "read_text_file", "view_file", "cat"],
  edit: [
    "edit",
    "replace",
    "edit_file",
    "str_replace",
    "str-replace-editor",
    "str_replace_editor",
    "search_replace",
    "apply_patch",
    "multiedit",
  ],
  write: ["write", "write_file", "create", "create_file", "save-file", "save_file", "apply_patch"],
  bash: [
    "bash",
    "run_shell_command",
    "shell",
    "shell_command",
    "exec_command",
    "local_shell",
    "launch-process",
    "terminal",
    "exec",
  ],
  plan: ["todowrite", "todo_write", "write_todos", "update_plan", "todo", "add_tasks", "taskcreate", "update_todo"],
  search: ["grep", "search_file_content", "grep_search", "rg", "search"],
  glob: ["glob", "find_files", "list_directory", "ls", "list"],
  fetch: ["webfetch", "web_fetch", "fetch", "web-fetch"],
};

const pick = (tools, names) => {
  for (const n of names) {
    const t = tools.find(x => (x.name ?? "").toLowerCase() === n);
    if (t) return t;
  }
};
const firstProp = (schema, names) => names.find(n => schema.properties && n in schema.properties);

function fillRequired(schema, args) {
  for (const k of schema.required ?? []) if (!(k in args)) args[k] = sample(schema.properties?.[k] ?? {}, k);
  return args;
}

function sample(s, key = "") {
  if (!s || typeof s !== "object") return "x";
  if ("const" in s) return s.const;
  if ("default" in s) return s.default;
  if (s.enum) return s.enum[0];
  const alt = s.anyOf ?? s.oneOf ?? s.allOf;
  if (alt) return sample(alt[0], key);
  const type = String(
    Array.isArray(s.type) ? s.type[0] : (s.type ?? (s.properties ? "object" : "string")),
  ).toLowerCase();
  if (type === "object") {
    const o = {};
    for (const [k, v] of Object.entries(s.properties ?? {}))
      if (!s.required || s.required.includes(k)) o[k] = sample(v, k);
    return o;
  }
  if (type === "array") return s.minItems ? [sample(s.items ?? {}, key)] : [];
  if (type === "integer" || type === "number") return s.minimum ?? 1;
  if (type === "boolean") return false;
  if (type === "null") return null;
  return /title/i.test(key) ? "Fake title" : /url/i.test(key) ? "http://127.0.0.1/" : "fake " + (key || "value");
}

const PATHS = ["file_path", "filePath", "absolute_path", "path", "target_file", "filename"];

function patchFor(kind, parts) {
  const lines = s => s.split("\n");
  if (kind === "write")
    return [
      "*** Begin Patch",
      `*** Add File: ${parts[0]}`,
      ...lines(parts[1] ?? "new file").map(l => "+" + l),
      "*** End Patch",
    ].join("\n");
  return [
    "*** Begin Patch",
    `*** Update File: ${parts[0]}`,
    "@@",
    ...lines(parts[1] ?? "").map(l => "-" + l),
    ...lines(parts[2] ?? "").map(l => "+" + l),
    "*** End Patch",
  ].join("\n");
}

const shellQuote = s => `'${s.replace(/'/g, `'\\''`)}'`;

// -> { name, args } | { name, custom: text } | { none: why }
function chooseTool(a, tools) {
  if (a.kind === "escalate") {
    const c = chooseTool({ ...a, kind: "bash" }, tools);
    const t = tools.find(x => x.name === c.name);
    if (c.args && t?.schema?.properties?.sandbox_permissions)
      Object.assign(c.args, {
        sandbox_permissions: "require_escalated",
        justification: "Needs more than the sandbox allows",
      });
    if (c.custom && c.name === "exec")
      c.custom = c.custom.replace(
        '{"cmd"',
        '{"sandbox_permissions":"require_escalated","justification":"Needs more than the sandbox allows","cmd"',
      );
    if (c.args && t?.schema?.properties?.with_escalated_permissions)
      Object.assign(c.args, { with_escalated_permissions: true, justification: "Needs more than the sandbox allows" });
    return c;
  }
  if (a.kind === "mcp") {
    const t = tools.find(x => x.name.includes(a.server) && x.name.endsWith(a.name));
    if (t) return { name: t.name, args: a.args, ns: t.ns };
    // An agent may offer many tools through one.
    if (tools.some(x => x.name === "tool_call"))
      return { name: "tool_call", args: { name: `mcp__${a.server}__${a.name}`, arguments: a.args } };
    return { none: `no tool ${a.name} of ${a.server}` };
  }
  if (a.kind === "call") {
    const t = tools.find(x => x.name === a.name);
    return t?.custom ? { name: a.name, custom: a.args.input ?? "" } : { name: a.name, args: a.args, ns: t?.ns };
  }
  // Codex's code mode: one tool that runs JavaScript, with the others inside.
  const js = tools.find(x => x.name === "exec" && x.custom);
  if (js && !pick(tools, ["exec_command", "shell"])) {
    const inner = chooseTool(a, [
      { name: "exec_command", schema: { properties: { cmd: {} } } },
      { name: "apply_patch", custom: true },
      { name: "update_plan", schema: {} },
    ]);
    if (inner.none) return inner;
    return {
      name: "exec",
      custom: `const r = await tools.${inner.name}(${JSON.stringify(inner.custom ?? inner.args)});\ntext(r);`,
    };
  }
  let t = pick(tools, NAMES[a.kind] ?? [a.kind]);
  if (!t && a.kind === "plan") {
    const steps = ["Look at the code", "Change the code", "Test the change"];
    const st = (i, doneWord) => (i < a.done ? doneWord : i === a.done ? "in_progress" : "pending");
    // Qwen Code provides its todo tool through tool_call.
    if (tools.some(x => x.name === "tool_call"))
      return {
        name: "tool_call",
        args: {
          name: "todo_write",
          arguments: { todos: steps.map((x, i) => ({ id: String(i + 1), content: x, status: st(i, "completed") })) },
        },
      };
    // Copilot stores its todos in a SQLite table.
    if (tools.some(x => x.name === "sql"))
      return {
        name: "sql",
        args: {
          description: "Write todos",
          query:
            "INSERT OR REPLACE INTO todos (id, title, description, status) VALUES " +
            steps.map((x, i) => `('t${i + 1}', '${x}', '${x}', '${st(i, "done")}')`).join(", "),
        },
      };
  }
  if (!t && a.kind !== "plan") {
    // Agents that have only a shell.
    const sh = pick(tools, NAMES.bash);
    if (!sh) return { none: `no tool for ${a.kind} among: ${tools.map(x => x.name).join(", ")}` };
    const cmd =
      a.kind === "read"
        ? `cat ${shellQuote(a.parts[0])}`
        : a.kind === "search"
          ? `grep -rn ${shellQuote(a.parts[0])} .`
          : a.kind === "glob"
            ? `ls ${a.parts[0]}`
            : `apply_patch <<'EOF'\n${patchFor(a.kind, a.parts)}\nEOF`;
    return chooseTool({ op: "tool", kind: "bash", parts: [cmd], rest: cmd }, tools);
  }
  if (!t) return { none: `no tool for ${a.kind} among: ${tools.map(x => x.name).join(", ")}` };
  const s = t.schema ?? {};
  const low = t.name.toLowerCase();
  const done = args => ({ name: t.name, args: fillRequired(s, args), ns: t.ns });
  if (low === "apply_patch") {
    const p = patchFor(a.kind, a.parts);
    return t.custom
      ? { name: t.name, custom: p }
      : done({ [firstProp(s, ["input", "patchText", "patch_text", "patch"]) ?? "input"]: p });
  }
  if (t.local) return { name: t.name, localShell: a.rest };
  if (a.kind === "read") return done({ [firstProp(s, PATHS) ?? "path"]: a.parts[0] });
  if (a.kind === "edit")
    return done({
      [firstProp(s, PATHS) ?? "path"]: a.parts[0],
      [firstProp(s, ["old_string", "oldString", "old_str", "old_text"]) ?? "old_string"]: a.parts[1] ?? "",
      [firstProp(s, ["new_string", "newString", "new_str", "new_text"]) ?? "new_string"]: a.parts[2] ?? "",
    });
  if (a.kind === "write")
    return done({
      [firstProp(s, PATHS) ?? "path"]: a.parts[0],
      [firstProp(s, ["content", "contents", "file_text", "file_content"]) ?? "content"]: a.parts[1] ?? "new file\n",
    });
  if (a.kind === "bash") {
    const key = firstProp(s, ["command", "cmd", "script"]) ?? "command";
    const cmd = a.rest ?? a.parts[0];
    const args = { [key]: s.properties?.[key]?.type === "array" ? ["bash", "-lc", cmd] : cmd };
    if (s.properties?.description) args.description = "Run " + cmd.split("\n")[0].slice(0, 40);
    if (low === "exec_command" && s.properties?.yield_time_ms) args.yield_time_ms = 30000;
    return done(args);
  }
  if (a.kind === "search") return done({ [firstProp(s, ["pattern", "query", "regex"]) ?? "pattern"]: a.parts[0] });
  if (a.kind === "glob") return done({ [firstProp(s, ["pattern", "path", "dir_path"]) ?? "pattern"]: a.parts[0] });
  if (a.kind === "fetch") return done({ [firstProp(s, ["url", "prompt"]) ?? "url"]: a.parts[0] });
  if (a.kind === "plan") {
    const steps = ["Look at the code", "Change the code", "Test the change"];
    const st = i => (i < a.done ? "completed" : i === a.done ? "in_progress" : "pending");
    if (low === "update_plan")
      return done({ explanation: "A small plan", plan: steps.map((x, i) => ({ step: x, status: st(i) })) });
    if (low === "taskcreate")
      return done({
        subject: steps[a.done] ?? steps[0],
        description: "Task: " + steps[a.done],
        activeForm: "Working on it",
      });
    const key = firstProp(s, ["todos", "tasks", "items"]) ?? "todos";
    const item = s.properties?.[key]?.items ?? {};
    return done({
      [key]: steps.map((x, i) => {
        const o = {};
        for (const [k, v] of Object.entries(item.properties ?? { content: {}, status: {} })) {
          if (k === "id") o.id = v.type === "integer" || v.type === "number" ? i + 1 : String(i + 1);
          else if (k === "status") o.status = st(i);
          else if (k === "priority") o.priority = ["high", "medium", "low"][i];
          else if (/content|description|title|subject|name/i.test(k)) o[k] = x;
          else if (/activeForm/.test(k)) o[k] = x + " (now)";
          else if ((item.required ?? []).includes(k)) o[k] = sample(v, k);
        }
        return o;
      }),
    });
  }
  return done({});
}

// ---------------------------------------------------------------- planning one reply

const MD =
  "# Heading\n\nA paragraph with `code`, **bold** and a [link](https://example.com/).\n\n- one\n- two\n  - nested\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nconst x = 1; // fenced\n```\n\nThe end.";
const hits = new Map();
// N characters without repetition (some agents stop a model that loops).
const filler = n => {
  let t = "";
  for (let i = 1, x = 12345; t.length < n; i++) {
    x = (x * 1103515245 + 12345) % 2147483648;
    t += `${i}:${x.toString(36)}${i % 8 ? " " : "\n"}`;
  }
  return t.slice(0, n);
};
// JSON without raw U+2028/2029, at which some stream readers split.
const J = v => JSON.stringify(v).replace(/[\u2028\u2029]/g, c => "\\u" + c.charCodeAt(0).toString(16));

// The number of the next reply. A reply that mends is repeated until nothing is left to do.
function skipMended(s, all, tools) {
  const isDone = k => {
    const a = all[k]?.[0];
    if (a?.op !== "mend") return false;
    a.call = nextRepairCall(a, s.outcomes, tools);
    return !a.call;
  };
  let round = s.round > 0 && all[s.round - 1]?.[0]?.op === "mend" ? s.round - 1 : s.round;
  while (isDone(round)) round++;
  return round;
}

function plan(req) {
  const s = situation(req);
  if (req.jsonSchema) return { steps: [{ text: JSON.stringify(sample(req.jsonSchema)) }], note: "json" };
  if (req.tools.length === 0) return { steps: [{ text: "Side reply" }], note: "side" };
  if (!s.script) return { steps: [{ text: "Fake reply (no markers in the last user text)." }], note: "plain" };
  const all = replies(s.script);
  s.round = skipMended(s, all, req.tools);
  const mine = all[s.round];
  const out = { steps: [], note: `script round ${s.round}/${all.length}`, outcomes: s.outcomes };
  if (!mine || mine.length === 0) {
    out.steps.push({ text: s.round ? "All done." : "Fake reply." });
    return out;
  }
  let i = 0;
  for (const a of mine) {
    if (a.op === "say") out.steps.push({ text: unesc(a.arg), pieces: 4 });
    else if (a.op === "model") out.steps.push({ text: `The model is ${req.model}.` });
    else if (a.op === "images") out.steps.push({ text: `Images: ${req.images}.` });
    else if (a.op === "md") out.steps.push({ text: MD, pieces: 12 });
    else if (a.op === "big") out.steps.push({ text: filler(Number(a.arg) || 1000), pieces: 1 });
    else if (a.op === "stream") {
      const [n, ms] = a.arg.split(",").map(Number);
      out.steps.push({
        chunks: Array.from({ length: n || 1 }, (_, k) => `chunk ${k + 1}${(k + 1) % 20 === 0 ? "\n" : " "}`),
        delay: ms >= 0 ? ms : 10,
      });
    } else if (a.op === "think") out.steps.push({ think: unesc(a.arg) || "Let me think." });
    else if (a.op === "wait") out.steps.push({ wait: Number(a.arg) || 1 });
    else if (a.op === "hang") out.steps.push({ hang: true });
    else if (a.op === "drop") out.steps.push({ drop: true });
    else if (a.op === "stop") out.stop = a.arg;
    else if (a.op === "usage") {
      const [x, y] = a.arg.split(",").map(Number);
      out.usage = { in: x, out: y };
    } else if (a.op === "error") {
      const m = /^(\d+)(?:\s+x(\d+))?(\s+noretry)?/.exec(a.arg) ?? [];
      const key = s.text + "#" + s.round;
      const n = (hits.get(key) ?? 0) + 1;
      hits.set(key, n);
      if (!m[2] || n <= Number(m[2])) {
        out.error = { status: Number(m[1]) || 500, noretry: !!m[3] };
        return out;
      }
    } else if (a.op === "tool" || a.op === "mend") {
      const c = chooseTool(a.call ?? a, req.tools);
      if (c.none) out.steps.push({ text: "[fake-llm: " + c.none + "]" });
      else out.steps.push({ call: { ...c, id: `r${s.round}i${i++}` } });
    }
  }
  if (out.steps.length === 0) out.steps.push({ text: "Fake reply." });
  return out;
}

const pieces = (text, n) => {
  if (n <= 1) return [text];
  const size = Math.max(1, Math.ceil(text.length / n));
  const r = [];
  for (let i = 0; i < text.length; i += size) r.push(text.slice(i, i + size));
  return r.length ? r : [""];
};

// ---------------------------------------------------------------- writing replies

class Gone extends Error {}

// Runs the steps against a writer for one API: {start, text, think, call, end}.
async function play(p, w, res) {
  const alive = () => {
    if (res.destroyed || res.writableEnded) throw new Gone();
  };
  w.start?.();
  for (const s of p.steps) {
    alive();
    if (s.wait) await sleep(s.wait * 1000);
    else if (s.hang) {
      await new Promise(r => res.on("close", r));
      throw new Gone();
    } else if (s.drop) {
      await sleep(30);
      res.destroy();
      throw new Gone();
    } else if (s.think) w.think(pieces(s.think, 3));
    else if (s.text !== undefined) {
      w.textStart?.();
      for (const c of pieces(s.text, s.pieces ?? 2)) {
        w.text(c);
        await sleep(3);
      }
      w.textEnd?.();
    } else if (s.chunks) {
      w.textStart?.();
      for (const c of s.chunks) {
        alive();
        w.text(c);
        await sleep(s.delay);
      }
      w.textEnd?.();
    } else if (s.call) w.call(s.call);
  }
  alive();
  w.end();
}

const usageOf = p => p.usage ?? { in: 1200, out: 34 };
const hasCall = p => p.steps.some(s => s.call);

function writerAnthropic(p, req, res) {
  const u = usageOf(p);
  const id = "msg_" + rid();
  const content = [];
  const sse = (type, data) => req.stream && res.write(`event: ${type}\ndata: ${J({ type, ...data })}\n\n`);
  const usage = {
    input_tokens: u.in,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: u.out,
  };
  const stop = hasCall(p)
    ? "tool_use"
    : p.stop === "length"
      ? "max_tokens"
      : p.stop === "refusal"
        ? "refusal"
        : "end_turn";
  let idx = -1;
  let cur = "";
  return {
    start() {
      if (req.stream) res.writeHead(200, { "content-type": "text/event-stream", "request-id": "req_" + rid() });
      sse("message_start", {
        message: {
          id,
          type: "message",
          role: "assistant",
          model: req.model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { ...usage, output_tokens: 1 },
        },
      });
      sse("ping", {});
    },
    textStart() {
      idx++;
      cur = "";
      sse("content_block_start", { index: idx, content_block: { type: "text", text: "" } });
    },
    text(t) {
      cur += t;
      sse("content_block_delta", { index: idx, delta: { type: "text_delta", text: t } });
    },
    textEnd() {
      content.push({ type: "text", text: cur });
      sse("content_block_stop", { index: idx });
    },
    think(parts) {
      idx++;
      sse("content_block_start", { index: idx, content_block: { type: "thinking", thinking: "", signature: "" } });
      for (const t of parts) sse("content_block_delta", { index: idx, delta: { type: "thinking_delta", thinking: t } });
      sse("content_block_delta", { index: idx, delta: { type: "signature_delta", signature: "c2ln" } });
      sse("content_block_stop", { index: idx });
      content.push({ type: "thinking", thinking: parts.join(""), signature: "c2ln" });
    },
    call(c) {
      idx++;
      const tid = `toolu_${rid(8)}_${c.id}`;
      const json = JSON.stringify(c.args ?? { input: c.custom });
      sse("content_block_start", { index: idx, content_block: { type: "tool_use", id: tid, name: c.name, input: {} } });
      for (const t of pieces(json, 3))
        sse("content_block_delta", { index: idx, delta: { type: "input_json_delta", partial_json: t } });
      sse("content_block_stop", { index: idx });
      content.push({ type: "tool_use", id: tid, name: c.name, input: c.args ?? {} });
    },
    end() {
      sse("message_delta", { delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: u.out } });
      sse("message_stop", {});
      if (req.stream) return res.end();
      json(res, 200, {
        id,
        type: "message",
        role: "assistant",
        model: req.model,
        content,
        stop_reason: stop,
        stop_sequence: null,
        usage,
      });
    },
  };
}

function writerChat(p, req, res, body) {
  const u = usageOf(p);
  const id = "chatcmpl-" + rid();
  const base = {
    id,
    object: "chat.completion.chunk",
    created: Math.floor(Date.now() / 1000),
    model: req.model,
    system_fingerprint: "fp_fake",
  };
  const sse = (delta, finish = null, extra = {}) =>
    req.stream &&
    res.write(
      `data: ${J({ ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], ...extra })}\n\n`,
    );
  const usage = {
    prompt_tokens: u.in,
    completion_tokens: u.out,
    total_tokens: u.in + u.out,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
  const finish = hasCall(p)
    ? "tool_calls"
    : p.stop === "length"
      ? "length"
      : p.stop === "refusal"
        ? "content_filter"
        : "stop";
  let text = "";
  let think = "";
  const calls = [];
  return {
    start() {
      if (req.stream) res.writeHead(200, { "content-type": "text/event-stream" });
      sse({ role: "assistant", content: "" });
    },
    text(t) {
      text += t;
      sse({ content: t });
    },
    think(parts) {
      for (const t of parts) {
        think += t;
        sse({ reasoning_content: t });
      }
    },
    call(c) {
      const args = JSON.stringify(c.args ?? { input: c.custom });
      const cid = `call_${rid(8)}_${c.id}`;
      const i = calls.length;
      calls.push({ id: cid, type: "function", function: { name: c.name, arguments: args } });
      sse({ tool_calls: [{ index: i, id: cid, type: "function", function: { name: c.name, arguments: "" } }] });
      for (const t of pieces(args, 3)) sse({ tool_calls: [{ index: i, function: { arguments: t } }] });
    },
    end() {
      if (!req.stream)
        return json(res, 200, {
          ...base,
          object: "chat.completion",
          choices: [
            {
              index: 0,
              message: {
                role: "assistant",
                content: text || null,
                ...(think && { reasoning_content: think }),
                ...(calls.length && { tool_calls: calls }),
              },
              logprobs: null,
              finish_reason: finish,
            },
          ],
          usage,
        });
      sse({}, finish);
      if (body.stream_options?.include_usage) res.write(`data: ${J({ ...base, choices: [], usage })}\n\n`);
      res.end("data: [DONE]\n\n");
    },
  };
}

function writerResponses(p, req, res) {
  const u = usageOf(p);
  const id = "resp_" + rid();
  let n = 0;
  const output = [];
  const usage = {
    input_tokens: u.in,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: u.out,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: u.in + u.out,
  };
  const resp = status => ({
    id,
    object: "response",
    created_at: Math.floor(Date.now() / 1000),
    status,
    model: req.model,
    output: status === "in_progress" ? [] : output,
    usage: status === "in_progress" ? null : usage,
    error: null,
    incomplete_details: status === "incomplete" ? { reason: "max_output_tokens" } : null,
  });
  const sse = (type, data) =>
    req.stream && res.write(`event: ${type}\ndata: ${J({ type, sequence_number: n++, ...data })}\n\n`);
  let cur = "";
  let msg = "";
  const idx = () => output.length;
  const push = item => {
    sse("response.output_item.done", { output_index: idx(), item });
    output.push(item);
  };
  return {
    start() {
      if (req.stream) res.writeHead(200, { "content-type": "text/event-stream", "x-request-id": "req_" + rid() });
      sse("response.created", { response: resp("in_progress") });
      sse("response.in_progress", { response: resp("in_progress") });
    },
    textStart() {
      cur = "";
      msg = "msg_" + rid();
      sse("response.output_item.added", {
        output_index: idx(),
        item: { id: msg, type: "message", role: "assistant", status: "in_progress", content: [] },
      });
      sse("response.content_part.added", {
        item_id: msg,
        output_index: idx(),
        content_index: 0,
        part: { type: "output_text", text: "", annotations: [] },
      });
    },
    text(t) {
      cur += t;
      sse("response.output_text.delta", { item_id: msg, output_index: idx(), content_index: 0, delta: t });
    },
    textEnd() {
      const part = { type: "output_text", text: cur, annotations: [] };
      sse("response.output_text.done", { item_id: msg, output_index: idx(), content_index: 0, text: cur });
      sse("response.content_part.done", { item_id: msg, output_index: idx(), content_index: 0, part });
      push({ id: msg, type: "message", role: "assistant", status: "completed", content: [part] });
    },
    think(parts) {
      const rs = "rs_" + rid();
      sse("response.output_item.added", { output_index: idx(), item: { id: rs, type: "reasoning", summary: [] } });
      sse("response.reasoning_summary_part.added", {
        item_id: rs,
        output_index: idx(),
        summary_index: 0,
        part: { type: "summary_text", text: "" },
      });
      for (const t of parts)
        sse("response.reasoning_summary_text.delta", { item_id: rs, output_index: idx(), summary_index: 0, delta: t });
      const part = { type: "summary_text", text: parts.join("") };
      sse("response.reasoning_summary_text.done", {
        item_id: rs,
        output_index: idx(),
        summary_index: 0,
        text: part.text,
      });
      sse("response.reasoning_summary_part.done", { item_id: rs, output_index: idx(), summary_index: 0, part });
      push({ id: rs, type: "reasoning", summary: [part], encrypted_content: "ZmFrZQ==" });
    },
    call(c) {
      const cid = `call_${rid(8)}_${c.id}`;
      const iid = "fc_" + rid();
      if (c.localShell !== undefined)
        return push({
          id: "lsh_" + rid(),
          type: "local_shell_call",
          call_id: cid,
          status: "completed",
          action: { type: "exec", command: ["bash", "-lc", c.localShell], env: {} },
        });
      if (c.custom !== undefined) {
        const item = {
          id: "ctc_" + rid(),
          type: "custom_tool_call",
          status: "in_progress",
          call_id: cid,
          name: c.name,
          input: "",
        };
        sse("response.output_item.added", { output_index: idx(), item });
        for (const t of pieces(c.custom, 3))
          sse("response.custom_tool_call_input.delta", { item_id: item.id, output_index: idx(), delta: t });
        return push({ ...item, status: "completed", input: c.custom });
      }
      const args = JSON.stringify(c.args);
      const item = {
        id: iid,
        type: "function_call",
        status: "in_progress",
        call_id: cid,
        name: c.name,
        arguments: "",
        ...(c.ns && { namespace: c.ns }),
      };
      sse("response.output_item.added", { output_index: idx(), item });
      for (const t of pieces(args, 3))
        sse("response.function_call_arguments.delta", { item_id: iid, output_index: idx(), delta: t });
      sse("response.function_call_arguments.done", { item_id: iid, output_index: idx(), arguments: args });
      push({ ...item, status: "completed", arguments: args });
    },
    end() {
      const incomplete = p.stop === "length";
      if (!req.stream) return json(res, 200, resp(incomplete ? "incomplete" : "completed"));
      sse(incomplete ? "response.incomplete" : "response.completed", {
        response: resp(incomplete ? "incomplete" : "completed"),
      });
      res.end();
    },
  };
}

function writerGemini(p, req, res) {
  const u = usageOf(p);
  const usageMetadata = { promptTokenCount: u.in, candidatesTokenCount: u.out, totalTokenCount: u.in + u.out };
  const parts = [];
  const finish = p.stop === "length" ? "MAX_TOKENS" : p.stop === "refusal" ? "SAFETY" : "STOP";
  const envelope = (ps, fin) => ({
    candidates: [{ content: { role: "model", parts: ps }, index: 0, ...(fin && { finishReason: fin }) }],
    usageMetadata,
    modelVersion: req.model,
    responseId: "resp-" + rid(6),
  });
  const put = part => {
    parts.push(part);
    if (req.stream) res.write(`data: ${J(envelope([part]))}\r\n\r\n`);
  };
  return {
    start() {
      if (req.stream) res.writeHead(200, { "content-type": "text/event-stream" });
    },
    text(t) {
      put({ text: t });
    },
    think(ps) {
      for (const t of ps) put({ text: t, thought: true });
    },
    call(c) {
      put({ functionCall: { id: `call_${rid(6)}_${c.id}`, name: c.name, args: c.args ?? { input: c.custom } } });
    },
    end() {
      if (!req.stream) return json(res, 200, envelope(parts, finish));
      res.end(`data: ${JSON.stringify(envelope([{ text: "" }], finish))}\r\n\r\n`);
    },
  };
}

// ---------------------------------------------------------------- server

function json(res, status, body, headers = {}) {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(status, { "content-type": "application/json", ...headers });
  res.end(J(body));
}

const GSTATUS = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  529: "UNAVAILABLE",
};
const ATYPE = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  429: "rate_limit_error",
  500: "api_error",
  529: "overloaded_error",
};

function fail(api, res, e) {
  const message = `fake-llm: scripted HTTP ${e.status}`;
  const headers = { ...(e.status === 429 && { "retry-after": "1" }), ...(e.noretry && { "x-should-retry": "false" }) };
  if (api === "anthropic")
    return json(
      res,
      e.status,
      { type: "error", error: { type: ATYPE[e.status] ?? "api_error", message }, request_id: "req_fake" },
      headers,
    );
  if (api === "gemini")
    return json(res, e.status, { error: { code: e.status, message, status: GSTATUS[e.status] ?? "UNKNOWN" } }, headers);
  return json(
    res,
    e.status,
    {
      error: {
        message,
        type: e.status === 429 ? "rate_limit_exceeded" : "server_error",
        param: null,
        code: e.status === 429 ? "rate_limit_exceeded" : null,
      },
    },
    headers,
  );
}

const MODELS = ["fake-model", "fake-model-2"];

async function handle(req, res) {
  const id = ++seq;
  const url = new URL(req.url, "http://x");
  const path = url.pathname;
  const chunks = [];
  for await (const c of req) chunks.push(c);
  const raw = Buffer.concat(chunks).toString("utf8");
  let body;
  try {
    body = raw ? JSON.parse(raw) : {};
  } catch {
    body = { _unparsed: raw.slice(0, 2000) };
  }
  const note = x => {
    // Bodies are logged in part, and this word is looked for in all of them.
    const passages = [...new Set(raw.match(/\bpassage-\w+/g))];
    log({ id, method: req.method, url: req.url, ...(passages.length > 0 && { passages }), ...x });
    if (!QUIET) console.error(`[fake-llm] #${id} ${req.method} ${req.url} ${x.note ?? ""}`);
  };

  let api;
  let nreq;
  const gm = /\/models\/([^:/]+):(\w+)$/.exec(decodeURIComponent(path));
  if (req.method === "POST" && /\/messages\/count_tokens$/.test(path)) {
    note({ note: "count_tokens" });
    return json(res, 200, { input_tokens: Math.ceil(raw.length / 4) });
  }
  if (req.method === "POST" && /\/messages$/.test(path)) {
    api = "anthropic";
    nreq = normAnthropic(body);
  } else if (req.method === "POST" && /\/chat\/completions$/.test(path)) {
    api = "chat";
    nreq = normChat(body);
  } else if (req.method === "POST" && /\/responses$/.test(path)) {
    api = "responses";
    nreq = normResponses(body);
  } else if (req.method === "POST" && gm && /countTokens/.test(gm[2])) {
    note({ note: "countTokens" });
    return json(res, 200, { totalTokens: Math.ceil(raw.length / 4) });
  } else if (req.method === "POST" && gm && /generateContent/i.test(gm[2])) {
    api = "gemini";
    nreq = normGemini(body, /^stream/.test(gm[2]), gm[1]);
  } else if (req.method === "GET" && /\/models$/.test(path)) {
    note({ note: "models" });
    if (/v1beta/.test(path))
      return json(res, 200, {
        models: MODELS.map(m => ({
          name: "models/" + m,
          displayName: m,
          supportedGenerationMethods: ["generateContent", "countTokens"],
          inputTokenLimit: 1000000,
          outputTokenLimit: 64000,
        })),
      });
    return json(res, 200, {
      object: "list",
      data: MODELS.map(m => ({
        id: m,
        object: "model",
        type: "model",
        display_name: m,
        created: 1700000000,
        created_at: "2025-01-01T00:00:00Z",
        owned_by: "fake",
      })),
      has_more: false,
      first_id: MODELS[0],
      last_id: MODELS.at(-1),
    });
  } else {
    note({ note: "other", body: raw.slice(0, 500) });
    if (req.method === "HEAD" || req.method === "GET") return json(res, 200, {});
    return json(res, 404, { error: { message: "fake-llm: no such endpoint " + path, type: "not_found" } });
  }

  nreq.images = [...raw.matchAll(/"type":"(?:image|image_url|input_image)"|"inlineData":/g)].length;
  const p = plan(nreq);
  note({
    api,
    model: nreq.model,
    stream: nreq.stream,
    outcomes: (p.outcomes ?? []).map(({ name, text }) => ({ name, text: text.slice(0, 4000) })),
    tools: nreq.tools.map(t => t.name),
    note: p.note + (p.error ? ` error ${p.error.status}` : ""),
    plan: p.steps.map(s => (s.call ? { call: s.call } : Object.keys(s)[0])),
    headers: { "anthropic-beta": req.headers["anthropic-beta"], "user-agent": req.headers["user-agent"] },
    body: brief(body, nreq.tools.length),
  });
  if (p.error) return fail(api, res, p.error);
  const w = { anthropic: writerAnthropic, chat: writerChat, responses: writerResponses, gemini: writerGemini }[api](
    p,
    nreq,
    res,
    body,
  );
  try {
    await play(p, w, res);
  } catch (e) {
    if (!(e instanceof Gone)) throw e;
    log({ id, note: "client gone or dropped" });
  }
}

const server = http.createServer((req, res) => {
  res.on("error", () => {});
  handle(req, res).catch(e => {
    console.error("[fake-llm] " + (e.stack ?? e));
    json(res, 500, { error: { message: String(e) } });
  });
});
server.listen(PORT, "127.0.0.1", () => {
  console.log(`fake-llm on http://127.0.0.1:${server.address().port}`);
});
for (const s of ["SIGINT", "SIGTERM"]) process.on(s, () => process.exit(0));
