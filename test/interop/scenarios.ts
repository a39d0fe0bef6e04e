// The scenarios for every real agent. Each checks the panel's view and the disk. Behavior of an agent that is unusual
// without being wrong is a remark, not a failure.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { ToolPart, ViewTool } from "../../src/panel/protocol.ts";
import { lastTurn, type Conversation } from "./conversation.ts";
import {
  assertPlain,
  ending,
  messageText,
  modeOption,
  onlyOwnFiles,
  onlyTool,
  requestsOf,
  stillAnswers,
  type Scenario,
  type Stage,
} from "./scenario.ts";

const chunks = 2000;

export const scenarios: readonly Scenario[] = [
  { id: "answer", title: "Plain answer", play: answer },
  { id: "stream", title: `Long stream (${chunks} chunks)`, play: stream },
  { id: "read", title: "Read a file", play: read },
  { id: "edit", title: "Edit a file", play: edit },
  { id: "create", title: "New file", play: create },
  { id: "command", title: "Shell command", play: command },
  { id: "command-folder", title: "Folder of a command", play: commandFolder },
  { id: "failing-command", title: "Command that fails", play: failingCommand },
  { id: "allowed", title: "Permission allowed", play: allowed },
  { id: "rejected", title: "Permission rejected", play: rejected },
  { id: "unsaved-read", title: "Read with unsaved changes", play: unsavedRead },
  { id: "unsaved-write", title: "Edit with unsaved changes", play: unsavedWrite },
  { id: "rule-allow", title: "Command allowed by rule", play: ruleAllows },
  { id: "rule-deny", title: "Edit denied by rule", play: ruleDenies },
  { id: "stop-stream", title: "Stop during a stream", play: stopStream },
  { id: "stop-question", title: "Stop during a permission request", play: stopQuestion },
  { id: "mode-reload", title: "Mode kept after a reload", play: modeReload },
  { id: "cards", title: "No card with only JSON", play: cards },
];

async function answer({ conversation }: Stage): Promise<readonly string[]> {
  const turn = await conversation.turn("[[say:Hello from the model, in full.]]");
  assert.equal(messageText(turn.entries), "Hello from the model, in full.");
  assertPlain(turn.entries, ["agent"]);
  return [];
}

async function stream({ conversation }: Stage): Promise<readonly string[]> {
  const turn = await conversation.turn(`[[stream:${chunks},1]]`);
  const expected = Array.from({ length: chunks }, (_, k) => `chunk ${k + 1}${(k + 1) % 20 === 0 ? "\n" : " "}`).join(
    "",
  );
  const text = messageText(turn.entries);
  // Not assert.equal, whose message would be 20 kB long.
  const at = [...expected].findIndex((character, i) => text[i] !== character);
  assert.ok(text === expected, `${text.length} characters of ${expected.length}, first difference at ${at}`);
  assertPlain(turn.entries, ["agent"]);
  const updates = conversation.records.filter(({ msg }) => JSON.stringify(msg ?? {}).includes("agent_message_chunk"));
  return [`The agent sent ${updates.length} updates for ${chunks} chunks of the model.`];
}

async function read({ conversation, folder }: Stage): Promise<readonly string[]> {
  const file = join(folder, "src", "sum.js");
  const turn = await conversation.turn(`[[tool:read ${file}]][[say:That was the file.]]`, "allow");
  const tool = onlyTool(turn);
  assert.equal(tool.toolKind, "read");
  assert.equal(tool.status, "done");
  assert.ok(
    tool.title.includes("sum.js") || tool.locations.some(place => place.label === join("src", "sum.js")),
    "The card says which file was read.",
  );
  assert.equal(messageText(turn.entries), "That was the file.");
  return [
    ...(turn.questions.length > 0 ? ["The agent requests permission to read."] : []),
    ...(shownText(tool).includes("let total = 0") ? [] : ["The card of a read doesn't show the content of the file."]),
  ];
}

