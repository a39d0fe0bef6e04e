// The names of keys as the system writes them.

/** Whether the panel runs on macOS, where Cmd is the main modifier. */
export const isMac = (): boolean => /^Mac/.test(navigator.platform);

/** The tooltip with the default key of the command, of the form Alt+Shift+letter (Cmd+Alt+Shift+letter on macOS). */
export const withKey = (title: string, letter: string): string =>
  `${title} (${isMac() ? "⌘⌥⇧" : "Alt+Shift+"}${letter})`;
