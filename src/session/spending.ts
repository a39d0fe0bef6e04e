// What the turns of a session have used, as far as the agent reports it.
import { roundMoney, type Money } from "../base/money.ts";
import type { SessionState, TurnBegin } from "./state.ts";
import { tokensOf } from "./turnSummary.ts";

const maxModelLength = 200;
const maxCurrencyLength = 20;

/** The state in which the turn that ends is counted. `begin`: absent if it was not reported. */
export function withSpending(state: SessionState, begin: TurnBegin | undefined, at: number): SessionState {
  const { turnUsage, usage, spending } = state;
  const now = usage?.cost;
  const isKnown = now !== undefined && now.amount >= 0 && now.currency.length <= maxCurrencyLength;
  const cost = isKnown ? costOfTurn(now, begin?.cost ?? "unknown", spending.counted) : undefined;
  const tokens = tokensOf(turnUsage);
  const model = modelOf(state);
  const counts = {
    ...(turnUsage?.input !== undefined && { input: turnUsage.input }),
    ...(turnUsage?.output !== undefined && { output: turnUsage.output }),
    ...(tokens !== undefined && { tokens }),
    ...(cost && { cost }),
  };
  const counted = isKnown ? now : spending.counted;
  const isReported = Object.keys(counts).length > 0;
  if (!isReported && counted === spending.counted && !spending.isNew) return state;
  const turns = isReported
    ? [...spending.turns, { at, ...(model !== undefined && { model }), ...counts }]
    : spending.turns;
  return { ...state, spending: { turns, ...(counted && { counted }) } };
}

/**
 * Agents report the cost of their whole session, so that of a turn is the difference to what is counted. A cost below that
 * means that the agent has begun to count again. A cost of which a part may be of earlier turns is not counted.
 */
function costOfTurn(now: Money, begin: TurnBegin["cost"], counted: Money | undefined): Money | undefined {
  const known = [counted, typeof begin === "object" ? begin : undefined]
    .filter(cost => cost?.currency === now.currency)
    .map(cost => cost?.amount ?? 0);
  if (known.length === 0 && (counted !== undefined || begin !== "none")) return undefined;
  const before = known.length === 0 ? 0 : Math.min(...known);
  const amount = roundMoney(now.amount < before ? now.amount : now.amount - before);
  return amount > 0 ? { amount, currency: now.currency } : undefined;
}

/** The models that the agent counted, otherwise the one that is chosen. */
function modelOf({ turnUsage, options }: SessionState): string | undefined {
  const counted = turnUsage?.models?.map(({ model }) => model) ?? [];
  const chosen = options.find(({ category }) => category === "model")?.value;
  const name = counted.length > 0 ? counted.join(", ") : typeof chosen === "string" ? chosen : undefined;
  return name?.slice(0, maxModelLength);
}
