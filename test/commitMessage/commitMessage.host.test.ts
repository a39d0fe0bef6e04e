// Writing commit messages through VS Code's git extension: the box, its document, and the command.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { editorBox } from "../../src/commitMessage/vscode/editorBox.ts";
import { gitApi, type EditorRepository } from "../../src/git/vscode/gitExtension.ts";
import { until } from "../support/fakes/until.ts";

const extension = vscode.extensions.getExtension<void>("parley.parley");
assert.ok(extension, "Parley is not installed in this VS Code.");

describe("a commit message in VS Code", () => {
  let base: string;
  let root: string;
  let repository: EditorRepository;
  const git = (...args: readonly string[]): unknown =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], { cwd: root, stdio: "pipe" });

  before(async () => {
    base = realpathSync(mkdtempSync(join(tmpdir(), "parley commit & é-")));
    root = join(base, "app");
    execFileSync("git", ["init", "-qb", "main", root]);
    writeFileSync(join(root, "a.txt"), "a\n");
    git("add", ".");
    git("commit", "-qm", "Begin");
    await extension.activate();
    await vscode.commands.executeCommand("git.openRepository", root);
    const api = await gitApi();
    await until(() => api?.repositories.some(({ rootUri }) => rootUri.fsPath === root) === true);
    const found = api?.repositories.find(({ rootUri }) => rootUri.fsPath === root);
    assert.ok(found);
    repository = found;
  });
  after(async () => {
    await vscode.commands.executeCommand("git.close", repository);
    // A command of the git extension can still write into the repository.
    rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  });

  const agents = (args: readonly string[]): Thenable<void> =>
    vscode.workspace.getConfiguration("parley").update(
      "agents",
      args.length === 0
        ? undefined
        : {
            demo: false,
            writer: { name: "Writer", command: process.execPath, args, env: { ELECTRON_RUN_AS_NODE: "1" } },
          },
      vscode.ConfigurationTarget.Global,
    );

  it("is in the box that the git extension offers, and VS Code reports each change of its document", async () => {
    await vscode.commands.executeCommand("workbench.view.scm");
    const box = editorBox(repository);
    const seen: string[] = [];
    const listening = box.onDidChange?.(text => seen.push(text));
    try {
      await until(() => {
        box.value = `text ${seen.length} ${Date.now()}`;
        return seen.length > 0;
      });
      assert.equal(repository.inputBox.value, box.value);
    } finally {
      listening?.dispose();
      box.value = "";
    }
  });

  it("is written by the agent into the box of the repository of the button, and the agent can do nothing else", async () => {
    const log = join(base, "agent.log");
    const agent = join(extension.extensionPath, "test/support/agents/messageAgent.mjs");
    writeFileSync(join(root, "a.txt"), "changed\n");
    writeFileSync(join(root, ".env"), "TOKEN=verysecret\n");
    await agents([agent, log]);
    repository.inputBox.value = "my hint";
    try {
      await vscode.commands.executeCommand("parley.writeCommitMessage", { rootUri: repository.rootUri });
      assert.equal(repository.inputBox.value, "Describe the change\n\nIt is new.");
      const lines = (): readonly Record<string, unknown>[] =>
        readFileSync(log, "utf8")
          .trim()
          .split("\n")
          .map(line => JSON.parse(line) as Record<string, unknown>);
      await until(() => lines().some(line => line["deleted"] === true));
      const [began, prompt, ...attempts] = lines();
      assert.deepEqual(began, { began: [], servers: 0 });
      const text = String(prompt?.["prompt"]);
      for (const part of ["my hint", "+changed", ".env (it may contain secrets)", "Begin"])
        assert.ok(text.includes(part), part);
      assert.ok(!text.includes("verysecret"));
      const outcomes = attempts
        .filter(line => "attempt" in line)
        .map(({ attempt, outcome }) => [
          attempt,
          typeof outcome === "string" ? outcome.replace(/^refused: .*only writes a text.*/, "refused") : outcome,
        ]);
      assert.deepEqual(outcomes, [
        ["session/request_permission", { outcome: "selected", optionId: "no" }],
        ["fs/read_text_file", "refused"],
        ["fs/write_text_file", "refused"],
        ["terminal/create", "refused"],
        ["terminal/output", "refused"],
        ["terminal/wait_for_exit", "refused"],
        ["terminal/kill", "refused"],
        ["terminal/release", "refused"],
        ["elicitation/create", "decline"],
        ["elicitation/create", "decline"],
      ]);
      assert.equal(readFileSync(join(root, "a.txt"), "utf8"), "changed\n");
    } finally {
      await agents([]);
      repository.inputBox.value = "";
    }
  });

  it("is not written, and a message says why, if its repository is closed or there is no git program", async () => {
    const { showInformationMessage } = vscode.window;
    const shown: string[] = [];
    Object.assign(vscode.window, { showInformationMessage: async (text: string) => void shown.push(text) });
    const program: object = Object.getPrototypeOf((await gitApi())?.git) as object;
    const path = Object.getOwnPropertyDescriptor(program, "path");
    assert.ok(path);
    repository.inputBox.value = "my hint";
    try {
      const rootUri = vscode.Uri.file(join(base, "closed"));
      await vscode.commands.executeCommand("parley.writeCommitMessage", { rootUri });
      Object.defineProperty(program, "path", { get: () => join(base, "no git"), configurable: true });
      await vscode.commands.executeCommand("parley.writeCommitMessage", { rootUri: repository.rootUri });
      assert.deepEqual(shown, [
        "The repository “closed” is no longer open in the Source Control view.",
        "Git was not found. Commit messages need it.",
      ]);
      assert.equal(repository.inputBox.value, "my hint");
    } finally {
      Object.defineProperty(program, "path", path);
      Object.assign(vscode.window, { showInformationMessage });
      repository.inputBox.value = "";
    }
  });

  it("stays as it was if the agent does not start, and can be written again while the notification is open", async () => {
    await agents(["-e", "process.exit(3)"]);
    repository.inputBox.value = "my hint";
    const { showErrorMessage } = vscode.window;
    const errors: string[] = [];
    const closing: (() => void)[] = [];
    const open = (text: string): Promise<void> => {
      errors.push(text);
      return new Promise(resolve => closing.push(resolve));
    };
    Object.assign(vscode.window, { showErrorMessage: open });
    const runs: Thenable<unknown>[] = [];
    try {
      for (const count of [1, 2]) {
        runs.push(vscode.commands.executeCommand("parley.writeCommitMessage", { rootUri: repository.rootUri }));
        await until(() => errors.length === count);
        assert.equal(repository.inputBox.value, "my hint");
        assert.match(errors.at(-1) ?? "", /Writer/);
      }
    } finally {
      for (const close of closing) close();
      await Promise.all(runs);
      Object.assign(vscode.window, { showErrorMessage });
      await agents([]);
      repository.inputBox.value = "";
    }
  });
});
