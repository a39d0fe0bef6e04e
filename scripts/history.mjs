#!/usr/bin/env node
// Records what happens to files in the tests of the review, and replaces the recordings in test/history:
//   npm run history                      all recordings that are kept
//   npm run history -- --grep="words"    those of tests whose titles match
//   npm run history -- --add="words"     also those of tests whose titles have these words
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { inProject, main, option, Problem, say } from "./tools/project.mjs";

await main(() => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "parley-history-"));
  try {
    const passed = record(folder);
    keep(folder);
    if (!passed) throw new Problem("A test failed, so its recording is the earlier one.");
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});

/**
 * Runs the host tests. Tests that fail are not recorded.
 * @param {string} folder
 * @returns {boolean} whether all passed
 */
function record(folder) {
  const grep = option("grep");
  const args = [inProject("scripts", "test.mjs"), "host", ...(grep === undefined ? [] : [`--grep=${grep}`])];
  const env = { ...process.env, PARLEY_HISTORY_RECORDINGS: folder };
  const { status } = spawnSync(process.execPath, args, { env, stdio: "inherit" });
  return status === 0;
}

/**
 * Copies the recordings that the project keeps.
 * @param {string} folder
 */
function keep(folder) {
  const kept = inProject("test", "history");
  const words = option("add")?.replaceAll(/[^\w]+/g, "-");
  const isKept = (/** @type {string} */ name) =>
    fs.existsSync(path.join(kept, name)) || (words !== undefined && name.includes(words));
  const names = fs.readdirSync(folder).filter(isKept);
  for (const name of names) fs.copyFileSync(path.join(folder, name), path.join(kept, name));
  say(`${names.length} recordings in test/history are new.`);
}
