// Packs Parley as for users, from a copy of the sources, so that builds in use are not changed.
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { whenExiting } from "../../scripts/tools/processes.mjs";
import { inProject, root } from "../../scripts/tools/project.mjs";

/** A packed extension, and the folder with its contents. */
export interface Packed {
  readonly vsix: string;
  readonly folder: string;
  remove(): void;
}

const leftOut = new Set([".git", "node_modules", "dist", "out", "test"]);

/** Builds for production and packs, in a temporary folder. */
export async function pack(): Promise<Packed> {
  const folder = mkdtempSync(join(tmpdir(), "parley-packed-"));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  const forget = whenExiting(removeFolder);
  for (const name of readdirSync(root).filter(name => !leftOut.has(name) && !name.endsWith(".vsix")))
    cpSync(inProject(name), join(folder, name), { recursive: true });
  symlinkSync(inProject("node_modules"), join(folder, "node_modules"), "junction");
  await promisify(execFile)(process.execPath, [join(folder, "scripts", "package.mjs")], { cwd: folder });
  const vsix = readdirSync(folder).find(name => name.endsWith(".vsix"));
  if (vsix === undefined || !existsSync(join(folder, "dist", "extension.js"))) throw new Error("Nothing was packed.");
  return {
    vsix: join(folder, vsix),
    folder,
    remove() {
      removeFolder();
      forget();
    },
  };
}
