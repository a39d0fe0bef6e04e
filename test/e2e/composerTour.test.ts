// What surrounds the message box in the real VS Code, in one turn: a long paste becomes a chip with a preview, a queued
// prompt is held, the plan is closed when it is finished, the turn has a line and the context a ring, and after a reload the
// agent starts with the next message. test/webview and test/joined have the cases of each.
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { chat, reloadWindow, screenshot, sharedWorkbench } from "./harness.ts";
import { whenStored } from "./whenStored.ts";

const plan = (status: "in_progress" | "completed"): object => ({
  update: {
    sessionUpdate: "plan",
    entries: [
      { content: "Read the notes", priority: "high", status: "completed" },
      { content: "Sum them up", priority: "medium", status },
    ],
  },
});
const steps = [
  plan("in_progress"),
  { update: { sessionUpdate: "usage_update", used: 50_000, size: 200_000 } },
  { permission: { toolCall: { toolCallId: "sum", title: "Sum up", kind: "other", status: "pending" } } },
  plan("completed"),
  { chunk: "All summed up." },
];
const pasted = Array.from({ length: 60 }, (_, at) => `pasted line ${at + 1}`).join("\n");

describe("around the message box in a real VS Code", () => {
  it("a paste is a chip with a preview, a prompt is held, a plan is closed, and the turn has its line and ring", async () => {
    const { page, panel, errors } = await sharedWorkbench({
      "notes.json": JSON.stringify({ steps }),
      "next.json": JSON.stringify([{ chunk: "The held one." }]),
    });
    const composer = panel.getByRole("textbox", { name: "Message" });
    const log = panel.getByRole("log", { name: "Conversation" });
    const button = (name: string | RegExp): Locator => panel.getByRole("button", { name });
    const { keyboard } = page;

    await composer.fill("#script notes.json");
    await composer.evaluate(paste, pasted);
    const chip = panel.locator(".chip", { hasText: "Pasted text (60 lines)" });
    await chip.waitFor();
    await chip.hover();
    await panel.getByText("pasted line 12").first().waitFor();
    await screenshot(page, "paste-preview");
    await composer.focus();
    await keyboard.press("Enter");
    await panel.getByRole("group", { name: /Sum up/ }).waitFor();

    // A prompt on hold is not sent when the turn ends.
    await composer.fill("#script next.json");
    await keyboard.press("Enter");
    const queue = panel.getByRole("list", { name: "Queued messages" });
    await queue.getByText("#script next.json").hover();
    await button("Hold: #script next.json").click();
    await queue.getByText("On hold").waitFor();
    await panel.getByRole("img", { name: /^Context: 50,000 of 200,000 tokens used \(25%\)/ }).waitFor();
    await screenshot(page, "held-prompt");
    await panel
      .getByRole("group", { name: /Sum up/ })
      .getByRole("button", { name: /^Allow/ })
      .first()
      .click();
    await log.getByText("All summed up.").waitFor();
    await log.getByRole("note", { name: "Finished turn" }).waitFor();
    await button("Stop").waitFor({ state: "hidden" });
    assert.equal(await log.getByText("The held one.").count(), 0);

    const region = panel.getByRole("region", { name: "Plan" });
    await region.getByRole("button", { name: "2/2 · Plan finished" }).waitFor();
    await screenshot(page, "plan-to-close");
    await region.getByRole("button", { name: "Close Plan" }).click();
    await region.waitFor({ state: "detached" });

    await button("Release: #script next.json").click();
    await log.getByText("The held one.").waitFor();
    await log.getByRole("note", { name: "Finished turn" }).nth(1).waitFor();
    assert.deepEqual(errors, []);

    await whenStored(page, "closedPlan:");
    await reloadWindow(page);
    await chat(page).getByText("Demo Agent starts with your next message.").waitFor();
    await chat(page).getByRole("log", { name: "Conversation" }).getByText("The held one.").waitFor();
    assert.equal(await chat(page).getByRole("region", { name: "Plan" }).count(), 0, "the plan stays closed");
    await screenshot(page, "around-the-message-box");
  });
});

/** Runs in the page. Simulates the browser's paste of a text. */
function paste(box: Element, text: string): void {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  box.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}
