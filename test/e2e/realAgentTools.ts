// Real agents that use the tools of the editor, in a real VS Code with its own server for TypeScript. Only
// scripts/interop.mjs runs this file.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FrameLocator, Locator } from "playwright-core";
import { nameOf, type RealAgent } from "../interop/agents.ts";
import { reportedErrors } from "../interop/repairs.mjs";
import type { ToolPair, ToolRun } from "../interop/toolRuns.ts";
import { compilerErrors, taskFiles, taskOf, typeErrorTasks, type TypeErrorTask } from "../interop/typeErrorTasks.ts";
import { until } from "../support/fakes/until.ts";
import { allowOnce, testedAgents, trial, trialSettings } from "./agentTrial.ts";
import { openChat, openFile, openWorkbench, screenshot } from "./harness.ts";

/** A result of a tool as the model got it. */
interface Outcome {
  /** The name of the tool as the agent offers it. */
  readonly name: string;
  readonly text: string;
}

/** A request of the agent to the model, as the model server logs it. */
interface ModelRequest {
  /** What the server played. */
  readonly note?: string;
  /** The results since the prompt. */
  readonly outcomes?: readonly Outcome[];
  /** The names of the tools that the agent offers. */
  readonly tools?: readonly string[];
  /** The parts of the answer. */
  readonly plan?: readonly (string | { readonly call: { readonly name: string } })[];
}

/** Reads the requests to the model from now on. */
function requestsFromNow(): () => readonly ModelRequest[] {
  const file = join(trial.out, "model-server.log");
  const lines = (): readonly string[] => (existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : []);
  const before = lines().length;
  return () =>
    lines()
      .slice(before)
      .map(line => JSON.parse(line) as ModelRequest);
}

const resultsIn = (requests: readonly ModelRequest[]): readonly Outcome[] =>
  requests.flatMap(({ outcomes = [] }) => outcomes);

/** The chat, and what a user does in it. */
class Chat {
  readonly panel: FrameLocator;
  readonly log: Locator;

  constructor(panel: FrameLocator) {
    this.panel = panel;
    this.log = panel.getByRole("log", { name: "Conversation" });
  }

  async send(prompt: string): Promise<void> {
    const composer = this.panel.getByRole("textbox", { name: "Message" });
    await composer.fill(prompt);
    await composer.press("Enter");
  }

  /** Allows what the agent itself asks until this is shown. Resolves with the titles of its questions. */
  async allowUntil(shown: Locator): Promise<readonly string[]> {
    const asked = new Set<string>();
    const question = this.panel.locator(".question", { has: this.panel.getByRole("button", { name: allowOnce }) });
    await until(async () => {
      if (await shown.first().isVisible()) return true;
      if ((await question.count()) === 0) return false;
      // The question can be answered already, and go away at any moment.
      const title = await question
        .last()
        .getAttribute("aria-label", { timeout: 2000 })
        .catch(() => null);
      const allow = question.last().getByRole("button", { name: allowOnce });
      await allow.click({ timeout: 2000 }).then(
        () => asked.add(title ?? ""),
        () => undefined,
      );
      return false;
    });
    return [...asked];
  }

  /** Sends a prompt whose turn ends with this answer. Resolves with the titles of the agent's questions. */
  async turn(prompt: string, answer: string): Promise<readonly string[]> {
    await this.send(`${prompt}[[say:${answer}]]`);
    const asked = await this.allowUntil(this.log.getByText(answer, { exact: true }));
    await this.panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    return asked;
  }

  /** The card of a call, by a part of its title. */
  card(title: string): Locator {
    return this.log.locator("article.tool", { has: this.panel.locator(".tool-title", { hasText: title }) }).last();
  }
}

/** Asks for the problems until `isThere`, because the tools and the server for TypeScript begin with the window. */
async function askForProblems(chat: Chat, isThere: () => boolean): Promise<readonly string[]> {
  const asked: string[] = [];
  for (let tries = 1; !isThere(); tries++) {
    assert.ok(tries <= 20, "the model gets the problems");
    asked.push(...(await chat.turn("[[wait:1]][[mcp:parley.diagnostics {}]]", `Checked ${tries}.`)));
  }
  return asked;
}

