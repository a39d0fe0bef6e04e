import assert from "node:assert/strict";
import { test } from "node:test";
import { average, largest, sum } from "../src/sum.js";

test("sum adds every number of the list", () => {
  assert.equal(sum([1, 2, 3]), 6);
  assert.equal(sum([10, 0, -4]), 6);
});

test("sum of an empty list is nothing", () => {
  assert.equal(sum([]), 0);
});

test("average is the sum over the count", () => {
  assert.equal(average([2, 4, 6]), 4);
});

test("average of an empty list is nothing", () => {
  assert.equal(average([]), 0);
});

test("largest finds the largest number", () => {
  assert.equal(largest([3, 9, 4]), 9);
});
