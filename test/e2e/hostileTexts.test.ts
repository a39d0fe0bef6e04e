// Texts of an agent, a folder and a server on the surfaces of a real editor: none of them is a link or an icon, and a
// click on one runs nothing. SEED changes the order of the attacks in the text.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { inProject } from "../../scripts/tools/project.mjs";
import { until } from "../support/fakes/until.ts";
import { chooseAgent } from "./agents.ts";
import { chooseRow, openChat, runCommand, screenshot, sharedWorkbench } from "./harness.ts";

const seed = Number(process.env["SEED"] ?? 1);

/** The label of each planted link. */
const label = "PLANTED";
/** An icon that VS Code itself doesn't show. */
const icon = "squirrel";

/** A link that types a command into the terminal of the user, as the attack did. */
const typing = (line: string): string =>
  `[${label}](command:workbench.action.terminal.sendSequence?${encodeURIComponent(JSON.stringify({ text: `${line}\r` }))})`;

/** Attacks on the surfaces of the editor. */
const attacks: readonly string[] = [
  `[${label}](command:workbench.action.toggleSidebarVisibility)`,
  `[${label}](command:workbench.action.quit "title")`,
  `[${label}](https://attack.example/)`,
  `[${label}](file:///etc/passwd)`,
  `[${label}]\u200b(command:workbench.action.quit)`,
  `[${label}\u202e(command:workbench.action.quit)`,
  `<a href="command:workbench.action.quit">${label}</a>`,
  `![${label}](https://attack.example/x.png)`,
  `<img src="https://attack.example/y.png">`,
  `$(${icon})`,
  `\\$(${icon}~spin)`,
];

/** The attacks in an order that the seed decides, after one that always comes first because texts are shortened. */
function attackText(): string {
  const order = attacks.map((attack, at) => ({
    attack,
    key: (Math.imul(at + 1, 2654435761) ^ Math.imul(seed, 40503)) >>> 0,
  }));
  order.sort((a, b) => a.key - b.key);
  return [`[${label}](command:a) $(${icon})`, ...order.map(({ attack }) => attack)].join(" ");
}

/** What of a text became a link or an icon, in the window without its webviews. */
function planted(page: Page): Promise<readonly string[]> {
  return page.evaluate(
    ({ label, icon }) => {
      interface Found {
        readonly outerHTML: string;
        readonly textContent: string | null;
        getAttribute(name: string): string | null;
      }
      const { document } = globalThis as unknown as {
        document: { querySelectorAll(selector: string): Iterable<Found> };
      };
      const all = (selector: string): readonly Found[] => [...document.querySelectorAll(selector)];
      const links = all("a, [href], [data-href], [role=link], .monaco-link").filter(
        link =>
          link.textContent?.trim() === label ||
          ["href", "data-href", "title"].some(name => link.getAttribute(name)?.includes("command:")),
      );
      const pictures = all("img").filter(({ outerHTML }) => outerHTML.includes("attack.example"));
      return [...links, ...pictures, ...all(`.codicon-${icon}`)].map(({ outerHTML }) => outerHTML.slice(0, 200));
    },
    { label, icon },
  );
}

/** Waits until the place shows the planted text, and checks that nothing of it is a link or an icon. */
async function assertPlain(page: Page, place: Locator, name: string): Promise<void> {
  await place.filter({ hasText: label }).first().waitFor();
  await screenshot(page, `hostile-${name}`);
  assert.deepEqual(await planted(page), [], name);
}

