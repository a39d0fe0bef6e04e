// axe finds nothing to complain about, in all four themes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import { openPanel, usePanel, type PanelPage } from "./panelPage.ts";
import { scenes } from "./scenes.ts";

const axeSource = readFileSync(
  createRequire(join(process.cwd(), "package.json")).resolve("axe-core/axe.min.js"),
  "utf8",
);

describe("accessibility", () => {
  usePanel();

  for (const theme of ["dark", "light", "hc", "hc-light"] as const) {
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
        found.push(...(await violations(panel)).map(line => `${name}: ${line}`));
        await panel.page.context().close();
      }
      assert.deepEqual(found, []);
    });
  }
});

async function violations(panel: PanelPage): Promise<string[]> {
  await panel.page.evaluate(axeSource);
  const results = await panel.page.evaluate(() =>
    (window as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  );
  return results.violations.flatMap(violation =>
    violation.nodes.map(
      node => `${violation.id} at ${String(node.target)}: ${node.html.slice(0, 160)} ${node.any[0]?.message ?? ""}`,
    ),
  );
}
