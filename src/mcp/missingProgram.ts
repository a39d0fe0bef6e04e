// Why the program of an MCP server cannot be started, as a sentence for the user.
import type { ProgramLookup } from "../base/program.ts";

/** A sentence that names the command as it is configured, and says what to do. */
export function missingProgramReason(
  command: string,
  found: Exclude<ProgramLookup, { readonly path: string }>,
  /** The folder in which a relative path was looked up. */
  folder: string,
): string {
  if (found.missing === "folder") return `The command ${command} is a folder. Name a program.`;
  if (found.missing === "notExecutable")
    return `The program ${found.at} is not executable. Make it executable, or name the program that runs it.`;
  const isPath = /[\\/]/.test(command);
  if (isPath) {
    const place = /^(?:[\\/]|[a-z]:)/i.test(command) || folder === "" ? "" : ` in ${folder}`;
    return `The program ${command} does not exist${place}.`;
  }
  const hint = /^(?:npx|npm|node)$/.test(command) ? "Install Node.js" : "Install it";
  return `The program ${command} was not found on the PATH that VS Code sees. ${hint}, or use a full path.`;
}
