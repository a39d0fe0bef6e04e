// The secrets that this process knows, and the text without them: keys, passwords and credentials as the user entered or
// configured them. `Secret` adds them, so that nothing that is shown or stored later contains one.

/** Replaces a credential. */
export const hiddenValue = "•••";

/**
 * A shorter value is not hidden, and a value below {@link minPartLength} only where it is a word of its own: it would hide
 * parts of other words.
 */
const minLength = 6;
const minPartLength = 8;
/** Words with fewer letters, and shorter numbers, are not hidden: `production`, `my-project` and `443` are not secret. */
const minWordLength = 16;
const minNumberLength = 8;
/** A value of fewer different characters is a ruler or a placeholder, such as `xxxxxxxx`. */
const minDistinctCharacters = 4;
/** A line of a secret of several lines, such as a private key, is hidden by itself if it is at least this long. */
const minLineLength = 16;

const known = new Set<string>();
let index: FormIndex | undefined;

/** Whether a value is long and unusual enough to be hidden wherever it appears. */
export function isHideable(value: string): boolean {
  if (value.length < minLength || new Set(value).size < minDistinctCharacters) return false;
  const joined = value.replace(/[-_./ ]/g, "");
  if (/^\p{L}+$/u.test(joined)) return joined.length >= minWordLength;
  return !/^\d+$/.test(value) || value.length >= minNumberLength;
}

/** Hides the value in everything that is masked from now on, whatever it looks like. Only `Secret` calls this. */
export function addKnownSecret(value: string): void {
  const lines = value.split(/\r?\n/).map(line => line.trim());
  const parts = lines.length > 1 ? lines.filter(line => line.length >= minLineLength && !line.startsWith("---")) : [];
  for (const part of [value, value.trim(), ...parts]) {
    if (!isHideable(part) || known.has(part)) continue;
    known.add(part);
    index = undefined;
    maskedValues = new WeakMap();
  }
}

/** The text without the secrets, also as they are written in JSON, in addresses and in base64. */
export function maskKnownSecrets(text: string): string {
  if (known.size === 0 || text.length < minLength) return text;
  let masked = "";
  let from = 0;
  for (const { at, length } of findSecrets(text)) {
    masked += text.slice(from, at) + hiddenValue;
    from = at + length;
  }
  return from === 0 ? text : masked + text.slice(from);
}

/** The texts without the secrets in what they say together. A secret in several of them is hidden in the first. */
export function maskKnownPieces(pieces: readonly string[]): readonly string[] {
  if (known.size === 0) return pieces;
  const matches = findSecrets(pieces.join(""));
  if (matches.length === 0) return pieces;
  let from = 0;
  return pieces.map(piece => {
    const to = from + piece.length;
    let shown = "";
    let at = from;
    for (const match of matches) {
      const end = match.at + match.length;
      if (end <= at || match.at >= to) continue;
      shown += piece.slice(at - from, Math.max(at, match.at) - from) + (match.at >= from ? hiddenValue : "");
      at = Math.min(to, end);
    }
    shown += piece.slice(at - from);
    from = to;
    return shown;
  });
}

type MaskedValues = WeakMap<object, object>;
/** Values without secrets, by the values with them, so that the same value is masked once. By the fields that stay. */
let maskedValues = new WeakMap<ReadonlySet<string>, MaskedValues>();

/**
 * The same value without secrets in its texts and names of fields, at any depth. Identical if it has none. The fields in
 * `except` stay as they are.
 */
export function maskKnownIn<T>(value: T, except: ReadonlySet<string> = noFields): T {
  if (known.size === 0) return value;
  const cache = maskedValues.get(except) ?? new WeakMap<object, object>();
  maskedValues.set(except, cache);
  return maskNested(value, except, cache) as T;
}
const noFields: ReadonlySet<string> = new Set();

function maskNested(value: unknown, except: ReadonlySet<string>, cache: MaskedValues): unknown {
  if (typeof value === "string") return maskKnownSecrets(value);
  if (typeof value !== "object" || value === null) return value;
  const before = cache.get(value);
  if (before) return before;
  const masked = Array.isArray(value) ? maskItems(value, except, cache) : maskFields(value, except, cache);
  if (masked !== value) cache.set(value, masked);
  return masked;
}

function maskItems(list: readonly unknown[], except: ReadonlySet<string>, cache: MaskedValues): readonly unknown[] {
  const masked = list.map(item => maskNested(item, except, cache));
  return masked.some((item, i) => item !== list[i]) ? masked : list;
}

function maskFields(record: object, except: ReadonlySet<string>, cache: MaskedValues): object {
  const fields = Object.entries(record);
  const masked = fields.map(([name, value]): [string, unknown] =>
    except.has(name) ? [name, value] : [maskKnownSecrets(name), maskNested(value, except, cache)],
  );
  return masked.some(([name, value], i) => name !== fields[i]?.[0] || value !== fields[i][1])
    ? Object.fromEntries(masked)
    : record;
}

