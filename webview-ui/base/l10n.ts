// Localization. The code contains the English text; the host can add a table of translations to the page.
import { asError } from "../../src/base/errors.ts";
import { fillPlaceholders, setTranslator } from "../../src/base/l10n.ts";
import { send } from "./vscodeApi.ts";

const translations = readTranslations();

/** The text in the user's language, with `{0}`, `{1}`… replaced by the arguments. */
export function t(text: string, ...args: readonly (string | number)[]): string {
  return fillPlaceholders(translations[text] ?? text, args);
}

// The files of src that the panel executes use the same translations.
setTranslator(t);

/** A number with the grouping of the user's locale. */
export function formatCount(value: number): string {
  // The browser's first `toLocaleString` takes longer than painting an entry, so small numbers avoid it.
  return value < 1000 ? String(value) : value.toLocaleString();
}

/** A duration as text: 800 → "1 s", 125000 → "2 min 5 s". */
export function formatDuration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  if (seconds < 60) return t("{0} s", seconds);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t("{0} min {1} s", minutes, seconds % 60);
  return t("{0} h {1} min", Math.floor(minutes / 60), minutes % 60);
}

/** A time as text, in the user's locale: the time of day, with the date if it is not today. */
export function formatTime(date: Date): string {
  const isToday = date.toDateString() === new Date().toDateString();
  const time = { hour: "numeric", minute: "2-digit" } as const;
  return isToday
    ? date.toLocaleTimeString(undefined, time)
    : date.toLocaleString(undefined, { ...time, day: "numeric", month: "short", year: "numeric" });
}

/** The time since something happened as text: 125000 → "2 min". */
export function formatAge(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return t("now");
  if (minutes < 60) return t("{0} min", minutes);
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return t("{0} h", hours);
  const days = Math.floor(hours / 24);
  return days < 7 ? t("{0} d", days) : t("{0} wk", Math.floor(days / 7));
}

/** A size in bytes as text: 2048 → "2.0 kB". */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return t("{0} bytes", bytes);
  if (bytes < 1_000_000) return t("{0} kB", (bytes / 1000).toFixed(1));
  return t("{0} MB", (bytes / 1_000_000).toFixed(1));
}

function readTranslations(): Readonly<Record<string, string>> {
  const text = document.getElementById("l10n")?.textContent;
  if (!text) return {};
  try {
    return JSON.parse(text) as Record<string, string>;
  } catch (error) {
    send({ type: "report", kind: "error", text: `The translations cannot be read: ${asError(error).message}` });
    return {};
  }
}
