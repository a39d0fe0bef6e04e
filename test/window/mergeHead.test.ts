// The merge of the parts of the head. The compiler checks the types: an expected error that does not occur fails the type
// check.
import assert from "node:assert/strict";
import { Emitter } from "../../src/base/lifecycle.ts";
import type { HeadPart } from "../../src/panel/headParts.ts";
import { neverFires } from "../support/fakes/heads.ts";
import { WholeProjector } from "../support/fakes/wholeViews.ts";
import { emptySession } from "../../src/session/state.ts";
import { mergeHead } from "../../src/window/mergeHead.ts";

const agents: HeadPart<"agents" | "chosenAgent" | "hasLostAgent" | "signingIn"> = {
  values: {
    agents: () => [{ id: "a", name: "A" }],
    chosenAgent: () => ({ id: "a", name: "A" }),
    hasLostAgent: () => undefined,
    signingIn: () => undefined,
  },
  onDidChange: neverFires,
};
const sessions: HeadPart<"session" | "folder" | "problem" | "recent" | "checkpoints" | "branches"> = {
  values: {
    session: session => session?.id,
    folder: () => undefined,
    problem: () => null,
    recent: () => [],
    checkpoints: () => undefined,
    branches: () => undefined,
  },
  onDidChange: neverFires,
};
const settings: HeadPart<"sendKey" | "settingsProblem"> = {
  values: { sendKey: () => "modEnter", settingsProblem: () => ({ message: "One setting is wrong.", next: [] }) },
  onDidChange: neverFires,
};
const follow: HeadPart<"follow"> = { values: { follow: () => "paused" }, onDidChange: neverFires };
const rest: HeadPart<
  | "prompts"
  | "mcpServers"
  | "ownQuestions"
  | "changes"
  | "allowsEdits"
  | "hasSearchHits"
  | "resumeQuestion"
  | "worktree"
  | "comments"
  | "activeFile"
  | "newProblems"
> = {
  values: {
    prompts: () => [],
    mcpServers: () => [],
    ownQuestions: () => [],
    changes: () => null,
    allowsEdits: () => false,
    hasSearchHits: () => false,
    resumeQuestion: () => null,
    worktree: () => null,
    comments: () => undefined,
    activeFile: () => null,
    newProblems: () => null,
  },
  onDidChange: neverFires,
};

describe("the merge of the parts of the head", () => {
  it("gives the values of all parts to the view, without keys for those that are undefined", () => {
    const read = mergeHead([agents, sessions, settings, follow, rest]).read(undefined);
    assert.ok(!("session" in read) && !("folder" in read));
    const { head } = new WholeProjector().project(emptySession, read);
    assert.deepEqual(
      [head.agents, head.agent?.id, head.follow, head.sendKey, head.recent, head.problem?.message],
      [[{ id: "a", name: "A" }], "a", "paused", "modEnter", [], "One setting is wrong."],
    );
  });

  it("announces the change of any part, until the listener is removed", () => {
    const changed = new Emitter<void>();
    const other = new Emitter<void>();
    const head = mergeHead([
      { ...agents, onDidChange: changed.event },
      sessions,
      settings,
      { ...follow, onDidChange: other.event },
      rest,
    ]);
    let count = 0;
    const listener = head.onDidChange(() => count++);
    changed.fire();
    other.fire();
    assert.equal(count, 2);
    listener.dispose();
    changed.fire();
    assert.equal(count, 2);
  });

  it("is a compile error when no feature gives a key", () => {
    // @ts-expect-error "follow" is missing.
    assert.ok(!("follow" in mergeHead([agents, sessions, settings, rest]).read(undefined)));
  });

  it("is a compile error when two features give the same key", () => {
    // @ts-expect-error "follow" is given twice.
    assert.ok(mergeHead([agents, sessions, settings, rest, follow, follow]).read(undefined));
  });
});
