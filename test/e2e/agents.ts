// The window whose settings define agents for tests: misbehaving agents, an agent on the official SDK that ends or
// refuses to end, and the demo agent. Rules of this window answer permission requests that are not part of a test.
// Every test file is a bundle with its own copy of this module, so the folder of programs is stored outside of the
// module.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FrameLocator } from "playwright-core";
import { inProject } from "../../scripts/tools/project.mjs";
import { sharedWorkbench, type Workbench } from "./harness.ts";

const holder = globalThis as { parleyAgentPrograms?: string };
/** The misbehaving agent as a separate program, in a folder whose path pictures can show. */
const programs = (holder.parleyAgentPrograms ??= mkdtempSync(join(tmpdir(), "parley-agents-")));
const bad = join(programs, "bad-agent");
const unrunnable = join(programs, "unrunnable-agent");
/** An agent whose program doesn't exist until the test writes it. */
export const late = { command: join(programs, "late-agent"), args: [] };
before(() => {
  if (!existsSync(bad)) writeProgram(bad);
  writeFileSync(unrunnable, "#!/bin/sh\n", { mode: 0o644 });
});
after(() => rmSync(programs, { recursive: true, force: true }));

/** Writes a program that runs test/support/agents/bad.mjs with these arguments. */
export function writeProgram(path: string, ...args: readonly string[]): void {
  const agent = inProject("test", "support", "agents", "bad.mjs");
  writeFileSync(path, `#!/bin/sh\nexec "${process.execPath}" "${agent}" ${args.join(" ")} "$@"\n`, { mode: 0o755 });
}

/** Agents that don't start, each with its message and its next steps. */
export const startless: readonly {
  readonly id: string;
  readonly definition?: Record<string, unknown>;
  /** The status line asks with these words whether to wait or to stop. */
  readonly late?: string;
  readonly says: RegExp;
  readonly offers: string;
  readonly scene: string;
}[] = [
  {
    id: "missing",
    definition: { command: "no-such-agent-program", args: [] },
    says: /Could not start Bad Agent: .?no-such-agent-program.? was not found on the PATH that VS Code sees/,
    offers: "Open Settings",
    scene: "agent-missing",
  },
  {
    id: "folder",
    definition: { command: "/", args: [] },
    says: /Could not start Bad Agent/,
    offers: "Open Settings",
    scene: "agent-not-a-program",
  },
  {
    id: "unrunnable",
    definition: { command: unrunnable, args: [] },
    says: /Could not start Bad Agent: .*unrunnable-agent.? is not executable/,
    offers: "Open Settings",
    scene: "agent-not-executable",
  },
  {
    id: "exit",
    says: /Bad Agent ended with code 3 before it was ready/,
    offers: "Restart Agent",
    scene: "agent-exits",
  },
  {
    id: "initialize-never",
    definition: { startTimeout: 1 },
    late: "Bad Agent has not answered within 1 s.",
    says: /Connecting to Bad Agent was cancelled\./,
    offers: "Check Agent",
    scene: "agent-hangs",
  },
  {
    id: "version",
    says: /Bad Agent speaks version 0 of the Agent Client Protocol; Parley speaks version 1/,
    offers: "Select Agent",
    scene: "agent-version",
  },
  {
    id: "version-refused",
    says: /Bad Agent needs version 2 of the Agent Client Protocol, which is a draft/,
    offers: "Use Version 2",
    scene: "agent-version-refused",
  },
  {
    id: "initialize-error",
    says: /Bad Agent refused to start a conversation: The model store is corrupt\./,
    offers: "Restart Agent",
    scene: "agent-refuses",
  },
  {
    id: "auth-required",
    says: /Bad Agent needs you to sign in\./,
    offers: "Log in at the terminal",
    scene: "agent-sign-in",
  },
];

const breaking = [
  "banner",
  "prompt-error",
  "refusal",
  "wrong-types",
  "two-questions",
  "dies-with-question",
  "dies-in-turn",
  "ignores-cancel",
  "works-after-turn",
  "session-never",
  "forgets-mode",
];

