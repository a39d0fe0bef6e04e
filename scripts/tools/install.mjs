// Installs the packages of the project if they differ from the lock file. Uses only Node built-ins.
import fs from "node:fs";
import { inProject, npm, Problem, say, secondsSince } from "./project.mjs";

/** Runs `npm ci` if necessary. Throws a Problem if Node.js is too old. */
export function ensureInstalled() {
  checkNode();
  if (isInstalled()) return;
  say("Installing the packages of package-lock.json (npm ci).");
  const started = performance.now();
  npm(["ci", "--no-audit", "--no-fund"], { loud: true });
  say(`Installed (${secondsSince(started)}).`);
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new Problem(`Parley's tools need Node.js 20.19 or later. This is ${process.versions.node}.`);
}

/**
 * Compares npm's own lock file in node_modules with the lock file of the project. File times are not reliable: they
 * change with every checkout, and npm writes the two files in either order.
 */
function isInstalled() {
  const noted = inProject("node_modules", ".package-lock.json");
  if (!fs.existsSync(noted)) return false;
  const have = packages(noted);
  return Object.entries(packages(inProject("package-lock.json"))).every(([folder, wanted]) => {
    if (folder === "") return true;
    const found = have[folder];
    // An optional package that is not installed is for another platform.
    return found ? found.version === wanted.version : wanted.optional === true;
  });
}

/** @param {string} file @returns {Record<string, { version?: string, optional?: boolean }>} */
function packages(file) {
  return JSON.parse(fs.readFileSync(file, "utf8")).packages ?? {};
}
