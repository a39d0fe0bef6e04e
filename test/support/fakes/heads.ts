// What a view gets from a window without features.
import type { Event } from "../../../src/base/lifecycle.ts";
import type { HeadInputs, HeadValues } from "../../../src/panel/headParts.ts";

/** An event that never fires. */
export const neverFires: Event<void> = () => ({ dispose: () => {} });

/** The head without agents, problems and changes. */
export const emptyHead: HeadInputs = {
  agents: [],
  chosenAgent: null,
  problem: null,
  changes: null,
  follow: "off",
  sendKey: "enter",
};

/** The values of a window without features. */
export const emptyHeadValues: HeadValues = {
  session: () => undefined,
  folder: () => undefined,
  agents: () => [],
  chosenAgent: () => null,
  hasLostAgent: () => undefined,
  signingIn: () => undefined,
  problem: () => null,
  settingsProblem: () => undefined,
  prompts: () => undefined,
  mcpServers: () => undefined,
  ownQuestions: () => undefined,
  checkpoints: () => undefined,
  branches: () => undefined,
  changes: () => null,
  comments: () => undefined,
  follow: () => "off",
  sendKey: () => "enter",
  recent: () => undefined,
  hasSearchHits: () => undefined,
  resumeQuestion: () => null,
  allowsEdits: () => undefined,
  worktree: () => undefined,
  activeFile: () => undefined,
  newProblems: () => undefined,
};