const folder = mkdtempSync(join(tmpdir(), "parley-hostile-texts-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** The slow agent starts when this file exists. */
const started = join(folder, "started");

/** Exists once a link in a title, or a program for signing in, was run. */
const [clicked, signedIn] = [join(folder, "clicked"), join(folder, "signed-in")];

/**
 * The settings of the window that all tests share: agents with the attacks in all fields, one whose titles have a link
 * that types a command, and one that names a program for signing in.
 */
function settings(): Record<string, unknown> {
  const text = attackText();
  const [file, typingFile] = [join(folder, "text"), join(folder, "typing")];
  writeFileSync(file, text);
  writeFileSync(typingFile, `${typing(`touch ${clicked}`)} Run the tests`);
  const presets = ["claude", "codex", "gemini", "opencode", "qwen", "copilot", "auggie", "goose"];
  const command = process.execPath;
  const agent = inProject("test", "support", "agents", "hostileTexts.mjs");
  const signingIn = {
    ...{ name: "Bad Agent", command, env: { BAD_SIGNED_IN: signedIn } },
    args: [inProject("test", "support", "agents", "bad.mjs"), "auth-programs"],
  };
  return {
    "parley.agents": {
      ...Object.fromEntries(presets.map(id => [id, false])),
      hostile: { name: `Agent ${text}`, description: text, command, args: [agent, file] },
      slow: { name: "Slow Agent", description: text, command, args: [agent, file, started] },
      typing: { name: "Typing Agent", command, args: [agent, typingFile] },
      bad: signingIn,
    },
  };
}

const composer = (panel: FrameLocator): Locator => panel.getByRole("textbox", { name: "Message" });
const send = async (panel: FrameLocator, text: string): Promise<void> => {
  await composer(panel).fill(text);
  await composer(panel).press("Enter");
};
const idle = (panel: FrameLocator): Promise<void> =>
  panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
const list = (page: Page): Locator => page.locator(".quick-input-widget");
const rows = (page: Page): Locator => list(page).locator(".monaco-list-row");
const closeList = async (page: Page): Promise<void> => {
  // The first key can close a hover instead.
  await until(async () => {
    if (await list(page).isVisible()) await page.keyboard.press("Escape");
    return !(await list(page).isVisible());
  });
};
const notifications = (page: Page): Locator => page.locator(".notifications-center .notification-list-item");
/** An automated VS Code keeps its toasts in the notification list. */
const showNotifications = (page: Page): Promise<void> => runCommand(page, "Notifications: Show Notifications");

/** Hides the chat behind another view, and waits until the extension knows. */
async function hideChat(page: Page): Promise<void> {
  await page.keyboard.press("Control+Shift+E");
  await page.locator(".explorer-folders-view").waitFor();
  // The extension receives events in order, so after this command it knows that the view is hidden.
  await runCommand(page, "Parley: Show Permission Log");
  await page.locator(".tab.active").first().waitFor();
}

describe("a permission request in a notification", () => {
  it("runs no command when the user clicks a link in its title", async () => {
    const done = join(folder, "done");
    const workbench = await sharedWorkbench({}, settings());
    const { page, panel } = workbench;
    await chooseAgent(panel, "typing");
    await send(panel, "ask");
    await panel.getByRole("button", { name: "Stop" }).waitFor();
    await runCommand(page, "Terminal: Create New Terminal");
    await page.locator(".terminal-wrapper.active").waitFor();
    await hideChat(page);
    writeFileSync(join(workbench.folder, "go"), "");
    await showNotifications(page);
    const message = notifications(page).filter({ hasText: "is waiting for you" });
    await message.getByText(label).first().waitFor();
    await screenshot(page, "hostile-request");
    const links = await planted(page);
    await message.getByText(label).first().click();
    // The terminal runs one line after the other.
    await page.locator(".terminal-wrapper.active textarea").focus();
    await page.keyboard.type(`touch ${done}\n`);
    await until(() => existsSync(done));
    assert.ok(!existsSync(clicked), "the click ran nothing");
    assert.deepEqual(links, []);
    await openChat(page);
    await panel.getByRole("button", { name: "Reject" }).first().click();
    await idle(panel);
    await runCommand(page, "Notifications: Clear All Notifications");
  });
});

describe("a sign-in by a program that the agent names", () => {
  it("runs only after the user saw the program and allowed it", async () => {
    const { page, panel } = await sharedWorkbench({}, settings());
    await chooseAgent(panel, "bad");
    const dialog = page.locator(".monaco-dialog-box");
    const banner = panel.getByRole("group", { name: "Problem" });
    const hidden = banner.getByRole("button", { name: "Log in" }).nth(2);
    await hidden.click();
    // The command stands after 900 blanks, behind a mark that reverses the text, and before 900 more characters.
    await dialog.getByText(`[900 blanks]⏎echo ran > '${signedIn}'⏎`).waitFor();
    await dialog.getByText("[U+202E]").waitFor();
    await screenshot(page, "sign-in-program");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "hidden" });
    await hidden.click();
    await dialog.getByRole("button", { name: "Run Program" }).waitFor();
    assert.ok(!existsSync(signedIn), "Cancel ran nothing");
    await dialog.getByRole("button", { name: "Run Program" }).click();
    await until(() => existsSync(signedIn));
  });
});

