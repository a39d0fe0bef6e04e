// Which tool calls name git.
import assert from "node:assert/strict";
import { namesGit } from "../../src/history/namesGit.ts";

describe("a tool call", () => {
  const none = new Map<string, never>();
  const title = (text: string): boolean => namesGit({ title: text }, none);

  it("names git by its title, its input or the command of its terminal", () => {
    for (const text of [
      "git pull",
      "Run `git checkout main`",
      "/usr/bin/git stash",
      "GIT_PAGER=cat git log",
      "(git add .)",
    ])
      assert.ok(title(text), text);
    assert.ok(namesGit({ title: "Run", rawInput: { command: ["bash", "-lc", "cd x && git reset --hard"] } }, none));
    const terminal = { id: "t", command: "git merge main", output: "", truncated: false };
    assert.ok(namesGit({ content: [{ type: "terminal", terminalId: "t" }] }, new Map([["t", terminal]])));
  });

  it("does not name git by a path or a word that contains it", () => {
    for (const text of [
      "Edit .gitignore",
      "Read .git/config",
      "ls /home/me/git/x",
      "clone of x.git",
      "digit",
      "gitops",
    ])
      assert.ok(!title(text), text);
    assert.ok(!namesGit({ title: "Run tests", rawInput: { path: "/w/git/a.txt", count: 3, deep: [null] } }, none));
    assert.ok(!namesGit({}, none));
  });

  it("is searched only at the beginning of a very long input", () => {
    assert.ok(!namesGit({ rawInput: { content: `${" ".repeat(50_000)}git pull` } }, none));
  });
});
