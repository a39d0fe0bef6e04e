// What one session's agent may use here: puts files, terminals and questions of src/workspace together.
import * as vscode from "vscode";
import type { AgentDefinition } from "../agents/registry.ts";
import type { SessionEvent } from "../session/events.ts";
import type { Room } from "../session/session.ts";
import { SessionFiles } from "../workspace/files.ts";
import { nodePaths } from "../workspace/nodePaths.ts";
import { Confinement } from "../workspace/paths.ts";
import { PermissionBroker } from "../workspace/permissions.ts";
import type { Documents } from "../workspace/ports.ts";
import { SessionTerminals } from "../workspace/terminals.ts";

/** The folders an agent may touch: its own, and every folder of the workspace. */
export function sessionRoots(cwd: string): readonly string[] {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(folder => folder.uri.scheme === "file");
  return [...new Set([cwd, ...folders.map(folder => folder.uri.fsPath)])];
}

/** A room for one session. `onEnding` gets the promise that its processes are gone, once it is disposed. */
export function makeRoom(
  documents: Documents,
  definition: AgentDefinition,
  cwd: string,
  dispatch: (event: SessionEvent) => void,
  onEnding: (ended: Promise<void>) => void,
): Room {
  const confinement = new Confinement(nodePaths(), sessionRoots(cwd));
  const files = new SessionFiles(documents, confinement, { missingFiles: definition.missingFiles });
  const broker = new PermissionBroker({ report: dispatch });
  const terminals = new SessionTerminals({
    confinement,
    cwd,
    env: terminalEnvironment(),
    shell: vscode.env.shell,
    report: dispatch,
  });
  return {
    requestPermission: (question, signal) => broker.requestPermission(question, signal),
    answer: (ask, option) => broker.answer(ask, option),
    cancelQuestions: () => broker.cancelAll(),
    readTextFile: request => files.read(request),
    writeTextFile: async request => {
      await files.write(request);
    },
    createTerminal: request => terminals.createTerminal(request),
    terminalOutput: id => terminals.terminalOutput(id),
    waitForTerminalExit: (id, signal) => terminals.waitForTerminalExit(id, signal),
    killTerminal: id => terminals.killTerminal(id),
    releaseTerminal: id => terminals.releaseTerminal(id),
    dispose() {
      broker.dispose();
      onEnding(terminals.close());
    },
  };
}

/** The host's environment, changed as the user's integrated terminal would change it. */
function terminalEnvironment(): NodeJS.ProcessEnv {
  const platform = process.platform === "win32" ? "windows" : process.platform === "darwin" ? "osx" : "linux";
  const changes =
    vscode.workspace.getConfiguration("terminal.integrated.env").get<Record<string, string | null>>(platform) ?? {};
  const env = { ...process.env };
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) delete env[name];
    else env[name] = value;
  }
  return env;
}
