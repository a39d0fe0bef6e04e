// Converts large values to JSON in pieces, so that the extension host stays responsive.
import type { Work } from "./lineDiff.ts";

/** Longer lists of a value that is not divided further are converted in parts of this length. */
const partLength = 200;

/**
 * The same text as `JSON.stringify` of plain data. A piece of work is a string, or some items of a list.
 * @param depth how deep objects and lists are divided
 */
export function* jsonWork(value: unknown, depth = 6): Work<string> {
  if (typeof value !== "object" || value === null || depth === 0) {
    const text = JSON.stringify(value) ?? "null";
    yield Math.ceil(text.length / 100);
    return text;
  }
  const parts: string[] = [];
  if (Array.isArray(value)) {
    const isLong = value.length > partLength;
    for (let i = 0; i < value.length; i += isLong ? partLength : 1) {
      if (isLong) {
        parts.push(JSON.stringify(value.slice(i, i + partLength)).slice(1, -1));
        yield partLength;
      } else parts.push(yield* jsonWork(value[i], depth - 1));
    }
    return `[${parts.join(",")}]`;
  }
  for (const [key, one] of Object.entries(value))
    if (one !== undefined) parts.push(`${JSON.stringify(key)}:${yield* jsonWork(one, depth - 1)}`);
  return `{${parts.join(",")}}`;
}
