// The reducer of records against the classes that attribute changes today, on every recording of a host test. Each
// difference is in differences.json with its reason. UPDATE=1 rewrites that file; new differences need a reason then.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compareRecording, type ComparedRecording } from "../support/fakes/comparedHistory.ts";
import { readRecording } from "../support/fakes/recordedFacts.ts";

/** Why the reducer answers otherwise. All but `better` are facts that recordings lack. */
const reasons = {
  noTextBefore:
    "No sensor noted the text before (textSeen), so the first read looks like a change in the running call.",
  noTime: "No sensor noted when the file was changed (changedAt), so that the change can be of the turn.",
  notRead: "Parley read the text without noting it: the call named the file, the editor opened it, or a write ended.",
  noDecision: "No sensor noted the text that a decision gives (decisionBegan), so that it looks like a change.",
  noKind: "The recording does not show whether a folder or a binary file was read.",
  notFollowed: "The file or folder is not followed: its path leads elsewhere. The reducer gets no facts of such files.",
  otherWindow: "Another window begins in the recording, and nothing shows that its records are new.",
  noReport: "The recording has the names of calls, but not the edits that they report.",
  better: "The reducer answers better: the user's own move or deletion in the editor is no change by others, too.",
  merged: "The reducer answers better: changes before the first text is read are one change from that text.",
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
          const { reason = "?" } = known.find(one => one.recording === recording && one.path === path) ?? {};
          return { recording, path, missing, extra, reason };
        }),
    );
    if (update) writeFileSync(file, `${JSON.stringify(found, null, 2)}\n`);
    assert.deepEqual(found, known);
    for (const { recording, path, reason } of known)
      assert.ok(reason in reasons, `${recording}: the difference in ${path} has no reason`);
  });

  it("agrees in at least 88 of 100 changes that a recording can judge", () => {
    const files = [...compared.values()].flatMap(one => one.files);
    const count = (of: (file: (typeof files)[number]) => number): number =>
      files.reduce((sum, one) => sum + of(one), 0);
    const [agreed, missing] = [count(one => one.agreed), count(one => one.missing.length)];
    assert.ok(agreed / (agreed + missing) > 0.88, `${agreed} of ${agreed + missing}`);
  });

  it("shows the same hunks wherever the text before a change is recorded", () => {
    const all = [...compared.values()];
    assert.ok(all.reduce((sum, one) => sum + one.sameHunks, 0) >= 30);
    const other = [...compared].flatMap(([recording, one]) =>
      one.otherHunks.map(hunks => `${recording}: ${hunks}`).filter(hunks => !hunks.endsWith("not unknown")),
    );
    // One has no time of the change, two are found by unnoted reads, and the text before the last one is not recorded.
    assert.ok(other.length <= 6, other.join("\n"));
  });
});