async function edit({ conversation, folder, prepareEdit }: Stage): Promise<readonly string[]> {
  const file = join(folder, "src", "sum.js");
  const before = readFileSync(file, "utf8");
  await prepareEdit(file);
  await conversation.prompt(`[[tool:edit ${file}|let i = 1;|let i = 0;]][[say:Edited.]]`);
  const ask = await conversation.ask();
  assert.equal(readFileSync(file, "utf8"), before, "nothing is written before the answer");
  const asked = changeOrArguments(ask.parts);
  await conversation.answer(ask, "allow");
  const turn = await conversation.finish();
  const tool = onlyTool(turn);
  assert.equal(tool.toolKind, "edit");
  assert.equal(tool.status, "done");
  assert.equal(readFileSync(file, "utf8"), before.replace("let i = 1;", "let i = 0;"));
  assert.equal(messageText(turn.entries), "Edited.");
  const shown = changeOrArguments(tool.parts);
  return [
    ...(ask.title.includes(folder)
      ? ["The title of a permission request for an edit is the full path of the file."]
      : []),
    ...(asked === "words" ? ["A permission request for an edit shows the replaced words, not whole lines."] : []),
    ...(asked === "arguments" ? ["A permission request for an edit shows the agent's arguments, not a diff."] : []),
    ...(shown === "words" ? ["After an edit, its card shows the replaced words, not whole lines."] : []),
    ...(shown === "arguments" ? ["After an edit, its card shows the agent's arguments, not a diff."] : []),
  ];
}

/** The edit as shown in a question. Some agents send no diff with it. */
function changeOrArguments(parts: readonly ToolPart[]): "lines" | "words" | "arguments" {
  if (parts.some(part => part.type === "diff" || part.type === "files")) return linesOrWords(parts);
  const shown = shownArguments(parts);
  assert.ok(shown.includes("let i = 1;") && shown.includes("let i = 0;"), "the question shows the change");
  return "arguments";
}

const shownArguments = (parts: readonly ToolPart[]): string =>
  parts.map(part => (part.type === "json" && part.label === "Input" ? part.text : "")).join("\n");

/** The edit as shown in a diff. Some agents send only the replaced part of the file. */
function linesOrWords(parts: readonly ToolPart[]): "lines" | "words" {
  const shown = changes(parts, "modify", join("src", "sum.js"));
  if (isDeepStrictEqual(shown, ["-let i = 1;", "+let i = 0;"])) return "words";
  const whole = [
    "-  for (let i = 1; i < numbers.length; i += 1) {",
    "+  for (let i = 0; i < numbers.length; i += 1) {",
  ];
  assert.deepEqual(shown, whole, "the change is shown");
  return "lines";
}

async function create({ conversation, folder }: Stage): Promise<readonly string[]> {
  const file = join(folder, "notes", "new.txt");
  await conversation.prompt(`[[tool:write ${file}|first line\\nsecond line\\n]][[say:Created.]]`);
  const ask = await conversation.ask();
  assert.equal(existsSync(file), false, "nothing is written before the answer");
  const wanted = ["+first line", "+second line"];
  const asked = changes(ask.parts, "add", join("notes", "new.txt"));
  if (asked) assert.deepEqual(asked, wanted, "the question shows the file");
  else assert.ok(shownArguments(ask.parts).includes("first line"), "the question shows the text");
  await conversation.answer(ask, "allow");
  const turn = await conversation.finish();
  const tool = onlyTool(turn);
  assert.equal(tool.status, "done");
  assert.equal(readFileSync(file, "utf8"), "first line\nsecond line\n");
  assert.equal(messageText(turn.entries), "Created.");
  const shown = changes(tool.parts, "add", join("notes", "new.txt"));
  if (shown) assert.deepEqual(shown, wanted);
  return (shown ?? !asked)
    ? []
    : ["After a file is created, its card no longer shows the diff that the permission request showed."];
}

async function command({ conversation, folder }: Stage): Promise<readonly string[]> {
  const prompt = "[[tool:bash expr 20 + 22 | tee out.txt; echo second]][[say:It ran.]]";
  const turn = await conversation.turn(prompt, "allow");
  const tool = onlyTool(turn);
  assert.equal(tool.toolKind, "execute");
  assert.equal(tool.status, "done");
  assert.equal(readFileSync(join(folder, "out.txt"), "utf8"), "42\n");
  assert.equal(messageText(turn.entries), "It ran.");
  if (!showsOutput(conversation, tool, "42\nsecond")) return ["The agent doesn't send the output of a command."];
  const terminal = terminalOf(tool);
  if (!terminal) return ["The output of a command appears as text."];
  assert.deepEqual(terminal.exit, { exitCode: 0 });
  return ["The output of a command appears as a terminal with its exit code."];
}

/** The agent's process starts in another folder, so only the session can have named this one. */
async function commandFolder({ conversation, folder }: Stage): Promise<readonly string[]> {
  await conversation.turn("[[tool:bash pwd | tee where.txt]][[say:It ran.]]", "allow");
  assert.equal(readFileSync(join(folder, "where.txt"), "utf8"), `${folder}\n`);
  return [];
}

