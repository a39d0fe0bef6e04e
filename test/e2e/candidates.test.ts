// Several agents are asked the same, each in a worktree of its own, and what they did is compared.
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { until } from "../support/fakes/until.ts";
import {
  candidateActions,
  candidateRow,
  chatView,
  commitAll,
  comparison,
  gitIn,
  pick,
  tab,
  worktreesOf,
} from "./candidatesPage.ts";
import { chooseRow, openChat, openWorkbench, reloadWindow, runCommand, screenshot } from "./harness.ts";

/** Selects the demo agent, and the last commit as the base. */
async function selectAgent(page: Page): Promise<void> {
  await chooseRow(pick(page, "Demo Agent").first());
  await page.locator(".quick-input-widget").getByText("1 Selected").waitFor();
  await screenshot(page, "ask-several-agents");
  await page.keyboard.press("Enter");
  await pick(page, "Last commit of main").first().waitFor();
  await page.keyboard.press("Enter");
  await chooseRow(pick(page, "Demo Agent Once More"));
  await pick(page, "Demo Agent 1, Demo Agent 2").first().waitFor();
}

const script = JSON.stringify([
  {
    request: {
      method: "fs/write_text_file",
      params: { sessionId: "$session", path: "$cwd/a.txt", content: "one\nin $cwd\n" },
    },
  },
  {
    request: { method: "fs/write_text_file", params: { sessionId: "$session", path: "$cwd/new.txt", content: "n\n" } },
  },
  { chunk: "All done." },
]);

