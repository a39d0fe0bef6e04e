// axe finds no violation: all rules in one theme, the colour rules in the others. `npm test` visits a dark and a light
// theme, `npm run test:hostile` also the two of high contrast.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AxeResults, RunOptions } from "axe-core";
import { openPanel, usePanel, type PanelPage } from "./panelPage.ts";
import { addressAsk, formAsk, formatsAsk } from "./formScenes.ts";
import { largeConversation, scenes, snapshot, view } from "./scenes.ts";
import { visitsAllCases } from "../support/fakes/sample.ts";

const axeSource = readFileSync(
  createRequire(join(process.cwd(), "package.json")).resolve("axe-core/axe.min.js"),
  "utf8",
);

/** The rules whose results can differ between themes, because themes differ only in colours. */
const colourRules = ["color-contrast", "link-in-text-block"];

const themes = visitsAllCases ? (["dark", "light", "hc", "hc-light"] as const) : (["dark", "light"] as const);

/** Which rules axe checks in a theme. */
const rulesIn = (theme: (typeof themes)[number]): "every rule" | readonly string[] =>
  theme === "dark" ? "every rule" : colourRules;

describe("accessibility", () => {
  usePanel();

  for (const theme of themes) {
    it(`axe finds no violation in ${theme}`, async () => {
      const found: string[] = [];
      for (const [name, messages] of Object.entries(scenes)) {
        const panel = await openPanel(messages, { theme, height: 1600 });
        const folds = panel.page.locator("button[aria-expanded=false], summary");
        await folds.evaluateAll(all => all.forEach(each => (each as HTMLElement).click()));
        if (name === "everything") {
          await panel.log.locator(".hljs-keyword").first().waitFor();
          await panel.log.locator(".ansi-fg-red").first().waitFor();
          await panel.page.keyboard.press("Control+f");
          await panel.page.getByRole("search").waitFor();
        }
        found.push(...(await violations(panel, rulesIn(theme))).map(line => `${name}: ${line}`));
        await panel.free();
      }
      assert.deepEqual(found, []);
    });
  }
});

describe("accessibility of forms", () => {
  usePanel();

  it("axe finds no violation in a form of every type with its faults, and in an address that was opened", async () => {
    const found: string[] = [];
    for (const theme of themes) {
      for (const ask of [formAsk, formatsAsk, { ...addressAsk, opened: true as const }]) {
        const panel = await openPanel([snapshot(view([], { questions: [ask] }))], { theme, height: 1600 });
        if (ask.form) {
          await panel.page.locator("parley-form").getByRole("button", { name: "Send" }).click();
          await panel.page.getByText("An answer is required.").first().waitFor();
        }
        found.push(...(await violations(panel, rulesIn(theme))).map(line => `${ask.id}, ${theme}: ${line}`));
        await panel.free();
      }
    }
    assert.deepEqual(found, []);
  });
});

describe("accessibility of the composer's lists", () => {
  usePanel();

  it("axe finds no violation in open lists, with chips, a refusal and a queued prompt being edited", async () => {
    const choices = Array.from({ length: 20 }, (_, i) => ({ value: `m${i}`, name: `Model ${i}`, group: "Fast" }));
    const head = {
      queue: [{ id: "s1", text: "one", attachments: ["a.js"], sent: false }],
      options: [{ id: "model", name: "Model", type: "select", value: "m3", choices }],
      commands: [{ name: "explain", description: "Explain a file", hint: "file" }],
    } as const;
    const source = { type: "path", path: "/w/a.js" } as const;
    const found: string[] = [];
    for (const theme of themes) {
      const rules = rulesIn(theme);
      const panel = await openPanel([snapshot(view([], head))], { theme });
      const { page, composer } = panel;
      await panel.post({ type: "attached", attachments: [{ id: "a", kind: "file", label: "a.js", bytes: 9, source }] });
      await panel.post({ type: "refused", reason: "b.js is too large." });
      await page.getByRole("button", { name: "Edit: one" }).press("Enter");
      await composer.focus();
      await page.keyboard.type("/");
      await page.getByRole("listbox", { name: "Commands" }).waitFor();
      found.push(...(await violations(panel, rules)).map(line => `commands, ${theme}: ${line}`));
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: /^Model/ }).press("Enter");
      await page.getByRole("combobox", { name: "Search Model" }).waitFor();
      found.push(...(await violations(panel, rules)).map(line => `choices, ${theme}: ${line}`));
      await panel.free();
    }
    assert.deepEqual(found, []);
  });
});

describe("accessibility of a worktree in the header", () => {
  usePanel();

  it("axe finds no violation in it, with its open menu in a narrow panel", async () => {
    const worktree = {
      branch: "parley/fix-the-sum",
      state: { comparedWith: "main", ahead: 2, behind: 1, files: 3, added: 12, removed: 3 },
    };
    const found: string[] = [];
    for (const theme of themes) {
      const panel = await openPanel([snapshot(view([], { title: "Fix the sum", worktree }))], { theme, width: 280 });
      await panel.page.getByRole("button", { name: /^Worktree: parley\/fix-the-sum, 2 commits ahead/ }).click();
      await panel.page.getByRole("menu", { name: "Worktree" }).waitFor();
      await panel.page.screenshot({ path: `out/screenshots/worktree-${theme}.png` });
      found.push(...(await violations(panel, rulesIn(theme))).map(line => `${theme}: ${line}`));
      await panel.free();
    }
    assert.deepEqual(found, []);
  });
});

describe("accessibility of the question about a large conversation", () => {
  usePanel();

  it("axe finds no violation in it, with the button that has the focus", async () => {
    const found: string[] = [];
    for (const theme of themes) {
      const panel = await openPanel([snapshot(largeConversation)], { theme, width: 280 });
      await panel.page.getByRole("button", { name: "Continue From Digest" }).focus();
      found.push(...(await violations(panel, rulesIn(theme))).map(line => `${theme}: ${line}`));
      await panel.free();
    }
    assert.deepEqual(found, []);
  });
});

async function violations(panel: PanelPage, rules: "every rule" | readonly string[]): Promise<string[]> {
  await panel.page.evaluate(axeSource);
  const options: RunOptions = {
    resultTypes: ["violations"],
    ...(rules !== "every rule" && { runOnly: { type: "rule", values: [...rules] } }),
  };
  const results = await panel.page.evaluate(
    sent => (window as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } }).axe.run(sent),
    options,
  );
  return results.violations.flatMap(violation =>
    violation.nodes.map(
      node => `${violation.id} at ${String(node.target)}: ${node.html.slice(0, 160)} ${node.any[0]?.message ?? ""}`,
    ),
  );
}
