// Draws the panel in every kind of theme and width, for visual inspection: `npm run pictures`.
import { openChat, openWorkbench } from "./harness.ts";
import { scene } from "./scene.ts";

const themes = {
  dark: "Default Dark Modern",
  light: "Default Light Modern",
  "high-contrast": "Default High Contrast",
  "high-contrast-light": "Default High Contrast Light",
};

if (process.env["PARLEY_PICTURES"]) {
  describe("pictures of the panel in the themes of VS Code (README)", () => {
    for (const [name, theme] of Object.entries(themes)) {
      it(theme, async () => {
        const { page } = await openWorkbench({ settings: { "workbench.colorTheme": theme } });
        const panel = await openChat(page);
        const composer = panel.getByRole("textbox", { name: "Message" });
        await composer.fill("plan a refactor");
        await composer.press("Enter");
        await panel.getByRole("heading", { name: "You: plan a refactor" }).waitFor();
        await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
        await scene(page, `plan-${name}`);
        await composer.fill("run the tests");
        await composer.press("Enter");
        await panel.getByRole("group", { name: /^Run / }).waitFor();
        await scene(page, `question-${name}`);
      });
    }
  });
}
