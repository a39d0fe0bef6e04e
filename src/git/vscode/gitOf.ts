// Finds the git program to use in a folder.
import * as vscode from "vscode";
import { type Git, findGit } from "../gitProgram.ts";

/** The git for a folder. None in an untrusted workspace, because a repository can make git run programs. */
export function gitOf(folder: vscode.Uri): Git | undefined {
  if (!vscode.workspace.isTrusted) return undefined;
  // Only the user's value. VS Code excludes folders only while its git extension is enabled, which declares the setting.
  const configured = vscode.workspace.getConfiguration("git", folder).inspect<unknown>("path")?.globalValue;
  const paths = (Array.isArray(configured) ? (configured as readonly unknown[]) : [configured]).filter(
    (path): path is string => typeof path === "string" && path !== "",
  );
  for (const path of paths) {
    const git = findGit(path);
    if (git) return git;
  }
  return findGit();
}
