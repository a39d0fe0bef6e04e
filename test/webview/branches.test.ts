// The buttons that continue a conversation from a message, the editor of a sent message, and the switch between branches.
import assert from "node:assert/strict";
import { openPanel, usePanel, type Options, type PanelPage } from "./panelPage.ts";
import { message, snapshot, view } from "./scenes.ts";

const image = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" } as const;
const prompt = message("u1", "user", "Add a test");
const second = {
  ...prompt,
  id: "u2",
  parts: [...prompt.parts, image],
  branch: { at: 2, of: 3, previous: "s1", next: "s3" },
};

describe("a message that the conversation can continue from", () => {
  usePanel();
  const open = (options: Options = {}): Promise<PanelPage> =>
    openPanel(
      [snapshot(view([prompt, message("m1", "agent", "Done."), second, message("m2", "agent", "Again.")]))],
      options,
    );

  it("is sent again, and branched from, with its menu by keyboard", async () => {
    const panel = await open();
    const menu = panel.log.locator("parley-message").nth(2).getByRole("button", { name: "Message Actions" });
    for (const name of ["Retry", "Branch from Here"]) {
      await menu.focus();
      await panel.page.keyboard.press("Enter");
      await panel.log.getByRole("menuitem", { name }).focus();
      await panel.page.keyboard.press("Enter");
    }
    assert.deepEqual(await panel.intents(), [
      { type: "retryPrompt", entry: "u2" },
      { type: "branchFrom", entry: "u2" },
    ]);
  });

  it("is edited in its bubble by keyboard, keeps its image, and Escape leaves it", async () => {
    const panel = await open();
    const shown = panel.log.locator("parley-message").nth(2);
    const edit = shown.getByRole("button", { name: "Edit Prompt" });
    await edit.focus();
    await panel.page.keyboard.press("Enter");
    const box = shown.getByRole("textbox", { name: "Edit Prompt" });
    assert.equal(await box.inputValue(), "Add a test");
    assert.equal(await shown.locator("img").count(), 1);
    await panel.page.keyboard.press("Escape");
    await box.waitFor({ state: "detached" });
    assert.equal(await edit.evaluate(button => button === document.activeElement), true);
    await panel.page.keyboard.press("Enter");
    await panel.page.keyboard.type(" of dates");
    await panel.page.keyboard.press("Enter");
    assert.deepEqual(await panel.intents(), [{ type: "editPrompt", entry: "u2", text: "Add a test of dates" }]);
    assert.equal(await panel.composer.inputValue(), "");
  });

  it("switches between the branches that part there", async () => {
    const panel = await open();
    await panel.log.getByText("2 of 3").waitFor();
    await panel.log.getByRole("button", { name: "Previous Branch" }).click();
    await panel.log.getByRole("button", { name: "Next Branch" }).focus();
    await panel.page.keyboard.press("Enter");
    assert.deepEqual(await panel.intents(), [
      { type: "showBranch", id: "s1" },
      { type: "showBranch", id: "s3" },
    ]);
  });

  for (const width of [280, 480])
    for (const theme of ["dark", "light"] as const)
      it(`has room for its editor at ${width} pixels (${theme})`, async () => {
        const panel = await open({ width, theme, height: 600 });
        await panel.log.locator("parley-message").first().getByRole("button", { name: "Edit Prompt" }).click();
        await panel.log.locator("parley-message").nth(2).hover();
        await panel.page.screenshot({ path: `out/screenshots/branches-${width}-${theme}.png` });
        await panel.assertClean();
      });
});
