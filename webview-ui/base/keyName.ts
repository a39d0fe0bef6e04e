// The names of keys as the system writes them.
import { t } from "./l10n.ts";

/** Whether the panel runs on macOS, where Cmd is the main modifier. */
export const isMac = (): boolean => /^Mac/.test(navigator.platform);

/** The default key of a command, of the form Alt+Shift+letter (Cmd+Alt+Shift+letter on macOS). */
export const keyName = (letter: string): string => (isMac() ? `⌘⌥⇧${letter}` : t("Alt+Shift+{0}", letter));

/** The tooltip with the default key of the command. */
export const withKey = (title: string, letter: string): string => t("{0} ({1})", title, keyName(letter));
