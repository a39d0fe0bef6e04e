// The real agents under test: how each is installed, and how it is started so that it uses the model server on loopback
// and writes only to a home folder of its own.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { agentPresets, type AgentDefinition } from "../../src/agents/registry.ts";

/** The environment of an agent under test. */
export interface Surroundings {
  /** The folder in which the agent's package was installed. */
  readonly installed: string;
  /** The Node.js that runs agents written in JavaScript. */
  readonly node: string;
  /** A new folder: the agent's home. */
  readonly home: string;
  /** The URL of the model server, without a trailing slash. */
  readonly model: string;
  /** False if the user has not signed in. */
  readonly hasKey?: boolean;
}

/** An agent that can run as a server. */
export interface AgentDaemon {
  /** Before the path of the workspace. */
  readonly args: readonly string[];
  /** The paths of the protocol, and of a JSON object with the numbers of running prompts and open questions. */
  readonly path: string;
  readonly health: string;
  /** A text that it prints when it accepts connections of both transports, after its address. */
  readonly ready: string;
}

/** An agent of the npm registry, in the version of Parley's own preset. */
export interface RealAgent {
  readonly id: string;
  /** The id of the preset that starts the agent, if it is another one, and the version of the protocol to speak. */
  readonly preset?: string;
  readonly protocol?: "2";
  /** The npm package and version. */
  readonly spec: string;
  /** The files in the agent's home: JSON, or the text itself. Without `hasKey`, the user has not signed in. */
  readonly files: (model: string, hasKey: boolean) => Readonly<Record<string, unknown>>;
  readonly env: (surroundings: Surroundings) => Readonly<Record<string, string>>;
  /** A script of the package that must run once, because scripts are disabled in npm. Relative to `node_modules`. */
  readonly setUp?: string;
  /** The program relative to the folder `node_modules`: a script for Node.js, or a native one. */
  readonly program: { readonly script: string } | { readonly native: string };
  readonly args: readonly string[];
  /** How the program runs as a server of the protocol on a port of the loopback interface. */
  readonly daemon?: AgentDaemon;
  /** Why nobody signs in to the agent by its program in a terminal. */
  readonly noTerminalSignIn?: string;
  /** The agent edits only files that it has read in the session. */
  readonly readsFirst?: true;
}

/** The Node.js version for the agents, which is newer than the one Parley itself needs. */
export const nodeVersion = "24.21.0";

/** The npm package that contains Node.js for this machine. */
export const nodePackage = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;

/** Any text works, because the model server does not check it. */
const key = "not-a-key";

const claude: RealAgent = {
  id: "claude",
  spec: packageOf("claude"),
  program: { script: "@agentclientprotocol/claude-agent-acp/dist/index.js" },
  args: [],
  files: () => ({
    ".claude.json": { hasCompletedOnboarding: true },
    // By default a model decides about permissions.
    ".claude/settings.json": { permissions: { defaultMode: "default" } },
  }),
  env: ({ home, model }) => ({
    ANTHROPIC_BASE_URL: model,
    ANTHROPIC_API_KEY: key,
    CLAUDE_CONFIG_DIR: join(home, ".claude"),
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: "1",
    // Containers often have no user except root, which it otherwise refuses.
    IS_SANDBOX: "1",
    ENABLE_TOOL_SEARCH: "false",
  }),
};

export const agents: readonly RealAgent[] = [
  {
    id: "gemini",
    noTerminalSignIn: "The agent offers no sign-in by a terminal.",
    spec: packageOf("gemini"),
    program: { script: "@google/gemini-cli/bundle/gemini.js" },
    args: ["--acp"],
    files: (_, hasKey) => ({
      ".gemini/settings.json": {
        ...(hasKey && { security: { auth: { selectedType: "gemini-api-key" } } }),
        general: {
          disableAutoUpdate: true,
          enableAutoUpdate: false,
          enableAutoUpdateNotification: false,
          disableUpdateNag: true,
        },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      },
    }),
    env: ({ model }) => ({
      GEMINI_API_KEY: key,
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_TELEMETRY_ENABLED: "false",
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      GEMINI_CLI_NO_RELAUNCH: "true",
    }),
  },
  {
    id: "opencode",
    noTerminalSignIn: "The agent never asks for a sign-in.",
    spec: packageOf("opencode"),
    // The script moves the binary for this processor, which npm has downloaded, to the place where the package expects
    // it.
    setUp: "opencode-ai/postinstall.mjs",
    program: { native: "opencode-ai/bin/opencode.exe" },
    args: ["acp"],
    files: (model, hasKey) => ({ ".config/opencode/opencode.json": openCodeSettings(model, hasKey) }),
    env: () => ({
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_SHARE: "1",
    }),
  },
  claude,
  { ...claude, id: "claude-v2", preset: "claude", protocol: "2" },
  {
    id: "qwen",
    spec: packageOf("qwen"),
    program: { script: "@qwen-code/qwen-code/cli-entry.js" },
    args: ["--acp"],
    daemon: {
      args: ["serve", "--port", "0", "--no-web", "--workspace"],
      path: "/acp",
      health: "/health?deep=1",
      ready: "WebSocket transport enabled",
    },
    readsFirst: true,
    files: (_, hasKey) => ({
      ".qwen/settings.json": {
        // By default it requests permission for commands only.
        tools: { approvalMode: "default" },
        // In a terminal of VS Code, it would first ask whether to install its extension.
        ide: { hasSeenNudge: true },
        ...(hasKey && { security: { auth: { selectedType: "openai" } } }),
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      },
    }),
    env: ({ model }) => ({
      OPENAI_API_KEY: key,
      OPENAI_BASE_URL: `${model}/v1`,
      OPENAI_MODEL: "fake-model",
      QWEN_TELEMETRY_ENABLED: "false",
    }),
  },
  {
    id: "kimi",
    spec: packageOf("kimi"),
    program: { script: "@moonshot-ai/kimi-code/dist/main.mjs" },
    args: ["acp"],
    files: (model, hasKey) => ({ ".kimi-code/config.toml": kimiSettings(model, hasKey) }),
    env: () => ({ KIMI_DISABLE_TELEMETRY: "1" }),
  },
];

