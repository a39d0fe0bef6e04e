// A tool of the editor that changes files, with an agent that calls it over HTTP, in the real VS Code: the question by mouse
// and by keyboard, the review, and Undo.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../support/fakes/until.ts";
import { chooseAgent } from "./agents.ts";
import { openFile, pictureThemes, runCommand, screenshot, sharedWorkbench } from "./harness.ts";
import { focused, focusIs } from "./keyboard.ts";
import { mcpAgent } from "./mcpCommands.ts";
import { resizeChat } from "./resizeChat.ts";

const names = "export function greet(name: string): string {\n  return `Hello, ${name}.`;\n}\n";
const uses = 'import { greet } from "./names";\n\nconsole.log(greet("Ada"));\n';

for (const [theme, colors] of pictureThemes) {
  describe(`the tools of the editor that act, ${theme} theme`, () => {
    it("rename a symbol in two files after a question by mouse, refuse it by keyboard, and the review undoes it", async () => {
      const { page, panel, folder, errors } = await sharedWorkbench(
        {
          "src/names.ts": names,
          "src/uses.ts": uses,
          "tsconfig.json": JSON.stringify({ compilerOptions: { strict: true } }),
        },
        {
          "parley.editorTools": "all",
          "parley.agents": { mcp: mcpAgent(["http"]) },
          "workbench.colorTheme": colors,
        },
      );
      const text = (name: string): string => readFileSync(join(folder, "src", name), "utf8");
      const log = panel.getByRole("log", { name: "Conversation" });
      const composer = panel.getByRole("textbox", { name: "Message" });
      const call = async (symbol: string, newName: string): Promise<void> => {
        const given = { path: join(folder, "src", "names.ts"), line: 1, symbol, newName };
        await composer.fill(`tool rename_symbol ${JSON.stringify(given)}`);
        await composer.press("Enter");
      };
      await chooseAgent(panel, "mcp");
      await openFile(page, "names.ts");
      // The language server knows only some files until it has loaded the project.
      const place = { kind: "references", path: join(folder, "src", "names.ts"), line: 1, symbol: "greet" };
      const answers = log.getByText("The tool find_code answered:");
      while ((await log.getByText(/uses\.ts:3:\d+/).count()) === 0) {
        const before = await answers.count();
        await composer.fill(`tool find_code ${JSON.stringify(place)}`);
        await composer.press("Enter");
        await answers.nth(before).waitFor();
        await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
      }

      await call("greet", "welcome");
      const question = panel.getByRole("group", { name: "Rename “greet” to “welcome”", exact: true });
      await question.waitFor();
      for (const name of ["names.ts", "uses.ts"]) await question.getByText(name).first().waitFor();
      assert.deepEqual([text("names.ts"), text("uses.ts")], [names, uses]);
      if (process.env["PARLEY_PICTURES"]) {
        for (const width of [280, 480]) {
          await resizeChat(page, width);
          await screenshot(page, `acting-tools-${theme}-${width}`);
        }
      }
      await question.getByRole("button", { name: /^Allow Once/ }).click();
      await log.getByText("Changed 2 files:").waitFor();
      assert.deepEqual(
        [text("names.ts"), text("uses.ts")],
        [names, uses].map(one => one.replaceAll("greet", "welcome")),
      );
      const bar = panel.getByRole("region", { name: "Changes" });
      await bar.getByRole("button", { name: /^2 files/ }).waitFor();
      await screenshot(page, `acting-tools-${theme}-done`);

      // By keyboard, the user refuses the next one.
      await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
      await call("welcome", "hail");
      const next = panel.getByRole("group", { name: "Rename “welcome” to “hail”", exact: true });
      await next.waitFor();
      await page.keyboard.press("Alt+Shift+Q");
      await focusIs(page, /^button "Allow/);
      await until(async () => {
        if ((await next.count()) === 0) return true;
        if (/^button "Allow/.test(await focused(page).catch(() => ""))) await page.keyboard.press("ArrowRight");
        if (/^button "Refuse/.test(await focused(page).catch(() => ""))) await page.keyboard.press("Enter");
        return (await next.count()) === 0;
      });
      await log.getByText("did not allow this: Rename “welcome” to “hail”").waitFor();
      await screenshot(page, `acting-tools-${theme}-refused`);
      assert.match(text("uses.ts"), /welcome/);

      // The changes of the first call wait for review in the editor, and Undo takes them back.
      await page.locator(".codelens-decoration a", { hasText: "Undo" }).first().waitFor();
      await runCommand(page, "Parley: Undo All Changes");
      await until(() => text("names.ts") === names && text("uses.ts") === uses);
      await bar.waitFor({ state: "hidden" });

      // A file that is renamed waits for review, too.
      await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
      const [path, newPath] = ["uses.ts", "usage.ts"].map(name => join(folder, "src", name));
      await composer.fill(`tool rename_file ${JSON.stringify({ path, newPath })}`);
      await composer.press("Enter");
      const move = panel.getByRole("group", { name: "Rename uses.ts to usage.ts", exact: true });
      await move.getByText("usage.ts").first().waitFor();
      await screenshot(page, `acting-tools-${theme}-move`);
      await move.getByRole("button", { name: /^Allow Once/ }).click();
      await bar.getByRole("button", { name: /^1 file/ }).waitFor();
      assert.equal(text("usage.ts"), uses);
      await bar.getByRole("button", { name: "Undo All" }).click();
      await until(() => existsSync(join(folder, "src", "uses.ts")) && !existsSync(join(folder, "src", "usage.ts")));
      assert.deepEqual(errors, []);
    });
  });
}
