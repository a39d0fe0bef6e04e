// The cancellation tokens that other extensions pass.
import { t } from "../../base/l10n.ts";

/** Throws with a sentence if a value that stands for a token of VS Code is none. */
export function checkToken(given: unknown): void {
  if (given === undefined || given === null) return;
  const { onCancellationRequested: listen, isCancellationRequested: is } = given as Record<string, unknown>;
  if (typeof listen !== "function" || typeof is !== "boolean")
    throw new Error(t("Pass a CancellationToken of VS Code, or nothing."));
}
