// Starts and stops the server of the downloaded VS Code. The server serves the workbench to a browser on the loopback
// interface and runs the extension host. It writes only to its own data folder.
import { spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { endTree, killTree, processTree, whenExiting } from "../tools/processes.mjs";
import { waitFor } from "../tools/project.mjs";
import { vscodeForTests } from "./vscodeForTests.mjs";

/**
 * @typedef {object} ServerOptions
 * @property {string} [version] `newest` (the default) or `minimum`
 * @property {Readonly<Record<string, unknown>>} [settings] user settings that override those below
 * @property {Readonly<Record<string, string>>} [env] environment of the server, the extension host and terminals
 * @property {boolean} [ownHome] whether the home folder of all its programs is an empty one. Shells then run no startup
 *   files of this user, which can take any time
 * @property {boolean} [trust] whether VS Code asks if you trust a workspace; otherwise every workspace is trusted
 * @property {string} [vsix] a packaged extension to install
 * @property {readonly string[]} [extensions] folders of further extensions to install
 * @property {string} [token] the token that a browser needs for access; without a token, every program on this machine has access
 * @property {string} [dataDir] the data folder of an earlier server, to restore its state
 * @property {number} [port] the port of an earlier server, so that a browser finds its stored data
 */

/**
 * @typedef {object} Server
 * @property {number} port
 * @property {string} origin the address of its pages
 * @property {string} authority as in vscode-remote://authority/path
 * @property {string} version of VS Code
 * @property {string} dataDir
 * @property {string} logFile
 * @property {Promise<number>} exited resolves with the exit code when the server ends
 * @property {() => import("../tools/processes.mjs").Process[]} tree the server and its descendants (empty on Windows)
 * @property {() => import("../tools/processes.mjs").Process | undefined} extensionHost
 * @property {(settings: Readonly<Record<string, unknown>>) => void} writeSettings replaces the user settings
 * @property {(how?: { readonly keepData?: boolean }) => Promise<string[]>} stop ends the whole tree; resolves with the
 *   commands of the processes that had to be killed
 */

/**
 * Settings for tests: no welcome pages, no network, and terminals as text in the DOM. VS Code must not migrate any of
 * the values, because it would rewrite the file while the tests write it.
 */
export const usualSettings = {
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.enableExperiments": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "chat.disableAIFeatures": true,
  "terminal.integrated.gpuAcceleration": "off",
  "editor.minimap.enabled": false,
  "workbench.localHistory.enabled": false,
  // Otherwise npm installs types of packages as soon as an editor shows JavaScript. Older versions read the second name.
  "js/ts.tsserver.automaticTypeAcquisition.enabled": false,
  "typescript.disableAutomaticTypeAcquisition": true,
  "npm.fetchOnlinePackageInfo": false,
  // Tests expect that agents get only the MCP servers that they configure. Without a value, the default is used.
  "parley.editorTools": "off",
};

/** Without these settings, VS Code doesn't ask when a folder is opened. */
export const askForTrust = { "security.workspace.trust.startupPrompt": "always" };

/**
 * Starts a server and waits until it answers. The server ends with this process at the latest.
 * @param {ServerOptions} [options]
 * @returns {Promise<Server>}
 */
export async function startServer(options = {}) {
  const vscode = await vscodeForTests(options.version ?? process.env["PARLEY_VSCODE"]);
  const dataDir = options.dataDir ?? fs.mkdtempSync(path.join(os.tmpdir(), "parley-vscode-"));
  const logFile = path.join(dataDir, "server.log");
  /** @param {Readonly<Record<string, unknown>>} [settings] */
  const useSettings = settings => writeSettings(dataDir, { ...(options.trust ? askForTrust : {}), ...settings });
  useSettings(options.settings);
  installExtensions(path.join(dataDir, "extensions"), options.extensions);
  const port = options.port ?? (await freePort());
  const { pid, exited } = launch(vscode, port, dataDir, logFile, options);
  const stop = stopper(pid, dataDir);
  const origin = `http://127.0.0.1:${port}`;
  if (!(await answers(origin, exited))) {
    const lastWords = fs.readFileSync(logFile, "utf8").slice(-2000);
    await stop();
    throw new Error(`The VS Code server did not start.\n${lastWords}`);
  }
  return {
    port,
    origin,
    authority: `127.0.0.1:${port}`,
    version: vscode.version,
    dataDir,
    logFile,
    exited,
    tree: () => processTree(pid),
    extensionHost: () => processTree(pid).find(each => each.command.includes("--type=extensionHost")),
    writeSettings: useSettings,
    stop,
  };
}

/**
 * Copies extensions into the folder in which VS Code looks for them when it starts for the first time.
 * @param {string} target
 * @param {readonly string[]} [folders]
 */
export function installExtensions(target, folders = []) {
  for (const folder of folders) {
    const { publisher, name, version } = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
    fs.cpSync(folder, path.join(target, `${publisher}.${name}-${version}`), { recursive: true });
  }
}

/**
 * @param {import("./vscodeForTests.mjs").Vscode} vscode
 * @param {number} port
 * @param {string} dataDir
 * @param {string} logFile
 * @param {ServerOptions} options
 * @returns {{ pid: number, exited: Promise<number> }}
 */
function launch(vscode, port, dataDir, logFile, options) {
  const log = fs.openSync(logFile, "a");
  const main = path.join(vscode.folder, "out", "server-main.js");
  const child = spawn(vscode.node, [main, ...serverArgs(port, dataDir, options)], {
    // The server has its own process group, so that Ctrl+C reaches this process and not VS Code first.
    detached: true,
    stdio: ["ignore", log, log],
    env: serverEnvironment(port, dataDir, options),
  });
  fs.closeSync(log);
  /** @type {Promise<number>} */
  const exited = new Promise(resolve => child.once("exit", code => resolve(code ?? 1)));
  child.once("error", error => fs.appendFileSync(logFile, `${error.message}\n`));
  if (!child.pid) throw new Error(`The VS Code server could not be started: ${vscode.node}`);
  return { pid: child.pid, exited };
}

/**
 * Ends the server with this process at the latest. Returns a function that stops it regularly.
 * @param {number} pid
 * @param {string} dataDir
 * @returns {Server["stop"]}
 */
function stopper(pid, dataDir) {
  const removeData = () => fs.rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  const forget = whenExiting(() => {
    killTree(pid);
    removeData();
  });
  return async ({ keepData = false } = {}) => {
    const killed = await endTree(pid);
    forget();
    if (!keepData) removeData();
    return killed;
  };
}

/**
 * Writes the user settings on the server. The settings file of the machine contains them too, because a window on a
 * server doesn't always read settings of machine scope from the user settings.
 * @param {string} dataDir
 * @param {Readonly<Record<string, unknown>>} settings
 */
function writeSettings(dataDir, settings) {
  for (const owner of ["User", "Machine"]) {
    const folder = path.join(dataDir, "data", owner);
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, "settings.json"), JSON.stringify({ ...usualSettings, ...settings }, null, 2));
  }
}

