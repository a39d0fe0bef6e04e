// The facts of this window that permission rules need.
import { homedir } from "node:os";
import * as vscode from "vscode";
import { hostPlatform } from "../../base/platform.ts";
import { nodePaths } from "../../files/nodePaths.ts";
import { Confinement } from "../../files/paths.ts";
import type { PermissionQuestion } from "../../session/agent.ts";
import { sessionRoots } from "../../editor/folders.ts";
import { questionFacts, type FactsContext } from "../questionFacts.ts";
import type { QuestionFacts } from "../rules.ts";

/** What rules see of a question in this window. */
export function factsOf(question: PermissionQuestion, agent: string, workspaceFolder: string): Promise<QuestionFacts> {
  return questionFacts(
    question,
    factsContext(agent, workspaceFolder, new Confinement(nodePaths(), sessionRoots(workspaceFolder))),
  );
}

/** What rules have to know of this window. */
export function factsContext(agent: string, workspaceFolder: string, confinement: Confinement): FactsContext {
  return {
    agent,
    workspaceFolder,
    place: {
      roots: confinement.roots,
      platform: hostPlatform,
      ignoresCase: nodePaths().ignoresCase,
      home: homedir(),
    },
    // Nobody knows which of its shells an agent uses on Windows.
    shells: hostPlatform === "windows" ? ["powershell", "cmd", "posix"] : ["posix"],
    trusted: vscode.workspace.isTrusted,
    roots: () => confinement.namedAndRealRoots(),
    // Through the fence: it spells paths by the roots as they are given, and contacts no foreign machine.
    resolve: async path => (await confinement.locate(path)).path,
  };
}
