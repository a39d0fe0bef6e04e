// What the panel shows of the MCP servers of a window.
import assert from "node:assert/strict";
import { nullLog, systemClock } from "../../src/base/log.ts";
import type { Memento } from "../../src/base/memento.ts";
import { PromptServers } from "../../src/mcp/promptServers.ts";
import type { ServerConsents } from "../../src/mcp/serverConsents.ts";
import type { ServerLauncher } from "../../src/mcp/serverLauncher.ts";
import type { McpServer } from "../../src/mcp/servers.ts";
import type { SessionServers } from "../../src/mcp/sessionServers.ts";

describe("an MCP server in the panel", () => {
  it("is ready with what its list of prompts lacks, and its other prompts can be used", async () => {
    const server: McpServer = {
      ...{ name: "s", source: "user", type: "stdio", command: "run" },
      ...{ args: [], env: {}, inputs: [] },
    };
    const list = { prompts: [{ name: "p", arguments: [] }], isCut: false, skipped: 1 };
    const connected = { listPrompts: () => Promise.resolve(list), close: () => Promise.resolve() };
    const servers = new PromptServers({
      state: {
        get: (_: string, otherwise: unknown) => otherwise,
        update: () => Promise.resolve(),
      } as unknown as Memento,
      settings: () => [server],
      consents: { has: () => true, ask: () => Promise.resolve(true) } as unknown as ServerConsents,
      launcher: { connect: () => Promise.resolve(connected) } as unknown as ServerLauncher,
      sessionServers: { isOn: () => true, opened: () => undefined } as unknown as SessionServers,
      sessions: () => [],
      offerReview: () => Promise.resolve(false),
      onDidChange: () => {},
      clock: systemClock,
      log: nullLog,
    });
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
});
