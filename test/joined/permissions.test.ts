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

describe("all edits of a session", () => {
  useJoined();

  const edit = (toolCallId: string, title: string, path: string): readonly Step[] => [
    { permission: { toolCall: { toolCallId, title, kind: "edit", locations: [{ path }] } }, as: "answer" },
    { echo: "answer" },
  ];

  it("are allowed on a request for one, shown in the composer, and asked about again; others still ask", async () => {
    const window = await openJoined({
      agents: demoAgent,
      files: {
        "first.json": script(edit("a", "Edit a", "$cwd/src/a.ts")),
        "second.json": script(edit("b", "Edit b", "$cwd/src/b.ts")),
        "manifest.json": script(edit("c", "Edit the manifest", "$cwd/package.json")),
        "tests.json": script(ask("t", "Run the tests", "npm test")),
      },
    });
    const { log, page } = window;
    const allow = (name: string): Locator =>
      question(window, name).getByRole("button", { name: "Allow All Edits in This Session" });
    const state = page.getByText("All edits are allowed in this session.");

    await play(window, "tests");
    await question(window, "Run the tests").waitFor();
    assert.equal(await allow("Run the tests").count(), 0);
    await question(window, "Run the tests")
      .getByRole("button", { name: /^Reject/ })
      .first()
      .click();
    await window.idle();

    await play(window, "first");
    await allow("Edit a").click();
    await state.waitFor();
    await window.idle();
    await window.scene("all-edits");
    await played(window, "second");
    const allowed = log.getByRole("article", { name: "Edit b" });
    await allowed.getByText("Allowed with all edits of this session").waitFor();
    assert.equal(await allowed.getByRole("button", { name: "Rules" }).count(), 0, "no rule allowed it");

    await play(window, "manifest");
    const manifest = question(window, "Edit the manifest");
    await manifest
      .getByRole("button", { name: /^Reject/ })
      .first()
      .waitFor();
    assert.equal(await allow("Edit the manifest").count(), 0);
    await manifest
      .getByRole("button", { name: /^Reject/ })
      .first()
      .click();
    await window.idle();

    await page.getByRole("button", { name: "Ask About Edits Again" }).press("Enter");
    await state.waitFor({ state: "hidden" });
    assert.equal(await window.composer.evaluate(each => each === document.activeElement), true);
    await play(window, "second");
    await allow("Edit b").waitFor();
    await window.composer.press("Escape");
    await window.idle();
    assert.deepEqual(window.failures, []);
  });

  it("are asked about again when the conversation continues after a reload", async () => {
    const files = {
      "first.json": script(edit("a", "Edit a", "$cwd/src/a.ts")),
      "second.json": script(edit("b", "Edit b", "$cwd/src/b.ts")),
    };
    const window = await openJoined({ agents: demoAgent, files });
    await play(window, "first");
    await question(window, "Edit a").getByRole("button", { name: "Allow All Edits in This Session" }).click();
    await window.idle();
    await window.reload();
    await window.prompt("#script first.json").waitFor();
    assert.equal(await window.page.getByText("All edits are allowed in this session.").count(), 0);
    await play(window, "second");
    await question(window, "Edit b").waitFor();
    await window.composer.press("Escape");
    await window.idle();
  });
});
