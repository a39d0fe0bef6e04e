// Hunks of two candidates come back from the page that compares them, into one review of the main checkout.
import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { until } from "../support/fakes/until.ts";
import {
  candidateActions,
  candidateRow,
  chatView,
  commitAll,
  comparison,
  gitIn,
  pick,
  tab,
  worktreesOf,
} from "./candidatesPage.ts";
import { chooseRow, openChat, openFile, openWorkbench, pictureThemes, runCommand, screenshot } from "./harness.ts";
import { chord, pressTo } from "./keyboard.ts";

const cart = `// What a customer wants to buy.
export function total(items) {
  let sum = 0;
  for (let i = 1; i < items.length; i++) {
    sum += items[i].price;
  }
  return sum;
}

export function format(amount) {
  return \`\${amount} €\`;
}
`;
const replaced = (text: string, ...pairs: readonly (readonly [string, string])[]): string =>
  pairs.reduce((now, [from, to]) => now.replace(from, () => to), text);
const loop = ["let i = 1", "let i = 0"] as const;
const digits = ["${amount} €", "${amount.toFixed(2)} €"] as const;
const comment = ["// What a customer wants to buy.", "// The goods that a customer wants to buy."] as const;

const write = (file: string, content: string): unknown => ({
  request: { method: "fs/write_text_file", params: { sessionId: "$session", path: `$cwd/${file}`, content } },
});
const script = (cartText: string, readme: string): string =>
  JSON.stringify([write("cart.js", cartText), write("README.md", readme), { chunk: "All done." }]);

/** A row of the Changes view. */
const change = (page: Page, text: string | RegExp): Locator =>
  page
    .locator(".pane", { has: page.locator(".pane-header", { hasText: /^Changes/ }) })
    .locator(".monaco-list-row", { hasText: text });

/** Takes pictures of the window, also as narrow as a part of the screen. */
async function pictures(page: Page, name: string): Promise<void> {
  if (!process.env["PARLEY_PICTURES"]) return;
  const size = page.viewportSize();
  await screenshot(page, name);
  await page.setViewportSize({ width: 600, height: 900 });
  await screenshot(page, `${name}-600`);
  if (size) await page.setViewportSize(size);
}

