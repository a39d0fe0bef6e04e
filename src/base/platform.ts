// The platform of the extension host, as far as rules for paths and shells depend on it.

export type Platform = "posix" | "windows";

export const hostPlatform: Platform = process.platform === "win32" ? "windows" : "posix";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;
