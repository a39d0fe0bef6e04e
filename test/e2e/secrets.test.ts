// Secrets from everywhere, and an agent that repeats them everywhere: nothing that Parley writes or shows has one.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { FrameLocator, Page } from "playwright-core";
import { inProject } from "../../scripts/tools/project.mjs";
import { until } from "../support/fakes/until.ts";
import { chooseAgent } from "./agents.ts";
import { chooseRow, openChat, openWorkbench, quitVscode, runCommand } from "./harness.ts";
import { tabPage } from "./pages.ts";

const mark = "Zq9mark";
/** A secret with characters that JSON, addresses and base64 write differently. */
const secret = (way: string): string => `${mark}-${way}-"7/+é 4`;
/** A secret in an address or a file of variables, where such characters have a meaning. */
const plain = (way: string): string => `${mark}-${way}-47aB`;

const hostSecret = secret("host");
const settings = {
  "parley.agents": {
    telling: {
      name: "Telling Agent",
      command: process.execPath,
      args: [
        inProject("test", "support", "agents", "tellingAgent.mjs"),
        "--token",
        plain("argument"),
        "${env:HOST_KEY}",
      ],
      env: { TELLING_MARK: mark, AGENT_API_KEY: secret("env"), AGENT_TOKEN: "${env:HOST_KEY}" },
      startTimeout: 20,
    },
  },
  "parley.mcpServers": {
    local: {
      ...{ command: process.execPath, args: ["-e", "", "--password", secret("mcp-argument")] },
      env: { MCP_TOKEN: secret("mcp-env"), MCP_KEY: "${input:key}" },
      envFile: "${workspaceFolder}/tickets.env",
      inputs: [{ id: "key", description: "Key", password: true }],
    },
    web: {
      url: `https://me:${plain("url")}@127.0.0.1:9/mcp`,
      headers: { Authorization: `Bearer ${plain("header")}` },
    },
  },
};
const files = { "tickets.env": `FILE_TOKEN="${plain("file")}"\n`, "a.txt": "a\n" };

/** Every way in, with what it brings. */
const ways = [
  ...["host", "env", "mcp-argument", "mcp-env", "input", "form", "sign-in"].map(secret),
  ...["argument", "url", "header", "file"].map(plain),
];

/** The forms of the secrets that are in a text. */
function marksIn(text: string): readonly string[] {
  const forms = ways.flatMap(value => [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    Buffer.from(value).toString("base64").replace(/=+$/, ""),
  ]);
  // The mark alone also finds parts of secrets.
  const found = [...forms, mark].filter(form => text.includes(form));
  return found.map(form => `${form} in …${text.slice(Math.max(0, text.indexOf(form) - 60), text.indexOf(form) + 80)}…`);
}

function* filesIn(folder: string): Iterable<string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const info = statSync(path, { throwIfNoEntry: false });
    if (info?.isDirectory()) yield* filesIn(path);
    else if (info?.isFile()) yield path;
  }
}

/** What VS Code keeps in the browser for extensions: their states, and the states of panels. Not the secret storage. */
async function storedInBrowser(page: Page): Promise<readonly string[]> {
  return page.evaluate(async () => {
    const settled = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error ?? new Error("The database failed."));
      });
    const entries: string[] = [];
    for (const { name } of await indexedDB.databases()) {
      const database = await settled(indexedDB.open(name ?? ""));
      for (const store of database.objectStoreNames) {
        const objects = database.transaction(store).objectStore(store);
        const [keys, values] = await Promise.all([settled(objects.getAllKeys()), settled(objects.getAll())]);
        keys.forEach((key, i) => entries.push(`${JSON.stringify(key)}: ${JSON.stringify(values[i])}`));
      }
      database.close();
    }
    return entries.filter(entry => !entry.startsWith('"secret://'));
  });
}

async function send(panel: FrameLocator, words: string): Promise<void> {
  const composer = panel.getByRole("textbox", { name: "Message" });
  await composer.fill(words);
  await composer.press("Enter");
}

