// The reducer of records against the classes that attribute changes today, on every recording of a host test. Each
// difference is in differences.json with its reason. UPDATE=1 rewrites that file; new differences need a reason then.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { compareRecording, type ComparedRecording } from "../support/fakes/comparedHistory.ts";
import { readRecording } from "../support/fakes/recordedFacts.ts";

/** Why the reducer's answer is another one, and a better one. */
const reasons = {
  readTwice:
    "Better: the classes of today dropped the first text, because the file had changed again when they had read it. " +
    "The reducer takes in both, in their order.",
  usersOwn: "Better: the user's own move or deletion in the editor is the user's, and no change by others, too.",
  knownBefore: "Better: the text was read before, so the change between is noticed, and the same text is no change.",
  putThere: "Better: the agent had put the text there before it wrote the file, which is a change of its own.",
} as const;

interface Difference {
  readonly recording: string;
  readonly path: string;
  readonly missing: readonly string[];
  readonly extra: readonly string[];
  readonly reason: string;
}

const folder = join("test", "history");
const file = join(folder, "differences.json");
const update = process.env["UPDATE"] === "1";

describe("the reducer of records", () => {
  const compared = new Map<string, ComparedRecording>();
  before(async () => {
    for (const name of readdirSync(folder).filter(one => one.endsWith(".ndjson")))
      compared.set(name, await compareRecording(readRecording(readFileSync(join(folder, name), "utf8"))));
  });

  it("answers as the classes of today on every recording, but for the listed differences", () => {
    const known = JSON.parse(readFileSync(file, "utf8")) as readonly Difference[];
    const found = [...compared].flatMap(([recording, { files }]) =>
      files
        .filter(({ missing, extra }) => missing.length + extra.length > 0)
        .map(({ path, missing, extra }): Difference => {
          const same = known.find(one => one.recording === recording && one.path === path);
          // Another difference needs another reason.
          const isSame = isDeepStrictEqual([same?.missing, same?.extra], [missing, extra]);
          const reason = isSame ? (same?.reason ?? "?") : "?";
          return { recording, path, missing, extra, reason };
        }),
    );
    if (update) writeFileSync(file, `${JSON.stringify(found, null, 2)}\n`);
    assert.deepEqual(found, known);
    for (const { recording, path, reason } of known)
      assert.ok(reason in reasons, `${recording}: the difference in ${path} has no reason`);
  });

  it("agrees in more than 93 % of all changes that it or the classes of today report", () => {
    const files = [...compared.values()].flatMap(one => one.files);
    const count = (of: (file: (typeof files)[number]) => number): number =>
      files.reduce((sum, one) => sum + of(one), 0);
    const agreed = count(one => one.agreed);
    const all = agreed + count(one => one.missing.length + one.extra.length);
    assert.ok(agreed / all > 0.93, `${agreed} of ${all}`);
  });

  it("shows the same hunks where the text before a change is recorded", () => {
    const all = [...compared.values()];
    const same = all.reduce((sum, one) => sum + one.sameHunks, 0);
    assert.ok(same >= 50, String(same));
    const other = [...compared].flatMap(([recording, one]) =>
      one.otherHunks.map(hunks => `${recording}: ${hunks}`).filter(hunks => !hunks.endsWith("not unknown")),
    );
    assert.deepEqual(other, []);
  });
});
