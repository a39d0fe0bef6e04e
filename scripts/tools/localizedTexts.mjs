// Finds the texts for users in the sources, which are the literal first arguments of `t` and `vscode.l10n.t`, and the
// sentences that should be among them. `npm run l10n` writes the texts to l10n/bundle.l10n.json.
import fs from "node:fs";
import path from "node:path";
import { inProject } from "./project.mjs";

/** @typedef {typeof import("typescript")} TypeScript */
/** @typedef {import("typescript").Node} Node */
/** @typedef {import("typescript").SourceFile} SourceFile */

/**
 * @typedef {object} LocalizedTexts
 * @property {readonly string[]} texts sorted, each once
 * @property {readonly string[]} faults one sentence for each call that cannot be translated
 */

/** The English texts, from which translations are made. VS Code reads bundle.l10n.<language>.json beside it. */
export const textsPath = inProject("l10n", "bundle.l10n.json");

/**
 * The source files of the extension and of its panel: their paths with slashes, and their texts.
 * @returns {Map<string, string>}
 */
export function sourceFiles() {
  const paths = ["src", "webview-ui"].flatMap(folder =>
    fs
      .readdirSync(inProject(folder), { recursive: true, encoding: "utf8" })
      .filter(name => name.endsWith(".ts") && !name.endsWith(".d.ts"))
      .map(name => `${folder}/${name.replaceAll(path.sep, "/")}`),
  );
  return new Map(paths.sort().map(file => [file, fs.readFileSync(inProject(...file.split("/")), "utf8")]));
}

/**
 * The texts that the files give to `t` and `vscode.l10n.t`.
 * @param {TypeScript} ts
 * @param {Iterable<readonly [string, string]>} files
 * @returns {LocalizedTexts}
 */
export function localizedTexts(ts, files) {
  /** @type {Set<string>} */
  const texts = new Set();
  /** @type {string[]} */
  const faults = [];
  for (const [file, text] of files) {
    const source = parsed(ts, file, text);
    const importsT = /import \{[^}]*\bt\b[^}]*\} from "[^"]*\/l10n\.ts"/.test(text) || file.endsWith("/base/l10n.ts");
    forEachNode(ts, source, node => {
      if (!isTranslation(ts, node, importsT)) return;
      const [first, ...args] = node.arguments;
      const place = `${placeOf(source, node)}: ${node.getText(source).replace(/\s+/g, " ").slice(0, 80)}`;
      if (!first || !ts.isStringLiteralLike(first)) return void faults.push(`${place} has no literal text.`);
      texts.add(first.text);
      const holes = [...first.text.matchAll(/\{(\d+)\}/g)].map(([, index]) => Number(index));
      const isSpread = args.some(arg => ts.isSpreadElement(arg));
      if (!isSpread && Math.max(-1, ...holes) + 1 !== args.length)
        faults.push(`${place} has ${args.length} arguments for the placeholders of its text.`);
      if (file.startsWith("src/") && ts.isIdentifier(node.expression) && !isInFunction(ts, node))
        faults.push(`${place} is read before the user's language is set.`);
    });
  }
  return { texts: [...texts].sort(), faults };
}

/**
 * The content of {@link textsPath} for these texts.
 * @param {readonly string[]} texts
 */
export const bundleOf = texts => `${JSON.stringify(Object.fromEntries(texts.map(text => [text, text])), null, 2)}\n`;

/**
 * Literals that read like a sentence for a user but are not translated. The calls of a log, the refusals that go to an
 * agent, and errors of several errors are for others.
 * @param {TypeScript} ts
 * @param {Iterable<readonly [string, string]>} files
 * @returns {readonly { readonly file: string, readonly line: number, readonly text: string }[]}
 */
export function untranslatedSentences(ts, files) {
  return [...files].flatMap(([file, text]) => {
    const source = parsed(ts, file, text);
    // The user decides about changes and checkpoints, so these refusals are for the user.
    const refusesUser = /^src\/(?:review|checkpoints)\//.test(file);
    /** @type {{ file: string, line: number, text: string }[]} */
    const found = [];
    /** @param {Node} node */
    const visit = node => {
      if (isForOthers(ts, node, source, refusesUser)) return;
      const words = sentenceIn(ts, node);
      if (words !== undefined) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
        found.push({ file, line: line + 1, text: words });
      } else ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  });
}

/**
 * The text of a literal that reads like a sentence: it begins with a capital letter or a value, has several words, and
 * ends as a sentence does, or goes on with a value after a colon.
 * @param {TypeScript} ts
 * @param {Node} node
 */
function sentenceIn(ts, node) {
  const written = ts.isStringLiteralLike(node)
    ? node.text
    : ts.isTemplateExpression(node)
      ? node.head.text + node.templateSpans.map(({ literal }) => `{}${literal.text}`).join("")
      : undefined;
  if (written === undefined) return undefined;
  // Names of elements and attributes are no words for users.
  const text = ts.isTaggedTemplateExpression(node.parent) ? written.replace(/<[^>]*>/g, "") : written;
  const isSentence = /^(?:["“]?\p{Lu}|\{\})/u.test(text) && /\p{L}\p{Ll}*,? \p{Ll}{2,}/u.test(text);
  return isSentence && /(?:[.?!…][”")]?|: \{\}|\{\})$/.test(text.trimEnd()) ? text : undefined;
}

/** @param {TypeScript} ts @param {Node} node @param {SourceFile} source @param {boolean} refusesUser */
function isForOthers(ts, node, source, refusesUser) {
  if (ts.isImportDeclaration(node)) return true;
  if (ts.isCallExpression(node)) {
    const called = node.expression.getText(source).replace(/\s+/g, "");
    return /(?:^|\.)t$|[lL]og(?:Once|Error)?(?:\?)?(?:\.(?:debug|info|warn|error)|\[\w+\])?$/.test(called);
  }
  if (!ts.isNewExpression(node)) return false;
  const created = node.expression.getText(source);
  return created === "AggregateError" || (created === "Refusal" && !refusesUser);
}

/**
 * @param {TypeScript} ts
 * @param {Node} node
 * @param {boolean} importsT
 * @returns {node is import("typescript").CallExpression}
 */
function isTranslation(ts, node, importsT) {
  if (!ts.isCallExpression(node)) return false;
  const called = node.expression;
  if (ts.isIdentifier(called)) return importsT && called.text === "t";
  return (
    ts.isPropertyAccessExpression(called) &&
    called.name.text === "t" &&
    ts.isPropertyAccessExpression(called.expression) &&
    called.expression.name.text === "l10n"
  );
}

/** @param {TypeScript} ts @param {Node} node */
function isInFunction(ts, node) {
  for (let parent = node.parent; parent; parent = parent.parent) if (ts.isFunctionLike(parent)) return true;
  return false;
}

/** @param {TypeScript} ts @param {string} file @param {string} text */
const parsed = (ts, file, text) => ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);

/** @param {TypeScript} ts @param {Node} node @param {(node: Node) => void} visit */
function forEachNode(ts, node, visit) {
  visit(node);
  ts.forEachChild(node, child => forEachNode(ts, child, visit));
}

/** @param {SourceFile} source @param {Node} node */
function placeOf(source, node) {
  return `${source.fileName}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`;
}
