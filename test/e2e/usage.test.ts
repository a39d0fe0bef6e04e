// The page of usage, opened by keyboard after a turn of an agent that reports what it used.
import assert from "node:assert/strict";
import { until } from "../support/fakes/until.ts";
import { runCommand, screenshot, sharedWorkbench } from "./harness.ts";
import { chatView, tabPage } from "./pages.ts";

const turn = (amount: number): string =>
  JSON.stringify([
    { update: { sessionUpdate: "usage_update", used: 1200, size: 200_000, cost: { amount, currency: "USD" } } },
    { chunk: "Counted." },
  ]);

describe("the usage in a real VS Code", () => {
  it("has the costs that the agent reports, changes while the page is open, and has periods by keyboard", async () => {
    const { page, errors } = await sharedWorkbench({ "first.json": turn(0.25), "second.json": turn(0.75) });
    const panel = chatView(page);
    const composer = panel.getByRole("textbox", { name: "Message" });
    const send = async (name: string, answers: number): Promise<void> => {
      await composer.fill(`#script ${name}.json`);
      await composer.press("Enter");
      await panel
        .getByRole("log", { name: "Conversation" })
        .getByText("Counted.")
        .nth(answers - 1)
        .waitFor();
      await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    };
    await send("first", 1);
    await runCommand(page, "Parley: Show Usage");
    const usage = tabPage(page);
    const byAgent = usage.getByRole("region", { name: "By agent" });
    await byAgent.getByRole("row", { name: /Demo Agent 1 .*\$0\.25/ }).waitFor();
    await send("second", 2);
    await byAgent.getByRole("row", { name: /Demo Agent 2 .*\$0\.75/ }).waitFor();
    await screenshot(page, "usage");

    const period = usage.getByRole("combobox", { name: "Period" });
    await runCommand(page, "Parley: Show Usage");
    await until(async () => {
      if (await period.evaluate(element => element === document.activeElement)) return true;
      await page.keyboard.press("Tab");
      return false;
    });
    const before = await period.inputValue();
    await page.keyboard.press("Home");
    await until(async () => (await period.inputValue()) === "today");
    assert.notEqual(before, "today");
    await byAgent.getByRole("row", { name: /Demo Agent 2 .*\$0\.75/ }).waitFor();
    await page.keyboard.press("Control+F4");
    assert.deepEqual(errors, []);
  });
});
