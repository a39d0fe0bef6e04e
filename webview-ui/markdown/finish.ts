// What follows the first paint of Markdown, because it takes longer: colors of code, and drawn formulas.
import { drawFormulas, hasUndrawnFormula } from "./formula.ts";
import { hasPlainCode, highlightWaiting } from "./highlight.ts";

/** Highlights the code and draws the formulas below `root`. */
export function finish(root: HTMLElement | null | undefined): void {
  if (!root) return;
  highlightWaiting(root);
  drawFormulas(root);
}

const visibilityObserver = new IntersectionObserver(
  entries => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      visibilityObserver.unobserve(target);
      finish(target as HTMLElement);
    }
  },
  // One panel height before it is scrolled into view.
  { scrollMargin: "100% 0px" } as IntersectionObserverInit,
);

/** {@link finish}, when `root` is about to become visible. */
export function finishWhenVisible(root: HTMLElement): void {
  if (hasPlainCode(root) || hasUndrawnFormula(root)) visibilityObserver.observe(root);
}
