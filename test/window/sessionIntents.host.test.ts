// What the panel asks about its session that changes the settings of the agent.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { AgentPool } from "../../src/agents/pool.ts";
import type { AgentDefinition } from "../../src/agents/registry.ts";
import { ProblemError } from "../../src/base/errors.ts";
import type { Session } from "../../src/session/session.ts";
import { sessionIntents } from "../../src/window/sessionIntents.ts";
import { until } from "../support/fakes/until.ts";
import { FakePanel, WindowBench } from "../support/host/windowBench.ts";

const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration("parley");

describe("the button “Use Version 2”", () => {
  afterEach(() => settings().update("agents", undefined, vscode.ConfigurationTarget.Global));

  it("sets version 2 for the agent of the session, keeps its other settings, and then starts it again", async () => {
    const mine = { command: "mine", args: ["--acp"] };
    await settings().update("agents", { mine }, vscode.ConfigurationTarget.Global);
    const startedWith: unknown[] = [];
    const session = {
      id: "s",
      state: { agent: { id: "mine", name: "Mine" } },
      restart: () => Promise.resolve(void startedWith.push(settings().inspect("agents")?.globalValue)),
    } as object as Session;
    const registry = { open: { get: (id: string) => (id === "s" ? session : undefined) } };
    const intents = sessionIntents({ registry } as unknown as Parameters<typeof sessionIntents>[0]);
    await intents.nextStep({ type: "nextStep", step: "useDraftProtocol", session: "s" }, new FakePanel());
    assert.deepEqual(startedWith, [{ mine: { ...mine, protocol: "2" } }]);
  });

  it("starts the agent of an open session as the settings define it now", async () => {
    const starts: (readonly [string, string | undefined])[] = [];
    const pool = {
      get: ({ command, protocol }: AgentDefinition) => {
        starts.push([command, protocol]);
        return Promise.reject(new ProblemError({ message: "It needs version 2.", next: [] }));
      },
      stop: () => Promise.resolve(),
    } as object as AgentPool;
    const bench = new WindowBench(new Map(), pool);
    try {
      bench.sessions.start("stub");
      await until(() => bench.state.lost !== null);
      bench.agents = bench.agents.map(agent => ({ ...agent, command: "another", protocol: "2" as const }));
      await bench.session?.restart();
      assert.deepEqual(starts, [
        ["unused", undefined],
        ["another", "2"],
      ]);
    } finally {
      await bench.dispose();
    }
  });
});
