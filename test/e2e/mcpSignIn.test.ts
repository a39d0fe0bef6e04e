// Signing in to an MCP server over HTTP in the real VS Code: its dialogs, its browser, and the command that signs out.
import assert from "node:assert/strict";
import { until } from "../support/fakes/until.ts";
import { AuthorizedServer, browse } from "../support/mcp/authorizedServer.ts";
import { chooseAgent } from "./agents.ts";
import { chooseRow, runCommand, screenshot, sharedWorkbench } from "./harness.ts";
import { expectServers, mcpAgent, openServers, restartAgent } from "./mcpCommands.ts";

const anyPage = /\/authorize\?/;
/** The address behind the one that VS Code forwards. */
const forwarded = (address: string): string => address.replace(/^(http:\/\/127\.0\.0\.1:)\d+\/proxy\/(\d+)\//, "$1$2/");

describe("a sign-in to an MCP server in VS Code", () => {
  let server: AuthorizedServer;
  before(async () => void (server = await AuthorizedServer.start()));
  after(() => server.close());

  it("opens the browser after the address was shown, reaches the agent once it is allowed, and ends by a command", async () => {
    const settings = {
      "parley.agents": { mcp: mcpAgent(["http"]) },
      "parley.mcpServers": { tickets: { type: "http", url: server.url } },
    };
    const { page, panel, errors } = await sharedWorkbench({}, settings);
    const dialog = (words: string): ReturnType<typeof page.locator> =>
      page.getByRole("dialog").filter({ hasText: words });
    // The forwarding of ports belongs to a part of the server that tests don't start, so the test forwards itself.
    await page.context().route(anyPage, async route => {
      const { status, text } = await browse(route.request().url(), forwarded);
      await route.fulfill({ status, contentType: "text/html; charset=utf-8", body: text });
    });
    await chooseAgent(panel, "mcp");
    await expectServers(panel, "before", ["tickets"]);
    await (await openServers(panel)).getByRole("button", { name: "Start tickets" }).click();
    await dialog("Allow Parley to start the MCP server “tickets”?").getByRole("button", { name: "Allow" }).click();
    await (await openServers(panel)).getByRole("button", { name: "Sign in to tickets" }).click();

    const asked = dialog("Sign in to the MCP server “tickets” at");
    await asked.getByText(`Your browser opens: ${server.authorization.url}/authorize`).waitFor();
    await screenshot(page, "mcp-sign-in-page");
    assert.deepEqual(server.authorization.forms("/token"), []);
    // VS Code trusts addresses of this machine, so it opens the page without a question of its own.
    const opening = page.context().waitForEvent("page");
    await asked.getByRole("button", { name: "Open Browser" }).click();
    const browser = await opening;
    await browser.getByText("Parley has the answer. You can close this page and return to VS Code.").waitFor();
    await browser.close();
    await page.context().unroute(anyPage);

    const token = dialog("Give MCP Agent your sign-in to the MCP server “tickets”?");
    await token.waitFor();
    await screenshot(page, "mcp-sign-in-token");
    await token.getByRole("button", { name: "Give Sign-In" }).click();
    await (await openServers(panel)).getByText("You are signed in, and MCP Agent gets your sign-in.").waitFor();
    await (await openServers(panel)).getByText("Ready", { exact: true }).waitFor();
    await screenshot(page, "mcp-signed-in");
    await restartAgent(panel);
    const given = await expectServers(panel, "after", ["tickets"]);
    assert.ok(given.includes('"name":"Authorization"'), given);

    await runCommand(page, "Parley: Sign Out of MCP Servers");
    await chooseRow(page.locator(".quick-input-list .monaco-list-row", { hasText: server.url }));
    await page.keyboard.press("Enter");
    await page.locator(".quick-input-widget").waitFor({ state: "hidden" });
    await (await openServers(panel)).getByText("You are signed in", { exact: false }).waitFor({ state: "hidden" });
    await until(() => server.refreshTokens.size === 0);
    assert.deepEqual(errors, []);
  });
});
