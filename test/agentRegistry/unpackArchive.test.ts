// Unpacking the archives of agents: every kind, and archives that are made to do harm.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import {
  archiveLimits,
  type ArchiveFault,
  type ArchiveKind,
  type ArchiveLimits,
} from "../../src/agentRegistry/archiveEntry.ts";
import { unpackArchive } from "../../src/agentRegistry/unpack/unpackArchive.ts";
import { bzippedAgent, bzippedBomb, tarGzOf, tarOf, zipOf } from "../support/fakes/archives.ts";

describe("unpacking the archive of an agent", () => {
  let place: string;
  let folder: string;
  beforeEach(() => {
    place = mkdtempSync(join(tmpdir(), "parley-unpack-"));
    folder = join(place, "new");
  });
  afterEach(() => rmSync(place, { recursive: true, force: true }));

  async function unpack(
    content: Buffer,
    kind: ArchiveKind,
    limits: Partial<ArchiveLimits> = {},
    program = "agent/run",
  ): Promise<ArchiveFault | undefined> {
    const archive = join(place, "archive");
    writeFileSync(archive, content);
    const task = { archive, kind, folder, program, limits: { ...archiveLimits, ignoreCase: false, ...limits } };
    return (await unpackArchive(task)).fault;
  }

  /** The paths of the files, with their permissions. */
  const written = (): readonly string[] =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter(name => statSync(join(folder, name)).isFile())
      .map(name => `${name} ${(statSync(join(folder, name)).mode & 0o777).toString(8)}`)
      .sort();

  const good = [
    { name: "agent/run", content: "#!/bin/sh\n" },
    { name: "agent/tool", content: "x", mode: 0o104755 },
    { name: "agent/empty", content: "" },
    { name: "agent/data.txt", content: "data" },
  ];
  const expected = ["agent/data.txt 644", "agent/empty 644", "agent/run 755", "agent/tool 755"];

  it("writes the files of a zip, and makes the program and executable files executable", async () => {
    const entries = good.map(entry => ({ ...entry, mode: entry.mode === undefined ? 0o100644 : 0o100755 }));
    assert.equal(await unpack(zipOf([{ name: "agent/", mode: 0o040755 }, ...entries]), "zip"), undefined);
    assert.deepEqual(written(), expected);
    assert.equal(readFileSync(join(folder, "agent/data.txt"), "utf8"), "data");
  });

  it("writes the files of a tar.gz without the bits that give rights", async () => {
    const folders = [
      { name: "./", type: "directory" as const },
      { name: "./agent/", type: "directory" as const },
    ];
    assert.equal(await unpack(await tarGzOf([...folders, ...good]), "tar.gz"), undefined);
    assert.deepEqual(written(), expected);
    assert.equal(statSync(join(folder, "agent/tool")).mode & 0o7000, 0);
  });

  it("writes the files of a tar.bz2", async () => {
    assert.equal(await unpack(bzippedAgent, "tar.bz2"), undefined);
    assert.deepEqual(written(), ["agent/data.txt 644", "agent/run 755"]);
    assert.equal(readFileSync(join(folder, "agent/data.txt"), "utf8"), "data\n".repeat(20));
  });

  it("copies a program that is not in an archive, and makes it executable", async () => {
    assert.equal(await unpack(Buffer.from("program"), "raw", {}, "agent"), undefined);
    assert.deepEqual(written(), ["agent 755"]);
  });

  const run = { name: "agent/run", content: "x" };
  const zero = Buffer.alloc(3_000_000);
  const noise = randomBytes(2_000_000);
  const small = { ratioFrom: 1_000_000, maxRatio: 100 };
  const link = (type: "symlink" | "link", name = "agent/link") => ({ name, type, linkname: "/etc/passwd" });
  const hostile: Readonly<
    Record<
      string,
      readonly [ArchiveFault["fault"], () => Promise<Buffer> | Buffer, ArchiveKind, Partial<ArchiveLimits>?]
    >
  > = {
    "a name with ..": ["name", () => tarGzOf([run, { name: "agent/../../evil", content: "x" }]), "tar.gz"],
    "an absolute name": ["name", () => tarGzOf([run, { name: "/tmp/evil", content: "x" }]), "tar.gz"],
    "a name with ..\\": ["name", () => tarGzOf([run, { name: "agent\\..\\..\\evil", content: "x" }]), "tar.gz"],
    "a drive": ["name", () => tarGzOf([run, { name: "c:evil", content: "x" }]), "tar.gz"],
    "a stream of a file": ["name", () => zipOf([run, { name: "agent/run:evil", content: "x" }]), "zip"],
    "a device of Windows": ["name", () => zipOf([run, { name: "agent/nul.txt", content: "x" }]), "zip"],
    "a name with .. in a zip": ["name", () => zipOf([run, { name: "../evil", content: "x" }]), "zip"],
    "an absolute name in a zip": ["name", () => zipOf([run, { name: "/evil", content: "x" }]), "zip"],
    "a backslash in a zip": ["name", () => zipOf([run, { name: "..\\evil", content: "x" }]), "zip"],
    "a folder with ..": ["name", () => zipOf([run, { name: "../evil/", mode: 0o040755 }]), "zip"],
    "a symbolic link": ["link", () => tarGzOf([run, link("symlink")]), "tar.gz"],
    "a hard link": ["link", () => tarGzOf([run, link("link")]), "tar.gz"],
    "a link that a file goes through": [
      "link",
      () => tarGzOf([run, link("symlink", "agent/out"), { name: "agent/out/evil", content: "x" }]),
      "tar.gz",
    ],
    "a symbolic link in a zip": [
      "link",
      () => zipOf([run, { name: "l", content: "/etc/passwd", mode: 0o120777 }]),
      "zip",
    ],
    "a link that is read before the rest arrives": [
      "link",
      async () => {
        const whole = await tarOf([link("symlink"), { ...run, content: noise }]);
        const rest = gzipSync(whole.subarray(512));
        // A header of 64 kB (RFC 1952, FEXTRA), so nothing is unpacked from the next part of the file that is read.
        const header = Buffer.concat([rest.subarray(0, 10), Buffer.from([0xff, 0xff]), Buffer.alloc(0xffff)]);
        header[3] = 4;
        return Buffer.concat([gzipSync(whole.subarray(0, 512)), header, rest.subarray(10)]);
      },
      "tar.gz",
    ],
    "a pipe": ["special", () => tarGzOf([run, { name: "agent/pipe", type: "fifo" }]), "tar.gz"],
    "a device": ["special", () => tarGzOf([run, { name: "agent/null", type: "character-device" }]), "tar.gz"],
    "a device in a zip": ["special", () => zipOf([run, { name: "agent/null", mode: 0o020666 }]), "zip"],
    "a file twice": ["twice", () => tarGzOf([run, run]), "tar.gz"],
    "a file below a file": ["twice", () => tarGzOf([run, { name: "agent/run/evil", content: "x" }]), "tar.gz"],
    "a file in place of a folder": ["twice", () => zipOf([run, { name: "agent", content: "x" }]), "zip"],
    "names that differ in case": [
      "twice",
      () => zipOf([run, { name: "Agent/RUN", content: "x" }]),
      "zip",
      { ignoreCase: true },
    ],
    "an encrypted file": ["encrypted", () => zipOf([run, { name: "agent/key", isEncrypted: true }]), "zip"],
    "too many entries": [
      "tooMany",
      () => zipOf([run, ...Array.from({ length: 50 }, (_, at) => ({ name: `f${at}/`, mode: 0o040755 }))]),
      "zip",
      { maxEntries: 50 },
    ],
    "too many bytes": ["tooLarge", () => tarGzOf([{ ...run, content: zero }]), "tar.gz", { maxBytes: 2_000_000 }],
    "a bomb as zip": ["ratio", () => zipOf([run, { name: "bomb", content: zero }]), "zip", small],
    "a bomb as tar.gz": ["ratio", () => tarGzOf([run, { name: "bomb", content: zero }]), "tar.gz", small],
    "a bomb as tar.bz2": ["ratio", () => bzippedBomb, "tar.bz2", small],
    "blocks of bzip2 that wait with megabytes": [
      "ratio",
      () => bzippedBomb,
      "tar.bz2",
      { maxRatio: 1e9, maxPendingBytes: 8_000_000 },
    ],
    "zeros without an end": ["ratio", async () => gzipSync(Buffer.concat([await tarOf([run]), zero])), "tar.gz", small],
    "a size that is too small": [
      "damaged",
      () => zipOf([run, { name: "bomb", content: zero, size: 10 }]),
      "zip",
      small,
    ],
    "a size that is too large": ["damaged", () => zipOf([run, { name: "f", content: "x", size: 10 }]), "zip"],
    "no program": ["noProgram", () => tarGzOf([{ name: "agent/other", content: "x" }]), "tar.gz"],
    "no files": ["empty", () => tarGzOf([{ name: "agent/", type: "directory" }]), "tar.gz"],
    "nothing at all": ["empty", () => Buffer.alloc(0), "raw"],
    "text in place of a zip": ["damaged", () => Buffer.from("<html>Not found</html>"), "zip"],
    "text in place of a tar.gz": ["damaged", () => Buffer.from("<html>Not found</html>"), "tar.gz"],
    "text in place of a tar.bz2": ["damaged", () => Buffer.from("<html>Not found</html>"), "tar.bz2"],
    "noise in a tar.gz": ["damaged", () => gzipSync(Buffer.alloc(2000, "noise")), "tar.gz"],
    "a tar.gz that is cut": ["damaged", async () => (await tarGzOf(good)).subarray(0, -20), "tar.gz"],
    "a tar that is cut": ["damaged", async () => gzipSync((await tarOf(good)).subarray(0, 600)), "tar.gz"],
    "a tar.bz2 that is cut": ["damaged", () => bzippedAgent.subarray(0, -20), "tar.bz2"],
    "a zip that is cut": [
      "damaged",
      () => zipOf(good.map(({ name, content }) => ({ name, content }))).subarray(30),
      "zip",
    ],
  };

  for (const [what, [fault, archive, kind, limits]] of Object.entries(hostile)) {
    it(`writes nothing of an archive with ${what}`, async () => {
      const found = await unpack(await archive(), kind, limits);
      assert.equal(found?.fault, fault, JSON.stringify(found));
      assert.doesNotMatch(JSON.stringify(found), /undefined|Cannot read|not a function/, "The reason is for users.");
      assert.ok(!existsSync(folder), "No folder was made.");
      assert.deepEqual(readdirSync(place), ["archive"]);
    });
  }

  it("rejects without a change if the folder exists", async () => {
    assert.equal(await unpack(Buffer.from("one"), "raw", {}, "agent"), undefined);
    await assert.rejects(unpack(await tarGzOf(good), "tar.gz"), /EEXIST/);
    assert.deepEqual(written(), ["agent 755"]);
  });
});
