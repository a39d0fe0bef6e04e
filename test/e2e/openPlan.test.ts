// The plan of the agent as a document in the workbench: opened in the chat, current, and there after a reload.
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { reloadWindow, runCommand, screenshot, sharedWorkbench } from "./harness.ts";
import { whenStored } from "./whenStored.ts";
import { typeComment } from "./keyboard.ts";

const plan = (...statuses: readonly string[]): unknown => ({
  update: {
    sessionUpdate: "plan",
    entries: statuses.map((status, at) => ({ content: `Step ${at + 1}`, status, priority: "medium" })),
  },
});

describe("the plan of an agent in a real VS Code", () => {
  it("opens as a document that stays current, also after a reload", async () => {
    const { page, panel, errors } = await sharedWorkbench({
      "first.json": JSON.stringify([plan("completed", "in_progress"), { chunk: "Planned." }]),
      "answer.json": JSON.stringify([{ chunk: "This comes last." }]),
      "second.json": JSON.stringify([plan("completed", "completed", "pending"), { chunk: "Planned again." }]),
    });
    const line = (window: Page, text: string): Locator => window.locator(".view-line", { hasText: text });
    const send = async (chat: typeof panel, name: string, answer: string): Promise<void> => {
      const composer = chat.getByRole("textbox", { name: "Message" });
      await composer.fill(`#script ${name}.json`);
      await composer.press("Enter");
      await chat.getByRole("log", { name: "Conversation" }).getByText(answer, { exact: true }).waitFor();
      await chat.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    };
    await send(panel, "first", "Planned.");
    await panel.getByRole("button", { name: "Open Plan" }).click();
    await page.locator(".tab.active", { hasText: "Plan.md" }).waitFor();
    await line(page, "- [x] Step 1").waitFor();
    await line(page, "- [ ] Step 2 _(in progress)_").waitFor();
    await send(panel, "second", "Planned again.");
    await line(page, "- [ ] Step 3").waitFor();
    await screenshot(page, "open-plan");

    // A comment on a step goes to the session of the plan.
    await line(page, "- [ ] Step 3").click();
    await typeComment(page, "#script answer.json");
    await page.keyboard.press("Control+Enter");
    await page.locator(".review-widget .comment-body", { hasText: "This comes last." }).waitFor();
    await panel.getByText("your plan, line 5:").first().waitFor();
    await screenshot(page, "open-plan-comment");
    // A reload reports errors of VS Code itself.
    assert.deepEqual(errors, []);

    await whenStored(page, "parley-plan");
    await reloadWindow(page);
    await page.locator(".tab.active", { hasText: "Plan.md" }).waitFor();
    await line(page, "- [ ] Step 3").waitFor();
    await runCommand(page, "View: Close All Editors");
    await runCommand(page, "Parley: Open Plan");
    await line(page, "- [x] Step 2").waitFor();
    await runCommand(page, "View: Close All Editors");
  });

  it("gets comments instead of the approval that the agent waits for, and the agent goes on planning", async () => {
    const content = [{ type: "content", content: { type: "text", text: "# The way\n\n1. Write it\n2. Test it" } }];
    const call = { toolCallId: "approve", title: "Approve Plan", kind: "switch_mode", status: "pending", content };
    const { page, panel, errors } = await sharedWorkbench({
      "approve.json": JSON.stringify([
        { update: { sessionUpdate: "tool_call", ...call } },
        { permission: { toolCall: { toolCallId: "approve" } }, as: "answer" },
        { echo: "answer" },
      ]),
      "answer.json": JSON.stringify([{ chunk: "Tests come first now." }]),
    });
    await panel.getByRole("textbox", { name: "Message" }).fill("#script approve.json");
    await panel.getByRole("textbox", { name: "Message" }).press("Enter");
    const card = panel.getByRole("group", { name: "Approve Plan" }).first();
    const comment = card.getByRole("button", { name: "Comment…" });
    await comment.waitFor();
    await screenshot(page, "plan-approval");
    await comment.click();
    await page.locator(".tab.active", { hasText: "Plan.md" }).waitFor();
    await page.locator(".view-line", { hasText: "2. Test it" }).click();
    await typeComment(page, "#script answer.json");
    await screenshot(page, "plan-approval-comment");
    await page.keyboard.press("Control+Enter");
    await page.locator(".review-widget .comment-body", { hasText: "Tests come first now." }).waitFor();
    await panel
      .getByText(/"optionId":\s*"reject/)
      .first()
      .waitFor();
    await panel.getByText("your plan, line 4:").first().waitFor();
    await comment.waitFor({ state: "hidden" });
    await screenshot(page, "plan-approval-answered");
    assert.deepEqual(errors, []);
  });
});
