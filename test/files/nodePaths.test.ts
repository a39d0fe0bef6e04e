// Confinement on a real file system: links, dangling links, and paths that do not exist yet.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodePaths } from "../../src/files/nodePaths.ts";
import { Confinement } from "../../src/files/paths.ts";
import { rejectsWithRefusal } from "../support/contracts/documents.ts";
import { locateInRoots } from "../support/fakes/fakePorts.ts";

describe("nodePaths", () => {
  let base: string;
  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), "parley-paths-")));
    await mkdir(join(base, "ws", "src"), { recursive: true });
    await mkdir(join(base, "out"));
    await writeFile(join(base, "ws", "src", "a.txt"), "a");
  });
  afterEach(() => rm(base, { recursive: true, force: true }));

  const real = (...names: string[]): Promise<string> => nodePaths().real(join(base, ...names));

  it("appends segments that do not exist yet", async () => {
    assert.equal(await real("ws", "new", "deep", "file.txt"), join(base, "ws/new/deep/file.txt"));
  });

  it("treats paths below a file as missing", async () => {
    assert.equal(await real("ws", "src", "a.txt", "b"), join(base, "ws/src/a.txt/b"));
  });

  it("follows links to folders and files", async () => {
    await symlink(join(base, "out"), join(base, "ws", "link"));
    assert.equal(await real("ws", "link", "new.txt"), join(base, "out/new.txt"));
  });

  it("follows a dangling link, because a write would create its target", async () => {
    await symlink(join(base, "out", "new.txt"), join(base, "ws", "link"));
    assert.equal(await real("ws", "link"), join(base, "out/new.txt"));
    await symlink("../out/other/new.txt", join(base, "ws", "relative"));
    assert.equal(await real("ws", "relative"), join(base, "out/other/new.txt"));
    await symlink("relative", join(base, "ws", "twice"));
    assert.equal(await real("ws", "twice"), join(base, "out/other/new.txt"));
  });

  it("resolves “..” in a link's target against the folder that the link leads to, not against the link", async () => {
    await mkdir(join(base, "out", "deep"));
    await symlink(join(base, "out", "deep"), join(base, "ws", "d"));
    await symlink("d/../new.txt", join(base, "ws", "tricky"));
    assert.equal(await real("ws", "tricky"), join(base, "out/new.txt"));
  });

  it("reports circular links", async () => {
    await symlink(join(base, "ws", "y"), join(base, "ws", "x"));
    await symlink(join(base, "ws", "x"), join(base, "ws", "y"));
    const fence = new Confinement(nodePaths(), [join(base, "ws")]);
    await rejectsWithRefusal("invalid", /leads back to itself/, locateInRoots(fence, join(base, "ws", "x")));
  });

  it("reports names that are too long", async () => {
    const fence = new Confinement(nodePaths(), [join(base, "ws")]);
    await rejectsWithRefusal("invalid", /too long/, locateInRoots(fence, join(base, "ws", "n".repeat(300))));
  });

  it("keeps a session inside its folder", async () => {
    await symlink(join(base, "out"), join(base, "ws", "link"));
    await symlink(join(base, "out", "none"), join(base, "ws", "dangling"));
    await symlink(join(base, "ws"), join(base, "also"));
    const fence = new Confinement(nodePaths(), [join(base, "also")]);
    assert.equal((await locateInRoots(fence, join(base, "ws", "src", "a.txt"))).path, join(base, "also/src/a.txt"));
    for (const name of ["link", "link/x", "dangling", "dangling/x", "../out", "src/../../out"]) {
      await rejectsWithRefusal("invalid", /outside/, locateInRoots(fence, `${join(base, "ws")}/${name}`));
    }
  });
});
