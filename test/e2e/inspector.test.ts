// The protocol inspector in the real VS Code: messages that came over ACP, by mouse and keyboard, the way from a failure in
// the chat to its message, and an export that can be replayed.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { paintedSessions } from "../support/fakes/painted.ts";
import { until } from "../support/fakes/until.ts";
import { runCommand, screenshot, sharedWorkbench } from "./harness.ts";
import { chatView, tabPage } from "./pages.ts";

describe("the protocol inspector in a real VS Code", () => {
  it("follows the messages, opens at a failure, leads from request to answer, and exports what can be replayed", async () => {
    const { page, folder, errors } = await sharedWorkbench({
      "good.json": JSON.stringify([{ chunk: "All is well." }]),
      "bad.json": JSON.stringify([
        { chunk: "First words." },
        { error: { code: -32603, message: "The model is tired." } },
      ]),
    });
    const panel = chatView(page);
    const log = panel.getByRole("log", { name: "Conversation" });
    const send = async (name: string): Promise<void> => {
      const composer = panel.getByRole("textbox", { name: "Message" });
      await composer.fill(`#script ${name}.json`);
      await composer.press("Enter");
    };
    // A connection without the sessions of other tests, which ask what a replay cannot answer.
    await runCommand(page, "Parley: Restart Agent");
    await runCommand(page, "Parley: Show Protocol Inspector");
    const inspector = tabPage(page);
    const messages = inspector.getByRole("listbox", { name: "Messages" });
    await messages
      .getByRole("option", { name: /^To agent, session\/new/ })
      .last()
      .waitFor();
    await send("good");
    await log.getByText("All is well.").waitFor();
    // The list follows the newest message.
    await messages
      .getByRole("option", { name: /^From agent, Answer to session\/prompt, ID/ })
      .last()
      .waitFor();
    await screenshot(page, "inspector-live");

    await send("bad");
    await log
      .getByText(/The model is tired/)
      .first()
      .waitFor();
    await runCommand(page, "View: Close All Editors");
    await log.getByRole("button", { name: "Show in Inspector" }).click();
    const selected = messages.locator('[aria-selected="true"]');
    await selected.getByText(/^From agent, Answer to session\/prompt, Error/).waitFor();
    const tree = inspector.getByRole("tree", { name: "Content of the message" });
    await tree.getByText('"The model is tired."').waitFor();
    await screenshot(page, "inspector-failure");
    await inspector.getByRole("button", { name: "Go to Request" }).click();
    await tree.getByText('"#script bad.json"').waitFor();

    await messages.focus();
    await page.keyboard.press("Home");
    await selected.getByText(/^To agent, initialize, ID/).waitFor();
    await page.keyboard.press("Enter");
    await inspector.locator('[role="treeitem"]:focus').waitFor();
    await page.keyboard.press("End");
    await inspector.locator('[role="treeitem"]:focus').and(inspector.getByRole("treeitem").last()).waitFor();
    await inspector.getByRole("textbox", { name: "Text in messages" }).fill("All is well.");
    await inspector
      .getByRole("status")
      .filter({ hasText: /\b1 of \d+ messages/ })
      .waitFor();
    await screenshot(page, "inspector-filter");

    await inspector.getByRole("button", { name: "Export…" }).click();
    const file = join(folder, "exported.ndjson");
    const input = page.locator(".quick-input-widget input.input").first();
    await until(async () => (await input.inputValue().catch(() => "")).endsWith(".ndjson"));
    await input.fill(file);
    await input.press("Enter");
    await until(() => existsSync(file));
    await page.getByText("The transcript was saved.").first().waitFor();
    const shown = JSON.stringify((await paintedSessions(file)).map(({ view }) => view.entries));
    for (const words of ["#script good.json", "All is well.", "First words.", "The model is tired."])
      assert.ok(shown.includes(words), words);
    assert.deepEqual(errors, []);
  });
});