describe("the tools of the editor with real agents", () => {
  for (const agent of testedAgents) {
    it(`show the model a type error, and rename a symbol in two files after a question: ${nameOf(agent)}`, async function () {
      this.timeout(240_000);
      await problemsAndRename(agent);
    });
  }

  // The scripted model must see in the list of tools whether it has them, so Qwen Code, which has one tool for all, is not here.
  const [agent] = ["opencode", "claude", "gemini", "kimi"].flatMap(id => testedAgents.filter(each => each.id === id));
  if (agent)
    it(`leave none of ten type errors that stay without them: ${nameOf(agent)}`, async function () {
      this.timeout(580_000);
      await pairOfRuns(agent);
    });
});

const names = "export function greet(name: string): string {\n  return `Hello, ${name}.`;\n}\n";
const uses = 'import { greet } from "./names";\n\nexport const greeting = greet("Ada");\n';

async function problemsAndRename(agent: RealAgent): Promise<void> {
  const requests = requestsFromNow();
  const { page, folder, errors } = await openWorkbench({
    files: {
      "src/names.ts": names,
      "src/uses.ts": uses,
      "src/wrong.ts": '// A planted error.\n\nexport const size: number = "large";\n',
      "tsconfig.json": JSON.stringify({ compilerOptions: { strict: true, types: [] } }),
    },
    settings: { ...trialSettings(agent), "parley.editorTools": "all" },
  });
  const pathOf = (name: string): string => join(folder, "src", name);
  const texts = (): readonly string[] => ["names.ts", "uses.ts"].map(name => readFileSync(pathOf(name), "utf8"));
  const chat = new Chat(await openChat(page));
  const { panel, log } = chat;
  await openFile(page, "names.ts");
  // The server for TypeScript checks only files that a tab shows.
  await openFile(page, "wrong.ts");

  const received = (name: string): readonly string[] =>
    resultsIn(requests()).flatMap(one => (one.name.endsWith(name) ? one.text : []));
  const errorsIn = (text: string): object[] =>
    reportedErrors(text).map(({ path, line, column, message, code }) => ({ path, line, column, message, code }));
  const asked = await askForProblems(chat, () => received("diagnostics").some(text => errorsIn(text).length > 0));
  assert.deepEqual(errorsIn(received("diagnostics").at(-1) ?? ""), [
    {
      ...{ path: pathOf("wrong.ts"), line: 3, column: 14, code: "2322" },
      message: "Type 'string' is not assignable to type 'number'.",
    },
  ]);
  assert.equal(await chat.card("diagnostics").getAttribute("data-status"), "done");
  await screenshot(page, `interop-tools-${agent.id}-problems`);

  console.log(`    ${nameOf(agent)} ${asked.length > 0 ? "asks" : "doesn't ask"} about its call`);

  const given = { path: pathOf("names.ts"), line: 1, symbol: "greet", newName: "welcome" };
  await chat.send(`[[mcp:parley.rename_symbol ${JSON.stringify(given)}]][[say:Renamed.]]`);
  const title = "Rename “greet” to “welcome”";
  const question = panel.getByRole("group", { name: title, exact: true });
  const askedAgain = await chat.allowUntil(question);
  assert.equal(askedAgain.length, Math.min(asked.length, 1), "an agent that asks about calls asks about each");
  for (const name of ["names.ts", "uses.ts"]) await question.getByText(name).first().waitFor();
  assert.deepEqual(texts(), [names, uses], "nothing is written before the answer");
  await screenshot(page, `interop-tools-${agent.id}-question`);
  await question.getByRole("button", { name: /^Allow Once/ }).click();
  await log.getByText("Renamed.", { exact: true }).waitFor();
  await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });

  assert.deepEqual(
    texts(),
    [names, uses].map(text => text.replaceAll(/\bgreet\b/g, "welcome")),
  );
  const [answer = ""] = received("rename_symbol");
  for (const name of ["names.ts", "uses.ts"]) assert.ok(answer.includes(pathOf(name)), answer);
  for (const each of [title, "rename_symbol"]) assert.equal(await chat.card(each).getAttribute("data-status"), "done");
  const changes = panel.getByRole("region", { name: "Changes" });
  await changes.getByRole("button", { name: /^2 files/ }).click();
  for (const name of ["names.ts", "uses.ts"]) await changes.getByText(name).first().waitFor();
  await screenshot(page, `interop-tools-${agent.id}`);
  assert.deepEqual(errors, []);
}

