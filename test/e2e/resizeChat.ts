// A chat that is narrow or wide, for pictures.
import type { Page } from "playwright-core";

/** Drags the edge of the side bar, so that the chat has this width. */
export async function resizeChat(page: Page, width: number): Promise<void> {
  const bar = page.locator(".part.sidebar");
  const box = await bar.boundingBox();
  if (!box) throw new Error("There is no side bar.");
  await page.mouse.move(box.x + box.width, box.y + 300);
  await page.mouse.down();
  await page.mouse.move(box.x + width, box.y + 300, { steps: 5 });
  await page.mouse.up();
}
