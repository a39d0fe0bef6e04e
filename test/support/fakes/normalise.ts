// Removes times from goldens: a replay uses its own clock, and the goldens do not test times.

const times = new Set(["at", "until", "ended", "since"]);

/** A copy as plain JSON without times. */
export function withoutTimes(value: unknown): unknown {
  const text = JSON.stringify(value, (key: string, inner: unknown) =>
    times.has(key) && typeof inner === "number" ? undefined : inner,
  );
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}

export const sameJson = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

/** Every string in the value, without keys. */
export function stringsOf(value: unknown, out: string[] = []): readonly string[] {
  if (typeof value === "string") out.push(value);
  else if (Array.isArray(value)) for (const item of value) stringsOf(item, out);
  else if (typeof value === "object" && value !== null) for (const item of Object.values(value)) stringsOf(item, out);
  return out;
}
