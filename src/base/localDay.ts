// Days in local time.

/** The day in local time, "2026-01-31". `at`: ms since the epoch. `daysBack`: the number of days before that day. */
export function localDay(at: number, daysBack = 0): string {
  const now = new Date(at);
  // Days can have 23 or 25 hours.
  const date = new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysBack);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(part => String(part).padStart(2, "0")).join("-");
}
