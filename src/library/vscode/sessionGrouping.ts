// Whether the Sessions view groups the sessions by day or by folder, which the window remembers.
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import { setContextKey } from "../../editor/contextKeys.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import type { SessionsTree } from "./sessionsTree.ts";

/** In the state of the workspace. */
const stateKey = "parley.groupsSessionsByFolder";

/** Groups the sessions as the user chose before. Returns the commands that change it. */
export function sessionGrouping(
  { workspaceState }: Pick<ExtensionPlatform["context"], "workspaceState">,
  tree: Pick<SessionsTree, "groupByFolder">,
): CommandHandlers<"parley.groupSessionsByFolder" | "parley.groupSessionsByDate"> {
  const show = (isByFolder: boolean): void => {
    setContextKey(stateKey, isByFolder);
    tree.groupByFolder(isByFolder);
  };
  const choose = async (isByFolder: boolean): Promise<void> => {
    show(isByFolder);
    await workspaceState.update(stateKey, isByFolder || undefined);
  };
  show(workspaceState.get(stateKey, false));
  return {
    "parley.groupSessionsByFolder": () => choose(true),
    "parley.groupSessionsByDate": () => choose(false),
  };
}
