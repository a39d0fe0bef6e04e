// Reads the agents of Zed's settings, a JSON file with comments and trailing commas.
import { posix, win32 } from "node:path";
import { visibleName } from "../base/inertText.ts";
import type { OptionValue } from "../session/state.ts";
import type { Environment } from "../base/platform.ts";

/** An agent of Zed, as an entry of `parley.agents`. */
export interface ZedAgent {
  /** The key in Zed's settings, in one line and of bounded length. */
  readonly name: string;
  /** The id for `parley.agents`. */
  readonly id: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The values of options in new sessions. */
  readonly defaults?: Readonly<Record<string, OptionValue>>;
}

/** Of a name that is imported, and of the id that is made of it (characters). */
const maxNameLength = 60;
const maxIdLength = 60;

/** The agents of the settings, and the names of those without a command, which Zed installs itself, or with an invalid one. */
export interface ZedAgents {
  readonly agents: readonly ZedAgent[];
  readonly skipped: readonly string[];
}

/** The places where Zed keeps its settings, the likeliest first. */
export function zedSettingsFiles(platform: NodeJS.Platform, env: Environment, home: string): readonly string[] {
  if (platform === "win32")
    return [win32.join(env["APPDATA"] ?? win32.join(home, "AppData", "Roaming"), "Zed", "settings.json")];
  const standard = posix.join(home, ".config", "zed", "settings.json");
  if (platform !== "linux") return [standard];
  const own = env["XDG_CONFIG_HOME"];
  const flatpak = posix.join(home, ".var", "app", "dev.zed.Zed", "config", "zed", "settings.json");
  return [...new Set([...(own === undefined ? [] : [posix.join(own, "zed", "settings.json")]), standard, flatpak])];
}

/** Reads the text of Zed's settings. Throws a SyntaxError if it is not JSON with comments. */
export function readZedAgents(text: string): ZedAgents {
  const servers = asRecord(asRecord(JSON.parse(withoutComments(text)))["agent_servers"]);
  const agents: ZedAgent[] = [];
  const skipped: string[] = [];
  for (const [name, value] of Object.entries(servers)) {
    const agent = readAgent(name, asRecord(value), new Set(agents.map(({ id }) => id)));
    if (agent) agents.push(agent);
    else skipped.push(visibleName(name, maxNameLength));
  }
  return { agents, skipped };
}

function readAgent(
  name: string,
  { command, args = [], env = {}, default_config_options: options }: Readonly<Record<string, unknown>>,
  taken: ReadonlySet<string>,
): ZedAgent | undefined {
  if (typeof command !== "string" || command.trim() === "") return undefined;
  if (!Array.isArray(args) || !args.every(isString)) return undefined;
  if (!Object.values(asRecord(env)).every(isString)) return undefined;
  const defaults = Object.entries(asRecord(options)).filter(
    ([, value]) => isString(value) || typeof value === "boolean",
  );
  return {
    name: visibleName(name, maxNameLength) || "Agent",
    id: uniqueId(name, taken),
    command,
    args,
    env: asRecord(env) as Readonly<Record<string, string>>,
    ...(defaults.length > 0 && { defaults: Object.fromEntries(defaults) as Readonly<Record<string, OptionValue>> }),
  };
}

const isString = (value: unknown): value is string => typeof value === "string";

const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

function uniqueId(name: string, taken: ReadonlySet<string>): string {
  const words = name
    .slice(0, maxIdLength)
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ["agent"];
  const stem = words.join("-");
  let id = stem;
  for (let n = 2; taken.has(id); n++) id = `${stem}-${n}`;
  return id;
}

/**
 * The agents with names that no other agent has: an agent that looks like another one could be chosen in its place. An agent
 * of the same id is the same agent.
 */
export function withDistinctNames(
  agents: readonly ZedAgent[],
  existing: readonly { readonly id: string; readonly name: string }[],
): readonly ZedAgent[] {
  const keyOf = (name: string): string => name.normalize("NFKC").toLowerCase();
  const named: { readonly id: string; readonly key: string }[] = existing.map(({ id, name }) => ({
    id,
    key: keyOf(name),
  }));
  return agents.map(agent => {
    const isTaken = (name: string): boolean => named.some(({ id, key }) => id !== agent.id && key === keyOf(name));
    let { name } = agent;
    for (let n = 1; isTaken(name); n++) name = n === 1 ? `${agent.name} (Zed)` : `${agent.name} (Zed ${n})`;
    named.push({ id: agent.id, key: keyOf(name) });
    return name === agent.name ? agent : { ...agent, name };
  });
}

/** JSON without comments and trailing commas. Strings are kept as they are. */
export function withoutComments(text: string): string {
  const plain = text
    .replace(/^\uFEFF/, "")
    .replace(/("(?:[^"\\]|\\[^])*")|\/\/[^\n\r]*|\/\*[^]*?\*\//g, (_, string: string | undefined) => string ?? " ");
  return plain.replace(/("(?:[^"\\]|\\[^])*")|,(?=\s*[}\]])/g, (_, string: string | undefined) => string ?? "");
}
