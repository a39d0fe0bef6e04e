// Installs the project's packages when they are not what the lock file says. Node built-ins only.
import fs from "node:fs";
import { inProject, npm, Problem, say, secondsSince } from "./project.mjs";

/** Runs `npm ci` if need be. It also ends, with a sentence, on a Node.js that is too old. */
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
  throw new Problem(`Parley's tools need Node.js 20.19 or newer, and this is ${process.versions.node}.`);
}

/**
 * Compares what npm has noted in node_modules with the lock file. Times would not do: they change with every checkout,
 * and npm itself writes the two files in either order.
 */
function isInstalled() {
  const noted = inProject("node_modules", ".package-lock.json");
  if (!fs.existsSync(noted)) return false;
  const have = packages(noted);
  return Object.entries(packages(inProject("package-lock.json"))).every(([folder, wanted]) => {
    if (folder === "") return true;
    const found = have[folder];
    // Optional packages are for other machines, unless they are there.
    return found ? found.version === wanted.version : wanted.optional === true;
  });
}

/** @param {string} file @returns {Record<string, { version?: string, optional?: boolean }>} */
function packages(file) {
  return JSON.parse(fs.readFileSync(file, "utf8")).packages ?? {};
}
