// Whether the program of an agent is there, as far as this can be known without starting anything of the agent.
import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { hostPlatform, type Environment } from "../base/platform.ts";
import { findProgram } from "../base/program.ts";
import type { WindowEnvironment } from "../base/windowEnvironment.ts";
import { agentEnvironment } from "./locateAgent.ts";
import { npmCacheFolder, packageOfNpx } from "./npmDownload.ts";
import type { AgentDefinition } from "./registry.ts";

/** `downloads`: npx downloads the agent at its first start. */
export type AgentPresence = "installed" | "downloads" | "notFound";

/**
 * Looks for the program of the agent on the PATH that it would start with. The login shell is asked only if the PATH of
 * VS Code lacks the program. Undefined if the environment of the agent has variables that its start replaces, and for an
 * agent on a server.
 */
export async function agentPresence(
  definition: AgentDefinition,
  environment: Pick<WindowEnvironment, "host" | "shared">,
): Promise<AgentPresence | undefined> {
  if (definition.remote) return undefined;
  const path = Object.entries(definition.env).find(([name]) => name.toUpperCase() === "PATH")?.[1];
  if (typeof path === "string" && path.includes("${")) return undefined;
  const isOn = (env: Environment): boolean =>
    "path" in findProgram(definition.command, { env, platform: hostPlatform });
  let env = agentEnvironment(environment.host, definition.env);
  if (!isOn(env) && !/[/\\]/.test(definition.command))
    env = agentEnvironment(await environment.shared(), definition.env);
  if (!isOn(env)) return "notFound";
  const packageSpec = packageOfNpx(definition);
  return packageSpec === undefined || (await isCached(packageSpec, env)) ? "installed" : "downloads";
}

/** Whether npx has the package from an earlier start. Its folder has the name that npm's libnpmexec gives it. */
async function isCached(packageSpec: string, env: Environment): Promise<boolean> {
  const folder = createHash("sha512").update(packageSpec).digest("hex").slice(0, 16);
  const name = packageSpec.replace(/(?<=.)@[^@/]*$/, "");
  try {
    await stat(join(npmCacheFolder(env), "_npx", folder, "node_modules", name, "package.json"));
    return true;
  } catch {
    return false; // npx has to download it, or its folder cannot be read.
  }
}
