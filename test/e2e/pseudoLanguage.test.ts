// Parley in another language, in a real VS Code: each text comes from the bundle of the language, those of the extension
// host and those of the panel.
import { readFileSync } from "node:fs";
import { inProject } from "../../scripts/tools/project.mjs";
import { canTranslate, openChat, openWorkbench, runCommand, screenshot } from "./harness.ts";

const texts = Object.keys(JSON.parse(readFileSync(inProject("l10n", "bundle.l10n.json"), "utf8")) as object);

describe("Parley in another language", () => {
  it("shows its texts in this language in the panel and in lists", async function () {
    if (!canTranslate) return this.skip();
    const translations = Object.fromEntries(texts.map(text => [text, `⟦${text}⟧`]));
    const { page } = await openWorkbench({ translations });
    const panel = await openChat(page);
    await panel.getByText("⟦Choose an agent⟧").waitFor();
    await screenshot(page, "pseudo-language");
    await panel.getByRole("textbox", { name: "⟦Message⟧", exact: true }).fill("hello");
    await panel.getByRole("button", { name: "⟦Send⟧", exact: true }).click();
    await panel.getByRole("heading", { name: "⟦You: hello⟧" }).waitFor();
    await panel.getByRole("button", { name: "⟦Stop⟧" }).waitFor({ state: "hidden" });
    await runCommand(page, "Parley: Restore Checkpoint…");
    const list = page.locator(".quick-input-widget");
    await list.getByText("⟦Restore Checkpoint⟧").waitFor();
    await list.getByPlaceholder("⟦Choose the message to restore to⟧").waitFor();
    // VS Code shows a list before it has its rows.
    await list.locator(".monaco-list-row.focused").waitFor();
    await page.keyboard.press("Enter");
    await list.getByPlaceholder("⟦No known file will change.⟧").waitFor();
    await page.keyboard.press("Escape");
  });
});
