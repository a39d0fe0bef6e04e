// axe finds nothing to complain about: all rules in one theme, those that look at colours in all four.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AxeResults, RunOptions } from "axe-core";
import { openPanel, usePanel, type PanelPage } from "./panelPage.ts";
import { scenes } from "./scenes.ts";

const axeSource = readFileSync(
  createRequire(join(process.cwd(), "package.json")).resolve("axe-core/axe.min.js"),
  "utf8",
);

/** The rules whose findings can differ between themes: the themes differ in colours only. */
const colourRules = ["color-contrast", "link-in-text-block"];

describe("accessibility", () => {
  usePanel();

  for (const [theme, rules] of [
    ["dark", "every rule"],
    ["light", colourRules],
    ["hc", colourRules],
    ["hc-light", colourRules],
  ] as const) {
    it(`axe finds no violation in ${theme}`, async function () {
      this.timeout(60_000);
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
        found.push(...(await violations(panel, rules)).map(line => `${name}: ${line}`));
        await panel.free();
      }
      assert.deepEqual(found, []);
    });
  }
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