/** The agent as in Parley's settings: the preset, with the installed program as its command. */
export function define(agent: RealAgent, surroundings: Surroundings): AgentDefinition {
  const { installed, node, home, model, hasKey = true } = surroundings;
  for (const [name, value] of Object.entries(agent.files(model, hasKey))) {
    const file = join(home, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value));
  }
  const modules = join(installed, "node_modules");
  const env = Object.entries(agent.env(surroundings));
  const { program } = agent;
  const [command, ...first] =
    "native" in program ? [join(modules, program.native)] : [node, join(modules, program.script)];
  return {
    ...presetOf(agent),
    command: command as string,
    args: [...first, ...agent.args],
    env: { ...homeEnvironment(home), ...Object.fromEntries(hasKey ? env : env.filter(([, value]) => value !== key)) },
    ...(agent.protocol && { protocol: agent.protocol }),
  };
}

/** The agent as Parley offers it. */
export const presetOf = ({ id, preset: other = id }: RealAgent): AgentDefinition => preset(other);

/** The name of the agent in results. */
export const nameOf = (agent: RealAgent): string =>
  agent.protocol === undefined ? presetOf(agent).name : `${presetOf(agent).name} (protocol ${agent.protocol})`;

/** The npm package and version that the preset starts. */
function packageOf(id: string): string {
  const found = preset(id).args.find(arg => /.@\d/.test(arg));
  if (found === undefined) throw new Error(`The preset ${id} names no npm package with a version.`);
  return found;
}

/** The preset of this agent: its name, and its requirements. */
function preset(id: string): AgentDefinition {
  const found = agentPresets.find(each => each.id === id);
  if (!found) throw new Error(`Parley has no preset ${id}.`);
  return found;
}

/** All user folders that an agent may use are in its home, and no proxy is set. */
function homeEnvironment(home: string): Record<string, string> {
  const tmp = join(home, "tmp");
  mkdirSync(tmp, { recursive: true });
  return {
    HOME: home,
    USERPROFILE: home,
    TMPDIR: tmp,
    TEMP: tmp,
    TMP: tmp,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local", "share"),
    XDG_STATE_HOME: join(home, ".local", "state"),
    XDG_CACHE_HOME: join(home, ".cache"),
    NO_PROXY: "127.0.0.1,localhost",
    DO_NOT_TRACK: "1",
    NO_COLOR: "1",
    NO_BROWSER: "1",
    TERM: "dumb",
  };
}

function openCodeSettings(model: string, hasKey: boolean): unknown {
  const tools = { tool_call: true, attachment: true, limit: { context: 200_000, output: 8000 } };
  const models = { "fake-model": { name: "Fake One", ...tools }, "fake-model-2": { name: "Fake Two", ...tools } };
  return {
    autoupdate: false,
    share: "disabled",
    model: "fake/fake-model",
    small_model: "fake/fake-model-2",
    // By default it does not request permission.
    permission: { edit: "ask", bash: "ask", webfetch: "ask" },
    provider: {
      fake: {
        npm: "@ai-sdk/openai-compatible",
        name: "Fake",
        options: { baseURL: `${model}/v1`, ...(hasKey && { apiKey: key }) },
        models,
      },
    },
  };
}

/** Without a key the agent has no model, as after its installation. */
function kimiSettings(model: string, hasKey: boolean): string {
  if (!hasKey) return "telemetry = false\n";
  const tables = ["fake", "fake2"].map(
    name => `[models.${name}]\nprovider = "fake"\nmodel = "${name}-model"\nmax_context_size = 200000\n`,
  );
  const provider = `[providers.fake]\ntype = "openai"\nbase_url = "${model}/v1"\napi_key = "${key}"\n`;
  return ['default_model = "fake"\ntelemetry = false\n', ...tables, provider].join("\n");
}
