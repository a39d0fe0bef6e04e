// What the panel goes by until the host has told the first view.
import type { ViewHead } from "../../src/panel/protocol.ts";

/** Of a session nothing is known of yet: one can write, and sends when it is. */
export const placeholderHead: ViewHead = {
  title: "",
  agent: null,
  agents: [],
  connection: null,
  activity: { state: "idle", since: 0, cancelling: false },
  live: null,
  problem: null,
  asks: [],
  plans: [],
  queue: [],
  commands: [],
  options: [],
  usage: null,
  changes: null,
  cwd: "",
  accepts: null,
  sendKey: "enter",
  follow: "off",
};
