// MCP servers for agents in the real VS Code: where they are configured, what the user is asked, and what agents get.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { until } from "../support/fakes/until.ts";
import { chooseAgent } from "./agents.ts";
import {
  answerTrust,
  canChangeSettings,
  newSession,
  openChat,
  openWorkbench,
  reloadWindow,
  runCommand,
  screenshot,
  sharedWorkbench,
  writeFiles,
} from "./harness.ts";
import {
  expectServers,
  hostileServer,
  mcpAgent,
  openServers,
  restartAgent,
  showNotification,
  startServerByCommand,
} from "./mcpCommands.ts";

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

const programs = mkdtempSync(join(tmpdir(), "parley-mcp-"));
after(() => rmSync(programs, { recursive: true, force: true }));

/** A server over stdio. Its program appends to the file `mark` when it starts. */
const stdio = (behaviour: string, env: Readonly<Record<string, string>> = {}): object => ({
  command: process.execPath,
  args: [hostileServer, behaviour],
  ...(Object.keys(env).length > 0 && { env }),
});
describe("MCP servers of a workspace", () => {
  const settings = { "parley.agents": { mcp: mcpAgent([]) } };
  const file = (name: string, ...args: readonly string[]): string =>
    `{\n  // As VS Code writes it.\n  "servers": { "${name}": ${JSON.stringify({ command: process.execPath, args: [hostileServer, ...args] })}, },\n}`;

  it("reach the agent after the user has allowed each of them once, and again when one changes", async () => {
    const { page, panel, folder, errors } = await sharedWorkbench(
      { ".vscode/mcp.json": file("local", "honest") },
      settings,
    );
    await chooseAgent(panel, "mcp");
    await expectServers(panel, "before", []);
    const offered = "This workspace has MCP servers for agents: local. Agents don't get them yet.";
    const offer = await showNotification(page, offered);
    await offer.getByRole("button", { name: "Review…" }).click();
    const dialog = page.getByRole("dialog").filter({ hasText: "Allow the MCP server “local” of this workspace?" });
    await dialog.getByText(hostileServer).first().waitFor();
    await screenshot(page, "mcp-consent");
    await dialog.getByRole("button", { name: "Allow" }).click();
    await restartAgent(panel);
    const given = await expectServers(panel, "after", ["local"]);
    assert.ok(given.includes(hostileServer), given);

    // The consent is remembered.
    await newSession(page, panel);
    await expectServers(panel, "again", ["local"]);
    assert.deepEqual(errors, []);
    await reloadWindow(page);
    await newSession(page, panel);
    await expectServers(panel, "after a reload", ["local"]);
    await runCommand(page, "Notifications: Show Notifications");
    assert.equal(await offer.count(), 0);
    await runCommand(page, "Notifications: Hide Notifications");

    // Another argument is another program.
    writeFileSync(join(folder, ".vscode", "mcp.json"), file("local", "honest", "2025-03-26"));
    const list = await openServers(panel);
    await list.getByText("Not allowed yet").waitFor();
    await restartAgent(panel);
    await expectServers(panel, "changed", []);
    await (await openServers(panel)).getByRole("button", { name: "Allow local" }).click();
    await dialog.getByText("2025-03-26").first().waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await expectServers(panel, "refused", []);
    await (await openServers(panel)).getByRole("button", { name: "Allow local" }).click();
    await dialog.getByRole("button", { name: "Allow" }).click();
    await restartAgent(panel);
    await expectServers(panel, "allowed again", ["local"]);
  });

  it("and the user's own are not started, and not even read, while the workspace is not trusted", async () => {
    const marks = ["workspace", "user", "agent"].map(name => join(programs, `${name}.started`));
    const [workspace = "", user = "", own = ""] = marks;
    const { page } = await openWorkbench({
      trust: true,
      files: { ".vscode/mcp.json": JSON.stringify({ servers: { local: stdio("honest", { MCP_MARK: workspace }) } }) },
      settings: {
        "parley.mcpServers": { mine: stdio("honest", { MCP_MARK: user }) },
        "parley.agents": { mcp: mcpAgent([], { mcpServers: { own: stdio("honest", { MCP_MARK: own }) } }) },
      },
    });
    await answerTrust(page, false);
    const panel = await openChat(page);
    await panel.getByText(/Parley doesn't start agents in untrusted workspaces/).waitFor();
    const composer = panel.getByRole("textbox", { name: "Message" });
    await composer.click();
    await page.keyboard.type("/");
    assert.equal(await panel.getByRole("button", { name: /^MCP servers: / }).count(), 0);
    assert.equal(await panel.getByRole("option", { name: /MCP server|:first/ }).count(), 0);
    await page.keyboard.press("Backspace");

    await panel.getByRole("button", { name: "Manage Workspace Trust" }).click();
    await page.getByRole("button", { name: "Trust", exact: true }).first().click();
    await panel.getByText(/This workspace is not trusted/).waitFor({ state: "hidden" });
    // The oldest supported VS Code shows the page about trust as a tab.
    const modal = page.locator(".monaco-modal-editor-block").getByRole("button", { name: /^Close/ });
    const tab = page.locator(".tab", { hasText: "Workspace Trust" });
    await modal.or(tab).first().waitFor();
    if (await tab.isVisible()) await runCommand(page, "View: Close All Editors");
    else await modal.click();
    // Once it is trusted, a server still starts only after the user has allowed it.
    await panel.getByRole("button", { name: /^MCP servers: / }).waitFor();
    await composer.click();
    await page.keyboard.type("/");
    await panel.getByRole("option", { name: /^\/?mine/ }).waitFor();
    assert.deepEqual(marks.filter(existsSync), []);
    await panel.getByRole("option", { name: /^\/?mine/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Allow" }).click();
    await panel.getByRole("option", { name: /mine:first/ }).waitFor();
    assert.deepEqual(marks.filter(existsSync), [user]);
  });
});

describe("an MCP server of a workspace with a file of variables", () => {
  it("says why it cannot read the file, and gets its variables, which no log shows", async () => {
    const key = "walrus-4711";
    const server = { ...stdio("key"), envFile: "${workspaceFolder}/tickets.env" };
    const { page, panel, folder, errors } = await sharedWorkbench(
      { ".vscode/mcp.json": JSON.stringify({ servers: { local: server } }) },
      { "parley.agents": { mcp: mcpAgent([]) } },
    );
    await chooseAgent(panel, "mcp");
    await expectServers(panel, "before", []);
    const list = await openServers(panel);
    await list.getByRole("button", { name: "Allow local" }).click();
    const dialog = page.getByRole("dialog").filter({ hasText: "Allow the MCP server “local” of this workspace?" });
    await dialog.getByText("with the variables of the file ${workspaceFolder}/tickets.env").first().waitFor();
    await dialog.getByRole("button", { name: "Allow" }).click();
    await openServers(panel);
    const reason = `The envFile ${join(folder, "tickets.env")} of the MCP server local does not exist.`;
    await list.getByText(reason).waitFor();
    await screenshot(page, "mcp-env-file");
    writeFileSync(join(folder, "tickets.env"), `# For the tests\nexport MCP_KEY="${key}"\n`);
    await list.getByRole("button", { name: "Start local again" }).click();
    // The consent did not cover the variables of the file, because there was none.
    const changed = page
      .getByRole("dialog")
      .filter({ hasText: "Allow the changed MCP server “local” of this workspace?" });
    await changed.getByText("Changed since you allowed it: tickets.env").first().waitFor();
    await changed.getByText("with the variables of the file ${workspaceFolder}/tickets.env: MCP_KEY").first().waitFor();
    await screenshot(page, "mcp-consent-changed");
    await changed.getByRole("button", { name: "Allow" }).click();
    await openServers(panel);
    await list.getByText("Ready", { exact: true }).waitFor();
    await restartAgent(panel);
    const given = await expectServers(panel, "after", ["local"]);
    assert.ok(given.includes(`"digest":"${digest(key)}"`) && !given.includes(key), given);
    await panel.getByRole("textbox", { name: "Message" }).click();
    await page.keyboard.type("/local:first");
    await panel.getByRole("option", { name: /local:first/ }).click();
    await panel.getByRole("group", { name: "Preview of /local:first" }).getByText(`The key is ${key}`).waitFor();
    await panel.getByRole("button", { name: "Cancel", exact: true }).click();
    await runCommand(page, "Parley: Show Protocol Traffic");
    await page.locator(".editor-instance .view-lines").getByText("session/new").first().waitFor();
    await page.keyboard.press("Control+F");
    await page.keyboard.type(key);
    await page.locator(".find-widget").getByText("No results").waitFor();
    assert.deepEqual(errors, []);
  });
});

describe("MCP servers of an agent", () => {
  it("reach this agent only, as far as it can use them, and Parley names once what it cannot use", async () => {
    const mcpServers = {
      own: stdio("honest"),
      web: { url: "https://example.com/mcp" },
      lost: { command: "no-such-server" },
    };
    const { page, panel, errors } = await sharedWorkbench(
      {},
      {
        "parley.agents": {
          plain: mcpAgent([]),
          narrow: mcpAgent([], { mcpServers }),
          wide: mcpAgent(["http"], { mcpServers }),
        },
        "parley.mcpServers": { mine: stdio("honest") },
      },
    );
    const log = panel.getByRole("log", { name: "Conversation" });
    const unsupported = log.getByText("MCP Agent cannot use MCP servers of the type http.");
    const lost = log.getByText("The program no-such-server was not found on the PATH");
    await chooseAgent(panel, "plain");
    await expectServers(panel, "plain", ["mine"]);
    await chooseAgent(panel, "narrow");
    // One notice lists them all.
    const notice = log.getByText("These MCP servers are left out:");
    await notice.and(unsupported).and(lost).waitFor();
    assert.equal(await log.getByText(/left out/).count(), 1);
    await screenshot(page, "mcp-left-out");
    await expectServers(panel, "narrow", ["own", "mine"]);
    const list = await openServers(panel);
    await list.getByText("MCP Agent cannot use MCP servers of the type http.").waitFor();
    await page.keyboard.press("Escape");
    await newSession(page, panel);
    await expectServers(panel, "narrow again", ["own", "mine"]);
    assert.equal(await unsupported.count(), 0);
    assert.equal(await lost.count(), 0);
    await chooseAgent(panel, "wide");
    const given = await expectServers(panel, "wide", ["own", "web", "mine"]);
    assert.ok(given.includes('"type":"http"') && given.includes("https://example.com/mcp"), given);
    assert.deepEqual(errors, []);
    await reloadWindow(page);
    await chooseAgent(panel, "narrow");
    await lost.waitFor();
    assert.equal(await unsupported.count(), 0, "Parley has named it before");
  });

  it("are switched off for one session, and the composer says when that takes effect", async () => {
    const { page, panel, errors } = await sharedWorkbench(
      {},
      {
        "parley.agents": { mcp: mcpAgent([]) },
        "parley.mcpServers": { one: stdio("honest"), two: stdio("honest") },
      },
    );
    await chooseAgent(panel, "mcp");
    await expectServers(panel, "both", ["one", "two"]);
    await (await openServers(panel)).getByRole("checkbox", { name: /^one/ }).click();
    await panel.getByRole("button", { name: "MCP servers: 1 of 2 on" }).waitFor();
    await screenshot(page, "mcp-switched-off");
    await expectServers(panel, "not yet", ["one", "two"]);
    await restartAgent(panel);
    await expectServers(panel, "off", ["two"]);
    assert.deepEqual(errors, []);
    // The choice is of this session, and it outlives the window.
    await reloadWindow(page);
    await panel.getByRole("button", { name: "MCP servers: 1 of 2 on" }).waitFor();
    await newSession(page, panel);
    await panel.getByRole("button", { name: "MCP servers: 2 of 2 on" }).waitFor();
    await expectServers(panel, "another session", ["one", "two"]);
  });
});

describe("MCP servers that are configured wrongly", () => {
  it("say what is wrong, each in its place, and servers of the same name get two names", async () => {
    const exits = "console.error('npm error 404 Not Found'); process.exit(1)";
    const own = {
      "my server": stdio("honest"),
      exits: { command: process.execPath, args: ["-e", exits] },
      nowhere: { ...stdio("honest"), cwd: "/no/such/folder" },
      variable: { command: "run", args: ["${config:x}"] },
      empty: {},
    };
    const { page, panel, folder, errors } = await sharedWorkbench(
      {},
      { "parley.agents": { mcp: mcpAgent([]) }, "parley.mcpServers": own },
    );
    await panel.getByText('The MCP server "empty" in parley.mcpServers has neither a command nor a url.').waitFor();
    await panel.getByRole("button", { name: "MCP servers: 4 of 4 on" }).waitFor();
    const ofWorkspace = { "my server": stdio("honest"), broken: { type: "stdio" } };
    writeFiles(folder, { ".vscode/mcp.json": JSON.stringify({ servers: ofWorkspace }) });
    await panel.getByRole("button", { name: "MCP servers: 5 of 5 on" }).waitFor();
    await newSession(page, panel);
    const log = panel.getByRole("log", { name: "Conversation" });
    await log
      .getByText('The MCP server "broken" in .vscode/mcp.json has no command. Name the program that starts it.')
      .waitFor();

    const list = await openServers(panel);
    const row = (name: string): ReturnType<Page["locator"]> =>
      list.locator(".mcp-server").filter({ has: page.getByText(name, { exact: true }) });
    const start = async (name: string, verb = "Start"): Promise<void> => {
      await openServers(panel);
      await list.getByRole("button", { name: `${verb} ${name}`, exact: true }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Allow" }).click();
      await openServers(panel);
    };
    for (const name of ["exits", "nowhere", "variable", "my server"]) await start(name);
    await start("my server 2", "Allow");
    await list.getByText("The server ended the connection. Its last output: npm error 404 Not Found").waitFor();
    await list.getByText("The cwd /no/such/folder of the MCP server nowhere is not a folder.").waitFor();
    await list.getByText("The MCP server variable uses ${config:x}. Parley only knows ${workspaceFolder},").waitFor();
    await row("my server").getByText("Ready").waitFor();
    await row("my server 2").getByText("Ready").waitFor();
    await screenshot(page, "mcp-wrong");
    await page.keyboard.press("Escape");
    await panel.getByRole("textbox", { name: "Message" }).click();
    await page.keyboard.type("/my");
    await panel.getByRole("option", { name: /my-server:first/ }).waitFor();
    await panel.getByRole("option", { name: /my-server-2:first/ }).waitFor();
    assert.deepEqual(errors, []);
  });
});

/** The servers, as hashes, of which VS Code has stored a list of prompts. */
async function storedServers(page: Page): Promise<string> {
  const texts = await page.evaluate(
    () =>
      new Promise<string[]>((resolve, reject) => {
        const opening = indexedDB.open("vscode-web-state-db-global");
        opening.onerror = () => reject(new Error("The storage of VS Code could not be opened."));
        opening.onsuccess = () => {
          const reading = opening.result.transaction("ItemTable").objectStore("ItemTable").getAll();
          reading.onsuccess = () => resolve(reading.result.map(String));
          reading.onerror = () => reject(new Error("The storage of VS Code could not be read."));
          opening.result.close();
        };
      }),
  );
  const own = texts.find(text => text.includes('"parley.mcp.prompts"'));
  if (own === undefined) return "";
  return Object.keys((JSON.parse(own) as { "parley.mcp.prompts": object })["parley.mcp.prompts"]).join();
}

describe("the prompts of an MCP server", () => {
  it("are listed at once after a reload as they were last time, while their server starts", async () => {
    const silent = join(programs, "silent");
    const { page, panel, errors } = await sharedWorkbench(
      {},
      { "parley.mcpServers": { kept: stdio("honest", { MCP_SILENT: silent }) } },
    );
    const before = await storedServers(page);
    const composer = panel.getByRole("textbox", { name: "Message" });
    await startServerByCommand(page, panel);
    await panel.getByRole("option", { name: /kept:first/ }).waitFor();
    await composer.fill("");
    assert.deepEqual(errors, []);
    writeFileSync(silent, "");
    // VS Code in the browser stores with a delay, and a reload does not wait for it.
    await until(async () => (await storedServers(page)) !== before);
    await reloadWindow(page);
    // The reload can restore the draft.
    await composer.fill("");
    await composer.click();
    await page.keyboard.type("/");
    await panel.getByRole("option", { name: /kept Starting…/ }).waitFor();
    await panel.getByRole("option", { name: /kept:first/ }).waitFor();
    await panel.getByRole("option", { name: /kept:second/ }).waitFor();
    await screenshot(page, "mcp-list-of-last-time");
    await panel.getByRole("option", { name: /kept Start again\. The server did not answer/ }).waitFor();
    await panel.getByRole("option", { name: /kept:first/ }).waitFor();
  });
});

describe("the values that MCP servers need", () => {
  const key = "swordfish-4711";
  const settings = {
    "parley.agents": { mcp: mcpAgent([]) },
    "parley.mcpServers": {
      tickets: {
        ...stdio("key", { MCP_KEY: "${input:key}", MCP_REGION: "${input:region}" }),
        inputs: [
          { id: "key", description: "Key for the tickets", password: true },
          { id: "region", description: "Region", options: ["north", "south"] },
        ],
      },
    },
  };

  it("are asked once, hidden, kept for Parley and the agent, and asked again after they were removed", async () => {
    const { page, panel, errors } = await sharedWorkbench({}, settings);
    const widget = page.locator(".quick-input-widget");
    const input = widget.locator("input").first();
    /** Answers both questions. */
    const enter = async (value: string): Promise<void> => {
      await widget.getByText("MCP Server “tickets”").waitFor();
      await widget
        .getByText(/Key for the tickets/)
        .first()
        .waitFor();
      assert.equal(await input.getAttribute("type"), "password");
      await input.fill(value);
      await screenshot(page, "mcp-input");
      await input.press("Enter");
      await page.locator(".quick-input-list .monaco-list-row", { hasText: "north" }).click();
    };
    await chooseAgent(panel, "mcp");
    await enter(key);
    const given = await expectServers(panel, "servers", ["tickets"]);
    assert.ok(given.includes(`"digest":"${digest(key)}"`) && given.includes('"value":"north"'), given);

    // Parley's own connection has the same value, without another question.
    await newSession(page, panel);
    await expectServers(panel, "servers again", ["tickets"]);
    await startServerByCommand(page, panel);
    await panel.getByRole("option", { name: /tickets:first/ }).click();
    await panel.getByRole("group", { name: "Preview of /tickets:first" }).getByText(`The key is ${key}`).waitFor();
    await panel.getByRole("button", { name: "Cancel", exact: true }).click();

    await runCommand(page, "Parley: Show Protocol Traffic");
    const editor = page.locator(".editor-instance .view-lines");
    await editor.getByText("session/new").first().waitFor();
    await page.keyboard.press("Control+F");
    await page.keyboard.type(key);
    await page.locator(".find-widget").getByText("No results").waitFor();
    await page.keyboard.press("Escape");
    await runCommand(page, "View: Close All Editors");

    await runCommand(page, "Parley: Remove Stored Values of MCP Servers");
    const row = page.locator(".quick-input-list .monaco-list-row", { hasText: "tickets" });
    await row.getByText("key, region").waitFor();
    await row.click();
    await page.keyboard.press("Enter");
    await widget.waitFor({ state: "hidden" });
    await runCommand(page, "Parley: New Session");
    await widget
      .getByText(/Key for the tickets/)
      .first()
      .waitFor();
    await page.keyboard.press("Escape");
    const log = panel.getByRole("log", { name: "Conversation" });
    await log.getByText("The MCP server “tickets” is left out. tickets needs a value that was not entered.").waitFor();
    await expectServers(panel, "without", []);
    await runCommand(page, "Parley: New Session");
    await enter("another-value");
    const again = await expectServers(panel, "with", ["tickets"]);
    assert.ok(again.includes(`"digest":"${digest("another-value")}"`), again);
    assert.deepEqual(errors, []);
  });
});

describe("Import MCP Servers", () => {
  it("copies servers of VS Code's setting and of a file into the user's setting, with their inputs", async function () {
    if (!canChangeSettings) this.skip();
    const fromFile = { filed: { command: "run-filed", args: ["${input:key}"] }, mine: { command: "replaced" } };
    const text = `{ "mcpServers": ${JSON.stringify(fromFile)}, // with a comment\n}`;
    const { page, panel } = await sharedWorkbench(
      { "claude.json": text },
      {
        mcp: { inputs: [{ id: "key", description: "Key", password: true }], servers: { editors: stdio("honest") } },
        "parley.mcpServers": { mine: stdio("honest") },
        "files.simpleDialog.enable": true,
      },
    );
    const rows = page.locator(".quick-input-list .monaco-list-row");
    await runCommand(page, "Parley: Import MCP Servers");
    await rows.filter({ hasText: "From VS Code" }).getByText("editors").waitFor();
    await rows.filter({ hasText: "From VS Code" }).click();
    await rows.filter({ hasText: "editors" }).getByText(hostileServer).waitFor();
    await page.keyboard.press("Enter");
    await showNotification(page, "Imported 1 MCP server.");
    await panel.getByRole("button", { name: "MCP servers: 2 of 2 on" }).waitFor();

    await runCommand(page, "Parley: Import MCP Servers");
    await rows.filter({ hasText: "From a File…" }).click();
    await rows.filter({ hasText: "claude.json" }).click();
    await rows.filter({ hasText: "replaces yours" }).waitFor();
    await screenshot(page, "mcp-import");
    // A server that the user has is not selected.
    await page.keyboard.press("Enter");
    await panel.getByRole("button", { name: "MCP servers: 3 of 3 on" }).waitFor();
    const list = await openServers(panel);
    await list.getByText("run-filed '${input:key}'").waitFor();
    assert.equal(await list.getByText("replaced").count(), 0);
  });
});
