// The platform of the extension host, as path and shell rules distinguish it.

export type Platform = "posix" | "windows";

export const hostPlatform: Platform = process.platform === "win32" ? "windows" : "posix";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;
