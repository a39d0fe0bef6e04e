// Builds for production, adds the third-party notices, and packs parley-<version>.vsix.
import fs from "node:fs";
import { ensureInstalled } from "./tools/install.mjs";
import { writeNotices } from "./tools/notices.mjs";
import { pack } from "./tools/pack.mjs";
import { inProject, main, Problem, run, say } from "./tools/project.mjs";

await main(async () => {
  ensureInstalled();
  if ((await run(process.execPath, ["esbuild.mjs", "--production"])) !== 0) throw new Problem("The build failed.");
  writeNotices();
  const { version } = JSON.parse(fs.readFileSync(inProject("package.json"), "utf8"));
  const file = `parley-${version}.vsix`;
  pack(file);
  say(`${file}: ${(fs.statSync(inProject(file)).size / 1000).toFixed(0)} kB`);
});
