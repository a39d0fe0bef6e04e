// Random changes to JSON values and to bytes, as data, so that fast-check can shrink them.
import fc from "fast-check";
import { hostileVectors } from "../support/fakes/hostile.ts";

/**
 * A change to one value inside a JSON value. `at` chooses the value among all of them. `exchange` takes a value that
 * another message has under the same name, so that the message stays valid and means something else.
 */
export interface JsonChange {
  readonly do: "replace" | "remove" | "rename" | "repeat" | "exchange";
  readonly at: number;
  readonly value: unknown;
}

/** Texts that are hostile somewhere, at most this many characters long. */
const maxTextLength = 2000;
const texts = hostileVectors().map(({ text }) => text.slice(0, maxTextLength));
const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "length", "type", "sessionUpdate", "then", ""];

/** Stands for JSON that is nested so deeply that code which follows every level fails. See {@link jsonText}. */
const deeplyNested = "(deeply nested)";
const levels = 20_000;

/** The value as JSON. */
export function jsonText(value: unknown): string {
  const nested = (open: string, close: string): string => `${open.repeat(levels)}1${close.repeat(levels)}`;
  return JSON.stringify(value)
    .replaceAll(`"${deeplyNested}"`, nested("[", "]"))
    .replaceAll(`"${deeplyNested}{}"`, nested('{"a":', "}"));
}

/** Values that a sender can put in place of any other value. */
const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown[]>(null, true, false, 0, -1, 1.5, 1e308, -0, 2 ** 53, "", [], {}, [[]], [null], {
    type: null,
  }),
  fc.constantFrom(...names),
  fc.constantFrom(...texts),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom(deeplyNested, `${deeplyNested}{}`),
  fc.jsonValue(),
);

export const jsonChange: fc.Arbitrary<JsonChange> = fc.record({
  do: fc.constantFrom<JsonChange["do"][]>("replace", "replace", "remove", "rename", "repeat", "exchange", "exchange"),
  at: fc.nat(10_000),
  value: hostileValue,
});

type Container = Record<string, unknown>;

/** Every value inside, with its container and its key. */
function places(value: unknown): readonly (readonly [Container, string])[] {
  if (typeof value !== "object" || value === null) return [];
  const container = value as Container;
  return Object.keys(container).flatMap(key => [[container, key] as const, ...places(container[key])]);
}

/** The different values in these messages by their names, for `exchange`. */
export function valuesByName(messages: readonly unknown[]): ReadonlyMap<string, readonly unknown[]> {
  const found = new Map<string, Map<string, unknown>>();
  for (const [container, key] of messages.flatMap(places)) {
    const values = found.get(key) ?? new Map<string, unknown>();
    values.set(JSON.stringify(container[key]), container[key]);
    found.set(key, values);
  }
  return new Map([...found].map(([key, values]) => [key, [...values.values()]]));
}

/**
 * A copy with one change after the other. The result is a tree like parsed JSON: each value that a change puts in is a
 * copy, because two changes can put in the same value, the second one inside the first.
 */
export function changeJson(
  given: unknown,
  changes: readonly JsonChange[],
  others: ReadonlyMap<string, readonly unknown[]> = new Map(),
): unknown {
  const copy = structuredClone(given);
  for (const change of changes) {
    const all = places(copy);
    const [container, key] = all[change.at % Math.max(1, all.length)] ?? [];
    if (container === undefined || key === undefined) return structuredClone(change.value);
    const name = names[change.at % names.length] ?? "";
    if (change.do === "replace") container[key] = structuredClone(change.value);
    else if (change.do === "exchange") {
      const values = others.get(key) ?? [change.value];
      container[key] = structuredClone(values[change.at % values.length]);
    } else if (Array.isArray(container)) {
      if (change.do === "repeat") container.push(structuredClone(container[Number(key)]));
    } else {
      // The name "__proto__" must become a field, as when JSON is parsed.
      const value = structuredClone(container[key]);
      if (change.do !== "repeat") delete container[key];
      if (change.do !== "remove")
        Object.defineProperty(container, name, { value, enumerable: true, configurable: true, writable: true });
    }
  }
  return copy;
}

/** A change to a part of a text. `at` and `length` are shares of the whole. */
export interface ByteChange {
  readonly do: "flip" | "cut" | "zero" | "insert" | "repeat" | "end";
  readonly at: number;
  readonly length: number;
  readonly bytes: Uint8Array;
}

const junk = ["\n", "\r\n", '"', "{", "}", "[", "\\", "\\u", "\u0000", "\u001b[2J", "\u2028", "\ufeff", '{"', "null"];

export const byteChange: fc.Arbitrary<ByteChange> = fc.record({
  do: fc.constantFrom("flip", "flip", "insert", "cut", "zero", "repeat", "end"),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 0.1, noNaN: true })),
  bytes: fc.oneof(
    fc.constantFrom(...junk).map(text => new TextEncoder().encode(text)),
    fc.uint8Array({ minLength: 1, maxLength: 4 }),
  ),
});

/** The bytes with one change after the other. */
export function changeBytes(given: Buffer, changes: readonly ByteChange[]): Buffer {
  let bytes = given;
  for (const change of changes) {
    const from = Math.min(bytes.length, Math.floor(change.at * bytes.length));
    const to = Math.min(bytes.length, from + 1 + Math.floor(change.length * bytes.length));
    const [before, part, after] = [bytes.subarray(0, from), bytes.subarray(from, to), bytes.subarray(to)];
    if (change.do === "end") bytes = before;
    else if (change.do === "cut") bytes = Buffer.concat([before, after]);
    else if (change.do === "repeat") bytes = Buffer.concat([before, part, part, after]);
    else if (change.do === "zero") bytes = Buffer.concat([before, Buffer.alloc(part.length), after]);
    else if (change.do === "insert") bytes = Buffer.concat([before, change.bytes, part, after]);
    else bytes = Buffer.concat([before, change.bytes, after]);
  }
  return bytes;
}
