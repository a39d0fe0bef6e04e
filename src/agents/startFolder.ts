// The folder in which agents start. npx and many agents read settings and programs from the folder that they start in
// and from its parents: `.npmrc`, `node_modules`, `.env`. So it is never the opened folder, which only the session names.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCodeOf } from "../base/errors.ts";
import { t } from "../base/l10n.ts";

/** npm looks for its project upwards from the working folder, and stops at this file. */
const packageFile = "package.json";
const packageText = `${JSON.stringify({ name: "parley-agents", private: true }, null, 2)}\n`;

/** A folder with files in it is skipped, because an agent may need what it has put there. */
const maxFolders = 100;

/** The first folder in `place` that contains only our `package.json`. Creates it if necessary. */
export async function prepareStartFolder(place: string): Promise<string> {
  for (let n = 1; n <= maxFolders; n++) {
    const folder = join(place, n === 1 ? "start" : `start-${n}`);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, packageFile), packageText, { flag: "wx" }).catch((error: unknown) => {
      if (errorCodeOf(error) !== "EEXIST") throw error;
    });
    const names = await readdir(folder);
    if (names.length === 1 && (await readFile(join(folder, packageFile), "utf8")) === packageText) return folder;
  }
  throw new Error(t("The folders in {0} contain files of agents. Move them to another place.", place));
}
