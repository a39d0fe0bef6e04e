// Labels of paths, as the panel shows them.

/**
 * The path relative to the workspace folder if it is inside, otherwise the whole path. Keeps the platform's separators.
 */
export function relativeLabel(path: string, workspaceFolder: string): string {
  const base =
    workspaceFolder.endsWith("/") || workspaceFolder.endsWith("\\")
      ? workspaceFolder
      : `${workspaceFolder}${workspaceFolder.includes("\\") ? "\\" : "/"}`;
  return workspaceFolder !== "" && path.startsWith(base) ? path.slice(base.length) : path;
}

/** The path with `~` for the home folder of the user. Keeps the platform's separators. */
export function homeLabel(path: string, home: string): string {
  if (path === home) return "~";
  const rest = relativeLabel(path, home);
  return rest === path || rest === "" ? path : `~${path.includes("\\") ? "\\" : "/"}${rest}`;
}
