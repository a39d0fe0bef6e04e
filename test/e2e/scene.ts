// Pictures of the panel in the real VS Code. `npm run pictures` redraws them in test/scenes. A test run only takes
// screenshots into out/screenshots, for visual inspection.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

/** Takes a picture of the side bar with the panel. */
export async function scene(page: Page, name: string): Promise<void> {
  const folder = join(process.cwd(), process.env["PARLEY_PICTURES"] ? "test/scenes" : "out/screenshots");
  mkdirSync(folder, { recursive: true });
  await page.locator(".part.sidebar").screenshot({ path: join(folder, `${name}.png`), animations: "disabled" });
}
