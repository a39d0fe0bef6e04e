// The API for other extensions in the real VS Code: the sample extension asks for the consent, opens a session with the demo agent,
// and shows the answer. And links that fill the message box.
import assert from "node:assert/strict";
import { inProject } from "../../scripts/tools/project.mjs";
import {
  openChat,
  openFile,
  openWorkbench,
  pictureThemes,
  runCommand,
  screenshot,
  viewPane,
  expandView,
} from "./harness.ts";

const sample = inProject("examples", "api-sample");

for (const [theme, colors] of pictureThemes) {
  describe(`another extension, ${theme} theme`, () => {
    it("uses an agent after the user has allowed it, and not after the user has withdrawn that", async () => {
      const { page, errors } = await openWorkbench({
        extensions: [sample],
        settings: { "workbench.colorTheme": colors },
      });
      await openFile(page, "sum.js");
      await runCommand(page, "API Sample: Explain This File");
      const dialog = page
        .getByRole("dialog")
        .filter({ hasText: "Allow the extension “API Sample” to use your agents?" });
      await dialog.waitFor();
      await dialog.getByText("Extension: parley-samples.api-sample").waitFor();
      await screenshot(page, `api-${theme}-consent`);
      await dialog.getByRole("button", { name: "Allow", exact: true }).click();

      // The answer is in an editor of its own, and the session in the list.
      await page.locator(".tab", { hasText: "Untitled-1" }).waitFor();
      await page.locator(".editor-instance", { hasText: "sum" }).first().waitFor();
      await openChat(page);
      await expandView(page, "Sessions");
      await viewPane(page, "Sessions").getByText("Explain src/sum.js").first().waitFor();
      await screenshot(page, `api-${theme}-answer`);

      assert.deepEqual(errors, []);
    });
  });
}
