// The keys of the chat and the walkthrough in the real VS Code, pressed while an editor has the focus.
import assert from "node:assert/strict";
import { until } from "../support/fakes/until.ts";
import { chooseRow, openFile, runCommand, screenshot, sharedWorkbench } from "./harness.ts";

const selector = (id: string, name: string, values: readonly string[], currentValue: string): object => ({
  ...{ id, name, category: id, type: "select", currentValue },
  options: values.map(value => ({ value, name: value })),
});
const options = [
  selector("mode", "Mode", ["read", "ask"], "ask"),
  selector("model", "Model", ["large", "small"], "large"),
];
const steps = [
  { update: { sessionUpdate: "config_option_update", configOptions: options } },
  { update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "I ask now." } } },
  { permission: { toolCall: { toolCallId: "edit", title: "Edit a file", kind: "edit", status: "pending" } } },
];

describe("the first steps in the chat", () => {
  it("work by keys while an editor has the focus: the message box, the question, prompts, the model, the mode, sessions and Stop", async () => {
    const files = { "keys.json": JSON.stringify({ steps }), "keys.txt": "text\n" };
    const { page, panel, errors } = await sharedWorkbench(files);
    const composer = panel.getByRole("textbox", { name: "Message" });
    const focused = panel.locator(":focus");
    const inEditor = async (): Promise<void> => {
      await page.locator(".monaco-editor .view-line", { hasText: "text" }).click();
      await page.locator(".monaco-editor.focused").waitFor();
    };
    await composer.fill("#script keys.json");
    await composer.press("Enter");
    const question = panel.locator("parley-question");
    const allow = question.getByRole("button", { name: /^Allow/ }).first();
    await allow.waitFor();
    await openFile(page, "keys.txt");

    await inEditor();
    await page.keyboard.press("Alt+Shift+P");
    await composer.and(focused).waitFor();

    await inEditor();
    await page.keyboard.press("Alt+Shift+Q");
    await question.locator(":focus").first().waitFor();

    await inEditor();
    await page.keyboard.press("Alt+Shift+K");
    const prompt = panel.getByRole("log", { name: "Conversation" }).locator("parley-message[data-kind=user]");
    await prompt.and(focused).waitFor();
    await screenshot(page, "keys-prompt");
    await page.keyboard.press("Alt+Shift+J");
    await composer.and(focused).waitFor();

    await inEditor();
    await page.keyboard.press("Alt+Shift+E");
    const models = page.locator(".quick-input-widget", { hasText: "Model" });
    await models.locator(".monaco-list-row", { hasText: "small" }).waitFor();
    await screenshot(page, "keys-model");
    await page.keyboard.press("Escape");
    await models.waitFor({ state: "hidden" });

    const mode = panel.getByRole("combobox", { name: "Mode", exact: true });
    // The key selects the next mode, and after the last one the first. The agent adds a mode that is skipped.
    for (const value of ["read", "ask"]) {
      await inEditor();
      await page.keyboard.press("Alt+Shift+M");
      await until(async () => (await mode.inputValue()) === value);
    }

    await inEditor();
    await page.keyboard.press("Alt+Shift+N");
    await panel.getByRole("group", { name: "Example prompts" }).waitFor();
    await allow.waitFor({ state: "hidden" });
    await screenshot(page, "keys-new-session");

    await inEditor();
    await page.keyboard.press("Alt+Shift+W");
    await allow.waitFor();

    await inEditor();
    await page.keyboard.press("Alt+Shift+S");
    await panel.getByRole("log", { name: "Conversation" }).getByText("Stopped", { exact: true }).waitFor();
    assert.deepEqual(errors, []);
  });

  it("are in a walkthrough, each with its text", async () => {
    const { page, errors } = await sharedWorkbench({});
    await runCommand(page, "Welcome: Open Walkthrough...");
    await page.locator(".quick-input-widget input").fill("Get Started with Parley");
    await chooseRow(page.locator(".quick-input-list .label-name", { hasText: "Get Started with Parley" }).first());
    const walkthrough = page.locator(".gettingStartedContainer");
    for (const step of ["Choose an agent", "Sign in", "Send your first prompt", "Review a change"]) {
      const title = walkthrough.locator(".getting-started-step", { hasText: step });
      await title.first().waitFor();
    }
    await screenshot(page, "walkthrough");
    assert.deepEqual(errors, []);
  });
});
