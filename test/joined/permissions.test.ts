// Permission requests of an agent, of Parley for files that need the user, and answers by rules: from the agent to the
// card, and back to the agent.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { demoAgent, openJoined, useJoined, type JoinedWindow } from "./joinedPanel.ts";

type Step = Readonly<Record<string, unknown>>;

const script = (steps: readonly Step[]): string => JSON.stringify({ steps });

const read = (path: string): readonly Step[] => [
  { request: { method: "fs/read_text_file", params: { sessionId: "$session", path } }, as: "answer" },
  { echo: "answer" },
];

/** The request names only the tool call, which has the title, as agents do. */
const ask = (toolCallId: string, title: string, command: string): readonly Step[] => [
  {
    update: {
      ...{ sessionUpdate: "tool_call", toolCallId, title, kind: "execute", status: "pending" },
      rawInput: { command },
    },
  },
  { permission: { toolCall: { toolCallId } }, as: "answer" },
  { update: { sessionUpdate: "tool_call_update", toolCallId, status: "completed" } },
  { echo: "answer" },
];

/** Plays a script until a permission request or its end. */
async function play(window: JoinedWindow, name: string): Promise<void> {
  const prompts = window.prompt(`#script ${name}.json`);
  const before = await prompts.count();
  await window.send(`#script ${name}.json`);
  await prompts.nth(before).waitFor();
}

async function played(window: JoinedWindow, name: string): Promise<void> {
  await play(window, name);
  await window.idle();
}

const question = (window: JoinedWindow, name: string | RegExp): Locator => window.page.getByRole("group", { name });

describe("a file outside the workspace", () => {
  useJoined();
  const elsewhere = mkdtempSync(join(tmpdir(), "parley-elsewhere-"));
  after(() => rmSync(elsewhere, { recursive: true }));

  it("is read only if the user allows it: refused, allowed once, allowed for the session", async () => {
    const path = join(elsewhere, "notes.txt");
    writeFileSync(path, "a note from elsewhere");
    const window = await openJoined({ agents: demoAgent, files: { "read.json": script(read(path)) } });
    const { log } = window;
    const asked = question(window, /Demo Agent wants to read .*notes\.txt, outside this workspace/);

    await play(window, "read");
    await asked.waitFor();
    await window.scene("outside-workspace");
    await asked.getByRole("button", { name: "Refuse" }).click();
    await log.getByText(/The user did not allow this/).waitFor();
    await window.idle();

    await play(window, "read");
    await asked.getByRole("button", { name: "Allow Once" }).click();
    await log.getByText("a note from elsewhere").waitFor();
    await window.idle();

    await play(window, "read");
    await asked.getByRole("button", { name: "Allow for This Session" }).click();
    await window.idle();
    await played(window, "read");
    assert.equal(await log.getByText("a note from elsewhere").count(), 3);
    assert.deepEqual(window.failures, []);
  });
});

describe("a file that looks like a secret", () => {
  useJoined();

  it("requires approval also inside the workspace, and Escape refuses it and ends the turn", async () => {
    const files = { ".env": "TOKEN=abc", "read.json": script(read("$cwd/.env")) };
    const window = await openJoined({ agents: demoAgent, files });
    await play(window, "read");
    const asked = question(window, /wants to read .*\.env, which may hold secrets/);
    await asked.waitFor();
    await window.scene("sensitive-file");
    await window.composer.press("Escape");
    await asked.waitFor({ state: "hidden" });
    await window.idle();
    assert.equal(await window.log.getByText("TOKEN=abc").count(), 0);
  });
});

describe("rules that prevent permission requests", () => {
  useJoined();

  it("answer for the user, their cards name them, and a command that no rule covers waits for the user", async () => {
    const edit = { toolCallId: "e", title: "Write it", kind: "edit", locations: [{ path: "$cwd/generated/a.ts" }] };
    const window = await openJoined({
      agents: demoAgent,
      files: {
        "tests.json": script(ask("t", "Run the tests", "npm test && git status")),
        "who.json": script(ask("w", "Who is it", "whoami")),
        "publish.json": script(ask("p", "Publish", "npm test && npm publish")),
        "generated.json": script([{ permission: { toolCall: edit }, as: "answer" }, { echo: "answer" }]),
      },
      rules: [
        { effect: "allow", command: ["npm test", "git status"] },
        { effect: "deny", path: "generated/**" },
      ],
    });
    const { log } = window;
    await played(window, "tests");
    const card = log.getByRole("article", { name: "Run the tests" });
    await card.getByText(/Allowed by rule: allow command “npm test”, “git status”/).waitFor();
    await played(window, "generated");
    await log
      .getByRole("article", { name: "Write it" })
      .getByText(/Refused by rule: deny path/)
      .waitFor();
    await window.scene("allowed-by-rule");

    await play(window, "publish");
    const near =
      "No rule allows “npm publish”. The nearest rule (allow command “npm test”, “git status”) has “test” in the place of “publish”.";
    await question(window, "Publish").getByText(near).waitFor();
    await window.scene("nearly-allowed-by-rule");
    await question(window, "Publish")
      .getByRole("button", { name: /^Reject/ })
      .first()
      .click();
    await window.idle();

    await play(window, "who");
    const far = question(window, "Who is it");
    await far
      .getByRole("button", { name: /^Reject/ })
      .first()
      .waitFor();
    assert.equal(await far.getByText(/rule/i).and(far.locator("span")).count(), 0);
    await far
      .getByRole("button", { name: /^Reject/ })
      .first()
      .click();
    await window.idle();

    await card.getByRole("button", { name: "Rules" }).click();
    await window.asked("manageRules");
  });
});
