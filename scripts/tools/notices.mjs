// Writes dist/ThirdPartyNotices.txt: the licenses of every package whose code or files Parley ships. Standalone use:
//   node scripts/tools/notices.mjs     after a build
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { inProject, main, Problem, root, say } from "./project.mjs";

/**
 * @typedef {object} Notice
 * @property {string} name
 * @property {string} version
 * @property {string} license as in the manifest of the package
 * @property {string} homepage
 * @property {readonly string[]} texts the license and notice files
 */

const file = path.join("dist", "ThirdPartyNotices.txt");
const licenceFile = /^(licen[cs]e|copying|notice|third-?party-?notices)/i;

/** Writes the notices of the last build. Returns the number of packages. */
export function writeNotices() {
  const notices = shippedPackages().map(noticeOf);
  notices.sort((a, b) => (a.name < b.name ? -1 : 1));
  fs.writeFileSync(inProject(file), format(notices));
  return notices.length;
}

/**
 * The folders of the bundled packages and of Parley's dependencies. The build copies only files of some dependencies.
 * @returns {string[]}
 */
function shippedPackages() {
  const metafile = inProject("out", "meta.json");
  if (!fs.existsSync(metafile)) throw new Problem('out/meta.json does not exist. Run "node esbuild.mjs" first.');
  /** @type {{ outputs: Record<string, { inputs: Record<string, unknown> }> }} */
  const { outputs } = JSON.parse(fs.readFileSync(metafile, "utf8"));
  const bundled = Object.values(outputs)
    .flatMap(output => Object.keys(output.inputs))
    .flatMap(input => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? [])
    .map(folder => fs.realpathSync(path.resolve(root, folder)));
  const { dependencies } = manifestOf(root);
  const named = Object.keys(dependencies).map(name => fs.realpathSync(inProject("node_modules", name)));
  return [...new Set([...bundled, ...named])];
}

/** @param {string} folder @returns {Notice} */
function noticeOf(folder) {
  const { name, version, license, homepage } = manifestOf(folder);
  // Some packages are published without the license of their repository.
  const texts = [folder, inProject("scripts", "tools", "licences", name)]
    .filter(place => fs.existsSync(place))
    .flatMap(place =>
      fs
        .readdirSync(place)
        .filter(entry => licenceFile.test(entry))
        .sort()
        .map(entry => fs.readFileSync(path.join(place, entry), "utf8")),
    )
    .map(text =>
      text
        .replace(/^\uFEFF/, "")
        .replaceAll("\r\n", "\n")
        .trim(),
    );
  if (texts.length === 0) throw new Problem(`${name} ${version} contains no license file, so Parley cannot ship it.`);
  return { name, version, license, homepage, texts };
}

/**
 * @param {string} folder
 * @returns {{ name: string, version: string, license: string, homepage: string, dependencies: Record<string, string> }}
 */
function manifestOf(folder) {
  const { name, version, license, homepage, dependencies } = JSON.parse(
    fs.readFileSync(path.join(folder, "package.json"), "utf8"),
  );
  return { name, version, license: license ?? "see below", homepage: homepage ?? "", dependencies: dependencies ?? {} };
}

/** @param {readonly Notice[]} notices */
function format(notices) {
  const rule = "=".repeat(80);
  const summary = notices.map(({ name, version, license }) => `- ${name} ${version} (${license})`);
  const sections = notices.map(({ name, version, license, homepage, texts }) =>
    [
      rule,
      `${name} ${version}`,
      `License: ${license}`,
      ...(homepage ? [homepage] : []),
      rule,
      "",
      texts.join("\n\n"),
    ].join("\n"),
  );
  const intro = "Parley contains the following third-party software and files, under their own licenses:";
  return [intro, summary.join("\n"), ...sections].join("\n\n") + "\n";
}

if (process.argv[1] && import.meta.url === pathToFileURL(fs.realpathSync(process.argv[1])).href) {
  await main(async () => say(`${file}: ${writeNotices()} packages`));
}
