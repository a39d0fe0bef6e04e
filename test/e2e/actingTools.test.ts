// A tool of the editor that changes files, with an agent that calls it over HTTP, in the real VS Code: the question by mouse
// and by keyboard, the review, and Undo.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { until } from "../support/fakes/until.ts";
import { chooseAgent } from "./agents.ts";
import { openFile, pictureThemes, runCommand, screenshot, sharedWorkbench } from "./harness.ts";
import { focused, focusIs } from "./keyboard.ts";
import { mcpAgent } from "./mcpCommands.ts";
import { resizeChat } from "./resizeChat.ts";

const names = "export function greet(name: string): string {\n  return `Hello, ${name}.`;\n}\n";
const uses = 'import { greet } from "./names";\n\nconsole.log(greet("Ada"));\n';

/** Presses keys in a question or a form until the control with this name has the focus. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  await until(async () => {
    if (name.test(await focused(page).catch(() => ""))) return true;
    await page.keyboard.press("Tab");
    return name.test(await focused(page).catch(() => ""));
  });
}

/** Presses Enter on the button with this name until the card is gone: it ignores keys for a moment after it got the focus. */
async function answerWith(page: Page, name: RegExp, card: Locator): Promise<void> {
  await until(async () => {
    if ((await card.count()) === 0) return true;
    if (name.test(await focused(page).catch(() => ""))) await page.keyboard.press("Enter");
    return (await card.count()) === 0;
  });
}

for (const [theme, colors] of pictureThemes) {
  describe(`the tools of the editor that act, ${theme} theme`, () => {
    const settings = {
      "parley.editorTools": "all",
      "parley.agents": { mcp: mcpAgent(["http"]) },
      "workbench.colorTheme": colors,
    };
    /** Takes pictures of the chat, narrow and wide. */
    const pictures = async (page: Page, name: string): Promise<void> => {
      if (!process.env["PARLEY_PICTURES"]) return;
      for (const width of [280, 480]) {
        await resizeChat(page, width);
        await screenshot(page, `${name}-${theme}-${width}`);
      }
    };

    it("rename a symbol in two files after a question by mouse, refuse it by keyboard, and the review undoes it", async () => {
      const { page, panel, folder, errors } = await sharedWorkbench(
        {
          "src/names.ts": names,
          "src/uses.ts": uses,
          "tsconfig.json": JSON.stringify({ compilerOptions: { strict: true } }),
        },
        settings,
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
      await pictures(page, "acting-tools");
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

    it("send the output of the last terminal command after a question, ask with a form, and show diffs", async () => {
      const { page, panel, folder, errors } = await sharedWorkbench(
        { "src/names.ts": names, "src/uses.ts": uses },
        settings,
      );
      const log = panel.getByRole("log", { name: "Conversation" });
      const composer = panel.getByRole("textbox", { name: "Message" });
      const stop = panel.getByRole("button", { name: "Stop" });
      const send = async (text: string): Promise<void> => {
        await stop.waitFor({ state: "hidden" });
        await composer.fill(text);
        await composer.press("Enter");
      };
      const path = (name: string): string => join(folder, "src", name);
      await chooseAgent(panel, "mcp");

      // The user runs a command in a terminal with shell integration, which draws a mark beside it.
      await send("hello");
      await log.getByText(/^The session has/).waitFor();
      await runCommand(page, "Terminal: Create New Terminal");
      const terminal = page.locator(".terminal-wrapper.active");
      await terminal.waitFor();
      await terminal.locator(".terminal-command-decoration").first().waitFor({ state: "attached" });
      await terminal.locator("textarea").focus();
      await page.keyboard.type("echo 'Ada ran this'; PASSWORD=hunter2-is-long ls /none");
      await page.keyboard.press("Enter");
      await terminal.locator(".terminal-command-decoration.error").first().waitFor({ state: "attached" });
      await send("tool terminal_output {}");
      const question = panel.getByRole("group", { name: "Read the output of your last terminal command", exact: true });
      await question.getByText("The command is “echo 'Ada ran this'").waitFor();
      await pictures(page, "acting-tools-terminal");
      await question.getByRole("button", { name: /^Allow for This Session/ }).click();
      const answers = log.getByText(/^\$ echo 'Ada ran this'/);
      await answers.nth(0).waitFor();
      await log.getByText("[exit code 2]").nth(0).waitFor();
      assert.equal(await log.getByText("hunter2").count(), 0);
      // The next call of the session runs without a question.
      await send("tool terminal_output {}");
      await answers.nth(1).waitFor();
      await runCommand(page, "Terminal: Kill All Terminals");

      // By keyboard, the user fills in a form.
      const fields = [
        { name: "branch", title: "Branch", type: "text", description: "Where the work continues." },
        { name: "level", title: "Level", type: "choice", options: ["careful", "fast"] },
        { name: "tests", title: "Run the tests", type: "yes_no" },
        { name: "areas", title: "Areas", type: "choices", options: ["docs", "code"], required: false },
      ];
      const message = "How should the work go on?";
      await send(`tool ask_user ${JSON.stringify({ message, fields })}`);
      const form = panel.getByRole("form", { name: message });
      await form.waitFor();
      await pictures(page, "acting-tools-form");
      await page.keyboard.press("Alt+Shift+Q");
      await tabTo(page, /^textbox "Branch/);
      await page.keyboard.type("main");
      await tabTo(page, /^radio "careful/);
      await page.keyboard.press("ArrowDown");
      await focusIs(page, /^radio "fast/);
      await tabTo(page, /^checkbox "Run the tests/);
      await page.keyboard.press("Space");
      await tabTo(page, /^button "Send/);
      await answerWith(page, /^button "Send/, form);
      await log.getByText(/branch: main\s+level: fast\s+tests: true/).waitFor();

      // A file compared with another one, and the changes of the agent, as diffs in tabs.
      await send(`tool show_to_user ${JSON.stringify({ path: path("names.ts"), compareWith: path("uses.ts") })}`);
      const compare = panel.getByRole("group", { name: "Show the differences of uses.ts and names.ts", exact: true });
      await compare.waitFor();
      await pictures(page, "acting-tools-diff");
      assert.equal(await page.locator(".tab").count(), 0, "nothing is shown before the answer");
      await page.keyboard.press("Alt+Shift+Q");
      await focusIs(page, /^button "Allow/);
      await answerWith(page, /^button "Allow/, compare);
      await page.getByRole("tab", { name: /^uses\.ts and names\.ts/ }).waitFor();
      await page.locator(".monaco-diff-editor").first().waitFor();
      await log.getByText(`The user sees ${path("names.ts")} now.`).waitFor();

      await send(`write ${path("uses.ts")} export const size = 1;`);
      await panel
        .getByRole("region", { name: "Changes" })
        .getByRole("button", { name: /^1 file/ })
        .waitFor();
      await send(`tool show_to_user ${JSON.stringify({ path: path("uses.ts"), changes: true })}`);
      const changes = panel.getByRole("group", { name: "Show the changes of uses.ts", exact: true });
      await changes.getByRole("button", { name: /^Allow Once/ }).click();
      await log.getByText(`The user sees ${path("uses.ts")} now.`).waitFor();
      await page
        .getByRole("tab", { name: /uses\.ts/ })
        .nth(1)
        .waitFor();
      await page.locator(".view-line", { hasText: "export const size = 1;" }).first().waitFor();
      await screenshot(page, `acting-tools-diff-${theme}-shown`);
      assert.deepEqual(errors, []);
    });
  });
}
