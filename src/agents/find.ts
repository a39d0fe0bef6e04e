// Where a program is: walks the PATH itself, so that a missing one is known before it is started, and so that a
// program lying in the project folder is never run by accident.
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, sep } from "node:path";

/** What looking for a program found. */
export type Found =
  | { readonly path: string }
  | { readonly missing: "notFound" | "notExecutable" | "folder"; readonly searched: readonly string[] };

/**
 * The program's full path. A bare name is looked for in the absolute folders of `PATH`, with the endings of `PATHEXT` on
 * Windows; anything with a separator must be absolute.
 */
export function findProgram(
  command: string,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): Found {
  const windows = platform === "win32";
  if (isAbsolute(command)) return isProgram(command, windows) ?? { missing: why(command), searched: [] };
  if (command.includes("/") || (windows && command.includes("\\"))) return { missing: "notFound", searched: [] };
  // Relative entries of the PATH would let the opened folder supply the program.
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter(folder => isAbsolute(folder));
  const endings = windows ? (env["PATHEXT"] ?? ".EXE;.CMD;.BAT;.COM").split(";") : [""];
  let seen: Found | undefined;
  for (const folder of folders) {
    for (const ending of windows && /\.\w+$/.test(command) ? ["", ...endings] : endings) {
      const path = join(folder, command + ending);
      const found = isProgram(path, windows);
      if (found) return found;
      if (why(path) !== "notFound") seen ??= { missing: why(path), searched: [path] };
    }
  }
  return seen ?? { missing: "notFound", searched: folders };
}

function isProgram(path: string, windows: boolean): { readonly path: string } | undefined {
  try {
    if (!statSync(path).isFile()) return undefined;
    if (!windows) accessSync(path, constants.X_OK);
    return { path };
  } catch {
    return undefined; // The caller asks why.
  }
}

function why(path: string): "notFound" | "notExecutable" | "folder" {
  const info = statSync(path, { throwIfNoEntry: false });
  if (!info) return "notFound";
  return info.isDirectory() || path.endsWith(sep) ? "folder" : "notExecutable";
}
