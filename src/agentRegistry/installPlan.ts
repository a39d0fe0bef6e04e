// What Parley writes to `parley.agents` for an agent of the registry, and what an update changes in it.
import { agentPresets } from "../agents/registry.ts";
import { wordsText } from "../base/commandLineText.ts";
import { jsonEqual } from "../base/jsonEqual.ts";
import { t } from "../base/l10n.ts";
import { shownStart, type Distribution, type ShownStart } from "./distribution.ts";
import type { RegistryAgent } from "./registryAgent.ts";

/** The fields of an entry of `parley.agents` that Parley writes. */
export interface AgentSettingEntry extends ShownStart {
  readonly name: string;
  readonly description?: string;
  /** In seconds. */
  readonly startTimeout: number;
}

/** npx and uvx download the agent at its first start. */
const downloadTimeout = 300;
const programTimeout = 60;

/** The entry for the agent. `program` is the full path of the program of an archive. */
export function settingEntry(
  { name, description }: Pick<RegistryAgent, "name" | "description">,
  distribution: Distribution,
  program: string | undefined,
): AgentSettingEntry {
  const { command, args, env } = shownStart(distribution);
  return {
    name,
    ...(description !== "" && { description }),
    command: program ?? command,
    args,
    env,
    startTimeout: distribution.type === "binary" ? programTimeout : downloadTimeout,
  };
}

/** A line of a comparison of two starts. */
export interface StartDifference {
  readonly part: "command" | "args" | "env";
  /** What is shown before and after. Absent if there is none. */
  readonly before?: string;
  readonly after?: string;
}

/** What differs in command, arguments and environment. Arguments are compared as a whole, because their order counts. */
export function startDifferences(before: ShownStart, after: ShownStart): readonly StartDifference[] {
  const differences: StartDifference[] = [];
  if (before.command !== after.command)
    differences.push({ part: "command", before: before.command, after: after.command });
  const [argsBefore, argsAfter] = [wordsText(before.args), wordsText(after.args)];
  if (argsBefore !== argsAfter)
    differences.push({
      part: "args",
      ...(argsBefore !== "" && { before: argsBefore }),
      ...(argsAfter !== "" && { after: argsAfter }),
    });
  const line = (env: ShownStart["env"], name: string): string | undefined =>
    Object.hasOwn(env, name) ? `${name}=${env[name] ?? ""}` : undefined;
  for (const name of new Set([...Object.keys(before.env), ...Object.keys(after.env)])) {
    const [old, next] = [line(before.env, name), line(after.env, name)];
    if (old === next) continue;
    differences.push({
      part: "env",
      ...(old !== undefined && { before: old }),
      ...(next !== undefined && { after: next }),
    });
  }
  return differences;
}

/** An entry of `parley.agents`, not validated. */
export type UserEntry = Readonly<Record<string, unknown>>;

/** The fields that only an agent on a server can have. */
const serverFields = ["url", "headers", "sameFolder"];

/** The user's entry with the fields of the new one. Variables that the user has added stay; a server does not. */
export function mergedSettingEntry(own: UserEntry, next: AgentSettingEntry, last?: AgentSettingEntry): UserEntry {
  const added = Object.entries(asEntry(own["env"])).filter(([name, value]) => last?.env[name] !== value);
  const env = { ...next.env, ...Object.fromEntries(added) };
  const program = Object.entries(own).filter(([field]) => field !== "env" && !serverFields.includes(field));
  const { env: _env, ...fields } = next;
  const others = { ...Object.fromEntries(program), ...fields };
  return Object.keys(env).length === 0 ? others : { ...others, env };
}

/**
 * The user's entry without what Parley wrote, and with what it replaced. Variables that the user has added since stay.
 * Undefined if what is left starts no agent: the agent is then no longer in the setting. `before`: the user's value of the
 * setting before the agent was added.
 */
export function restoredEntry(id: string, own: UserEntry, written: AgentSettingEntry, before: unknown): unknown {
  if (before === false) return false;
  const kept = mergedSettingEntry(own, { ...written, env: {} }, written);
  const others = Object.fromEntries(Object.entries(kept).filter(([field]) => !Object.hasOwn(written, field)));
  const env = asEntry(kept["env"]);
  if (isEntry(before)) {
    const variables = { ...asEntry(before["env"]), ...env };
    return { ...others, ...before, ...(Object.keys(variables).length > 0 && { env: variables }) };
  }
  // Only an agent that Parley includes starts without a command of the user.
  if (!agentPresets.some(preset => preset.id === id)) return undefined;
  const restored = { ...others, ...(Object.keys(env).length > 0 && { env }) };
  return Object.keys(restored).length === 0 ? undefined : restored;
}

/** Whether a value of the setting is an entry. */
export const isEntry = (value: unknown): value is UserEntry =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const asEntry = (value: unknown): UserEntry => (isEntry(value) ? value : {});

/** Whether the user has changed the command or the arguments that Parley wrote, which the next version replaces. */
export const isEditedByUser = (own: UserEntry, written: AgentSettingEntry): boolean =>
  own["command"] !== written.command || !jsonEqual(own["args"], written.args);

/**
 * Whether the registry has an update: a newer version, or another text that is neither newer nor older. The installed version
 * with the name of a build is none.
 */
export function hasUpdate(installed: string, offered: string): boolean {
  const order = compareVersions(offered, installed);
  return order > 0 || (order === 0 && offered !== installed && !offered.startsWith(`${installed}+`));
}

/** Below 0 if the first version is older, by its numbers; a pre-release is older than its version (semver.org, 11). */
export function compareVersions(a: string, b: string): number {
  const [numbersA, preA] = versionParts(a);
  const [numbersB, preB] = versionParts(b);
  for (let at = 0; at < Math.max(numbersA.length, numbersB.length); at++) {
    const difference = (numbersA[at] ?? 0) - (numbersB[at] ?? 0);
    if (difference !== 0) return difference;
  }
  if (preA === preB) return 0;
  if (preA === "" || preB === "") return preA === "" ? 1 : -1;
  return preA.localeCompare(preB, "en", { numeric: true });
}

function versionParts(version: string): readonly [readonly number[], string] {
  const [core = "", pre = ""] = (version.split("+")[0] ?? "").split(/-(.*)/s);
  return [
    core
      .replace(/^v/, "")
      .split(".")
      .map(part => Number.parseInt(part, 10) || 0),
    pre,
  ];
}

/** A package with a version, not with a tag or a range of versions. A scope can begin with a digit. */
const fixedVersion = { npx: /.@\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/, uvx: /(?:==|@)\d[\w.+!-]*$/ };

/** What the user should know before the first start. */
export function installCaveats(distribution: Distribution): readonly string[] {
  if (distribution.type === "binary")
    return distribution.sha256 === undefined
      ? [t("Unverified: the registry has no checksum of the archive.")]
      : [t("Parley installs the archive only if it has the checksum of the registry.")];
  return fixedVersion[distribution.type].test(distribution.package)
    ? []
    : [t("The registry names no fixed version of the package.")];
}
