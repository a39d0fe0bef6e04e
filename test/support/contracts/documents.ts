// The contract of every Documents port. Runs with the in-memory one in plain Node and with the editor's in a real VS
// Code.
import assert from "node:assert/strict";
import { Refusal, type RefusalKind } from "../../../src/base/errors.ts";
import type { Documents } from "../../../src/files/ports.ts";

/** An editor with one empty folder. Names are relative to the folder. */
export interface DocumentsHarness {
  readonly documents: Documents;
  path(name: string): string;
  /** Writes a file to the disk. */
  put(name: string, content: string | Uint8Array): Promise<void>;
  /** The bytes on the disk, or undefined. */
  bytes(name: string): Promise<Buffer | undefined>;
  folder(name: string): Promise<void>;
  link(name: string, target: string): Promise<void>;
  makeReadOnly(name: string): Promise<void>;
  /** Opens the file under this name and replaces its text without saving, like a user. */
  type(name: string, text: string): Promise<void>;
  /** The text of the open document, or undefined. */
  buffer(name: string): Promise<{ readonly text: string; readonly unsaved: boolean } | undefined>;
  dispose(): Promise<void>;
}

/** Declares the suite. */
export function describeDocuments(title: string, make: () => Promise<DocumentsHarness>): void {
  describe(`Documents: ${title}`, () => {
    let at: DocumentsHarness;
    beforeEach(async () => {
      at = await make();
    });
    afterEach(() => at.dispose());

    const onDisk = async (name: string): Promise<string | undefined> => (await at.bytes(name))?.toString();
    const write = (name: string, content: string) => at.documents.write(at.path(name), content);
    const read = (name: string) => at.documents.read(at.path(name));

    describe("stat", () => {
      it("distinguishes files, folders and missing paths", async () => {
        await at.put("a.txt", "four");
        await at.folder("sub");
        assert.deepEqual(await at.documents.stat(at.path("a.txt")), { kind: "file", size: 4, unsaved: false });
        assert.equal((await at.documents.stat(at.path("sub"))).kind, "folder");
        assert.equal((await at.documents.stat(at.path("none"))).kind, "missing");
        assert.equal((await at.documents.stat(at.path("a.txt/none"))).kind, "missing");
      });

      it("reports that an open document has unsaved text", async () => {
        await at.put("a.txt", "old");
        await at.type("a.txt", "new text");
        assert.deepEqual(await at.documents.stat(at.path("a.txt")), { kind: "file", size: 8, unsaved: true });
      });
    });

    describe("read", () => {
      it("returns the text on disk", async () => {
        await at.put("a.txt", "één\r\ntwee\n");
        assert.equal(await read("a.txt"), "één\r\ntwee\n");
      });

      it("omits the byte-order mark", async () => {
        await at.put("a.txt", "\uFEFFone\n");
        assert.equal(await read("a.txt"), "one\n");
      });

      it("returns an empty text for an empty file", async () => {
        await at.put("a.txt", "");
        assert.equal(await read("a.txt"), "");
      });

      it("returns unsaved text of the user", async () => {
        await at.put("a.txt", "old\n");
        await at.type("a.txt", "unsaved\n");
        assert.equal(await read("a.txt"), "unsaved\n");
      });

      it("returns unsaved text of a document that was opened through a link", async () => {
        await at.put("real/a.txt", "old\n");
        await at.link("link", "real");
        await at.type("link/a.txt", "unsaved\n");
        assert.equal(await read("real/a.txt"), "unsaved\n");
      });

      it("returns unsaved text if the path is a link to the document", async () => {
        await at.put("a.txt", "old\n");
        await at.link("b.txt", "a.txt");
        await at.type("a.txt", "unsaved\n");
        assert.equal(await read("b.txt"), "unsaved\n");
      });

      it("returns text at once that was written to disk under a saved document", async () => {
        await at.put("a.txt", "old\n");
        await write("a.txt", "mine\n");
        await at.put("a.txt", "theirs\n");
        assert.equal(await read("a.txt"), "theirs\n");
      });

      it("refuses a binary file", async () => {
        await at.put("a.bin", Uint8Array.from([0x7f, 0x45, 0, 0, 0, 1, 2, 0, 0xff, 0xfe, 0]));
        await rejectsWithRefusal("invalid", /binary/, read("a.bin"));
      });

      it("refuses bytes that the file's encoding lacks, and names the encoding", async () => {
        await at.put("a.txt", Buffer.from("caf\xe9\n", "latin1"));
        await rejectsWithRefusal("failed", /not valid utf8/, read("a.txt"));
      });

      it("returns replacement characters that are in the file", async () => {
        await at.put("a.txt", "one \uFFFD\n");
        assert.equal(await read("a.txt"), "one \uFFFD\n");
      });

      it("refuses a missing file", async () => {
        await rejectsWithRefusal("notFound", /does not exist/, read("none.txt"));
      });
    });

    describe("readWindow", () => {
      it("returns lines of a large file", async () => {
        const lines = Array.from({ length: 50_000 }, (_, index) => `line ${index + 1} ☃\n`);
        await at.put("big.txt", lines.join(""));
        const window = (line: number, limit: number) =>
          at.documents.readWindow(at.path("big.txt"), { line, limit }, 1_000_000);
        assert.equal(await window(1, 2), "line 1 ☃\nline 2 ☃\n");
        assert.equal(await window(49_999, 10), "line 49999 ☃\nline 50000 ☃\n");
        assert.equal(await window(50_001, 10), "");
      });

      it("refuses lines with bytes that the file's encoding lacks, and returns the others", async () => {
        await at.put("big.txt", Buffer.from("one\ncaf\xe9\n", "latin1"));
        const window = (line: number) => at.documents.readWindow(at.path("big.txt"), { line, limit: 1 }, 1000);
        assert.equal(await window(1), "one\n");
        await rejectsWithRefusal("failed", /not valid utf8/, window(2));
      });

      it("returns replacement characters that are in the lines", async () => {
        await at.put("big.txt", "one \uFFFD\n");
        const window = { line: 1, limit: 1 };
        assert.equal(await at.documents.readWindow(at.path("big.txt"), window, 1000), "one \uFFFD\n");
      });

      it("returns unsaved lines of the user", async () => {
        await at.put("big.txt", "one\ntwo\n");
        await at.type("big.txt", "one\nmine\n");
        const window = { line: 2, limit: 1 };
        assert.equal(await at.documents.readWindow(at.path("big.txt"), window, 1000), "mine\n");
      });

      it("refuses a window above the limit", async () => {
        await at.put("big.txt", "0123456789\n".repeat(20_000));
        const whole = at.documents.readWindow(at.path("big.txt"), { line: 1, limit: Infinity }, 100_000);
        await rejectsWithRefusal("invalid", /fewer lines/, whole);
      });
    });

    describe("write", () => {
      it("replaces a file's text and saves it", async () => {
        await at.put("a.txt", "one\ntwo\nthree\n");
        assert.deepEqual(await write("a.txt", "one\n2\nthree\n"), { saved: true });
        assert.equal(await onDisk("a.txt"), "one\n2\nthree\n");
        assert.notEqual((await at.buffer("a.txt"))?.unsaved, true);
      });

      it("creates a file with its folders", async () => {
        assert.deepEqual(await write("deep/down/new.txt", "new\n"), { saved: true });
        assert.equal(await onDisk("deep/down/new.txt"), "new\n");
      });

      it("creates an empty file", async () => {
        assert.deepEqual(await write("empty.txt", ""), { saved: true });
        assert.equal(await onDisk("empty.txt"), "");
      });

      it("can empty a file", async () => {
        await at.put("a.txt", "one\n");
        await write("a.txt", "");
        assert.equal(await onDisk("a.txt"), "");
      });

      it("keeps the line ending of the file", async () => {
        await at.put("a.txt", "one\r\ntwo\r\n");
        await write("a.txt", "one\nzwei\nthree\n");
        assert.equal(await onDisk("a.txt"), "one\r\nzwei\r\nthree\r\n");
      });

      it("keeps “\\n” if the agent sends “\\r\\n”", async () => {
        await at.put("a.txt", "one\ntwo\n");
        await write("a.txt", "one\r\nzwei\r\n");
        assert.equal(await onDisk("a.txt"), "one\nzwei\n");
      });

      it("keeps the byte-order mark", async () => {
        await at.put("a.txt", "\uFEFFone\n");
        await write("a.txt", "two\n");
        assert.equal(await onDisk("a.txt"), "\uFEFFtwo\n");
      });

      it("adds no byte-order mark to a file that has none", async () => {
        await at.put("a.txt", "one\n");
        await write("a.txt", "\uFEFFtwo\n");
        assert.equal(await onDisk("a.txt"), "two\n");
      });

      it("keeps the byte-order mark that was sent for a new file", async () => {
        await write("new.txt", "\uFEFFtwo\n");
        assert.equal(await onDisk("new.txt"), "\uFEFFtwo\n");
      });

      it("writes surrogate pairs and joined characters", async () => {
        await at.put("a.txt", "😀 e\u0301\n");
        await write("a.txt", "😁 e\u0300 👩‍👩‍👧\n");
        assert.equal(await onDisk("a.txt"), "😁 e\u0300 👩‍👩‍👧\n");
      });

      it("changes the document and not the disk if the user has unsaved text", async () => {
        await at.put("a.txt", "one\n");
        await at.type("a.txt", "one and mine\n");
        assert.deepEqual(await write("a.txt", "one and mine\nagent\n"), { saved: false });
        assert.deepEqual(await at.buffer("a.txt"), { text: "one and mine\nagent\n", unsaved: true });
        assert.equal(await onDisk("a.txt"), "one\n");
        assert.equal(await read("a.txt"), "one and mine\nagent\n");
      });

      it("changes unsaved text of a document that was opened through a link", async () => {
        await at.put("real/a.txt", "old\n");
        await at.link("link", "real");
        await at.type("link/a.txt", "unsaved\n");
        assert.deepEqual(await write("real/a.txt", "unsaved\nagent\n"), { saved: false });
        assert.equal((await at.buffer("link/a.txt"))?.text, "unsaved\nagent\n");
        assert.equal(await onDisk("real/a.txt"), "old\n");
      });

      it("writes through a link and leaves it a link", async () => {
        await at.put("a.txt", "one\n");
        await at.link("b.txt", "a.txt");
        await write("b.txt", "two\n");
        assert.equal(await onDisk("a.txt"), "two\n");
      });

      it("writes over text that was just written to the disk", async () => {
        await at.put("a.txt", "one\n");
        await write("a.txt", "two\n");
        await at.put("a.txt", "two\ntheirs\n");
        assert.deepEqual(await write("a.txt", "two\ntheirs\nmine\n"), { saved: true });
        assert.equal(await onDisk("a.txt"), "two\ntheirs\nmine\n");
      });

      it("refuses a read-only file and keeps its text", async () => {
        await at.put("a.txt", "one\n");
        await at.makeReadOnly("a.txt");
        await rejectsWithRefusal("failed", /read-only/, write("a.txt", "two\n"));
        assert.equal(await onDisk("a.txt"), "one\n");
        assert.notEqual((await at.buffer("a.txt"))?.unsaved, true);
      });

      it("refuses a file whose parent is a file", async () => {
        await at.put("a.txt", "one\n");
        await rejectsWithRefusal("failed", /not a folder/, write("a.txt/b.txt", "two\n"));
        assert.equal(await onDisk("a.txt"), "one\n");
      });

      it("refuses a binary file and keeps its bytes", async () => {
        const bytes = Buffer.from([0x7f, 0x45, 0, 0, 0, 1, 2, 0, 0xff, 0xfe, 0]);
        await at.put("a.bin", bytes);
        await rejectsWithRefusal("invalid", /binary/, write("a.bin", "text"));
        assert.deepEqual(await at.bytes("a.bin"), bytes);
      });

      it("changes nothing if the text is already equal", async () => {
        await at.put("a.txt", "one\r\ntwo");
        assert.deepEqual(await write("a.txt", "one\ntwo"), { saved: true });
        assert.equal(await onDisk("a.txt"), "one\r\ntwo");
      });
    });
  });
}

/** Passes if the promise is refused in this way. */
export async function rejectsWithRefusal(
  kind: RefusalKind,
  message: RegExp,
  promise: Promise<unknown>,
): Promise<Refusal> {
  const thrown: unknown = await promise.then(
    value => assert.fail(`not refused: ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (!(thrown instanceof Refusal)) throw thrown;
  assert.equal(thrown.kind, kind, thrown.message);
  assert.match(thrown.message, message);
  return thrown;
}
