// A program and its arguments as one line, for display, and titles that repeat it.

/** A command line as a user would type it. For display only. */
export function commandLineText(command: string, args: readonly string[] = []): string {
  if (args.length === 0) return command;
  return [command, ...args].map(word => (/^[\w@%+=:,./\\-]+$/.test(word) ? word : quote(word))).join(" ");
}

/** Whether a text contains the whole command. Backticks and the amount of white space within a line don't count. */
export function containsCommand(text: string, command: string): boolean {
  const plain = (line: string): string =>
    line
      .replaceAll("`", "")
      .replace(/[^\S\n]+/g, " ")
      .trim();
  return plain(command) !== "" && plain(text).includes(plain(command));
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
