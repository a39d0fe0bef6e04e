// The focus when VS Code gives it to the panel, for example after a click on the view's icon.

/** A page that loads gets the focus, and is shown, within this many milliseconds, even on a busy machine. */
const loadTime = 15_000;
/** While it loads, the focus is checked at this interval (ms). */
const pollTime = 50;

/**
 * Calls `focus` when the page gets the focus and no element of it has it, until an element has taken the focus: elements
 * take it only once the page is shown. A press of the pointer decides itself what it focuses. Nothing moves the focus
 * while it is elsewhere in VS Code.
 */
export function focusOnEntry(focus: () => void): void {
  let isPressed = false;
  let isEntering = false;
  let enteredAt = 0;
  const isFree = (): boolean => !isPressed && document.activeElement === document.body;
  const enter = (): void => {
    if (!isEntering || !isFree()) return void (isEntering = false);
    focus();
    if (isFree() && performance.now() < enteredAt + loadTime) requestAnimationFrame(enter);
    else isEntering = false;
  };
  const begin = (): void => {
    if (isEntering) return;
    isEntering = true;
    enteredAt = performance.now();
    enter();
  };
  addEventListener("pointerdown", () => (isPressed = true), true);
  for (const type of ["pointerup", "pointercancel"]) addEventListener(type, () => (isPressed = false));
  addEventListener("blur", () => (isPressed = isEntering = false));
  addEventListener("focus", begin);
  // While a page loads, VS Code moves the focus in and out, and this script may run late, so the events are not enough.
  // Outside of VS Code, a page has the focus without an action of the user.
  if (document.body.dataset["vscodeThemeId"] === undefined) return;
  let wasPressed = false;
  addEventListener("pointerdown", () => (wasPressed = true), true);
  const whileLoading = (): void => {
    if (wasPressed || performance.now() > loadTime) return;
    if (document.hasFocus() && isFree()) focus();
    setTimeout(whileLoading, pollTime);
  };
  whileLoading();
}
