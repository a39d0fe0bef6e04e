// The facts about this window that permission rules need.
import { homedir } from "node:os";
import * as vscode from "vscode";
import { jsonEqual } from "../../base/jsonEqual.ts";
import { hostPlatform } from "../../base/platform.ts";
import { nodePaths } from "../../files/nodePaths.ts";
import { Confinement } from "../../files/paths.ts";
import type { PermissionQuestion } from "../../session/agent.ts";
import { sessionRoots } from "../../editor/folders.ts";
import type { PathContext } from "../pathGlob.ts";
import { protectionTest, runsOf, type ProtectionSettings, type ProtectionTest } from "../protectedFiles.ts";
import { questionFacts, type FactsContext } from "../questionFacts.ts";
import type { QuestionFacts } from "../rules.ts";

/** The facts of a question in this window, for rules. */
export function factsOf(question: PermissionQuestion, agent: string, workspaceFolder: string): Promise<QuestionFacts> {
  return questionFacts(
    question,
    factsContext(agent, workspaceFolder, new Confinement(nodePaths(), sessionRoots(workspaceFolder))),
  );
}

/** The results for more paths are not kept. */
const maxKnownPaths = 10_000;

/**
 * When programs run a file of this window, or whether agents follow it. The lists are prepared, and each path is compared with
 * them, once for the same object of settings and folders: the panel shows a thousand changed files many times a turn.
 */
export function runsInWindow(settings: () => ProtectionSettings): (path: string) => ReturnType<typeof runsOf> {
  let known:
    | {
        readonly settings: ProtectionSettings;
        readonly roots: readonly string[];
        readonly test: ProtectionTest;
        readonly runs: Map<string, ReturnType<typeof runsOf>>;
      }
    | undefined;
  return path => {
    const current = settings();
    const roots = sessionRoots("").filter(root => root !== "");
    if (known?.settings !== current || !jsonEqual(known.roots, roots) || known.runs.size > maxKnownPaths) {
      const place: PathContext = {
        ...{ roots, platform: hostPlatform },
        ...{ ignoresCase: nodePaths().ignoresCase, home: homedir() },
      };
      known = { settings: current, roots, test: protectionTest(current, place), runs: new Map() };
    }
    const { test, runs } = known;
    if (!runs.has(path)) runs.set(path, runsOf(test(path)));
    return runs.get(path);
  };
}

/** The context of this window, for rules. */
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
    // It is unknown which of the Windows shells an agent uses.
    shells: hostPlatform === "windows" ? ["powershell", "cmd", "posix"] : ["posix"],
    trusted: vscode.workspace.isTrusted,
    roots: () => confinement.namedAndRealRoots(),
    // Resolved by the confinement, which spells paths by the given roots and never contacts other machines.
    resolve: async path => (await confinement.locate(path)).path,
  };
}
