// The names of new branches, and of the folders of their worktrees.

/** What begins the names of branches that Parley proposes. */
const prefix = "parley/";

/** Longer names are cut. Characters. */
const maxLength = 50;

/**
 * A branch name made of a title, such as `parley/fix-the-sum` of “Fix the sum!”. Letters of every script stay.
 * `isTaken`: whether a branch has the name. Then a number is added.
 */
export function branchNameFrom(title: string, isTaken: (name: string) => boolean): string {
  const words = branchWords(title);
  const name = `${prefix}${words === "" ? "session" : words}`;
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? name : `${name}-${number}`;
    if (!isTaken(numbered)) return numbered;
  }
}

/** The number of words of a prompt that name its branch. */
const maxWords = 6;

/** The first words of a prompt, for {@link branchNameFrom}. */
export function firstWords(prompt: string): string {
  const line = prompt.split(/[\r\n]/).find(each => each.trim() !== "") ?? "";
  return line.trim().split(/\s+/).slice(0, maxWords).join(" ");
}

/** The words of a text as a part of the name of a branch: `fix-the-sum` of “Fix the sum!”. Empty if it has none. */
export function branchWords(text: string): string {
  const words = text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, "-");
  // A cut must not leave a part of a character.
  return Array.from(words.replaceAll(/^-+|-+$/g, ""))
    .slice(0, maxLength)
    .join("")
    .replace(/-+$/, "");
}

/** Names of devices, which are no file names on Windows, also with an extension. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * The name of the folder for a branch: one part that every system allows, so that the folder of `a` never contains that
 * of `a/b`.
 */
export function worktreeFolderName(branch: string): string {
  const plain = branch
    // eslint-disable-next-line no-control-regex
    .replaceAll(/[\\/<>:"|?*\x00-\x1f]+/g, "-")
    .replace(/^\.+/, "")
    .replace(/[. ]+$/, "");
  return plain === "" || reserved.test(plain) ? `${plain}_` : plain;
}
