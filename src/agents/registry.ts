// The agents to choose from: the built-in demo agent, presets for well-known agents, and the user's settings.
import { t } from "../base/l10n.ts";
import { secretCredentials, type PlainOrSecretValues } from "../base/secrets/secret.ts";
import type { OptionValue } from "../session/state.ts";
import { readRemoteServer, type RemoteServer } from "./remote/readRemoteServer.ts";

/** How to start an agent, and the settings for working with it. */
export interface AgentDefinition {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The arguments before their variables were replaced, to be shown: a value can be a secret. */
  readonly argsInSettings?: readonly string[];
  readonly env: PlainOrSecretValues;
  /** Absolute. Absent for a folder of Parley (`startFolder.ts`). For an agent on a server, a folder there. */
  readonly cwd?: string;
  /** The server that has the agent. `command` and `args` are empty then. */
  readonly remote?: RemoteServer;
  /**
   * What to return when the agent reads a file that does not exist. Some agents cannot create a file after an error.
   */
  readonly missingFiles: "error" | "empty";
  /** The time limit for the answer to the first message (seconds). The first start may download the agent. */
  readonly startTimeout: number;
  /** The MCP servers of this agent, as in the setting. Room `mcp` reads them. */
  readonly mcpServers?: unknown;
  /** Which tools of the editor the agent gets. Absent: as for all agents. */
  readonly editorTools?: "off" | "read" | "all";
  /** The latest version of the protocol to speak. Absent and `auto`: version 1, while version 2 is a draft. */
  readonly protocol?: "auto" | "1" | "2";
  /** The name of a codicon, for lists of agents. */
  readonly icon?: string;
  /** The values of options in new sessions, by the agent's ids of the options. */
  readonly defaults?: Readonly<Record<string, OptionValue>>;
}

/** An invalid entry of the setting, with the reason. Shown to the user, never ignored silently. */
export interface InvalidDefinition {
  readonly id: string;
  readonly reason: string;
}

const npx = (
  id: string,
  name: string,
  icon: string,
  packageAndVersion: string,
  ...args: string[]
): AgentDefinition => ({
  id,
  name,
  icon,
  command: "npx",
  args: ["--yes", packageAndVersion, ...args],
  env: {},
  missingFiles: "error",
  startTimeout: 180,
});

/** Well-known agents with the commands that start them as ACP agents. Versions are pinned. */
export const agentPresets: readonly AgentDefinition[] = [
  npx("claude", "Claude Agent", "chat-sparkle", "@agentclientprotocol/claude-agent-acp@0.101.0"),
  npx("codex", "Codex", "code", "@agentclientprotocol/codex-acp@2.6.0"),
  { ...npx("gemini", "Gemini CLI", "telescope", "@google/gemini-cli@0.61.0", "--acp"), missingFiles: "empty" },
  npx("opencode", "OpenCode", "json", "opencode-ai@1.18.33", "acp"),
  npx("qwen", "Qwen Code", "compass", "@qwen-code/qwen-code@0.24.4", "--acp"),
  { ...npx("kimi", "Kimi Code", "book", "@moonshot-ai/kimi-code@2.1.0", "acp"), missingFiles: "empty" },
  npx("copilot", "GitHub Copilot", "rocket", "@github/copilot@1.0.102", "--acp"),
  npx("auggie", "Auggie", "tools", "@augmentcode/auggie@0.36.0", "--acp"),
  {
    id: "goose",
    name: "goose",
    icon: "package",
    command: "goose",
    args: ["acp"],
    env: {},
    missingFiles: "error",
    startTimeout: 60,
  },
];

/** What the presets are, by their ids, in the language of the user. */
const presetDescriptions = (): Readonly<Record<string, string>> => ({
  claude: t("Coding agent by Anthropic"),
  codex: t("Coding agent by OpenAI"),
  gemini: t("Coding agent by Google"),
  opencode: t("Open-source coding agent for many models"),
  qwen: t("Coding agent by Alibaba"),
  kimi: t("Coding agent by Moonshot AI"),
  copilot: t("Coding agent by GitHub"),
  auggie: t("Coding agent by Augment Code"),
  goose: t("Open-source coding agent for many models"),
});

/**
 * The agents to offer, in order: the demo agent, the user's own agents, the presets. An entry of the setting overrides
 * single fields of the agent with its id, or defines another agent. `false` hides an agent.
 */
