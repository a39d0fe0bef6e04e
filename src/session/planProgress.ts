// How far a plan is. Pure: the panel imports it, too.
import type { Plan } from "./events.ts";

/** Whether nothing of the plan is left to do. A text or a file does not tell that, so it stays until the agent removes it. */
export const isPlanDone = ({ entries, markdown, uri, kind }: Plan): boolean =>
  markdown === undefined &&
  uri === undefined &&
  kind === undefined &&
  entries.every(({ status }) => status === "completed" || status === "cancelled");
