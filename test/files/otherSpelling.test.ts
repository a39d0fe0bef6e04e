// Other spellings of a name, on the disk of this machine and on one that ignores case.
import assert from "node:assert/strict";
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { isOtherSpelling, type SpellingDisk } from "../../src/files/otherSpelling.ts";

/** A disk that ignores case and has these files, each with the number that identifies it. */
const disk = (files: Readonly<Record<string, number>>): SpellingDisk => ({
  identityOf: async path => {
    const found = Object.entries(files).find(([name]) => name.toLowerCase() === path.toLowerCase());
    return found && { dev: 1n, ino: BigInt(found[1]) };
  },
  namesIn: async folder =>
    Object.keys(files)
      .filter(path => path.startsWith(`${folder}/`))
      .map(path => basename(path)),
});

describe("other spellings of a file's name", () => {
  it("are those that lead to it on a disk that ignores case", async () => {
    const files = disk({ "/ws/Sum.ts": 1, "/ws/other.ts": 2, "/ws/twin.ts": 1 });
    const is = (to: string): Promise<boolean> => isOtherSpelling("/ws/Sum.ts", to, files);
    assert.equal(await is("/ws/sum.ts"), true);
    assert.equal(await is("/ws/SUM.ts"), true);
    assert.equal(await is("/ws/Sum.ts"), false, "the same spelling");
    assert.equal(await is("/ws/other.ts"), false, "another file");
    assert.equal(await is("/ws/none.ts"), false, "no file");
    assert.equal(await is("/ws/twin.ts"), false, "a second link to the file, with a name of its own");
    assert.equal(await is("/ws/TWIN.ts"), false, "another spelling of a second link");
    assert.equal(await is("/WS/sum.ts"), false, "a folder, which a rename of the file cannot spell differently");
  });

  it("are never another file on a drive without file numbers", async () => {
    const files = disk({ "/ws/a.ts": 0, "/ws/b.ts": 0 });
    assert.equal(await isOtherSpelling("/ws/a.ts", "/ws/B.ts", files), false);
    assert.equal(await isOtherSpelling("/ws/a.ts", "/ws/A.ts", files), true);
  });

  it("are never another file, another link to the file, or nothing, on the disk of this machine", async () => {
    const folder = mkdtempSync(join(tmpdir(), "parley-spelling-"));
    try {
      const path = (name: string): string => join(folder, name);
      mkdirSync(path("lib"));
      writeFileSync(path("sum.ts"), "");
      writeFileSync(path("other.ts"), "");
      linkSync(path("sum.ts"), path("hard.ts"));
      symlinkSync("sum.ts", path("soft.ts"));
      linkSync(path("sum.ts"), path(join("lib", "sum.ts")));
      for (const name of ["sum.ts", "other.ts", "hard.ts", "soft.ts", "none.ts", join("lib", "sum.ts")])
        assert.equal(await isOtherSpelling(path("sum.ts"), path(name)), false, name);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
