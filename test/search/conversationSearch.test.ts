// The search of all conversations on a disk, with the worker of the product: texts are made when they are missing or old,
// what cannot be searched is named, and no expression blocks anything.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as vscode from "vscode";
import { inProject } from "../../scripts/tools/project.mjs";
import { rememberSecrets } from "../../src/base/secrets/secret.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { OpenSessions } from "../../src/library/openSessions.ts";
import type { OtherFolder } from "../../src/library/otherFolders.ts";
import type { SessionEntry } from "../../src/library/sessionEntry.ts";
import type { FoundSession, SearchMessage, UnsearchedSession } from "../../src/panel/searchPage.ts";
import {
  ConversationSearch,
  readSessionElsewhere,
  type ConversationQuery,
} from "../../src/search/conversationSearch.ts";
import { JoinedTexts } from "../../src/search/joinedTexts.ts";
import { TextSearch } from "../../src/search/textSearch.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { writeNewLog } from "../../src/session/log/writeLog.ts";
import { joinedTextFileName } from "../../src/session/log/joinedTextFile.ts";
import { sessionFileName, type LogStorage } from "../../src/session/log/sessionStore.ts";
import { openSessionStorage } from "../../src/window/sessionStorage.ts";
import { FakeOpenSession } from "../support/fakes/fakeOpenSession.ts";
import { until } from "../support/fakes/until.ts";

const says = (text: string, messageId = "1"): SessionEvent => ({
  ...{ type: "message", author: "user", messageId },
  content: [{ type: "text", text }],
});

interface Result {
  readonly sessions: readonly FoundSession[];
  readonly done: Extract<SearchMessage, { readonly type: "done" }>;
  readonly messages: readonly SearchMessage[];
}

/** The folders, one after the other, and then the error. */
async function* eachOf(folders: readonly OtherFolder[], error?: Error): AsyncGenerator<OtherFolder, void> {
  yield* folders;
  if (error) throw error;
}

