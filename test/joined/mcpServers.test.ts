// MCP servers for agents: which ones an agent gets, what the user is asked before, and what the panel says about them.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { hostile } from "../support/mcp/servers.ts";
import { until } from "../support/fakes/until.ts";
import { openJoined, useJoined } from "./joinedPanel.ts";
import {
  cancelPreview,
  expectServers,
  hostileServer,
  mcpAgent,
  openServers,
  restartAgent,
  serverRow,
  startServers,
  usePrompt,
} from "./mcpSteps.ts";
import { chooseAction } from "./messageSteps.ts";

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
const agents = { mcp: mcpAgent() };

describe("MCP servers of a workspace", () => {
  useJoined();

  it("with a file of variables say why they cannot read it, and get its variables, which no log shows", async () => {
    const key = "walrus-4711";
    const local = { ...hostileServer("key"), envFile: "${workspaceFolder}/tickets.env" };
    const files = { ".vscode/mcp.json": JSON.stringify({ servers: { local } }) };
    const window = await openJoined({ agents, files });
    const { questions, folder } = window;
    await expectServers(window, "before", []);
    const list = await openServers(window);
    await list.getByRole("button", { name: "Allow local" }).click();
    const asked = await questions.answer("Allow");
    assert.equal(asked.message, "Allow the MCP server “local” of this workspace?");
    assert.ok(asked.detail.includes("with the variables of the file ${workspaceFolder}/tickets.env"));
    const reason = `The envFile ${join(folder, "tickets.env")} of the MCP server local does not exist.`;
    await list.getByText(reason).waitFor();
    writeFileSync(join(folder, "tickets.env"), `# For the tests\nexport MCP_KEY="${key}"\n`);
    await list.getByRole("button", { name: "Start local again" }).click();
    // The consent did not cover the variables of the file, because there was none.
    const again = await questions.answer("Allow");
    assert.equal(again.message, "Allow the changed MCP server “local” of this workspace?");
    assert.ok(again.detail.includes("Changed since you allowed it: tickets.env"));
    assert.ok(again.detail.includes("with the variables of the file ${workspaceFolder}/tickets.env: MCP_KEY"));
    await list.getByText("Ready", { exact: true }).waitFor();
    await restartAgent(window);
    const given = await expectServers(window, "after", ["local"]);
    assert.ok(given.includes(`"digest":"${digest(key)}"`) && !given.includes(key), given);
    await usePrompt(window, "local:first");
    await cancelPreview(window, "local:first", `The key is ${key}`);
    const traffic = window.traffic("mcp");
    assert.ok(traffic.includes("session/new") && !traffic.includes(key));
  });

  it("are asked about again after their script has changed, which an agent changes only with permission", async () => {
    const script = `import ${JSON.stringify(pathToFileURL(hostile).href)};\n`;
    const local = { command: process.execPath, args: ["./local.mjs", "honest"] };
    const files = { ".vscode/mcp.json": JSON.stringify({ servers: { local } }), "local.mjs": script };
    const window = await openJoined({ agents, files });
    const { page, questions, folder } = window;
    await expectServers(window, "before", []);
    const [offer] = questions.offers;
    assert.equal(offer, "This workspace has MCP servers for agents: local. Agents don't get them yet.");
    await (await openServers(window)).getByRole("button", { name: "Allow local" }).click();
    const asked = await questions.answer("Allow");
    assert.ok(asked.detail.includes("It runs or reads these files of the workspace: local.mjs"));
    await restartAgent(window);
    await expectServers(window, "after", ["local"]);

    const file = join(folder, "local.mjs");
    await window.send(`write ${file} console.error("evil");`);
    const question = page.getByRole("group", {
      name: /wants to write .*local\.mjs, which can run programs by itself/,
    });
    await question.waitFor();
    assert.equal(readFileSync(file, "utf8"), script);
    await question.getByRole("button", { name: "Allow Once" }).click();
    await until(() => readFileSync(file, "utf8") !== script);
    await window.idle();

    // The agent of the next session does not get the changed script.
    await window.newSession();
    await expectServers(window, "changed", []);
    assert.deepEqual(questions.offers, [
      offer,
      "This workspace has MCP servers for agents: local (changed: local.mjs). Agents don't get them yet.",
    ]);
    await questions.startReview();
    await questions.startReview();
    const changed = await questions.answer("Cancel");
    assert.equal(changed.message, "Allow the changed MCP server “local” of this workspace?");
    assert.ok(changed.detail.includes("Changed since you allowed it: local.mjs"));
    await expectServers(window, "refused", []);
  });

  it("are offered once, stay allowed after a reload, and are asked about again when their definition changes", async () => {
    const file = (...args: readonly string[]): string =>
      JSON.stringify({ servers: { local: { command: process.execPath, args: [hostile, ...args] } } });
    const window = await openJoined({ agents, files: { ".vscode/mcp.json": file("honest") } });
    const { questions } = window;
    await expectServers(window, "before", []);
    await window.newSession();
    await expectServers(window, "not offered again", []);
    assert.equal(questions.offers.length, 1);
    await questions.startReview();
    const asked = await questions.answer("Allow");
    assert.equal(asked.message, "Allow the MCP server “local” of this workspace?");
    assert.ok(asked.detail[0]?.includes(hostile), asked.detail[0]);
    await restartAgent(window);
    const given = await expectServers(window, "allowed", ["local"]);
    assert.ok(given.includes(hostile), given);
    await window.newSession();
    await expectServers(window, "in another session", ["local"]);
    await window.reload();
    await window.newSession();
    await expectServers(window, "after a reload", ["local"]);
    assert.deepEqual(questions.offers, []);

    // Another argument is another program.
    window.serverSettings.write(file("honest", "2025-03-26"));
    const list = await openServers(window);
    await list.getByText("Not allowed yet").waitFor();
    await restartAgent(window);
    await expectServers(window, "changed", []);
    for (const [button, names] of [
      ["Cancel", []],
      ["Allow", ["local"]],
    ] as const) {
      await (await openServers(window)).getByRole("button", { name: "Allow local" }).click();
      const again = await questions.answer(button);
      assert.ok(
        again.detail.some(line => line.endsWith("honest 2025-03-26")),
        again.detail.join("\n"),
      );
      if (button === "Allow") await restartAgent(window);
      await expectServers(window, button, names);
    }
  });
});