async function failingCommand({ conversation }: Stage): Promise<readonly string[]> {
  const turn = await conversation.turn("[[tool:bash expr 987 + 2; exit 3]][[say:It failed.]]", "allow");
  const tool = onlyTool(turn);
  assert.ok(tool.status === "done" || tool.status === "failed", tool.status);
  showsOutput(conversation, tool, "989");
  assert.equal(messageText(turn.entries), "It failed.");
  const terminal = terminalOf(tool);
  if (terminal) assert.equal(terminal.exit?.exitCode, 3);
  return tool.status === "failed" ? [] : ["The agent reports a failed command as done."];
}

/** Whether the tool call shows the output. It must, if the agent sent it. */
function showsOutput(conversation: Conversation, tool: ViewTool, output: string): boolean {
  if (shownText(tool).replaceAll("\r\n", "\n").includes(output)) return true;
  const quoted = JSON.stringify(output).slice(1, -1);
  const sent = conversation.records.filter(({ dir, msg }) => dir === "a>c" && sentAs(msg, quoted));
  assert.deepEqual(sent, [], "the agent has sent the output, and the card does not show it");
  return false;
}

/** Whether the message contains these words in the content of a tool call, as text. */
const sentAs = (msg: unknown, words: string): boolean => {
  const text = JSON.stringify(msg);
  return text.includes('"tool_call') && text.includes(words);
};

async function allowed({ conversation, folder }: Stage): Promise<readonly string[]> {
  const file = join(folder, "made.txt");
  await conversation.prompt("[[tool:bash echo made > made.txt]][[say:Made.]]");
  const ask = await conversation.ask();
  assert.equal(existsSync(file), false, "nothing runs before the answer");
  assert.equal(conversation.view.head.activity.state, "requires_action");
  const waiting = conversation.view.entries.find(entry => entry.id === ask.entry);
  assert.equal(waiting?.kind === "tool" && waiting.status, "waiting");
  const shown = [ask.command, ask.title, ...ask.parts.map(part => JSON.stringify(part))].join("\n");
  assert.match(shown, /echo made > made\.txt/, "the question shows the command");
  assert.ok(ask.options.some(option => option.kind === "allow_once"));
  assert.ok(ask.options.some(option => option.kind === "reject_once"));
  await conversation.answer(ask, "allow");
  const turn = await conversation.finish();
  assert.equal(onlyTool(turn).status, "done");
  assert.equal(readFileSync(file, "utf8"), "made\n");
  assert.equal(messageText(turn.entries), "Made.");
  return [
    `Options of a permission request: ${ask.options.map(option => option.name).join(" · ")}.`,
    ...(ask.command === undefined
      ? ["A permission request for a command contains the command only in its title or text."]
      : []),
  ];
}

async function rejected({ conversation, folder, prepareEdit }: Stage): Promise<readonly string[]> {
  const file = join(folder, "src", "sum.js");
  const before = readFileSync(file, "utf8");
  await prepareEdit(file);
  const turn = await conversation.turn(`[[tool:edit ${file}|let i = 1;|let i = 0;]][[say:Not done, then.]]`, "reject");
  assert.equal(turn.questions.length, 1, "one question is asked");
  const tool = onlyTool(turn);
  assert.ok(tool.status === "failed" || tool.status === "cancelled", `a rejected call is shown as ${tool.status}`);
  assert.equal(readFileSync(file, "utf8"), before);
  await stillAnswers(conversation);
  const goesOn = messageText(turn.entries) === "Not done, then.";
  return [`A rejected call appears as ${tool.status}, and the turn ${goesOn ? "continues" : `ends${ending(turn)}`}.`];
}

/** A file with unsaved changes of the user, which agents see if they read through the client. */
async function unsavedRead({ conversation, folder }: Stage): Promise<readonly string[]> {
  const file = join(folder, "src", "sum.js");
  conversation.documents.unsaved.set(file, "const unsaved = 4711;\n");
  const turn = await conversation.turn(`[[tool:read ${file}]][[say:That was the file.]]`, "allow");
  assert.equal(messageText(turn.entries), "That was the file.");
  const asked = requestsOf(conversation, "fs/read_text_file");
  if (asked.length === 0) return ["The agent reads files directly from disk, so it doesn't see unsaved changes."];
  const answered = conversation.records.some(({ dir, msg }) => dir === "c>a" && JSON.stringify(msg).includes("4711"));
  assert.ok(answered, "the unsaved text went to the agent");
  return ["The agent reads files through the client, so it sees unsaved changes."];
}