/** Saves a file by the dialog that VS Code shows. Resolves with its text. */
async function saved(page: Page, folder: string, name: string): Promise<string> {
  const path = join(folder, name);
  const input = page.locator(".quick-input-widget input.input").first();
  await until(async () => /\.(?:md|jsonl|ndjson)$/.test(await input.inputValue().catch(() => "")));
  await input.fill(path);
  await input.press("Enter");
  await until(() => existsSync(path) && readFileSync(path, "utf8") !== "");
  return readFileSync(path, "utf8");
}

describe("secrets that come in by every way", () => {
  it("are in no file that Parley writes and in nothing that it shows", async () => {
    const workbench = await openWorkbench({ files, settings, env: { HOST_KEY: hostSecret } });
    const { page, folder, server } = workbench;
    const panel = await openChat(page);
    await chooseAgent(panel, "telling");
    const input = page.locator(".quick-input-widget input").first();
    await page.locator(".quick-input-widget").getByText("MCP Server “local”").waitFor();
    await input.fill(secret("input"));
    await input.press("Enter");

    await panel.getByRole("button", { name: "Use a key" }).click();
    const key = panel.getByRole("form", { name: "Use a key" });
    await key.locator("input[type=password]").fill(secret("sign-in"));
    await key.getByRole("button", { name: "Send" }).click();
    await key.waitFor({ state: "detached" });

    const log = panel.getByRole("log", { name: "Conversation" });
    await send(panel, "tell");
    const form = panel.getByRole("form", { name: "The password?" });
    await form.getByRole("textbox", { name: "Password" }).fill(secret("form"));
    await form.getByRole("button", { name: "Send" }).click();
    await log.getByText("All is told.").waitFor();
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    assert.ok((await log.innerText()).includes("•••"), "the agent has told");
    const shown: Record<string, string> = { conversation: await panel.locator("body").innerHTML() };

    await send(panel, "fail");
    await log
      .getByText(/could not finish this turn/)
      .first()
      .waitFor();
    await send(panel, "exit");
    await panel
      .getByText(/ended with code 3/)
      .first()
      .waitFor();
    shown["panel after the end"] = await panel.locator("body").innerHTML();

    await runCommand(page, "Parley: Save Transcript");
    shown["transcript"] = await saved(page, folder, "traffic.ndjson");
    assert.ok(shown["transcript"].includes("•••"));
    for (const [format, name] of [
      ["Markdown", "conversation.md"],
      ["Transcript", "events.jsonl"],
    ] as const) {
      await runCommand(page, "Parley: Export Session");
      await chooseRow(page.locator(".quick-input-widget .monaco-list-row", { hasText: format }));
      shown[name] = await saved(page, folder, name);
    }
    await runCommand(page, "Parley: Show Protocol Inspector");
    const inspector = tabPage(page);
    const messages = inspector.getByRole("listbox", { name: "Messages" });
    await messages.getByRole("option").first().waitFor();
    const count = Number(await messages.getByRole("option").first().getAttribute("aria-setsize"));
    await messages.focus();
    await page.keyboard.press("Home");
    shown["inspector"] = "";
    for (let number = 0; number < count; number++) {
      await inspector.locator(`.message-detail[data-number="${number}"]`).waitFor();
      shown["inspector"] += await inspector.locator("body").innerHTML();
      await page.keyboard.press("ArrowDown");
    }
    assert.ok(shown["inspector"].includes("•••"));
    for (const [name, text] of Object.entries(shown)) assert.deepEqual(marksIn(text), [], name);
    for (const entry of await storedInBrowser(page)) assert.deepEqual(marksIn(entry), [], "stored in the browser");

    // The files are read while nothing changes them.
    await quitVscode(workbench, () => {
      // The settings are the user's, and VS Code keeps a copy of them.
      const own = new Set(Object.keys(files).map(name => join(folder, name)));
      const written = [...filesIn(server.dataDir), ...filesIn(folder)].filter(
        path => !own.has(path) && !/[\\/](?:settings|configuration)\.json$/.test(path),
      );
      for (const encoding of ["utf8", "latin1"] as const)
        for (const path of written) assert.deepEqual(marksIn(readFileSync(path, encoding)), [], path);
      for (const name of ["Parley.log", ".jsonl", "window-"])
        assert.ok(
          written.some(path => path.includes(name)),
          `${name} is among the files`,
        );
      return Promise.resolve();
    });
  });
});
