// The consent to an MCP server of a workspace in the real VS Code, while an agent changes what the server runs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { until } from "../support/fakes/until.ts";
import { chooseAgent } from "./agents.ts";
import { newSession, sharedWorkbench } from "./harness.ts";
import { expectServers, hostileServer, mcpAgent, openServers, restartAgent, showNotification } from "./mcpCommands.ts";

describe("an MCP server of a workspace that the user has allowed", () => {
  const settings = { "parley.agents": { mcp: mcpAgent([]) } };

  it("is asked about again after its script has changed, which an agent changes only with permission", async () => {
    const script = `import ${JSON.stringify(pathToFileURL(hostileServer).href)};\n`;
    const local = { command: process.execPath, args: ["./local.mjs", "honest"] };
    const { page, panel, folder, errors } = await sharedWorkbench(
      { ".vscode/mcp.json": JSON.stringify({ servers: { local } }), "local.mjs": script },
      settings,
    );
    await chooseAgent(panel, "mcp");
    await expectServers(panel, "before", []);
    await (await openServers(panel)).getByRole("button", { name: "Allow local" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("It runs or reads these files of the workspace: local.mjs").first().waitFor();
    await dialog.getByRole("button", { name: "Allow" }).click();
    await restartAgent(panel);
    await expectServers(panel, "after", ["local"]);

    const file = join(folder, "local.mjs");
    const composer = panel.getByRole("textbox", { name: "Message" });
    await composer.fill(`write ${file} console.error("evil");`);
    await composer.press("Enter");
    const question = panel.getByRole("group", {
      name: /wants to write .*local\.mjs, which can run programs by itself/,
    });
    assert.equal(readFileSync(file, "utf8"), script);
    await question.getByRole("button", { name: "Allow Once" }).click();
    await until(() => readFileSync(file, "utf8") !== script);
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });

    // The agent of the next session does not get the changed script.
    await newSession(page, panel);
    await expectServers(panel, "changed", []);
    const offer = "This workspace has MCP servers for agents: local (changed: local.mjs). Agents don't get them yet.";
    await (await showNotification(page, offer)).getByRole("button", { name: "Review…" }).click();
    await dialog.getByText("Allow the changed MCP server “local” of this workspace?").first().waitFor();
    await dialog.getByText("Changed since you allowed it: local.mjs").first().waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    assert.deepEqual(errors, []);
  });
});
