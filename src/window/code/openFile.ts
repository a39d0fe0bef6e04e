// Opens what an agent's words name: files of the workspace in the editor, the web and mail outside.
import { isAbsolute, resolve } from "node:path";
import * as vscode from "vscode";
import { nodePaths } from "../../files/nodePaths.ts";
import { Confinement } from "../../files/paths.ts";
import { isFile } from "../../editor/diskText.ts";
import { sessionRoots } from "../../editor/folders.ts";

/** A file inside the session's folders. */
export interface LocatedFile {
  readonly path: string;
  readonly exists: boolean;
}

/** Where the cursor goes. Lines and columns are 1-based; `endLine` selects up to the end of that line. */
export interface FilePosition {
  readonly line?: number;
  readonly column?: number;
  readonly endLine?: number;
}

/**
 * The file that an agent's path means: below its own folder, else below another of the workspace, else, where none is
 * there, the place for it in its own. Rejects with a sentence when that lies outside, through symbolic links too. Paths
 * are asked about only where confinement allows: a Windows share would be contacted.
 */
export async function locateFile(path: string, workspaceFolder: string): Promise<LocatedFile> {
  // Before the first session there is no folder of its own.
  const roots = sessionRoots(workspaceFolder).filter(root => root !== "");
  const confinement = new Confinement(nodePaths(), roots);
  const candidates = isAbsolute(path) ? [path] : roots.map(root => resolve(root, path));
  let missingPath: string | undefined;
  for (const candidate of candidates) {
    const located = await confinement.locate(candidate);
    if (!located.inside) continue;
    if (await isFile(located.path)) return { path: located.path, exists: true };
    missingPath ??= located.path;
  }
  if (missingPath !== undefined) return { path: missingPath, exists: false };
  throw new Error(vscode.l10n.t("{0} lies outside this workspace, so it is not opened from the chat.", path));
}

/** Opens a file an agent named. Rejects with a sentence when it lies outside the session's folders or is not there. */
export async function openFile(
  path: string,
  line: number | undefined,
  workspaceFolder: string,
  { column, endLine }: FilePosition = {},
): Promise<void> {
  const file = await locateFile(path, workspaceFolder);
  if (!file.exists) throw new Error(vscode.l10n.t("There is no file {0}.", path));
  const start = new vscode.Position(Math.max(0, (line ?? 1) - 1), Math.max(0, (column ?? 1) - 1));
  // The editor brings positions beyond the end of a line, or of the file, back to it.
  const end = endLine === undefined ? start : new vscode.Position(endLine - 1, Number.MAX_SAFE_INTEGER);
  const options = line === undefined ? {} : { selection: new vscode.Range(start, end) };
  await vscode.window.showTextDocument(vscode.Uri.file(file.path), { preview: true, ...options });
}

const externalSchemes = new Set(["https", "http", "mailto"]);

/** Opens a link an agent wrote: web and mail outside, files in the editor. Rejects with a sentence for anything else. */
export async function openLink(href: string, workspaceFolder: string): Promise<void> {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(href)?.[1]?.toLowerCase();
  if (scheme === undefined) throw new Error(vscode.l10n.t("{0} is not a link that can be opened.", href));
  if (scheme !== "file" && !externalSchemes.has(scheme)) {
    throw new Error(vscode.l10n.t("Links of the kind {0}: are not opened.", scheme));
  }
  const uri = vscode.Uri.parse(href, true).with({ scheme });
  if (scheme === "file") return openFile(uri.fsPath, lineOf(uri.fragment), workspaceFolder);
  await vscode.env.openExternal(uri);
}

function lineOf(fragment: string): number | undefined {
  const line = /^L(\d+)/.exec(fragment)?.[1];
  return line === undefined ? undefined : Number(line);
}
