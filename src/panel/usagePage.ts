// The boundary between the page of usage, an editor tab, and the extension host.
import type { Money } from "../base/money.ts";
import { isMessageOf, isOneOf, type Fields, type MessageOf } from "../base/validators.ts";

/** The periods of which the page can show the usage, by the days until today. */
export const usagePeriods = ["today", "week", "month", "all"] as const;
export type UsagePeriod = (typeof usagePeriods)[number];

/** What the turns of one day, agent or model have used. */
export interface UsageLine {
  /** Empty: not known. */
  readonly name: string;
  readonly turns: number;
  readonly input: number;
  readonly output: number;
  readonly tokens: number;
  readonly costs: readonly Money[];
}

/** The usage of a period. No lines: no agent reported any. */
export interface UsageView {
  readonly period: UsagePeriod;
  readonly days: readonly UsageLine[];
  readonly agents: readonly UsageLine[];
  readonly models: readonly UsageLine[];
  readonly total: UsageLine;
  /** Sessions of an earlier version of Parley are being read. */
  readonly isReading?: true;
  /** The number of sessions that could not be read. */
  readonly unread?: number;
}

/** What the extension host sends to the page. */
export type UsageMessage =
  | { readonly type: "usage"; readonly view: UsageView }
  /** The file was written, or could not be: `problem` is a sentence. */
  | { readonly type: "exported"; readonly problem?: string };

/** Every intent of the page. */
const usageIntents = {
  ready: {},
  choose: { period: isOneOf(...usagePeriods) },
  export: {},
} as const satisfies Readonly<Record<string, Fields>>;

export type UsageIntent = MessageOf<typeof usageIntents>;

/** Whether a message of the page is an intent. */
export const isUsageIntent = isMessageOf(usageIntents);
