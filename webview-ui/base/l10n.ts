// Words for people. English stands in the code; the host may put a table of translations into the page.
import { asError } from "../../src/base/errors.ts";
import { send } from "./vscodeApi.ts";

const translations = readTranslations();

/** The text in the user's language, `{0}`, `{1}`… replaced by the arguments. */
export function t(text: string, ...args: readonly (string | number)[]): string {
  const translated = translations[text] ?? text;
  return translated.replace(/\{(\d+)\}/g, (whole, index: string) => String(args[Number(index)] ?? whole));
}

/** A number as people write it. */
export function formatCount(value: number): string {
  // The first number in words of the locale takes the browser longer than an entry takes the panel.
  return value < 1000 ? String(value) : value.toLocaleString();
}

/** A span of time in words: 800 → "1 s", 125000 → "2 min 5 s". */
export function formatDuration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  if (seconds < 60) return t("{0} s", seconds);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t("{0} min {1} s", minutes, seconds % 60);
  return t("{0} h {1} min", Math.floor(minutes / 60), minutes % 60);
}

/** A size in bytes in words: 2048 → "2.0 kB". */
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
