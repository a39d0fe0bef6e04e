// The git program of this machine, found once for each window.
import * as vscode from "vscode";
import { type Git, findGit } from "../gitProgram.ts";

/** The git to use in a folder; none where the workspace is not trusted, since a repository can make git run programs. */
export function gitOf(folder: vscode.Uri): Git | undefined {
  if (!vscode.workspace.isTrusted) return undefined;
  const configured = vscode.workspace.getConfiguration("git", folder).get<unknown>("path");
  const paths = (Array.isArray(configured) ? (configured as readonly unknown[]) : [configured]).filter(
    (path): path is string => typeof path === "string" && path !== "",
  );
  for (const path of paths) {
    const git = findGit(path);
    if (git) return git;
  }
  return findGit();
}
