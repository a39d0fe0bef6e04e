// Replays the facts that the host tests recorded (`npm run history`), and explains each file in words. UPDATE=1 rewrites
// the goldens; a missing golden fails.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { explainFile } from "../../src/history/explainFile.ts";
import { FactLog } from "../../src/history/factLog.ts";
import { readRecording, type RecordedLine } from "../support/fakes/recordedFacts.ts";

const folder = join("test", "history");
const update = process.env["UPDATE"] === "1";
const recordings = readdirSync(folder).filter(name => name.endsWith(".ndjson"));

/** The log after all facts of a recording. A step is one millisecond. */
function replayed(lines: readonly RecordedLine[]): FactLog {
  let now = 0;
  const log = new FactLog(() => now);
  for (const line of lines) {
    if (line.type === "review") continue;
    now = line.at;
    log.note(line);
  }
  return log;
}

const explained = (log: FactLog): string =>
  log.paths
    .toSorted()
    .flatMap(path => [path, ...explainFile(log, path, () => true).map(({ sentence }) => `  ${sentence}`)])
    .join("\n");

describe("recorded facts", () => {
  it("are those of more than twenty tests", () => assert.ok(recordings.length > 20));

  for (const name of recordings)
    it(`explain ${name.slice(0, -".ndjson".length).replaceAll("-", " ")}`, () => {
      const lines = readRecording(readFileSync(join(folder, name), "utf8"));
      const log = replayed(lines);
      const text = `${explained(log)}\n`;
      const file = join(folder, name.replace(".ndjson", ".txt"));
      if (update) writeFileSync(file, text);
      assert.ok(existsSync(file), `${file} is missing. UPDATE=1 writes it; read it before you keep it.`);
      assert.equal(text, readFileSync(file, "utf8"));
    });

  it("name an agent for each file whose changes by an agent wait for review", () => {
    for (const name of recordings) {
      const lines = readRecording(readFileSync(join(folder, name), "utf8"));
      const last = lines.findLast(line => line.type === "review");
      const log = replayed(lines);
      for (const { path } of last?.type === "review" ? last.files : []) {
        const facts = log.factsOf(path);
        const isExplained = facts.some(one => one.type === "attributed" && one.author.kind === "agent");
        assert.ok(isExplained, `${name}: nothing explains ${path}`);
      }
    }
  });
});
