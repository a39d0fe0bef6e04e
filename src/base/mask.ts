// Masks credentials in printed text and command lines before they are shown or saved. Patterns can be wrong: they
// rather mask too much if a value is assigned to a name such as `token`, and too little if only a space or a colon
// separates them, as in prose.
import { hiddenValue, maskKnownSecrets } from "./secrets/knownSecrets.ts";

/** A pattern that matches only the secret, and a further condition for the match. */
interface Rule {
  readonly find: RegExp;
  readonly when?: (value: string) => boolean;
}

// Invariant: repetitions that can fail are bounded, so that the time is proportional to the length of a line.
// "tokens" is excluded because it is a count.
const credentialName =
  "(?:(?:api|access|private|auth|signing|encryption)[-_ ]?key|token(?!s)|secret|pass(?:word|wd|phrase)|credentials?" +
  "|authorization|cookie)[\\w-]{0,30}";
const credentialAssignment = `${credentialName}\\\\?["']? {0,3}[=:] {0,3}`;
const patternAfter = (before: string, value: string): RegExp => new RegExp(`(?<=${before})${value}`, "gi");

/** The beginning of a word, also right after a color of a terminal, whose sequence ends with a letter. */
const wordStart = "(?:\\b|(?<=\\x1b\\[[0-?]{0,60}[@-~]))";
const word = (pattern: string): RegExp => new RegExp(`${wordStart}${pattern}`, "g");

/** The only pattern that matches more than one line. */
const privateKey = /(?<=-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)(?:(?!-----END)[^])+/g;

