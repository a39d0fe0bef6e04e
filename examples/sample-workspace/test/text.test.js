import assert from "node:assert/strict";
import { test } from "node:test";
import { count, formatPrice } from "../src/text.js";

test("prices have two decimals", () => {
  assert.equal(formatPrice(12.5), "12.50 €");
});

test("one item has no plural", () => {
  assert.equal(count(1, "item"), "1 item");
  assert.equal(count(3, "item"), "3 items");
});