async function unsavedWrite({ conversation, folder, prepareEdit }: Stage): Promise<readonly string[]> {
  const file = join(folder, "src", "sum.js");
  const before = readFileSync(file, "utf8");
  await prepareEdit(file);
  const typed = before.replace("let i = 1;", "let i = 1; // mine\n");
  conversation.documents.unsaved.set(file, typed);
  const turn = await conversation.turn(`[[tool:edit ${file}|let i = 1;|let i = 0;]][[say:Edited.]]`, "allow");
  const disk = readFileSync(file, "utf8");
  if (requestsOf(conversation, "fs/write_text_file").length === 0) {
    assert.equal(conversation.documents.unsaved.get(file), typed, "what the user typed stays");
    return ["The agent writes directly to disk. If the editor has unsaved changes, disk and editor diverge."];
  }
  // Parley does not save without the user's knowledge, but an agent may also write to the disk directly.
  const alone = disk === before ? [] : ["The agent writes through the client and also directly to disk."];
  const tool = onlyTool(turn);
  assert.deepEqual(
    tool.files?.map(({ note }) => note),
    ["unsaved"],
    "the card says that it is not saved",
  );
  const kept = conversation.documents.unsaved.get(file)?.includes("// mine");
  return [
    ...alone,
    kept
      ? "The agent edits a file with unsaved changes through the client, and keeps these changes."
      : "The agent overwrites unsaved changes through the client without reading them. Undo in the editor restores them.",
  ];
}

async function ruleAllows({ conversation, folder }: Stage): Promise<readonly string[]> {
  conversation.rules = [{ effect: "allow", command: ["echo *", "tee made.txt"] }];
  const turn = await conversation.turn("[[tool:bash echo made | tee made.txt]][[say:It ran.]]", "allow");
  const tool = onlyTool(turn);
  assert.equal(tool.status, "done");
  assert.equal(readFileSync(join(folder, "made.txt"), "utf8"), "made\n");
  if (turn.questions.length > 0) {
    const tells = turn.questions.some(ask => ask.command !== undefined);
    const reasons = turn.questions.map(ask => ask.reason ?? "no reason").join();
    assert.ok(!tells, `a command that the rules allow is asked about although the question tells it: ${reasons}`);
    return ["The agent doesn't state the command in a form that rules can check, so Parley asks."];
  }
  assert.match(tool.decisions?.join() ?? "", /^Allowed by rule: allow command/);
  return [];
}

async function ruleDenies({ conversation, folder, prepareEdit }: Stage): Promise<readonly string[]> {
  const file = join(folder, "src", "sum.js");
  const before = readFileSync(file, "utf8");
  await prepareEdit(file);
  conversation.rules = [{ effect: "deny", path: "src/**" }];
  const turn = await conversation.turn(`[[tool:edit ${file}|let i = 1;|let i = 0;]][[say:Not done, then.]]`);
  assert.deepEqual(turn.questions, [], "the rule answers");
  assert.equal(readFileSync(file, "utf8"), before);
  const tool = onlyTool(turn);
  const notices = turn.entries.filter(entry => entry.kind === "notice").map(({ title }) => title);
  assert.match([...(tool.decisions ?? []), ...notices].join(), /Refused by rule: deny path/);
  await stillAnswers(conversation);
  return [];
}

async function stopStream({ conversation }: Stage): Promise<readonly string[]> {
  await conversation.prompt("[[stream:5000,10]]");
  await conversation.until("fifty chunks are shown", view => /chunk 50\b/.test(messageText(lastTurn(view))));
  const pressed = performance.now();
  conversation.stop();
  const turn = await conversation.finish();
  const ms = Math.round(performance.now() - pressed);
  assert.equal(turn.entries.at(-1)?.kind, "turnEnd");
  assert.equal(ending(turn), " (cancelled)");
  const text = messageText(turn.entries);
  assert.ok(text.startsWith("chunk 1 chunk 2 ") && !text.includes("chunk 5000"), "the text so far stays");
  await stillAnswers(conversation);
  return [`After Stop, the turn ended within ${ms < 250 ? "250 ms" : `${(ms / 1000).toFixed(1)} s`}.`];
}

async function stopQuestion({ conversation, folder, prepareEdit }: Stage): Promise<readonly string[]> {
  const file = join(folder, "src", "sum.js");
  const before = readFileSync(file, "utf8");
  await prepareEdit(file);
  await conversation.prompt(`[[tool:edit ${file}|let i = 1;|let i = 0;]][[say:Edited.]]`);
  await conversation.ask();
  conversation.stop();
  await conversation.until("the question is gone", view => view.head.questions.length === 0);
  const turn = await conversation.finish();
  const tool = onlyTool(turn);
  assert.ok(tool.status === "failed" || tool.status === "cancelled", `a stopped call is shown as ${tool.status}`);
  assert.equal(readFileSync(file, "utf8"), before);
  await stillAnswers(conversation);
  return [];
}