describe("MCP servers of an agent", () => {
  useJoined();

  it("reach this agent only, as far as it can use them, and Parley names once what it cannot use", async () => {
    const mcpServers = {
      own: hostileServer("honest"),
      web: { url: "https://example.com/mcp" },
      lost: { command: "no-such-server" },
    };
    const window = await openJoined({
      agents: {
        plain: mcpAgent(),
        narrow: mcpAgent([], { mcpServers }),
        wide: mcpAgent(["http"], { mcpServers }),
      },
      mcpServers: { mine: hostileServer("honest") },
    });
    const { page, log } = window;
    const unsupported = log.getByText("MCP Agent cannot use MCP servers of the type http.");
    const lost = log.getByText("The program no-such-server was not found on the PATH");
    await expectServers(window, "plain", ["mine"]);
    await window.chooseAgent("narrow");
    // One notice lists them all.
    const notice = log.getByText("These MCP servers are left out:");
    await notice.and(unsupported).and(lost).waitFor();
    assert.equal(await log.getByText(/left out/).count(), 1);
    await expectServers(window, "narrow", ["own", "mine"]);
    const list = await openServers(window);
    await list.getByText("MCP Agent cannot use MCP servers of the type http.").waitFor();
    await page.keyboard.press("Escape");
    await window.newSession();
    await expectServers(window, "narrow again", ["own", "mine"]);
    assert.equal(await unsupported.count(), 0);
    assert.equal(await lost.count(), 0);
    await window.chooseAgent("wide");
    const given = await expectServers(window, "wide", ["own", "web", "mine"]);
    assert.ok(given.includes('"type":"http"') && given.includes("https://example.com/mcp"), given);
    await window.reload();
    await window.chooseAgent("narrow");
    await lost.waitFor();
    assert.equal(await unsupported.count(), 0, "Parley has named it before");
  });

  it("are switched off for one session, and the composer says when that takes effect", async () => {
    const window = await openJoined({
      agents,
      mcpServers: { one: hostileServer("honest"), two: hostileServer("honest") },
    });
    const { page } = window;
    await expectServers(window, "both", ["one", "two"]);
    await (await openServers(window)).getByRole("checkbox", { name: /^one/ }).click();
    await page.getByRole("button", { name: "MCP servers: 1 of 2 on" }).waitFor();
    await expectServers(window, "not yet", ["one", "two"]);
    await restartAgent(window);
    await expectServers(window, "off", ["two"]);
    // The choice is of this session, and it outlives the window.
    await window.reload();
    await page.getByRole("button", { name: "MCP servers: 1 of 2 on" }).waitFor();
    await window.newSession();
    await page.getByRole("button", { name: "MCP servers: 2 of 2 on" }).waitFor();
    await expectServers(window, "another session", ["one", "two"]);
  });

  it("are the same in a session that continues the conversation with another agent, and in a branch", async () => {
    const window = await openJoined({
      agents: { ...agents, other: mcpAgent() },
      mcpServers: { one: hostileServer("honest"), two: hostileServer("honest") },
    });
    await expectServers(window, "first", ["one", "two"]);
    await (await openServers(window)).getByRole("checkbox", { name: /^one/ }).click();
    await window.page.getByRole("button", { name: "MCP servers: 1 of 2 on" }).waitFor();
    const origin = window.session.id;
    await window.continueWith("other");
    assert.notEqual(window.session.id, origin);
    await expectServers(window, "continued", ["two"]);
    const continued = window.session.id;
    await chooseAction(window, "continued", "Retry");
    await until(() => window.session.id !== continued);
    await window.log.getByText("The session has 1 servers: two.").last().waitFor();
    await window.idle();
    assert.equal(await window.log.getByText("The session has 2 servers").count(), 0);
    assert.deepEqual(window.failures, []);
  });

  it("have values that are asked for once, for Parley and the agent, until they are removed", async () => {
    const key = "swordfish-4711";
    const tickets = {
      ...hostileServer("key", { MCP_KEY: "${input:key}", MCP_REGION: "${input:region}" }),
      inputs: [
        { id: "key", password: true },
        { id: "region", options: ["north", "south"] },
      ],
    };
    const window = await openJoined({ agents: { ...agents, other: mcpAgent() }, mcpServers: { tickets } });
    const { questions, log } = window;
    const leftOut = log.getByText("The MCP server “tickets” is left out. tickets needs a value that was not entered.");
    await leftOut.waitFor();
    await expectServers(window, "without", []);
    questions.entered.set("key", key).set("region", "north");
    questions.inputs.length = 0;
    await window.newSession();
    const given = await expectServers(window, "with", ["tickets"]);
    assert.ok(given.includes(`"digest":"${digest(key)}"`) && given.includes('"value":"north"'), given);
    assert.ok(!given.includes(key), given);
    assert.deepEqual(questions.inputs, ["tickets key", "tickets region"]);

    // Parley's own connection and the next window have the same values, without another question.
    await startServers(window, ["tickets"]);
    await usePrompt(window, "tickets:first");
    await cancelPreview(window, "tickets:first", `The key is ${key}`);
    const traffic = window.traffic("mcp");
    assert.ok(traffic.includes("session/new") && !traffic.includes(key));
    await window.reload();
    await window.newSession();
    await expectServers(window, "after a reload", ["tickets"]);
    assert.equal(questions.inputs.length, 2);

    await window.removeInputs();
    questions.entered.set("key", "another-value");
    await window.newSession();
    const again = await expectServers(window, "removed", ["tickets"]);
    assert.ok(again.includes(`"digest":"${digest("another-value")}"`), again);
    assert.deepEqual(questions.inputs.slice(2), ["tickets key", "tickets region"]);
  });
});

