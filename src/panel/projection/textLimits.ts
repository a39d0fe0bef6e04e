// Limits every text that is sent to a panel, because laying out a title of a megabyte blocks the page.

/** The characters of a text that is one line: titles, names, paths, descriptions. No path is longer than that. */
const defaultLimit = 4096;
/** Limits of longer texts, by the name of their field. Zero: not limited here. */
const fieldLimits: Readonly<Record<string, number>> = {
  // Ids are sent back and must match. Data and texts have their own limits, and a text may grow by appends.
  id: 0, entry: 0, live: 0, terminalId: 0, value: 0, data: 0, text: 0,
  // An answer that starts with them is sent back, and an address is opened.
  default: 0, href: 0, host: 0,
  // The user decides by these texts, so they are shown in full up to the length that a person could read.
  command: 20_000, detail: 20_000, patch: 100_000,
}; // prettier-ignore

const limitedValues = new WeakMap<object, unknown>();

/**
 * The same value with overlong texts cut. Each cut text names the number of missing characters. Identical if nothing is
 * cut.
 */
export function limitTexts<T>(value: T): T {
  return limitField(value, "") as T;
}

function limitField(value: unknown, field: string): unknown {
  if (typeof value === "string")
    return cut(value, (Object.hasOwn(fieldLimits, field) ? fieldLimits[field] : undefined) ?? defaultLimit);
  if (typeof value !== "object" || value === null) return value;
  const before = limitedValues.get(value);
  if (before !== undefined) return before;
  const result = Array.isArray(value)
    ? limitItems(value, field)
    : limitFields(value as Readonly<Record<string, unknown>>);
  limitedValues.set(value, result);
  return result;
}

function limitItems(list: readonly unknown[], field: string): readonly unknown[] {
  const result = list.map(item => limitField(item, field));
  return result.every((item, at) => item === list[at]) ? list : result;
}

function limitFields(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  // A line of a diff has the limit of a line, although its field is named `text`.
  const name = (key: string): string => (key === "text" && "op" in record ? "line" : key);
  const entries = Object.entries(record).map(([key, value]) => [key, limitField(value, name(key))] as const);
  return entries.every(([key, value]) => value === record[key]) ? record : Object.fromEntries(entries);
}

function cut(text: string, maxLength: number): string {
  if (maxLength === 0 || text.length <= maxLength) return text;
  return `${text.slice(0, maxLength)}… (${text.length - maxLength} more characters)`;
}
