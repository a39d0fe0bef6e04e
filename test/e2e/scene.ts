// Pictures of the panel in the real VS Code. `npm run pictures` redraws them in test/scenes.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

/** Takes a picture of the side bar with the panel, if PARLEY_PICTURES is set. */
export async function scene(page: Page, name: string): Promise<void> {
  if (!process.env["PARLEY_PICTURES"]) return;
  const folder = join(process.cwd(), "test/scenes");
  mkdirSync(folder, { recursive: true });
  await page.locator(".part.sidebar").screenshot({ path: join(folder, `${name}.png`), animations: "disabled" });
}
