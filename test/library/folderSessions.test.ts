// The sessions of other folders: what is read, and that reading changes nothing.
import assert from "node:assert/strict";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { readFolderSessions } from "../../src/library/folderSessions.ts";
import type { OpenedFolder } from "../../src/library/openedFolders.ts";
import { OtherFolders } from "../../src/library/otherFolders.ts";
import { entryFileName, type SessionEntry } from "../../src/library/sessionEntry.ts";
import { sessionFileName } from "../../src/session/log/sessionStore.ts";
import { readSessionStorage } from "../../src/window/sessionStorage.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { StoredFiles } from "../support/fakes/storedData.ts";

const entry = (id: string, part: Partial<SessionEntry> = {}): SessionEntry => ({
  ...{ id, agent: "a", agentName: "A", folder: "/w", title: id, updated: 5, status: "idle" },
  ...part,
});
const filesOf = (...entries: readonly SessionEntry[]): Record<string, string> =>
  Object.fromEntries(
    entries.flatMap(each => [
      [sessionFileName(each.id), "{}\n"],
      [entryFileName(each.id), JSON.stringify(each)],
    ]),
  );
const makeAgain = "Open the folder, and Parley makes it again from the session.";

describe("the sessions of another folder", () => {
  const read = (files: Record<string, string>): ReturnType<typeof readFolderSessions> =>
    readFolderSessions(new StoredFiles(files), 1000, pid => pid === 7);

  it("are those that are neither deleted nor blank and have a log, the latest first, and no longer work", async () => {
    const files = filesOf(
      entry("old", { updated: 1, status: "failed", done: true }),
      entry("new", { updated: 2, status: "working" }),
      entry("deleted", { deleted: 3 }),
      entry("blank", { blank: true }),
    );
    files[entryFileName("no-log")] = JSON.stringify(entry("no-log"));
    files[sessionFileName("empty")] = "";
    assert.deepEqual(await read(files), {
      sessions: [
        { entry: entry("new", { updated: 2, status: "interrupted" }), isOpen: false },
        { entry: entry("old", { updated: 1, status: "failed", done: true }), isOpen: false },
      ],
      damaged: [],
    });
  });

  it("are marked as open if a running window has them open, with what they do", async () => {
    const files = filesOf(entry("a", { status: "working" }), entry("b", { status: "waiting" }), entry("c"));
    const record = (at: number, ...live: readonly string[]): string =>
      JSON.stringify({ at, text: JSON.stringify({ live }) });
    files["window-one.7.json"] = record(900, "a");
    files["window-dead.8.json"] = record(900, "b");
    files["window-closed.0.json"] = record(900, "b");
    files["window-damaged.7.json"] = "{";
    assert.deepEqual(
      (await read(files)).sessions.map(({ entry: { id, status }, isOpen }) => [id, status, isOpen]),
      [
        ["a", "working", true],
        ["b", "interrupted", false],
        ["c", "idle", false],
      ],
    );
    files["window-one.7.json"] = record(900 - 100_000, "a");
    assert.equal((await read(files)).sessions[0]?.isOpen, false, "a window that is silent for long is not running");
  });

  it("names entries that are damaged, missing or of another session, and lists the others", async () => {
    const files = filesOf(entry("good"), entry("damaged"), entry("lost"), entry("other"), entry("unread"));
    files[entryFileName("damaged")] = files[entryFileName("damaged")]?.slice(0, -4) ?? "";
    delete files[entryFileName("lost")];
    files[entryFileName("other")] = JSON.stringify(entry("good"));
    const storage = new StoredFiles(files);
    const result = await readFolderSessions(
      {
        list: () => storage.list(),
        read: name =>
          name === entryFileName("unread") ? Promise.reject(new Error("No permission.")) : storage.read(name),
      },
      1000,
      () => false,
    );
    assert.deepEqual(result, {
      sessions: [{ entry: entry("good"), isOpen: false }],
      damaged: [
        { file: "damaged.session.json", reason: `It is damaged. ${makeAgain}` },
        { file: "lost.session.json", reason: `It is missing. ${makeAgain}` },
        { file: "other.session.json", reason: `It is damaged. ${makeAgain}` },
        { file: "unread.session.json", reason: "No permission." },
      ],
    });
  });
});

