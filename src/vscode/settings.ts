// Parley's settings, typed and validated. Agent commands come from user and machine settings only.
import * as vscode from "vscode";
import { resolveAgents, type AgentDefinition, type BadDefinition } from "../agents/registry.ts";
import type { Head } from "../chat/protocol.ts";

export interface Settings {
  readonly agents: readonly AgentDefinition[];
  readonly bad: readonly BadDefinition[];
  readonly sendKey: Head["sendKey"];
}

/**
 * The demo agent that comes with the extension. It runs on the editor's own Node, since a user may have no other.
 */
export function demoAgent(context: vscode.ExtensionContext): AgentDefinition {
  return {
    id: "demo",
    name: "Demo Agent",
    description: vscode.l10n.t("Bundled: needs no account and no network"),
    command: process.execPath,
    args: [context.asAbsolutePath("dist/demo-agent.mjs")],
    env: { ELECTRON_RUN_AS_NODE: "1" },
    missingFiles: "error",
    startTimeout: 30,
  };
}

/** Reads the settings as they are now. */
export function readSettings(context: vscode.ExtensionContext): Settings {
  const configuration = vscode.workspace.getConfiguration("parley");
  const { agents, bad } = resolveAgents([demoAgent(context)], userValue(configuration, "agents"));
  return { agents, bad, sendKey: configuration.get("sendKey") === "modEnter" ? "modEnter" : "enter" };
}

/** Only what the user set: the manifest's scope keeps folders out, and this does so once more. */
function userValue(configuration: vscode.WorkspaceConfiguration, key: string): unknown {
  return configuration.inspect(key)?.globalValue ?? {};
}
