// The translations of Parley, and what is wrong with them. `npm run l10n` keeps their files in the order of the English
// texts, removes texts that are no longer used, and names those that are missing.
import fs from "node:fs";
import { inProject } from "./project.mjs";

/** @typedef {Readonly<Record<string, string>>} Texts the texts by their keys */

/**
 * The texts of one language, or in English.
 * @typedef {object} Translation
 * @property {Texts} bundle the texts of the code, whose keys are the English texts
 * @property {Texts} manifest the texts of the manifest
 */

/** The languages that Parley has beside English, as VS Code names them. */
export const languages = ["de", "zh-cn", "ja", "es", "pt-br"];

/** The path of the texts of the code in a language, or in English. @param {string} [language] */
export const bundlePath = language =>
  inProject("l10n", language === undefined ? "bundle.l10n.json" : `bundle.l10n.${language}.json`);

/** The path of the texts of the manifest in a language, or in English. @param {string} [language] */
export const manifestPath = language =>
  inProject(language === undefined ? "package.nls.json" : `package.nls.${language}.json`);

/**
 * The texts of a language, or in English. A file that does not exist has no texts.
 * @param {string} [language]
 * @returns {Translation}
 */
export function readTranslation(language) {
  return { bundle: readTexts(bundlePath(language)), manifest: readTexts(manifestPath(language)) };
}

/** @param {string} file @returns {Texts} */
function readTexts(file) {
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : {};
}

/** The content of a file of texts. @param {Texts} texts */
export const fileOfTexts = texts => `${JSON.stringify(texts, null, 2)}\n`;

/**
 * The translated texts in the order of the English ones, without those that are no longer used.
 * @param {Texts} english
 * @param {Texts} translated
 * @returns {{ readonly texts: Texts, readonly surplus: readonly string[], readonly missing: readonly string[] }}
 */
export function arrangedTexts(english, translated) {
  const known = Object.keys(english).filter(key => Object.hasOwn(translated, key));
  return {
    texts: Object.fromEntries(known.map(key => [key, translated[key] ?? ""])),
    surplus: Object.keys(translated).filter(key => !Object.hasOwn(english, key)),
    missing: Object.keys(english).filter(key => !Object.hasOwn(translated, key)),
  };
}

/**
 * One sentence for each thing that is wrong with a translation. Empty: nothing is.
 * @param {Translation} english
 * @param {Translation} translation
 * @returns {readonly string[]}
 */
export function translationFaults(english, translation) {
  const names = namesIn(english.manifest);
  /** @param {string} text */
  const nameOf = text => translation.manifest[names.get(text) ?? ""];
  return /** @type {const} */ (["bundle", "manifest"]).flatMap(part => {
    const { missing, surplus } = arrangedTexts(english[part], translation[part]);
    return [
      ...missing.map(key => `${shown(key)} is missing.`),
      ...surplus.map(key => `${shown(key)} is no text of Parley.`),
      ...Object.entries(english[part]).flatMap(([key, text]) => {
        const translated = translation[part][key];
        if (translated === undefined) return [];
        return textFaults(text, translated, nameOf).map(fault => `${shown(key)} ${fault}: ${shown(translated)}`);
      }),
    ];
  });
}

/**
 * The titles of commands that texts quote, with their keys.
 * @param {Texts} manifest
 */
const namesIn = manifest =>
  new Map(Object.entries(manifest).flatMap(([key, text]) => (key.startsWith("command.") ? [[text, key]] : [])));

/** What a translation must contain exactly as often as the English text. */
const exactParts = [
  { name: "placeholders", pattern: /\{\d+\}/g },
  { name: "variables", pattern: /\$\{[^}]*\}/g },
  { name: "icons", pattern: /\$\([a-z-]+(?:~[a-z]+)?\)/g },
  { name: "code", pattern: /`[^`]*`/g },
  { name: "links", pattern: /\]\([^)]*\)/g },
  { name: "names of settings", pattern: /\bparley\.[a-zA-Z.]*[a-zA-Z]/g },
  { name: "lines", pattern: /\n/g },
];

/** Labels have at most this many characters in English. They stand on buttons, in menus and in lists. */
const maxLabelLength = 24;
/** How much wider than in English a label may be: that many times, or by that many letters. */
const maxLabelGrowth = { times: 3, letters: 18 };

const invisible = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u;

/**
 * What is wrong with the translation of one text. Each continues a sentence with the text as its subject.
 * @param {string} text in English
 * @param {string} translated
 * @param {(name: string) => string | undefined} nameOf the translation of the title of a command
 * @returns {readonly string[]}
 */
export function textFaults(text, translated, nameOf) {
  const faults = [];
  if (translated.trim() === "") return ["is empty"];
  for (const { name, pattern } of exactParts) {
    /** @param {string} where */
    const found = where => JSON.stringify((where.match(pattern) ?? []).sort());
    if (found(text) !== found(translated)) faults.push(`has other ${name}`);
  }
  if (!hasSpaces(text, translated)) faults.push("begins or ends with other spaces");
  if (invisible.test(translated)) faults.push("has invisible characters");
  const quoted = [...text.matchAll(/“([^”{}]+)”/g)].map(([, name = ""]) => name.replace(/^Parley: /, ""));
  const wrong = quoted.find(name => !translated.includes(nameOf(name) ?? ""));
  if (wrong !== undefined) faults.push(`names the command “${wrong}” otherwise`);
  const isLabel = text.length <= maxLabelLength && !/[.?!]/.test(text);
  const { times, letters } = maxLabelGrowth;
  if (isLabel && widthOf(translated) > Math.max(times * widthOf(text), widthOf(text) + letters))
    faults.push("is too long for a label");
  return faults;
}

/** @param {string} text @param {string} translated */
const hasSpaces = (text, translated) =>
  /^\s*/.exec(text)?.[0] === /^\s*/.exec(translated)?.[0] && /\s*$/.exec(text)?.[0] === /\s*$/.exec(translated)?.[0];

/** The width in Latin letters. A character of East Asia counts as two. @param {string} text */
const widthOf = text => [...text].reduce((sum, character) => sum + (character > "\u2e80" ? 2 : 1), 0);

/** @param {string} text */
const shown = text => `“${text.length > 100 ? `${text.slice(0, 99)}…` : text}”`;