describe("reading other folders", () => {
  let root: string;
  let clock: FakeClock;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "parley-others-"));
    clock = new FakeClock();
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const openedFolder = (name: string): OpenedFolder => ({
    uri: pathToFileURL(join(root, "work", name)).href,
    sessionsFolder: join(root, name),
    opened: 1,
  });
  const folders = (...names: readonly string[]): OtherFolders =>
    new OtherFolders({
      opened: { list: () => Promise.resolve(names.map(openedFolder)) },
      ...{
        ownSessions: join(root, "own"),
        home: join(root, "work"),
        clock,
        openStorage: readSessionStorage,
      },
      isRunning: () => true,
    });
  const store = (name: string, files: Readonly<Record<string, string>>): void => {
    mkdirSync(join(root, name), { recursive: true });
    for (const [file, text] of Object.entries(files)) {
      writeFileSync(join(root, name, file), text);
      utimesSync(join(root, name, file), 1, 2);
    }
    utimesSync(join(root, name), 1, 2);
  };

  it("finds those with sessions, by name and path, and names a folder that cannot be read", async () => {
    for (const name of ["own", "app", "set.code-workspace"]) store(name, filesOf(entry(name)));
    store("empty", {});
    writeFileSync(join(root, "file"), "");
    const others = folders("own", "app", "empty", "set.code-workspace", "file");
    let changes = 0;
    others.onDidChange(() => changes++);
    const found = await others.read();
    assert.deepEqual(
      found.map(({ name, label, sessions }) => [name, label, sessions.map(each => each.entry.id)]),
      [
        ["app", join("~", "app"), ["app"]],
        ["set", join("~", "set.code-workspace"), ["set.code-workspace"]],
        ["file", join("~", "file"), []],
      ],
    );
    assert.match(found[2]?.damaged[0]?.reason ?? "", /ENOTDIR/);
    assert.deepEqual([changes, others.folders], [1, found]);
    store("app", filesOf(entry("later")));
    clock.advance(999);
    assert.equal(await others.read(1000), found);
    clock.advance(1);
    assert.equal((await others.read(1000))[0]?.sessions.length, 2);
    assert.equal(changes, 2);
    others.dispose();
  });

  it("gives each folder as soon as it is read, also to who joins, and remembers all of them although nobody waits", async () => {
    for (const name of ["app", "web"]) store(name, filesOf(entry(name)));
    let release = (): void => {};
    const released = new Promise<void>(resolve => (release = resolve));
    const others = new OtherFolders({
      opened: { list: () => Promise.resolve(["app", "web"].map(openedFolder)) },
      ...{ ownSessions: join(root, "own"), home: root, clock },
      openStorage: folder => {
        const storage = readSessionStorage(folder);
        return folder.endsWith("web") ? { ...storage, list: () => released.then(() => storage.list()) } : storage;
      },
      isRunning: () => true,
    });
    const first = others.each(1000);
    assert.equal((await first.next()).value?.name, "app");
    const joined = others.read(1000);
    await first.return();
    const second = others.each(1000);
    assert.equal((await second.next()).value?.name, "app");
    assert.deepEqual(others.folders, []);
    release();
    assert.deepEqual(
      (await joined).map(({ name }) => name),
      ["app", "web"],
    );
    assert.deepEqual([(await second.next()).value?.name, (await second.next()).done], ["web", true]);
    const remembered = others.each(1000);
    assert.deepEqual([(await remembered.next()).value, (await remembered.next()).value], others.folders);
    others.dispose();
  });

  it("fails if the list of folders cannot be read, and tries again with the next call", async () => {
    store("app", filesOf(entry("app")));
    let isBroken = true;
    const others = new OtherFolders({
      opened: {
        list: () => (isBroken ? Promise.reject(new Error("No permission.")) : Promise.resolve([openedFolder("app")])),
      },
      ...{ ownSessions: join(root, "own"), home: root, clock, openStorage: readSessionStorage },
      isRunning: () => true,
    });
    await assert.rejects(others.read(1000), /No permission/);
    await assert.rejects(others.each(1000).next(), /No permission/);
    isBroken = false;
    assert.equal((await others.each(1000).next()).value?.name, "app");
    others.dispose();
  });

  it("leaves each byte and each time of other folders unchanged, whatever is stored there", async () => {
    const state = (): unknown =>
      readdirSync(root, { recursive: true, encoding: "utf8" })
        .sort()
        .map(name => {
          const { mtimeNs, ctimeNs, size } = statSync(join(root, name), { bigint: true });
          const bytes = name.includes(".") ? readFileSync(join(root, name)).toString("base64") : "";
          return [name, mtimeNs, ctimeNs, size, bytes].map(String);
        });
    const id = fc.constantFrom("a", "b", "c");
    const name = fc.oneof(
      id.map(sessionFileName),
      id.map(entryFileName),
      id.map(each => `window-${each}.7.json`),
      fc.constantFrom("a.text.json", "review.json", "current.json", "a.session.json.1.tmp", "b.snapshot.json"),
    );
    const stored = fc.record(
      {
        status: fc.constantFrom("idle", "working", "waiting", "failed"),
        blank: fc.constantFrom(true, 1),
        deleted: fc.integer(),
        title: fc.string(),
      },
      { requiredKeys: [] },
    );
    const text = fc.oneof(
      fc.tuple(id, stored).map(([one, part]) => JSON.stringify({ ...entry(one), ...part })),
      id.map(one => JSON.stringify({ at: 0, text: JSON.stringify({ live: [one] }) })),
      fc.string(),
    );
    let seen = 0;
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, text, { maxKeys: 12 }), async files => {
        rmSync(join(root, "app"), { recursive: true, force: true });
        store("app", files);
        const before = state();
        const others = folders("app");
        seen += (await others.read()).flatMap(folder => [...folder.sessions, ...folder.damaged]).length;
        others.dispose();
        assert.deepEqual(state(), before);
      }),
      { numRuns: 150 },
    );
    assert.ok(seen > 50, `only ${seen} entries were read`);
  });
});
