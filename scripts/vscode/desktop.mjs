// Opens a window of a desktop VS Code with Playwright, as server.mjs and workbench.mjs do in a browser. Each window is
// one process with its own data folder.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { _electron } from "playwright-core";
import { endTree, killTree, processTree, whenExiting } from "../tools/processes.mjs";
import { Problem } from "../tools/project.mjs";
import { askForTrust, installExtensions, usualSettings } from "./server.mjs";
import { restored } from "./workbench.mjs";

/**
 * @typedef {object} DesktopOptions
 * @property {string} folder the workspace
 * @property {string} [extension] the folder of an extension under development
 * @property {string} [vsix] a packaged extension to install
 * @property {readonly string[]} [extensions] folders of further extensions to install
 * @property {Readonly<Record<string, unknown>>} [settings] user settings that override the usual ones
 * @property {Readonly<Record<string, string>>} [env]
 * @property {boolean} [trust] whether VS Code asks if you trust the workspace
 * @property {string} [dataDir] the data folder of an earlier window, to restore its state
 */

/** @typedef {Pick<import("./server.mjs").Server, "dataDir" | "tree" | "writeSettings" | "stop">} Desktop */

/**
 * The command-line arguments of the desktop VS Code.
 * @param {string} dataDir
 * @param {DesktopOptions} options
 * @returns {string[]}
 */
export function desktopArgs(dataDir, { folder, extension, trust = false }) {
  return [
    folder,
    ...(extension ? [`--extensionDevelopmentPath=${extension}`] : []),
    ...dataArgs(dataDir),
    ...(trust ? [] : ["--disable-workspace-trust"]),
    "--enable-smoke-test-driver",
    "--skip-welcome",
    "--skip-release-notes",
    "--disable-updates",
    "--disable-telemetry",
    "--use-inmemory-secretstorage",
    // Chromium refuses to run its sandbox as root.
    ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
  ];
}

/** @param {string} dataDir @returns {string[]} */
function dataArgs(dataDir) {
  return [`--user-data-dir=${path.join(dataDir, "user")}`, `--extensions-dir=${path.join(dataDir, "extensions")}`];
}

/**
 * Opens a window, and waits until it is restored.
 * @param {string} executable
 * @param {DesktopOptions} options
 * @returns {Promise<{ page: import("playwright-core").Page, desktop: Desktop }>}
 */
export async function openDesktop(executable, options) {
  const dataDir = options.dataDir ?? fs.mkdtempSync(path.join(os.tmpdir(), "parley-desktop-"));
  /** @param {Readonly<Record<string, unknown>>} [settings] */
  const writeSettings = settings => {
    const file = path.join(dataDir, "user", "User", "settings.json");
    fs.mkdirSync(path.dirname(file), { recursive: true });
    // A page can't access native title bars and dialogs.
    const custom = { "window.titleBarStyle": "custom", "window.dialogStyle": "custom" };
    const all = { ...usualSettings, ...custom, ...(options.trust ? askForTrust : {}), ...settings };
    fs.writeFileSync(file, JSON.stringify(all, null, 2));
  };
  writeSettings(options.settings);
  installExtensions(path.join(dataDir, "extensions"), options.extensions);
  if (options.vsix) await install(executable, dataDir, options.vsix);
  const app = await _electron.launch({
    executablePath: executable,
    args: desktopArgs(dataDir, options),
    env: { ...ownEnvironment(), ...options.env },
  });
  const pid = app.process().pid ?? 0;
  const removeData = () => fs.rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  const forget = whenExiting(() => {
    killTree(pid);
    removeData();
  });
  /** @type {Desktop["stop"]} */
  const stop = async ({ keepData = false } = {}) => {
    await app.close();
    const killed = await endTree(pid);
    forget();
    if (!keepData) removeData();
    return killed;
  };
  const page = await app.firstWindow();
  await restored(page);
  return { page, desktop: { dataDir, tree: () => processTree(pid), writeSettings, stop } };
}

/** @param {string} executable @param {string} dataDir @param {string} vsix */
async function install(executable, dataDir, vsix) {
  const { resolveCliPathFromVSCodeExecutablePath } = await import("@vscode/test-electron");
  const cli = resolveCliPathFromVSCodeExecutablePath(executable);
  const args = [...dataArgs(dataDir), "--install-extension", path.resolve(vsix)];
  const { status, stderr } = spawnSync(cli, args, { encoding: "utf8", shell: process.platform === "win32" });
  if (status !== 0) throw new Problem(`The desktop VS Code did not install ${vsix}.\n${stderr}`);
}

/** Removes the variables of a terminal inside VS Code, which would mislead another VS Code. */
function ownEnvironment() {
  /** @type {Record<string, string>} */
  const own = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !/^(VSCODE_|ELECTRON_|NODE_OPTIONS$)/.test(name)) own[name] = value;
  }
  return own;
}
