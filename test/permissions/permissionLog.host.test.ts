// The document of the permission log, as shown in an editor.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { nullLog } from "../../src/base/log.ts";
import type { TextStorage } from "../../src/session/log/sessionStore.ts";
import { PermissionLog } from "../../src/permissions/vscode/permissionLog.ts";
import { AuditLog, type AuditRecord } from "../../src/permissions/auditLog.ts";
import { until } from "../support/fakes/until.ts";

describe("the document of the permission log", () => {
  const files = new Map<string, string>();
  const storage: TextStorage = {
    append: async (name, text) => void files.set(name, (files.get(name) ?? "") + text),
    write: async (name, text) => void files.set(name, text),
    read: async name => files.get(name),
  };
  const at = new Date(2026, 4, 3, 7, 8, 9).getTime();
  const record: AuditRecord = {
    at,
    agent: "Demo",
    folder: "/work",
    what: "Run the tests",
    subject: "npm test",
    answer: "allowed",
    option: "Allow",
  };
  let audit: AuditLog;
  let log: PermissionLog;
  beforeEach(() => {
    files.clear();
    audit = new AuditLog(storage, nullLog);
    log = new PermissionLog(audit);
  });
  afterEach(() => log.dispose());

  it("explains that there are no answers yet", async () => {
    assert.equal(
      await log.provideTextDocumentContent(),
      "No permission request has been answered in this workspace yet.",
    );
  });

  it("shows answers and their sources in columns, newest last", async () => {
    audit.record({ ...record, session: "s", sessionTitle: "Fix the sum" });
    audit.record({
      ...record,
      at: at + 1000,
      answer: "refused",
      option: "No",
      by: "deny command “rm”",
      subject: "rm x",
    });
    const { option: _, ...unanswered } = record;
    audit.record({ ...unanswered, agent: "Another Agent", answer: "cancelled", subject: record.what });
    assert.equal(
      await log.provideTextDocumentContent(),
      [
        "Date                 Agent          Session      Answer           Decided by               Question       Command, files or addresses",
        "2026-05-03 07:08:09  Demo           Fix the sum  allowed (Allow)  you                      Run the tests  npm test",
        "2026-05-03 07:08:10  Demo                        refused (No)     rule: deny command “rm”  Run the tests  rm x",
        "2026-05-03 07:08:09  Another Agent               cancelled        no one                   Run the tests",
        "",
      ].join("\n"),
    );
  });

  it("keeps an answer on one line, for any text of the agent", async () => {
    audit.record({ ...record, what: "a\r\nb\u2028c\u202ed", subject: "x\ty" });
    const lines = (await log.provideTextDocumentContent()).trimEnd().split("\n");
    assert.equal(lines.length, 2);
    assert.match(lines[1] ?? "", /a⏎b⏎c�d/);
  });

  it("shows the number of unreadable lines, and why there are no answers", async () => {
    files.set("permissions.ndjson", "{\n");
    assert.match(await log.provideTextDocumentContent(), /^Unreadable lines of the log, not shown: 1/);
    storage.read = () => Promise.reject(new Error("no such disk"));
    try {
      assert.equal(await log.provideTextDocumentContent(), "The permission log could not be read: no such disk");
    } finally {
      storage.read = async name => files.get(name);
    }
  });

  it("updates when an answer is added while it is open", async () => {
    const uri = vscode.Uri.from({ scheme: "parley-permissions", path: "Parley permissions.log" });
    let changes = 0;
    const listener = log.onDidChange(changed => {
      if (changed.toString() === uri.toString()) changes++;
    });
    await log.show();
    try {
      assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), uri.toString());
      const before = changes;
      audit.record(record);
      await until(() => changes > before);
    } finally {
      listener.dispose();
      await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    }
  });
});
