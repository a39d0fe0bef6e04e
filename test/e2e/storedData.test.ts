// Replaces the data of a window by data of an earlier build while VS Code is stopped. The next window must show it.
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { recordedSession, storedFolder, storedText } from "../support/fakes/storedData.ts";
import { until } from "../support/fakes/until.ts";
import {
  chat,
  chooseRow,
  openChat,
  openFile,
  openWorkbench,
  restartVscode,
  runCommand,
  type Workbench,
} from "./harness.ts";
import { filesBelow } from "./storedFiles.ts";

const fixed = "// Adds both numbers.\nexport function sum(a, b) {\n  return a + b;\n}\n";
const original = "export function sum(a, b) {\n  return a - b;\n}\n";

describe("data that an earlier build stored", () => {
  it("appears completely in a window: conversation, draft, changes, permission log, rules and checkpoints", async () => {
    const first = await openWorkbench({
      files: {
        "src/sum.js": fixed,
        "CHANGES.md": "# Changes\n\nThe sum adds.\n",
        "notes.txt": "Remember the sum.\n",
      },
      env: { PARLEY_TEST: "stored" },
    });
    const { folder, server } = first;
    const fresh = await openChat(first.page);
    // VS Code has stored the session at this time, so there is a storage folder.
    await until(() => storageFolder(server.dataDir) !== undefined);
    await fresh.getByRole("button", { name: "Send" }).waitFor();
    const isInChromium = "port" in server;
    const { page, errors } = await restartVscode(first, async () => {
      placeFiles(server.dataDir, folder);
      if (isInChromium) await placeMemory(first);
    });

    const panel = chat(page);
    const log = panel.getByRole("log", { name: "Conversation" });
    await panel.getByRole("heading", { name: "Mend the sum", level: 1 }).waitFor();
    for (const words of [
      "I look at src/sum.js.",
      "First done.",
      "Allowed by rule: allow command “node --version”, agent “demo”",
      "Second done.",
      "does not remember this conversation",
      "The window was closed or reloaded while Demo Agent was working",
    ])
      await log.getByText(words).first().waitFor();
    for (const card of ["Edit src/sum.js", "Run it", "Read once more"])
      await log.getByRole("article", { name: card }).waitFor();
    assert.equal(await log.getByRole("heading", { name: /^You:/ }).count(), 3);
    const queue = panel.getByRole("list", { name: "Queued messages" });
    for (const words of ["Then update the changelog", "And run the tests"]) await queue.getByText(words).waitFor();
    if (isInChromium) {
      const composer = panel.getByRole("textbox", { name: "Message" });
      assert.equal(await composer.inputValue(), "Look at @notes.txt and say why");
      await panel.getByRole("button", { name: "4 attachments" }).click();
      await panel.getByRole("list", { name: "Attachments" }).getByText("notes.txt").waitFor();
    }

    const changes = panel.getByRole("region", { name: "Changes" });
    await changes.getByText("2 files").waitFor();
    await openFile(page, "sum.js");
    await page
      .locator(".codelens-decoration a", { hasText: /^Keep$/ })
      .nth(1)
      .waitFor();

    await runCommand(page, "Parley: Show Permission Log");
    // The editor shows spaces as no-break spaces.
    const rows = page.locator(".editor-instance .view-line");
    await rows
      .filter({ hasText: /See\sthe\sversion\sagain/ })
      .filter({ hasText: /rule:\sallow\scommand/ })
      .waitFor();
    await rows
      .filter({ hasText: /refused\s\(Refuse\)/ })
      .filter({ hasText: /you/ })
      .waitFor();
    await rows
      .filter({ hasText: /cancelled/ })
      .filter({ hasText: /https:\/\/example\.com/ })
      .waitFor();

    if (isInChromium) {
      await runCommand(page, "Parley: Manage Permission Rules");
      const rules = page
        .frameLocator('iframe.webview.ready:not([src*="purpose=webviewView"])')
        .frameLocator("iframe#active-frame");
      for (const rule of ["node --version", "generated/**", "npm publish", "example.com"])
        await rules.getByRole("listitem").filter({ hasText: rule }).waitFor();
      await runCommand(page, "View: Close Editor");
    }

    const prompt = panel.locator('parley-message[data-kind="user"]', { hasText: "#script first.json" });
    await prompt.hover();
    await prompt.getByRole("button", { name: "Restore Checkpoint" }).click();
    await chooseRow(row(page, "2 files will be restored."));
    await until(() => readFileSync(join(folder, "src/sum.js"), "utf8") === original);
    await until(() => !existsSync(join(folder, "CHANGES.md")));
    await changes.waitFor({ state: "hidden" });
    assert.deepEqual(errors, []);
  });
});

