// Reads the configured MCP servers: the user's setting, the setting of an agent, and `.vscode/mcp.json` of the workspace.
import * as vscode from "vscode";
import type { AgentDefinition } from "../../agents/registry.ts";
import { asError } from "../../base/errors.ts";
import { DisposableStore, Emitter, type Disposable, type Event } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import { userSetting } from "../../editor/userSettings.ts";
import { nodePaths } from "../../files/nodePaths.ts";
import { Confinement } from "../../files/paths.ts";
import { agentServers, allServersFor, readWorkspaceServers, type ConfiguredServers } from "../configuredServers.ts";
import { readServers, type McpServer, type ServersRead } from "../servers.ts";

const none: ServersRead = { servers: [], problems: [] };

/** The problems in the servers of the user's settings, as sentences. */
export function serverSettingProblems(agents: readonly AgentDefinition[]): readonly string[] {
  return [userServers(), ...agents.map(agentServers)].flatMap(({ problems }) => problems);
}

const userServers = (): ServersRead => readServers(userSetting("mcpServers"), "user", "parley.mcpServers");

/** The servers of the window. Those of the workspace follow its file. */
export class ServerSettings implements ConfiguredServers, Disposable {
  readonly #store = new DisposableStore();
  readonly #log: Log;
  readonly #changed = this.#store.add(new Emitter<void>());
  readonly onDidChange: Event<void> = this.#changed.event;
  #workspace: ServersRead = none;
  #files: readonly string[] = [];
  #reading: Promise<void> = Promise.resolve();

  constructor(log: Log) {
    this.#log = log;
    const watcher = this.#store.add(vscode.workspace.createFileSystemWatcher("**/.vscode/mcp.json"));
    const read = (): void => void this.#read();
    for (const event of [watcher.onDidChange, watcher.onDidCreate, watcher.onDidDelete]) this.#store.add(event(read));
    this.#store.add(vscode.workspace.onDidChangeWorkspaceFolders(read));
    this.#store.add(vscode.workspace.onDidGrantWorkspaceTrust(read));
    this.#store.add(
      vscode.workspace.onDidChangeConfiguration(event => {
        if (event.affectsConfiguration("parley.mcpServers") || event.affectsConfiguration("parley.agents"))
          this.#changed.fire();
      }),
    );
    read();
  }

  get workspaceProblems(): readonly string[] {
    return this.#workspace.problems;
  }

  get workspaceFiles(): readonly string[] {
    return this.#files;
  }

  servers(agent: AgentDefinition | undefined): readonly McpServer[] {
    if (!vscode.workspace.isTrusted) return [];
    return allServersFor(agent, userServers().servers, this.#workspace.servers);
  }

  whenRead(): Promise<void> {
    return this.#reading;
  }

  #read(): Promise<void> {
    this.#reading = this.#readWorkspace().catch((error: unknown) =>
      this.#log.error("The MCP servers of the workspace could not be read.", asError(error).stack),
    );
    return this.#reading;
  }

  async #readWorkspace(): Promise<void> {
    const folders = vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
    const read = await Promise.all(folders.map(({ uri }) => readFile(uri)));
    this.#workspace = { servers: read.flatMap(one => one.servers), problems: read.flatMap(one => one.problems) };
    this.#files = (await Promise.all(folders.map(({ uri }) => namesOf(uri)))).flat();
    for (const problem of this.#workspace.problems) this.#log.warn(problem);
    this.#changed.fire();
  }

  dispose(): void {
    this.#store.dispose();
  }
}

const serverFile = (folder: vscode.Uri): vscode.Uri => vscode.Uri.joinPath(folder, ".vscode", "mcp.json");

/** The paths of the file of a folder, which need not exist. None if it is not on this machine. */
async function namesOf(folder: vscode.Uri): Promise<readonly string[]> {
  const { scheme, fsPath } = serverFile(folder);
  if (scheme !== "file") return [];
  const located = new Confinement(nodePaths(), [folder.fsPath]).locate(fsPath);
  // A path that cannot be resolved has no other name.
  return [fsPath, await located.then(({ path }) => path).catch(() => fsPath)];
}

/** Reads the file of a workspace folder. */
async function readFile(folder: vscode.Uri): Promise<ServersRead> {
  const uri = serverFile(folder);
  let bytes: Uint8Array;
  try {
    bytes = await vscode.workspace.fs.readFile(uri);
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === "FileNotFound") return none;
    throw error;
  }
  return readWorkspaceServers(new TextDecoder().decode(bytes), folder.fsPath, vscode.workspace.asRelativePath(uri));
}