describe("several agents that are asked the same", () => {
  it("work in worktrees of their own, and what they did is compared, checked and removed", async () => {
    const { page, folder } = await openWorkbench({
      files: { "a.txt": "a\n", "write.json": script },
      settings: { "parley.worktrees.check": "echo checked; tail -n 1 a.txt; exit 3" },
    });
    const parent = worktreesOf(folder);
    const git = gitIn(folder);
    const name = "parley/script-write-json/demo-agent";
    const worktree = (nth: number): string => join(parent, `parley-script-write-json-demo-agent-${nth}`);
    try {
      commitAll(git);
      await openChat(page);
      const panel = chatView(page);
      const composer = panel.getByRole("textbox", { name: "Message" });
      await composer.fill("#script write.json");
      await runCommand(page, "Parley: Ask Several Agents…");
      await selectAgent(page);
      await screenshot(page, "ask-several-send");
      await chooseRow(pick(page, "Send to 2 Agents"));

      const candidates = comparison(page);
      for (const nth of [1, 2]) {
        const shown = candidateRow(candidates, `${name}-${nth}`);
        await shown.getByText("Done").waitFor();
        await shown.getByText("2 files").waitFor();
        await shown.getByText("+3").waitFor();
        assert.equal(readFileSync(join(worktree(nth), "a.txt"), "utf8"), `one\nin ${worktree(nth)}\n`);
      }
      assert.equal(readFileSync(join(folder, "a.txt"), "utf8"), "a\n");
      assert.equal(await composer.inputValue(), "", "the draft was used");
      await candidates.getByRole("button", { name: "Run All Checks" }).click();
      await candidateRow(candidates, `${name}-2`).getByText("Failed (exit code 3)").waitFor();
      await candidates.getByText("Last lines of the check").nth(1).click();
      await candidates.getByText(`in ${worktree(2)}`).waitFor();
      await screenshot(page, "candidates");
      const size = page.viewportSize();
      await page.setViewportSize({ width: 760, height: 900 });
      await screenshot(page, "candidates-narrow");
      if (size) await page.setViewportSize(size);

      const actions = candidateActions(candidates, "Demo Agent 1");
      await actions.getByRole("button", { name: "Compare With…" }).click();
      await tab(page, "Demo Agent 1 and Demo Agent 2").waitFor();
      await page.locator(".multiDiffEntry").getByText("a.txt").first().waitFor();
      await screenshot(page, "candidates-two");
      assert.equal(await page.locator(".multiDiffEntry").getByText("new.txt").count(), 0, "it is the same in both");
      await tab(page, "Compare Candidates").click();
      await candidates.getByRole("button", { name: "One File of All…" }).click();
      await pick(page, "new.txt").waitFor();
      await chooseRow(pick(page, "a.txt"));
      await tab(page, "a.txt of all agents").waitFor();
      await page.locator(".multiDiffEntry").getByText("in /").nth(1).waitFor();
      await screenshot(page, "candidates-one-file");
      await tab(page, "Compare Candidates").click();
      await actions.getByRole("button", { name: "Show Changes" }).click();
      await tab(page, `Changes of ${name}-1`).waitFor();
      await tab(page, "Compare Candidates").click();

      // The group is there again after a reload, with the results of the checks.
      await reloadWindow(page);
      await runCommand(page, "Parley: Compare Candidates");
      for (const nth of [1, 2]) {
        await candidateRow(candidates, `${name}-${nth}`).getByText("Failed (exit code 3)").waitFor();
        await candidateRow(candidates, `${name}-${nth}`).getByText("2 files").waitFor();
        await candidateRow(candidates, `${name}-${nth}`).getByText("Done").waitFor();
      }
      await actions.getByRole("button", { name: "Go On with This One" }).click();
      await panel.getByRole("log", { name: "Conversation" }).getByText("All done.").waitFor();
      await panel.getByText("Demo Agent 1: #script write.json").first().waitFor();
      await screenshot(page, "candidates-go-on");

      await actions.getByRole("button", { name: "Remove the Others…" }).click();
      const removal = page.getByRole("dialog").filter({ hasText: `Remove the worktree “${name}-2”?` });
      await removal.getByText("Not committed: a.txt, new.txt").waitFor();
      await removal.getByRole("button", { name: "Delete Files and Remove" }).click();
      await until(() => !existsSync(worktree(2)));
      await candidateRow(candidates, `${name}-2`).waitFor({ state: "detached" });
      await candidateRow(candidates, `${name}-1`).waitFor();
      assert.ok(existsSync(worktree(1)));
    } finally {
      rmSync(parent, { recursive: true, force: true, maxRetries: 5 });
    }
  });

  it("get their prompt when models and modes are chosen, without those whose worktree could not be set up", async () => {
    const { page, folder } = await openWorkbench({
      files: { "a.txt": "a\n" },
      settings: {
        "workbench.colorTheme": "Default Light Modern",
        "parley.worktrees.setup": 'case "$PARLEY_WORKTREE" in *-2) echo broken; exit 1;; esac',
      },
    });
    const parent = worktreesOf(folder);
    const git = gitIn(folder);
    try {
      commitAll(git);
      await openChat(page);
      await chatView(page).getByRole("textbox", { name: "Message" }).waitFor();
      await runCommand(page, "Parley: Ask Several Agents…");
      await page.locator(".quick-input-widget").getByText("The prompt for all agents.").waitFor();
      await page.keyboard.type("Say hello");
      await page.keyboard.press("Enter");
      await selectAgent(page);
      await chooseRow(pick(page, "Choose Models and Modes First"));
      const question = page.getByRole("dialog").filter({ hasText: "1 of 2 agents failed to start." });
      await question.getByText("Demo Agent 2: The command that sets up the worktree ended with exit code 1.").waitFor();
      await screenshot(page, "candidates-failed");
      await question.getByRole("button", { name: "Go On with the Others" }).click();
      const candidates = comparison(page);
      const name = "parley/say-hello/demo-agent";
      await candidateRow(candidates, `${name}-2`).waitFor({ state: "detached" });
      await until(() => !existsSync(join(parent, "parley-say-hello-demo-agent-2")));
      assert.equal(git("for-each-ref", "--format=%(refname:short)", "refs/heads").trim(), `main\n${name}-1`);
      const mode = candidates.getByRole("combobox", { name: "Mode of Demo Agent 1" });
      await mode.selectOption({ label: "Edit freely" });
      await candidateRow(candidates, `${name}-1`).getByText("Edit freely").waitFor();
      await screenshot(page, "candidates-held");
      await candidates.getByRole("button", { name: "Send to 1 Agent" }).click();
      await candidateRow(candidates, `${name}-1`).getByText("Done").waitFor();
    } finally {
      rmSync(parent, { recursive: true, force: true, maxRetries: 5 });
    }
  });
});
