// Parley in German, in a real VS Code with a stand-in for its language pack: the manifest, the texts of the extension host
// and those of the panel.
import assert from "node:assert/strict";
import { readTranslation } from "../../scripts/tools/translations.mjs";
import { fillPlaceholders } from "../../src/base/l10n.ts";
import { canTranslate, chat, chooseRow, openWorkbench, runCommand, screenshot } from "./harness.ts";
import { canHaveLanguagePack, missingGallery } from "./languagePack.ts";

const { bundle, manifest } = readTranslation("de");
const t = (text: string, ...args: readonly string[]): string => fillPlaceholders(bundle[text] ?? "", args);
const openWalkthrough = "Exemplarische Vorgehensweise öffnen...";

const runNode = {
  steps: [
    {
      request: {
        method: "terminal/create",
        params: { sessionId: "$session", command: process.execPath, args: ["--version"] },
      },
      as: "terminal",
    },
    {
      request: {
        method: "terminal/wait_for_exit",
        params: { sessionId: "$session", terminalId: "$terminal.terminalId" },
      },
    },
  ],
};

describe("Parley in German", () => {
  it("is German in the panel, a permission request, the Command Palette, the settings and the walkthrough", async function () {
    if (!canTranslate || !canHaveLanguagePack) return this.skip();
    const { page, errors } = await openWorkbench({
      files: { "run.json": JSON.stringify(runNode) },
      languagePack: {
        language: "de",
        texts: {
          "vs/workbench/contrib/welcomeGettingStarted/browser/gettingStarted.contribution": {
            "welcome.showAllWalkthroughs": openWalkthrough,
          },
        },
      },
    });
    await runCommand(page, `Parley: ${manifest["command.openChat"] ?? ""}`);
    const panel = chat(page);
    await panel.getByText(t("Choose an agent")).waitFor();
    const composer = panel.getByRole("textbox", { name: t("Message"), exact: true });
    await composer.fill("#script run.json");
    await panel.getByRole("button", { name: t("Send"), exact: true }).click();
    await panel.getByRole("heading", { name: t("You: {0}", "#script run.json") }).waitFor();

    const question = panel.getByRole("group", { name: /möchte einen Befehl ausführen in/ });
    await question.getByRole("button", { name: t("Refuse") }).waitFor();
    await question.getByRole("button", { name: t("Create Rule…") }).waitFor();
    await screenshot(page, "german-question");
    await question.getByRole("button", { name: t("Allow Once") }).click();
    await panel.getByRole("button", { name: t("Stop") }).waitFor({ state: "hidden" });

    await runCommand(page, "Preferences: Open Settings (UI)");
    await page.locator(".settings-editor .suggest-input-container .native-edit-context").waitFor({ state: "attached" });
    await page.keyboard.type("parley.sendKey");
    await page
      .locator(".setting-item-description", { hasText: manifest["setting.sendKey"] ?? "" })
      .first()
      .waitFor();
    await screenshot(page, "german-settings");

    await runCommand(page, `Welcome: ${openWalkthrough}`);
    const title = manifest["walkthrough.title"] ?? "";
    await page.locator(".quick-input-widget input").fill(title);
    await chooseRow(page.locator(".quick-input-list .label-name", { hasText: title }).first());
    const step = manifest["walkthrough.reviewChange.title"] ?? "";
    await page.locator(".gettingStartedContainer .getting-started-step", { hasText: step }).first().waitFor();
    await screenshot(page, "german-walkthrough");
    assert.deepEqual(
      errors.filter(error => !missingGallery.test(error)),
      [],
    );
  });
});
