// The options below the message box: names, warnings, pending values, and choices that the agent refused.
import assert from "node:assert/strict";
import type { ViewHead, ViewOption } from "../../src/panel/protocol.ts";
import { openPanel, usePanel } from "./panelPage.ts";
import { snapshot, view } from "./scenes.ts";

const mode: ViewOption = {
  id: "mode",
  name: "Mode",
  category: "mode",
  type: "select",
  value: "ask",
  choices: [
    { value: "read", name: "Read-only" },
    { value: "ask", name: "Ask First" },
    { value: "yolo", name: "Bypass permissions", warning: true },
  ],
};
const effort: ViewOption = {
  id: "effort",
  name: "Effort",
  type: "select",
  value: "default",
  choices: [
    { value: "default", name: "Default (recommended)" },
    { value: "deep", name: "Think deeply" },
  ],
};
const approvals: ViewOption = { id: "all", name: "Allow all", type: "boolean", value: false, warning: true };
const agents: ViewOption = {
  id: "agent",
  name: "Agent profile",
  type: "select",
  value: "p1",
  warning: true,
  choices: Array.from({ length: 20 }, (_, i) => ({
    value: `p${i}`,
    name: `Profile ${i}`,
    ...(i === 1 && { warning: true as const }),
  })),
};
const chosen = (option: ViewOption, value: string): ViewOption =>
  option.type === "select"
    ? { ...option, value, ...(option.choices.some(each => each.value === value && each.warning) && { warning: true }) }
    : option;
const refused: Partial<ViewHead> = {
  agent: { id: "demo", name: "Demo Agent" },
  connection: {
    state: "ready",
    refusedChoices: [
      { option: "mode", name: "Mode", chosen: "Read\u202Eonly", reason: "missing" },
      { name: "Web", chosen: false, reason: "refused", message: "Demo Agent rejected this setting: No." },
    ],
  },
  queue: [{ id: "s1", text: "Then update the changelog", sent: false }],
};
const headWith = (...options: readonly ViewOption[]): Partial<ViewHead> => ({ options });

