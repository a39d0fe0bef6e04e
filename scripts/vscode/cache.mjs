// Builds a folder of the cache once. The build runs in a temporary folder, which is renamed when it is complete, with a
// stamp that contains its recipe. So an interrupted build can't be mistaken for a finished one.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { say, waitFor } from "../tools/project.mjs";

/** The cache is outside of the project, so that all clones share it. PARLEY_CACHE sets its location. */
export function cacheRoot() {
  return path.resolve(process.env["PARLEY_CACHE"] || path.join(os.homedir(), ".cache", "parley-vscode"));
}

/**
 * The folder `name` of the cache. `build` builds it unless it exists and was built from the same `recipe`.
 * @param {string} name
 * @param {unknown} recipe any JSON value; a different value causes a new build
 * @param {(folder: string) => Promise<void>} build fills the given empty folder
 * @returns {Promise<string>}
 */
export async function cached(name, recipe, build) {
  const folder = path.join(cacheRoot(), name);
  const stamp = JSON.stringify(recipe);
  if (isBuilt(folder, stamp)) return folder;
  fs.mkdirSync(cacheRoot(), { recursive: true });
  const unlock = await lock(`${folder}.lock`);
  try {
    if (!isBuilt(folder, stamp)) await buildBeside(folder, stamp, build);
    return folder;
  } finally {
    unlock();
  }
}

/** @param {string} folder @param {string} stamp */
function isBuilt(folder, stamp) {
  return readIfThere(path.join(folder, "stamp.json")) === stamp;
}

/** @param {string} folder @param {string} stamp @param {(folder: string) => Promise<void>} build */
async function buildBeside(folder, stamp, build) {
  removeLeftovers(folder);
  const building = `${folder}.building-${process.pid}`;
  fs.mkdirSync(building);
  const abandon = () => fs.rmSync(building, { recursive: true, force: true });
  process.once("exit", abandon);
  try {
    await build(building);
    fs.writeFileSync(path.join(building, "stamp.json"), stamp);
    fs.rmSync(folder, { recursive: true, force: true });
    fs.renameSync(building, folder);
  } finally {
    process.removeListener("exit", abandon);
    abandon();
  }
}

/**
 * Removes the temporary folders of builds that were killed.
 * @param {string} folder
 */
function removeLeftovers(folder) {
  const prefix = `${path.basename(folder)}.building-`;
  for (const entry of fs.readdirSync(path.dirname(folder))) {
    if (!entry.startsWith(prefix) || isAlive(Number(entry.slice(prefix.length)))) continue;
    fs.rmSync(path.join(path.dirname(folder), entry), { recursive: true, force: true });
  }
}

/**
 * Takes the lock, and waits while a live process holds it. The file contains the process ID of the holder, so that the
 * lock of a killed process doesn't stay forever.
 * @param {string} file
 */
async function lock(file) {
  let isReported = false;
  const tookIt = () => {
    if (take(file) || (forsaken(file) && take(file))) return true;
    if (!isReported) say(`Another run is preparing ${path.basename(file, ".lock")}. Waiting for it.`);
    isReported = true;
    return false;
  };
  if (!(await waitFor(tookIt, 15 * 60_000, 250))) throw new Error(`Still locked after 15 minutes: ${file}`);
  const unlock = () => fs.rmSync(file, { force: true });
  process.once("exit", unlock);
  return () => {
    process.removeListener("exit", unlock);
    unlock();
  };
}

/** @param {string} file */
function take(file) {
  try {
    fs.writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EEXIST") throw error;
    return false;
  }
}

/**
 * Removes the lock of a process that has ended. If two processes do so at the same time, both build the folder at
 * worst.
 * @param {string} file
 */
function forsaken(file) {
  const holder = readIfThere(file);
  // The file is empty for a moment between its creation and the write.
  if (holder === "" || isAlive(Number(holder))) return false;
  fs.rmSync(file, { force: true });
  return true;
}

/** @param {number} pid */
function isAlive(pid) {
  if (!pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}

/** @param {string} file */
function readIfThere(file) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "ENOENT") return undefined;
    throw error;
  }
}
