// The tools of the editor with an agent that uses them over HTTP, in the real VS Code.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { FrameLocator } from "playwright-core";
import { chooseAgent } from "./agents.ts";
import { newSession, openChat, openFile, reloadWindow, runCommand, screenshot, sharedWorkbench } from "./harness.ts";
import { expectServers, mcpAgent, openServers } from "./mcpCommands.ts";

/** A server as an agent that takes commands gets it. */
interface GivenCommand {
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string }[];
}

/** Sends a prompt, and waits until the agent has answered it. */
async function prompt(panel: FrameLocator, text: string): Promise<void> {
  const answers = panel.getByRole("log", { name: "Conversation" }).getByText(/^The (tool|session) \w+ /);
  const before = await answers.count();
  const composer = panel.getByRole("textbox", { name: "Message" });
  await composer.fill(text);
  await composer.press("Enter");
  await answers.nth(before).waitFor();
  await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
}

describe("the tools of the editor", () => {
  const settings = { "parley.editorTools": "read", "parley.agents": { mcp: mcpAgent(["http"]) } };

  it("show an agent the problems of a file that it has just written, and can be switched off for a session", async () => {
    const { page, panel, folder, errors } = await sharedWorkbench(
      { "src/wrong.ts": "export const size: number = 1;\n" },
      settings,
    );
    await chooseAgent(panel, "mcp");
    const given = await expectServers(panel, "servers", ["parley"]);
    assert.match(given, /http:\/\/127\.0\.0\.1:\d+\/mcp/);
    // The token is hidden in what the agent shows.
    assert.doesNotMatch(given, /Bearer [\w-]{20}/);

    // The server for TypeScript checks only files that a tab shows.
    await openFile(page, "wrong.ts");
    const path = join(folder, "src", "wrong.ts");
    await prompt(panel, `write ${path} export const size: number = "large";`);
    const log = panel.getByRole("log", { name: "Conversation" });
    const answer = log.getByText(/wrong\.ts:1:14 error: .*not assignable to type 'number'.* \(ts 2322\)/);
    // The language server starts with the first file, which can take longer than one call waits.
    while ((await answer.count()) === 0) await prompt(panel, "tool diagnostics {}");
    await screenshot(page, "editor-tools");
    await prompt(panel, "tool changes_under_review {}");
    await log
      .getByText(/\+export const size: number = "large";/)
      .last()
      .waitFor();

    const list = await openServers(panel);
    await list.getByText(/^Tools of this editor: Read File in Editor/).waitFor();
    await screenshot(page, "editor-tools-list");
    await list.getByRole("checkbox", { name: /parley/ }).uncheck();
    await list.getByText("Off", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await runCommand(page, "Parley: Restart Agent");
    await expectServers(panel, "without", []);
    await newSession(page, panel);
    await expectServers(panel, "again", ["parley"]);
    assert.deepEqual(errors, []);
  });

  it("are given by default, also to an agent that takes only commands, and stay off in a session that is opened again", async () => {
    const { page, panel, folder, errors } = await sharedWorkbench(
      { "src/shown.ts": "export const size = 1;\n" },
      // Takes away the value of the tests.
      { "parley.editorTools": undefined, "parley.agents": { narrow: mcpAgent([]) } },
    );
    await chooseAgent(panel, "narrow");
    const [server] = JSON.parse(await expectServers(panel, "default", ["parley"])) as readonly GivenCommand[];
    assert.ok(server);
    assert.match(server.args.join(" "), /^\S+mcpBridge\.js$/);
    assert.deepEqual(
      server.env.map(({ name }) => name),
      ["ELECTRON_RUN_AS_NODE", "PARLEY_TOOLS_URL", "PARLEY_TOOLS_TOKEN"],
    );
    await openFile(page, "shown.ts");
    await prompt(panel, "tool open_editors {}");
    const log = panel.getByRole("log", { name: "Conversation" });
    await log.getByText(`${join(folder, "src", "shown.ts")} (active`).waitFor();

    const list = await openServers(panel);
    await list.getByRole("checkbox", { name: /parley/ }).uncheck();
    await screenshot(page, "editor-tools-off");
    await page.keyboard.press("Escape");
    await prompt(panel, "tool open_editors {}");
    await log.getByText("The user has switched off the tools of the editor.").waitFor();
    // A page that is reloaded reports errors of its own.
    assert.deepEqual(errors, []);
    await reloadWindow(page);
    const again = await openChat(page);
    await expectServers(again, "reloaded", []);
    await newSession(page, again);
    await expectServers(again, "another", ["parley"]);
  });

  it("are given over the connection of an agent that supports it", async () => {
    const { page, panel, folder, errors } = await sharedWorkbench(
      { "src/shown.ts": "export const size = 1;\n" },
      { "parley.editorTools": "read", "parley.agents": { connected: mcpAgent(["http", "acp"]) } },
    );
    await chooseAgent(panel, "connected");
    assert.match(await expectServers(panel, "connected", ["parley"]), /"serverId":"[\w-]{36}"/);
    await openFile(page, "shown.ts");
    await prompt(panel, "tool open_editors {}");
    const log = panel.getByRole("log", { name: "Conversation" });
    await log.getByText(`${join(folder, "src", "shown.ts")} (active`).waitFor();
    assert.deepEqual(errors, []);
  });
});
