// The environment of the commands that agents run in terminals.
import { userValueOf } from "../../editor/userSettings.ts";

/**
 * The environment of the extension host, changed as the user's settings for the integrated terminal say. The settings of a
 * folder are not used: by PATH or LD_PRELOAD, they would choose what an allowed command runs.
 */
export function userEnvironment(): NodeJS.ProcessEnv {
  const platform = process.platform === "win32" ? "windows" : process.platform === "darwin" ? "osx" : "linux";
  const changes = userValueOf("terminal.integrated.env", platform);
  const env = { ...process.env };
  for (const [name, value] of Object.entries(typeof changes === "object" && changes !== null ? changes : {})) {
    if (value === null) delete env[name];
    else env[name] = String(value);
  }
  return env;
}