describe("MCP servers that are configured wrongly", () => {
  useJoined();

  it("say what is wrong, each in its place, and servers of the same name get two names", async () => {
    const exits = "console.error('npm error 404 Not Found'); process.exit(1)";
    const window = await openJoined({
      agents,
      mcpServers: {
        "my server": hostileServer("honest"),
        exits: { command: process.execPath, args: ["-e", exits] },
        nowhere: { ...hostileServer("honest"), cwd: "/no/such/folder" },
        variable: { command: "run", args: ["${config:x}"] },
        empty: {},
      },
    });
    const { page, log, questions } = window;
    await page.getByRole("button", { name: "MCP servers: 4 of 4 on" }).waitFor();
    // Each problem is named once. If the first session still opened, it could name that of the workspace.
    await until(() => window.session.state.connection?.state === "ready");
    const ofWorkspace = { "my server": hostileServer("honest"), broken: { type: "stdio" } };
    window.serverSettings.write(JSON.stringify({ servers: ofWorkspace }));
    await page.getByRole("button", { name: "MCP servers: 5 of 5 on" }).waitFor();
    await window.newSession();
    await log
      .getByText('The MCP server "broken" in .vscode/mcp.json has no command. Name the program that starts it.')
      .waitFor();

    await startServers(window, ["exits", "nowhere", "variable"], "Failed");
    const list = await openServers(window);
    await list.getByText("The server ended the connection. Its last output: npm error 404 Not Found").waitFor();
    await list.getByText("The cwd /no/such/folder of the MCP server nowhere is not a folder.").waitFor();
    await list.getByText("The MCP server variable uses ${config:x}. Parley only knows ${workspaceFolder},").waitFor();
    await startServers(window, ["my server"]);
    await list.getByRole("button", { name: "Allow my server 2", exact: true }).click();
    await questions.answer("Allow");
    await (await serverRow(window, "my server 2")).getByText("Ready", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await window.composer.click();
    await page.keyboard.type("/my");
    await page.getByRole("option", { name: /my-server:first/ }).waitFor();
    await page.getByRole("option", { name: /my-server-2:first/ }).waitFor();
  });
});
