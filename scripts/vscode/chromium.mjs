// Finds a Chromium for the tests, and installs one if there is none.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { findOnPath, inProject, Problem, say } from "../tools/project.mjs";

/** Debian's package with Chromium without a window, which draws a page with a quarter less processor time. */
const headlessPackage = "chromium-headless-shell";

/** Names to look up on the PATH. */
const names = [
  headlessPackage,
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
  "microsoft-edge",
  "msedge",
];

/** The path of a Chromium that starts, or undefined. CHROMIUM_PATH takes precedence. */
export function findChromium() {
  const chosen = process.env["CHROMIUM_PATH"];
  if (chosen) {
    if (runs(chosen)) return chosen;
    throw new Problem(
      `CHROMIUM_PATH is ${chosen}, which doesn't start. Correct it, or unset it to search for an installed Chromium.`,
    );
  }
  return [...names.flatMap(name => findOnPath(name) ?? []), ...inUsualPlaces(), ...fromPlaywright()].find(runs);
}

/**
 * The path of a Chromium, which is installed if necessary.
 * @returns {string}
 */
export function ensureChromium() {
  const found = findChromium() ?? install();
  if (found) return found;
  throw new Problem(
    "No Chromium was found, and it could not be installed. Install Chromium, Chrome or Edge, or set CHROMIUM_PATH.",
  );
}

function inUsualPlaces() {
  if (process.platform === "darwin") return inApplications();
  if (process.platform === "win32") return inProgramFiles();
  return ["/usr/bin/chromium", "/usr/lib/chromium/chromium", "/opt/google/chrome/chrome", "/snap/bin/chromium"];
}

function inApplications() {
  const apps = ["Google Chrome", "Chromium", "Microsoft Edge"];
  const folders = ["/Applications", path.join(os.homedir(), "Applications")];
  return apps.flatMap(app => folders.map(folder => path.join(folder, `${app}.app`, "Contents", "MacOS", app)));
}

function inProgramFiles() {
  const folders = ["PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"].flatMap(name => process.env[name] ?? []);
  const apps = ["Google\\Chrome\\Application\\chrome.exe", "Microsoft\\Edge\\Application\\msedge.exe"];
  return apps.flatMap(app => folders.map(folder => path.join(folder, app)));
}

/** The browsers that `playwright install` installed, newest first. */
function fromPlaywright() {
  const folder = process.env["PLAYWRIGHT_BROWSERS_PATH"] || path.join(userCache(), "ms-playwright");
  if (!fs.existsSync(folder)) return [];
  const inside = ["chrome-linux/chrome", "chrome-linux64/chrome", "chrome-win/chrome.exe", "chrome-win64/chrome.exe"];
  const app = "Contents/MacOS/Google Chrome for Testing";
  const apps = ["chrome-mac", "chrome-mac-arm64", "chrome-mac-x64"].flatMap(folder => [
    `${folder}/Google Chrome for Testing.app/${app}`,
    `${folder}/Chromium.app/Contents/MacOS/Chromium`,
  ]);
  const browsers = fs.readdirSync(folder).filter(entry => entry.startsWith("chromium-"));
  return browsers
    .sort()
    .reverse()
    .flatMap(browser => [...inside, ...apps].map(file => path.join(folder, browser, file)));
}

function userCache() {
  if (process.platform === "darwin") return path.join(os.homedir(), "Library", "Caches");
  if (process.platform === "win32") return process.env["LOCALAPPDATA"] ?? path.join(os.homedir(), "AppData", "Local");
  return process.env["XDG_CACHE_HOME"] || path.join(os.homedir(), ".cache");
}

/**
 * Whether that file is a browser that starts. Some systems have a stub that only explains how to install one.
 * @param {string} file
 */
function runs(file) {
  if (!fs.existsSync(file)) return false;
  // Chrome on Windows opens a window for --version instead of answering.
  if (process.platform === "win32") return true;
  const { status, stdout } = spawnSync(file, ["--version"], { encoding: "utf8", timeout: 20_000 });
  return status === 0 && /chrom|edge/i.test(stdout);
}

function install() {
  if (canInstallPackages()) {
    say("No Chromium was found. Installing system packages with apt-get (Chromium and a font).");
    runTool("apt-get", ["update"]);
    // Older systems have only the second package.
    for (const browser of [headlessPackage, "chromium"]) {
      runTool("apt-get", ["install", "-y", "--no-install-recommends", browser, "fonts-dejavu-core"]);
      const found = findChromium();
      if (found) return found;
    }
  }
  say("No Chromium was found. Playwright downloads one.");
  runTool(process.execPath, [inProject("node_modules", "playwright-core", "cli.js"), "install", "chromium"]);
  return findChromium();
}

/** Debian and its derivatives, as root. */
function canInstallPackages() {
  return process.getuid?.() === 0 && fs.existsSync("/usr/bin/apt-get");
}

/**
 * Runs an installer. The caller detects a failed installation by searching for the browser again.
 * @param {string} command
 * @param {readonly string[]} args
 */
function runTool(command, args) {
  const result = spawnSync(command, args, {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  if (result.status !== 0) say(`${path.basename(command)} ${args.join(" ")} failed.`);
}
