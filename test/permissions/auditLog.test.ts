// The permission log: which parts of an answer it keeps, that it contains no secrets, and that the file stays valid and
// small.
import assert from "node:assert/strict";
import { nullLog } from "../../src/base/log.ts";
import type { TextStorage } from "../../src/session/log/sessionStore.ts";
import { AuditLog, auditRecord, type AuditRecord } from "../../src/permissions/auditLog.ts";
import { parseCommandLine } from "../../src/permissions/commandLine/parseCommandLine.ts";
import type { AnsweredQuestion } from "../../src/permissions/permissionBroker.ts";
import type { QuestionFacts } from "../../src/permissions/rules.ts";

const file = "permissions.ndjson";

class MemoryStorage implements TextStorage {
  readonly files = new Map<string, string>();
  fails = false;
  async append(name: string, text: string): Promise<void> {
    if (this.fails) throw new Error("disk full");
    this.files.set(name, (this.files.get(name) ?? "") + text);
  }
  async write(name: string, text: string): Promise<void> {
    if (this.fails) throw new Error("disk full");
    this.files.set(name, text);
  }
  async read(name: string): Promise<string | undefined> {
    if (this.fails) throw new Error("disk full");
    return this.files.get(name);
  }
  get bytes(): number {
    return Buffer.byteLength(this.files.get(file) ?? "");
  }
}

const one: AuditRecord = {
  at: 1,
  agent: "Demo",
  folder: "/work",
  what: "Run npm test",
  subject: "npm test",
  answer: "allowed",
  option: "Allow",
};

describe("the permission log", () => {
  let storage: MemoryStorage;
  let log: AuditLog;
  beforeEach(() => {
    storage = new MemoryStorage();
    log = new AuditLog(storage, nullLog);
  });

  it("returns the records, newest last, in the order of the answers", async () => {
    const records = Array.from({ length: 20 }, (_, at): AuditRecord => ({ ...one, at, by: "allow command “a\nb”" }));
    for (const record of records) log.record(record);
    assert.deepEqual(await log.read(), { records, broken: 0 });
    assert.deepEqual(await new AuditLog(storage, nullLog).read(), { records, broken: 0 });
  });

  it("is empty before the first answer", async () => {
    assert.deepEqual(await log.read(), { records: [], broken: 0 });
  });

  it("fires an event for a new record", async () => {
    let events = 0;
    log.onDidRecord(() => {
      events++;
      assert.match(storage.files.get(file) ?? "", /npm test/);
    });
    log.record(one);
    await log.read();
    assert.equal(events, 1);
  });

  it("masks secrets, and truncates long texts", async () => {
    const line = "curl -H 'Authorization: Bearer abc123def456ghi7' https://me:hunter2@host/";
    log.record({
      ...one,
      what: line,
      subject: `${line} ${"x".repeat(20_000)}`,
      by: "allow command “x --token=s3cr3t1”",
    });
    const [read] = (await log.read()).records;
    assert.doesNotMatch(storage.files.get(file) ?? "", /abc123def456ghi7|hunter2|s3cr3t1/);
    assert.match(read?.what ?? "", /^curl -H .*•••/);
    assert.ok((read?.subject.length ?? 0) < 10_000);
    assert.match(read?.subject ?? "", /… \(\d+ characters\)$/);
  });

  it("counts unreadable lines, and continues after an incomplete line", async () => {
    const half = JSON.stringify(one).slice(0, 20);
    const wrong = [null, 7, {}, { ...one, answer: "maybe" }, { ...one, at: "1" }, { ...one, by: 1 }];
    const rows = [JSON.stringify(one), ...wrong.map(row => JSON.stringify(row)), half];
    storage.files.set(file, rows.join("\n"));
    log.record({ ...one, at: 2 });
    assert.deepEqual(await log.read(), { records: [one, { ...one, at: 2 }], broken: 7 });
  });

  it("stays below one megabyte, and keeps the newer half", async () => {
    const subject = "é".repeat(1000);
    for (let at = 0; at < 1000; at++) log.record({ ...one, at, subject });
    const { records, broken } = await log.read();
    assert.ok(storage.bytes <= 1_000_000 && storage.bytes > 400_000, `${storage.bytes}`);
    assert.equal(broken, 0);
    const first = records[0]?.at ?? 0;
    assert.ok(first > 0);
    assert.deepEqual(
      records.map(({ at }) => at),
      Array.from({ length: 1000 - first }, (_, i) => first + i),
    );
  });

  it("shrinks a file that an earlier window left too large", async () => {
    storage.files.set(file, `${JSON.stringify({ ...one, subject: "x".repeat(7000) })}\n`.repeat(200));
    log.record({ ...one, at: 2 });
    assert.equal((await log.read()).records.at(-1)?.at, 2);
    assert.ok(storage.bytes < 1_000_000);
  });

  it("continues after a failure, which is logged", async () => {
    const errors: unknown[] = [];
    log = new AuditLog(storage, { ...nullLog, error: (...all) => void errors.push(all) });
    storage.fails = true;
    log.record(one);
    await assert.rejects(log.read(), /disk full/);
    assert.deepEqual(errors, [["An answer could not be added to the permission log.", "disk full"]]);
    storage.fails = false;
    log.record({ ...one, at: 2 });
    assert.deepEqual((await log.read()).records, [{ ...one, at: 2 }]);
  });
});

