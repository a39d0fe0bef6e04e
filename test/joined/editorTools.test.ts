// The tools of the editor with real agents: the built server, the list of servers in the panel, and an agent that calls a
// tool. The editor is one of the test.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { inProject } from "../../scripts/tools/project.mjs";
import { createGate } from "../../src/base/async.ts";
import { Emitter } from "../../src/base/lifecycle.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import type { ToolAccess, ToolContext } from "../../src/editorTools/tool.ts";
import type { ToolServerModule } from "../../src/editorTools/toolServer.ts";
import { ToolSessions } from "../../src/editorTools/toolSessions.ts";
import type { OwnServer } from "../../src/mcp/ownServer.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { until } from "../support/fakes/until.ts";
import { openJoined, useJoined } from "./joinedPanel.ts";
import { expectServers, hostileServer, mcpAgent, openServers, restartAgent, serverRow } from "./mcpSteps.ts";

/** The server as it is built. */
const { toolServer } = createRequire(inProject("dist", "extension.js"))("./editorTools.js") as ToolServerModule;

interface OwnTools extends OwnServer {
  isOn: boolean;
  failure: Error | undefined;
  /** The clock of the server. */
  readonly clock: FakeClock;
  /** What a call that lists files waits for. */
  passes: Promise<boolean>;
  /** Switches the tools on or off in the settings. */
  set(isOn: boolean): void;
}

const all: ToolSessions[] = [];

/** The tools of an editor that shows one file. */
function ownTools(): OwnTools {
  const changed = new Emitter<void>();
  const editor = { path: "/ws/shown.ts", isActive: true, isVisible: true, hasUnsavedChanges: false };
  const sessions = new ToolSessions({
    startServer: options =>
      made.failure
        ? Promise.reject(made.failure)
        : toolServer.startToolServer({ ...options, version: "1", clock: made.clock }),
    answerMessage: (message, context) =>
      toolServer.answerMessage(message, { ...context, version: "1", clock: made.clock }),
    bridge: { node: process.execPath, script: inProject("dist", "mcpBridge.js") },
    toolsFor: agent => (made.isOn && agent !== "without" ? "read" : "off"),
    context: (_session, access) =>
      ({ access, editor: { openEditors: () => [editor] }, changes: () => [] }) as unknown as ToolContext,
    ...{ clock: systemClock, log: nullLog },
  });
  all.push(sessions);
  const made: OwnTools = {
    isOn: true,
    failure: undefined,
    clock: new FakeClock(),
    passes: Promise.resolve(true),
    set(isOn) {
      made.isOn = isOn;
      changed.fire();
    },
    tools: agent => (made.isOn && agent !== "without" ? ["List Open Editors", "Get Problems"] : undefined),
    serverFor(session, user) {
      sessions.opened(session, { passes: () => made.passes } as unknown as ToolAccess);
      return sessions.serverFor(session, user);
    },
    setOn: (session, on) => sessions.setOn(session, on),
    end: session => sessions.end(session),
    onDidChange: changed.event,
  };
  return made;
}

