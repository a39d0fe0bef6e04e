// Opens paths and links from the conversation: workspace files in the editor, web and mail links outside VS Code.
import { isAbsolute, resolve } from "node:path";
import * as vscode from "vscode";
import { pathCandidates } from "../../base/filePaths.ts";
import { nodePaths } from "../../files/nodePaths.ts";
import { Confinement } from "../../files/paths.ts";
import { isFile } from "../../editor/diskText.ts";
import { sessionRoots } from "../../editor/folders.ts";

/** A file inside the session's folders. */
export interface LocatedFile {
  readonly path: string;
  readonly exists: boolean;
}

/** Where to put the cursor. Lines and columns are 1-based. `endLine` selects up to the end of that line. */
export interface FilePosition {
  readonly line?: number;
  readonly column?: number;
  readonly endLine?: number;
}

/** A position, and the text before the path that may belong to it. */
interface OpenOptions extends FilePosition {
  readonly leading?: string;
}

/**
 * Finds the file for a path of an agent: in the session's folder, or in another workspace folder. If it exists in none,
 * returns its path in the session's folder. Rejects with a sentence if the path, or a symbolic link in it, leads
 * outside. Only paths inside are looked up on disk, because looking up a Windows share contacts another machine.
 */
export async function locateFile(path: string, workspaceFolder: string): Promise<LocatedFile> {
  // Before the first session there is no session folder.
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
  throw new Error(vscode.l10n.t("{0} is outside this workspace and cannot be opened from the chat.", path));
}

/**
 * Finds the first file that exists among those that a path in a text can stand for. If there is none, finds the path
 * itself. Rejects like {@link locateFile}.
 */
async function locateWrittenFile(
  path: string,
  leading: string | undefined,
  workspaceFolder: string,
): Promise<LocatedFile> {
  for (const candidate of pathCandidates(path, leading)) {
    // Longer and shorter paths than the written one may lead outside, which is no fault of the link.
    const located = await locateFile(candidate, workspaceFolder).catch(() => undefined);
    if (located?.exists) return located;
  }
  return locateFile(path, workspaceFolder);
}

/** Opens a file that an agent named. Rejects with a sentence if it is outside the workspace or does not exist. */
export async function openFile(
  path: string,
  line: number | undefined,
  workspaceFolder: string,
  { column, endLine, leading }: OpenOptions = {},
): Promise<void> {
  const file = await locateWrittenFile(path, leading, workspaceFolder);
  if (!file.exists) throw new Error(vscode.l10n.t("The file {0} does not exist.", path));
  const start = new vscode.Position(Math.max(0, (line ?? 1) - 1), Math.max(0, (column ?? 1) - 1));
  // VS Code limits positions to the length of the line and of the file.
  const end = endLine === undefined ? start : new vscode.Position(endLine - 1, Number.MAX_SAFE_INTEGER);
  const options = line === undefined ? {} : { selection: new vscode.Range(start, end) };
  await vscode.window.showTextDocument(vscode.Uri.file(file.path), { preview: true, ...options });
}

const externalSchemes = new Set(["https", "http", "mailto"]);

/** Opens a web or mail link outside VS Code, or a file link in the editor. Rejects with a sentence for other links. */
export async function openLink(href: string, workspaceFolder: string): Promise<void> {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(href)?.[1]?.toLowerCase();
  if (scheme === undefined) throw new Error(vscode.l10n.t("{0} has no scheme and cannot be opened as a link.", href));
  if (scheme !== "file" && !externalSchemes.has(scheme)) {
    throw new Error(vscode.l10n.t("Links with the scheme {0} cannot be opened from the chat.", scheme));
  }
  const uri = vscode.Uri.parse(href, true).with({ scheme });
  if (scheme === "file") return openFile(uri.fsPath, lineOf(uri.fragment), workspaceFolder);
  await vscode.env.openExternal(uri);
}

function lineOf(fragment: string): number | undefined {
  const line = /^L(\d+)/.exec(fragment)?.[1];
  return line === undefined ? undefined : Number(line);
}
