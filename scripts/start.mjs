// Opens the sample workspace in VS Code with Parley and its demo agent:
//   npm start                 in the VS Code on this machine, else in the browser
//   npm start -- --browser    in the browser in any case; --no-open only prints the address
//   npm run dev               rebuilds on every change as well (--watch)
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { ensureInstalled } from "./tools/install.mjs";
import { endingSignals, endTree, killTree, whenExiting } from "./tools/processes.mjs";
import { findOnPath, flag, inProject, main, Problem, root, run, say } from "./tools/project.mjs";

/** @typedef {{ folder: string, remove: () => void }} Workspace */

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
  // A test of this script runs what it has built already.
  if (flag("no-build")) return;
  if ((await run(process.execPath, ["esbuild.mjs"])) !== 0)
    throw new Problem("The build failed, so nothing is started.");
}

/**
 * Rebuilds on every change. Returns what stops it.
 * @returns {() => Promise<void>}
 */
function startWatching() {
  const child = spawn(process.execPath, ["esbuild.mjs", "--watch"], { cwd: root, stdio: "inherit", detached: true });
  const pid = child.pid;
  if (!pid) throw new Problem("The build could not be started for watching.");
  const forget = whenExiting(() => killTree(pid));
  return async () => {
    await endTree(pid);
    forget();
  };
}

/**
 * A copy of the sample workspace, so that the demo never changes the project itself.
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
 * With a first commit, VS Code shows what the agent has changed. Without git the demo works all the same.
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
 * Opens the VS Code installed on this machine, if there is one that can show a window here.
 * @param {() => Promise<void>} stopWatching
 * @returns {Promise<boolean>} false if there is none
 */
async function openOnDesktop(stopWatching) {
  const code = flag("browser") ? undefined : desktopCode();
  if (!code) return false;
  const workspace = newWorkspace();
  const args = [`--extensionDevelopmentPath=${root}`, "--new-window", workspace.folder];
  const shell = process.platform === "win32";
  const opened = spawnSync(shell ? `"${code}"` : code, args, { stdio: "inherit", shell });
  if (opened.status !== 0) {
    workspace.remove();
    say(`${code} did not open a window: opening VS Code in the browser instead.`);
    return false;
  }
  say(`VS Code is open on a copy of the sample workspace: ${workspace.folder}`);
  say("The window stays when this command ends; the copy is yours to delete after it.");
  if (flag("watch")) {
    say("Rebuilding on every change: reload the window to see it. Press Ctrl+C to stop.");
    await interrupted();
    await stopWatching();
  }
  return true;
}

/** The `code` command, where it can open a window with an extension under development. */
function desktopCode() {
  // Inside a remote window or WSL, `code` talks to a VS Code on another system, which cannot load an extension from here.
  if (process.env["VSCODE_IPC_HOOK_CLI"] || process.env["WSL_DISTRO_NAME"]) return undefined;
  // VS Code refuses to run as root, and needs a screen.
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
  // Other pages and users on this machine must not get at a VS Code that can run commands.
  const token = randomBytes(16).toString("hex");
  try {
    const server = await startServer({ token });
    const address = workbenchUrl(server, { folder: workspace.folder, extension: root, token });
    say(`\nParley is ready in VS Code ${server.version}:\n\n  ${address}\n`);
    if (!flag("no-open")) openAddress(address);
    say("Press Ctrl+C to stop.");
    const reason = await Promise.race([interrupted(), server.exited]);
    say(reason === "interrupted" ? "Stopping." : "VS Code has stopped: no window was open for a while.");
    await server.stop();
  } finally {
    workspace.remove();
    forget();
  }
}

/**
 * Opens the address in the person's browser, where there is one. It is printed in any case.
 * @param {string} address
 */
function openAddress(address) {
  /** @type {Partial<Record<NodeJS.Platform, readonly string[]>>} */
  const openers = { darwin: ["open"], win32: ["rundll32", "url.dll,FileProtocolHandler"], linux: ["xdg-open"] };
  const [command, ...args] = openers[process.platform] ?? [];
  if (!command || !hasScreen()) return;
  const child = spawn(command, [...args, address], { stdio: "ignore", detached: true });
  child.on("error", () => say("No browser could be opened: open the address above by hand."));
  child.unref();
}

/**
 * Resolves at Ctrl+C, or when the process is asked to end. A second time ends it at once.
 * @returns {Promise<"interrupted">}
 */
function interrupted() {
  return new Promise(resolve => {
    for (const signal of endingSignals) process.once(signal, () => resolve("interrupted"));
  });
}
