// Prompts of MCP servers as slash commands, with real servers: over stdio and HTTP, old and new, large and misbehaving.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endServers, everything, freePort, listening, modern } from "../support/mcp/servers.ts";
import { demoAgent, openJoined, useJoined } from "./joinedPanel.ts";
import { cancelPreview, hostileServer, preview, serverRow, startServers, usePrompt } from "./mcpSteps.ts";

const stdio = (file: string): object => ({ command: process.execPath, args: [file] });

describe("prompts of MCP servers", () => {
  useJoined();
  after(endServers);
  const folder = mkdtempSync(join(tmpdir(), "parley-prompts-"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("are listed after a slash, completed by the server, shown and sent", async () => {
    const window = await openJoined({ agents: demoAgent, mcpServers: { everything: stdio(everything) } });
    const { page, composer, log } = window;
    await composer.click();
    await page.keyboard.type("/");
    await page.getByRole("option", { name: /Start this MCP server/ }).click();
    const { message, detail } = await window.questions.answer("Allow");
    assert.match(message, /^Allow Parley to start the MCP server “everything”\?$/);
    assert.ok(detail[0]?.includes(everything), detail[0]);
    await page.keyboard.type("compl");
    await page.getByRole("option", { name: /everything:completable-prompt/ }).waitFor();
    await page.keyboard.press("Enter");

    const form = page.getByRole("form", { name: "/everything:completable-prompt" });
    await form.getByRole("button", { name: "Continue" }).click();
    await form.getByText("An answer is required.").first().waitFor();
    await form.getByRole("combobox", { name: "department (required)" }).click();
    await page.keyboard.type("S");
    await form.getByRole("option", { name: "Support" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    assert.equal(await form.getByRole("combobox", { name: "department (required)" }).inputValue(), "Sales");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Da");
    // The server knows the people of the department.
    await form.getByRole("option", { name: "David" }).click();
    await form.getByRole("button", { name: "Continue" }).click();

    const shown = preview(window, "everything:completable-prompt");
    await shown.getByText("Please promote David to the head of the Sales team.").waitFor();
    assert.equal(await log.getByText("Please promote David").count(), 0);
    await shown.getByRole("button", { name: "Send", exact: true }).click();
    await log.getByText("Please promote David to the head of the Sales team.").first().waitFor();
    assert.equal(await composer.inputValue(), "");
  });

  it("come over HTTP, and from the newest SDK with a question of the server", async () => {
    const port = await freePort();
    await listening([everything, "streamableHttp"], port);
    const window = await openJoined({
      agents: demoAgent,
      mcpServers: {
        web: { type: "http", url: `http://127.0.0.1:${port}/mcp` },
        newest: stdio(modern),
        latest: { url: `http://127.0.0.1:${await listening([modern, "http"])}/` },
      },
    });
    const { page, log } = window;
    await startServers(window, ["web", "newest", "latest"]);
    await usePrompt(window, "web:args-prompt");
    const form = page.getByRole("form", { name: "/web:args-prompt" });
    await form.getByRole("combobox", { name: "city (required)" }).fill("Rome");
    await form.getByRole("combobox", { name: "state", exact: true }).waitFor();
    await form.getByRole("button", { name: "Continue" }).click();
    await preview(window, "web:args-prompt").getByText("What's weather in Rome?").waitFor();
    await preview(window, "web:args-prompt").getByRole("button", { name: "Send", exact: true }).click();
    await log.getByText("What's weather in Rome?").first().waitFor();
    for (const server of ["newest", "latest"]) {
      await usePrompt(window, `${server}:ask`);
      const question = page.getByRole("form", { name: "Which ticket?" });
      await question.getByRole("textbox", { name: "ticket (required)" }).fill(`T-${server}`);
      await question.getByRole("button", { name: "Send" }).click();
      await cancelPreview(window, `${server}:ask`, `Fix ticket T-${server}.`);
    }
  });

  it("ask in the session that uses them, while another session has a form of its own", async () => {
    const mcpServers = { first: hostileServer("arguments"), newest: stdio(modern) };
    const window = await openJoined({ agents: demoAgent, mcpServers });
    const { page } = window;
    await startServers(window, ["first", "newest"]);
    await usePrompt(window, "newest:ask");
    const question = page.getByRole("form", { name: "Which ticket?" });
    await question.getByRole("textbox", { name: "ticket (required)" }).fill("T-1");
    const { id } = window.session;
    await window.newSession();
    const form = page.getByRole("form", { name: "/first:weather" });
    await usePrompt(window, "first:weather");
    await form.getByRole("combobox", { name: "city (required)" }).fill("Oslo");
    assert.equal(await question.count(), 0);
    await window.show(id);
    assert.equal(await form.count(), 0);
    assert.equal(await question.getByRole("textbox", { name: "ticket (required)" }).inputValue(), "T-1");
    await question.getByRole("button", { name: "Send" }).click();
    await cancelPreview(window, "newest:ask", "Fix ticket T-1.");
  });

  it("are usable with a thousand of them and during a storm of changes, and a server says why it failed", async () => {
    const window = await openJoined({
      agents: demoAgent,
      mcpServers: {
        storm: hostileServer("storm"),
        many: hostileServer("thousand"),
        slow: hostileServer("slow"),
        missing: { command: "no-such-server" },
      },
    });
    const { page } = window;
    const reason = "The program no-such-server was not found on the PATH that VS Code sees.";
    await startServers(window, ["many"]);
    await startServers(window, ["slow"], "Starting…");
    await startServers(window, ["missing"], "Failed");
    const missing = await serverRow(window, "missing");
    await missing.getByText(reason).waitFor();
    await missing.getByRole("button", { name: "Start missing again" }).waitFor();
    await page.keyboard.press("Escape");
    await window.composer.click();
    await page.keyboard.type("/");
    await page.getByText(/^9\d\d more\. Type to find them\.$/).waitFor();
    await page.keyboard.type("miss");
    await page.getByRole("option", { name: `missing Start again. ${reason}` }).waitFor();
    await window.composer.fill("");
    await usePrompt(window, "many:p987");
    await cancelPreview(window, "many:p987", "{}");
    await startServers(window, ["storm"]);
    await usePrompt(window, "storm:second");
    await cancelPreview(window, "storm:second", "{}");
  });

  it("are listed at once after a reload as they were last time, while their server starts", async () => {
    const silent = join(folder, "silent");
    const mcpServers = { kept: hostileServer("honest", { MCP_SILENT: silent }) };
    const window = await openJoined({ agents: demoAgent, mcpServers });
    const { page, composer } = window;
    await startServers(window, ["kept"]);
    writeFileSync(silent, "");
    await window.reload();
    await composer.click();
    await page.keyboard.type("/");
    await page.getByRole("option", { name: /kept Starting…/ }).waitFor();
    await page.getByRole("option", { name: /kept:first/ }).waitFor();
    await page.getByRole("option", { name: /kept:second/ }).waitFor();
  });
});
