// Amounts of money as agents report them.

/** A cost. Agents can name a unit that is no currency code, such as "credits". */
export interface Money {
  readonly amount: number;
  readonly currency: string;
}

/** A cost as text, in this locale or the one of the process. `Intl` throws for a unit that is no currency code. */
export function formatMoney({ amount, currency }: Money, locale?: string): string {
  if (!/^[A-Z]{3}$/.test(currency)) return `${amount} ${currency}`;
  return amount.toLocaleString(locale, { style: "currency", currency, maximumFractionDigits: 4 });
}

/** A difference or sum of decimal fractions has digits that none of them has. */
export const roundMoney = (amount: number): number => Number(amount.toFixed(6));

/** One sum for each currency, in the order of their codes. Currencies are never added to each other. */
export function sumMoney(costs: Iterable<Money>): readonly Money[] {
  const sums = new Map<string, number>();
  for (const { amount, currency } of costs) sums.set(currency, (sums.get(currency) ?? 0) + amount);
  return [...sums]
    .map(([currency, amount]) => ({ amount: roundMoney(amount), currency }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1));
}
