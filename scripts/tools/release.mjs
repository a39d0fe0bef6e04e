// The checks of a release, and what its owner fills in.
import { Problem } from "./project.mjs";

/** @typedef {import("./pack.mjs").Owner} Owner */

/** Where a host of repositories shows the files of a tag. `{tag}` is replaced. @type {Readonly<Record<string, { content: string, images: string }>>} */
const hosts = {
  "github.com": { content: "/blob/{tag}", images: "/raw/{tag}" },
  "gitlab.com": { content: "/-/blob/{tag}", images: "/-/raw/{tag}" },
};

/**
 * The owner of a release, with the addresses of the files at its tag. `imagesUrl` is only needed if the repository is at a
 * host that is not known. Throws a Problem that names what is wrong or missing.
 * @param {{ publisher: string, repository: string, imagesUrl?: string | undefined }} answers
 * @param {string} version of the release, such as 0.2.0
 * @returns {Owner}
 */
export function ownerOf({ publisher, repository, imagesUrl }, version) {
  if (!/^[a-z0-9][a-z0-9-]*$/i.test(publisher)) {
    throw new Problem(`"${publisher}" is no ID of a publisher. It has letters, digits and hyphens.`);
  }
  const address = webAddress(repository.replace(/\.git$/, "").replace(/\/$/, ""));
  if (!address) throw new Problem(`"${repository}" is no https address of a repository.`);
  const base = `${address.origin}${address.pathname}`;
  const host = hosts[address.hostname];
  if (!host && !webAddress(imagesUrl ?? "")) {
    throw new Problem(`Name the address below which ${address.hostname} shows the files of a tag: --images=https://…`);
  }
  const atTag = (/** @type {string} */ place) => base + place.replace("{tag}", tagOf(version));
  return {
    publisher,
    repository: base,
    contentUrl: imagesUrl ?? atTag(host?.content ?? ""),
    imagesUrl: imagesUrl ?? atTag(host?.images ?? ""),
  };
}

/** @param {string} text @returns {URL | undefined} */
function webAddress(text) {
  if (!URL.canParse(text)) return undefined;
  const address = new URL(text);
  return address.protocol === "https:" && address.pathname.length > 1 ? address : undefined;
}

/** The tag of a version. @param {string} version */
export const tagOf = version => `v${version}`;

/**
 * Throws a Problem unless the newest section of the changelog is that of the version, with a date and with changes, and no
 * change is listed as unreleased.
 * @param {string} changelog in the form of Keep a Changelog
 * @param {string} version
 */
export function checkChangelog(changelog, version) {
  const sections = changelog
    .split(/^## /m)
    .slice(1)
    .map(text => {
      const [heading = "", ...lines] = text.split("\n");
      return { heading: heading.trim(), changes: lines.filter(line => line.startsWith("- ")).length };
    });
  const unreleased = sections.find(({ heading }) => /^\[?unreleased\]?$/i.test(heading));
  if (unreleased && unreleased.changes > 0) {
    throw new Problem(`CHANGELOG.md lists ${unreleased.changes} changes as unreleased. Move them to ${version}.`);
  }
  const newest = sections.find(section => section !== unreleased);
  const [, named, date] = /^\[?([^\]\s]+)\]? - (\d{4}-\d{2}-\d{2})$/.exec(newest?.heading ?? "") ?? [];
  if (!newest || named !== version || date === undefined) {
    throw new Problem(`The newest section of CHANGELOG.md must be "## ${version} - <year>-<month>-<day>".`);
  }
  if (newest.changes === 0) throw new Problem(`CHANGELOG.md lists no change in ${version}.`);
}
