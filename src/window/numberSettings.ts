// The settings that are whole numbers: their limits, and the check of the user's values. Pure.
import { t } from "../base/l10n.ts";

interface IntegerSetting {
  readonly minimum: number;
  readonly maximum: number;
  readonly fallback: number;
}

/** The settings by their names without `parley.`. The manifest has the same limits. */
export const integerSettings = {
  "checkpoints.maxCount": { minimum: 1, maximum: 10_000, fallback: 50 },
  "checkpoints.maxAgeDays": { minimum: 1, maximum: 36_500, fallback: 30 },
  "checkpoints.maxIgnoredSize": { minimum: 0, maximum: 1000, fallback: 16 },
  "sessions.maxCount": { minimum: 0, maximum: 100_000, fallback: 1000 },
  "sessions.maxAgeDays": { minimum: 0, maximum: 36_500, fallback: 0 },
  "sessions.maxSize": { minimum: 0, maximum: 1_000_000, fallback: 0 },
  "sessions.askAboveTokens": { minimum: 0, maximum: 100_000_000, fallback: 150_000 },
  "sessions.askAboveSize": { minimum: 0, maximum: 1_000_000, fallback: 5 },
  "worktrees.setupTimeLimit": { minimum: 1, maximum: 240, fallback: 10 },
  "worktrees.checkTimeLimit": { minimum: 1, maximum: 240, fallback: 10 },
  "worktrees.maxCandidates": { minimum: 2, maximum: 10, fallback: 4 },
} as const satisfies Readonly<Record<string, IntegerSetting>>;

export type IntegerSettingKey = keyof typeof integerSettings;

/**
 * The number to use for a value, and a sentence about the mistake in it. The maximum replaces a larger number, because it
 * is meant as “many”. The default replaces everything else that is not a whole number within the limits: the nearest limit
 * of a negative number or a fraction would remove almost everything.
 */
export function checkedInteger(
  key: IntegerSettingKey,
  value: unknown,
): { readonly value: number; readonly problem?: string } {
  const { minimum, maximum, fallback } = integerSettings[key];
  if (value === undefined) return { value: fallback };
  if (typeof value === "number" && Number.isInteger(value) && value >= minimum && value <= maximum)
    return { value: value + 0 }; // Not -0.
  const used = typeof value === "number" && value > maximum ? maximum : fallback;
  const problem = t(
    "{0} must be a whole number from {1} to {2}, but is {3}. Parley uses {4}.",
    `parley.${key}`,
    minimum,
    maximum,
    shortText(value),
    used,
  );
  return { value: used, problem };
}

function shortText(value: unknown): string {
  const text = typeof value === "number" ? String(value) : JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
