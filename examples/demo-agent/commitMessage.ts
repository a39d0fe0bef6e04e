// Writes the message of a commit from the file names in the prompt of Parley. The demo agent has no model, so it names only
// what happened to the files. Pure.

const promptStart = "Write the message of a git commit.";

/** Whether a client asks for a commit message. */
export const asksForCommitMessage = (prompt: string): boolean => prompt.startsWith(promptStart);

/** The message. What the user has written becomes its subject. */
export function commitMessage(prompt: string): string {
  const changes = [...diffs(prompt), ...leftOut(prompt)];
  const hint = /^The user has already written this.*:\n\n`{3,}\n(.+)/m.exec(prompt)?.[1];
  const [only] = changes;
  const subject = hint ?? (changes.length === 1 && only ? only : `Change ${changes.length} files`);
  if (changes.length <= 1) return subject;
  return `${subject}\n\n${changes.map(change => `- ${change}`).join("\n")}`;
}

function diffs(prompt: string): readonly string[] {
  const heads = [...prompt.matchAll(/^diff --git a\/(.+) b\/(.+)\n((?:[a-z].*\n)*)/gm)];
  return heads.map(([, from = "", path = "", head = ""]) => {
    if (/^new file/m.test(head)) return `Add ${path}`;
    if (/^deleted file/m.test(head)) return `Delete ${path}`;
    return from === path ? `Change ${path}` : `Rename ${from} to ${path}`;
  });
}

const verbs: Readonly<Record<string, string>> = {
  added: "Add",
  changed: "Change",
  deleted: "Delete",
  renamed: "Rename",
};

function leftOut(prompt: string): readonly string[] {
  const [, lines = ""] = /^Changed files whose content is left out:\n\n`{3,}\n([^]*?)\n`{3,}/m.exec(prompt) ?? [];
  return [...lines.matchAll(/^(added|changed|deleted|renamed)[^:]*: (.+) \([^)]*\)$/gm)].map(
    ([, kind = "", path = ""]) => `${verbs[kind]} ${path}`,
  );
}
