// Packs the extension that is built. Every package of Parley, also that of a release or of a test, is made here.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { inProject, Problem, root } from "./project.mjs";

/**
 * What only the owner of a release knows. `contentUrl` and `imagesUrl` are where the files that the README links to, and
 * its pictures, are on the web.
 * @typedef {object} Owner
 * @property {string} publisher the ID at the Marketplace and at Open VSX
 * @property {string} repository the address of the repository
 * @property {string} contentUrl
 * @property {string} imagesUrl
 */

const vsce = inProject("node_modules", "@vscode", "vsce", "vsce");

/** All code is bundled, so vsce needs no dependencies. */
const noDependencies = "--no-dependencies";

/** The pictures of the README. A package with an owner shows them from the web. */
const pictures = /^docs\/images\//;

/**
 * The paths of the files in the package.
 * @returns {readonly string[]}
 */
export function packedFiles() {
  const listed = execFileSync(process.execPath, [vsce, "ls", noDependencies], { cwd: root, encoding: "utf8" });
  return listed.split("\n").filter(file => file !== "");
}

/**
 * Packs the files of the last build. Without an owner, the manifest stays as it is, and the package contains the pictures
 * of the README. Throws a Problem with vsce's output if vsce refuses the files.
 * @param {string} file the package to write
 * @param {Owner} [owner]
 */
export function pack(file, owner) {
  const out = ["--out", path.resolve(root, file)];
  if (!owner) {
    runVsce(root, ["--no-rewrite-relative-links", "--allow-missing-repository", ...out]);
    return;
  }
  const folder = fs.mkdtempSync(inProject("out", "package-"));
  try {
    for (const each of packedFiles().filter(each => !pictures.test(each))) copyInto(folder, each);
    fs.copyFileSync(inProject(".vscodeignore"), path.join(folder, ".vscodeignore"));
    fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify(manifestOf(owner), undefined, 2));
    runVsce(folder, ["--baseContentUrl", owner.contentUrl, "--baseImagesUrl", owner.imagesUrl, ...out]);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} folder @param {string} file */
function copyInto(folder, file) {
  const target = path.join(folder, file);
  fs.mkdirSync(path.dirname(target), { recursive: true });
  fs.copyFileSync(inProject(file), target);
}

/**
 * The manifest with the publisher and the addresses. Its scripts and development dependencies need files that the package
 * does not contain.
 * @param {Owner} owner
 */
function manifestOf({ publisher, repository }) {
  const {
    scripts: _scripts,
    devDependencies: _devDependencies,
    ...manifest
  } = JSON.parse(fs.readFileSync(inProject("package.json"), "utf8"));
  return {
    ...manifest,
    publisher,
    repository: { type: "git", url: `${repository}.git` },
    bugs: { url: `${repository}/issues` },
    homepage: `${repository}#readme`,
  };
}

/** @param {string} cwd @param {readonly string[]} args */
function runVsce(cwd, args) {
  try {
    execFileSync(process.execPath, [vsce, "package", noDependencies, ...args], {
      cwd,
      stdio: "pipe",
      encoding: "utf8",
    });
  } catch (error) {
    const { stdout = "", stderr = "" } = /** @type {{ stdout?: string, stderr?: string }} */ (error);
    throw new Problem(`vsce could not pack the extension.\n${stdout}${stderr}`.trim());
  }
}
