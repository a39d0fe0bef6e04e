// Judges what an archive contains, before anything of it is written: names, kinds and sizes of its entries.

/** How an archive is packed. `raw`: the file is the program itself. */
export type ArchiveKind = "zip" | "tar.gz" | "tar.bz2" | "raw";

/** What is wrong with an archive. `name` is the name of an entry, hostile. */
export type ArchiveFault =
  | { readonly fault: "name" | "link" | "special" | "twice" | "encrypted"; readonly name: string }
  | { readonly fault: "tooMany" | "tooLarge" | "ratio" | "empty" }
  | { readonly fault: "noProgram"; readonly name: string }
  | { readonly fault: "damaged"; readonly reason: string };

/** An entry as the archive describes it. */
export interface ArchiveEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "special";
  /** Of a file, unpacked (bytes). */
  readonly size: number;
  readonly isExecutable: boolean;
}

/** The limits for an archive. */
export interface ArchiveLimits {
  readonly maxEntries: number;
  /** Of all files together, unpacked (bytes). */
  readonly maxBytes: number;
  /** Unpacked bytes per packed byte. Checked once more than `ratioFrom` bytes are unpacked. */
  readonly maxRatio: number;
  readonly ratioFrom: number;
  /** Of bzip2: bytes that are unpacked before the reader takes them. */
  readonly maxPendingBytes: number;
  /** Names that differ only in case are the same file, as on macOS and Windows. */
  readonly ignoreCase: boolean;
}

/** Agents with a runtime of their own have some thousand files and some hundred megabytes. */
export const archiveLimits: ArchiveLimits = {
  maxEntries: 50_000,
  maxBytes: 2_000_000_000,
  maxRatio: 100,
  ratioFrom: 20_000_000,
  maxPendingBytes: 200_000_000,
  ignoreCase: process.platform !== "linux",
};

/** Installers and kinds of archives that Parley does not unpack. Any other name is that of a program. */
const otherKinds =
  /\.(?:dmg|pkg|msi|msix|appx|deb|rpm|apk|snap|flatpak|iso|7z|rar|tar|xz|txz|zst|tzst|lz4?|br|gz|bz2|jar|whl|sh|bat|cmd|ps1)$/i;

/** How the file at this path of a web address is packed. Undefined if Parley cannot unpack it. */
export function archiveKind(path: string): ArchiveKind | undefined {
  if (/\.zip$/i.test(path)) return "zip";
  if (/\.(?:tar\.gz|tgz)$/i.test(path)) return "tar.gz";
  if (/\.(?:tar\.bz2|tbz2)$/i.test(path)) return "tar.bz2";
  return otherKinds.test(path) || path.endsWith("/") ? undefined : "raw";
}

/** Names that Windows reserves, with any extension. */
const reservedName = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?$/i;
const maxNameLength = 1000;

/**
 * Why the name of an entry is refused. It must be relative and stay inside the folder on every system, so an archive does
 * not need to be checked for the system that it is for.
 */
export function entryNameFault(name: string): "empty" | "absolute" | "parent" | "characters" | "length" | undefined {
  if (name.length > maxNameLength) return "length";
  if (/^[/\\]|^[a-z]:/i.test(name)) return "absolute";
  // A backslash separates folders on Windows, a colon names a stream of a file there.
  if (/[\\:\u0000-\u001f\u007f]/.test(name)) return "characters";
  const parts = name.replace(/\/$/, "").split("/");
  if (parts.includes("..")) return "parent";
  if (parts.includes("")) return "empty";
  return parts.some(part => part !== "." && (/[. ]$/.test(part) || reservedName.test(part))) ? "characters" : undefined;
}

/** The path of an entry below the folder of the archive, with slashes. Empty for that folder itself. */
export const entryPath = (name: string): string =>
  name
    .split("/")
    .filter(part => part !== "" && part !== ".")
    .join("/");

/** Judges the entries of an archive in their order. `packedBytes` is the size of the archive. */
export class ArchiveJudge {
  readonly #limits: ArchiveLimits;
  readonly #packedBytes: number;
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();
  #count = 0;
  #bytes = 0;

  constructor(packedBytes: number, limits: ArchiveLimits) {
    this.#packedBytes = packedBytes;
    this.#limits = limits;
  }

  /** What is wrong with the next entry, also together with earlier ones. Undefined if it can be written. */
  judge({ name, kind, size }: ArchiveEntry): ArchiveFault | undefined {
    if (++this.#count > this.#limits.maxEntries) return { fault: "tooMany" };
    if (kind === "link" || kind === "special") return { fault: kind, name };
    if (entryNameFault(name) !== undefined) return { fault: "name", name };
    const exact = entryPath(name);
    const path = this.#limits.ignoreCase ? exact.normalize("NFC").toLowerCase() : exact;
    if (kind === "file") {
      if (path === "" || this.#files.has(path) || this.#folders.has(path)) return { fault: "twice", name };
      this.#files.add(path);
    } else if (path !== "") {
      if (this.#files.has(path)) return { fault: "twice", name };
      this.#folders.add(path);
    }
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const parent = path.slice(0, end);
      if (this.#files.has(parent)) return { fault: "twice", name };
      this.#folders.add(parent);
    }
    return this.addBytes(kind === "file" ? size : 0);
  }

  /** Counts unpacked bytes. */
  addBytes(bytes: number): ArchiveFault | undefined {
    if (!(bytes >= 0)) return { fault: "damaged", reason: "a size is not valid" };
    this.#bytes += bytes;
    const { maxBytes, maxRatio, ratioFrom } = this.#limits;
    if (this.#bytes > maxBytes) return { fault: "tooLarge" };
    return this.#bytes > ratioFrom && this.#bytes > maxRatio * this.#packedBytes ? { fault: "ratio" } : undefined;
  }
}
