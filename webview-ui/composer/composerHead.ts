// The keys of the head that the composer renders.
import type { ViewHead } from "../../src/panel/protocol.ts";
import { placeholderHead } from "../base/placeholderHead.ts";

const composerKeys = [
  "session",
  "title",
  "queue",
  "agent",
  "connection",
  "problem",
  "activity",
  "accepts",
  "sendKey",
  "commands",
  "prompts",
  "mcpServers",
  "options",
  "allowsEdits",
  "activeFile",
  "newProblems",
] as const satisfies readonly (keyof ViewHead)[];

/** The head without what changes while an agent works, such as the usage, the plans and the changes to review. */
export type ComposerHead = Pick<ViewHead, (typeof composerKeys)[number]>;

/** Whether a head needs another rendering of the composer. */
export const changesComposer = (head: ComposerHead, before: ComposerHead | undefined): boolean =>
  head !== before &&
  (before === undefined || before === placeholderHead || composerKeys.some(key => head[key] !== before[key]));
