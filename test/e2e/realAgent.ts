// Tests real agents through the panel in the real VS Code. Only scripts/interop.mjs runs this file, and lists the
// installed agents in PARLEY_TRIAL. Because of its name, `npm test` doesn't run it.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { inProject } from "../../scripts/tools/project.mjs";
import { agents, nameOf, presetOf, type RealAgent } from "../interop/agents.ts";
import { allowOnce, onlyThese, temporary, testedAgents, trial, trialSettings } from "./agentTrial.ts";
import {
  candidateActions,
  candidateRow,
  commitAll,
  comparison,
  gitIn,
  pick,
  tab,
  worktreesOf,
} from "./candidatesPage.ts";
import { openChat, openFile, openWorkbench, runCommand, screenshot } from "./harness.ts";
import { chord, typeComment } from "./keyboard.ts";

const modelServers: ChildProcess[] = [];

after("stops the model servers", () => {
  for (const server of modelServers) server.kill();
});

describe("the panel in a real VS Code", () => {
  for (const agent of testedAgents) {
    it(`streams, asks before an edit, is answered by a button, and changes the file: ${nameOf(agent)}`, () =>
      edit(agent));
  }
  for (const agent of testedAgents) {
    it(`gets a comment on a line, answers in its thread, and gets the collected comments of both sides of a diff: ${nameOf(agent)}`, () =>
      comments(agent));
  }
  for (const agent of testedAgents.filter(({ noTerminalSignIn }) => !noTerminalSignIn)) {
    it(`offers the agent's sign-in program in a terminal: ${nameOf(agent)}`, () => signIn(agent));
  }
});

/** Three agents that work on one task. */
const together = ["gemini", "opencode", "qwen", "kimi", "claude"]
  .filter(id => id in trial.installed)
  .flatMap(id => agents.find(agent => agent.id === id) ?? [])
  .slice(0, 3);

if (together.length === 3)
  describe("several real agents", () => {
    it(`work on one task in worktrees, and hunks of two come into one review: ${together.map(nameOf).join(", ")}`, async function () {
      this.timeout(420_000);
      await oneTask();
    });
  });

/** What the agents are asked. Their model servers know what each of them does. */
const task = "Fix sum(), which leaves out the first number";
const loop = ["for (let i = 1;", "for (let i = 0;"] as const;
const sentence = ["- `src/sum.js` adds numbers.", "- `src/sum.js` adds all numbers of a list."] as const;
const newTest = [
  'test("sum of an empty list',
  'test("sum of one number is the number", () => {\n  assert.equal(sum([7]), 7);\n});\n\ntest("sum of an empty list',
] as const;

/** The edits of each agent: file, text, new text. The third makes the tests fail. */
const edits: readonly (readonly (readonly [string, string, string])[])[] = [
  [
    ["src/sum.js", ...loop],
    ["test/sum.test.js", ...newTest],
  ],
  [
    ["src/sum.js", "for (let i = 1; i < numbers.length; i += 1)", "for (let i = 0; i !== numbers.length; i += 1)"],
    ["README.md", ...sentence],
  ],
  [["src/sum.js", "for (let i = 1;", "for (let i = -1;"]],
];

