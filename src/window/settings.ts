// Parley's settings, typed and validated. Agent commands come from user and machine settings only.
import * as vscode from "vscode";
import { Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import { resolveAgents, type AgentDefinition, type InvalidDefinition } from "../agents/registry.ts";
import { serverSettingProblems } from "../mcp/vscode/serverSettings.ts";
import type { ViewHead } from "../panel/protocol.ts";
import { readProtectionSetting, type ProtectionSettings } from "../permissions/protectedFiles.ts";
import { readGlobSetting } from "../permissions/sensitiveFiles.ts";
import type { SessionLimits } from "../sessions/retention.ts";

export interface Settings {
  readonly agents: readonly AgentDefinition[];
  readonly bad: readonly InvalidDefinition[];
  readonly sendKey: ViewHead["sendKey"];
  /** What to do when an agent accesses a file outside the workspace folders. */
  readonly outsideWorkspace: "ask" | "refuse" | "allow";
  /** Additional globs of files that always require approval. */
  readonly sensitive: readonly string[];
  /** The user's changes to the lists of files that programs run. */
  readonly protection: ProtectionSettings;
  /** Whether to save a file that an agent changed even if the user has unsaved changes in it. */
  readonly saveUnsaved: boolean;
  /** Which events show a notification while the chat is hidden. */
  readonly notifications: NotificationLevel;
  /** Which events play a sound while the chat is visible. */
  readonly sound: NotificationLevel;
  /** How many checkpoints of a session to keep, and for how long. */
  readonly checkpoints: { readonly maxCount: number; readonly maxAgeDays: number };
  /** What is kept of the sessions of a workspace. */
  readonly sessions: SessionLimits;
}

/** The events that notify the user: none, permission requests, or permission requests and ends of turns. */
export type NotificationLevel = "off" | "questions" | "all";

const notificationLevel = (value: unknown, fallback: NotificationLevel): NotificationLevel =>
  value === "off" || value === "questions" || value === "all" ? value : fallback;

/** The demo agent that comes with the extension. It runs on VS Code's own Node.js: there may be no other. */
export function demoAgent(context: vscode.ExtensionContext): AgentDefinition {
  return {
    id: "demo",
    name: "Demo Agent",
    description: vscode.l10n.t("Bundled. Needs no account and no network"),
    command: process.execPath,
    args: [context.asAbsolutePath("dist/demo-agent.mjs")],
    env: { ELECTRON_RUN_AS_NODE: "1" },
    missingFiles: "error",
    startTimeout: 30,
  };
}

/** The settings, read again when they have changed. */
export class SettingsReader implements Disposable {
  readonly #context: vscode.ExtensionContext;
  readonly #listener: vscode.Disposable;
  readonly #changed = new Emitter<void>();
  /** Fires when a setting of the extension has changed. */
  readonly onDidChange: Event<void> = this.#changed.event;
  #settings: Settings | undefined;

  constructor(context: vscode.ExtensionContext) {
    this.#context = context;
    this.#listener = vscode.workspace.onDidChangeConfiguration(event => {
      if (!event.affectsConfiguration("parley")) return;
      this.#settings = undefined;
      this.#changed.fire();
    });
  }

  read(): Settings {
    return (this.#settings ??= readSettings(this.#context));
  }

  dispose(): void {
    this.#listener.dispose();
    this.#changed.dispose();
  }
}

/** Reads the current settings. */
export function readSettings(context: vscode.ExtensionContext): Settings {
  const configuration = vscode.workspace.getConfiguration("parley");
  const { agents, bad } = resolveAgents([demoAgent(context)], userValue(configuration, "agents") ?? {});
  const outside = userValue(configuration, "files.outsideWorkspace");
  const sensitive = everyValue(configuration, "files.sensitive").map(value =>
    readGlobSetting("parley.files.sensitive", value),
  );
  const badGlobs = sensitive.flatMap(({ problems }) => problems).map(reason => ({ id: "files.sensitive", reason }));
  const { overrides, problems } = readProtectionSetting(
    "parley.files.protected",
    userValue(configuration, "files.protected"),
  );
  const badProtection = problems.map(reason => ({ id: "files.protected", reason }));
  const badServers = serverSettingProblems(agents).map(reason => ({ id: "mcpServers", reason }));
  return {
    agents,
    bad: [...bad, ...badGlobs, ...badProtection, ...badServers],
    sendKey: configuration.get("sendKey") === "modEnter" ? "modEnter" : "enter",
    outsideWorkspace: outside === "refuse" || outside === "allow" ? outside : "ask",
    protection: { overrides, askForBuildFiles: userValue(configuration, "files.askForBuildFiles") !== false },
    sensitive: sensitive.flatMap(({ globs }) => globs),
    saveUnsaved: configuration.get("files.saveUnsaved") === true,
    notifications: notificationLevel(configuration.get("notifications"), "all"),
    sound: notificationLevel(configuration.get("sound"), "off"),
    checkpoints: {
      maxCount: atLeastOne(configuration.get("checkpoints.maxCount"), 50),
      maxAgeDays: atLeastOne(configuration.get("checkpoints.maxAgeDays"), 30),
    },
    sessions: {
      count: atLeastZero(configuration.get("sessions.maxCount"), 1000),
      days: atLeastZero(configuration.get("sessions.maxAgeDays"), 0),
      megabytes: atLeastZero(configuration.get("sessions.maxSize"), 0),
    },
  };
}

const atLeastOne = (value: unknown, fallback: number): number =>
  typeof value === "number" && Number.isFinite(value) ? Math.max(1, value) : fallback;

const atLeastZero = (value: unknown, fallback: number): number =>
  typeof value === "number" && Number.isFinite(value) ? Math.max(0, value) : fallback;

/** Only the user's value. The scope in the manifest excludes folders already; this is a second safeguard. */
function userValue(configuration: vscode.WorkspaceConfiguration, key: string): unknown {
  return configuration.inspect(key)?.globalValue;
}

/** The values of user, workspace and folder, each by itself: a folder may add to a list but not remove from it. */
function everyValue(configuration: vscode.WorkspaceConfiguration, key: string): readonly unknown[] {
  const inspected = configuration.inspect(key);
  return [inspected?.globalValue, inspected?.workspaceValue, inspected?.workspaceFolderValue];
}
