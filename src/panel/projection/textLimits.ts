// Limits every text that is sent to a panel, because laying out a title of a megabyte blocks the page.

/** The characters of a text that is one line: titles, names, paths, descriptions. No path is longer. The lowest limit. */
const defaultLimit = 4096;
/** Limits of longer texts, by the name of their field. Zero: not limited here. */
const fieldLimits: Readonly<Record<string, number>> = {
  // Ids are sent back and must match. Data and texts have their own limits, and a text may grow by appends.
  id: 0, entry: 0, live: 0, terminalId: 0, value: 0, data: 0, text: 0,
  // An answer that starts with them is sent back, and an address is opened.
  default: 0, href: 0, host: 0,
  // The user decides by these texts, so they are shown in full up to the length that a person could read.
  command: 20_000, detail: 20_000, patch: 100_000,
  // Plans are laid out only while the plan or its card is open.
  markdown: 100_000,
}; // prettier-ignore

/** The values with cut texts, by the values that they replace, so that unchanged values keep their identity. */
const limitedValues = new WeakMap<object, object>();

/**
 * The same value with overlong texts cut. Each cut text names the number of missing characters. Identical if nothing is
 * cut.
 */
export function limitTexts<T>(value: T): T {
  return limitField(value, "") as T;
}

function limitField(value: unknown, field: string): unknown {
  if (typeof value === "string") return value.length <= defaultLimit ? value : cut(value, limitOf(field));
  if (typeof value !== "object" || value === null) return value;
  return limitedValues.get(value) ?? (Array.isArray(value) ? limitItems(value, field) : limitFields(value));
}

const limitOf = (field: string): number =>
  (Object.hasOwn(fieldLimits, field) ? fieldLimits[field] : undefined) ?? defaultLimit;

function limitItems(list: readonly unknown[], field: string): readonly unknown[] {
  let result: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const item = limitField(list[i], field);
    if (item !== list[i]) (result ??= list.slice())[i] = item;
  }
  if (!result) return list;
  limitedValues.set(list, result);
  return result;
}

function limitFields(record: object): object {
  let result: Record<string, unknown> | undefined;
  const isDiffLine = "op" in record;
  for (const key in record) {
    const value = (record as Readonly<Record<string, unknown>>)[key];
    // A line of a diff has the limit of a line, although its field is named `text`.
    const limited = limitField(value, isDiffLine && key === "text" ? "line" : key);
    if (limited !== value) (result ??= { ...record })[key] = limited;
  }
  if (!result) return record;
  limitedValues.set(record, result);
  return result;
}

function cut(text: string, maxLength: number): string {
  if (maxLength === 0 || text.length <= maxLength) return text;
  return `${text.slice(0, maxLength)}… (${text.length - maxLength} more characters)`;
}
