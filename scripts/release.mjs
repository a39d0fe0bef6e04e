// Makes a release of the version in package.json, without publishing it: npm run release
//   -- --publisher=<id> --repository=https://…   what only the owner knows. Otherwise the script asks
//   -- --images=https://…                        where a host other than GitHub and GitLab shows the files of the tag
//   -- --no-tag                                  checks, packs and tests only
// See docs/RELEASING.md.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { createInterface } from "node:readline/promises";
import { ensureInstalled } from "./tools/install.mjs";
import { writeNotices } from "./tools/notices.mjs";
import { pack } from "./tools/pack.mjs";
import { flag, inProject, main, option, Problem, root, run, say } from "./tools/project.mjs";
import { checkChangelog, ownerOf, tagOf } from "./tools/release.mjs";

await main(async () => {
  ensureInstalled();
  const { version } = JSON.parse(fs.readFileSync(inProject("package.json"), "utf8"));
  const tag = tagOf(version);
  checkChangelog(fs.readFileSync(inProject("CHANGELOG.md"), "utf8"), version);
  if (git("status", "--porcelain") !== "") throw new Problem("Commit or remove the changes in this folder first.");
  const commit = git("rev-parse", "HEAD");
  if (git("tag", "--list", tag) !== "") throw new Problem(`The tag ${tag} exists. Change the version in package.json.`);
  const owner = ownerOf(await answers(), version);
  if ((await run(process.execPath, ["esbuild.mjs", "--production"])) !== 0) throw new Problem("The build failed.");
  writeNotices();
  const file = `parley-${version}.vsix`;
  pack(file, owner);
  if (git("status", "--porcelain") !== "" || git("rev-parse", "HEAD") !== commit) {
    throw new Problem("The files or the commit changed while the package was made. Run the script again.");
  }
  say(`${file}: ${(fs.statSync(inProject(file)).size / 1000).toFixed(0)} kB`);
  const journey = ["scripts/test.mjs", "e2e", "--grep=the packaged extension"];
  const env = { ...process.env, PARLEY_VSIX: inProject(file), PARLEY_EXTENSION_ID: `${owner.publisher}.parley` };
  if ((await run(process.execPath, journey, { env })) !== 0) {
    throw new Problem(`${file} does not work in a new VS Code. The reason is above.`);
  }
  if (flag("no-tag")) return;
  git("tag", "--annotate", tag, "--message", `Parley ${version}`, commit);
  say(`${tag} is tagged, and ${file} is ready. docs/RELEASING.md has the commands that publish both.`);
});

/** What the arguments say about the owner. The terminal asks for the rest. */
async function answers() {
  return {
    publisher: option("publisher") ?? (await ask("Publisher ID: ", "publisher")),
    repository: option("repository") ?? (await ask("Address of the repository (https://…): ", "repository")),
    imagesUrl: option("images"),
  };
}

/** @param {string} question @param {string} name of the argument that answers it */
async function ask(question, name) {
  if (!process.stdin.isTTY) throw new Problem(`Name the ${name}: --${name}=…`);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await terminal.question(question)).trim();
  } finally {
    terminal.close();
  }
}

/** @param {readonly string[]} args @returns {string} its output */
function git(...args) {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Problem(`git ${args.join(" ")} failed. ${stderr}`.trim());
  return stdout.trim();
}