/** @param {number} port @param {string} dataDir @param {ServerOptions} options @returns {string[]} */
function serverArgs(port, dataDir, { trust = false, vsix, token }) {
  return [
    ...["--host", "127.0.0.1", "--port", String(port)],
    ...(token ? ["--connection-token", token] : ["--without-connection-token"]),
    "--accept-server-license-terms",
    ...["--server-data-dir", dataDir],
    ...["--telemetry-level", "off"],
    // A built VS Code loads an extension under development only with this variable.
    "--enable-smoke-test-driver",
    ...(trust ? [] : ["--disable-workspace-trust"]),
    ...["--reconnection-grace-time", "1"],
    // As a last resort, a forgotten server ends five minutes after its last window.
    "--enable-remote-auto-shutdown",
    "--force-disable-user-env",
    ...(vsix ? ["--install-extension", path.resolve(vsix), "--start-server"] : []),
  ];
}

/** @param {number} port @param {string} dataDir @param {ServerOptions} options */
function serverEnvironment(port, dataDir, { env, ownHome = false }) {
  const tmp = path.join(dataDir, "tmp");
  const home = path.join(dataDir, "home");
  for (const folder of [tmp, home]) fs.mkdirSync(folder, { recursive: true });
  // The variables of a terminal inside VS Code would mislead another VS Code.
  const own = Object.entries(process.env).filter(([name]) => !/^(VSCODE_|ELECTRON_|NODE_OPTIONS$)/.test(name));
  return {
    ...Object.fromEntries(own),
    // VS Code puts its sockets into these folders.
    TMPDIR: tmp,
    XDG_RUNTIME_DIR: tmp,
    EXTENSIONS_GALLERY: '{"serviceUrl":""}',
    VSCODE_WEBVIEW_HOST: `http://{{uuid}}.localhost:${port}`,
    ...(ownHome && { HOME: home }),
    ...env,
  };
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = /** @type {net.AddressInfo} */ (probe.address());
      probe.close(() => resolve(address.port));
    });
  });
}

/**
 * Waits until the server answers. Resolves with false if the server has exited or after one minute.
 * @param {string} origin
 * @param {Promise<number>} exited
 */
async function answers(origin, exited) {
  let ok = false;
  let ended = false;
  void exited.then(() => (ended = true));
  const asked = async () => {
    ok = await fetch(`${origin}/version`).then(
      response => response.ok,
      () => false,
    );
    return ok || ended;
  };
  await waitFor(asked, 60_000);
  return ok;
}
