// Text for people: prices, and the receipt.

import { shipping, total } from "./cart.js";

/** A price as a customer reads it, such as "12.50 €". */
export function formatPrice(amount) {
  return `${roundToCents(amount).toFixed(2)} €`;
}

/** The plural of a regular English noun, with its count. */
export function count(number, noun) {
  return number === 1 ? `1 ${noun}` : `${number} ${noun}s`;
}

export function receipt(items) {
  const lines = items.map(item => {
    const price = formatPrice(item.price * item.quantity);
    return `${item.quantity} × ${item.name}: ${price}`;
  });
  const sent = shipping(items);
  if (sent > 0) {
    lines.push(`Shipping: ${formatPrice(sent)}`);
  } else if (items.length > 0) {
    lines.push("Shipping: free");
  }
  lines.push(`Total for ${count(items.length, "item")}: ${formatPrice(total(items))}`);
  return lines.join("\n");
}

function roundToCents(amount) {
  const cents = Math.round(amount * 100);
  return cents / 100;
}
