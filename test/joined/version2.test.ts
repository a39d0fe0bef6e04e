// An agent of version 2 of the protocol, built on the official SDK.
import assert from "node:assert/strict";
import { agentFile, openJoined, testAgent, useJoined, type JoinedWindow } from "./joinedPanel.ts";

const versionTwo = testAgent("sdkV2Agent.mjs", [], { name: "SDK Agent 2", protocol: "2" });
const open = (): Promise<JoinedWindow> => openJoined({ agents: { two: versionTwo } });

/** Sends `hello`, and waits for the end of the turn. */
async function greet(window: JoinedWindow): Promise<void> {
  await window.send("hello");
  await window.log.getByText("You said: hello", { exact: true }).waitFor();
  await window.idle();
}

describe("an agent of version 2", () => {
  useJoined();

  it("answers each prompt once, and streams a terminal", async () => {
    const window = await open();
    const { log } = window;
    await greet(window);
    assert.equal(await window.prompt("hello").count(), 1);
    await window.send("use the tool");
    await log.getByText("The checks pass.").waitFor();
    const card = log.getByRole("article", { name: "Run the checks" });
    await card.getByRole("button", { expanded: false }).click();
    await card.getByText("2 passing ✔").waitFor();
    await window.idle();
  });

  it("asks for permission with a subject", async () => {
    const window = await open();
    await window.send("permission please");
    const ask = window.page.getByRole("group", { name: /Publish the package/ });
    await ask.getByText("It can't be taken back.").waitFor();
    await ask.getByText("npm publish").first().waitFor();
    await ask.getByRole("button", { name: "Allow" }).click();
    await window.log.getByText("You decided: yes.").waitFor();
    await window.idle();
  });

  it("works in the background until its tool call is stopped", async () => {
    const window = await open();
    const { log } = window;
    await window.send("work in the background");
    await log.getByText("It is being served.").waitFor();
    const working = window.page.getByText("Working in the background…");
    await working.waitFor();
    await log.getByRole("button", { name: "Stop Serve the site" }).click();
    await working.waitFor({ state: "hidden" });
    await log.getByRole("article", { name: "Serve the site" }).getByText("Cancelled").waitFor();
  });

  it("takes a prompt while it works", async () => {
    const window = await open();
    await window.send("steer me");
    await window.stop.waitFor();
    await window.send("and this");
    await window.page.getByRole("button", { name: "Send while running: and this" }).click();
    await window.log.getByText("Also: and this").waitFor();
    await window.idle();
  });

  it("gets a prompt on hold neither while it works nor when its turn ends, but after the release", async () => {
    const window = await open();
    const { page, log } = window;
    const rows = page.getByRole("list", { name: "Queued messages" }).locator(".queue-text");
    await window.send("steer me");
    await window.stop.waitFor();
    for (const text of ["hello", "and this"]) await window.send(text);
    await page.getByText("hello", { exact: true }).hover();
    await page.getByRole("button", { name: "Hold: hello" }).click();
    await page.getByText("On hold", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Send while running: and this" }).click();
    await log.getByText("Also: and this").waitFor();
    await window.idle();
    assert.deepEqual(await rows.allTextContents(), ["hello"]);
    await page.getByRole("button", { name: "Release: hello" }).click();
    await log.getByText("You said: hello", { exact: true }).waitFor();
    await window.idle();
  });

  it("returns a prompt to the queue that it had not accepted when it was stopped", async () => {
    const window = await open();
    await window.send("hold this");
    await window.stop.click();
    await window.page.getByRole("button", { name: "Edit: hold this" }).waitFor();
    await window.page.getByText("Paused").waitFor();
    await window.idle();
    await window.page.getByRole("button", { name: "Remove from queue: hold this" }).click();
    await window.page.getByText("Paused").waitFor({ state: "hidden" });
  });

  it("gives a prompt back that the user withdraws before it was accepted, and gets the next one", async () => {
    const window = await open();
    await window.send("hold this");
    await window.page.getByRole("button", { name: "Ask the agent to give it back: hold this" }).click();
    await window.page.getByRole("list", { name: "Queued messages" }).waitFor({ state: "detached" });
    await window.idle();
    await window.send("hello");
    await window.log.getByText("You said: hello").waitFor();
    assert.equal(await window.prompt("hold this").count(), 0);
  });

  it("that can use only MCP servers that are programs gets only those", async () => {
    const window = await openJoined({
      agents: { two: versionTwo },
      mcpServers: {
        tools: { command: process.execPath, args: ["-e", ""] },
        web: { url: "http://127.0.0.1:9/mcp" },
      },
    });
    await window.send("name the servers");
    await window.log.getByText("Servers: tools (stdio)", { exact: true }).waitFor();
    await window.idle();
  });

  it("that sends what Parley does not know is shown with it, and its turn goes on", async () => {
    const window = await open();
    await window.send("tell the future");
    await window.log.getByText("It may rain.").waitFor();
    await window.log.getByText("The agent sent something that Parley does not know: weather_update").waitFor();
    await window.idle();
  });

  it("that no longer has the session gets the conversation in a new one, when the user presses Retry", async () => {
    const window = await open();
    const { log } = window;
    await greet(window);
    await window.send("forget me");
    await log.getByText(/SDK Agent 2 did not accept this message: Session not found/).waitFor();
    await log.getByText(/^SDK Agent 2 no longer has this conversation in its context/).waitFor();
    await log.getByRole("button", { name: "Retry" }).click();
    await log.getByText("You said: forget me").waitFor();
    await log.getByText("This is the conversation so far").waitFor();
    await window.idle();
  });

  it("finishes an answer while the window reloads, and repeats what the conversation lacks", async () => {
    const lasting = testAgent("sdkV2Agent.mjs", [agentFile()], { name: "SDK Agent 2", protocol: "2" });
    const window = await openJoined({ agents: { lasting } });
    const { log } = window;
    await greet(window);
    await window.send("be slow");
    await log.getByText("Half of the answer.").waitFor();
    await window.reload();
    await log.getByText("Half of the answer.").waitFor();
    await window.send("go on");
    await log.getByText("You said: go on").waitFor();
    await log.getByText("SDK Agent 2 loaded this conversation.").waitFor();
    for (const text of ["hello", "be slow", "go on"]) assert.equal(await window.prompt(text).count(), 1, text);
    for (const text of ["You said: hello", "Half of the answer. The other half."])
      assert.equal(await log.getByText(text, { exact: true }).count(), 1, text);
  });
});