async function pairOfRuns(agent: RealAgent): Promise<void> {
  const without = await runTasks(agent, "off");
  const withTools = await runTasks(agent, "all");
  const pair: ToolPair = {
    ...{ agent: nameOf(agent), spec: agent.spec, day: new Date().toISOString().slice(0, 10) },
    tasks: typeErrorTasks.map(({ id, kind }) => ({
      kind,
      without: without.get(id) ?? noRun,
      with: withTools.get(id) ?? noRun,
    })),
  };
  writeFileSync(join(trial.out, "tools.json"), JSON.stringify(pair, null, 2));
  for (const [id, { errors }] of without) assert.equal(errors.length, 1, `${id} has ${errors.join(", ")}`);
  for (const [id, { errors }] of withTools) assert.deepEqual(errors, [], id);
}

const noRun: ToolRun = { errors: [], calls: 0, editorCalls: 0, requests: 0 };

/** Gives the agent the ten tasks in one session. Resolves with what each left, by the id of the task. */
async function runTasks(agent: RealAgent, tools: "off" | "all"): Promise<ReadonlyMap<string, ToolRun>> {
  const { page, folder, errors } = await openWorkbench({
    files: taskFiles(),
    settings: {
      ...trialSettings(agent),
      "parley.editorTools": tools,
      "parley.permissions.rules": [{ effect: "allow", kind: ["edit", "read"] }],
    },
  });
  assert.deepEqual(compilerErrors(folder), []);
  const chat = new Chat(await openChat(page));
  for (const { opened } of typeErrorTasks) if (opened !== undefined) await openFile(page, opened);
  if (tools === "all") {
    const before = requestsFromNow();
    await askForProblems(chat, () => resultsIn(before()).some(({ name }) => name.endsWith("diagnostics")));
  }
  const made = new Map<string, readonly ModelRequest[]>();
  for (const task of typeErrorTasks) {
    const requests = requestsFromNow();
    await chat.turn(scriptOf(task, folder), `The task ${task.id} is done.`);
    made.set(task.id, requests());
  }
  await screenshot(page, `interop-tools-tasks-${tools}`);
  const left = compilerErrors(folder);
  assert.deepEqual(errors, []);
  return new Map(
    typeErrorTasks.map(({ id }) => {
      const requests = (made.get(id) ?? []).filter(({ note = "" }) => note.startsWith("script"));
      const offered = new Set(requests.flatMap(one => one.tools ?? []));
      assert.equal(
        [...offered].some(name => name.endsWith("diagnostics")),
        tools === "all",
        `the agent offers the model the tools exactly if they are on: ${[...offered].join(", ")}`,
      );
      const calls = requests.flatMap(({ plan = [] }) =>
        plan.flatMap(one => (typeof one === "string" ? [] : one.call.name)),
      );
      const run: ToolRun = {
        errors: left.filter(({ path }) => taskOf(path) === id).map(({ code }) => code),
        calls: calls.length,
        editorCalls: calls.filter(name => name.includes("parley")).length,
        requests: requests.length,
      };
      return [id, run] as const;
    }),
  );
}

/** What the model does: it reads the file, because some agents require that, and edits it. Then it repairs what a tool reports. */
function scriptOf({ id, edit: [name, from, to] }: TypeErrorTask, folder: string): string {
  const within = join(folder, "tasks", id);
  const file = join(within, name);
  return `[[tool:read ${file}]][[tool:edit ${file}|${from}|${to}]][[mend:parley ${JSON.stringify({ path: within })}]]`;
}
