// The real agents that are tried: what is installed of each, and how each is started so that it talks to the model
// server on loopback and keeps all it writes in a home of its own.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { agentPresets, type AgentDefinition } from "../../src/agents/registry.ts";

/** Where a trial's agent lives and whom it talks to. */
export interface Surroundings {
  /** The folder the agent's package was installed into. */
  readonly installed: string;
  /** The Node.js that runs agents written in JavaScript. */
  readonly node: string;
  /** A fresh folder: the agent's home. */
  readonly home: string;
  /** The model server, without a slash at the end. */
  readonly model: string;
}

/** An agent of the npm registry, in the version of Parley's own preset. */
export interface RealAgent {
  readonly id: string;
  /** As npm installs it. */
  readonly spec: string;
  /** What the agent finds in its home. */
  readonly files: (model: string) => Readonly<Record<string, unknown>>;
  readonly env: (surroundings: Surroundings) => Readonly<Record<string, string>>;
  /** A script of the package that must run once: npm itself runs none. Below `node_modules`. */
  readonly setUp?: string;
  /** The program below the folder `node_modules`: a script for Node.js, or a native one. */
  readonly program: { readonly script: string } | { readonly native: string };
  readonly args: readonly string[];
}

/** The agents run on this; it is newer than what Parley itself needs. */
export const nodeVersion = "24.21.0";

/** The npm package that holds Node.js for this machine. */
export const nodePackage = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;

/** Any text will do; the model server asks for none. */
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
    // The script puts the binary for this processor, which npm has fetched, where the package expects it.
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
      // Containers often have no other user than root, which it refuses otherwise.
      IS_SANDBOX: "1",
      ENABLE_TOOL_SEARCH: "false",
    }),
  },
];

/** The agent as Parley's settings would have it: the preset, with the installed program as its command. */
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

/** The preset whose agent this is: its name, and what it needs of Parley. */
export function preset(id: string): AgentDefinition {
  const found = agentPresets.find(each => each.id === id);
  if (!found) throw new Error(`Parley has no preset ${id}.`);
  return found;
}

/** Everything an agent may take for the user's own lies in its home, and it hears of no proxy. */
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
    // It asks for nothing unless told to.
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
