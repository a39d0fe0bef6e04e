// Labels of paths, as the panel shows them.

/** The path below the session's folder where it lies inside, else as it is. Always with the platform's separators. */
export function relativeLabel(path: string, workspaceFolder: string): string {
  const base =
    workspaceFolder.endsWith("/") || workspaceFolder.endsWith("\\")
      ? workspaceFolder
      : `${workspaceFolder}${workspaceFolder.includes("\\") ? "\\" : "/"}`;
  return workspaceFolder !== "" && path.startsWith(base) ? path.slice(base.length) : path;
}
