// The list of agents of the registry: what it offers, what it explains, and what it shows without a network.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { createAddAgent } from "../../src/agentRegistry/vscode/addAgent.ts";
import type { AddAgent } from "../../src/agentRegistry/vscode/agentRegistryModule.ts";
import { agentPresets } from "../../src/agents/registry.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { LoopbackRegistry } from "../support/fakes/loopbackRegistry.ts";
import { until } from "../support/fakes/until.ts";

describe("the list of agents of the registry", () => {
  const { showQuickPick, showInformationMessage, showWarningMessage } = vscode.window;
  let registry: LoopbackRegistry;
  let folder: string;
  let addAgent: AddAgent;
  let programs: string[];
  let started: string[];
  let shown: readonly vscode.QuickPickItem[];
  let messages: string[];
  let warnings: string[];
  let questions: (readonly string[])[];
  /** The label that the user picks, and the one in the list after it. */
  let pick: string | undefined;
  let action: string | undefined;
  /** The button of questions that the user presses. */
  let answer: string | undefined;

  beforeEach(async () => {
    registry = await LoopbackRegistry.start();
    folder = mkdtempSync(join(tmpdir(), "parley-list-"));
    [programs, started, shown, messages, questions] = [["npx"], [], [], [], []];
    [pick, action, answer, warnings] = [undefined, undefined, undefined, []];
    registry.agents = [
      { id: "one", name: "One", version: "1.0.0", distribution: { npx: { package: "one@1.0.0" } } },
      { id: "two", name: "Two", version: "1.0.0", distribution: { uvx: { package: "two==1.0.0" } } },
      { id: "gemini", name: "Gemini CLI", version: "9.0.0", distribution: { npx: { package: "gemini@latest" } } },
    ];
    addAgent = createAddAgent({
      host: {
        check: () => Promise.resolve(),
        stop: () => Promise.resolve(),
        startSession: async id => void started.push(id),
        hasProgram: async name => programs.includes(name),
      },
      storedNames: id => (id === "one" ? ["API_KEY"] : []),
      ...{ folder, unpackScript: "none", clock: systemClock },
      log: { ...nullLog, warn: message => void warnings.push(message) },
    });
    Object.assign(vscode.window, {
      showQuickPick: async (items: readonly vscode.QuickPickItem[] | Promise<readonly vscode.QuickPickItem[]>) => {
        shown = await items;
        return shown.find(({ label }) => label === pick || label === action);
      },
      showInformationMessage: async (message: string) => void messages.push(message),
      showWarningMessage: async (message: string, { detail = "" }: vscode.MessageOptions) => {
        questions.push([message, ...detail.split("\n")]);
        return answer;
      },
    });
  });
  afterEach(async () => {
    await setAgents(undefined);
    Object.assign(vscode.window, { showQuickPick, showInformationMessage, showWarningMessage });
    await registry.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const setAgents = (value: unknown): Thenable<void> =>
    vscode.workspace.getConfiguration("parley").update("agents", value, vscode.ConfigurationTarget.Global);
  const agentsNow = (): unknown => vscode.workspace.getConfiguration("parley").inspect("agents")?.globalValue;

  /** Installs an agent of the list. */
  async function install(name: string): Promise<void> {
    [pick, action, answer] = [name, undefined, "Install"];
    await run();
    [pick, answer, messages, questions] = [undefined, undefined, [], []];
  }

  const run = (address = registry.address): Promise<void> => addAgent.run(address);
  const labels = (): readonly string[] => shown.map(({ label }) => label);

  it("says how to install a program that an agent needs, and offers the agent once the program is there", async () => {
    pick = "Two";
    await run();
    assert.deepEqual(labels(), ["Available", "One", "Gemini CLI", "Not available", "Two"]);
    assert.equal(shown.at(-1)?.detail, "Needs uvx, which is not on the PATH. Install uv first.");
    assert.deepEqual(messages, ["Two cannot be added. Needs uvx, which is not on the PATH. Install uv first."]);
    programs.push("uvx");
    pick = undefined;
    await run();
    assert.deepEqual(labels(), ["Available", "One", "Two", "Gemini CLI"]);
  });

  it("says why an installed agent cannot be updated without its program", async () => {
    await install("One");
    registry.agents = [{ id: "one", name: "One", version: "2.0.0", distribution: { npx: { package: "one@2.0.0" } } }];
    programs = [];
    await run();
    assert.deepEqual(labels(), ["Installed", "One"]);
    assert.equal(shown[1]?.description, "2.0.0 · 1.0.0 installed");
    assert.equal(shown[1].detail, "Needs npx, which is not on the PATH. Install Node.js first.");
    programs = ["npx"];
    await run();
    assert.deepEqual(labels(), ["Updates", "One"]);
  });

  it("asks before it installs, with what is not fixed and what is replaced, and does nothing without an answer", async () => {
    pick = "Gemini CLI";
    await run();
    const [question] = questions;
    assert.equal(question?.[0], "Install Gemini CLI 9.0.0?");
    assert.ok(question.includes("Command: npx --yes gemini@latest"));
    assert.ok(question.includes("The registry names no fixed version of the package."));
    assert.ok(
      question.some(line => line.startsWith("It replaces the command of the Gemini CLI that Parley includes.")),
    );
    assert.equal(vscode.workspace.getConfiguration("parley").inspect("agents")?.globalValue, undefined);
  });

  it("shows the last list without a network, and why", async () => {
    await run();
    await registry.stop();
    await run();
    assert.match(shown[1]?.detail ?? "", /^The list is from .*could not be reached \(ECONNREFUSED\)\.$/);
    assert.deepEqual(labels(), ["Offline", "Try Again", "Available", "One", "Gemini CLI", "Not available", "Two"]);
  });

  it("logs no fault if the user closes the list while it loads", async () => {
    registry.answer("/index.json", { type: "silent" });
    let loading: unknown;
    const closeEarly = async (items: unknown): Promise<void> => {
      loading = items;
      await until(() => registry.openAnswers === 1);
    };
    Object.assign(vscode.window, { showQuickPick: closeEarly });
    await run();
    assert.deepEqual([await loading, warnings], [[], []]);
  });

  it("shows the agents that Parley includes without a list, or without a registry", async () => {
    await registry.stop();
    pick = "goose";
    await run();
    assert.match(shown[1]?.detail ?? "", /could not be reached/);
    assert.deepEqual(labels().slice(0, 3), ["Offline", "Try Again", "Included in Parley"]);
    assert.equal(labels().length, 3 + agentPresets.length);
    assert.deepEqual(started, ["goose"]);
    await run("");
    assert.equal(labels()[0], "Included in Parley");
    assert.equal(labels().length, 1 + agentPresets.length);
  });

  it("starts an installed agent, and offers to install it again if its entry is gone or hidden", async () => {
    await install("One");
    assert.deepEqual(Object.keys(agentsNow() as object), ["one"]);
    [pick, action] = ["One", "Start Session"];
    await run();
    assert.deepEqual(labels(), ["Start Session", "Remove…"]);
    assert.deepEqual(started, ["one"]);
    for (const value of [{}, { one: false }]) {
      await setAgents(value);
      [pick, action, answer] = ["One", "Install Again…", "Install"];
      await run();
      assert.deepEqual(labels(), ["Install Again…", "Remove…"]);
      assert.deepEqual(Object.keys((agentsNow() as { one: object }).one).includes("command"), true);
    }
    assert.deepEqual(started, ["one"]);
  });

  it("starts no other agent in place of one that is hidden", async () => {
    await setAgents({ goose: false });
    pick = "goose";
    await assert.rejects(run(""), /^Error: goose cannot start, because it is missing, hidden or not valid/);
    assert.deepEqual(started, []);
  });

  it("removes an installed agent without a list, without a registry, and if its entry cannot be used", async () => {
    const [first] = registry.agents;
    const unusable = { ...(first as object), distribution: { docker: {} } };
    const without: readonly (readonly [() => unknown, string, RegExp])[] = [
      [() => (registry.agents = [unusable]), registry.address, /^1\.0\.0 installed, its entry .* cannot be used$/],
      [() => (registry.agents = []), registry.address, /^1\.0\.0 installed, no longer in the registry$/],
      [() => undefined, "", /^1\.0\.0 installed$/],
      [() => registry.stop(), `${registry.address}?other`, /^1\.0\.0 installed$/],
    ];
    for (const [prepare, address, description] of without) {
      registry.agents = [first as object];
      await install("One");
      await prepare();
      await run(address);
      assert.match(shown.find(({ label }) => label === "One")?.description ?? "", description);
      [pick, action, answer] = ["One", "Remove…", "Remove"];
      await run(address);
      assert.deepEqual([messages, agentsNow()], [["One was removed."], {}]);
    }
  });

  it("asks before it rolls back, with what changes, and does nothing without an answer", async () => {
    await install("One");
    const first = agentsNow();
    const distribution = { npx: { package: "one@2.0.0", env: { MODE: "fast" } } };
    registry.agents = [{ id: "one", name: "One", version: "2.0.0", distribution }];
    [pick, action, answer] = ["One", "Update to 2.0.0…", "Update"];
    await run();
    const second = agentsNow();
    [action, answer, questions] = ["Roll Back to 1.0.0…", undefined, []];
    await run();
    assert.deepEqual(questions, [
      [
        "Roll back One from 2.0.0 to 1.0.0?",
        "What changes:",
        "− arguments: --yes one@2.0.0",
        "+ arguments: --yes one@1.0.0",
        "− variable: MODE=fast",
      ],
    ]);
    assert.deepEqual(agentsNow(), second);
    await setAgents({ one: { ...(second as { one: object }).one, command: "mine" } });
    [answer, questions] = ["Roll Back", []];
    await run();
    const edited = "Your own changes of the command and the arguments are replaced.";
    assert.equal(questions[0]?.at(-1), edited);
    assert.deepEqual(agentsNow(), first);
    for (const value of [{}, { one: false }]) {
      await setAgents(value);
      [action, answer, questions] = ["Roll Back to 2.0.0…", undefined, []];
      await run();
      assert.equal(questions[0]?.[0], "Roll back One from 1.0.0 to 2.0.0?");
      assert.ok(!questions[0].includes(edited), JSON.stringify(value));
    }
  });

  it("names the variables of the user that the program gets", async () => {
    await setAgents({ one: { command: "mine", env: { TOKEN: "t", API_KEY: "k" } } });
    for (pick of ["One", "Gemini CLI"]) await run();
    const named = questions.map(lines => lines.filter(line => line.includes("variables of yours")));
    assert.deepEqual(named, [["It gets these variables of yours: API_KEY, TOKEN"], []]);
  });

  it("makes hostile texts of an entry harmless", async () => {
    const name = "[x](command:evil) $(zap)\u202e";
    registry.agents = [{ id: "one", name, version: "1.0.0", distribution: { npx: { package: "one@1.0.0" } } }];
    await run();
    assert.equal(labels()[1], "[x]\u200b(command:evil) $\u200b(zap)[U+202E]");
  });
});
