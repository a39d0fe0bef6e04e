import assert from "node:assert/strict";
import fc from "fast-check";
import { Refusal } from "../../src/base/errors.ts";
import { SessionFiles, type SessionFilesOptions } from "../../src/files/sessionFiles.ts";
import type { KnownText } from "../../src/files/ports.ts";
import { Confinement } from "../../src/files/paths.ts";
import type { WriteResult } from "../../src/session/agent.ts";
import { rejectsWithRefusal } from "../support/contracts/documents.ts";
import { FakeDocuments } from "../support/fakes/fakePorts.ts";

function session(options: Partial<SessionFilesOptions> = {}, documents = new FakeDocuments()) {
  const files = new SessionFiles(documents, new Confinement(documents.resolver, ["/ws"], "posix"), options);
  return { documents, files };
}

/** Writes that end only when the test releases them. */
class SlowDocuments extends FakeDocuments {
  readonly started: string[] = [];
  readonly #waiting = new Map<string, () => void>();
  override async write(path: string, content: string, known?: KnownText): Promise<WriteResult> {
    this.started.push(`${path}=${content}`);
    await new Promise<void>(resolve => this.#waiting.set(path, resolve));
    return super.write(path, content, known);
  }
  finish(path: string): void {
    this.#waiting.get(path)?.();
  }
}

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

const eight = ["1", "2", "3", "4", "5", "6", "7", "8"];
/** Eight lines, some of them replaced. */
const eightLines = (changes: Readonly<Record<number, string>> = {}): string =>
  eight.map((one, i) => `${changes[i + 1] ?? one}\n`).join("");

describe("SessionFiles, when the user types in a file that the agent knows,", () => {
  const path = "/ws/a.txt";
  const make = () => {
    const made = session();
    made.documents.put(path, eightLines());
    const buffer = (): string | undefined => made.documents.buffers.get(path)?.text;
    return { ...made, buffer, disk: () => made.documents.files.get(path)?.toString() };
  };

  it("merges what the agent writes with what the user typed, and leaves it unsaved", async () => {
    const { documents, files, buffer, disk } = make();
    await files.read({ path });
    documents.type(path, eightLines({ 2: "two" }));
    assert.deepEqual(await files.write({ path, content: eightLines({ 7: "seven" }) }), { saved: false });
    assert.equal(buffer(), eightLines({ 2: "two", 7: "seven" }));
    assert.equal(disk(), eightLines());
  });

  it("keeps saved text of the user, in this write and in later ones", async () => {
    const { documents, files, disk } = make();
    await files.write({ path, content: eightLines({ 8: "eight" }) });
    documents.type(path, eightLines({ 2: "two", 8: "eight" }));
    documents.save(path);
    await files.write({ path, content: eightLines({ 5: "five", 8: "eight" }) });
    assert.equal(disk(), eightLines({ 2: "two", 5: "five", 8: "eight" }));
    await files.write({ path, content: eightLines({ 5: "five", 7: "seven", 8: "eight" }) });
    assert.equal(disk(), eightLines({ 2: "two", 5: "five", 7: "seven", 8: "eight" }));
  });

  it("refuses a write that changes the same or the next line, and accepts it after a read", async () => {
    const { documents, files, buffer } = make();
    await files.read({ path });
    const typed = eightLines({ 2: "two" });
    documents.type(path, typed);
    for (const line of [2, 3, 1]) {
      const refused = files.write({ path, content: eightLines({ [line]: "agent" }) });
      await rejectsWithRefusal("failed", /changed since you read it/, refused);
      assert.equal(buffer(), typed);
    }
    assert.equal(await files.read({ path }), typed);
    await files.write({ path, content: eightLines({ 2: "agent" }) });
    assert.equal(buffer(), eightLines({ 2: "agent" }));
  });

  it("accepts a text that contains what the user typed, because the agent has read it elsewhere", async () => {
    const { documents, files, disk } = make();
    await files.read({ path });
    documents.type(path, eightLines({ 2: "two" }));
    documents.save(path);
    await files.write({ path, content: eightLines({ 2: "two", 3: "three" }) });
    assert.equal(disk(), eightLines({ 2: "two", 3: "three" }));
  });

  it("knows only the lines that the agent has read since", async () => {
    const { documents, files, buffer } = make();
    await files.read({ path });
    documents.type(path, eightLines({ 2: "two", 7: "seven" }));
    await files.read({ path, line: 6, limit: 3 });
    await files.write({ path, content: eightLines({ 5: "five", 7: "agent" }) });
    assert.equal(buffer(), eightLines({ 2: "two", 5: "five", 7: "agent" }));
  });

  it("writes a file that the agent neither read nor wrote as the agent sends it", async () => {
    const { documents, files, buffer } = make();
    documents.type(path, eightLines({ 2: "two" }));
    await files.write({ path, content: eightLines({ 7: "seven" }) });
    assert.equal(buffer(), eightLines({ 7: "seven" }));
  });

  it("writes over text that came from the disk, because the agent may have written it", async () => {
    const { documents, files, disk } = make();
    await files.read({ path });
    documents.put(path, eightLines({ 2: "disk" }));
    await files.write({ path, content: eightLines({ 7: "seven" }) });
    assert.equal(disk(), eightLines({ 7: "seven" }));
  });
});

describe("SessionFiles.read", () => {
  const rows: readonly (readonly [line: number | undefined, limit: number | undefined, expected: string])[] = [
    [undefined, undefined, "one\ntwo\nthree\n"],
    [1, undefined, "one\ntwo\nthree\n"],
    [0, 1, "one\n"],
    [1, 1, "one\n"],
    [2, undefined, "two\nthree\n"],
    [2, 1, "two\n"],
    [3, 100, "three\n"],
    [4, undefined, ""],
    [999_999_999, 5, ""],
    [undefined, 2, "one\ntwo\n"],
    [undefined, 0, ""],
    [2, 0, ""],
  ];
  for (const [line, limit, expected] of rows) {
    it(`returns ${JSON.stringify(expected)} for line ${line} and limit ${limit}`, async () => {
      const { documents, files } = session();
      documents.put("/ws/a.txt", "one\ntwo\nthree\n");
      const request = { path: "/ws/a.txt", ...(line !== undefined && { line }), ...(limit !== undefined && { limit }) };
      assert.equal(await files.read(request), expected);
    });
  }

  it("returns the lines of unsaved text", async () => {
    const { documents, files } = session();
    documents.put("/ws/a.txt", "one\ntwo\n");
    documents.type("/ws/a.txt", "one\nmine\n");
    assert.equal(await files.read({ path: "/ws/a.txt", line: 2 }), "mine\n");
  });

  it("refuses a file that does not exist, and names its path", async () => {
    const { files } = session();
    const refusal = await rejectsWithRefusal("notFound", /does not exist/, files.read({ path: "/ws/none.txt" }));
    assert.deepEqual(refusal.data, { path: "/ws/none.txt" });
  });

  it("refuses a missing file even if no lines are requested", async () => {
    await rejectsWithRefusal("notFound", /does not exist/, session().files.read({ path: "/ws/none.txt", limit: 0 }));
  });

  it("returns an empty text for a missing file to agents that need it", async () => {
    const { documents, files } = session({ missingFiles: "empty" });
    assert.equal(await files.read({ path: "/ws/none.txt" }), "");
    documents.folders.add("/ws/sub");
    await rejectsWithRefusal("invalid", /folder/, files.read({ path: "/ws/sub" }));
  });

  it("refuses folders and binary files", async () => {
    const { documents, files } = session();
    documents.put("/ws/sub/a.bin", Uint8Array.of(1, 0, 2));
    await rejectsWithRefusal("invalid", /is a folder/, files.read({ path: "/ws/sub" }));
    await rejectsWithRefusal("invalid", /binary/, files.read({ path: "/ws/sub/a.bin" }));
  });

  it("refuses paths outside the session's folders", async () => {
    const { documents, files } = session();
    documents.put("/etc/hosts", "x");
    await rejectsWithRefusal("invalid", /outside/, files.read({ path: "/etc/hosts" }));
    await rejectsWithRefusal("invalid", /outside/, files.read({ path: "/ws/../etc/hosts" }));
  });

  for (const wrong of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    it(`refuses ${wrong} as line and as limit`, async () => {
      const { documents, files } = session();
      documents.put("/ws/a.txt", "one\n");
      await rejectsWithRefusal("invalid", /“line”/, files.read({ path: "/ws/a.txt", line: wrong }));
      await rejectsWithRefusal("invalid", /“limit”/, files.read({ path: "/ws/a.txt", limit: wrong }));
    });
  }

  it("explains how to read a file that is too large for one response", async () => {
    const { documents, files } = session({ maxBytes: 1000 });
    documents.put("/ws/big.txt", "123456789\n".repeat(500));
    await rejectsWithRefusal("invalid", /in parts with “line” and “limit”/, files.read({ path: "/ws/big.txt" }));
    await rejectsWithRefusal("invalid", /fewer lines/, files.read({ path: "/ws/big.txt", line: 2 }));
    assert.equal(await files.read({ path: "/ws/big.txt", line: 499, limit: 5 }), "123456789\n".repeat(2));
  });

  it("never loads a large file completely", async () => {
    class Watched extends FakeDocuments {
      override read(): Promise<string> {
        return Promise.reject(new Error("loaded whole"));
      }
    }
    const { documents, files } = session({ maxBytes: 1000 }, new Watched());
    documents.put("/ws/big.txt", "123456789\n".repeat(500));
    assert.equal(await files.read({ path: "/ws/big.txt", line: 1, limit: 1 }), "123456789\n");
  });

  it("applies the same limit to unsaved text", async () => {
    const { documents, files } = session({ maxBytes: 10 });
    documents.type("/ws/a.txt", "é".repeat(6));
    await rejectsWithRefusal("invalid", /fewer lines/, files.read({ path: "/ws/a.txt" }));
  });

  it("refuses the response if the path has changed its target meanwhile", async () => {
    class Racing extends FakeDocuments {
      override async read(path: string): Promise<string> {
        const text = await super.read(path);
        this.resolver.links.set("/ws/a.txt", "/etc/passwd");
        return text;
      }
    }
    const { documents, files } = session({}, new Racing());
    documents.put("/ws/a.txt", "one\n");
    await rejectsWithRefusal("failed", /replaced by a link to another place/, files.read({ path: "/ws/a.txt" }));
  });
});

describe("SessionFiles.write", () => {
  it("reports whether the file was saved", async () => {
    const { documents, files } = session();
    assert.deepEqual(await files.write({ path: "/ws/new/a.txt", content: "one\n" }), { saved: true });
    documents.type("/ws/new/a.txt", "mine\n");
    await files.read({ path: "/ws/new/a.txt" });
    assert.deepEqual(await files.write({ path: "/ws/new/a.txt", content: "two\n" }), { saved: false });
    assert.equal(documents.files.get("/ws/new/a.txt")?.toString(), "one\n");
  });

  it("refuses folders, and paths outside the session's folders", async () => {
    const { documents, files } = session();
    documents.folders.add("/ws/sub");
    await rejectsWithRefusal("invalid", /is a folder/, files.write({ path: "/ws/sub", content: "" }));
    await rejectsWithRefusal("invalid", /outside/, files.write({ path: "/tmp/a", content: "" }));
    assert.equal(documents.files.size, 0);
  });

  const unstorable = [
    ["a lone surrogate", "one\nfirst \ud83d half\n", /half of a character .* in line 2/],
    ["the second half of a pair alone", "\ude00", /half of a character .* in line 1/],
    ["a NUL character", "one\n\n\0\n", /a NUL character in line 3/],
  ] as const;
  for (const [what, content, message] of unstorable) {
    it(`refuses a text with ${what} before anything is created`, async () => {
      const { documents, files } = session();
      documents.put("/ws/a.txt", "old\n");
      await rejectsWithRefusal("invalid", message, files.write({ path: "/ws/new/deep.txt", content }));
      await rejectsWithRefusal("invalid", message, files.write({ path: "/ws/a.txt", content }));
      assert.deepEqual([...documents.files.keys()], ["/ws/a.txt"]);
      assert.ok(!documents.folders.has("/ws/new"));
      assert.equal(documents.files.get("/ws/a.txt")?.toString(), "old\n");
    });
  }

  it("writes a whole character beyond the first plane", async () => {
    const { documents, files } = session();
    await files.write({ path: "/ws/a.txt", content: "😀\n" });
    assert.equal(documents.files.get("/ws/a.txt")?.toString(), "😀\n");
  });

  it("refuses a file whose parent is a file, and gives the reason", async () => {
    const { documents, files } = session();
    documents.put("/ws/a.txt", "");
    await rejectsWithRefusal(
      "failed",
      /“\/ws\/a.txt” is not a folder/,
      files.write({ path: "/ws/a.txt/b", content: "" }),
    );
  });

  it("writes to the target of a link", async () => {
    const { documents, files } = session();
    documents.put("/ws/real.txt", "one\n");
    documents.resolver.links.set("/ws/link.txt", "/ws/real.txt");
    await files.write({ path: "/ws/link.txt", content: "two\n" });
    assert.equal(documents.files.get("/ws/real.txt")?.toString(), "two\n");
  });

  it("runs writes to one file in order, under any of its names", async () => {
    const documents = new SlowDocuments();
    documents.resolver.links.set("/ws/link.txt", "/ws/a.txt");
    const { files } = session({}, documents);
    const first = files.write({ path: "/ws/a.txt", content: "1" });
    const second = files.write({ path: "/ws/link.txt", content: "2" });
    await turn();
    assert.deepEqual(documents.started, ["/ws/a.txt=1"]);
    documents.finish("/ws/a.txt");
    await first;
    await turn();
    assert.deepEqual(documents.started, ["/ws/a.txt=1", "/ws/a.txt=2"]);
    documents.finish("/ws/a.txt");
    await second;
    assert.equal(documents.files.get("/ws/a.txt")?.toString(), "2");
  });

  it("runs writes to different files at the same time", async () => {
    const documents = new SlowDocuments();
    const { files } = session({}, documents);
    const first = files.write({ path: "/ws/a.txt", content: "1" });
    const second = files.write({ path: "/ws/b.txt", content: "2" });
    await turn();
    assert.deepEqual(documents.started, ["/ws/a.txt=1", "/ws/b.txt=2"]);
    documents.finish("/ws/b.txt");
    await second;
    documents.finish("/ws/a.txt");
    await first;
  });

  it("runs a later read after the write", async () => {
    const documents = new SlowDocuments();
    const { files } = session({}, documents);
    const write = files.write({ path: "/ws/a.txt", content: "new" });
    const read = files.read({ path: "/ws/a.txt" });
    await turn();
    documents.finish("/ws/a.txt");
    await write;
    assert.equal(await read, "new");
  });

  it("keeps the order of requests even if a path takes long to resolve", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(3), { minLength: 2, maxLength: 8 }), async delays => {
        const documents = new FakeDocuments();
        const real = documents.resolver.real.bind(documents.resolver);
        let asked = 0;
        documents.resolver.real = async path => {
          for (let left = delays[asked++ % delays.length] ?? 0; left > 0; left--) await turn();
          return real(path);
        };
        const { files } = session({}, documents);
        await Promise.all(delays.map((_, index) => files.write({ path: "/ws/a.txt", content: String(index) })));
        assert.equal(documents.files.get("/ws/a.txt")?.toString(), String(delays.length - 1));
      }),
      { numRuns: 25 },
    );
  });

  it("continues after a failed request", async () => {
    const { documents, files } = session();
    documents.readOnly.add("/ws/a.txt");
    const failing = rejectsWithRefusal("failed", /read-only/, files.write({ path: "/ws/a.txt", content: "1" }));
    const next = files.write({ path: "/ws/b.txt", content: "2" });
    await failing;
    assert.deepEqual(await next, { saved: true });
    documents.readOnly.clear();
    assert.deepEqual(await files.write({ path: "/ws/a.txt", content: "3" }), { saved: true });
  });

  it("turns an unexpected error into a refusal that names the path", async () => {
    class Broken extends FakeDocuments {
      override write(): Promise<WriteResult> {
        return Promise.reject(new Error("disk full"));
      }
    }
    const refusal = await rejectsWithRefusal(
      "failed",
      /“\/ws\/a.txt”: disk full/,
      session({}, new Broken()).files.write({ path: "/ws/a.txt", content: "" }),
    );
    assert.ok(refusal instanceof Refusal);
  });
});
