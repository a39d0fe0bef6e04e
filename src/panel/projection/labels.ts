// Labels of paths, as the panel shows them.

/** The path below the session's folder where it lies inside, else as it is. Always with the platform's separators. */
export function relativeLabel(path: string, cwd: string): string {
  const base = cwd.endsWith("/") || cwd.endsWith("\\") ? cwd : `${cwd}${cwd.includes("\\") ? "\\" : "/"}`;
  return cwd !== "" && path.startsWith(base) ? path.slice(base.length) : path;
}
