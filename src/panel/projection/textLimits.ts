// Bounds on every text that crosses to a panel: a title of a megabyte is no title, and laying it out stops the page.

/** Characters of a text that is a line: titles, names, paths, descriptions. No path is longer than that. */
const line = 4096;
/** What is longer by its nature, by the name of its field. Zero: not bounded here. */
const others: Readonly<Record<string, number>> = {
  // Identities come back and must fit; data and texts have bounds of their own, and a text may grow by appending.
  id: 0, entry: 0, live: 0, terminalId: 0, value: 0, data: 0, text: 0,
  // What is decided upon is shown in full wherever anybody could read it.
  command: 20_000, detail: 20_000, patch: 100_000,
}; // prettier-ignore

const known = new WeakMap<object, unknown>();

/** The same value with overlong texts cut, each saying how much is missing. Identical where there is nothing to cut. */
export function bounded<T>(value: T): T {
  return boundedAt(value, "") as T;
}

function boundedAt(value: unknown, field: string): unknown {
  if (typeof value === "string") return cut(value, (Object.hasOwn(others, field) ? others[field] : undefined) ?? line);
  if (typeof value !== "object" || value === null) return value;
  const before = known.get(value);
  if (before !== undefined) return before;
  const result = Array.isArray(value) ? items(value, field) : fields(value as Readonly<Record<string, unknown>>);
  known.set(value, result);
  return result;
}

function items(list: readonly unknown[], field: string): readonly unknown[] {
  const result = list.map(item => boundedAt(item, field));
  return result.every((item, at) => item === list[at]) ? list : result;
}

function fields(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  // A line of a diff is a line, though its field is a text.
  const name = (key: string): string => (key === "text" && "op" in given ? "line" : key);
  const entries = Object.entries(given).map(([key, value]) => [key, boundedAt(value, name(key))] as const);
  return entries.every(([key, value]) => value === given[key]) ? given : Object.fromEntries(entries);
}

function cut(text: string, most: number): string {
  if (most === 0 || text.length <= most) return text;
  return `${text.slice(0, most)}… (${text.length - most} more characters)`;
}
