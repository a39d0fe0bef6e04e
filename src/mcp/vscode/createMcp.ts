// Creates what the window needs of MCP: servers for agents, and prompts as slash commands.
import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import type { AgentDefinition } from "../../agents/registry.ts";
import { t } from "../../base/l10n.ts";
import type { WindowEnvironment } from "../../base/windowEnvironment.ts";
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import { showInformationMessage } from "../../editor/editorUi.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import { sessionFolder, sessionRoots } from "../../editor/folders.ts";
import type { PromptFiles } from "../../promptFiles/promptFiles.ts";
import { sessionOfLogFile } from "../../session/log/sessionStore.ts";
import type { Session } from "../../session/session.ts";
import { createMcpServers, type McpServers } from "../mcpServers.ts";
import type { OwnServer } from "../ownServer.ts";
import type { McpClientModule } from "../promptServer.ts";
import { askConsent } from "./askConsent.ts";
import { askInput, forgetInputs } from "./askInput.ts";
import { importServers } from "./importServers.ts";
import { ServerSettings } from "./serverSettings.ts";

export interface McpFeature extends McpServers {
  readonly commands: CommandHandlers<"parley.importMcpServers" | "parley.removeMcpInputs">;
}

/** Creates the feature. Nothing starts before the user types `/`, or a session opens. */
export function createMcp(
  platform: ExtensionPlatform,
  {
    sessions,
    agents,
    environment,
    promptFiles,
    ownServer,
  }: {
    /** The open sessions. */
    readonly sessions: () => readonly Session[];
    readonly agents: () => readonly AgentDefinition[];
    readonly environment: WindowEnvironment;
    readonly promptFiles: PromptFiles;
    readonly ownServer: OwnServer;
  },
): McpFeature {
  const { context, store, log, clock, storage } = platform;
  let client: McpClientModule | undefined;
  const servers = store.add(
    createMcpServers({
      ...{ agents, environment, promptFiles, ownServer, clock, log },
      ...{ newId: randomUUID, states: context, secrets: context.secrets },
      settings: store.add(new ServerSettings(log)),
      questions: { consent: askConsent, input: askInput, review: offerReview },
      // Loaded on first use.
      connectToServer: (target, options) => (client ??= loadClient(context)).connectToServer(target, options),
      version: String((context.extension.packageJSON as { version?: unknown }).version),
      startFolder: join(context.globalStorageUri.fsPath, "mcp"),
      userHome: homedir(),
      folders: { usual: sessionFolder, roots: sessionRoots },
      sessions: {
        open: sessions,
        stored: async () =>
          (await storage.list()).map(({ name }) => sessionOfLogFile(name)).filter(id => id !== undefined),
      },
    }),
  );
  return {
    ...servers,
    commands: {
      "parley.importMcpServers": () => importServers(context),
      "parley.removeMcpInputs": async () => servers.restart(await forgetInputs(servers.inputs)),
    },
  };
}

/** Loads the client in `dist/mcp.js`. */
function loadClient(context: vscode.ExtensionContext): McpClientModule {
  const client = createRequire(context.asAbsolutePath(join("dist", "extension.js")))("./mcp.js") as McpClientModule;
  client.translateWith(t);
  return client;
}

async function offerReview(message: string): Promise<boolean> {
  const review = vscode.l10n.t("Review…");
  return (await showInformationMessage(message, review)) === review;
}
