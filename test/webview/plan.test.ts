// The plan above the message box: while the agent works on it, and after it is finished.
import assert from "node:assert/strict";
import type { ViewHead } from "../../src/panel/protocol.ts";
import { openPanel, usePanel, type PanelPage } from "./panelPage.ts";
import { busyHead, snapshot, view } from "./scenes.ts";

const plans = (first: string, second: string): ViewHead["plans"] => [
  {
    id: "plan",
    entries: [
      { content: "Find the bug", status: first, priority: "medium" },
      { content: "Fix it", status: second, priority: "medium" },
    ],
  },
];
const working = { activity: busyHead.activity, plans: plans("completed", "in_progress") } as Partial<ViewHead>;
const allDone = plans("completed", "completed");
const idle = { activity: { state: "idle" } } as Partial<ViewHead>;

describe("the plan above the message box", () => {
  usePanel();

  const show = (panel: PanelPage, head: Partial<ViewHead>): Promise<void> =>
    panel.patch({ op: "head", head: head as never });
  const isOpen = (panel: PanelPage): Promise<string | null> =>
    panel.page.getByRole("region", { name: "Plan" }).getByRole("button").first().getAttribute("aria-expanded");

  it("folds when its turn ends and all of its steps are done, and can be opened again", async () => {
    const panel = await openPanel([snapshot(view([], working))], { width: 280 });
    const plan = panel.page.getByRole("region", { name: "Plan" });
    await plan.getByRole("button", { name: "1/2 · Fix it" }).click();
    await show(panel, { plans: allDone });
    assert.equal(await isOpen(panel), "true", "it stays open until the turn ends");
    assert.equal(await plan.getByRole("button", { name: "Close Plan" }).count(), 0);
    await show(panel, idle);
    await plan.getByRole("button", { name: "Close Plan" }).waitFor();
    assert.equal(await isOpen(panel), "false");
    await panel.page.screenshot({ path: "out/screenshots/plan-finished.png" });
    await plan.getByRole("button", { name: "2/2 · Plan finished" }).click();
    assert.equal(await isOpen(panel), "true");
    await panel.assertClean();
  });

  it("is opened as a document by its button", async () => {
    const panel = await openPanel([snapshot(view([], working))], { width: 280 });
    const plan = panel.page.getByRole("region", { name: "Plan" });
    await plan.getByRole("button", { name: "Open Plan" }).click();
    assert.deepEqual(
      (await panel.intents()).filter(({ type }) => type === "openPlan"),
      [{ type: "openPlan", plan: "plan" }],
    );
    await panel.assertClean();
  });

  it("is closed by keyboard when it is finished, gives the focus to the message box, and is there for the next plan", async () => {
    const panel = await openPanel([snapshot(view([], { ...working, ...idle, plans: allDone }))]);
    const plan = panel.page.getByRole("region", { name: "Plan" });
    await plan.getByRole("button", { name: "Close Plan" }).focus();
    await panel.page.keyboard.press("Enter");
    await plan.waitFor({ state: "detached" });
    await panel.composer.and(panel.page.locator(":focus")).waitFor();
    await show(panel, { title: "Another title" });
    assert.equal(await plan.count(), 0);
    await show(panel, working);
    await plan.getByRole("button", { name: "1/2 · Fix it" }).waitFor();
    await show(panel, { plans: allDone, ...idle });
    await plan.getByRole("button", { name: "Close Plan" }).waitFor();
    await panel.assertClean();
  });

  it("stays open and cannot be closed if the turn ends before all of its steps are done", async () => {
    const panel = await openPanel([snapshot(view([], working))]);
    const plan = panel.page.getByRole("region", { name: "Plan" });
    await plan.getByRole("button", { name: "1/2 · Fix it" }).click();
    await show(panel, idle);
    await panel.page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
    assert.equal(await isOpen(panel), "true");
    assert.equal(await plan.getByRole("button", { name: "Close Plan" }).count(), 0);
  });
});
