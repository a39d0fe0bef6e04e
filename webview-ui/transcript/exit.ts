// How a command ended, in words and as an icon.
import type { ToolPart } from "../../src/panel/protocol.ts";
import { t } from "../base/l10n.ts";

/** How the command of a terminal ended. */
export type Exit = NonNullable<Extract<ToolPart, { readonly type: "terminal" }>["exit"]>;

/** `plain`: it succeeded, or the agent did not report how it ended. */
export function exitLevel({ exitCode = 0, signal, cancelled }: Exit): "plain" | "cancelled" | "warning" {
  if (exitCode !== 0) return "warning";
  if (cancelled) return "cancelled";
  return signal === undefined ? "plain" : "warning";
}

/** The end of the last command of a tool card, unless it is plain. */
export function notableExit(parts: readonly ToolPart[]): Exit | undefined {
  const exit = parts.findLast(part => part.type === "terminal")?.exit;
  return exit && exitLevel(exit) !== "plain" ? exit : undefined;
}

/** The words for the end. A signal and a cancellation outrank exit code 0. */
export function exitText(exit: Exit): string {
  const { exitCode, signal, cancelled } = exit;
  const words = [
    ...(cancelled ? [t("Cancelled")] : []),
    ...(signal === undefined ? [] : [cancelled ? signal : t("Ended by {0}", signal)]),
    ...(exitCode === undefined || (exitCode === 0 && exitLevel(exit) !== "plain")
      ? []
      : [t("Exit code {0}", exitCode)]),
  ];
  return words.length === 0 ? t("Ended") : words.join(" · ");
}

/** The codicon for the end. Only exit code 0 is a success: a command whose end is unknown may have failed. */
export function exitIcon(exit: Exit): string {
  const level = exitLevel(exit);
  if (level !== "plain") return level === "warning" ? "warning" : "circle-slash";
  return exit.exitCode === undefined ? "dash" : "check";
}
