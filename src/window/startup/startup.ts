// Registers with VS Code what the user can reach before the extension is loaded, and loads it with the first use: a
// command, a view that shows, a restored editor tab, or changes that wait for review.
import * as vscode from "vscode";
import type { Disposable } from "../../base/lifecycle.ts";
import type { WindowApi } from "../../api/vscode/apiModule.ts";
import type { ParleyExports } from "../../api/vscode/parleyApi.ts";
import { LateTreeView } from "../../editor/lateTreeView.ts";
import { registerFixActions } from "../../mentions/vscode/fixActions.ts";
import { RecentFiles } from "../../mentions/vscode/recentFiles.ts";
import { chatEditorType } from "../../panel/chatSurface.ts";
import { commandIds, type CommandId } from "../commandIds.ts";
import { showErrorMessage } from "../../editor/editorUi.ts";
import { StatusItem } from "../../editor/editorItems.ts";
import { ExtensionLoad, type WindowStart } from "./extensionLoad.ts";
import { PanelPages } from "./panelPages.ts";
import { hasOpenParleyTab, hasParleyTab, hasStoredWork, opensChatAtStart } from "./neededAtStart.ts";

/** What exists before the extension is loaded. The extension takes it over. */
export interface StartupParts {
  readonly statusItem: StatusItem;
  readonly recentFiles: RecentFiles;
  readonly sessionsView: LateTreeView;
  readonly changesView: LateTreeView;
  readonly pages: PanelPages;
  /** The status bar shows this name in the next window, before the extension is loaded. */
  readonly rememberAgentName: (name: string) => void;
  /** The badge of the Sessions view counts so many unread sessions in the next window, before the extension is loaded. */
  readonly rememberUnread: (count: number) => void;
}

/** The loaded extension. */
export interface LoadedExtension {
  readonly chat: Required<Pick<vscode.WebviewViewProvider, "resolveWebviewView">> & vscode.WebviewPanelSerializer;
  readonly api: Pick<WindowApi, "connect" | "openLink">;
  /** Runs the command. A failure is shown to the user. */
  runCommand(id: CommandId, args: readonly unknown[]): Promise<void>;
  shutDown(): Promise<void>;
}

/** The name of the agent, in the state of the workspace. */
const agentNameKey = "parley.agentName";
/** The number of unread sessions, in the state of the workspace. */
const unreadKey = "parley.unreadSessions";

export class Startup implements Disposable, WindowStart {
  readonly #context: vscode.ExtensionContext;
  readonly #extension: ExtensionLoad<LoadedExtension>;
  readonly #parts: StartupParts;
  readonly #registrations: vscode.Disposable;

  constructor(context: vscode.ExtensionContext, create: (parts: StartupParts) => Promise<LoadedExtension>) {
    this.#context = context;
    this.#extension = new ExtensionLoad(
      () => create(this.#parts),
      reason => void showErrorMessage(vscode.l10n.t("Parley could not be loaded: {0}", reason)),
    );
    const load = (): Promise<LoadedExtension> => this.#extension.load();
    const statusItem = new StatusItem("parley.status", 90, {
      name: "Parley",
      command: { command: "parley.openChat", arguments: ["status"] },
    });
    const agentName = context.workspaceState.get(agentNameKey, "Parley");
    statusItem.show("comment-discussion", agentName, [vscode.l10n.t("Not started")]);
    this.#parts = {
      statusItem,
      recentFiles: new RecentFiles(),
      sessionsView: new LateTreeView("parley.sessions", load, { canSelectMany: true }),
      changesView: new LateTreeView("parley.changes", load),
      pages: new PanelPages(context.extensionUri),
      rememberAgentName: name => {
        if (context.workspaceState.get(agentNameKey) !== name) void context.workspaceState.update(agentNameKey, name);
      },
      rememberUnread: count => {
        if (context.workspaceState.get(unreadKey, 0) !== count) void context.workspaceState.update(unreadKey, count);
      },
    };
    const { recentFiles, sessionsView, changesView, pages } = this.#parts;
    const unread = context.workspaceState.get(unreadKey, 0);
    if (unread > 0) sessionsView.setBadge(unread, unreadText(unread));
    this.#registrations = vscode.Disposable.from(
      statusItem,
      recentFiles,
      sessionsView,
      changesView,
      registerFixActions(),
      ...commandIds.map(id => vscode.commands.registerCommand(id, (...args: unknown[]) => this.#runCommand(id, args))),
      vscode.window.registerWebviewViewProvider(
        "parley.chat",
        {
          resolveWebviewView: async (view, ...args) => {
            pages.openEarly(view.webview);
            (await load()).chat.resolveWebviewView(view, ...args);
          },
        },
        { webviewOptions: { retainContextWhenHidden: true } },
      ),
      vscode.window.registerWebviewPanelSerializer(chatEditorType, {
        deserializeWebviewPanel: async (...args) => (await load()).chat.deserializeWebviewPanel(...args),
      }),
      vscode.window.registerUriHandler({ handleUri: async uri => (await load()).api.openLink(uri) }),
      vscode.window.tabGroups.onDidChangeTabs(({ opened }) => {
        if (hasParleyTab(opened)) void this.loadIfNeeded();
      }),
    );
  }

  /** What other extensions get. It loads the extension with the first call. */
  get exports(): ParleyExports {
    return Object.freeze({
      version: 1,
      connect: async (extension: vscode.Extension<unknown>) => (await this.#extension.load()).api.connect(extension),
    });
  }

  /** Loads the extension if it shows something without being used. Resolves also if it is being loaded for another reason. */
  loadIfNeeded(): Promise<void> {
    return this.#extension.loadIf(async () => hasOpenParleyTab() || (await hasStoredWork(this.#context)));
  }

  /** Shows the chat if `npm start` has opened the window. The view can wait for the activation, so the activation must not wait. */
  async openChatAtStart(): Promise<void> {
    // A failure was shown to the user.
    if (opensChatAtStart(this.#context)) await this.#runCommand("parley.openChat", []).catch(() => undefined);
  }

  /** Resolves when agents and terminals have ended, and everything is stored. */
  async shutDown(): Promise<void> {
    const loaded = await this.#extension.begun?.catch(() => undefined);
    await loaded?.shutDown();
  }

  dispose(): void {
    this.#registrations.dispose();
  }

  async #runCommand(id: CommandId, args: readonly unknown[]): Promise<void> {
    await (await this.#extension.load()).runCommand(id, args);
  }
}

const unreadText = (count: number): string =>
  count === 1 ? vscode.l10n.t("A session is unread") : vscode.l10n.t("{0} sessions are unread", count);
