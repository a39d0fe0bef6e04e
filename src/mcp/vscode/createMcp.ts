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
import type { McpClient, McpClientModule } from "../promptServer.ts";
import { askConsent } from "./askConsent.ts";
import { askInput, forgetInputs } from "./askInput.ts";
import { signInQuestions, signOutOfServers } from "./askSignIn.ts";
import { importServers } from "./importServers.ts";
import { ServerSettings } from "./serverSettings.ts";

export interface McpFeature extends McpServers {
  readonly commands: CommandHandlers<
    "parley.importMcpServers" | "parley.removeMcpInputs" | "parley.signOutOfMcpServers"
  >;
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
  const { context, store, log, clock, storage, secrets } = platform;
  let loaded: McpClient | undefined;
  // Loaded on first use.
  const client = (): McpClient => (loaded ??= loadClient(context));
  const servers = store.add(
    createMcpServers({
      ...{ agents, environment, promptFiles, ownServer, clock, log },
      ...{ newId: randomUUID, states: context, secrets },
      settings: store.add(new ServerSettings(log)),
      questions: {
        consent: askConsent,
        input: (server, input) => askInput(server, input, secrets.note),
        review: offerReview,
      },
      signInQuestions: {
        ...signInQuestions,
        confirm: ({ message, detail }) =>
          signInQuestions.confirm({ message, detail: secrets.note === undefined ? detail : [...detail, secrets.note] }),
      },
      client: {
        connectToServer: (target, options) => client().connectToServer(target, options),
        signIn: (target, flow) => client().signIn(target, flow),
        refreshSignIn: (url, stored, signal) => client().refreshSignIn(url, stored, signal),
        revokeSignIn: (url, stored, signal) => client().revokeSignIn(url, stored, signal),
      },
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
      "parley.signOutOfMcpServers": () => signOutOfServers(servers),
      "parley.removeMcpInputs": async () => servers.restart(await forgetInputs(servers.inputs)),
    },
  };
}

/** Loads the client in `dist/mcp.js`. */
function loadClient(context: vscode.ExtensionContext): McpClient {
  const load = createRequire(context.asAbsolutePath(join("dist", "extension.js")));
  const { mcpClient } = load("./mcp.js") as McpClientModule;
  mcpClient.translateWith(t);
  return mcpClient;
}

async function offerReview(message: string): Promise<boolean> {
  const review = vscode.l10n.t("Review…");
  return (await showInformationMessage(message, review)) === review;
}