/** After a reload the agent starts in its default mode, so Parley sets the user's mode before the next prompt. */
async function modeReload({ conversation }: Stage): Promise<readonly string[]> {
  const mode = modeOption(conversation);
  const chosen = mode.choices.find(({ value }) => value !== mode.value);
  assert.ok(chosen, "the agent has a second mode");
  await stillAnswers(conversation);
  await conversation.choose(mode.id, chosen.value);
  await conversation.reload();
  await stillAnswers(conversation, onlyOwnFiles);
  assert.equal(modeOption(conversation).value, chosen.value, "the panel shows the chosen mode");
  const sent = conversation.records.filter(({ dir }) => dir === "c>a").map(({ msg }) => JSON.stringify(msg));
  const start = sent.findLastIndex(text => text.includes('"method":"initialize"'));
  const set = sent.findIndex(
    (text, i) =>
      i > start && /"session\/set_(mode|config_option)"/.test(text) && text.includes(JSON.stringify(chosen.value)),
  );
  const prompt = sent.findIndex((text, i) => i > start && text.includes('"method":"session/prompt"'));
  assert.ok(start >= 0 && set > start && prompt > set, "the mode is set after the start and before the prompt");
  return [];
}

/** An object or a list, also one that is cut. */
const isJsonText = (text: string): boolean => /^\s*(\{\s*"|\[\s*[{"])/.test(text);

/** Every card of a call that succeeded or failed shows something that a person can read, or nothing at all. */
async function cards({ conversation, folder }: Stage): Promise<readonly string[]> {
  const file = join(folder, "src", "sum.js");
  const calls = [
    `read ${file}`,
    `search total`,
    `glob **/*.js`,
    `bash echo one; echo two`,
    `bash exit 3`,
    `bash true`,
    `edit ${file}|let i = 1;|let i = 0;`,
    `read ${join(folder, "missing.txt")}`,
  ];
  const bare: string[] = [];
  for (const call of calls) {
    const turn = await conversation.turn(`[[tool:${call}]][[say:Next.]]`, "allow");
    const tools = turn.entries.filter(entry => entry.kind === "tool");
    assert.ok(tools.length > 0, `a card is shown for ${call}`);
    // A call without any part has a title and a status only: nothing was sent.
    for (const { title, parts } of tools) {
      const isJson = (part: ToolPart): boolean =>
        part.type === "json" || (part.type === "text" && isJsonText(part.text));
      const isInput = (part: ToolPart): boolean => part.type === "json" && part.label === "Input";
      if (parts.some(part => !isInput(part)) && parts.every(isJson))
        bare.push(`${call}: ${title}: ${JSON.stringify(parts)}`);
    }
  }
  assert.deepEqual(bare, []);
  return [];
}

type Part<T extends ToolPart["type"]> = Extract<ToolPart, { type: T }>;

/** The changed lines of the file in a list of parts; undefined if they contain no diff. */
function changes(
  parts: readonly ToolPart[],
  operation: Part<"diff">["operation"],
  label: string,
): readonly string[] | undefined {
  const [diff, ...others] = parts.flatMap(changedFiles);
  if (!diff) return undefined;
  assert.deepEqual(others, [], "one diff is shown");
  assert.equal(diff.label, label);
  assert.equal(diff.operation, operation);
  const lines = diff.hunks.flatMap(hunk => hunk.lines).filter(line => line.op !== "same");
  return lines.map(line => `${line.op === "add" ? "+" : "-"}${line.text}`);
}

/** Version 1 of the protocol sends texts, version 2 a patch. */
function changedFiles(part: ToolPart): readonly (Pick<Part<"diff">, "label" | "hunks"> & { operation: string })[] {
  if (part.type === "diff") return [part];
  if (part.type !== "files") return [];
  return part.files.map(({ label, operation, diff }) => ({ label, operation, hunks: diff?.hunks ?? [] }));
}

function terminalOf(tool: ViewTool): Part<"terminal"> | undefined {
  return tool.parts.find(part => part.type === "terminal");
}

/** The text and terminal output that a tool call shows, without raw input and output. */
const shownText = (tool: ViewTool): string =>
  tool.parts.map(part => (part.type === "text" || part.type === "terminal" ? part.text : "")).join("\n");
