// Permissions in the real VS Code: permission requests, rules, and rules that the user creates from a permission
// request.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FrameLocator, Locator, Page } from "playwright-core";
import {
  allowCommand,
  chooseRow,
  openFile,
  reloadWindow,
  runCommand,
  screenshot,
  sharedWorkbench,
  type Workbench,
} from "./harness.ts";
import { scene } from "./scene.ts";

type Step = Readonly<Record<string, unknown>>;

interface Opened extends Workbench {
  readonly panel: FrameLocator;
  readonly log: Locator;
}

/** The shared window with these scripts of the demo agent and other files in its workspace. */
async function open(
  scripts: Readonly<Record<string, readonly Step[]>>,
  files: Readonly<Record<string, string>> = {},
): Promise<Opened> {
  const written = Object.entries(scripts).map(([name, steps]) => [`${name}.json`, JSON.stringify({ steps })]);
  const workbench = await sharedWorkbench({ ...files, ...Object.fromEntries(written) });
  return { ...workbench, log: workbench.panel.getByRole("log", { name: "Conversation" }) };
}

async function play(panel: FrameLocator, script: string): Promise<void> {
  const composer = panel.getByRole("textbox", { name: "Message" });
  await composer.fill(`#script ${script}.json`);
  await composer.press("Enter");
}

const idle = (panel: FrameLocator): Promise<void> =>
  panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });

/** Plays a script to its end. */
async function played(panel: FrameLocator, script: string): Promise<void> {
  const prompts = panel.getByRole("heading", { name: /^You:/ });
  const before = await prompts.count();
  await play(panel, script);
  // The prompt appears when the turn has started.
  await prompts.nth(before).waitFor();
  await idle(panel);
}

/** The request names only the tool call, which has the title, as agents do. */
const ask = (toolCallId: string, title: string, command: string): readonly Step[] => [
  {
    update: {
      sessionUpdate: "tool_call",
      toolCallId,
      title,
      kind: "execute",
      status: "pending",
      rawInput: { command },
    },
  },
  { permission: { toolCall: { toolCallId } }, as: "answer" },
  { update: { sessionUpdate: "tool_call_update", toolCallId, status: "completed" } },
  { echo: "answer" },
];

describe("permission rules", () => {
  it("are created from a permission request, listed, tested, edited, deleted and undone", async () => {
    const { page, panel, log, errors } = await open({ version: ask("v", "See the version", "node --version") });
    const question = panel.getByRole("group", { name: "See the version" });
    await play(panel, "version");
    await question.getByRole("button", { name: "Create Rule…" }).click();
    const list = page.locator(".quick-input-list");
    await page.locator(".quick-input-title", { hasText: "See the version" }).waitFor();
    await list.locator(".monaco-list-row").first().waitFor();
    await screenshot(page, "always");
    const inWorkspace = list
      .locator(".monaco-list-row", { hasText: "node --version" })
      .filter({ hasText: "in this workspace" });
    await chooseRow(inWorkspace.first());
    await question.waitFor({ state: "hidden" });
    await idle(panel);

    await played(panel, "version");
    await log.getByText(/Allowed by rule: allow command “node --version”/).waitFor();

    await runCommand(page, "Parley: Manage Permission Rules");
    const rules = rulesPage(page);
    const rule = rules.getByRole("listitem").filter({ hasText: "node --version" });
    await rules.getByRole("region", { name: "In this workspace" }).locator(rule).waitFor();
    await rules.getByRole("textbox", { name: "Command line" }).fill("node --version");
    await rules.getByText(/^Agent “.+”: You are not asked\. Allowed by allow command “node --version”/).waitFor();
    await rule.getByText("Decides the test").waitFor();
    await screenshot(page, "manage-rules");
    await rules.getByRole("textbox", { name: "Command line" }).fill("node --version; rm -rf /");
    await rules
      .getByText(/No rule allows “rm -rf \/”\. The nearest rule .* allows only another part of this\./)
      .waitFor();

    await rule.getByRole("button", { name: /^Edit allow command/ }).press("Enter");
    await rules.getByRole("textbox", { name: "Commands" }).fill("node --version\nnode --help");
    await rules.getByRole("button", { name: "Save" }).click();
    await rule.getByText("node --help").waitFor();
    await rules.getByRole("button", { name: "Undo" }).click();
    await rules.getByText("The rule is back.").waitFor();
    await rule.getByText("node --help").waitFor({ state: "hidden" });

    await rules.getByRole("button", { name: "Add Rule" }).click();
    await rules.getByRole("textbox", { name: "Hosts" }).fill("example.com");
    await rules.getByRole("button", { name: "Save" }).click();
    const everywhere = rules.getByRole("region", { name: "Everywhere (user settings)" });
    await everywhere.getByText("example.com").waitFor();
    await everywhere.getByRole("button", { name: "Delete allow domain “example.com”" }).click();
    await everywhere.getByText("There are no rules here.").waitFor();

    const remove = rule.getByRole("button", { name: /^Delete allow command/ });
    await remove.click();
    await rule.waitFor({ state: "hidden" });
    await rules.getByRole("button", { name: "Undo" }).press("Enter");
    await rule.waitFor();
    await remove.press("Enter");
    await rule.waitFor({ state: "hidden" });
    await runCommand(page, "View: Close Editor");
    await play(panel, "version");
    await question
      .getByRole("button", { name: /^Allow/ })
      .first()
      .click();
    await idle(panel);
    assert.deepEqual(errors, []);
  });
});

