// The context menus of VS Code.
import type { Locator } from "playwright-core";
import { hasClicked, noteNextClick } from "../../scripts/vscode/workbench.mjs";
import { until } from "../support/fakes/until.ts";

/**
 * Chooses an action in the context menu of an element. VS Code closes a menu when it moves the focus, for example after
 * the last notification is closed, and ignores clicks just after a menu has opened. So this tries again, but never after
 * a click that closed the menu: on a busy machine, that can take longer than a step, and an action must not run twice.
 */
export async function chooseInMenu(element: Locator, action: string): Promise<void> {
  const page = element.page();
  const item = page.getByRole("menuitem", { name: action });
  const isOpen = (): Promise<boolean> => item.waitFor({ timeout: 3000 }).then(...answers);
  const isClosed = (): Promise<boolean> => item.waitFor({ state: "detached", timeout: 1000 }).then(...answers);
  let isClicked = false;
  await until(async () => {
    if (!(await item.isVisible())) {
      if (isClicked) return true;
      await element.click({ button: "right" });
    }
    if (!(await isOpen())) return false;
    await noteNextClick(page, '[role="menuitem"]');
    await item.click({ timeout: 1000 }).catch(() => undefined);
    isClicked ||= await hasClicked(page);
    return isClicked && isClosed();
  });
}

const answers = [() => true, () => false] as const;
