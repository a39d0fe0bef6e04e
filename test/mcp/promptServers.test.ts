// What the panel shows of the MCP servers of a window.
import assert from "node:assert/strict";
import { createGate } from "../../src/base/async.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import type { Memento } from "../../src/base/memento.ts";
import type { OwnServerOfSessions } from "../../src/mcp/ownServer.ts";
import { PromptServers } from "../../src/mcp/promptServers.ts";
import type { ServerConsents } from "../../src/mcp/serverConsents.ts";
import type { ServerLauncher } from "../../src/mcp/serverLauncher.ts";
import type { McpServer } from "../../src/mcp/servers.ts";
import type { SessionServers } from "../../src/mcp/sessionServers.ts";

const server: McpServer = {
  ...{ name: "s", source: "user", type: "stdio", command: "run" },
  ...{ args: [], env: {}, inputs: [] },
};
const list = { prompts: [{ name: "p", arguments: [] }], isCut: false, skipped: 1 };
const connected = {
  listPrompts: () => Promise.resolve(list),
  icon: () => Promise.resolve(undefined),
  close: () => Promise.resolve(),
};

/** The servers of a window that has one, which the user has allowed. */
const promptServers = (
  consents: object,
  connect: () => Promise<object>,
  more: Partial<ConstructorParameters<typeof PromptServers>[0]> = {},
): PromptServers =>
  new PromptServers({
    state: {
      get: (_: string, otherwise: unknown) => otherwise,
      update: () => Promise.resolve(),
    } as unknown as Memento,
    settings: () => [server],
    consents: { has: () => true, ...consents } as unknown as ServerConsents,
    launcher: { connect } as unknown as ServerLauncher,
    sessionServers: { isOn: () => true, opened: () => undefined } as unknown as SessionServers,
    sessions: () => [],
    offerReview: () => Promise.resolve(false),
    onDidChange: () => {},
    clock: systemClock,
    log: nullLog,
    ...more,
  });

describe("an MCP server in the panel", () => {
  it("is ready with what its list of prompts lacks, and its other prompts can be used", async () => {
    const servers = promptServers({ ask: () => Promise.resolve(true) }, () => Promise.resolve(connected));
    await servers.set(undefined, "s", "retry");
    const { prompts, mcpServers } = servers.view(undefined);
    assert.deepEqual(
      prompts.map(({ name }) => name),
      ["s:p"],
    );
    assert.deepEqual(
      mcpServers.map(({ state, reason }) => [state, reason]),
      [["ready", "One prompt is left out because Parley cannot read it."]],
    );
    await servers.end();
  });

  it("does not start after the window has ended its servers, although the user has typed / before", async () => {
    for (const start of ["startAll", "set"] as const) {
      const consent = createGate();
      const waits = async (): Promise<boolean> => {
        await consent.settled;
        return true;
      };
      let starts = 0;
      const servers = promptServers({ check: waits, ask: waits }, async () => {
        starts++;
        return connected;
      });
      const started = start === "set" ? servers.set(undefined, "s", "allow") : servers.startAll(undefined);
      await servers.end();
      consent.settle();
      await started;
      assert.equal(starts, 0, start);
    }
  });

  it("stays off if a session opens while the user switches the tools of the editor off", async () => {
    let isOn = true;
    const ownServer: OwnServerOfSessions = { tools: () => ["Read File"], setOn: (_, on) => void (isOn = on) };
    const sessionServers = {
      isOn: () => false,
      opened: () => undefined,
      setOn: async () => {
        await Promise.resolve();
        // The session that opens, before the choice is stored.
        ownServer.setOn("session", true);
      },
    } as unknown as SessionServers;
    const servers = promptServers({}, () => Promise.resolve(connected), { ownServer, sessionServers });
    await servers.set("session", "parley", "off");
    assert.equal(isOn, false);
    await servers.end();
  });
});
