// Reads the prompt files of a folder. Their names and contents can come from others: links never lead outside, and the
// number and the size of files are limited.
import { opendir } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { asError, isNotFoundError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { nodePaths } from "../files/nodePaths.ts";
import { Confinement } from "../files/paths.ts";
import { readRegularFile } from "../files/regularFile.ts";
import type { FoundPrompt, PromptFolder } from "./foundPrompt.ts";
import { isPromptFileName, promptNameOf, readPromptFile, type PromptFile } from "./promptFile.ts";

/** Of one folder. */
export const maxPromptFiles = 200;
/** Of one file (bytes). */
export const maxPromptFileSize = 100_000;
/** No more entries of a folder are looked at. */
const maxEntries = 5000;

/** How a user names a path. */
type LabelOf = (path: string) => string;

/** The prompts of a folder, sorted by the names of their files. Never rejects: a problem is in the list. */
export async function readPromptFolder(folder: PromptFolder, labelOf: LabelOf): Promise<readonly FoundPrompt[]> {
  const ofFolder = (problem: string): FoundPrompt => ({
    ...{ folder, path: folder.path, label: labelOf(folder.path), name: folder.origin, problem },
  });
  if (!isAbsolute(folder.path)) return [ofFolder(t("The setting needs a full path, or one that begins with “~/”."))];
  try {
    const confinement = new Confinement(nodePaths(), [folder.root]);
    const located = await confinement.locate(folder.path);
    if (!located.inside) return [ofFolder(t("The folder is a link that leads outside of the workspace folder."))];
    const names = await promptFileNames(located.path);
    if (!names) return folder.source === "user" ? [ofFolder(t("There is no such folder."))] : [];
    const read = names.slice(0, maxPromptFiles).map(async (name): Promise<FoundPrompt> => {
      const path = join(folder.path, name);
      const at = { folder, path, label: labelOf(path) };
      const content = await readFile(path, name, confinement);
      return "file" in content
        ? { ...at, file: content.file }
        : { ...at, name: promptNameOf(name), problem: content.problem };
    });
    const rest = names.length - maxPromptFiles;
    return [
      ...(await Promise.all(read)),
      ...(rest > 0 ? [ofFolder(t("Only the first {0} prompt files of a folder are read.", maxPromptFiles))] : []),
    ];
  } catch (error) {
    return [ofFolder(t("The folder could not be read. {0}", asError(error).message))];
  }
}

/** The names of the prompt files, sorted. Undefined if there is no such folder. */
async function promptFileNames(path: string): Promise<readonly string[] | undefined> {
  const names: string[] = [];
  try {
    let entries = 0;
    for await (const { name } of await opendir(path)) {
      if (isPromptFileName(name)) names.push(name);
      if (++entries >= maxEntries) break;
    }
  } catch (error) {
    if (isNotFoundError(error)) return undefined;
    throw error;
  }
  return names.sort();
}

async function readFile(
  path: string,
  name: string,
  confinement: Confinement,
): Promise<{ readonly file: PromptFile } | { readonly problem: string }> {
  try {
    const before = await confinement.locate(path);
    if (!before.inside) return { problem: t("The file is a link that leads outside of the folder.") };
    if (!/\.md$/i.test(before.path)) return { problem: t("The file is a link to a file that is not Markdown.") };
    const { bytes } = await readRegularFile(before.path, maxPromptFileSize);
    // Another file may have taken its name while it was read.
    const after = await confinement.locate(path);
    if (!after.inside || after.key !== before.key) return { problem: t("The file changed while it was read.") };
    return readPromptFile(new TextDecoder("utf-8", { fatal: true }).decode(bytes), name);
  } catch (error) {
    if (isNotFoundError(error)) return { problem: t("The file does not exist any more.") };
    if (error instanceof TypeError) return { problem: t("The file is not UTF-8 text.") };
    return { problem: t("The file could not be read: {0}.", asError(error).message) };
  }
}