describe("the record of an answer", () => {
  const question: AnsweredQuestion["question"] = {
    title: "Run npm test",
    options: [
      { id: "1", name: "Yes", kind: "allow_once" },
      { id: "2", name: "Always", kind: "allow_always" },
      { id: "3", name: "No", kind: "reject_once" },
      { id: "4", name: "Ask my boss", kind: "delegate" },
    ],
  };
  const facts: QuestionFacts = {
    agent: "demo",
    paths: ["/work/a", "/work/b"],
    urls: ["https://a.example"],
    trusted: true,
    place: { roots: ["/work"], platform: "posix", ignoresCase: false },
  };
  const around = { at: 7, agent: "Demo", folder: "/work", facts };
  const record = (decided: Partial<AnsweredQuestion>, changed: Partial<QuestionFacts> = {}): AuditRecord =>
    auditRecord({ question, answer: { option: "1" }, ...decided }, { ...around, facts: { ...facts, ...changed } });

  it("contains who answered and the answer", () => {
    const subject = "/work/a, /work/b, https://a.example";
    const common = { at: 7, agent: "Demo", folder: "/work", what: "Run npm test", subject };
    assert.deepEqual(record({}), { ...common, answer: "allowed", option: "Yes" });
    assert.deepEqual(record({ answer: { option: "2" } }), { ...common, answer: "allowed", option: "Always" });
    const by = "deny command “npm”";
    assert.deepEqual(record({ answer: { option: "3" }, by }), { ...common, answer: "refused", option: "No", by });
    assert.deepEqual(record({ answer: "cancelled" }), { ...common, answer: "cancelled" });
  });

  it("names the session, with its title at that time", () => {
    const of = { session: "s", sessionTitle: "Fix the sum" };
    const named = auditRecord({ question, answer: { option: "1" } }, { ...around, ...of });
    assert.deepEqual([named.session, named.sessionTitle], ["s", "Fix the sum"]);
  });

  it("has the title of the tool call if the question has none", () => {
    const tool = { title: "", kind: "edit", locations: [{ path: "/work/src/a.ts" }] };
    assert.equal(record({ question: { ...question, title: "", tool } }).what, "Edit src/a.ts");
    const titled = { ...tool, title: "Fix the sum" };
    assert.equal(record({ question: { ...question, title: "", tool: titled } }).what, "Fix the sum");
  });

  it("counts an option of an unknown kind as allowed", () => {
    assert.equal(record({ answer: { option: "4" } }).answer, "allowed");
    assert.equal(record({ answer: { option: "5" } }).answer, "allowed");
  });

  it("contains the command if there is one", () => {
    const command = parseCommandLine("npm test | tail", "posix");
    assert.equal(record({}, { command }).subject, "npm test | tail");
    const unread = { kind: "opaque", line: "", reason: "holds more than can be checked", fragments: [] } as const;
    assert.equal(record({}, { command: unread, urls: [] }).subject, "/work/a, /work/b");
  });
});
