// Maps the text of a prompt to an action of the demo agent. Pure.
import { isTest } from "./outline.ts";

/** The action that the user requests. `words` is the text that can name files. */
export interface Intent {
  readonly kind: "explain" | "fix" | "test" | "plan" | "help";
  readonly words: string;
}

const commands: Readonly<Record<string, Intent["kind"]>> = {
  explain: "explain",
  fix: "fix",
  test: "test",
  plan: "plan",
  help: "help",
};

/** The earliest phrase in the text decides. */
const phrases: readonly (readonly [Intent["kind"], RegExp])[] = [
  [
    "explain",
    /\b(explain|describe|summari[sz]e|walk me through|tell me about|what(?:'s| is| does| do)|how (?:does|do|is))\b/,
  ],
  [
    "test",
    /\b(run|start|execute|check|try)\b[^.!?\n]{0,40}\btests?\b|\b(npm|yarn|pnpm) (run )?test\b|^\s*tests?\s*[.!]*\s*$/,
  ],
  ["fix", /\b(fix|repair|debug|solve|correct|bugs?|broken|wrong|fail(?:s|ing|ed|ure)?)\b/],
  ["plan", /\b(plan|refactor(?:ing)?|clean ?up|tidy|restructure|improve)\b/],
];

/**
 * Interprets the text of a prompt. `understand("Please fix the bug in sum.js")` is `{kind: "fix", …}`. An unknown text
 * is a request for help.
 */
export function understand(text: string): Intent {
  const command = /^\s*\/(\w+)(?!\S)([\s\S]*)$/.exec(text);
  if (command) return { kind: commands[(command[1] ?? "").toLowerCase()] ?? "help", words: command[2] ?? "" };
  const lower = text.toLowerCase();
  if (/\bwhat can you do\b|\bwho are you\b/.test(lower)) return { kind: "help", words: text };
  let best: { readonly kind: Intent["kind"]; readonly at: number } | undefined;
  for (const [kind, phrase] of phrases) {
    const at = phrase.exec(lower)?.index;
    if (at !== undefined && (best === undefined || at < best.at)) best = { kind, at };
  }
  return { kind: best?.kind ?? "help", words: text };
}

/**
 * The files of a workspace that a text names: by path, by file name, or by the name without its extension. A path takes
 * precedence over a name, and a full name over a bare word. If two files have the same bare name, a test comes last.
 */
export function filesNamed(words: string, files: readonly string[]): readonly string[] {
  const tokens = words
    .split(/[\s"'`()[\]{}<>,;:!?*]+/)
    .map(token =>
      token
        .replace(/^(?:\.\/|@|#)+/, "")
        .replace(/\.+$/, "")
        .replaceAll("\\", "/")
        .toLowerCase(),
    )
    .filter(token => token !== "");
  const matching = (match: (file: string, token: string) => boolean): readonly string[] => [
    ...new Set(tokens.flatMap(token => files.filter(file => match(file.toLowerCase(), token)))),
  ];
  const byPath = matching((file, token) => token.includes("/") && (file === token || file.endsWith(`/${token}`)));
  if (byPath.length > 0) return byPath;
  const byName = matching((file, token) => token.includes(".") && baseName(file) === token);
  if (byName.length > 0) return byName;
  const byWord = matching((file, token) => token.length > 2 && !commonWords.has(token) && stem(file) === token);
  return [...byWord.filter(file => !isTest(file)), ...byWord.filter(isTest)];
}

/** A file name in the text, whether or not the file exists, for "I could not find …". */
export function fileNameIn(words: string): string | undefined {
  return /(?:^|[\s"'`(])@?([\w./\\-]*\w\.(?:[cm]?[jt]sx?|py|md|json|css|html|go|rs|txt|sh))\b/i.exec(words)?.[1];
}

const commonWords = new Set([
  "the",
  "this",
  "that",
  "test",
  "tests",
  "plan",
  "explain",
  "help",
  "fix",
  "bug",
  "file",
  "run",
]);

function baseName(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1);
}

function stem(file: string): string {
  const name = baseName(file);
  const dot = name.indexOf(".");
  return dot > 0 ? name.slice(0, dot) : name;
}
