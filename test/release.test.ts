// A release: what it checks, and how the answers of its owner get into the package.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import { pack } from "../scripts/tools/pack.mjs";
import { checkChangelog, ownerOf } from "../scripts/tools/release.mjs";

describe("the changelog of a release", () => {
  const changelog = (...sections: string[]): string => `# Changelog\n\n${sections.join("\n\n")}\n`;

  it("has a newest section with the version, a date and changes", () => {
    checkChangelog(
      changelog("## Unreleased", "## 0.2.0 - 2026-12-01\n\n- A change.", "## 0.1.0 - 2026-01-01"),
      "0.2.0",
    );
    checkChangelog(changelog("## [0.2.0] - 2026-12-01\n\n### Added\n\n- A change."), "0.2.0");
  });

  const faults: Readonly<Record<string, readonly [string, RegExp]>> = {
    "lists changes as unreleased": [
      changelog("## Unreleased\n\n- One.\n- Two.", "## 0.2.0 - 2026-12-01\n\n- A change."),
      /lists 2 changes as unreleased/,
    ],
    "begins with another version": [changelog("## 0.1.9 - 2026-12-01\n\n- A change."), /must be "## 0\.2\.0 - /],
    "has no date": [changelog("## 0.2.0\n\n- A change."), /must be "## 0\.2\.0 - /],
    "has no section": [changelog(), /must be "## 0\.2\.0 - /],
    "lists no change": [changelog("## 0.2.0 - 2026-12-01", "## 0.1.0 - 2026-01-01\n\n- Old."), /no change in 0\.2\.0/],
  };
  for (const [fault, [text, reason]] of Object.entries(faults)) {
    it(`stops the release if it ${fault}`, () => assert.throws(() => checkChangelog(text, "0.2.0"), reason));
  }
});

describe("the owner of a release", () => {
  it("has the addresses of the files at the tag", () => {
    const github = ownerOf({ publisher: "someone", repository: "https://github.com/someone/parley.git" }, "0.2.0");
    assert.deepEqual(github, {
      publisher: "someone",
      repository: "https://github.com/someone/parley",
      contentUrl: "https://github.com/someone/parley/blob/v0.2.0",
      imagesUrl: "https://github.com/someone/parley/raw/v0.2.0",
    });
    const gitlab = ownerOf({ publisher: "someone", repository: "https://gitlab.com/a/b/" }, "0.2.0");
    assert.equal(gitlab.imagesUrl, "https://gitlab.com/a/b/-/raw/v0.2.0");
    const imagesUrl = "https://git.example.org/a/b/raw/v0.2.0";
    const other = ownerOf({ publisher: "someone", repository: "https://git.example.org/a/b", imagesUrl }, "0.2.0");
    assert.equal(other.imagesUrl, imagesUrl);
  });

  for (const [publisher, repository, reason] of [
    ["", "https://github.com/a/b", /no ID of a publisher/],
    ["a b", "https://github.com/a/b", /no ID of a publisher/],
    ["a", "", /no https address/],
    ["a", "git@github.com:a/b.git", /no https address/],
    ["a", "http://github.com/a/b", /no https address/],
    ["a", "https://git.example.org/a/b", /--images=/],
  ] as const) {
    it(`is refused as "${publisher}" with "${repository}"`, () =>
      assert.throws(() => ownerOf({ publisher, repository }, "0.2.0"), reason));
  }
});

describe("the package of a release", () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-release-"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("has the owner's publisher and addresses, and the pictures of the README from the web only", () => {
    const file = join(folder, "parley.vsix");
    pack(file, ownerOf({ publisher: "someone", repository: "https://github.com/someone/parley" }, "0.2.0"));
    const entries = zipEntries(readFileSync(file));
    const entry = (name: string): string => entries.get(name)?.toString("utf8") ?? assert.fail(name);
    const manifest = JSON.parse(entry("extension/package.json")) as Readonly<Record<string, unknown>>;
    assert.equal(manifest["publisher"], "someone");
    assert.deepEqual(manifest["repository"], { type: "git", url: "https://github.com/someone/parley.git" });
    const readme = entry("extension/readme.md");
    assert.match(readme, /\(https:\/\/github\.com\/someone\/parley\/raw\/v0\.2\.0\/docs\/images\/panel\.png\)/);
    assert.doesNotMatch(readme, /\]\((?!https:|#)/);
    assert.deepEqual(
      [...entries.keys()].filter(name => /docs\/images|\.map$|\.test\./.test(name)),
      [],
    );
    assert.ok(entries.has("extension/dist/extension.js"));
    // The project itself stays without a publisher that exists.
    assert.equal((JSON.parse(readFileSync("package.json", "utf8")) as { publisher: string }).publisher, "parley");
  });
});

/** The files of an archive by their names, from its central directory. */
function zipEntries(archive: Buffer): ReadonlyMap<string, Buffer> {
  const end = archive.lastIndexOf("PK\u0005\u0006", undefined, "latin1");
  const files = new Map<string, Buffer>();
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map(field => archive.readUInt16LE(at + field));
    const name = archive.toString("utf8", at + 46, at + 46 + (nameLength ?? 0));
    const local = archive.readUInt32LE(at + 42);
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const bytes = archive.subarray(start, start + archive.readUInt32LE(at + 20));
    files.set(name, archive.readUInt16LE(at + 10) === 0 ? bytes : inflateRawSync(bytes));
    at += 46 + (nameLength ?? 0) + (extraLength ?? 0) + (commentLength ?? 0);
  }
  return files;
}
