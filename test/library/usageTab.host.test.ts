// The tab of the usage in VS Code: what its page receives, and the file that it writes.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { Emitter } from "../../src/base/lifecycle.ts";
import { nullLog } from "../../src/base/log.ts";
import type { SessionEntry } from "../../src/library/sessionEntry.ts";
import { localDay } from "../../src/base/localDay.ts";
import { UsageTab } from "../../src/library/vscode/usageTab.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { until } from "../support/fakes/until.ts";

describe("the tab of the usage", () => {
  it("reads missing usage when it opens, and writes the CSV of the period into the chosen file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "parley-usage-"));
    const file = join(folder, "usage.csv");
    const clock = new FakeClock();
    const changed = new Emitter<void>();
    const entries: SessionEntry[] = [];
    const day = localDay(clock.now());
    const counts = { turns: 1, input: 3, output: 4, tokens: 7, costs: [{ amount: 0.5, currency: "USD" }] };
    const tab = new UsageTab({
      ...{ clock, log: nullLog, refresh: () => Promise.resolve() },
      stored: {
        ...{ entries, onDidChange: changed.event },
        addMissingUsage: () => {
          entries.push({
            ...{ id: "s", agent: "a", agentName: "=A", folder: "/w", title: "T", updated: 1, status: "idle" },
            usage: [{ day, model: "m", ...counts }],
          });
          return Promise.resolve(0);
        },
      },
      // A page that exports as soon as it has something.
      openPage: webview => {
        webview.html = `<script>
          const api = acquireVsCodeApi();
          addEventListener("message", ({ data }) => data.view?.total.turns === 1 && api.postMessage({ type: "export" }));
          api.postMessage({ type: "choose", period: "today" });
          api.postMessage({ type: "ready" });
        </script>`;
      },
      chooseFile: name => Promise.resolve(vscode.Uri.file(join(folder, name))),
    });
    try {
      tab.show();
      await until(() => existsSync(file) && readFileSync(file, "utf8").endsWith("USD\r\n"));
      assert.equal(readFileSync(file, "utf8").split("\r\n")[1], `${day},'=A,m,1,3,4,7,0.5,USD`);
    } finally {
      tab.dispose();
      changed.dispose();
      rmSync(folder, { recursive: true });
    }
  });

  it("opens by its command", async () => {
    await vscode.commands.executeCommand("parley.showUsage");
    const isOpen = (): vscode.Tab | undefined =>
      vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).find(({ label }) => label === "Usage");
    await until(() => isOpen() !== undefined);
    await vscode.window.tabGroups.close(isOpen() ?? assert.fail());
  });
});
