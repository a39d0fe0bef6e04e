// Tests real agents through the panel in the real VS Code. Only scripts/interop.mjs runs this file, and lists the
// installed agents in PARLEY_TRIAL. Because of its name, `npm test` doesn't run it.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentPresets } from "../../src/agents/registry.ts";
import { agents, define, preset, type RealAgent } from "../interop/agents.ts";
import { chord, openChat, openFile, openWorkbench, screenshot } from "./harness.ts";

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
    it(`streams, asks before an edit, is answered by a button, and changes the file: ${preset(agent.id).name}`, () =>
      edit(agent));
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

  await composer.fill(`[[stream:400,5]][[tool:edit ${file}|let i = 1;|let i = 0;]][[say:The sum is right now.]]`);
  await composer.press("Enter");
  await log.getByText("chunk 20", { exact: false }).first().waitFor();
  assert.ok(await stop.isVisible(), "the answer streams: the turn continues while text is shown");
  // The option for this request only, as the different agents name it.
  // The option appears on the tool call and above the composer.
  const allow = panel.getByRole("button", { name: /^(Allow|Allow once|Yes)$/ }).last();
  await allow.waitFor();
  assert.equal(readFileSync(file, "utf8"), before, "nothing is written before the answer");
  await screenshot(page, `interop-panel-${agent.id}-question`);
  await allow.click();
  await log.getByText("The sum is right now.").waitFor();
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

/** Hides every agent except the tested one, so that it is selected. */
function settings(agent: RealAgent): Record<string, unknown> {
  const home = mkdtempSync(join(tmpdir(), "parley-interop-"));
  homes.push(home);
  const installed = trial.installed[agent.id] ?? "";
  const { command, args, env } = define(agent, { installed, node: trial.node, home, model: trial.model });
  const hidden = ["demo", ...agentPresets.map(({ id }) => id)].filter(id => id !== agent.id);
  return {
    "parley.agents": { ...Object.fromEntries(hidden.map(id => [id, false])), [agent.id]: { command, args, env } },
  };
}