describe("an invalid permission rule", () => {
  it("is reported when the window opens, with the effect that was meant and Open Settings", async () => {
    const { page, server } = await sharedWorkbench();
    const notification = page.locator(".notifications-center .notification-list-item", {
      hasText: "Permission rule 2 (dney, command “rm **”) has an unknown effect “dney”. Did you mean “deny”?",
    });
    const rules = [
      { effect: "allow", command: "npm test" },
      { effect: "dney", command: "rm **" },
    ];
    server.writeSettings({ "files.autoSave": "off", "parley.permissions.rules": rules });
    await reloadWindow(page);
    await runCommand(page, "Notifications: Show Notifications");
    await notification.getByText("Allow rules are ignored until this is fixed.").waitFor();
    await screenshot(page, "invalid-rule");
    await notification.getByRole("button", { name: "Open Settings" }).click();
    await page.locator(".settings-editor").getByText("Rules that answer permission requests for you.").waitFor();
  });
});

describe("an agent's edit and the user's unsaved changes", () => {
  const path = "$cwd/poem.txt";
  const write: readonly Step[] = [
    {
      update: {
        sessionUpdate: "tool_call",
        toolCallId: "w",
        title: "Write the poem",
        kind: "edit",
        locations: [{ path }],
      },
    },
    {
      request: {
        method: "fs/write_text_file",
        params: { sessionId: "$session", path, content: "mine\nroses are red\nblue\n" },
      },
      as: "answer",
    },
    { update: { sessionUpdate: "tool_call_update", toolCallId: "w", status: "completed" } },
  ];
  const files = { "poem.txt": "roses are red\n" };

  async function typeInto(page: Page, text: string): Promise<void> {
    await openFile(page, "poem.txt");
    await page.locator(".editor-instance .view-line", { hasText: "roses" }).first().click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.type(text);
    await page.locator(".tab.active.dirty").waitFor();
  }

  it("are merged in the editor and saved only when the user saves", async () => {
    const { page, folder, panel, log, errors } = await open({ write }, files);
    const file = join(folder, "poem.txt");
    await typeInto(page, "mine\n");
    await played(panel, "write");
    const note = log.getByRole("article", { name: "Write the poem" }).getByRole("group", { name: /Not saved/ });
    await note.waitFor();
    await scene(page, "not-saved");
    assert.equal(readFileSync(file, "utf8"), "roses are red\n");
    await note.getByRole("button", { name: /Save/ }).click();
    await note.waitFor({ state: "hidden" });
    assert.equal(readFileSync(file, "utf8"), "mine\nroses are red\nblue\n");
    assert.deepEqual(errors, []);
  });

  it("are both kept when the agent writes to disk: the user compares them and then uses the agent's version", async () => {
    const [announce, , done] = write;
    const edit = `require("fs").writeFileSync("poem.txt", "violets are blue\\n")`;
    const onDisk: readonly Step[] = [
      announce ?? {},
      {
        request: {
          method: "terminal/create",
          params: { sessionId: "$session", command: process.execPath, args: ["-e", edit] },
        },
        as: "terminal",
      },
      {
        request: {
          method: "terminal/wait_for_exit",
          params: { sessionId: "$session", terminalId: "$terminal.terminalId" },
        },
      },
      done ?? {},
    ];
    const { page, folder, panel, log } = await open({ onDisk }, files);
    await typeInto(page, "mine\n");
    await play(panel, "onDisk");
    await allowCommand(panel);
    await idle(panel);
    const note = log.getByRole("article", { name: "Write the poem" }).getByRole("group", { name: /Changed on disk/ });
    await note.waitFor();
    await scene(page, "diverged");
    await note.getByRole("button", { name: /Compare/ }).click();
    await page.locator(".tab.active", { hasText: "poem.txt (in file) ↔ poem.txt" }).waitFor();
    await note.getByRole("button", { name: /Use Agent's Version/ }).click();
    await note.waitFor({ state: "hidden" });
    assert.equal(readFileSync(join(folder, "poem.txt"), "utf8"), "violets are blue\n");
  });
});

describe("a command in a terminal of Parley", () => {
  it("shows live output, opens as a terminal of the editor, and ends with its button", async () => {
    const script = `console.log("\\x1b[32mworking\\x1b[0m"); setInterval(() => {}, 1000)`;
    const run: readonly Step[] = [
      {
        request: {
          method: "terminal/create",
          params: { sessionId: "$session", command: process.execPath, args: ["-e", script] },
        },
        as: "terminal",
      },
      {
        update: {
          sessionUpdate: "tool_call",
          toolCallId: "r",
          title: "Work",
          kind: "execute",
          status: "in_progress",
          content: [{ type: "terminal", terminalId: "$terminal.terminalId" }],
        },
      },
      {
        request: {
          method: "terminal/wait_for_exit",
          params: { sessionId: "$session", terminalId: "$terminal.terminalId" },
        },
        as: "exit",
      },
      { echo: "exit" },
    ];
    const { page, panel, log, errors } = await open({ run });
    await play(panel, "run");
    await allowCommand(panel);
    const card = log.getByRole("article", { name: "Work" });
    await card.getByRole("button", { name: /Work/ }).first().click();
    await card.getByText("working", { exact: true }).waitFor();
    await card.getByRole("button", { name: "Open in Terminal" }).click();
    await page.locator(".terminal-outer-container .xterm-rows", { hasText: "working" }).waitFor();
    await scene(page, "terminal-card");
    await card.getByRole("button", { name: "Kill" }).click();
    await card.getByText(/Ended by SIG/).waitFor();
    await idle(panel);
    assert.deepEqual(errors, []);
  });
});

/** The document of the page of permission rules. */
const rulesPage = (page: Page): FrameLocator =>
  page.frameLocator('iframe.webview.ready:not([src*="purpose=webviewView"])').frameLocator("iframe#active-frame");
