// Parley's settings, typed and validated. They are the user's own. A folder can only add to the list of sensitive files.
import * as vscode from "vscode";
import type { Problem } from "../base/errors.ts";
import { Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import { resolveAgents, type AgentDefinition, type InvalidDefinition } from "../agents/registry.ts";
import type { Log } from "../base/log.ts";
import { folderSettings, userSetting } from "../editor/userSettings.ts";
import type { ToolChoice } from "../editorTools/tool.ts";
import type { CommentSettings } from "../comments/vscode/createComments.ts";
import { readHookSetting, type HookCommands } from "../hooks/hookSetting.ts";
import { serverSettingProblems } from "../mcp/vscode/serverSettings.ts";
import type { HeadPart } from "../panel/headParts.ts";
import type { ViewHead } from "../panel/protocol.ts";
import { readProtectionSetting, type ProtectionSettings } from "../permissions/protectedFiles.ts";
import { readFolderGlobs, readGlobSetting } from "../permissions/sensitiveFiles.ts";
import type { ResumeLimits } from "../library/resumeQuestions.ts";
import type { SessionLimits } from "../library/retention.ts";
import type { WorktreeSettings } from "../worktrees/vscode/createWorktrees.ts";
import { checkedInteger, type IntegerSettingKey } from "./numberSettings.ts";

export interface Settings {
  readonly agents: readonly AgentDefinition[];
  readonly bad: readonly InvalidDefinition[];
  /** The web address of the index of agents that can be added. Empty: none. */
  readonly agentRegistry: string;
  readonly sendKey: ViewHead["sendKey"];
  /** What to do when an agent accesses a file outside the workspace folders. */
  readonly outsideWorkspace: "ask" | "refuse" | "allow";
  /** Which tools of the editor agents get. */
  readonly editorTools: "off" | ToolChoice;
  /** The ids of the tools of other extensions that agents get with `all`. */
  readonly extensionTools: readonly string[];
  /** Whether the new problems of a turn go with the next prompt. */
  readonly sendProblems: boolean;
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
  /** The user's commands for events. */
  readonly hooks: HookCommands;
  /** How many checkpoints of a session to keep, and for how long. */
  readonly checkpoints: { readonly maxCount: number; readonly maxAgeDays: number };
  /** The total size of the ignored files whose content is remembered in a turn (bytes). */
  readonly maxIgnoredBytes: number;
  /** What is kept of the sessions of a workspace. */
  readonly sessions: SessionLimits;
  /** Above which size Parley asks before an agent gets a conversation again. */
  readonly resume: ResumeLimits;
  /** Which documents show that they can have comments, and which session gets what is asked at the selection. */
  readonly comments: CommentSettings;
  /** Where worktrees are made, and how they are set up. */
  readonly worktrees: WorktreeSettings;
}

/** The public registry of the Agent Client Protocol. */
const publicRegistry = "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json";

/** The events that notify the user: none, permission requests, or permission requests and ends of turns. */
export type NotificationLevel = "off" | "questions" | "all";

const notificationLevel = (value: unknown, fallback: NotificationLevel): NotificationLevel =>
  value === "off" || value === "questions" || value === "all" ? value : fallback;

/** The demo agent that comes with the extension. It runs on VS Code's own Node.js: there may be no other. */
function demoAgent(context: vscode.ExtensionContext): AgentDefinition {
  return {
    id: "demo",
    name: "Demo Agent",
    description: vscode.l10n.t("Bundled. Needs no account and no network"),
    icon: "beaker",
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
  readonly #log: Log;
  readonly #listener: vscode.Disposable;
  readonly #changed = new Emitter<void>();
  /** Fires when a setting of the extension has changed. */
  readonly onDidChange: Event<void> = this.#changed.event;
  /** The agents of the settings. */
  readonly definitions = (): readonly AgentDefinition[] => this.read().agents;
  /** What panels show of the settings. */
  readonly head: HeadPart<"sendKey" | "settingsProblem"> = {
    values: { sendKey: () => this.read().sendKey, settingsProblem: () => settingsProblem(this.read().bad) },
    onDidChange: this.onDidChange,
  };
  #settings: Settings | undefined;
  /** Mistakes in numbers that are logged. */
  #logged: ReadonlySet<string> = new Set();

  constructor(context: vscode.ExtensionContext, log: Log) {
    this.#context = context;
    this.#log = log;
    const change = (): void => {
      this.#settings = undefined;
      this.#changed.fire();
    };
    this.#listener = vscode.Disposable.from(
      vscode.workspace.onDidChangeConfiguration(event => {
        if (event.affectsConfiguration("parley")) change();
      }),
      // Each folder can add to the list of sensitive files.
      vscode.workspace.onDidChangeWorkspaceFolders(change),
    );
  }

  read(): Settings {
    if (this.#settings) return this.#settings;
    const problems = new Set<string>();
    this.#settings = readSettings(this.#context, problem => problems.add(problem));
    for (const problem of problems) if (!this.#logged.has(problem)) this.#log.warn(problem);
    this.#logged = problems;
    return this.#settings;
  }

  dispose(): void {
    this.#listener.dispose();
    this.#changed.dispose();
  }
}

/** The faults in the settings as one problem. */
const settingsProblem = (bad: Settings["bad"]): Problem | undefined =>
  bad.length === 0 ? undefined : { message: bad.map(({ reason }) => reason).join("\n"), next: ["openSettings"] };

/** Reads the current settings. Reports each number that is not valid, as a sentence. */
export function readSettings(
  context: vscode.ExtensionContext,
  onInvalidNumber: (problem: string) => void = () => {},
): Settings {
  const { agents, bad } = resolveAgents([demoAgent(context)], userSetting("agents") ?? {});
  const outside = userSetting("files.outsideWorkspace");
  const tools = userSetting("editorTools");
  const sensitive = [
    readGlobSetting("parley.files.sensitive", userSetting("files.sensitive")),
    readFolderGlobs("parley.files.sensitive", folderSettings("files.sensitive")),
  ];
  const badGlobs = sensitive.flatMap(({ problems }) => problems).map(reason => ({ id: "files.sensitive", reason }));
  const { overrides, problems } = readProtectionSetting("parley.files.protected", userSetting("files.protected"));
  const badProtection = problems.map(reason => ({ id: "files.protected", reason }));
  const badServers = serverSettingProblems(agents).map(reason => ({ id: "mcpServers", reason }));
  const hooks = readHookSetting(userSetting("hooks"));
  const badHooks = hooks.problems.map(reason => ({ id: "hooks", reason }));
  const integer = (key: IntegerSettingKey): number => {
    const { value, problem } = checkedInteger(key, userSetting(key));
    if (problem !== undefined) onInvalidNumber(problem);
    return value;
  };
  const text = (key: string): string => {
    const value = userSetting(key);
    return typeof value === "string" ? value.trim() : "";
  };
  const gutter = userSetting("comments.gutter");
  const texts = (key: string): readonly string[] => {
    const value = userSetting(key);
    return Array.isArray(value) ? value.filter(one => typeof one === "string" && one.trim() !== "") : [];
  };
  return {
    agents,
    agentRegistry: userSetting("agentRegistry") === undefined ? publicRegistry : text("agentRegistry"),
    bad: [...bad, ...badGlobs, ...badProtection, ...badServers, ...badHooks],
    sendKey: userSetting("sendKey") === "modEnter" ? "modEnter" : "enter",
    outsideWorkspace: outside === "refuse" || outside === "allow" ? outside : "ask",
    // A value that is not known does not give agents more than the user may have meant.
    editorTools: tools === undefined ? "read" : tools === "read" || tools === "all" ? tools : "off",
    extensionTools: texts("extensionTools"),
    sendProblems: userSetting("problems.sendWithNextPrompt") === true,
    protection: { overrides, askForBuildFiles: userSetting("files.askForBuildFiles") !== false },
    sensitive: sensitive.flatMap(({ globs }) => globs),
    saveUnsaved: userSetting("files.saveUnsaved") === true,
    notifications: notificationLevel(userSetting("notifications"), "all"),
    sound: notificationLevel(userSetting("sound"), "off"),
    hooks: hooks.commands,
    checkpoints: {
      maxCount: integer("checkpoints.maxCount"),
      maxAgeDays: integer("checkpoints.maxAgeDays"),
    },
    maxIgnoredBytes: integer("checkpoints.maxIgnoredSize") * 1024 * 1024,
    sessions: {
      count: integer("sessions.maxCount"),
      days: integer("sessions.maxAgeDays"),
      megabytes: integer("sessions.maxSize"),
    },
    resume: {
      tokens: integer("sessions.askAboveTokens"),
      bytes: integer("sessions.askAboveSize") * 1_000_000,
    },
    comments: {
      gutter: gutter === "always" || gutter === "never" ? gutter : "changes",
      askIn: userSetting("comments.askIn") === "currentSession" ? "currentSession" : "newSession",
    },
    worktrees: {
      newSessions: userSetting("worktrees.newSessions") === true,
      folder: text("worktrees.folder"),
      copy: texts("worktrees.copy"),
      setup: text("worktrees.setup"),
      setupMinutes: integer("worktrees.setupTimeLimit"),
      check: text("worktrees.check"),
      checkMinutes: integer("worktrees.checkTimeLimit"),
      maxCandidates: integer("worktrees.maxCandidates"),
    },
  };
}
