// The checks of untrusted values, and the types that are inferred from them.
import assert from "node:assert/strict";
import { inspect } from "node:util";
import fc from "fast-check";
import {
  isAnyOf,
  isAnything,
  isBoolean,
  isFiniteNumber,
  isListOf,
  isMessageOf,
  isNonNegativeInteger,
  isOneOf,
  isRecordOf,
  isRecordWith,
  isString,
  isStringLike,
  isTrue,
  nullable,
  optional,
  type FieldsOf,
  type TypeOf,
} from "../../src/base/validators.ts";

/** Compiles only with `true` if the types are identical, also in what is optional and readonly. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const proves = <Expected extends true>(proof: Expected): void => assert.ok(proof);

const place = { path: isString, line: optional(isNonNegativeInteger) };
const patch = { size: optional(nullable(isFiniteNumber)) };
const isShape = isAnyOf(
  isRecordOf({ type: isOneOf("place"), places: isListOf(isRecordWith(place)) }),
  isRecordOf({ type: isOneOf("other"), kind: isStringLike("a", "b"), raw: isAnything, on: optional(isTrue) }),
);

describe("a check of untrusted values", () => {
  it("has the type of the values that it accepts", () => {
    proves<Same<FieldsOf<typeof place>, { readonly path: string; readonly line?: number }>>(true);
    proves<Same<FieldsOf<{}>, {}>>(true);
    proves<
      Same<
        TypeOf<typeof isShape>,
        | { readonly type: "place"; readonly places: readonly { readonly path: string; readonly line?: number }[] }
        | {
            readonly type: "other";
            readonly kind: "a" | "b" | (string & {});
            readonly raw: unknown;
            readonly on?: true;
          }
      >
    >(true);
    proves<Same<FieldsOf<typeof patch>, { readonly size?: number | null }>>(true);
  });

  it("accepts only values of its type", () => {
    const table: readonly (readonly [(value: unknown) => boolean, readonly unknown[], readonly unknown[]])[] = [
      [isString, ["", "x"], [1, null, undefined, {}, ["x"]]],
      [isBoolean, [true, false], [0, "true", null, undefined]],
      [isTrue, [true], [false, 1, undefined]],
      [isFiniteNumber, [0, -1.5], [NaN, Infinity, "1", null, 1n]],
      [isNonNegativeInteger, [0, 7], [-1, 1.5, 2 ** 53, "1"]],
      [isOneOf("a", "b"), ["a", "b"], ["c", "", ["a"], undefined]],
      [isStringLike("a"), ["a", "z"], [1, undefined]],
      [isAnything, [undefined, null, 1], []],
      [optional(isString), [undefined, "x"], [null, 1]],
      [nullable(isString), [null, "x"], [undefined, 1]],
      [isListOf(isString), [[], ["a"]], [["a", 1], { 0: "a", length: 1 }, "a"]],
      [isRecordWith(place), [{ path: "a" }, { path: "a", line: 1, more: 1 }], [{}, { path: "a", line: "1" }, [], null]],
      [isRecordOf(place), [{ path: "a" }, { path: "a", line: 1 }], [{ path: "a", more: 1 }, { line: 1 }, "a"]],
      [isRecordWith(patch), [{}, { size: null }, { size: 1 }], [{ size: "1" }, undefined]],
      [
        isMessageOf({ go: { step: isFiniteNumber }, stop: {} }),
        [{ type: "go", step: 1 }, { type: "stop" }],
        [
          { type: "go" },
          { type: "stop", step: 1 },
          { type: "constructor" },
          { type: ["stop"] },
          { step: 1 },
          null,
          "stop",
        ],
      ],
      [isRecordOf({}), [{}], [{ toString: 1 }, JSON.parse('{"__proto__":1}'), []]],
    ];
    for (const [check, good, bad] of table) {
      for (const value of good) assert.equal(check(value), true, inspect(value));
      for (const value of bad) assert.equal(check(value), false, inspect(value));
    }
  });

  it("never throws", () => {
    fc.assert(fc.property(fc.anything(), value => typeof isShape(value) === "boolean"));
  });
});
