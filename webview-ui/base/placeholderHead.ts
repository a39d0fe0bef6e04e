// The state that the panel uses until the host sends the first view.
import type { ViewHead } from "../../src/panel/protocol.ts";

/** The head of a session that is not known yet. The user can already type; the prompt is sent once it is known. */
export const placeholderHead: ViewHead = {
  title: "",
  agent: null,
  agents: [],
  connection: null,
  activity: { state: "idle", since: 0, cancelling: false },
  live: null,
  problem: null,
  questions: [],
  plans: [],
  queue: [],
  commands: [],
  options: [],
  usage: null,
  turnUsage: null,
  changes: null,
  cwd: "",
  accepts: null,
  sendKey: "enter",
  follow: "off",
};
