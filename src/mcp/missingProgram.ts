// Why the program of an MCP server cannot be started, as a sentence for the user.
import { t } from "../base/l10n.ts";
import type { ProgramLookup } from "../base/program.ts";

/** A sentence that names the command as it is configured, and says what to do. */
export function missingProgramReason(
  command: string,
  found: Exclude<ProgramLookup, { readonly path: string }>,
  /** The folder in which a relative path was looked up. */
  folder: string,
): string {
  if (found.missing === "folder") return t("The command {0} is a folder. Name a program.", command);
  if (found.missing === "notExecutable")
    return t("The program {0} is not executable. Make it executable, or name the program that runs it.", found.at);
  const isPath = /[\\/]/.test(command);
  if (isPath) {
    return /^(?:[\\/]|[a-z]:)/i.test(command) || folder === ""
      ? t("The program {0} does not exist.", command)
      : t("The program {0} does not exist in {1}.", command, folder);
  }
  const hint = /^(?:npx|npm|node)$/.test(command) ? t("Install Node.js") : t("Install it");
  return t("The program {0} was not found on the PATH that VS Code sees. {1}, or use a full path.", command, hint);
}