/** Misbehaving agents. Each has a behavior of test/support/agents/bad.mjs, by default the one with its ID. */
const wrong: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  none: { name: "Good Agent" },
  ...Object.fromEntries(startless.map(({ id, definition }) => [id, definition ?? {}])),
  late,
  "auth-fails": { args: ["auth-required", "exit"] },
  // Unlike the agent that hangs at its start, its time limit is long.
  "connects-never": { args: ["initialize-never"] },
  ...Object.fromEntries(breaking.map(id => [id, {}])),
};

/** The agent on the SDK, once with and once without ending on request. Each has its own folder. */
export const tempers = ["patient", "stubborn"] as const;
export type Temper = (typeof tempers)[number];

/** `hasty` is the demo agent that starts in the mode that edits without asking. */
function settings(): Record<string, unknown> {
  const presets = ["claude", "codex", "gemini", "opencode", "qwen", "copilot", "auggie", "goose"];
  const misbehaving = Object.entries(wrong).map(([id, definition]) => [
    id,
    { name: "Bad Agent", description: id, command: bad, args: [id], startTimeout: 20, ...definition },
  ]);
  const onSdk = tempers.map(id => {
    const args = [inProject("test", "support", "agents", "sdkAgent.mjs"), `--pid-file=${id}/agent.pid`];
    if (id === "stubborn") args.push("--stubborn");
    return [id, { name: `SDK Agent, ${id}`, command: process.execPath, args, startTimeout: 20 }];
  });
  const versionTwo = {
    ...{ name: "SDK Agent 2", command: process.execPath, startTimeout: 20, protocol: "2" },
    args: [inProject("test", "support", "agents", "sdkV2Agent.mjs"), join(programs, "version-two.json")],
    mcpServers: {
      tools: { command: process.execPath, args: ["-e", ""] },
      web: { url: "http://127.0.0.1:9/mcp" },
    },
  };
  /** Its user has not switched version 2 on. */
  const { protocol: _, ...onlyTwo } = { ...versionTwo, name: "Agent of Version 2" };
  const keeping = {
    ...{ ...versionTwo, name: "Keeping Agent", description: "keeps-two" },
    args: [inProject("test", "support", "agents", "sdkV2Agent.mjs"), join(programs, "keeps-two.json")],
  };
  const continuing = ["resumes", "loads", "forgets", "expires", "keeps"].map(id => {
    const args = [inProject("test", "support", "agents", "continuing.mjs"), id, join(programs, `${id}.json`)];
    return [id, { name: "Lasting Agent", description: id, command: process.execPath, args, startTimeout: 20 }];
  });
  const hasty = { name: "Hasty Agent", command: process.execPath, args: [inProject("dist", "demo-agent.mjs")] };
  const hastyEnv = { PARLEY_DEMO_MODE: "free", PARLEY_DEMO_SPEED: "0" };
  const hidden = presets.map(id => [id, false]);
  return {
    "parley.agents": Object.fromEntries([
      ...hidden,
      ...misbehaving,
      ...onSdk,
      ["version-two", versionTwo],
      ["only-version-two", onlyTwo],
      ["keeps-two", keeping],
      ...continuing,
      ["hasty", { ...hasty, env: hastyEnv }],
    ]),
    "parley.files.outsideWorkspace": "refuse",
    "parley.permissions.rules": [
      { effect: "allow", command: ["npm test", "git status"] },
      { effect: "deny", path: "generated/**" },
    ],
  };
}

/** The window with these settings, which tests share. */
export function withAgents(
  files: Readonly<Record<string, string>> = {},
): Promise<Workbench & { readonly panel: FrameLocator }> {
  return sharedWorkbench(files, settings());
}

/** Selects the agent of the session by its ID in the settings. The agent that the session already has is not selected again. */
export async function chooseAgent(panel: FrameLocator, id: string): Promise<void> {
  const before = await panel.getByRole("main").getAttribute("data-session");
  await panel.getByRole("button", { name: /^Agent: / }).click();
  const item = panel.getByRole("menu", { name: "Agent" }).locator(`[data-value="${id}"]`);
  const isSelected = (await item.getAttribute("aria-checked")) === "true";
  await item.click();
  if (isSelected) return;
  // A prompt that is typed before the panel shows the new session belongs to the old one, and is not sent.
  await panel.locator(`main[data-session]:not([data-session="${before ?? ""}"])`).waitFor();
}
