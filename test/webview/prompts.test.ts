// The commands for the previous and the next prompt of the user, as the panel carries them out.
import assert from "node:assert/strict";
import { openPanel, usePanel, type PanelPage } from "./panelPage.ts";
import { message, snapshot, view } from "./scenes.ts";

describe("previous and next prompt", () => {
  usePanel();

  const long = "A line of the answer.\n\n".repeat(60);
  const conversation = view([
    message("u1", "user", "first prompt"),
    message("a1", "agent", long),
    message("u2", "user", "second prompt"),
    message("a2", "agent", long),
  ]);
  const isFocused = (panel: PanelPage, text: string): Promise<unknown> =>
    panel.page.waitForFunction(
      wanted => document.activeElement?.querySelector("h3")?.textContent === `You: ${wanted}`,
      text,
    );

  it("move the focus from the end upwards, and after the last prompt to the message box", async () => {
    const panel = await openPanel([snapshot(conversation)]);
    await panel.composer.focus();
    await panel.post({ type: "focus", target: "previousPrompt" });
    await isFocused(panel, "second prompt");
    await panel.log.getByRole("group", { name: "You: second prompt" }).and(panel.page.locator(":focus")).waitFor();
    await panel.post({ type: "focus", target: "previousPrompt" });
    await isFocused(panel, "first prompt");
    await panel.page.getByText("first prompt", { exact: true }).last().waitFor();
    await panel.post({ type: "focus", target: "nextPrompt" });
    await isFocused(panel, "second prompt");
    await panel.post({ type: "focus", target: "nextPrompt" });
    await panel.page.waitForFunction(() => document.activeElement?.tagName === "TEXTAREA");
    assert.deepEqual(await panel.intents(), []);
    await panel.assertClean();
  });
});
