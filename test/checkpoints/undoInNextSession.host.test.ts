// Undo Restore in the session that a restored conversation started: the checkpoints belong to the session before it.
import assert from "node:assert/strict";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import {
  CheckpointController,
  type CheckpointControllerOptions,
} from "../../src/checkpoints/vscode/checkpointController.ts";
import type { PanelMessage } from "../../src/panel/protocol.ts";
import type { FileTextStep } from "../../src/files/ports.ts";
import type { Session } from "../../src/session/session.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { logged } from "../support/fakes/arbitraryEvents.ts";
import { World } from "../support/fakes/checkpointWorld.ts";
import { NodeDocuments } from "../support/fakes/nodeDocuments.ts";

describe("a restore that starts a new session", () => {
  const { showQuickPick, showInformationMessage } = vscode.window;
  let folder: string;
  const notified: string[] = [];
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "parley-restore-")));
    notified.length = 0;
    Object.assign(vscode.window, {
      showQuickPick: (items: readonly vscode.QuickPickItem[]) => Promise.resolve(items.at(-1)), // Files and Conversation, or Conversation if no file has changed.
      showInformationMessage: (text: string) => Promise.resolve(void notified.push(text)),
    });
  });
  afterEach(async () => {
    Object.assign(vscode.window, { showQuickPick, showInformationMessage });
    await rm(folder, { recursive: true });
  });

  const stateOf = (...events: readonly SessionEvent[]): SessionState => logged(events).reduce(reduce, emptySession);
  const sessionOf = (id: string, state: SessionState): Session =>
    ({ id, state, addNotice: () => {} }) as Partial<Session> as Session;

  it("attaches the end of a long conversation, and names the pages that have all of it", async () => {
    const opened: SessionEvent = { type: "opened", agent: "demo", agentName: "Demo", cwd: folder };
    const prompts = Array.from({ length: 300 }, (_, at) => `prompt ${at} ${"words ".repeat(200)}`);
    const events = prompts.flatMap((text, at): SessionEvent[] => {
      const content = [{ type: "text", text }] as const;
      return [
        { type: "promptSent", submission: `t${at}`, content },
        { type: "promptAccepted", submission: `t${at}`, messageId: `m${at}` },
        { type: "message", author: "user", messageId: `m${at}`, content },
        { type: "activity", state: "idle", stopReason: "end_turn" },
      ];
    });
    const first = sessionOf("first", stateOf(opened, ...events));
    const next = sessionOf("next", stateOf(opened));
    const entry = [...first.state.entries].at(-1)?.id;
    assert.ok(entry, "the last prompt is in the conversation");
    const world = new World();
    await world.begin("t299");
    const sent: PanelMessage[] = [];
    const written: string[] = [];
    const controller = new CheckpointController({
      session: () => first,
      startSession: () => next,
      pages: {
        of: (session: string) => ({
          write: (name: string, pages: readonly string[]) => {
            written.push(...pages);
            return Promise.resolve(pages.map((_, at) => `/${session}/${name}-${at + 1}.md`));
          },
        }),
      },
      chat: {
        reveal: (message: PanelMessage) => Promise.resolve(void sent.push(message)),
        focus: () => Promise.resolve(),
      },
      sessionCheckpoints: { forSession: () => world.checkpoints },
      preview: { open: () => Promise.resolve(), close: () => Promise.resolve() },
      documents: new NodeDocuments(),
      review: { settled: () => Promise.resolve(), snapshot: () => Promise.resolve(undefined) },
    } as object as CheckpointControllerOptions);
    await controller.restore(entry);
    const [draft] = sent;
    assert.ok(draft?.type === "draft", JSON.stringify(sent).slice(0, 200));
    const source = draft.attachments[0]?.source;
    assert.ok(source?.type === "text");
    assert.ok(Buffer.byteLength(source.text) <= 256 * 1024, `${source.text.length}`);
    assert.ok(source.text.includes("/next/earlier-conversation-1.md") && source.text.includes("prompt 298 "));
    assert.ok(!source.text.includes("prompt 0 ") && written[0]?.includes("prompt 0 "));
    assert.ok(!written.join("").includes("prompt 299 "));
  });

  it("is undone from there", async () => {
    const path = join(folder, "a.txt");
    const opened: SessionEvent = { type: "opened", agent: "demo", agentName: "Demo", cwd: folder };
    const sent = { type: "promptSent", submission: "t1", content: [{ type: "text", text: "change it" }] } as const;
    const accepted: SessionEvent = { type: "promptAccepted", submission: "t1", messageId: "m1" };
    const shown: SessionEvent = { type: "message", author: "user", messageId: "m1", content: sent.content };
    const first = sessionOf("first", stateOf(opened, sent, accepted, shown));
    const next = sessionOf("next", stateOf(opened));
    const entry = first.state.entries.at(0)?.id;
    assert.ok(entry, "the prompt is in the conversation");

    const worlds: Readonly<Record<string, World>> = { first: new World(), next: new World() };
    const world = worlds["first"] as World;
    await writeFile(path, "before\n");
    world.files.set(path, "before\n");
    await world.begin("t1");
    world.agent(path, "after\n");
    await writeFile(path, "after\n");
    await world.checkpoints.flush();

    let current = first;
    const controller = new CheckpointController({
      session: () => current,
      startSession: () => (current = next),
      chat: { reveal: () => Promise.resolve(), focus: () => Promise.resolve() },
      sessionCheckpoints: { forSession: (id: string) => worlds[id]?.checkpoints },
      preview: { open: () => Promise.resolve(), close: () => Promise.resolve() },
      documents: new NodeDocuments(),
      review: {
        settled: () => Promise.resolve(),
        snapshot: () => Promise.resolve(undefined),
        restoreFiles: async (steps: readonly FileTextStep[]) => {
          for (const { path: changed, after } of steps) await writeFile(changed, after ?? "");
          return { failed: new Map() };
        },
      },
    } as object as CheckpointControllerOptions);
    await controller.restore(entry);
    assert.equal(await readFile(path, "utf8"), "before\n");
    assert.equal(current, next);
    await controller.undo();
    assert.equal(await readFile(path, "utf8"), "after\n", notified.join());
    assert.deepEqual(notified, ["Restored the checkpoint: 1 file.", "The restore was undone: 1 file."]);
  });
});
