// The files with the pages of long conversations: exactly the pages of its session are readable for an agent.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"; // prettier-ignore
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConversationPageFiles } from "../../src/files/conversationPageFiles.ts";
import { rootsOnly } from "../../src/files/gate.ts";
import { nodePaths } from "../../src/files/nodePaths.ts";
import { Confinement } from "../../src/files/paths.ts";
import { SessionFiles } from "../../src/files/sessionFiles.ts";
import { NodeDocuments } from "../support/fakes/nodeDocuments.ts";

describe("the pages of a conversation in files", () => {
  let folder: string;
  let files: ConversationPageFiles;
  let agentFiles: SessionFiles;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "parley-pages-")));
    mkdirSync(join(folder, "workspace"));
    files = new ConversationPageFiles(join(folder, "pages"));
    const confinement = new Confinement(nodePaths(), [join(folder, "workspace")]);
    agentFiles = new SessionFiles(
      new NodeDocuments(),
      confinement,
      {},
      files.readableIn("one", rootsOnly(confinement)),
    );
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const read = (path: string): Promise<string> => agentFiles.read({ path });

  it("are read by the agent of the session, and written by nobody else", async () => {
    const [first = "", second = ""] = await files.of("one").write("conversation", ["page 1", "page 2"]);
    assert.deepEqual([await read(first), await read(second)], ["page 1", "page 2"]);
    await assert.rejects(
      agentFiles.write({ path: first, content: "x" }),
      /outside this session’s folders|outside this session's folders/,
    );
    assert.equal(readFileSync(first, "utf8"), "page 1");
  });

  it("are not those of another session, another file in the folder, or what a link leads to", async () => {
    const [own = ""] = await files.of("one").write("conversation", ["page"]);
    const [other = ""] = await files.of("two").write("conversation", ["page of two"]);
    const secret = join(folder, "secret-page-1-of-1.md");
    writeFileSync(secret, "secret");
    const link = join(own, "..", "link-page-1-of-1.md");
    symlinkSync(secret, link);
    symlinkSync(folder, join(folder, "pages", "folder"));
    const note = join(own, "..", "notes.md");
    writeFileSync(note, "note");
    const deeper = join(folder, "pages", "x", "one");
    mkdirSync(deeper, { recursive: true });
    writeFileSync(join(deeper, "conversation-page-1-of-1.md"), "deeper");
    const refused = [
      ...[other, secret, link, note, join(own, "..", "..", "two", "conversation-page-1-of-1.md")],
      ...[join(folder, "pages", "folder", "secret-page-1-of-1.md"), join(deeper, "conversation-page-1-of-1.md")],
      join(own, "..", "conversation-page-2-of-2.md"),
    ];
    for (const path of refused) await assert.rejects(read(path), /outside this session/, path);
    assert.equal(await read(join(own, "..", "..", "one", "conversation-page-1-of-1.md")), "page");
  });

  it("are not read in a folder that a link replaced", async () => {
    await files.of("one").write("conversation", ["page"]);
    rmSync(join(folder, "pages", "one"), { recursive: true });
    mkdirSync(join(folder, "elsewhere"));
    writeFileSync(join(folder, "elsewhere", "conversation-page-1-of-1.md"), "secret");
    symlinkSync(join(folder, "elsewhere"), join(folder, "pages", "one"));
    await assert.rejects(read(join(folder, "pages", "one", "conversation-page-1-of-1.md")), /outside this session/);
  });

  it("replace earlier ones of the same name only", async () => {
    await files.of("one").write("earlier-conversation", ["e"]);
    await files.of("one").write("conversation", ["1", "2", "3"]);
    await files.of("one").write("conversation", ["4", "5"]);
    assert.deepEqual(readdirSync(join(folder, "pages", "one")).sort(), [
      "conversation-page-1-of-2.md",
      "conversation-page-2-of-2.md",
      "earlier-conversation-page-1-of-1.md",
    ]);
  });

  it("are removed a day after their session is gone, and not before", async () => {
    const day = 24 * 60 * 60 * 1000;
    await files.removeUnknown(new Set(), Date.now());
    for (const id of ["one", "two"]) await files.of(id).write("conversation", [id]);
    await files.removeUnknown(new Set(["one"]), Date.now() + day - 60_000);
    assert.ok(existsSync(join(folder, "pages", "two")), "another window may have just begun it");
    await files.removeUnknown(new Set(["one"]), Date.now() + day + 60_000);
    assert.deepEqual(readdirSync(join(folder, "pages")), ["one"]);
  });
});
