// A folder of the cache that is built once: in a folder beside it, renamed when whole, with a stamp that says what it
// was built from. An interrupted build leaves nothing that could be mistaken for a finished one.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { say, waitFor } from "../tools/project.mjs";

/** The cache lies outside the project, so that every clone shares it. PARLEY_CACHE moves it. */
export function cacheRoot() {
  return path.resolve(process.env["PARLEY_CACHE"] || path.join(os.homedir(), ".cache", "parley-vscode"));
}

/**
 * The folder `name` of the cache, built by `build` unless it is there already and was built from the same `recipe`.
 * @param {string} name
 * @param {unknown} recipe anything that JSON can hold; a different one means building anew
 * @param {(folder: string) => Promise<void>} build fills the empty folder it is given
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
 * What builds left that were killed.
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
 * Takes the lock, waiting for a live holder. The holder's process id is in the file, so that the lock of a process
 * that was killed does not stand for ever.
 * @param {string} file
 */
async function lock(file) {
  let told = false;
  const tookIt = () => {
    if (take(file) || (forsaken(file) && take(file))) return true;
    if (!told) say(`Another run is preparing ${path.basename(file, ".lock")}: waiting for it.`);
    told = true;
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
 * Removes the lock of a process that is no more. Two that do so at once at worst build the same folder twice.
 * @param {string} file
 */
function forsaken(file) {
  const holder = readIfThere(file);
  // Empty between being made and being written, a moment later.
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
