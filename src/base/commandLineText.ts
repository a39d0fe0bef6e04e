// A program and its arguments as one line, for display.

/** A command line as a user would type it. For display only. */
export function commandLineText(command: string, args: readonly string[] = []): string {
  if (args.length === 0) return command;
  return wordsText([command, ...args]);
}

/** Words of a command line as a user would type them. For display only. */
export const wordsText = (words: readonly string[]): string =>
  words.map(word => (/^[\w@%+=:,./\\-]+$/.test(word) ? word : quote(word))).join(" ");

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