/** How long the beginning of a secret at the end of the text is. Zero if the next text cannot complete one. */
export function unfinishedSecretLength(text: string): number {
  if (known.size === 0) return 0;
  const { longest, byStart, beginnings } = formIndex();
  for (let rest = text.slice(-(longest - 1)); rest !== ""; rest = rest.slice(1)) {
    const isBeginning =
      rest.length < minLength
        ? beginnings.has(rest)
        : byStart.get(rest.slice(0, minLength))?.some(({ form }) => form.length > rest.length && form.startsWith(rest));
    if (isBeginning) return rest.length;
  }
  return 0;
}

/** A text to hide. `isWord`: only where it is a word of its own. */
interface HiddenForm {
  readonly form: string;
  readonly isWord: boolean;
}

/** The forms of all secrets. A search reads each character once, however many secrets there are. */
interface FormIndex {
  /** Whether a form can begin with three characters, by {@link hashAt}. */
  readonly hashes: Uint8Array;
  /** The forms by their first six characters, the longest first. */
  readonly byStart: ReadonlyMap<string, readonly HiddenForm[]>;
  /** The beginnings of forms with fewer characters. */
  readonly beginnings: ReadonlySet<string>;
  readonly longest: number;
}

function formIndex(): FormIndex {
  if (index) return index;
  const forms = new Map<string, HiddenForm>();
  for (const value of known) {
    if (value.length < minPartLength) forms.set(value, { form: value, isWord: true });
    else for (const form of formsOf(value)) forms.set(form, { form, isWord: false });
  }
  const hashes = new Uint8Array(0x1_0000);
  const byStart = new Map<string, HiddenForm[]>();
  const beginnings = new Set<string>();
  const longestFirst = [...forms.values()].sort((a, b) => b.form.length - a.form.length);
  for (const one of longestFirst) {
    hashes[hashAt(one.form, 0)] = 1;
    const start = one.form.slice(0, minLength);
    const sameStart = byStart.get(start);
    if (sameStart) sameStart.push(one);
    else byStart.set(start, [one]);
    for (let length = 1; length < minLength; length++) beginnings.add(start.slice(0, length));
  }
  return (index = { hashes, byStart, beginnings, longest: longestFirst[0]?.form.length ?? 0 });
}

const hashAt = (text: string, at: number): number =>
  (text.charCodeAt(at) * 1289 + text.charCodeAt(at + 1) * 37 + text.charCodeAt(at + 2)) & 0xffff;

/** Where secrets are in the text. */
function findSecrets(text: string): readonly { readonly at: number; readonly length: number }[] {
  const { hashes, byStart } = formIndex();
  const found: { readonly at: number; readonly length: number }[] = [];
  for (let at = 0; at <= text.length - minLength; at++) {
    if (hashes[hashAt(text, at)] === 0) continue;
    const fits = ({ form, isWord }: HiddenForm): boolean =>
      text.startsWith(form, at) && !(isWord && (isLetter(text, at - 1) || isLetter(text, at + form.length)));
    const match = byStart.get(text.slice(at, at + minLength))?.find(fits);
    if (!match) continue;
    found.push({ at, length: match.form.length });
    at += match.form.length - 1;
  }
  return found;
}

const isLetter = (text: string, at: number): boolean => /[\p{L}\p{N}_]/u.test(text.charAt(at));

function formsOf(value: string): readonly string[] {
  const inJson = JSON.stringify(value).slice(1, -1);
  const inAscii = inJson.replace(/[\u0080-\uffff]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const inAddress = encodeURIComponent(new TextDecoder().decode(new TextEncoder().encode(value)));
  const forms = [
    ...[value, inJson, inAscii, JSON.stringify(inJson).slice(1, -1)],
    ...[inAddress, inAddress.replace(/%[0-9A-F]{2}/g, code => code.toLowerCase()), inAddress.replaceAll("%20", "+")],
    ...base64Forms(value),
  ];
  return forms.filter(form => form.length >= minPartLength);
}

/** What base64 of any text with the value inside contains, by the position of the value in a group of three bytes. */
function base64Forms(value: string): readonly string[] {
  const bytes = Array.from(new TextEncoder().encode(value), byte => String.fromCharCode(byte));
  return [0, 1, 2].flatMap(offset => {
    const text = btoa("\0".repeat(offset) + bytes.join("")).replace(/=+$/, "");
    // The first characters also depend on the bytes before the value, and the last one on those after it.
    const start = [0, 2, 3][offset] ?? 0;
    const end = (offset + bytes.length) % 3 === 0 ? text.length : text.length - 1;
    const inner = text.slice(start, end);
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
