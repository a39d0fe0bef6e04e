// What a file path looks like: its extension, its position, and what no path has. Shared with webview-ui.

/** A position in a file. Lines and columns are 1-based. */
export interface PathPosition {
  readonly line?: number;
  readonly column?: number;
  readonly endLine?: number;
}

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

/** Whether files often have this extension. */
export const isKnownEnding = (ending: string): boolean => fileEndings.has(ending.toLowerCase());

/** Host names, by top-level domains that are no file extensions: `example.com:443` is not a file with a line. */
const hostPattern =
  /^(?:[^\\/@]+@)?(?:www\.|(?:[\p{L}\p{M}\p{N}_-]+\.)+(?:com|org|net|io|dev|ai|app|co|edu|gov|local|localhost|рф|中国|中國|한국)(?:[:/]|$))/iu;

/** UTF-16 units. */
const maxPathLength = 500;

/**
 * A folder of three dots stands for omitted folders, a variable or braces for unknown ones, and invisible characters can
 * show another path.
 */
const noPathPattern =
  /[\\/]{2}|(?:^|[\\/])\.{3,}[\\/]|^\$[A-Z_]+[\\/]|^%[^%\\/]*%[\\/]|[{}…]|(?![\u200c\u200d])\p{Cf}/u;

/**
 * Whether a path with this extension is a file: it has a folder, or a line number. A word with a dot is not enough.
 * With `anyEnding`, the name is enough.
 */
export function looksLikeFile(path: string, ending: string, hasLine: boolean, anyEnding = false): boolean {
  if (path.length > maxPathLength || noPathPattern.test(path) || hostPattern.test(path)) return false;
  if (anyEnding) return true;
  return /[\\/]/.test(path) ? hasLine || isKnownEnding(ending) : hasLine && isKnownEnding(ending);
}

/** Programs and verbs that come before a path in a command: `node scripts/test.mjs`. */
const programs = new Set(
  (
    "add apply awk bash bun bunx cargo cat cd chmod chown cmake code commit cp create curl deno diff docker dotnet echo " +
    "edit esbuild eslint export find from gcc git go gradle grep head import in java javac jest js less ln ls make mocha " +
    "move mv node nodemon npm npx open perl php pip pnpm prettier pwsh py pytest python python3 read require rg rm ruby " +
    "run rustc sass sed see sh source sudo swift tail tar tee test touch ts-node tsc tsx update uv view vim vite vitest " +
    "wc webpack wget write yarn zsh"
  ).split(" "),
);

/** Whether the blanks of a text are those of one path, and the text is neither a command nor a list of paths. */
export function canHaveBlanks(text: string): boolean {
  const [first = "", ...others] = text.split(/[\s\p{Z}]/u);
  if (others.length === 0) return true;
  if (/[\r\n\t]/.test(text) || /^-|[=;,&:]$/.test(first) || programs.has(first.replace(/\.exe$/i, "").toLowerCase()))
    return false;
  // A program of a folder, and a program of this folder with a path.
  if (/(?:^|[\\/])s?bin[\\/][^\\/]+$|(?:^|[\\/])\.bin[\\/]/.test(first)) return false;
  if (/^\.[\\/][^\\/]+$/.test(first) && /[\\/]/.test(others.join(""))) return false;
  const isArgument = (word: string): boolean => /^(?:-\S|&&|\$|\.{0,2}[\\/]|~[\\/]|[A-Za-z]:[\\/])/.test(word);
  const endsPath = (word: string): boolean => isKnownEnding(/\.(\w{1,10})[,;:]?$/.exec(word)?.[1] ?? "");
  return !others.some(isArgument) && ![first, ...others.slice(0, -1)].some(endsPath);
}

/** `#L10`, `#L10C5-L20`; `:10`, `:10:5`, `:10-20`; `(10)`, `(10,5)`. Line, column, last line. */
const positionPatterns: readonly RegExp[] = [
  /#L(\d{1,20})(?:C(\d{1,20}))?(?:-L?(\d{1,20})(?:C\d{1,20})?)?(?![\w\\/])/y,
  /:(\d{1,20})(?::(\d{1,20}))?(?:-(\d{1,20})(?::\d{1,20})?)?(?![\w\\/])/y,
  /\((\d{1,20})(?:,(\d{1,20}))?(?:,\d{1,20}){0,2}\)/y,
];
/** `"a.py", line 10`. */
const linePattern = /["'”’»」]?,? line (\d{1,20})(?!\d)/y;

/** The position that is written directly after a path, and where it ends. */
export function positionAt(
  text: string,
  at: number,
): { readonly end: number; readonly position: PathPosition } | undefined {
  for (const pattern of positionPatterns) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) return { end: pattern.lastIndex, position: positionOf(match.slice(1)) };
  }
  return undefined;
}

/** The line that is written after a path as a word. */
export function lineWordAt(text: string, at: number): PathPosition {
  linePattern.lastIndex = at;
  return positionOf([linePattern.exec(text)?.[1]]);
}

/** The position with these numbers: line, column, last line. Ignores 0 and numbers that are too large to be a line. */
function positionOf(numbers: readonly (string | undefined)[]): PathPosition {
  const [line, column, end] = numbers.map(text =>
    Number.isSafeInteger(Number(text)) && Number(text) > 0 ? Number(text) : undefined,
  );
  if (line === undefined) return {};
  return {
    line,
    ...(column !== undefined && { column }),
    ...(end !== undefined && end > line && { endLine: end }),
  };
}