async function oneTask(): Promise<void> {
  const scripts = mkdtempSync(join(tmpdir(), "parley-interop-"));
  temporary.push(scripts);
  const fileOf = (at: number): string => join(scripts, `${at}.json`);
  const models = await Promise.all(together.map((_, at) => startModelServer(fileOf(at))));
  const { page, folder, errors } = await openWorkbench({
    settings: {
      "parley.agents": onlyThese(...together.map((agent, at) => ({ agent, model: models[at] ?? "" }))),
      "parley.worktrees.check": "node --test",
      "parley.permissions.rules": [{ effect: "allow", kind: ["edit", "read"] }],
      "workbench.colorTheme": "Default Dark Modern",
      "window.commandCenter": false,
      "window.title": "sample-workspace",
    },
  });
  await page.setViewportSize({ width: 1360, height: 780 });
  const parent = worktreesOf(folder);
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  const before = { sum: read("src/sum.js"), readme: read("README.md") };
  try {
    commitAll(gitIn(folder));
    const panel = await openChat(page);
    await panel.getByRole("textbox", { name: "Message" }).fill(task);
    await runCommand(page, "Parley: Ask Several Agents…");
    for (const agent of together) await pick(page, nameOf(agent)).first().click();
    await page.locator(".quick-input-widget").getByText("3 Selected").waitFor();
    await page.keyboard.press("Enter");
    await pick(page, "Last commit of main").first().waitFor();
    await page.keyboard.press("Enter");
    await pick(page, "Choose Models and Modes First").click();
    const candidates = comparison(page);
    const send = candidates.getByRole("button", { name: "Send to 3 Agents", disabled: false });
    await send.waitFor();
    await screenshot(page, "interop-together-held");
    // Each agent has a worktree of its own now, which the script of its model names.
    const worktrees = together.map(agent => worktreeOf(parent, agent));
    for (const [at, worktree] of worktrees.entries()) writeFileSync(fileOf(at), scriptFor(worktree, edits[at] ?? []));
    await send.click();
    const rowOf = (at: number): Locator => candidateRow(candidates, nameOf(together[at] as RealAgent));
    for (const at of together.keys()) await rowOf(at).getByText("Done", { exact: true }).waitFor();
    for (const [at, worktree] of worktrees.entries())
      for (const [file, , text] of edits[at] ?? [])
        assert.ok(readFileSync(join(worktree, file), "utf8").includes(text), `${worktree}: ${file}`);
    assert.deepEqual({ sum: read("src/sum.js"), readme: read("README.md") }, before, "the folder is as before");
    for (const [at, files] of ["2 files", "2 files", "1 file"].entries()) await rowOf(at).getByText(files).waitFor();

    await candidates.getByRole("button", { name: "Run All Checks" }).click();
    for (const at of [0, 1]) await rowOf(at).getByText("Passed").waitFor();
    await rowOf(2).getByText("Failed (exit code 1)").waitFor();
    await pictureOfTask(page);

    // A hunk of the first and a file of the second come back into one review.
    const bringBack = async (agent: RealAgent, file: string): Promise<void> => {
      await tab(page, "Compare Candidates").click();
      await candidateActions(candidates, nameOf(agent)).getByRole("button", { name: "Bring Back…" }).click();
      const others = page.locator(".quick-input-list .monaco-list-row").filter({ hasNotText: file });
      await pick(page, file).waitFor();
      for (const other of await others.all()) await other.click();
      await page.locator(".quick-input-widget").getByText("1 Selected").waitFor();
      await page.locator(".quick-input-widget").getByRole("button", { name: "OK" }).click();
    };
    const [first, second] = together as [RealAgent, RealAgent];
    await bringBack(first, "sum.js");
    await settled(() => read("src/sum.js"), before.sum.replace(...loop));
    await bringBack(second, "README.md");
    await settled(() => read("README.md"), before.readme.replace(...sentence));
    // The Changes view lists both sessions once it has enough space.
    await runCommand(page, "Parley: Focus on Changes View");
    await page.locator(".pane-header", { hasText: /^Chat/ }).click();
    const rows = page
      .locator(".pane", { has: page.locator(".pane-header", { hasText: /^Changes/ }) })
      .locator(".monaco-list-row");
    for (const agent of [first, second]) await rows.filter({ hasText: `${nameOf(agent)}: ${task}` }).waitFor();
    await screenshot(page, "interop-together-review");
    assert.deepEqual(errors, []);
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

/** The worktree of an agent, by the name of its branch. */
function worktreeOf(parent: string, agent: RealAgent): string {
  const name = nameOf(agent).toLowerCase().replaceAll(" ", "-");
  const found = readdirSync(parent).filter(one => one.endsWith(`-${name}`));
  assert.equal(found.length, 1, `${name}: ${found.join(", ")}`);
  return join(parent, found[0] ?? "");
}

/** The script of a model: it reads each file before it edits it, because some agents require that. */
function scriptFor(worktree: string, own: readonly (readonly [string, string, string])[]): string {
  const escaped = (text: string): string => text.replaceAll("\n", "\\n");
  const steps = own.flatMap(([file, from, to]) => {
    const path = join(worktree, file);
    return [`[[tool:read ${path}]]`, `[[tool:edit ${path}|${escaped(from)}|${escaped(to)}]]`];
  });
  return JSON.stringify({ [task]: `${steps.join("")}[[say:The first number counts now.]]` });
}

/** Writes the picture of the README. */
async function pictureOfTask(page: Page): Promise<void> {
  await screenshot(page, "interop-together");
  if (!process.env["PARLEY_PICTURES"]) return;
  await runCommand(page, "Notifications: Clear All Notifications");
  await page.screenshot({ path: inProject("docs", "images", "candidates.png"), animations: "disabled" });
}

/** Starts a model server of one agent, which the end of the tests stops. Resolves with its URL. */
async function startModelServer(prompts: string): Promise<string> {
  const server = inProject("test", "interop", "model-server.mjs");
  const child = spawn(process.execPath, [server, "--port", "0", "--quiet", "--prompts", prompts], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  modelServers.push(child);
  return new Promise((resolve, reject) => {
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(printed);
      if (found) resolve(found[0]);
    });
    child.on("error", reject);
    child.on("exit", code => reject(new Error(`The model server exited with code ${code}: ${printed}`)));
  });
}

async function edit(agent: RealAgent): Promise<void> {
  const { page, folder, errors } = await openWorkbench({ settings: trialSettings(agent) });
  const file = join(folder, "src", "sum.js");
  const before = readFileSync(file, "utf8");
  const panel = await openChat(page);
  const composer = panel.getByRole("textbox", { name: "Message" });
  const log = panel.getByRole("log", { name: "Conversation" });
  const stop = panel.getByRole("button", { name: "Stop" });

  if (agent.readsFirst) {
    await composer.fill(`[[tool:read ${file}]][[say:The file is read.]]`);
    await composer.press("Enter");
    await log.getByText("The file is read.", { exact: true }).waitFor();
    await stop.waitFor({ state: "hidden" });
  }
  await composer.fill(`[[stream:400,5]][[tool:edit ${file}|let i = 1;|let i = 0;]][[say:The sum is right now.]]`);
  await composer.press("Enter");
  await log.getByText("chunk 20", { exact: false }).first().waitFor();
  assert.ok(await stop.isVisible(), "the answer streams: the turn continues while text is shown");
  // The option for this request only, as the different agents name it.
  // The option appears on the tool call and above the composer.
  const allow = panel.getByRole("button", { name: allowOnce }).last();
  await allow.waitFor();
  assert.equal(readFileSync(file, "utf8"), before, "nothing is written before the answer");
  await screenshot(page, `interop-panel-${agent.id}-question`);
  await allow.click();
  await log.getByText("The sum is right now.", { exact: true }).waitFor();
  await stop.waitFor({ state: "hidden" });
  await screenshot(page, `interop-panel-${agent.id}`);

  assert.equal(readFileSync(file, "utf8"), before.replace("let i = 1;", "let i = 0;"));
  const shown = await log.innerText();
  const chunks = [...shown.matchAll(/chunk (\d+)/g)].map(match => Number(match[1]));
  const expected = Array.from({ length: 400 }, (_, k) => k + 1);
  // The prompt is there too, but doesn't contain "chunk".
  assert.deepEqual(chunks, expected);

  // Create a file and then review both by keyboard: undo one and keep the other.
  const made = join(folder, "notes", "new.txt");
  await composer.fill(`[[tool:write ${made}|first line\\nsecond line\\n]][[say:The notes are made.]]`);
  await composer.press("Enter");
  await allow.click();
  await log.getByText("The notes are made.", { exact: true }).waitFor();
  await stop.waitFor({ state: "hidden" });
  assert.equal(readFileSync(made, "utf8"), "first line\nsecond line\n");
  const changes = panel.getByRole("region", { name: "Changes" });
  await changes.getByText("2 files").waitFor();
  const keep = page.locator(".codelens-decoration a", { hasText: /^Keep$/ });
  await openFile(page, "sum.js");
  await keep.first().waitFor();
  await screenshot(page, `interop-review-${agent.id}`);
  await page.keyboard.press("Control+F8");
  await chord(page, "X", async () => (await keep.count()) === 0);
  await settled(() => readFileSync(file, "utf8"), before);
  await page.locator(".view-line", { hasText: "let i = 1;" }).waitFor();
  await changes.getByText("1 file").waitFor();
  await openFile(page, "new.txt");
  await keep.first().waitFor();
  await chord(page, "K", async () => (await keep.count()) === 0);
  await changes.waitFor({ state: "hidden" });
  assert.equal(readFileSync(made, "utf8"), "first line\nsecond line\n");
  // VS Code reports this error if an agent creates the file itself while it also requests it from Parley.
  assert.deepEqual(
    errors.filter(error => !error.includes("already exists when overwrite flag is not set")),
    [],
  );
}

async function comments(agent: RealAgent): Promise<void> {
  const { page, folder, errors } = await openWorkbench({ settings: trialSettings(agent) });
  const file = join(folder, "src", "sum.js");
  const before = readFileSync(file, "utf8");
  const panel = await openChat(page);
  const composer = panel.getByRole("textbox", { name: "Message" });
  const log = panel.getByRole("log", { name: "Conversation" });
  const stop = panel.getByRole("button", { name: "Stop" });
  await composer.fill(`[[tool:read ${file}]][[say:The file is read.]]`);
  await composer.press("Enter");
  await log.getByText("The file is read.", { exact: true }).waitFor();
  await stop.waitFor({ state: "hidden" });

  const thread = page.locator(".review-widget");
  await openFile(page, "sum.js");
  await page.locator(".view-line", { hasText: "let i = 1;" }).click();
  await typeComment(page, `Start at zero. [[tool:edit ${file}|let i = 1;|let i = 0;]][[say:It starts at zero now.]]`);
  await page.keyboard.press("Control+Enter");
  await panel.getByRole("button", { name: allowOnce }).last().click();
  await thread.locator(".comment-body", { hasText: "It starts at zero now." }).waitFor();
  await thread.locator(".review-title", { hasText: "answered" }).waitFor();
  await settled(() => readFileSync(file, "utf8"), before.replace("let i = 1;", "let i = 0;"));
  await screenshot(page, `interop-comment-${agent.id}`);

  // A removed line and one of the file, in one prompt.
  await runCommand(page, "Parley: Open File Diff");
  const side = (name: "original" | "modified", text: string): Locator =>
    page.locator(`.monaco-diff-editor .${name} .view-line`, { hasText: text }).first();
  for (const [name, text, words] of [
    ["original", "let i = 1;", "Why was this one?"],
    ["modified", "return total;", "And this? [[say:Both are about the first number.]]"],
  ] as const) {
    await side(name, text).click();
    await typeComment(page, words);
    await thread.getByRole("button", { name: "Add to Review" }).last().click();
    await page.locator(".review-widget .comment-form .monaco-editor.focused").waitFor({ state: "detached" });
  }
  await panel.getByRole("button", { name: "Send Comments (2)" }).click();
  await log.getByText("line 6 of the text before your changes").first().waitFor();
  await log.getByText("Both are about the first number.", { exact: true }).waitFor();
  await thread.locator(".comment-body", { hasText: "Both are about the first number." }).first().waitFor();
  await screenshot(page, `interop-comments-${agent.id}`);
  assert.deepEqual(
    errors.filter(error => !error.includes("already exists when overwrite flag is not set")),
    [],
  );
}

async function settled(read: () => string, text: string): Promise<void> {
  while (read() !== text) await new Promise(resolve => setTimeout(resolve, 20));
}

/** How to sign in to an agent in its own program, or what that program shows first if it needs an account. */
const signIns: Readonly<Record<string, { readonly greeting: string; readonly answer?: typeof answerQwen }>> = {
  claude: { greeting: "login method" },
  kimi: { greeting: "kimi.com" },
  qwen: { greeting: "Connect a Provider", answer: answerQwen },
};

async function signIn(agent: RealAgent): Promise<void> {
  const { page, errors } = await openWorkbench({ settings: trialSettings(agent, false) });
  const panel = await openChat(page);
  const composer = panel.getByRole("textbox", { name: "Message" });
  const log = panel.getByRole("log", { name: "Conversation" });
  await composer.fill("[[say:Signed in.]]");
  await composer.press("Enter");
  const card = panel.getByRole("group", { name: "Problem" }).filter({ hasText: "needs you to sign in" });
  await card.waitFor();
  await screenshot(page, `interop-sign-in-${agent.id}`);
  const way = card.getByRole("button").first();
  const wayName = (await way.textContent())?.trim() ?? "";
  await way.click();
  const { greeting, answer } = signIns[presetOf(agent).id] ?? { greeting: "" };
  const terminal = page.locator(".terminal-outer-container .xterm-rows").filter({ hasText: greeting });
  // Without a network, the program ends with an error, which the terminal shows until Enter.
  const failure = page.locator(".terminal-outer-container .xterm-rows").filter({ hasText: "Press Enter to close" });
  // If the agent names a program of its own, Parley asks first.
  const run = page.getByRole("dialog").getByRole("button", { name: "Run Program" });
  await terminal.or(failure).or(run).first().waitFor();
  if (await run.isVisible()) await run.click();
  await terminal.or(failure).first().waitFor();
  await screenshot(page, `interop-sign-in-${agent.id}-terminal`);
  if (answer) {
    await answer(page);
    await log.getByText("Signed in.", { exact: true }).waitFor();
    await card.waitFor({ state: "hidden" });
    assert.equal(await log.getByText("Signed in.", { exact: true }).count(), 1);
  } else {
    await card.getByRole("button", { name: "Cancel" }).click();
    await card.getByRole("button", { name: wayName }).waitFor();
    // The prompt waits in the queue: until the user continues, or until the session opens.
    await panel.getByRole("list", { name: "Queued messages" }).getByText("[[say:Signed in.]]").waitFor();
    assert.equal(await log.getByText("Signed in.", { exact: true }).count(), 0);
  }
  await screenshot(page, `interop-sign-in-${agent.id}-after`);
  assert.deepEqual(
    errors.filter(error => answer || !/did not sign you in|terminated with exit code/.test(error)),
    [],
  );
}

/** Connects the scripted model as a custom provider. */
async function answerQwen(page: Page): Promise<void> {
  const terminal = page.locator(".terminal-outer-container .xterm-rows");
  const shows = (text: string): Promise<void> => terminal.filter({ hasText: text }).waitFor();
  const { keyboard } = page;
  // Some of its pages are higher than the terminal.
  await runCommand(page, "View: Toggle Maximized Panel");
  await page.locator(".terminal-outer-container .xterm-helper-textarea").focus();
  await keyboard.press("ArrowDown");
  await shows("› Third-party Providers");
  await keyboard.press("ArrowDown");
  await shows("› Custom Provider");
  await keyboard.press("Enter");
  await shows("Step 1/7");
  await keyboard.press("Enter");
  await shows("Step 2/7");
  await keyboard.press("Enter");
  await shows("Step 3/7");
  await keyboard.press("Control+U");
  const answers = [`${trial.model}/v1`, "not-a-key", "fake-model"];
  for (const [i, text] of answers.entries()) {
    await shows(`Step ${i + 3}/7`);
    await keyboard.type(text);
    // The program takes an Enter that arrives together with text as a part of the text.
    await shows(text);
    await keyboard.press("Enter");
  }
  await shows("Step 6/7");
  await keyboard.press("Enter");
  await shows("Enter to save");
  await keyboard.press("Enter");
  await shows("Successfully configured");
  await keyboard.type("/quit");
  await shows("exit the cli");
  await keyboard.press("Enter");
}
