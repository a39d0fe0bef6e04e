// Tests real agents through the panel in the real VS Code. Only scripts/interop.mjs runs this file, and lists the
// installed agents in PARLEY_TRIAL. Because of its name, `npm test` doesn't run it.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { agentPresets } from "../../src/agents/registry.ts";
import { agents, define, nameOf, presetOf, type RealAgent } from "../interop/agents.ts";
import { openChat, openFile, openWorkbench, runCommand, screenshot } from "./harness.ts";
import { chord } from "./keyboard.ts";

/** The fields of the trial that this test uses. */
interface Trial {
  readonly model: string;
  readonly node: string;
  readonly installed: Readonly<Record<string, string>>;
}

const trial = JSON.parse(readFileSync(process.env["PARLEY_TRIAL"] ?? "", "utf8")) as Trial;

const homes: string[] = [];

// The harness has already stopped VS Code and the agents, which write there until they end.
after("removes the agents' homes", () => {
  for (const home of homes) rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

describe("the panel in a real VS Code", () => {
  for (const agent of agents.filter(({ id }) => id in trial.installed)) {
    it(`streams, asks before an edit, is answered by a button, and changes the file: ${nameOf(agent)}`, () =>
      edit(agent));
  }
  for (const agent of agents.filter(({ id, noTerminalSignIn }) => id in trial.installed && !noTerminalSignIn)) {
    it(`offers the agent's sign-in program in a terminal: ${nameOf(agent)}`, () => signIn(agent));
  }
});

async function edit(agent: RealAgent): Promise<void> {
  const { page, folder, errors } = await openWorkbench({ settings: settings(agent) });
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
  const allow = panel.getByRole("button", { name: /^(Allow|Allow once|Yes|Approve once)$/ }).last();
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
  const { page, errors } = await openWorkbench({ settings: settings(agent, false) });
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

/** Hides every agent except the tested one, so that it is selected. */
function settings(agent: RealAgent, hasKey = true): Record<string, unknown> {
  const home = mkdtempSync(join(tmpdir(), "parley-interop-"));
  homes.push(home);
  const installed = trial.installed[agent.id] ?? "";
  const { command, args, env, protocol } = define(agent, {
    installed,
    node: trial.node,
    home,
    model: trial.model,
    hasKey,
  });
  const hidden = ["demo", ...agentPresets.map(({ id }) => id)].filter(id => id !== presetOf(agent).id);
  const own = { command, args, env, ...(protocol && { protocol }) };
  return {
    "parley.agents": { ...Object.fromEntries(hidden.map(id => [id, false])), [presetOf(agent).id]: own },
  };
}
