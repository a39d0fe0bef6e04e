// The environment of a terminal that the user opens.
import * as vscode from "vscode";

/** The environment of the extension host, changed as the user's integrated terminal would change it. */
export function userEnvironment(): NodeJS.ProcessEnv {
  const platform = process.platform === "win32" ? "windows" : process.platform === "darwin" ? "osx" : "linux";
  const changes =
    vscode.workspace.getConfiguration("terminal.integrated.env").get<Record<string, string | null>>(platform) ?? {};
  const env = { ...process.env };
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) delete env[name];
    else env[name] = value;
  }
  return env;
}
