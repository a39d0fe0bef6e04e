// The user's own variables for terminals, which the commands of agents get, too.
import { userValueOf } from "../../editor/userSettings.ts";
import type { TerminalVariables } from "../unattendedEnvironment.ts";

/**
 * The user's setting for the environment of the integrated terminal. The settings of a folder are not used: by PATH or
 * LD_PRELOAD, they would choose what an allowed command runs.
 */
export function userTerminalVariables(): TerminalVariables {
  const platform = process.platform === "win32" ? "windows" : process.platform === "darwin" ? "osx" : "linux";
  const changes = userValueOf("terminal.integrated.env", platform);
  const entries = Object.entries(typeof changes === "object" && changes !== null ? changes : {});
  return Object.fromEntries(entries.map(([name, value]) => [name, value === null ? null : String(value)]));
}