describe("the tools of the editor", function () {
  useJoined();
  afterEach(() => Promise.all(all.splice(0).map(sessions => sessions.close())));

  it("reach an agent that can use servers over HTTP, which calls them", async () => {
    const window = await openJoined({ agents: { mcp: mcpAgent(["http"]) }, ownServer: ownTools() });
    const given = await expectServers(window, "servers", ["parley"]);
    assert.match(given, /"url":"http:\/\/127\.0\.0\.1:\d+\/mcp"/);
    assert.doesNotMatch(given, /Bearer [\w-]{20}/);
    await window.send("tool open_editors {}");
    await window.log.getByText("/ws/shown.ts (active)").waitFor();
    await window.idle();
    await window.send('tool read_file {"file": "/ws/shown.ts"}');
    await window.log.getByText("There is no argument “file”.").waitFor();
    const row = await serverRow(window, "parley");
    await row.getByText("Ready").waitFor();
    await row.getByText("Tools of this editor: List Open Editors, Get Problems").waitFor();
  });

  it("are switched off for one session, and in the settings", async () => {
    const own = ownTools();
    const window = await openJoined({ agents: { mcp: mcpAgent(["http"]) }, ownServer: own });
    const { page, log } = window;
    await expectServers(window, "on", ["parley"]);
    await (await openServers(window)).getByRole("checkbox", { name: /^parley/ }).click();
    await page.getByRole("button", { name: "MCP servers: 0 of 1 on" }).waitFor();
    // The calls of the agent are refused at once, so nothing is left to do.
    assert.equal(await page.getByText("takes effect").count(), 0);
    await window.session.restart();
    await expectServers(window, "off", []);
    await (await openServers(window)).getByRole("checkbox", { name: /^parley/ }).click();
    await restartAgent(window);
    await expectServers(window, "on once more", ["parley"]);
    await window.newSession();
    await expectServers(window, "on again", ["parley"]);
    own.set(false);
    await page.getByRole("button", { name: /^MCP servers: / }).waitFor({ state: "hidden" });
    await window.send("tool open_editors {}");
    await log.getByText("The user has switched off the tools of the editor.").waitFor();
  });

  it("reach an agent that takes only commands through a program of Parley, without a secret in its arguments", async () => {
    const window = await openJoined({ agents: { narrow: mcpAgent() }, ownServer: ownTools() });
    const given = await expectServers(window, "servers", ["parley"]);
    const [server] = JSON.parse(given) as readonly [{ readonly args: readonly string[] }];
    assert.deepEqual(server.args, [inProject("dist", "mcpBridge.js")]);
    assert.match(given, /"PARLEY_TOOLS_TOKEN","value":"•••"/);
    await window.send("tool open_editors {}");
    await window.log.getByText("/ws/shown.ts (active)").waitFor();
    await window.idle();
    await window.send('tool read_file {"file": "/ws/shown.ts"}');
    await window.log.getByText("There is no argument “file”.").waitFor();
  });

  it("reach an agent over its own connection, without a port", async () => {
    const own = ownTools();
    // Nothing may be started.
    own.failure = new Error("no port is free");
    const window = await openJoined({ agents: { mcp: mcpAgent(["http", "acp"]) }, ownServer: own });
    const given = await expectServers(window, "servers", ["parley"]);
    assert.match(given, /^\[\{"name":"parley","serverId":"[\w-]{36}","type":"acp"\}\]$/);
    await window.send("tool open_editors {}");
    await window.log.getByText("/ws/shown.ts (active)").waitFor();
    await window.idle();
    await window.send('tool read_file {"file": "/ws/shown.ts"}');
    await window.log.getByText("There is no argument “file”.").waitFor();
  });

  for (const types of [[], ["http"], ["acp"]]) {
    it(`refuse calls as soon as they are switched off for the session (${types[0] ?? "stdio"})`, async () => {
      const window = await openJoined({ agents: { mcp: mcpAgent(types) }, ownServer: ownTools() });
      await window.send("tool open_editors {}");
      await window.log.getByText("/ws/shown.ts (active)").waitFor();
      await (await openServers(window)).getByRole("checkbox", { name: /^parley/ }).click();
      await window.page.getByRole("button", { name: "MCP servers: 0 of 1 on" }).waitFor();
      await window.page.keyboard.press("Escape");
      await window.send("tool open_editors {}");
      await window.log.getByText("The user has switched off the tools of the editor.").waitFor();
    });
  }

  for (const types of [[], ["http"], ["acp"]]) {
    it(`notify the agent every 10 s that a call still runs, until it is answered (${types[0] ?? "stdio"})`, async () => {
      const own = ownTools();
      const { settled, settle } = createGate();
      own.passes = settled.then(() => true);
      const window = await openJoined({ agents: { mcp: mcpAgent(types) }, ownServer: own });
      await window.send("tool open_editors {}");
      for (const count of [1, 2]) {
        await until(() => own.clock.pendingTimers === 1);
        own.clock.advance(10_000);
        await window.log
          .getByText(`Progress ${count}: The call is still running. It may be waiting for the user's answer.`)
          .waitFor();
      }
      settle();
      await window.log.getByText("/ws/shown.ts (active)").waitFor();
      await window.idle();
      assert.equal(own.clock.pendingTimers, 0);
    });
  }

  it("are off for an agent whose settings say so, and only for that one", async () => {
    const agents = { without: mcpAgent(["http"]), mcp: mcpAgent(["http"]) };
    const window = await openJoined({ agents, ownServer: ownTools() });
    await expectServers(window, "without", []);
    assert.equal(await window.page.getByRole("button", { name: /^MCP servers: / }).count(), 0);
    await window.chooseAgent("mcp");
    await expectServers(window, "with", ["parley"]);
  });

  it("are left out with a reason if they cannot be started", async () => {
    const own = ownTools();
    own.failure = new Error("no port is free");
    const window = await openJoined({ agents: { wide: mcpAgent(["http"]) }, ownServer: own });
    await expectServers(window, "none", []);
    await window.log.getByText("It could not be started: no port is free").waitFor();
    const row = await serverRow(window, "parley");
    await row.getByText("Not running").waitFor();
    await row.getByText("It could not be started: no port is free").waitFor();
    assert.equal(await row.getByRole("button").count(), 0);
    await window.page.keyboard.press("Escape");
    own.failure = undefined;
    await window.newSession();
    await expectServers(window, "started", ["parley"]);
  });

  it("leave its name to a server that the user has configured", async () => {
    const window = await openJoined({
      agents: { mcp: mcpAgent(["http"]) },
      mcpServers: { parley: hostileServer("honest") },
      ownServer: ownTools(),
    });
    await expectServers(window, "both", ["parley", "parley-2"]);
  });
});
