// Tells the host which panel the user uses, because a window can show several.
import { send } from "../base/vscodeApi.ts";

/**
 * Reports the first click or key in the panel after each time that the panel got the focus. The focus alone does not count:
 * VS Code also moves it, to an editor tab while a page loads, and when a list of commands closes.
 */
export function reportUse(): void {
  let isReported = false;
  const use = (): void => {
    if (!isReported) send({ type: "used" });
    isReported = true;
  };
  for (const type of ["pointerdown", "keydown"]) addEventListener(type, use, true);
  addEventListener("blur", () => (isReported = false));
}
