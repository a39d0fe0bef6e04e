import assert from "node:assert/strict";
import { test } from "node:test";
import { shipping, subtotal, total } from "../src/cart.js";

const pen = { name: "pen", price: 1.5, quantity: 4 };
const lamp = { name: "lamp", price: 48, quantity: 1 };

test("subtotal multiplies prices by quantities", () => {
  assert.equal(subtotal([pen, lamp]), 54);
});

test("shipping is free from 50 euros, and for an empty basket", () => {
  assert.equal(shipping([pen]), 4.9);
  assert.equal(shipping([pen, lamp]), 0);
  assert.equal(shipping([]), 0);
});

test("total takes the discount off the goods", () => {
  assert.equal(total([pen, lamp], 0.5), 27);
});
