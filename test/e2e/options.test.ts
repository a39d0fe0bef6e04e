// The options of an agent in the real VS Code: what the user chose stays in force when the window is reloaded or the
// agent is restarted.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FrameLocator, Locator } from "playwright-core";
import { chooseAgent, withAgents } from "./agents.ts";
import { openChat, reloadWindow, runCommand } from "./harness.ts";
import { scene } from "./scene.ts";

const composer = (panel: FrameLocator): Locator => panel.getByRole("textbox", { name: "Message" });
const conversation = (panel: FrameLocator): Locator => panel.getByRole("log", { name: "Conversation" });
const mode = (panel: FrameLocator): Locator => panel.getByRole("combobox", { name: "Mode", exact: true });

async function send(panel: FrameLocator, text: string): Promise<void> {
  await composer(panel).fill(text);
  await composer(panel).press("Enter");
}

describe("the options that the user chose", () => {
  it("are in force after a reload: the agent asks, although it starts in the mode that edits freely", async () => {
    const { page, panel, folder, errors } = await withAgents();
    await chooseAgent(panel, "hasty");
    const warned = panel.getByRole("combobox", { name: "Mode", description: "Approves everything" });
    await warned.waitFor();
    assert.equal(await warned.inputValue(), "free");
    await scene(page, "mode-approves-everything");
    await mode(panel).selectOption("Read-only");
    await warned.waitFor({ state: "detached" });
    assert.deepEqual(errors, []);

    await reloadWindow(page);
    const restored = await openChat(page);
    await mode(restored).waitFor();
    assert.equal(await mode(restored).inputValue(), "read");
    // The agent is not connected. The change waits for it.
    const thoughts = restored.getByRole("checkbox", { name: "Show thoughts" });
    await thoughts.uncheck();
    await restored.getByRole("checkbox", { name: "Show thoughts", description: /Pending/ }).waitFor();
    assert.equal(await thoughts.isChecked(), false);
    const before = readFileSync(join(folder, "src/sum.js"), "utf8");
    await send(restored, "fix the bug in sum.js");
    // The first request is for running the tests, the second for the edit. Card and question have the same name.
    await restored
      .getByRole("group", { name: /^Run / })
      .getByRole("button", { name: /^Allow/ })
      .first()
      .click();
    await restored
      .getByRole("group", { name: "Edit src/sum.js" })
      .getByRole("button", { name: /^Allow/ })
      .first()
      .waitFor();
    assert.equal(readFileSync(join(folder, "src/sum.js"), "utf8"), before);
    assert.equal(await mode(restored).inputValue(), "read");
    assert.deepEqual(
      [
        await thoughts.isChecked(),
        await conversation(restored)
          .getByText(/^Thought/)
          .count(),
      ],
      [false, 0],
    );
    await composer(restored).press("Escape");
  });

  it("hold the message back if the agent no longer offers one, until the user decides", async () => {
    const { page, panel } = await withAgents();
    await chooseAgent(panel, "forgets-mode");
    await mode(panel).selectOption("Careful");
    await send(panel, "hello");
    await conversation(panel).getByText("You said: hello").waitFor();
    await runCommand(page, "Parley: Restart Agent");
    const note = panel.getByRole("alert").filter({ hasText: "Bad Agent no longer offers Mode: Careful" });
    await note.waitFor();
    await send(panel, "hold this");
    await note.getByText("Your message was not sent.").waitFor();
    await scene(page, "choice-refused");
    await note.getByRole("button", { name: "Choose…" }).click();
    await mode(panel).and(panel.locator(":focus")).waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await conversation(panel).getByText("You said: hold this").count(), 0);
    await note.getByRole("button", { name: "Send Anyway" }).click();
    await conversation(panel).getByText("You said: hold this").waitFor();
    await note.waitFor({ state: "detached" });
  });
});
