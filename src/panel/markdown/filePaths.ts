// Finds files in an agent's prose: a path with a folder and a known extension, or a file with a line number. A word
// with a dot alone is not enough.

/** Extensions that identify a file without a line number. */
const fileEndings = new Set(
  (
    "adoc astro bash bat c cc cfg cjs clj cls cmake cmd conf cpp cs csproj css csv cts cxx dart diff dockerfile ejs env " +
    "erb erl ex exs fs fsx gemspec gif go gql gradle graphql groovy h hbs hpp hrl hs htm html hxx icns ico ini ipynb " +
    "java jpeg jpg js json json5 jsonc jsonl jsx jl kt kts less lock log lua m map markdown md mdx mjs mk ml mm mts " +
    "ndjson nix pas patch pdf php pl plist png pom prisma properties proto ps1 py pyi r rake rb rs rst sass sbt scala " +
    "scss sh sln snap sol sql svelte svg swift tex tf tfvars toml ts tsv tsx ttf txt vb vim vue wasm webp xml yaml yml " +
    "zig zsh"
  ).split(" "),
);

/** Host names, by top-level domains that are no file extensions: `example.com:443` is not a file with a line. */
const hostPattern = /^(?:www\.|(?:[\w-]+\.)+(?:com|org|net|io|dev|ai|app|co|edu|gov|local|localhost)(?:[:/]|$))/i;

const pathSource = String.raw`(?:[A-Za-z]:[\\/]|\.{1,2}[\\/]|~?\/)?(?:[\w.@+-]+[\\/])*[\w.@+-]*\w\.[A-Za-z]\w{0,9}(?::\d+(?::\d+)?(?:-\d+)?|#L\d+(?:C\d+)?(?:-L?\d+(?:C\d+)?)?)?`;
const fileUriSource = String.raw`file:\/\/(?:localhost)?\/[^\s<>"'\x60()[\]{}|]*[\w/]`;
const wholePattern = new RegExp(`^(?:${fileUriSource}|${pathSource})$`);
const startPattern = new RegExp(`^(?:${fileUriSource}|${pathSource})(?![\\w/\\\\])`);
const anywherePattern = new RegExp(`(?<![\\w/:.@+~\\\\-])(?:${fileUriSource}|${pathSource})(?![\\w/\\\\])`, "g");

/** Whether the whole text is a file path. For code between backticks. */
export function isPath(text: string): boolean {
  return wholePattern.test(text) && looksLikeFile(text);
}

/** The file path at the start of the text, including its line number. */
export function pathAtStart(text: string): string | undefined {
  const found = startPattern.exec(text)?.[0];
  return found !== undefined && looksLikeFile(found) ? found : undefined;
}

/** Text at the start that only looks like a file path. The lexer skips all of it, because no part of it is a path. */
export function nonPathAtStart(text: string): string | undefined {
  const share = /^\\\\[^\s<>"'`]*/.exec(text)?.[0];
  if (share !== undefined) return share;
  const found = startPattern.exec(text)?.[0];
  // Web and mail addresses without a scheme become links elsewhere.
  return found !== undefined && hostPattern.test(found) && !/^www\.|@/i.test(found) ? found : undefined;
}

/** The index of the first possible file path. {@link pathAtStart} decides whether it is one. */
export function findPath(text: string): number | undefined {
  if (lastFound.left > text.length || !lastFound.text.endsWith(text)) {
    lastFound = { text, left: -1 };
    for (const { 0: found, index } of text.matchAll(anywherePattern)) {
      if (!looksLikeFile(found) && !hostPattern.test(found)) continue;
      lastFound.left = text.length - index;
      break;
    }
  }
  return lastFound.left < 0 ? undefined : text.length - lastFound.left;
}

/** The last result, counted from the end of the text, because the lexer asks again for each remainder of a text. */
let lastFound = { text: "", left: -1 };

function looksLikeFile(text: string): boolean {
  if (/^file:/i.test(text)) return true;
  if (hostPattern.test(text)) return false;
  const [path = "", hasLine] = splitLine(text);
  const ending = path.split(".").at(-1)?.toLowerCase() ?? "";
  const inFolder = /[\\/]/.test(path);
  return inFolder ? hasLine || fileEndings.has(ending) : hasLine && fileEndings.has(ending);
}

function splitLine(text: string): readonly [path: string, hasLine: boolean] {
  const path = text.replace(/(?:#L\d.*|(?::\d+)(?::\d+)?(?:-\d+)?)$/, "");
  return [path, path !== text];
}