for (const [theme, colors] of pictureThemes) {
  describe(`candidates whose changes come back, ${theme} theme`, () => {
    let parent = "";
    afterEach(() => {
      if (parent !== "") rmSync(parent, { recursive: true, force: true, maxRetries: 5 });
    });

    it("give a hunk of the first and hunks of the second to one review, by mouse and by keyboard", async () => {
      const { page, folder, errors } = await openWorkbench({
        files: {
          "cart.js": cart,
          "README.md": "# Cart\n",
          ".gitignore": "task.json\n",
          "first.json": script(replaced(cart, loop, digits), "# Cart\n\nPrices have two digits.\n"),
          "second.json": script(replaced(cart, comment), "# Cart\n\nIt adds up prices.\n"),
        },
        settings: {
          "workbench.colorTheme": colors,
          "parley.worktrees.setup":
            'case "$PARLEY_WORKTREE" in *-2) cp second.json task.json;; *) cp first.json task.json;; esac',
        },
      });
      parent = worktreesOf(folder);
      const read = (name: string): string => readFileSync(join(folder, name), "utf8");
      commitAll(gitIn(folder));
      await openChat(page);
      const panel = chatView(page);
      await panel.getByRole("textbox", { name: "Message" }).fill("#script task.json");
      await runCommand(page, "Parley: Ask Several Agents…");
      await chooseRow(pick(page, "Demo Agent").first());
      await page.locator(".quick-input-widget").getByText("1 Selected").waitFor();
      await page.keyboard.press("Enter");
      await pick(page, "Last commit of main").first().waitFor();
      await page.keyboard.press("Enter");
      await chooseRow(pick(page, "Demo Agent Once More"));
      await chooseRow(pick(page, "Send to 2 Agents"));
      const candidates = comparison(page);
      const branch = (nth: number): string => `parley/script-task-json/demo-agent-${nth}`;
      await candidateRow(candidates, branch(1)).getByText("+4").waitFor();
      await candidateRow(candidates, branch(2)).getByText("+3").waitFor();
      for (const nth of [1, 2]) await candidateRow(candidates, branch(nth)).getByText("Done").waitFor();
      await pictures(page, `candidates-back-page-${theme}`);

      // One of two hunks of the first, by mouse.
      await candidateActions(candidates, "Demo Agent 1").getByRole("button", { name: "Bring Back…" }).click();
      const row = pick(page, /cart\.js\s*\+2 −2/);
      await row.waitFor();
      await pick(page, /README\.md\s*\+2 −0/).waitFor();
      await row.hover();
      await pictures(page, `candidates-back-pick-${theme}`);
      await row.hover();
      await row.locator(".action-label[aria-label='Select Hunks…']").click();
      await chooseRow(pick(page, "toFixed"));
      await pictures(page, `candidates-back-hunks-${theme}`);
      await page.locator(".quick-input-widget").getByRole("button", { name: "OK" }).click();
      await until(() => read("cart.js") === replaced(cart, loop));
      assert.equal(read("README.md"), "# Cart\n");
      await pictures(page, `candidates-back-first-${theme}`);

      // All files of the second, by keyboard, from the page.
      await tab(page, "Compare Candidates").click();
      await candidateActions(candidates, "Demo Agent 1").getByRole("button", { name: "Show Chat" }).focus();
      await pressTo(page, "Tab", /^button "Show Chat"/);
      await page.keyboard.press("Tab");
      await pressTo(page, "ArrowRight", /^button "Bring Back…"/);
      await page.keyboard.press("Enter");
      await pick(page, /cart\.js\s*\+1 −1/).waitFor();
      await page.keyboard.press("Enter");
      const both = replaced(cart, loop, comment);
      await until(() => read("cart.js") === both && read("README.md") === "# Cart\n\nIt adds up prices.\n");

      // The Changes view lists the hunks below their sessions, once it has enough space.
      await runCommand(page, "Parley: Focus on Changes View");
      await page.locator(".pane-header", { hasText: /^Chat/ }).click();
      await change(page, "Demo Agent 1: #script task.json").waitFor();
      await change(page, "Demo Agent 2: #script task.json").waitFor();
      const own = change(page, "cart.js").filter({ hasNotText: basename(parent) });
      await until(async () => (await own.count()) === 2);
      for (const nth of [1, 0]) await own.nth(nth).locator(".monaco-tl-twistie").click();
      await change(page, loop[1]).waitFor();
      await change(page, comment[1]).waitFor();
      await pictures(page, `candidates-back-changes-${theme}`);
      const shown = await page.locator(".pane .monaco-list-row").allInnerTexts();
      const rowOf = (text: string): number => shown.findIndex(one => one.includes(text));
      const order = ["Demo Agent 1:", loop[1], "Demo Agent 2:", comment[1]].map(rowOf);
      assert.deepEqual(
        [...order].sort((a, b) => a - b),
        order,
        shown.join("\n"),
      );

      // The hunk of the second is kept, and that of the first is undone.
      await openFile(page, "cart.js");
      const keep = page.locator(".codelens-decoration a", { hasText: /^Keep$/ });
      await until(async () => (await keep.count()) === 2);
      await pictures(page, `candidates-back-editor-${theme}`);
      await page.keyboard.press("Control+Home");
      await chord(page, "k", async () => (await keep.count()) === 1);
      // The cursor moved on to the hunk of the first.
      await chord(page, "x", async () => (await keep.count()) === 0);
      await until(() => read("cart.js") === replaced(cart, comment));
      assert.equal(read("README.md"), "# Cart\n\nIt adds up prices.\n");
      assert.deepEqual(errors, []);
    });
  });
}