describe("the options of an agent", () => {
  usePanel();

  it("show their name only beside a value that says nothing", async () => {
    const panel = await openPanel([snapshot(view([], headWith(mode, effort)))]);
    const names = panel.page.locator(".option-name");
    assert.deepEqual(await names.allInnerTexts(), ["Effort:"]);
    await panel.patch({ op: "head", head: headWith(chosen(mode, "On"), chosen(effort, "deep")) });
    assert.deepEqual(await names.allInnerTexts(), ["Mode:"]);
  });

  it("name the keys of the mode and the model in their tooltips, and only of the selectors that the commands change", async () => {
    const described = { ...mode, choices: [{ value: "ask", name: "Ask First", description: "Asks before each edit" }] };
    const model: ViewOption = { ...agents, id: "model", name: "Model", category: "model" };
    const second: ViewOption = { ...described, id: "mode2", name: "Other mode" };
    const fast: ViewOption = { ...approvals, id: "fast", name: "Fast", category: "model" };
    const panel = await openPanel([snapshot(view([], headWith(fast, described, model, second, effort)))]);
    const titles = (): Promise<readonly (string | null)[]> =>
      panel.page
        .locator("select.option, .picker-button")
        .evaluateAll(all => all.map(each => each.getAttribute("title")));
    assert.deepEqual(await titles(), [
      "Mode (Alt+Shift+M): Asks before each edit",
      "Model (Alt+Shift+E)\nApproves everything",
      "Other mode: Asks before each edit",
      "Effort",
    ]);
    await panel.page.evaluate(() => Object.defineProperty(navigator, "platform", { value: "MacIntel" }));
    await panel.patch({ op: "head", head: headWith(mode, { ...model, name: "The model" }) });
    await panel.page.getByRole("button", { name: "The model: Profile 1" }).waitFor();
    assert.deepEqual(await titles(), ["Mode (⌘⌥⇧M)", "The model (⌘⌥⇧E)\nApproves everything"]);
    await panel.assertClean();
  });

  it("mark values that approve everything, with an icon and in words, and let the user choose them", async () => {
    const panel = await openPanel([snapshot(view([], headWith(mode, approvals, agents)))], { width: 280 });
    const { page } = panel;
    const select = page.getByRole("combobox", { name: "Mode", exact: true });
    const icons = page.locator(".option-list .codicon-warning");
    assert.equal(await icons.count(), 2);
    const risky = select.getByRole("option", { name: "Bypass permissions, approves everything" });
    assert.match((await risky.textContent()) ?? "", /Bypass permissions \u26A0/);
    await page.getByRole("checkbox", { name: "Allow all", description: "On approves everything" }).waitFor();
    await page.getByRole("button", { name: "Agent profile: Profile 1", description: "Approves everything" }).click();
    await page.getByRole("option", { name: /Profile 1 ?approves everything/ }).waitFor();
    await page.keyboard.press("Escape");
    await select.selectOption("yolo");
    await page.getByRole("checkbox", { name: "Allow all" }).check();
    assert.deepEqual(await panel.intents(), [
      { type: "setOption", option: "mode", value: "yolo" },
      { type: "setOption", option: "all", value: true },
    ]);
    await panel.patch({ op: "head", head: headWith(chosen(mode, "yolo")) });
    await page.getByRole("combobox", { name: "Mode", description: "Approves everything" }).waitFor();
    assert.equal(await icons.count(), 1);
  });

  it("show a value that the agent does not have yet as pending", async () => {
    const pending = { ...chosen(mode, "read"), pending: true as const };
    const panel = await openPanel([snapshot(view([], headWith(pending)))]);
    const select = panel.page.getByRole("combobox", {
      name: "Mode",
      description: /Pending until the agent is connected/,
    });
    assert.equal(await select.inputValue(), "read");
    await panel.page.locator(".option-list .codicon-clockface").waitFor();
  });

  it("that the agent refused are reported, and the message waits until the user decides", async () => {
    const panel = await openPanel([snapshot(view([], { ...headWith(mode), ...refused }))], { width: 280 });
    const note = panel.page.getByRole("alert").filter({ hasText: "no longer offers" });
    const text = await note.innerText();
    assert.match(text, /Demo Agent no longer offers Mode: Read.+only, which you chose\./);
    assert.doesNotMatch(text, /\u202E/);
    assert.match(text, /Demo Agent did not accept Web: Off, which you chose\. Demo Agent rejected this setting: No\./);
    assert.match(text, /Your message was not sent\./);
    await note.getByRole("button", { name: "Choose…" }).click();
    await panel.page.getByRole("combobox", { name: "Mode", exact: true }).and(panel.page.locator(":focus")).waitFor();
    await panel.page.keyboard.press("Escape");
    await note.getByRole("button", { name: "Send Anyway" }).click();
    assert.deepEqual(await panel.intents(), [{ type: "sendAnyway" }]);
    // Without a message that waits, there is nothing to send, and without an option nothing to choose.
    await panel.patch({ op: "head", head: { queue: [] } });
    await note.getByRole("button", { name: "Send Anyway" }).waitFor({ state: "detached" });
    const web = refused.connection?.refusedChoices?.slice(1) ?? [];
    await panel.patch({ op: "head", head: { connection: { state: "ready", refusedChoices: web } } });
    assert.equal(await panel.page.getByRole("button", { name: "Choose…" }).count(), 0);
    await panel.patch({ op: "head", head: { connection: { state: "ready" } } });
    assert.equal(await panel.page.getByText("which you chose").count(), 0);
  });

  it("keep the list that the user searches open when a command's focus arrives late", async () => {
    const panel = await openPanel([snapshot(view([], { options: [agents] }))]);
    await panel.page.locator('[data-option="agent"]').click();
    const search = panel.page.getByRole("combobox", { name: "Search Agent profile" });
    await search.fill("Profile 1");
    await panel.post({ type: "focus", target: "composer" });
    await search.and(panel.page.locator(":focus")).waitFor();
    assert.equal(await search.inputValue(), "Profile 1");
  });
});
