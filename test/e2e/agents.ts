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
before(() => {
  if (!existsSync(bad)) writeProgram(bad);
});
after(() => rmSync(programs, { recursive: true, force: true }));

/** Writes a program that runs test/support/agents/bad.mjs with these arguments. */
function writeProgram(path: string, ...args: readonly string[]): void {
  const agent = inProject("test", "support", "agents", "bad.mjs");
  writeFileSync(path, `#!/bin/sh\nexec "${process.execPath}" "${agent}" ${args.join(" ")} "$@"\n`, { mode: 0o755 });
}

/** Misbehaving agents. Each has a behavior of test/support/agents/bad.mjs, by default the one with its ID. */
const wrong: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  missing: { command: "no-such-agent-program", args: [] },
  "auth-fails": { args: ["auth-required", "exit"] },
};

/** The agent on the SDK, once with and once without ending on request. Each has its own folder. */
export const tempers = ["patient", "stubborn"] as const;
export type Temper = (typeof tempers)[number];

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
  const keeping = {
    ...{ name: "Keeping Agent", command: process.execPath, startTimeout: 20, protocol: "2", description: "keeps-two" },
    args: [inProject("test", "support", "agents", "sdkV2Agent.mjs"), join(programs, "keeps-two.json")],
    mcpServers: {
      tools: { command: process.execPath, args: ["-e", ""] },
      web: { url: "http://127.0.0.1:9/mcp" },
    },
  };
  const hidden = presets.map(id => [id, false]);
  return {
    "parley.agents": Object.fromEntries([...hidden, ...misbehaving, ...onSdk, ["keeps-two", keeping]]),
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
