// The attachments of a prompt as a candidate gets them.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Attachment } from "../../../src/panel/protocol.ts";
import { attachmentsIn } from "../../../src/worktrees/candidates/candidatePrompt.ts";

describe("the attachments of a candidate", () => {
  let base: string;
  const at = (...parts: readonly string[]): string => join(base, ...parts);
  const attached = (path: string, line?: number): Attachment => ({
    ...{ id: path, kind: "file", label: path },
    source: { type: "path", path, ...(line !== undefined && { line }) },
  });
  const pathsFor = async (...paths: readonly string[]): Promise<readonly string[]> => {
    const found = await attachmentsIn(
      at("tree"),
      at("app"),
      paths.map(path => attached(path)),
    );
    return found.map(({ source }) => (source.type === "path" ? source.path : ""));
  };
  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), "parley-attached-")));
    for (const folder of ["app/src", "tree/src", "other"]) await mkdir(at(folder), { recursive: true });
    for (const file of ["app/src/a.ts", "tree/src/a.ts", "app/only.ts", "other/b.ts"]) await writeFile(at(file), "");
  });
  afterEach(() => rm(base, { recursive: true }));

  it("are the files and folders of its worktree, with their lines", async () => {
    assert.deepEqual(await pathsFor(at("app/src/a.ts"), at("app/src"), at("app")), [
      at("tree/src/a.ts"),
      at("tree/src"),
      at("tree"),
    ]);
    const [first] = await attachmentsIn(at("tree"), at("app"), [attached(at("app/src/a.ts"), 3)]);
    assert.deepEqual(first?.source, { type: "path", path: at("tree/src/a.ts"), line: 3 });
  });

  it("stay the same if only the main checkout has them, if they are outside of it, and if they are texts", async () => {
    const paths = [at("app/only.ts"), at("other/b.ts"), at("apple")];
    assert.deepEqual(await pathsFor(...paths), paths);
    const text: Attachment = { id: "1", kind: "selection", label: "a", source: { type: "text", text: "hello" } };
    assert.deepEqual(await attachmentsIn(at("tree"), at("app"), [text]), [text]);
  });

  it("never lead out of the worktree by a link", async () => {
    await writeFile(at("app/link.ts"), "");
    await symlink(at("other/b.ts"), at("tree/link.ts"));
    assert.deepEqual(await pathsFor(at("app/link.ts")), [at("app/link.ts")]);
  });
});
