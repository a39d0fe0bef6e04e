// The price of a basket. An item is { name, price, quantity }; prices are in euros.

import { sum } from "./sum.js";

const FREE_SHIPPING_FROM = 50;
const SHIPPING = 4.9;

/** The price of all items, without shipping. */
export function subtotal(items) {
  return roundToCents(sum(items.map(item => item.price * item.quantity)));
}

/** The price of shipping: zero for an empty basket or a large order. */
export function shipping(items) {
  if (items.length === 0) return 0;
  return subtotal(items) >= FREE_SHIPPING_FROM ? 0 : SHIPPING;
}

/** The price that the customer pays. `discount` is a fraction between 0 and 1. */
export function total(items, discount = 0) {
  const goods = roundToCents(subtotal(items) * (1 - discount));
  return roundToCents(goods + shipping(items));
}

function roundToCents(amount) {
  const cents = Math.round(amount * 100);
  return cents / 100;
}