export function resolveAgents(
  builtIn: readonly AgentDefinition[],
  setting: unknown,
): { readonly agents: readonly AgentDefinition[]; readonly bad: readonly InvalidDefinition[] } {
  const descriptions = presetDescriptions();
  const presets = agentPresets.map((agent): AgentDefinition => {
    const description = descriptions[agent.id];
    return description === undefined ? agent : { ...agent, description };
  });
  const known = new Map([...builtIn, ...presets].map(agent => [agent.id, agent]));
  const own = new Map<string, AgentDefinition>();
  const hidden = new Set<string>();
  const bad: InvalidDefinition[] = [];
  for (const [id, value] of Object.entries(isRecord(setting) ? setting : {})) {
    if (value === false) {
      hidden.add(id);
      continue;
    }
    const result = parseDefinition(id, value, known.get(id));
    if ("reason" in result) bad.push(result);
    else own.set(id, result);
  }
  const isOwnOnly = (agent: AgentDefinition): boolean => !known.has(agent.id);
  const agents = [
    ...builtIn.map(agent => own.get(agent.id) ?? agent),
    ...[...own.values()].filter(isOwnOnly),
    ...presets.map(agent => own.get(agent.id) ?? agent),
  ];
  return { agents: agents.filter(agent => !hidden.has(agent.id)), bad };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parseDefinition(
  id: string,
  value: unknown,
  base: AgentDefinition | undefined,
): AgentDefinition | InvalidDefinition {
  const refuse = (reason: string): InvalidDefinition => ({
    id,
    reason: t('The agent "{0}" in parley.agents {1}', id, reason),
  });
  if (!isRecord(value)) return refuse(t("must be an object with a command, or false to hide it."));
  const {
    name,
    command,
    args,
    env,
    cwd,
    missingFiles,
    startTimeout,
    protocol,
    description,
    icon,
    defaults,
    mcpServers,
    editorTools,
  } = value;
  const server = readRemoteServer(value, base?.remote);
  if (server !== undefined && "fault" in server) return refuse(server.fault);
  if (command === undefined && !base && !server)
    return refuse(t("has neither a command nor a url. Name the program that starts it, or its server."));
  if (command !== undefined && (typeof command !== "string" || command.trim() === ""))
    return refuse(t("has a command that is not a string."));
  if (args !== undefined && !(Array.isArray(args) && args.every(arg => typeof arg === "string")))
    return refuse(t("has args that are not a list of strings."));
  if (env !== undefined && !(isRecord(env) && Object.values(env).every(item => typeof item === "string")))
    return refuse(t("has an env whose values are not all strings."));
  if (cwd !== undefined && typeof cwd !== "string") return refuse(t("has a cwd that is not a string."));
  if (missingFiles !== undefined && missingFiles !== "error" && missingFiles !== "empty")
    return refuse(t('has a missingFiles that is neither "error" nor "empty".'));
  if (startTimeout !== undefined && !(typeof startTimeout === "number" && startTimeout > 0))
    return refuse(t("has a startTimeout that is not a number of seconds."));
  if (protocol !== undefined && !["auto", "1", "2", 1, 2].includes(protocol as string | number))
    return refuse(t('has a protocol that is neither "auto" nor "1" nor "2".'));
  if (editorTools !== undefined && editorTools !== "off" && editorTools !== "read" && editorTools !== "all")
    return refuse(t('has an editorTools that is not "off", "read" or "all".'));
  const chosen = protocol === undefined ? base?.protocol : (String(protocol) as "auto" | "1" | "2");
  if (icon !== undefined && !(typeof icon === "string" && /^[a-z][a-z0-9-]*$/.test(icon)))
    return refuse(t('has an icon that is not the name of a codicon, such as "rocket".'));
  if (defaults !== undefined && !(isRecord(defaults) && Object.values(defaults).every(isOptionValue)))
    return refuse(t("has defaults whose values are neither strings nor true or false."));
  // A different command does not inherit the arguments.
  const inherited = command === undefined ? (base?.args ?? []) : [];
  return {
    id,
    name: typeof name === "string" && name !== "" ? name : (base?.name ?? id),
    command: server ? "" : ((command as string | undefined) ?? base?.command ?? ""),
    args: server ? [] : ((args as readonly string[] | undefined) ?? inherited),
    ...(server && { remote: server }),
    env: { ...(!server && base?.env), ...secretCredentials((env ?? {}) as Record<string, string>) },
    missingFiles: missingFiles ?? base?.missingFiles ?? "error",
    startTimeout: startTimeout ?? base?.startTimeout ?? 60,
    ...(chosen !== undefined && { protocol: chosen }),
    ...(typeof description === "string"
      ? { description }
      : base?.description !== undefined && { description: base.description }),
    ...(mcpServers !== undefined && { mcpServers }),
    ...(editorTools !== undefined && { editorTools }),
    ...(typeof cwd === "string" ? { cwd } : base?.cwd !== undefined && !server && { cwd: base.cwd }),
    ...(icon === undefined ? base?.icon !== undefined && { icon: base.icon } : { icon }),
    ...(defaults !== undefined && { defaults: defaults as Readonly<Record<string, OptionValue>> }),
  };
}

const isOptionValue = (value: unknown): value is OptionValue => typeof value === "string" || typeof value === "boolean";
