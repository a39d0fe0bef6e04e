// Opens the sample workspace in VS Code with Parley and its demo agent:
//   npm start                 in the VS Code of this machine, otherwise in the browser
//   npm start -- --browser    always in the browser; --no-open only prints the address
//   npm run dev               also rebuilds on every change (--watch)
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { ensureInstalled } from "./tools/install.mjs";
import { endingSignals, endTree, killTree, whenExiting } from "./tools/processes.mjs";
import { findOnPath, flag, inProject, main, Problem, root, run, say, secondsSince } from "./tools/project.mjs";

/** @typedef {{ folder: string, remove: () => void }} Workspace */

// The extension opens the chat in the window.
process.env["PARLEY_OPEN_CHAT"] = "1";

await main(async () => {
  ensureInstalled();
  await build();
  const stopWatching = flag("watch") ? startWatching() : async () => {};
  try {
    if (!(await openOnDesktop(stopWatching))) await openInBrowser();
  } finally {
    await stopWatching();
  }
});

async function build() {
  // The test of this script has already built everything.
  if (flag("no-build")) return;
  const started = performance.now();
  if ((await run(process.execPath, ["esbuild.mjs"])) !== 0)
    throw new Problem("The build failed, so VS Code was not opened.");
  say(`Built (${secondsSince(started)}).`);
}

/**
 * Rebuilds on every change. Returns a function that stops it.
 * @returns {() => Promise<void>}
 */
function startWatching() {
  const child = spawn(process.execPath, ["esbuild.mjs", "--watch"], { cwd: root, stdio: "inherit", detached: true });
  const pid = child.pid;
  if (!pid) throw new Problem("The watching build could not be started.");
  const forget = whenExiting(() => killTree(pid));
  return async () => {
    await endTree(pid);
    forget();
  };
}

/**
 * Copies the sample workspace, so that the demo never changes the project itself.
 * @returns {Workspace}
 */
function newWorkspace() {
  const parent = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "parley-sample-")));
  const folder = path.join(parent, "sample-workspace");
  fs.cpSync(inProject("examples", "sample-workspace"), folder, { recursive: true });
  beginHistory(folder);
  return { folder, remove: () => fs.rmSync(parent, { recursive: true, force: true, maxRetries: 5 }) };
}

/**
 * The file that the editor shows beside the chat.
 * @param {Workspace} workspace
 */
function inEditor({ folder }) {
  return path.join(folder, "src", "sum.js");
}

/**
 * Creates a first commit, so that VS Code shows the changes of the agent. The demo also works without git.
 * @param {string} folder
 */
function beginHistory(folder) {
  const author = ["-c", "user.name=Parley", "-c", "user.email=parley@example.invalid", "-c", "commit.gpgsign=false"];
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
    [...author, "commit", "-q", "-m", "The sample as it comes"],
  ]) {
    if (spawnSync("git", args, { cwd: folder, stdio: "ignore" }).status !== 0) return;
  }
}

/**
 * Opens the VS Code of this machine, if one is installed that can show a window.
 * @param {() => Promise<void>} stopWatching
 * @returns {Promise<boolean>} false if no window was opened
 */
async function openOnDesktop(stopWatching) {
  const code = flag("browser") ? undefined : desktopCode();
  if (!code) return false;
  const workspace = newWorkspace();
  const args = [`--extensionDevelopmentPath=${root}`, "--new-window", workspace.folder, inEditor(workspace)];
  const shell = process.platform === "win32";
  const opened = spawnSync(shell ? `"${code}"` : code, args, { stdio: "inherit", shell });
  if (opened.status !== 0) {
    workspace.remove();
    say(`${code} did not open a window. Opening VS Code in the browser instead.`);
    return false;
  }
  say(`VS Code is open on a copy of the sample workspace: ${workspace.folder}`);
  say("The window stays open when this command ends. You can delete the copy afterwards.");
  if (flag("watch")) {
    say("Rebuilding on every change. Reload the window to see the changes. Press Ctrl+C to stop.");
    await interrupted();
    await stopWatching();
  }
  return true;
}

/** The `code` command, if it can open a window with an extension under development. */
function desktopCode() {
  // In a remote window or WSL, `code` controls a VS Code on another system, which cannot load an extension from here.
  if (process.env["VSCODE_IPC_HOOK_CLI"] || process.env["WSL_DISTRO_NAME"]) return undefined;
  // VS Code refuses to run as root and needs a screen.
  if (process.platform === "linux" && (!hasScreen() || process.getuid?.() === 0)) return undefined;
  return findOnPath("code");
}

function hasScreen() {
  if (process.platform !== "linux") return true;
  return Boolean(process.env["DISPLAY"] || process.env["WAYLAND_DISPLAY"]);
}

/** Serves VS Code to a browser on this machine until Ctrl+C. */
async function openInBrowser() {
  const { startServer } = await import("./vscode/server.mjs");
  const { workbenchUrl } = await import("./vscode/workbench.mjs");
  const workspace = newWorkspace();
  const forget = whenExiting(workspace.remove);
  // Other pages and users on this machine must not get access to a VS Code that can run commands.
  const token = randomBytes(16).toString("hex");
  try {
    const server = await startServer({ token });
    const address = workbenchUrl(server, {
      folder: workspace.folder,
      file: inEditor(workspace),
      extension: root,
      token,
    });
    say(`\nParley is ready in VS Code ${server.version}:\n\n  ${address}\n`);
    if (!flag("no-open")) openAddress(address);
    say("Press Ctrl+C to stop.");
    const reason = await Promise.race([interrupted(), server.exited]);
    say(reason === "interrupted" ? "Stopping." : "VS Code has stopped because no window was open.");
    await server.stop();
  } finally {
    workspace.remove();
    forget();
  }
}

/**
 * Opens the address in the user's browser, if there is one. The address is printed in any case.
 * @param {string} address
 */
function openAddress(address) {
  /** @type {Partial<Record<NodeJS.Platform, readonly string[]>>} */
  const openers = { darwin: ["open"], win32: ["rundll32", "url.dll,FileProtocolHandler"], linux: ["xdg-open"] };
  const [command, ...args] = openers[process.platform] ?? [];
  if (!command || !hasScreen()) return;
  const child = spawn(command, [...args, address], { stdio: "ignore", detached: true });
  child.on("error", () => say("No browser could be opened. Open the address above yourself."));
  child.unref();
}

/**
 * Resolves on Ctrl+C, or when the process receives a signal to end. A second signal ends the process immediately.
 * @returns {Promise<"interrupted">}
 */
function interrupted() {
  return new Promise(resolve => {
    for (const signal of endingSignals) process.once(signal, () => resolve("interrupted"));
  });
}
