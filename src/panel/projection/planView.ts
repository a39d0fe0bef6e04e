// The views of plans, of the agent and of its sub-agents.
import { relativeLabel } from "../../base/pathLabel.ts";
import type { Plan } from "../../session/events.ts";
import type { ViewPlan } from "../protocol.ts";

/** The plan with the label of its file. `isOutside`: whether a path is outside the folders of the session. */
export function planView(
  { path, entries, markdown, uri, kind }: Plan,
  workspaceFolder: string,
  isOutside: (path: string, workspaceFolder: string) => boolean,
): ViewPlan {
  return {
    entries,
    ...(markdown !== undefined && { markdown }),
    ...(uri !== undefined && { uri }),
    ...(kind !== undefined && { kind }),
    ...(path !== undefined && {
      file: {
        ...{ path, label: relativeLabel(path, workspaceFolder) },
        ...(isOutside(path, workspaceFolder) && { isOutside: true as const }),
      },
    }),
  };
}
