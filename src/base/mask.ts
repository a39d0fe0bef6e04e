// Takes credentials out of printed text and command lines before they are shown or saved. By patterns, so it errs: towards
// hiding where a value is assigned to a telling name, towards prose where only a space or a colon stands between them.

/** Stands where a credential stood. */
export const hiddenValue = "•••";

/** A pattern that matches the secret alone, and what else has to hold for it to be one. */
interface Rule {
  readonly find: RegExp;
  readonly when?: (value: string) => boolean;
}

// Invariant: a repetition that can fail is bounded, so a long line takes time in proportion to its length.
// "tokens" is a count.
const credentialName =
  "(?:(?:api|access|private|auth|signing|encryption)[-_ ]?key|token(?!s)|secret|pass(?:word|wd|phrase)|credentials?" +
  "|authorization|cookie)[\\w-]{0,30}";
const credentialAssignment = `${credentialName}\\\\?["']? {0,3}[=:] {0,3}`;
const patternAfter = (before: string, value: string): RegExp => new RegExp(`(?<=${before})${value}`, "gi");

const rules: readonly Rule[] = [
  // Secrets that show by their shape: keys of well-known services, JSON Web Tokens, private keys.
  { find: /\b(?:sk|pk|rk)[-_][\w-]{16,}/g, when: looksSecret },
  { find: /\b(?:gh[oprsu]_|github_pat_|glpat-|npm_|hf_|xox[abeprs]-)[\w-]{16,}/g, when: looksSecret },
  { find: /\b(?:AKIA[0-9A-Z]{16}\b|AIza[\w-]{30,})/g },
  { find: /\beyJ[\w.-]{16,}[\w-]/g, when: value => value.split(".").length > 2 },
  { find: /(?<=-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)(?:(?!-----END)[^])+/g },
  // scheme://user:password@host
  { find: /(?<=:\/\/[^\s:/@]{0,100}:)[^\s/@]+(?=@)/g },
  // Headers: an authorization has two words, a cookie several values.
  { find: /(?<=\bauthorization["']?: {0,3}["']?(?:bearer|basic|digest|token) )[^\s"',]+/gi, when: isValue },
  { find: /(?<=\b(?:set-)?cookie: ?)[^\s=]{1,200}=[^\n]+/gi },
  { find: /(?<=\b(?:bearer|basic) )[\w.~+/=-]+/gi, when: looksSecret },
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

/** The text with what looks like a credential replaced by "•••". */
export function maskText(text: string): string {
  return rules.reduce(
    (masked, { find, when }) => masked.replace(find, value => (when?.(value) === false ? value : hiddenValue)),
    text,
  );
}

/** The value of a variable, masked if its name or its shape says that it is a credential. */
export function maskVariable(name: string, value: string): string {
  // The rules know values by the names they are assigned to.
  return maskText(`${name}=${value}`).slice(name.length + 1);
}

/** Whether the last word of a command line's piece is a flag that a credential follows. */
export function isSecretFlag(piece: string): boolean {
  return secretFlag.test(piece);
}
const secretFlag = new RegExp(`^--?[\\w-]{0,40}${credentialName}$`, "i");

/** Something and not the lack of it. */
function isValue(value: string): boolean {
  return /[a-z0-9]/i.test(value) && !/^(?:true|false|null|none|undefined)\b/i.test(value);
}

/** What follows a flag in a command line, and not in a sentence about the flag. */
function isArgument(value: string): boolean {
  const word =
    /^(?:and|are|argument|as|can|cannot|flag|for|from|has|if|in|instead|is|must|not|option|or|should|the|to|was|with)\b/i;
  return isValue(value) && !word.test(value);
}

/** Letters and digits mixed, or capitals inside a long run: no word of prose. */
function looksSecret(value: string): boolean {
  if (value.length < 6 || !/[a-z]/i.test(value)) return false;
  return /\d/.test(value) || (value.length >= 16 && /[a-z][A-Z]/.test(value));
}
