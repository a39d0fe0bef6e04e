// The export of a session that is not open, in both formats: its name is offered, and its log is not changed.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import * as vscode from "vscode";
import { nullLog } from "../../src/base/log.ts";
import type { ListedSession } from "../../src/library/sessionGroups.ts";
import type { SessionRegistry } from "../../src/library/sessionRegistry.ts";
import { exportSession } from "../../src/library/vscode/exportSession.ts";
import { StoredFiles } from "../support/fakes/storedData.ts";

const content = [{ type: "text", text: "hello" }];
const events = [
  { type: "opened", agent: "gone", agentName: "Gone Agent", cwd: "/w" },
  { type: "message", author: "user", messageId: "u", content },
];
const lines = [{ parley: 2 }, ...events.map((event, seq) => ({ seq, at: 1, event }))].map(line => JSON.stringify(line));

describe("the export of a session", () => {
  const { showQuickPick, showSaveDialog } = vscode.window;
  const registry = { open: { get: () => undefined }, flushLog: () => Promise.resolve() } as object as SessionRegistry;
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), "parley-export-"))));
  after(() => {
    Object.assign(vscode.window, { showQuickPick, showSaveDialog });
    rmSync(folder, { recursive: true });
  });

  /** Exports a session in this format. Returns the name that was offered, and the text of the file. */
  async function exported(format: string): Promise<readonly [string, string]> {
    const file = join(folder, format);
    let offered = "";
    Object.assign(vscode.window, {
      showQuickPick: (items: readonly vscode.QuickPickItem[]) =>
        Promise.resolve(items.find(({ label }) => label === format)),
      showSaveDialog: ({ defaultUri }: vscode.SaveDialogOptions) => {
        offered = basename(defaultUri?.fsPath ?? "");
        return Promise.resolve(vscode.Uri.file(file));
      },
    });
    const storage = new StoredFiles({ "one.jsonl": `${lines.join("\n")}\n\n` });
    const session = { id: "one", title: "First: talk" } as ListedSession;
    await exportSession({ registry, storage, version: "1.0.0", log: nullLog }, session);
    return [offered, readFileSync(file, "utf8")];
  }

  it("is the conversation as Markdown, or each event on a line", async () => {
    const [name, markdown] = await exported("Markdown");
    assert.equal(name, "First talk.md");
    assert.equal(markdown, "# hello\n\n## You (reported by the agent)\n\n> hello\n");
    assert.deepEqual(await exported("Transcript"), ["First talk.jsonl", `${lines.join("\n")}\n`]);
  });
});
