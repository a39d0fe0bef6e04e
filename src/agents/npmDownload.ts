// What npm does while npx downloads an agent. With `--yes` npx prints nothing, but npm writes each request to its log.
import { readdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import type { Disposable } from "../base/lifecycle.ts";
import type { Clock } from "../base/log.ts";
import { hostPlatform, type Environment } from "../base/platform.ts";
import { unwrappedValues } from "../base/secrets/secret.ts";
import type { AgentDefinition } from "./registry.ts";

/** The time between two looks at the log (ms). */
const interval = 500;

/** Calls `onLine` with each download that npm has finished since the last look, until it is disposed. */
export function followNpmDownload(
  definition: AgentDefinition,
  clock: Clock,
  onLine: (line: string) => void,
): Disposable {
  const packageSpec = packageOfNpx(definition);
  if (packageSpec === undefined) return { dispose: () => {} };
  const folder = logFolder({ ...process.env, ...unwrappedValues(definition.env) });
  const first = logName(clock.now());
  let isDisposed = false;
  let last: string | undefined;
  let timer: Disposable | undefined;
  const look = async (): Promise<void> => {
    const line = await lastDownload(folder, first, packageSpec);
    if (isDisposed) return;
    if (line !== undefined && line !== last) onLine((last = line));
    timer = clock.after(interval, () => void look());
  };
  timer = clock.after(interval, () => void look());
  return {
    dispose: () => {
      isDisposed = true;
      timer?.dispose();
    },
  };
}

/** The package that npx starts as the agent, with its version. Undefined if another program starts it. */
export function packageOfNpx({ command, args }: Pick<AgentDefinition, "command" | "args">): string | undefined {
  if (!/^npx(?:\.cmd)?$/i.test(basename(command))) return undefined;
  // With this option, the first other argument is the program of the package.
  const named = args.find(argument => argument.startsWith("--package="));
  return named?.slice("--package=".length) ?? args.find(argument => !argument.startsWith("-"));
}

/** Where npm writes its logs, unless a configuration file says otherwise. */
const logFolder = (env: Environment): string => env["npm_config_logs_dir"] ?? join(npmCacheFolder(env), "_logs");

/** The cache of npm, unless a configuration file says otherwise. */
export function npmCacheFolder(env: Environment): string {
  const local = env["LOCALAPPDATA"] ?? join(homedir(), "AppData", "Local");
  const usual = hostPlatform === "windows" ? join(local, "npm-cache") : join(homedir(), ".npm");
  return env["npm_config_cache"] ?? usual;
}

/** The start of the name of a log that npm begins at this time. */
const logName = (time: number): string => new Date(time).toISOString().replace(/[.:]/g, "_");

/** A line about a file that npm did not have. The panel is narrow, so only the path of the file is shown. */
const downloadLine = /^\d+ http fetch GET 200 https?:\/\/[^/]+\/(\S+) .*\(cache miss\)$/;

/** The last file that npm had to download, from the log of the npx that runs the package. Never rejects. */
async function lastDownload(folder: string, first: string, packageSpec: string): Promise<string | undefined> {
  try {
    const logs = (await readdir(folder)).filter(name => name >= first && name.endsWith("-debug-0.log"));
    for (const name of logs.sort().reverse()) {
      const lines = (await readFile(join(folder, name), "utf8")).split("\n");
      if (!lines.some(line => / verbose title npm exec /.test(line) && line.includes(packageSpec))) continue;
      const download = lines.findLast(line => downloadLine.test(line));
      return download?.replace(downloadLine, "npm http fetch $1");
    }
  } catch {
    // Without a log there is nothing to show.
  }
  return undefined;
}
