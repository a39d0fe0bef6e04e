// The scenarios of real agents that concern a session as a whole: its key, its options, its servers, its failures, and its
// continuation. Behavior of an agent that is unusual without being wrong is a remark, not a failure.
import assert from "node:assert/strict";
import { cpSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { View, ViewEntry } from "../../src/panel/protocol.ts";
import type { SessionOption } from "../../src/session/events.ts";
import { lastTurn, type Conversation } from "./conversation.ts";
import {
  isAboutOwnFile,
  messageText,
  modeOption,
  NotPossible,
  onlyOwnFiles,
  onlyTool,
  stillAnswers,
  type Scenario,
  type Stage,
} from "./scenario.ts";

export const sessionScenarios: readonly Scenario[] = [
  { id: "keyless", title: "Without a key", play: withoutKey, opens: true, isKeyless: true },
  { id: "mode", title: "Change of mode", play: changeMode },
  { id: "model", title: "Change of model", play: changeModel },
  { id: "slash", title: "Slash command", play: slashCommand },
  { id: "image", title: "Image in a prompt", play: image },
  { id: "error-500", title: "Model error 500", play: stage => modelError(stage, 500) },
  { id: "error-429", title: "Model error 429", play: stage => modelError(stage, 429) },
  { id: "killed", title: "Agent killed during a turn", play: killed },
  { id: "continue", title: "Prompt right after a reload", play: continueAfterReload },
  { id: "list", title: "List of its sessions", play: listSessions },
  { id: "folders", title: "Two sessions in two folders", play: twoFolders },
  { id: "mcp", title: "Tool of an MCP server", play: mcpTool, opens: true },
];

/** Without a key, one sentence says what to do, and nothing is tried twice. */
async function withoutKey({ conversation }: Stage): Promise<readonly string[]> {
  const refusal = await conversation.start();
  const where = refusal ? "the session doesn't open" : "a prompt fails";
  if (!refusal) {
    conversation.toleratesProblems = true;
    await conversation.prompt("[[say:Without a key.]]").catch(() => {}); // It can be back in the queue.
    await conversation.until("the turn ends", ({ head }) => head.problem !== null || head.activity.state === "idle");
  }
  assert.equal(sentBy(conversation, "session/new").length, 1, "the session is requested once");
  assert.equal(sentBy(conversation, "authenticate").length, 0, "nobody is signed in without being asked");
  const { head, entries } = conversation.view;
  const problem = refusal ?? head.problem ?? entries.findLast(entry => entry.kind === "problem")?.problem;
  if (!problem) {
    assert.equal(messageText(lastTurn(conversation.view)), "Without a key.");
    return ["Without a key, the agent sends the request to the model, which decides."];
  }
  assert.match(problem.message, /^[A-Z“].*\.$/s, "the problem is a sentence");
  const ways = problem.signIn?.map(({ name }) => `“${name}”`).join(", ");
  return [
    `Without a key, ${where}: “${problem.message}” ` +
      (ways === undefined ? "Parley offers no way to sign in." : `Ways to sign in: ${ways}.`),
  ];
}

/** The new mode is in effect for the next prompt. */
async function changeMode({ conversation, folder, prepareEdit }: Stage): Promise<readonly string[]> {
  const mode = modeOption(conversation);
  const chosen = mode.choices.find(({ value }) => value !== mode.value);
  assert.ok(chosen, "the agent has a second mode");
  await conversation.choose(mode.id, chosen.value);
  const file = join(folder, "src", "sum.js");
  const before = readFileSync(file, "utf8");
  await prepareEdit(file);
  const turn = await conversation.turn(`[[tool:edit ${file}|let i = 1;|let i = 0;]][[say:Next.]]`, onlyOwnFiles);
  assert.equal(modeOption(conversation).value, chosen.value, "the panel shows the chosen mode");
  await stillAnswers(conversation, onlyOwnFiles);
  const asked = turn.questions.filter(question => !isAboutOwnFile(question)).length > 0;
  const isEdited = readFileSync(file, "utf8") !== before;
  assert.ok(!isEdited || !asked, "a rejected edit changes nothing");
  const effect = isEdited ? "edits without asking" : asked ? "asks before an edit" : "refuses an edit";
  const own = turn.questions.some(isAboutOwnFile)
    ? ["In a mode, the agent reads files of its own through the client, and Parley asks the user."]
    : [];
  return [`In the mode “${chosen.name}”, the agent ${effect}.`, ...own];
}

/** The next prompt goes to the new model. */
async function changeModel({ conversation }: Stage): Promise<readonly string[]> {
  const model = optionOf(conversation, "model");
  if (!model) throw new NotPossible("The agent doesn't offer models.");
  const others = model.choices.filter(({ value }) => value !== model.value);
  // Only the scripted model is reachable.
  const scripted = others.filter(({ value }) => value.includes("fake"));
  if (others.length === 0) throw new NotPossible("The agent offers one model.");
  const before = messageText((await conversation.turn("[[model]]")).entries);
  const same: string[] = [];
  for (const { name, value } of scripted.length > 0 ? scripted : others) {
    await conversation.choose(model.id, value);
    const after = messageText((await conversation.turn("[[model]]")).entries);
    assert.equal(optionOf(conversation, "model")?.value, value, "the panel shows the chosen model");
    if (after !== before)
      return same.length === 0 ? [] : [`Choices of one model with different names: ${[model.value, ...same].join()}.`];
    same.push(name);
  }
  throw new Error(`Every choice leads to the same model: ${before}`);
}

/** Commands that every agent which has them answers by itself or with a prompt of its own. */
const harmless = ["about", "context", "status", "init"];

async function slashCommand({ conversation }: Stage): Promise<readonly string[]> {
  const commands = await conversation.until("commands are offered", ({ head }) => head.commands[0] && head.commands);
  const name = harmless.find(one => commands.some(command => command.name === one));
  assert.ok(name, `none of the commands is known: ${commands.map(command => command.name).join()}`);
  const turn = await conversation.turn(`/${name}`, "allow");
  assert.deepEqual(
    turn.entries.filter(({ kind }) => kind === "problem"),
    [],
  );
  assert.ok(messageText(turn.entries) !== "", "the command has an answer");
  await stillAnswers(conversation);
  return [`Commands in the list: ${commands.length}. Tried: /${name}.`];
}

/** A red pixel. */
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

async function image({ conversation }: Stage): Promise<readonly string[]> {
  if (conversation.view.head.accepts?.image !== true) throw new NotPossible("The agent doesn't accept images.");
  await conversation.prompt("[[images]]", { type: "image", mimeType: "image/png", data: pixel });
  const turn = await conversation.finish();
  const answer = messageText(turn.entries);
  assert.match(answer, /^Images: [01]\.$/);
  if (answer === "Images: 0.")
    return ["The agent accepts an image, but doesn't give it to a model that it doesn't know."];
  return [];
}

/** How long an agent may try again by itself before the user presses Stop (ms). */
const maxRetryTime = 20_000;

/** The user learns about the error, or can stop an agent that tries again and again. */
async function modelError({ conversation }: Stage, status: number): Promise<readonly string[]> {
  await conversation.prompt(`[[error:${status}]]`);
  const over = ({ head }: View): boolean => head.activity.state === "idle";
  const began = performance.now();
  const isOver = await conversation.until("the turn ends", over, maxRetryTime).catch(() => false);
  const shown = lastTurn(conversation.view);
  const retries = shown.some(entry => entry.kind === "notice" && entry.retry);
  if (!isOver) {
    conversation.stop();
    await conversation.until("the turn is stopped", over);
    await stillAnswers(conversation);
    const visibly = retries ? "and says so" : "without a word";
    return [
      `After the model error ${status}, the agent tries again for more than ${maxRetryTime / 1000} s, ${visibly}. Stop ends the turn.`,
    ];
  }
  const told = lastTurn(conversation.view)
    .map(entry => errorText(entry))
    .find(text => text !== undefined);
  assert.ok(told !== undefined && told !== "", `the error is shown: ${JSON.stringify(lastTurn(conversation.view))}`);
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  await stillAnswers(conversation);
  // The port differs in each run.
  return [`The model error ${status} appears after ${seconds} s: “${told.replace(/127\.0\.0\.1:\d+/g, "…")}”`];
}

function errorText(entry: ViewEntry): string | undefined {
  if (entry.kind === "problem") return entry.problem.message;
  if (entry.kind === "notice") return entry.title;
  return entry.kind === "agent" ? messageText([entry]) : undefined;
}

/** What was shown stays, the turn is closed, and the next prompt starts the agent again. */
async function killed({ conversation }: Stage): Promise<readonly string[]> {
  await conversation.prompt("[[stream:5000,10]]");
  await conversation.until("fifty chunks are shown", view => /chunk 50\b/.test(messageText(lastTurn(view))));
  conversation.killAgent();
  conversation.toleratesProblems = true;
  const problem = await conversation.until("the loss is shown", ({ head }) => head.problem ?? undefined);
  assert.match(problem.message, /stopped|ended|exited|killed/i);
  const { head, entries } = conversation.view;
  assert.equal(head.activity.state, "idle", "the turn is closed");
  assert.equal(head.live, null);
  assert.match(messageText(lastTurn({ head, entries })), /^chunk 1 chunk 2 /, "the text so far stays");
  const turn = await conversation.turn("[[say:Back again.]]");
  assert.equal(messageText(turn.entries), "Back again.");
  assert.equal(conversation.view.head.problem, null);
  return [];
}

const isOpening = ({ kind }: ViewEntry): boolean => kind === "notice";

/** The first prompt after a reload of the window is sent while the agent starts. */
async function continueAfterReload({ conversation }: Stage): Promise<readonly string[]> {
  await stillAnswers(conversation);
  const first = await reloadAndPrompt(conversation, "After the reload.");
  const remarks = [`A prompt right after a reload: “${first}”`];
  const canContinue = /"loadSession":true|"resume":\{/.test(JSON.stringify(conversation.records));
  if (!canContinue || !first.includes("no longer has")) return remarks;
  // An agent may need a minute until it can load a session.
  for (const half of ["first", "second"]) await conversation.turn(`[[wait:31]][[say:Waited the ${half} half.]]`);
  const second = await reloadAndPrompt(conversation, "After a minute.");
  assert.doesNotMatch(second, /no longer has/, "the agent continues the session later");
  return [...remarks, `After a minute: “${second}”`];
}

/** Reloads and sends a prompt at once. Returns how the agent continued, as the panel says. */
async function reloadAndPrompt(conversation: Conversation, words: string): Promise<string> {
  const before = conversation.view.entries.filter(({ kind }) => kind === "user" || kind === "agent").length;
  const notices = conversation.view.entries.filter(isOpening).length;
  await conversation.reloadWithoutWaiting();
  const turn = await conversation.turn(`[[say:${words}]]`);
  assert.equal(messageText(turn.entries), words);
  const { entries } = conversation.view;
  const messages = entries.filter(({ kind }) => kind === "user" || kind === "agent");
  assert.equal(messages.length, before + 2, "nothing is shown twice, and nothing is missing");
  const notice = entries.filter(isOpening).slice(notices)[0];
  assert.ok(notice?.kind === "notice", "the panel says how the conversation continues");
  return notice.title;
}

/** The agent lists the session of the folder, so that it can be imported. */
async function listSessions({ conversation, folder }: Stage): Promise<readonly string[]> {
  const { sessionStore } = await conversation.agent();
  if (!sessionStore?.list) throw new NotPossible("The agent doesn't list sessions.");
  await stillAnswers(conversation);
  const { sessions } = await sessionStore.list(folder);
  const sent = JSON.stringify(sentBy(conversation, "session/prompt"));
  const own = sessions.filter(({ sessionId }) => sent.includes(sessionId));
  assert.equal(own.length, 1, `the session is listed once: ${JSON.stringify(sessions)}`);
  return own[0]?.title === undefined ? ["A listed session has no title."] : [];
}

/** One process serves both sessions, each in its own folder, at the same time. */
async function twoFolders({ conversation, folder }: Stage): Promise<readonly string[]> {
  const otherFolder = join(dirname(folder), "other");
  cpSync(folder, otherFolder, { recursive: true });
  const other = conversation.beside(otherFolder);
  try {
    await other.open();
    const turns = [conversation, other].map(async (one, i) => {
      const turn = await one.turn(`[[tool:bash pwd | tee where.txt]][[say:Session ${i + 1}.]]`, "allow");
      assert.equal(messageText(turn.entries), `Session ${i + 1}.`);
      onlyTool(turn);
    });
    await Promise.all(turns);
    for (const one of [folder, otherFolder]) assert.equal(readFileSync(join(one, "where.txt"), "utf8"), `${one}\n`);
    assert.equal(sentBy(conversation, "initialize").length, 1, "one process serves both");
    assert.equal(sentBy(conversation, "session/new").length, 2);
  } finally {
    await other.end();
  }
  await stillAnswers(conversation);
  return [];
}

/** A published MCP server that the user has configured in Parley. */
async function mcpTool({ conversation }: Stage): Promise<readonly string[]> {
  const program = createRequire(join(process.cwd(), "package.json")).resolve(
    "@modelcontextprotocol/server-everything/dist/index.js",
  );
  conversation.mcpServers = [
    { name: "everything", type: "stdio", command: process.execPath, args: [program, "stdio"], env: {} },
  ];
  await conversation.open();
  // Some agents connect to servers only after the session is open.
  const call = '[[mcp:everything.echo {"message":"ping 4711"}]]';
  for (let tries = 1; tries <= 20; tries++) {
    const turn = await conversation.turn(`[[wait:1]]${call}[[say:Called.]]`, "allow");
    const tools = turn.entries.filter(entry => entry.kind === "tool");
    if (tools.length === 0) continue;
    const tool = onlyTool(turn);
    assert.equal(tool.status, "done");
    assert.match(JSON.stringify(tool.parts), /Echo: ping 4711/, "the card shows the server's answer");
    assert.equal(messageText(turn.entries), "Called.");
    return [
      `A call of an MCP tool has the title “${tool.title}”.`,
      ...(turn.questions.length === 0 ? ["The agent calls MCP tools without asking."] : []),
    ];
  }
  throw new Error("The agent has not offered the server's tools to the model.");
}

/** The requests that Parley sent, in order. */
const sentBy = (conversation: Conversation, method: string): readonly unknown[] =>
  conversation.records.filter(
    ({ dir, msg }) => dir === "c>a" && (msg as { method?: unknown } | undefined)?.method === method,
  );

function optionOf(
  conversation: Conversation,
  category: string,
): Extract<SessionOption, { type: "select" }> | undefined {
  const found = conversation.view.head.options.find(each => each.category === category && each.type === "select");
  return found?.type === "select" ? found : undefined;
}
