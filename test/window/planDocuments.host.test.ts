// Plans as documents of VS Code: they stay current, and have the same address in the next window.
import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import * as vscode from "vscode";
import { Emitter } from "../../src/base/lifecycle.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import type { Plan } from "../../src/session/events.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { PlanDocuments } from "../../src/window/code/planDocuments.ts";
import { until } from "../support/fakes/until.ts";

describe("the document of a plan in VS Code", () => {
  const changed = new Emitter<void>();
  let state: SessionState | undefined;
  let plans: PlanDocuments;
  const show = (plan: Plan): void => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
    state = { ...emptySession, workspaceFolder: folder, plans: new Map([["p & q", plan]]) };
    changed.fire();
  };
  const text = (): string => vscode.window.activeTextEditor?.document.getText() ?? "";
  before(() => {
    const source = { state: (id: string) => (id === "s 1" ? state : undefined), onDidChange: changed.event };
    plans = new PlanDocuments(source, systemClock, nullLog, "parley-plan-test");
  });
  after(() => plans.dispose());
  afterEach(() => vscode.commands.executeCommand("workbench.action.closeAllEditors"));

  it("opens, changes with the plan, and says when the session is not open", async () => {
    show({ entries: [{ content: "One", status: "pending", priority: "medium" }] });
    await plans.choose("s 1");
    assert.match(text(), /^# Plan\n\n- \[ \] One\n$/);
    const first = vscode.window.activeTextEditor?.document.uri.toString();
    show({ entries: [{ content: "One", status: "completed", priority: "medium" }] });
    await until(() => text().includes("[x] One"));
    state = undefined;
    changed.fire();
    await until(() => text().includes("is not open"));
    show({ entries: [], markdown: "Again" });
    await until(() => text() === "Again");
    await plans.open("s 1", "p & q");
    assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), first);
    assert.equal(vscode.window.activeTextEditor?.document.languageId, "markdown");
  });

  it("is the file of the plan if that is in the folders of the session, and no other file", async () => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
    const file = join(folder, "agent-plan.md");
    const outside = realpathSync(mkdtempSync(join(tmpdir(), "parley-plan-")));
    writeFileSync(file, "in the file\n");
    writeFileSync(join(outside, "plan.md"), "outside\n");
    try {
      show({ entries: [], markdown: "sent", path: file });
      await plans.open("s 1", "p & q");
      assert.equal(basename(vscode.window.activeTextEditor?.document.fileName ?? ""), "agent-plan.md");
      show({ entries: [], markdown: "sent", path: join(outside, "plan.md") });
      await plans.open("s 1", "p & q");
      assert.equal(text(), "sent");
      show({ entries: [], markdown: "still sent", path: join(folder, "missing.md") });
      await plans.open("s 1", "p & q");
      await until(() => text() === "still sent");
    } finally {
      rmSync(file);
      rmSync(outside, { recursive: true });
    }
  });

  it("rejects with a sentence if there is no such plan", async () => {
    await assert.rejects(plans.open("s 1", "other"), /no longer has this plan/);
  });
});