const rules: readonly Rule[] = [
  // Secrets that are recognised by their format: keys of well-known services, JSON Web Tokens, private keys.
  { find: word("(?:sk|pk|rk)[-_][\\w-]{16,}"), when: looksSecret },
  { find: word("(?:gh[oprsu]_|github_pat_|glpat-|npm_|hf_|xox[abeprs]-)[\\w-]{16,}"), when: looksSecret },
  { find: word("(?:AKIA[0-9A-Z]{16}\\b|AIza[\\w-]{30,})") },
  { find: word("eyJ[\\w.-]{16,}[\\w-]"), when: value => value.split(".").length > 2 },
  { find: privateKey },
  // scheme://user:password@host
  { find: /(?<=:\/\/[^\s:/@]{0,100}:)[^\s/@]+(?=@)/g },
  // Headers: an authorization consists of two words, a cookie of several values.
  {
    find: patternAfter(`${wordStart}authorization["']?: {0,3}["']?(?:bearer|basic|digest|token) `, "[^\\s\"',]+"),
    when: isValue,
  },
  { find: patternAfter(`${wordStart}(?:set-)?cookie: ?`, "[^\\s=]{1,200}=[^\\n]+") },
  { find: patternAfter(`${wordStart}(?:bearer|basic) `, "[\\w.~+/=-]+"), when: looksSecret },
  // "apiKey": "…"  TOKEN='…'  PASSWORD=…  --token=…
  { find: patternAfter(`${credentialAssignment}\\\\?"`, '(?:\\\\.|[^"\\\\\\n])+'), when: isValue },
  { find: patternAfter(`${credentialAssignment}\\\\?'`, "(?:\\\\.|[^'\\\\\\n])+"), when: isValue },
  { find: patternAfter(`${credentialName}[=:]`, "[^\\s\"'&=:>$<(\\[{][^\\s\"'&]*"), when: isValue },
  { find: /(?<=_KEY[=:])[^\s"'&$]+/g, when: isValue },
  // --password …
  {
    find: patternAfter(`(?:^|\\s)--?[\\w-]{0,40}${credentialName} ["']?`, "[^\\s\"'<\\[-][^\\s\"']*"),
    when: isArgument,
  },
  // token: …  api key = …  token …  key: …
  { find: patternAfter(credentialAssignment, "[^\\s\"'(]{6,}"), when: looksSecret },
  { find: patternAfter(`${credentialName} `, "[^\\s\"'(]{12,}"), when: looksSecret },
  { find: /(?<=\bkey["']? ?[=:] ?["']?)[\w.~+/=-]{16,}/gi, when: looksSecret },
  { find: /(?<=\bpass(?:word|wd|phrase): )[^\s"']+(?=[ \t]*$)/gim, when: isValue },
];

/** The text with likely credentials replaced by "•••". */
export function maskText(text: string): string {
  return rules.reduce(
    (masked, { find, when }) => masked.replace(find, value => (when?.(value) === false ? value : hiddenValue)),
    maskKnownSecrets(text),
  );
}

/**
 * The same as {@link maskText}, for a long text: pieces of about `length` characters, which make up the masked text. Each
 * piece ends with a line, because no pattern but that of private keys matches a line break.
 */
export function* maskedPieces(text: string, length: number): Generator<string, void, void> {
  const rest = maskKnownSecrets(text).replace(privateKey, hiddenValue);
  for (let from = 0, end = 0; from < rest.length; from = end) {
    const lineEnd = from + length < rest.length ? rest.indexOf("\n", from + length) : -1;
    end = lineEnd < 0 ? rest.length : lineEnd + 1;
    yield maskText(rest.slice(from, end));
  }
}

/** The text without the value, unless the value is so short that it would also hide parts of other words. */
export function maskValue(text: string, value: string): string {
  return value.length < minValueLength ? text : text.replaceAll(value, hiddenValue);
}
const minValueLength = 4;

/**
 * The credentials in the value of a variable or a header: the value if its name indicates one, also without its scheme, or
 * the parts of the value that have the format of one.
 */
export function credentialsIn(name: string, value: string): readonly string[] {
  if (secretName.test(name) && isValue(value) && !isPathOrAddress(value)) {
    const [, afterScheme] = /^(?:bearer|basic|digest|token) +(\S.*)$/i.exec(value) ?? [];
    return afterScheme === undefined ? [value] : [value, afterScheme];
  }
  const found = rules.flatMap(({ find, when }) =>
    Array.from(value.matchAll(find), ([match]) => match).filter(match => when?.(match) !== false),
  );
  return [...new Set(found)];
}
const secretName = new RegExp(`(?:${credentialName}|(?:^|_)key)$`, "i");

/** A file with credentials, or where to get them, is not a secret itself. */
const isPathOrAddress = (value: string): boolean =>
  /^(?:~|[a-z]:)?[\\/](?:[\w.@ -]+[\\/])+[\w.@ -]+$/i.test(value) || /^https?:\/\/[^\s@?]+$/i.test(value);

/** The value of a variable, masked if its name or its format indicates a credential. */
export function maskVariable(name: string, value: string): string {
  // The rules recognise values by the name before them.
  return maskText(`${name}=${value}`).slice(name.length + 1);
}

/** Whether an argument is a flag that is followed by a credential. */
export function isSecretFlag(piece: string): boolean {
  return secretFlag.test(piece);
}
const secretFlag = new RegExp(`^--?[\\w-]{0,40}${credentialName}$`, "i");

/** An actual value, unlike `none` or `false`. */
function isValue(value: string): boolean {
  return /[a-z0-9]/i.test(value) && !/^(?:true|false|null|none|undefined)\b/i.test(value);
}

/** A value after a flag in a command line, unlike the next word of a sentence about the flag. */
function isArgument(value: string): boolean {
  const word =
    /^(?:and|are|argument|as|can|cannot|flag|for|from|has|if|in|instead|is|must|not|option|or|should|the|to|was|with)\b/i;
  return isValue(value) && !word.test(value);
}

/** Mixes letters and digits, or has capitals inside a long run of letters, unlike words of prose. */
function looksSecret(value: string): boolean {
  if (value.length < 6 || !/[a-z]/i.test(value)) return false;
  return /\d/.test(value) || (value.length >= 16 && /[a-z][A-Z]/.test(value));
}
