// Any sequence of prompts, edits, retries, branches, switches, undos and typing in the real panel: no draft and no message is
// lost. The files are the subject of test/checkpoints/filesOfBranch.host.test.ts, and logs that of
// test/library/branchSequences.test.ts.
import assert from "node:assert/strict";
import { isPrompt } from "../../src/session/state.ts";
import { randomNumbers } from "../support/fakes/randomNumbers.ts";
import { until } from "../support/fakes/until.ts";
import { agentFile, openJoined, testAgent, useJoined, type JoinedWindow } from "./joinedPanel.ts";
import { chooseAction } from "./messageSteps.ts";

/** The same cases each time, unless a seed is given. */
const firstSeed = Number(process.env["SEED"] ?? 1);
const cases = Number(process.env["CASES"] ?? 2);
const stepCount = 30;

/** The texts of the user's messages in the shown session. */
const promptsOf = (window: JoinedWindow): readonly string[] =>
  [...window.session.state.entries]
    .filter(isPrompt)
    .flatMap(entry => (entry.kind === "message" && entry.content[0]?.type === "text" ? entry.content[0].text : []));

describe("any sequence of edits, retries, branches and undos in the panel", () => {
  useJoined();

  for (let i = 0; i < cases; i++)
    it(`loses no draft and no message, case ${i + 1}`, async function () {
      this.timeout(180_000);
      const random = randomNumbers(firstSeed + i);
      const steps = [`SEED=${firstSeed + i} CASES=1`];
      const lasting = testAgent("continuing.mjs", ["resumes", agentFile()], { name: "Lasting Agent" });
      const window = await openJoined({ agents: { lasting } });
      const { page, composer, log } = window;
      /** By the session: what stands in its message box, and its prompts. */
      const drafts = new Map<string, string>();
      const prompts = new Map<string, readonly string[]>();
      /** The session from which the latest branch began, if that can still be undone. */
      let undoTo: string | undefined;
      let words = 0;
      const nextWord = (): string => `word${String(++words).padStart(2, "0")}`;
      const shown = (): string => window.session.id;
      const here = (): readonly string[] => prompts.get(shown()) ?? [];

      const check = async (): Promise<void> => {
        await window.idle();
        await page.locator(`main[data-session="${shown()}"]`).waitFor();
        const isAsExpected = async (): Promise<boolean> =>
          (await composer.inputValue()) === (drafts.get(shown()) ?? "") &&
          JSON.stringify(promptsOf(window)) === JSON.stringify(here());
        const end = Date.now() + 10_000;
        await until(async () => (await isAsExpected()) || Date.now() > end);
        const found = [await composer.inputValue(), ...promptsOf(window)];
        assert.deepEqual(found, [drafts.get(shown()) ?? "", ...here()], steps.join("\n"));
        assert.deepEqual(window.failures, []);
      };
      const write = async (): Promise<void> => {
        const word = nextWord();
        steps.push(`the user types ${word}`);
        await composer.press("Control+End");
        await page.keyboard.type(`${word} `);
        drafts.set(shown(), `${drafts.get(shown()) ?? ""}${word} `);
      };
      const send = async (): Promise<void> => {
        const word = nextWord();
        const text = `${drafts.get(shown()) ?? ""}${word}`;
        steps.push(`the user sends ${text}`);
        await composer.press("Control+End");
        await page.keyboard.type(word);
        await page.keyboard.press("Enter");
        drafts.delete(shown());
        prompts.set(shown(), [...here(), text]);
      };
      /** Waits for the branch that begins with these prompts. */
      const branched = async (from: string, begin: readonly string[]): Promise<void> => {
        await until(() => shown() !== from);
        prompts.set(shown(), begin);
        undoTo = from;
      };
      const retry = async (): Promise<void> => {
        const [from, all, at] = [shown(), here(), random.below(here().length)];
        steps.push(`the user retries ${all[at]}`);
        await chooseAction(window, all[at] ?? "", "Retry");
        await branched(from, all.slice(0, at + 1));
      };
      const edit = async (): Promise<void> => {
        const [from, all, at] = [shown(), here(), random.below(here().length)];
        const word = nextWord();
        steps.push(`the user edits ${all[at]} to end with ${word}`);
        const message = log.locator('parley-message[data-kind="user"]').nth(at);
        await message.getByRole("button", { name: "Edit Prompt" }).focus();
        await page.keyboard.press("Enter");
        await page.keyboard.press("Control+End");
        await page.keyboard.type(` ${word}`);
        await page.keyboard.press("Enter");
        await branched(from, [...all.slice(0, at), `${all[at]} ${word}`]);
      };
      const branch = async (): Promise<void> => {
        const [from, all, at] = [shown(), here(), random.below(here().length)];
        steps.push(`the user branches from ${all[at]}`);
        await chooseAction(window, all[at] ?? "", "Branch from Here");
        await branched(from, all.slice(0, at + 1));
      };
      const change = async (): Promise<void> => {
        const name = random.of(["Previous Branch", "Next Branch"]);
        const button = log.getByRole("button", { name }).first();
        if ((await button.count()) === 0 || !(await button.isEnabled())) return;
        if ((await button.getAttribute("aria-disabled")) === "true") return;
        steps.push(`the user selects ${name}`);
        const from = shown();
        await button.click();
        await until(() => shown() !== from);
      };
      const undo = async (): Promise<void> => {
        steps.push("the user undoes the branch");
        await window.undoBranch();
        assert.equal(shown(), undoTo);
        undoTo = undefined;
      };

      await send();
      await check();
      for (let step = 0; step < stepCount; step++) {
        const possible = [write, write, send, retry, edit, branch, change, change, change];
        if (undoTo !== undefined) possible.push(undo, undo, undo);
        await random.of(possible)();
        await check();
      }
    });
});