/** A row of the open list. */
const row = (page: Page, words: string): Locator =>
  page.locator(".quick-input-list .monaco-list-row", { hasText: words }).first();

/** The storage folder of the extension for the workspace, once it exists. */
function storageFolder(dataDir: string): string | undefined {
  const found = filesBelow(dataDir).find(path =>
    /workspaceStorage[\\/][^\\/]+[\\/]parley\.parley[\\/]sessions[\\/]window-[^\\/]+\.json$/.test(path),
  );
  return found === undefined ? undefined : join(dataDir, found, "..", "..");
}

/** Replaces the files that the window has just written by the stored files. */
function placeFiles(dataDir: string, workspace: string): void {
  const folder = storageFolder(dataDir);
  assert.ok(folder);
  rmSync(folder, { recursive: true });
  mkdirSync(join(folder, "sessions"), { recursive: true });
  for (const name of ["current.json", "review.json", "permissions.ndjson", `${recordedSession}.jsonl`])
    writeFileSync(join(folder, "sessions", name), storedText(`sessions/${name}`, workspace));
  const checkpoints = join("checkpoints", recordedSession);
  cpSync(join(storedFolder, checkpoints), join(folder, checkpoints), { recursive: true });
  // Parley deletes old checkpoints, so these get today's date.
  const index = storedText(`${checkpoints}/index.json`, workspace).replace(/"at":\d+/g, `"at":${Date.now()}`);
  writeFileSync(join(folder, checkpoints, "index.json"), index);
}

/** Writes the stored rules and the stored state of the chat into the browser, where VS Code in Chromium stores them. */
async function placeMemory({ page, folder, server }: Workbench): Promise<void> {
  if (!("origin" in server)) throw new Error("Only a VS Code in Chromium has an origin.");
  const state = JSON.stringify(JSON.parse(storedText("webviewState.json", folder)));
  const rows = {
    "memento/webviewView.parley.chat": JSON.stringify({ webviewState: state }),
    "parley.parley": JSON.stringify(JSON.parse(storedText("permissionRules.json", folder))),
  };
  await page.route(`${server.origin}/**`, route => route.fulfill({ contentType: "text/html", body: "" }));
  await page.goto(server.origin);
  const written = await page.evaluate(writeRows, rows);
  assert.equal(written, 1, "the window has one database for its workspace");
}

/** Runs in the page. Resolves with the number of workspaces that the rows were written for. */
async function writeRows(rows: Readonly<Record<string, string>>): Promise<number> {
  const names = (await indexedDB.databases()).map(({ name = "" }) => name);
  const own = names.filter(name => /^vscode-web-state-db-(?!global)/.test(name));
  for (const name of own) {
    await new Promise<void>((resolve, reject) => {
      const opening = indexedDB.open(name);
      opening.onerror = () => reject(new Error(`${name} cannot be opened.`));
      opening.onsuccess = () => {
        const writing = opening.result.transaction("ItemTable", "readwrite");
        for (const [key, value] of Object.entries(rows)) writing.objectStore("ItemTable").put(value, key);
        writing.onerror = () => reject(new Error(`${name} cannot be written.`));
        writing.oncomplete = () => {
          opening.result.close();
          resolve();
        };
      };
    });
  }
  return own.length;
}
