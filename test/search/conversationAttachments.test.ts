// Stored conversations and hits of the search as attachments: what the agent gets of them, and what is wrong with those that
// cannot be attached.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as vscode from "vscode";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { OpenSessions } from "../../src/library/openSessions.ts";
import type { SessionEntry } from "../../src/library/sessionEntry.ts";
import { promptContent } from "../../src/mentions/promptContent.ts";
import { searchPattern } from "../../src/panel/find/searchPattern.ts";
import { isAttachmentList } from "../../src/panel/attachment.ts";
import type { Attachment } from "../../src/panel/protocol.ts";
import { ConversationAttachments } from "../../src/search/conversationAttachments.ts";
import { makeJoinedText } from "../../src/search/makeJoinedText.ts";
import { searchJoinedText } from "../../src/search/searchJoinedText.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { sessionFileName, type LogStorage } from "../../src/session/log/sessionStore.ts";
import { writeNewLog } from "../../src/session/log/writeLog.ts";
import { promptContentForAgent } from "../../src/session/promptContentForAgent.ts";
import { openSessionStorage } from "../../src/window/sessionStorage.ts";
import { FakeOpenSession } from "../support/fakes/fakeOpenSession.ts";
import { logged } from "../support/fakes/arbitraryEvents.ts";
import { replayAtOnce } from "../support/fakes/wholeViews.ts";

const says = (author: "user" | "agent", text: string, messageId: string): SessionEvent => ({
  ...{ type: "message", author, messageId },
  content: [{ type: "text", text }],
});
const opened: SessionEvent = { type: "opened", agent: "demo", agentName: "Demo Agent", cwd: "/w" };
const call: SessionEvent = {
  ...{ type: "tool", toolCallId: "t" },
  patch: {
    ...{ title: "Run `npm test`", kind: "execute", status: "completed" },
    locations: [{ path: "/w/src/a.ts", line: 3 }],
    content: [
      { type: "diff", path: "/w/src/a.ts", oldText: "let a;\n", newText: "let needle;\n" },
      { type: "content", content: { type: "text", text: "ok\n**needle** 2\nend" } },
    ],
  },
};
const events = [
  ...[opened, says("user", "Where is the needle?", "1"), call],
  says("agent", "# Found\n\nThe **needle** is here.\n\n- a `needle`", "2"),
];

