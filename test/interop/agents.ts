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
}

/** An agent of the npm registry, in the version of Parley's own preset. */
export interface RealAgent {
  readonly id: string;
  /** The npm package and version. */
  readonly spec: string;
  /** The files in the agent's home. */
  readonly files: (model: string) => Readonly<Record<string, unknown>>;
  readonly env: (surroundings: Surroundings) => Readonly<Record<string, string>>;
  /** A script of the package that must run once, because scripts are disabled in npm. Relative to `node_modules`. */
  readonly setUp?: string;
  /** The program relative to the folder `node_modules`: a script for Node.js, or a native one. */
  readonly program: { readonly script: string } | { readonly native: string };
  readonly args: readonly string[];
}

/** The Node.js version for the agents, which is newer than the one Parley itself needs. */
export const nodeVersion = "24.21.0";

/** The npm package that contains Node.js for this machine. */
export const nodePackage = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;

/** Any text works, because the model server does not check it. */
const key = "not-a-key";

export const agents: readonly RealAgent[] = [
  {
    id: "gemini",
    spec: preset("gemini").description ?? "",
    program: { script: "@google/gemini-cli/bundle/gemini.js" },
    args: ["--acp"],
    files: () => ({
      ".gemini/settings.json": {
        security: { auth: { selectedType: "gemini-api-key" } },
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
    spec: preset("opencode").description ?? "",
    // The script moves the binary for this processor, which npm has downloaded, to the place where the package expects
    // it.
    setUp: "opencode-ai/postinstall.mjs",
    program: { native: "opencode-ai/bin/opencode.exe" },
    args: ["acp"],
    files: model => ({ ".config/opencode/opencode.json": openCodeSettings(model) }),
    env: () => ({
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_SHARE: "1",
    }),
  },
  {
    id: "claude",
    spec: preset("claude").description ?? "",
    program: { script: "@agentclientprotocol/claude-agent-acp/dist/index.js" },
    args: [],
    files: () => ({ ".claude.json": { hasCompletedOnboarding: true } }),
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
  },
];

/** The agent as in Parley's settings: the preset, with the installed program as its command. */
export function define(agent: RealAgent, surroundings: Surroundings): AgentDefinition {
  const { installed, node, home, model } = surroundings;
  for (const [name, value] of Object.entries(agent.files(model))) {
    const file = join(home, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(value));
  }
  const modules = join(installed, "node_modules");
  const { program } = agent;
  const [command, ...first] =
    "native" in program ? [join(modules, program.native)] : [node, join(modules, program.script)];
  return {
    ...preset(agent.id),
    command: command as string,
    args: [...first, ...agent.args],
    env: { ...homeEnvironment(home), ...agent.env(surroundings) },
  };
}

/** The preset of this agent: its name, and its requirements. */
export function preset(id: string): AgentDefinition {
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

function openCodeSettings(model: string): unknown {
  const tools = { tool_call: true, limit: { context: 200_000, output: 8000 } };
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
        options: { baseURL: `${model}/v1`, apiKey: key },
        models,
      },
    },
  };
}
