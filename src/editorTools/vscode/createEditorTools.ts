// Creates the tools of the editor for agents: an MCP server that each session reaches with a token of its own.
import { createRequire } from "node:module";
import { join } from "node:path";
import * as vscode from "vscode";
import { visibleName } from "../../base/inertText.ts";
import { t } from "../../base/l10n.ts";
import { Emitter, type Event } from "../../base/lifecycle.ts";
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import type { Review } from "../../review/review.ts";
import type { AgentServerLaunch } from "../../session/agent.ts";
import type { AgentActions, SessionParticipant } from "../../session/participant.ts";
import { changesOfSession } from "../sessionChanges.ts";
import { fullTitle } from "../extensionTools.ts";
import { describedTools } from "../sessionTools.ts";
import type { ToolAccess, ToolChoice } from "../tool.ts";
import type { ToolServerModule } from "../toolServer.ts";
import { ToolSessions, type ToolUser } from "../toolSessions.ts";
import { chooseExtensionTools } from "./chooseExtensionTools.ts";
import { WindowExtensionTools } from "./windowExtensionTools.ts";
import { WindowEditor, type WindowEditorOptions } from "./windowEditor.ts";

export interface EditorToolsFeature {
  /** The server, as agents get it with their MCP servers. */
  readonly server: {
    /** The titles of the tools for the agent with this id. Undefined while the user has switched them off. */
    tools(agent: string | undefined): readonly string[] | undefined;
    /** How the agent of the session reaches its tools. Undefined: it can use no server. */
    serverFor(session: string, user: ToolUser): Promise<AgentServerLaunch | undefined>;
    /** Switches the tools of a session on or off. */
    setOn(session: string, on: boolean): void;
    /** Ends the access to the tools that a session got, which will not open. */
    end(session: string): void;
    /** Fires when the tools may be on or off. */
    readonly onDidChange: Event<void>;
  };
  /** The tools' part in a session, which opens its files to them. */
  startSession(session: string, access: ToolAccess): SessionParticipant;
  readonly commands: CommandHandlers<"parley.chooseExtensionTools">;
  /** Ends the server. Resolves when nothing listens any more. */
  close(): Promise<void>;
}

interface EditorToolsOptions extends Omit<WindowEditorOptions, "extensionTools"> {
  /** Which tools the user lets the agent with this id use. */
  readonly toolsFor: (agent: string | undefined) => "off" | ToolChoice;
  /** The settings that say it. The tools of extensions are named by their ids. */
  readonly settings: {
    read(): {
      readonly editorTools: "off" | ToolChoice;
      readonly agents: readonly { readonly editorTools?: "off" | ToolChoice }[];
      readonly extensionTools: readonly string[];
    };
    readonly onDidChange: Event<void>;
  };
  readonly review: () => Pick<Review, "files" | "turns">;
}

/** Creates the feature. Nothing listens before a session gets the tools. */
export function createEditorTools(
  { context, store, clock, log }: ExtensionPlatform,
  { toolsFor, settings, review, ...others }: EditorToolsOptions,
): EditorToolsFeature {
  const version = String((context.extension.packageJSON as { version?: unknown }).version);
  const loaded = (): ToolServerModule["toolServer"] =>
    loadServer(context.asAbsolutePath(join("dist", "extension.js"))).toolServer;
  const chosen = (): readonly string[] => settings.read().extensionTools;
  const extensionTools = new WindowExtensionTools({
    chosen,
    inputFault: (schema, input) => loaded().inputFault(schema, input),
  });
  const changed = store.add(new Emitter<void>());
  store.add(settings.onDidChange(() => changed.fire()));
  // The tools of an extension come and go with it. VS Code has no event for them.
  store.add(vscode.extensions.onDidChange(() => changed.fire()));
  const windowOptions = { ...others, extensionTools };
  let editor: WindowEditor | undefined;
  const sessions = store.add(
    new ToolSessions({
      ...{ toolsFor, extensionTools, clock, log },
      startServer: options => {
        // It listens for problems from now on.
        editor ??= store.add(new WindowEditor(windowOptions));
        return loaded().startToolServer({ ...options, version, clock });
      },
      answerMessage: (message, more) => {
        editor ??= store.add(new WindowEditor(windowOptions));
        return loaded().answerMessage(message, { ...more, version, clock });
      },
      bridge: { node: process.execPath, script: context.asAbsolutePath(join("dist", "mcpBridge.js")) },
      context: (session, access) => {
        editor ??= store.add(new WindowEditor(windowOptions));
        return { access, editor, changes: () => changesOfSession(review(), session), clock };
      },
    }),
  );
  return {
    server: {
      tools: agent => {
        const choice = toolsFor(agent);
        if (choice === "off") return undefined;
        const own = describedTools(choice).map(({ title }) => title);
        if (choice === "read") return own;
        const present = extensionTools.chosen();
        const missing = chosen().filter(id => present.every(tool => tool.id !== id));
        // The row shows the beginning of the list.
        const unavailable = missing.map(id => t("{0} (not available now)", missingName(id)));
        return [...present.map(fullTitle), ...unavailable, ...own];
      },
      serverFor: (session, user) => sessions.serverFor(session, user),
      setOn: (session, on) => sessions.setOn(session, on),
      end: session => sessions.end(session),
      onDidChange: changed.event,
    },
    commands: {
      "parley.chooseExtensionTools": () => {
        const { agents, editorTools: usual } = settings.read();
        const isUsed = agents.some(({ editorTools }) => (editorTools ?? usual) === "all");
        return chooseExtensionTools(extensionTools.all(), chosen(), isUsed);
      },
    },
    startSession: (session, access) => {
      let actions: AgentActions | undefined;
      const opened = sessions.opened(session, {
        ...access,
        allowed: new Set(),
        get actions() {
          return actions;
        },
      });
      return {
        begin: begun => {
          actions = begun;
        },
        dispose: () => {
          actions = undefined;
          opened.dispose();
        },
      };
    },
    close: () => sessions.close(),
  };
}

const maxMissingName = 100;
const missingName = (id: string): string => visibleName(id, maxMissingName);

/** Loads the server in `dist/editorTools.js`. */
const loadServer = (extensionFile: string): ToolServerModule =>
  createRequire(extensionFile)("./editorTools.js") as ToolServerModule;
