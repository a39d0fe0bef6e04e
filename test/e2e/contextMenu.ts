// The context menus of VS Code.
import type { Locator } from "playwright-core";
import { until } from "../support/fakes/until.ts";

/**
 * Chooses an action in the context menu of an element. VS Code closes a menu when it moves the focus, for example after
 * the last notification is closed, and ignores clicks just after a menu has opened. So this tries again.
 */
export async function chooseInMenu(element: Locator, action: string): Promise<void> {
  const item = element.page().getByRole("menuitem", { name: action });
  const isOpen = (): Promise<boolean> => item.waitFor({ timeout: 3000 }).then(...answers);
  const isClosed = (): Promise<boolean> => item.waitFor({ state: "detached", timeout: 1000 }).then(...answers);
  await until(async () => {
    if (!(await item.isVisible())) await element.click({ button: "right" });
    if (!(await isOpen())) return false;
    const isClicked = await item.click({ timeout: 1000 }).then(...answers);
    return isClicked && (await isClosed());
  });
}

const answers = [() => true, () => false] as const;
