// The tab of the protocol inspector in VS Code: what it does for its page, and what it does not.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { maskRecord, TrafficRecorder } from "../../src/acp/trafficRecorder.ts";
import { DisposableStore, Emitter } from "../../src/base/lifecycle.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { inspectorCommands } from "../../src/inspector/vscode/createInspector.ts";
import { createInspector } from "../../src/inspector/vscode/inspectorTab.ts";
import { until } from "../support/fakes/until.ts";

describe("the tab of the protocol inspector", () => {
  it("copies a message without secrets, exports, and ignores what is no intent", async () => {
    const recorder = new TrafficRecorder(systemClock);
    recorder.recordMessage("c>a", { id: 0, method: "initialize", params: { apiKey: "s3cr3t" } }, 1);
    const recorded = new Emitter<string>();
    const saved: string[] = [];
    const warnings: string[] = [];
    const inspector = createInspector({
      traffic: { recordedAgents: ["demo"], tap: () => recorder, onDidRecord: recorded.event },
      masking: { record: maskRecord, text: text => text },
      ...{ nameOf: agent => agent, clock: systemClock },
      save: agent => Promise.resolve(void saved.push(agent)),
      log: { ...nullLog, warn: message => void warnings.push(message) },
      // A page that copies the first message as soon as there is a list, and exports then.
      openPage: webview => {
        webview.html = `<script>
          const api = acquireVsCodeApi();
          addEventListener("message", ({ data }) => {
            if (data.type === "list") api.postMessage({ type: "copy", list: data.list.list, number: 0 });
            if (data.type === "outcome") api.postMessage({ type: "export" });
          });
          api.postMessage({ type: "rows", list: 1, from: "0", count: 1 });
          api.postMessage({ type: "ready" });
        </script>`;
      },
    });
    try {
      await vscode.env.clipboard.writeText("");
      inspector.show("demo");
      await until(() => saved.length > 0);
      const copied = JSON.parse(await vscode.env.clipboard.readText()) as { readonly params: object };
      assert.deepEqual(copied.params, { apiKey: "•••" });
      assert.equal(saved[0], "demo");
      assert.deepEqual(warnings, ["The page of the protocol inspector sent an unknown message."]);
    } finally {
      inspector.dispose();
      recorded.dispose();
    }
  });

  it("opens by its command, and again for a failure", async () => {
    const open = (): readonly vscode.Tab[] =>
      vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter(({ label }) => label === "Protocol Inspector");
    await until(() => open().length === 0);
    for (const failed of [[], [""]]) {
      await vscode.commands.executeCommand("parley.showInspector", ...failed);
      await until(() => open().length > 0);
      await vscode.window.tabGroups.close(open());
      await until(() => open().length === 0);
    }
  });

  it("shows where to add an agent if there is none", async () => {
    const { showInformationMessage } = vscode.window;
    const messages: string[] = [];
    Object.assign(vscode.window, {
      showInformationMessage: (message: string) => Promise.resolve(void messages.push(message)),
    });
    try {
      const platform = { store: new DisposableStore(), clock: systemClock, log: { ...nullLog, show: () => undefined } };
      const commands = inspectorCommands(
        { ...platform, context: {} as vscode.ExtensionContext },
        {
          traffic: { recordedAgents: [], tap: () => undefined, onDidRecord: new Emitter<string>().event },
          ...{ nameOf: agent => agent, save: () => Promise.resolve(), openPage: () => undefined },
          failed: () => undefined,
        },
      );
      await commands["parley.showInspector"]();
      assert.deepEqual(messages, ["There is no agent. Add one in Settings (parley.agents)."]);
    } finally {
      Object.assign(vscode.window, { showInformationMessage });
    }
  });
});