describe("conversations as attachments", () => {
  let root: string;
  let storage: LogStorage;
  let open: OpenSessions<FakeOpenSession>;
  let entries: SessionEntry[];
  let conversations: ConversationAttachments<FakeOpenSession>;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "parley-attach-"));
    storage = openSessionStorage({ storageUri: { fsPath: root } } as vscode.ExtensionContext);
    open = new OpenSessions();
    entries = [];
    const stored = {
      get: (id: string) => entries.find(entry => entry.id === id),
      get entries() {
        return entries.filter(({ deleted }) => deleted === undefined);
      },
    };
    let ids = 0;
    conversations = new ConversationAttachments({
      ...{ open, stored, storage, version: "1", log: nullLog },
      refresh: () => Promise.resolve(),
      undecided: id => (id === "a" ? ["/w/src/open.ts"] : []),
      newId: () => `new-${++ids}`,
    });
  });
  afterEach(() => {
    open.dispose();
    rmSync(root, { recursive: true, force: true });
  });

  async function store(id: string, all: readonly SessionEvent[], more: Partial<SessionEntry> = {}): Promise<void> {
    await writeNewLog({ storage, session: id, clock: systemClock, log: nullLog }, all, 1);
    const common = { agent: "demo", agentName: "Demo Agent", folder: "/w", status: "idle" } as const;
    entries.push({ id, title: "Where is the needle?", updated: new Date(2026, 10, 28).getTime(), ...common, ...more });
  }
  const textOf = ({ source }: Attachment): string => (source.type === "text" ? source.text : assert.fail("no text"));

  it("are the whole conversation with its title and agent, in a form that drafts and agents take", async () => {
    await store("a", events);
    const attachment = await conversations.attachment("a");
    assert.deepEqual(
      [attachment.kind, attachment.label, attachment.detail],
      ["conversation", "Where is the needle?", "Demo Agent · 2026-11-28"],
    );
    assert.ok(isAttachmentList([attachment]));
    assert.match(textOf(attachment), /\n- Run `npm test` \(done\): \/w\/src\/a\.ts\n/);
    const read = (): never => assert.fail("no file is read");
    const made = await promptContent("go", [attachment], { accepts: null, agentName: "A", read });
    assert.ok("content" in made);
    const block = made.content[1];
    assert.ok(block?.type === "resource" && block.text === textOf(attachment));
    assert.equal(block.uri, "parley:/conversation/a/Where%20is%20the%20needle%3F");
    // An agent that takes only text gets it under its title.
    const onlyText = { image: false, audio: false, embeddedContext: false };
    const fitted = promptContentForAgent(made.content, onlyText, "A");
    assert.ok("content" in fitted && fitted.content[1]?.type === "text");
    assert.match(fitted.content[1].text, /^\n\nWhere is the needle\?:\n```\nThe user attached an earlier conversation/);
  });

  it("are the digest of a conversation on request, with its title and agent and what waits for review", async () => {
    await store("a", events);
    const attachment = await conversations.digest("a");
    assert.deepEqual(
      [attachment.kind, attachment.label, attachment.detail],
      ["digest", "Digest of “Where is the needle?”", "Demo Agent · 2026-11-28"],
    );
    assert.ok(isAttachmentList([attachment]));
    const text = textOf(attachment);
    assert.match(text, /^This is a digest of an earlier conversation, which the user attached for reference\. Parley /);
    const headings = text.split("\n").filter(line => line.startsWith("## "));
    assert.deepEqual(headings, [
      ...["## Title", "## Earlier agent", "## Task", "## Changed files"],
      ...["## Open: changes that the user has not reviewed", "## The last answer"],
    ]);
    assert.match(text, /\n## Task\n\n> Where is the needle\?\n/);
    assert.match(text, /> src\/open\.ts/);
    assert.ok(attachment.preview?.startsWith("## Title"), attachment.preview);
    const read = (): never => assert.fail("no file is read");
    const made = await promptContent("go", [attachment], { accepts: null, agentName: "A", read });
    assert.ok("content" in made && made.content[1]?.type === "resource" && made.content[1].text === text);
    await store("empty", [opened]);
    await assert.rejects(conversations.digest("empty"), /It contains no messages\./);
    await store("gone", events, { deleted: 1 });
    await assert.rejects(conversations.digest("gone"), /It was deleted\./);
  });

  it("are the passages of all hits of the search, in messages, commands and diffs", async () => {
    await store("a", events);
    const { state } = replayAtOnce(logged(events), nullLog);
    const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
    const joined = await makeJoinedText(state, turn, error => assert.fail(String(error)));
    const query = { query: "needle", matchCase: false, wholeWord: false, regex: false };
    const { rows } = searchJoinedText(joined, searchPattern(query), false, 100) ?? assert.fail();
    assert.deepEqual(
      rows.map(({ line }) => line),
      ["Where is the needle?", "let needle;", "**needle** 2", "The needle is here.", "a needle"],
    );
    for (const row of rows) {
      const attachment = await conversations.passage("a", row);
      assert.ok(attachment.preview?.split("\n").includes(row.line), `${row.line}: ${attachment.preview}`);
      assert.match(textOf(attachment), /^> .*needle/m);
      assert.equal(attachment.source.type === "text" && attachment.source.uri?.includes(`/a/${row.entry + 1}/`), true);
    }
    const [question, , output, answer] = await Promise.all(rows.map(row => conversations.passage("a", row)));
    assert.ok(question && textOf(question).endsWith("## User (reported by the agent)\n\n> Where is the needle?\n"));
    assert.ok(
      output && textOf(output).includes("- Run `npm test` (done)") && textOf(output).includes("> **needle** 2"),
    );
    assert.ok(answer && textOf(answer).includes("> The **needle** is here."));
  });

  it("are those of an open session as it is now", async () => {
    const session = new FakeOpenSession("a");
    open.add(session);
    for (const event of [opened, says("user", "typed just now", "1")]) session.dispatch(event);
    assert.match(textOf(await conversations.attachment("a")), /^> typed just now$/m);
  });

  it("give a sentence if they were deleted, are damaged or empty, or have no such passage", async () => {
    const hit = { entry: 0, lineInEntry: 0, column: 0 };
    await assert.rejects(conversations.attachment("gone"), { message: "It was deleted." });
    await store("deleted", events, { deleted: 1 });
    await assert.rejects(conversations.passage("deleted", hit), { message: "It was deleted." });
    await store("damaged", events);
    writeFileSync(join(root, "sessions", sessionFileName("damaged")), "not a log\n\u0000\u0001\n");
    await assert.rejects(conversations.attachment("damaged"), {
      message: "Its log contains nothing that Parley can read.",
    });
    await store("empty", [opened]);
    await assert.rejects(conversations.attachment("empty"), { message: "It contains no messages." });
    await store("a", events);
    await assert.rejects(conversations.passage("a", { ...hit, lineInEntry: 7 }), {
      message: "The passage is no longer there. Search again.",
    });
  });

  it("are listed without the one that the user is in, and without deleted ones", async () => {
    await store("a", events);
    await store("b", events);
    await store("c", events, { deleted: 1 });
    const session = new FakeOpenSession("b");
    open.add(session);
    open.select("view", session);
    assert.deepEqual(
      conversations.list().map(({ id }) => id),
      ["a"],
    );
  });
});
