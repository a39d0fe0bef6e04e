// A program and its arguments as one line, for display.

/** A command line as a user would type it. For display only. */
export function commandLineText(command: string, args: readonly string[] = []): string {
  if (args.length === 0) return command;
  return [command, ...args].map(word => (/^[\w@%+=:,./\\-]+$/.test(word) ? word : quote(word))).join(" ");
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
