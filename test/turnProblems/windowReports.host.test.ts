// The problems before and after a turn in the real VS Code, with its language server for TypeScript.
import assert from "node:assert/strict";
import { mkdtemp, realpath, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { Emitter } from "../../src/base/lifecycle.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import type { Attachments } from "../../src/mentions/vscode/attachments.ts";
import type { ChatSurface } from "../../src/panel/chatSurface.ts";
import type { PanelMessage } from "../../src/panel/protocol.ts";
import type { ReviewedFile } from "../../src/review/review.ts";
import type { AgentChange } from "../../src/review/turns/knownTouches.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { TurnProblems } from "../../src/turnProblems/turnProblems.ts";
import { NewProblemActions } from "../../src/turnProblems/vscode/newProblemActions.ts";
import { WindowReports } from "../../src/turnProblems/vscode/windowReports.ts";
import { until } from "../support/fakes/until.ts";
import { discardAll } from "../support/host/unsavedFiles.ts";

const old = `export const old: number = "old";\n`;

describe("the problems of a turn in VS Code", () => {
  let folder: string;
  let reports: WindowReports;
  let changes: Emitter<AgentChange>;
  let reviewed: Pick<ReviewedFile, "path" | "movedFrom" | "isCreated">[];
  let state: SessionState;
  let part: TurnProblems;
  let results: string[];
  let prompts = 0;

  const dispatch = (event: SessionEvent): void => {
    const before = state;
    state = reduce(state, { seq: 0, at: Date.now(), event });
    if (event.type === "turnProblems")
      results.push([event.state, event.added ?? "", event.fixed ?? "", event.unchecked ?? ""].join(" ").trim());
    if (state !== before) part.stateChanged(before, state);
  };
  const turn = async (work: () => Promise<unknown>): Promise<void> => {
    results = [];
    const submission = `p${++prompts}`;
    dispatch({ type: "promptSent", submission, content: [{ type: "text", text: "Go" }] });
    await part.beforeTurn();
    dispatch({ type: "promptAccepted", submission, messageId: submission });
    dispatch({ type: "message", author: "user", messageId: submission, content: [{ type: "text", text: "Go" }] });
    dispatch({ type: "activity", state: "running" });
    const content = { type: "text", text: "Done." } as const;
    dispatch({ type: "messageChunk", author: "agent", messageId: `a${prompts}`, content });
    await work();
    dispatch({ type: "activity", state: "idle", stopReason: "end_turn" });
  };
  /** Writes the file as an agent does by itself, and waits until the editor has read it. */
  const write = async (name: string, text: string): Promise<void> => {
    const path = join(folder, name);
    await writeFile(path, text);
    changes.fire({ session: "s", path });
    await until(() => {
      const document = vscode.workspace.textDocuments.find(({ uri }) => uri.fsPath === path);
      return !document || document.getText() === text;
    });
  };
  const show = (name: string): Thenable<unknown> =>
    vscode.window.showTextDocument(vscode.Uri.file(join(folder, name)), { preview: false });
  const count = (name: string): number =>
    vscode.languages.getDiagnostics(vscode.Uri.file(join(folder, name))).filter(({ severity }) => severity === 0)
      .length;
  const result = (expected: string): Promise<void> => until(() => results.at(-1) === expected);

  beforeEach(async () => {
    const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
    folder = await realpath(await mkdtemp(join(workspace, "problems-")));
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { strict: true, types: [] } }));
    await writeFile(join(folder, "a.ts"), old);
    reports = new WindowReports(systemClock, nullLog);
    changes = new Emitter();
    reviewed = [];
    state = emptySession;
    part = new TurnProblems({
      ...{ session: "s", roots: [folder], reports, clock: systemClock, log: nullLog },
      ...{ agentChanges: changes.event, reviewed: () => reviewed, report: dispatch },
      secretTest: () => () => Promise.resolve(false),
    });
  });
  afterEach(async () => {
    part.dispose();
    reports.dispose();
    await discardAll();
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(folder, { recursive: true, force: true });
  });

  it("are one new problem when an agent plants a type error above an old one, and one fixed when it mends it", async () => {
    await show("a.ts");
    await until(() => count("a.ts") === 1);
    await turn(() => write("a.ts", `export const planted: number = "new";\n\n${old}`));
    await result("known 1 0");
    const line = state.entries.findLast(entry => entry.newProblems !== undefined);
    assert.deepEqual(
      line?.newProblems?.map(({ line: at, severity, source, code, lineText }) => [
        at,
        severity,
        source,
        code,
        lineText,
      ]),
      [[1, "error", "ts", "2322", `export const planted: number = "new";`]],
    );

    const shown: PanelMessage[] = [];
    const texts: string[] = [];
    const chat = {
      reveal: (message: PanelMessage) => Promise.resolve(void shown.push(message)),
      focus: () => Promise.resolve(),
    };
    const attachments = {
      attachText: (_: string, label: string, text: string) => {
        texts.push(text);
        return { attachments: [{ id: "1", kind: "problems", label, source: { type: "text", text } }], refused: [] };
      },
      previewAccess: () => Promise.resolve(access),
    };
    const settings = new Emitter<void>();
    let access = "allowed";
    const actions = new NewProblemActions({
      ...{ reports, chat: chat as unknown as ChatSurface, attachments: attachments as unknown as Attachments },
      sending: { isOn: () => true, onDidChange: settings.event },
      ...{ clock: systemClock, log: nullLog },
    });
    const session = { id: "s", state: { ...state, workspaceFolder: folder } };
    const view = (): unknown => actions.head.values.newProblems(session as never);
    // Only what may be sent is counted, and that is not known at once.
    assert.equal(view(), null);
    await until(() => view() !== null);
    assert.deepEqual(view(), { count: 1, isSent: true });
    assert.equal((await actions.content(session)).length, 1);
    assert.match(
      texts[0] ?? "",
      /^Written: .*\na\.ts:1:14 error: Type 'string' is not assignable to .* \(ts 2322\)\n$/,
    );
    actions.setSent(session, false);
    assert.deepEqual(view(), { count: 1, isSent: false });
    assert.deepEqual(await actions.content(session), []);
    await actions.fix(session);
    assert.equal(shown[0]?.type, "attached");
    assert.match(texts[1] ?? "", /\nFix these problems\.\n$/);

    access = "secret";
    settings.fire();
    await until(() => view() === null);
    await actions.fix(session);
    assert.equal(texts.length, 2);
    access = "allowed";
    settings.fire();
    await until(() => view() !== null);

    await turn(() => write("a.ts", `export const planted: number = 1;\n\n${old}`));
    await result("known 0 1");
    assert.equal(actions.head.values.newProblems({ ...session, state } as never), null);
    actions.dispose();
  });

  it("are found in a file that the turn did not change, and not known in one that no tab shows", async () => {
    await writeFile(
      join(folder, "b.ts"),
      `import { old } from "./a";\n\nexport const used: number = old;\nexport const b: string = 1;\n`,
    );
    await show("a.ts");
    await show("b.ts");
    await until(() => count("a.ts") === 1 && count("b.ts") === 1);
    await turn(async () => {
      await write("a.ts", `export const old: string = "old";\n`);
      await write("hidden.ts", `export const hidden: number = "x";\n`);
    });
    await result("known 1 1 1");
  });

  it("stay with a file that an agent moves", async () => {
    await show("a.ts");
    await until(() => count("a.ts") === 1);
    await turn(async () => {
      await rename(join(folder, "a.ts"), join(folder, "moved.ts"));
      reviewed = [{ path: join(folder, "moved.ts"), movedFrom: join(folder, "a.ts") }];
      changes.fire({ session: "s", path: join(folder, "moved.ts") });
      await show("moved.ts");
      await until(() => count("moved.ts") === 1);
    });
    await result("known 0 0");
  });

  it("are read without blocking the window, 10,000 of them", async () => {
    const uri = vscode.Uri.file(join(folder, "a.ts"));
    const collection = vscode.languages.createDiagnosticCollection("many");
    const range = new vscode.Range(0, 0, 0, 5);
    await show("a.ts");
    collection.set(
      uri,
      Array.from({ length: 10_000 }, (_, at) => new vscode.Diagnostic(range, `problem ${at}\u202e`, at % 2)),
    );
    let slices = 0;
    let isRead = false;
    const count = (): void => {
      slices++;
      if (!isRead) setImmediate(count);
    };
    setImmediate(count);
    const found = await reports.read();
    isRead = true;
    assert.ok((found.get(uri.fsPath)?.length ?? 0) >= 10_000);
    assert.ok(slices > 15, `${slices} slices`);
    collection.dispose();
  });
});