describe("texts of others in the editor", () => {
  it("are neither links nor icons wherever an agent can put them", async () => {
    const workbench = await sharedWorkbench({}, settings());
    const { page, panel, errors } = workbench;
    await chooseAgent(panel, "hostile");
    await send(panel, "title");
    await idle(panel);
    await assertPlain(page, page.locator(".statusbar-item"), "status-bar");

    await send(panel, "edit");
    await idle(panel);
    await runCommand(page, "Parley: Focus on Changes View");
    const changes = page.locator(".pane", { hasText: "Changes" }).locator(".monaco-list-row");
    await assertPlain(page, changes, "changes");

    await runCommand(page, "Parley: Focus on Sessions View");
    const session = page.locator(".pane", { hasText: "Sessions" }).locator(".monaco-list-row", { hasText: label });
    await session.first().hover();
    await assertPlain(page, page.locator(".monaco-hover:visible"), "sessions");

    await runCommand(page, "Parley: Switch Session");
    await assertPlain(page, rows(page), "switch-session");
    await closeList(page);

    await runCommand(page, "Parley: Check Agents");
    await assertPlain(page, rows(page), "check-agents");
    await chooseRow(rows(page).filter({ hasText: "Slow Agent" }));
    await screenshot(page, "hostile-slow");
    await list(page).getByRole("button", { name: "OK" }).click();
    await showNotifications(page);
    await assertPlain(page, notifications(page), "check-progress");
    writeFileSync(started, "");
    await assertPlain(page, page.locator(".editor-instance .view-lines"), "check-report");

    await until(async () => {
      await runCommand(page, "Parley: Import from Agent");
      // The editor of the report can take the focus late, and VS Code then closes the list.
      const row = rows(page).filter({ hasText: "Agent [" });
      return row.click({ timeout: 5000 }).then(
        () => true,
        () => false,
      );
    });
    await assertPlain(page, rows(page), "import");
    await page.keyboard.press("Enter");
    await showNotifications(page);
    await assertPlain(page, notifications(page), "import-failed");

    await runCommand(page, "Parley: Restore Checkpoint");
    await rows(page).first().waitFor();
    assert.deepEqual(await planted(page), [], "checkpoints");
    await closeList(page);

    writeFileSync(join(workbench.folder, "go"), "");
    await openChat(page);
    await send(panel, "ask");
    await panel.getByRole("button", { name: "Create Rule" }).first().click();
    await assertPlain(page, list(page), "create-rule");
    await closeList(page);
    await panel.getByRole("button", { name: "Reject" }).first().click();
    await idle(panel);

    await runCommand(page, "Parley: Open Chat in Editor");
    await assertPlain(page, page.locator(".tab"), "tab");
    await runCommand(page, "View: Close All Editors");
    // VS Code also logs the error notifications that it shows.
    assert.deepEqual(
      errors.filter(error => !error.includes(label)),
      [],
    );
  });

  it("are neither links nor icons where a folder names MCP servers and asks for their inputs", async () => {
    const text = attackText();
    const server = { type: "stdio", command: "no-such-program", args: ["${input:key}", text] };
    const file = {
      inputs: [{ id: "key", description: text, type: "promptString" }],
      servers: { [text.slice(0, 60)]: server },
    };
    const { page, panel } = await sharedWorkbench({ ".vscode/mcp.json": JSON.stringify(file) }, settings());
    await chooseAgent(panel, "hostile");
    await composer(panel).click();
    await page.keyboard.type("/");
    await panel.getByRole("option", { name: /Start this MCP server/ }).click();
    const dialog = page.locator(".monaco-dialog-box");
    await assertPlain(page, dialog, "consent");
    await dialog.getByRole("button", { name: "Allow" }).click();
    await assertPlain(page, list(page), "input");
    await closeList(page);
    await showNotifications(page);
    await assertPlain(page, notifications(page), "server-notification");
  });
});