describe("the search of all conversations", () => {
  let root: string;
  let folder: string;
  let storage: LogStorage;
  let open: OpenSessions<FakeOpenSession>;
  let texts: JoinedTexts<FakeOpenSession>;
  let worker: TextSearch;
  let search: ConversationSearch;
  let entries: SessionEntry[];
  let made: string[];
  let unreadable: UnsearchedSession[];
  let others: OtherFolder[];
  let request = 0;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "parley-search-"));
    folder = join(root, "sessions");
    storage = openSessionStorage({ storageUri: { fsPath: root } } as vscode.ExtensionContext);
    open = new OpenSessions();
    const flushLog = (): Promise<void> => Promise.resolve();
    texts = new JoinedTexts({ storage, open, flushLog, version: "1", log: nullLog });
    worker = new TextSearch(inProject("dist", "search.js"), systemClock);
    [entries, made, unreadable, others] = [[], [], [], []];
    search = new ConversationSearch({
      ...{ folder, entries: () => entries, unreadable: () => unreadable, now: () => Date.now() },
      texts: {
        isBehind: id => texts.isBehind(id),
        make: id => {
          made.push(id);
          return texts.make(id);
        },
      },
      others: { each: () => eachOf(others) },
      searchTexts: (task, onProgress) => worker.search(task, onProgress),
    });
  });
  afterEach(() => {
    worker.dispose();
    texts.dispose();
    open.dispose();
    rmSync(root, { recursive: true, force: true });
  });

  async function store(id: string, text: string, more: Partial<SessionEntry> = {}): Promise<void> {
    await writeNewLog({ storage, session: id, clock: systemClock, log: nullLog }, [says(text)], 1);
    list(id, more);
  }
  function list(id: string, more: Partial<SessionEntry> = {}): void {
    const common = { agent: "demo", agentName: "Demo Agent", folder: "/w", status: "idle" } as const;
    entries.push({ id, title: `Title of ${id}`, updated: entries.length, ...common, ...more });
  }
  async function find(query: string, how: Partial<ConversationQuery> = {}): Promise<Result> {
    const messages: SearchMessage[] = [];
    const asked = { query, matchCase: false, wholeWord: false, regex: false, allFolders: false, ...how };
    await search.search(++request, asked, message => messages.push(message));
    const done = messages.at(-1);
    assert.ok(done?.type === "done", JSON.stringify(messages));
    return { messages, done, sessions: messages.flatMap(each => (each.type === "found" ? each.sessions : [])) };
  }
  const idsOf = ({ sessions }: Result): readonly string[] => sessions.map(({ session }) => session).sort();

  it("makes missing texts once, and finds words in every session", async () => {
    await store("a", "The broken parser");
    await store("b", "another parser");
    await store("c", "nothing");
    const first = await find("PARSER");
    assert.deepEqual(
      [idsOf(first), made],
      [
        ["a", "b"],
        ["a", "b", "c"],
      ],
    );
    assert.deepEqual(
      first.sessions.map(({ rows }) => rows.map(({ line, marks }) => marks.map(([from, to]) => line.slice(from, to)))),
      [[["parser"]], [["parser"]]],
    );
    assert.deepEqual(
      first.messages.flatMap(each => (each.type === "reading" ? [each.left] : [])),
      [3, 2, 1],
    );
    assert.deepEqual([idsOf(await find("parser")), made.length], [["a", "b"], 3]);
    assert.deepEqual(idsOf(await find("broken|another", { regex: true })), ["a", "b"]);
    assert.deepEqual(idsOf(await find("Parser", { matchCase: true })), []);
    assert.deepEqual(idsOf(await find("pars", { wholeWord: true })), []);
    await store("d", "日本語の文");
    assert.deepEqual(idsOf(await find("日本", { wholeWord: true })), ["d"]);
  });

  it("makes the text again when the log has grown, and when the text is damaged", async () => {
    await store("a", "the first words");
    await find("words");
    await storage.append(
      sessionFileName("a"),
      `${JSON.stringify({ seq: 1, at: 2, event: says("later words", "2") })}\n`,
    );
    assert.deepEqual(idsOf(await find("later")), ["a"]);
    const path = join(folder, joinedTextFileName("a"));
    const whole = readFileSync(path, "utf8");
    for (const damaged of ["", "{", whole.slice(0, 20), whole.replace("[[", "[{")]) {
      writeFileSync(path, damaged);
      assert.deepEqual(idsOf(await find("later")), ["a"], damaged);
    }
    assert.equal(readFileSync(path, "utf8"), whole);
  });

  it("loses nothing if the window is killed while it writes a text", async () => {
    await store("a", "the words");
    await find("words");
    const path = join(folder, joinedTextFileName("a"));
    const whole = readFileSync(path);
    const log = readFileSync(join(folder, sessionFileName("a")));
    for (let length = 0; length < whole.length; length += 7) {
      // A killed window leaves the temporary file, and never a part of the text under its name.
      rmSync(path);
      writeFileSync(`${path}.1.tmp`, whole.subarray(0, length));
      assert.deepEqual(idsOf(await find("words")), ["a"]);
    }
    assert.deepEqual([readFileSync(path), readFileSync(join(folder, sessionFileName("a")))], [whole, log]);
  });

  it("names a session whose log is damaged or gone, and searches the others", async () => {
    await store("a", "the words");
    writeFileSync(join(folder, sessionFileName("broken")), "not a log\n\u0000\u0001\n");
    list("broken");
    list("gone");
    const result = await find("words");
    assert.deepEqual(idsOf(result), ["a"]);
    assert.deepEqual(result.done.unsearched, [
      { title: "Title of broken", reason: "Its log contains nothing that Parley can read." },
      { title: "Title of gone", reason: "Its log contains nothing that Parley can read." },
    ]);
  });

  it("searches a session with damaged lines, and says how many of them were not searched", async () => {
    await store("a", "the words");
    await store("b", "the words");
    await find("words");
    const line = (text: string, seq: number): string => `${JSON.stringify({ seq, at: 2, event: says(text, "2") })}\n`;
    const log = sessionFileName("a");
    await storage.append(log, `{"seq":1,"at"\n${line("second", 1)}\u0000\n`);
    const asked = async (query: string): Promise<unknown> => (await find(query)).done.unsearched;
    const reason = "2 lines of its log are damaged, so they were not searched.";
    for (let i = 0; i < 2; i++) assert.deepEqual(await asked("second"), [{ title: "Title of a", reason }]);
    // What was counted before is not read again, and a damaged line can follow.
    await storage.append(log, line("third", 2));
    assert.deepEqual(idsOf(await find("third")), ["a"]);
    await storage.append(log, "{\n");
    const more = "3 lines of its log are damaged, so they were not searched.";
    assert.deepEqual(await asked("third"), [{ title: "Title of a", reason: more }]);
    assert.deepEqual(await asked("agent:demo"), []);
  });

  it("names sessions that could not even be listed, in each search for words", async () => {
    await store("a", "the words");
    const lost = { title: "x.jsonl", reason: "Its log contains nothing that Parley can read." };
    unreadable.push(lost);
    assert.deepEqual((await find("words")).done.unsearched, [lost]);
    assert.deepEqual((await find("agent:demo")).done.unsearched, []);
  });

  it("chooses sessions by filters, also without words", async () => {
    await store("a", "the words", { agent: "claude", agentName: "Claude Code", done: true });
    await store("b", "the words");
    assert.deepEqual(idsOf(await find('words agent:"claude code"')), ["a"]);
    assert.deepEqual(idsOf(await find("words is:done")), ["a"]);
    const listed = await find("agent:demo");
    assert.deepEqual([idsOf(listed), listed.sessions[0]?.rows], [["b"], []]);
    assert.deepEqual(idsOf(await find("")), []);
    assert.match((await find("words after:never")).done.problem ?? "", /needs a date/);
    assert.deepEqual(idsOf(await find("words file:src/")), []);
  });

  it("finds sessions by the files of their tool calls", async () => {
    const call: SessionEvent = {
      ...{ type: "tool", toolCallId: "t" },
      patch: { title: "Read", locations: [{ path: "/w/src/Parser.ts" }] },
    };
    await writeNewLog({ storage, session: "a", clock: systemClock, log: nullLog }, [says("words"), call], 1);
    list("a");
    await store("b", "words about src/Parser.ts");
    assert.deepEqual(idsOf(await find("words file:src\\parser")), ["a"]);
  });

  it("searches an open session as it is now, and stores its text when a turn ends", async () => {
    const session = new FakeOpenSession("a");
    open.add(session);
    list("a");
    session.dispatch(says("typed just now"));
    assert.deepEqual(idsOf(await find("just now")), ["a"]);
    session.dispatch({ type: "activity", state: "running" });
    session.dispatch(says("the answer", "2"));
    const path = join(folder, joinedTextFileName("a"));
    assert.ok(!readFileSync(path, "utf8").includes("the answer"));
    session.dispatch({ type: "activity", state: "idle", stopReason: "end_turn" });
    await until(() => readFileSync(path, "utf8").includes("the answer"));
    await texts.whenIdle();
    made = [];
    assert.deepEqual([idsOf(await find("the answer")), made], [["a"], ["a"]]);
  });

  it("says that an expression is invalid or takes too long, and searches on", async function () {
    this.timeout(120_000);
    await store("a", `${"a".repeat(50_000)}!`);
    assert.match((await find("(", { regex: true })).done.problem ?? "", /^The regular expression is invalid/);
    assert.match((await find("(a+a+)+$", { regex: true })).done.problem ?? "", /takes too long/);
    assert.deepEqual(idsOf(await find("!")), ["a"]);
  });

  it("lets a newer search win, also while an expression keeps the worker busy", async function () {
    this.timeout(120_000);
    await store("a", `${"a".repeat(50_000)}!`);
    await find("!");
    const late: SearchMessage[] = [];
    const asked = { query: "(a+a+)+$", matchCase: false, wholeWord: false, regex: true, allFolders: false };
    const first = search.search(++request, asked, message => late.push(message));
    assert.deepEqual(idsOf(await find("!")), ["a"]);
    await first;
    assert.deepEqual(late, []);
  });

  it("removes texts of sessions that are gone, and all of them on request", async () => {
    await store("a", "words");
    await store("b", "words");
    await find("words");
    rmSync(join(folder, sessionFileName("b")));
    const names = (): readonly string[] => readdirSync(folder).filter(name => name.endsWith(".search.txt"));
    await texts.removeOrphans();
    assert.deepEqual(names(), [joinedTextFileName("a")]);
    await texts.removeAll();
    assert.deepEqual(names(), []);
    assert.deepEqual(idsOf(await find("words agent:demo")), ["a"]);
  });

  /** Another folder with sessions of these texts, whose texts for the search exist. */
  async function storeElsewhere(name: string, sessions: Readonly<Record<string, string>>): Promise<OtherFolder> {
    const storageUri = { fsPath: join(root, name) };
    const elsewhere = openSessionStorage({ storageUri } as vscode.ExtensionContext);
    const noSessions = new OpenSessions<FakeOpenSession>();
    const flushLog = (): Promise<void> => Promise.resolve();
    const made = new JoinedTexts({ storage: elsewhere, open: noSessions, flushLog, version: "1", log: nullLog });
    for (const [id, text] of Object.entries(sessions)) {
      await writeNewLog({ storage: elsewhere, session: id, clock: systemClock, log: nullLog }, [says(text)], 1);
      await made.make(id);
    }
    made.dispose();
    noSessions.dispose();
    const common = { agent: "demo", agentName: "Demo Agent", folder: "/o", updated: 5, status: "idle" } as const;
    const folder: OtherFolder = {
      ...{ uri: `file:///work/${name}`, name, label: `~/${name}`, opened: 1, damaged: [] },
      sessionsFolder: join(root, name, "sessions"),
      sessions: Object.keys(sessions).map(id => ({ isOpen: false, entry: { id, title: `${name} ${id}`, ...common } })),
    };
    others.push(folder);
    return folder;
  }
  const stateOf = ({ sessionsFolder }: OtherFolder): unknown =>
    readdirSync(sessionsFolder).map(name => {
      const path = join(sessionsFolder, name);
      const { mtimeNs, ctimeNs } = statSync(path, { bigint: true });
      return [name, mtimeNs, ctimeNs, readFileSync(path, "utf8")].map(String);
    });

  it("also searches other folders on request, after its own, also sessions with the same id, and changes nothing there", async () => {
    await store("a", "the words");
    const web = await storeElsewhere("web", { a: "their words", b: "nothing" });
    await storeElsewhere("api", { c: "more words" });
    const before = others.map(stateOf);
    assert.deepEqual(idsOf(await find("words")), ["a"]);
    const all = await find("words", { allFolders: true });
    assert.deepEqual(
      all.sessions.map(({ session, title, folder }) => [session, title, folder]),
      [
        ["a", "Title of a", undefined],
        [`${web.uri} a`, "web a", { uri: web.uri, name: "web", label: "~/web" }],
        ["file:///work/api c", "api c", { uri: "file:///work/api", name: "api", label: "~/api" }],
      ],
    );
    assert.deepEqual(
      all.sessions.map(({ session }) => readSessionElsewhere(session)),
      [undefined, { uri: web.uri, id: "a" }, { uri: "file:///work/api", id: "c" }],
    );
    assert.deepEqual(idsOf(await find("agent:demo", { allFolders: true })).length, 4);
    assert.deepEqual(idsOf(await find("words agent:other", { allFolders: true })), []);
    assert.deepEqual(idsOf(await find("", { allFolders: true })), []);
    assert.match((await find("(", { allFolders: true, regex: true })).done.problem ?? "", /is invalid/);
    assert.deepEqual(others.map(stateOf), before);
  });

  it("names the sessions of other folders that have no text or an old one, and damaged files, and makes no text there", async () => {
    const web = await storeElsewhere("web", { new: "words", old: "words", lost: "words" });
    rmSync(join(web.sessionsFolder, joinedTextFileName("lost")));
    const log = join(web.sessionsFolder, sessionFileName("old"));
    writeFileSync(log, `${readFileSync(log, "utf8")}${JSON.stringify({ seq: 1, at: 2, event: says("late", "2") })}\n`);
    others[0] = { ...web, damaged: [{ file: "x.session.json", reason: "It is damaged." }] };
    const before = stateOf(web);
    const result = await find("words", { allFolders: true });
    assert.deepEqual(idsOf(result), [`${web.uri} new`]);
    const reason = "Its text for the search is missing or old. Search once in a window on its folder.";
    assert.deepEqual(result.done.unsearched, [
      { title: "x.session.json", reason: "It is damaged.", folder: "web" },
      { title: "web old", reason, folder: "web" },
      { title: "web lost", reason, folder: "web" },
    ]);
    assert.deepEqual(stateOf(web), before);
    assert.deepEqual((await find("words")).done.unsearched, []);
    assert.deepEqual(made, []);
  });

  it("shows the hits of a folder while the next ones are still read", async () => {
    const web = await storeElsewhere("web", { a: "the words" });
    const api = await storeElsewhere("api", { b: "more words" });
    let release = (): void => {};
    const released = new Promise<void>(resolve => (release = resolve));
    async function* slowly(): AsyncGenerator<OtherFolder, void> {
      yield web;
      await released;
      yield api;
    }
    const slow = new ConversationSearch({
      ...{ folder, texts, entries: () => entries, unreadable: () => [], now: () => Date.now() },
      others: { each: slowly },
      searchTexts: (task, onProgress) => worker.search(task, onProgress),
    });
    const found: string[] = [];
    const how = { matchCase: false, wholeWord: false, regex: false, allFolders: true };
    const searched = slow.search(1, { query: "words", ...how }, message => {
      if (message.type === "found") found.push(...message.sessions.map(({ session }) => session));
    });
    await until(() => found.length > 0);
    assert.deepEqual(found, [`${web.uri} a`]);
    release();
    await searched;
    assert.deepEqual(found, [`${web.uri} a`, `${api.uri} b`]);
  });

  it("hides secrets that it knows in hits of other folders", async () => {
    await storeElsewhere("web", { a: "the token is hunter-42-x9q7 here" });
    rememberSecrets(["hunter-42-x9q7"]);
    const { sessions } = await find("token", { allFolders: true });
    assert.equal(sessions.length, 1);
    assert.ok(!JSON.stringify(sessions).includes("hunter"), JSON.stringify(sessions));
  });

  it("says so if the list of other folders cannot be read, and still shows the hits of its own", async () => {
    await store("a", "the words");
    const broken = new ConversationSearch({
      ...{ folder, texts, entries: () => entries, unreadable: () => [], now: () => Date.now() },
      others: { each: () => eachOf(others, new Error("No permission.")) },
      searchTexts: (task, onProgress) => worker.search(task, onProgress),
    });
    const messages: SearchMessage[] = [];
    const how = { matchCase: false, wholeWord: false, regex: false, allFolders: true };
    await broken.search(1, { query: "words", ...how }, message => messages.push(message));
    assert.ok(messages.some(({ type }) => type === "found"));
    const done = messages.at(-1);
    assert.ok(done?.type === "done");
    assert.equal(done.problem, "The conversations could not be searched: No permission.");
  });
});
