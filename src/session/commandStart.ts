// Prompts that agents run as commands of their own. Pure.

/** Whether agents may run the text as a command instead of reading it: those tried know `/`, `!` and `$` at its beginning. */
export const beginsAsCommand = (text: string): boolean => /^[/!$]/.test(text);
