// What the extension asks of the thread that unpacks an archive, and what the thread answers.
import type { ArchiveFault, ArchiveKind, ArchiveLimits } from "../archiveEntry.ts";

/** An archive to unpack. */
export interface UnpackTask {
  /** The path of the archive. */
  readonly archive: string;
  readonly kind: ArchiveKind;
  /** The folder that gets the files. It must not exist. */
  readonly folder: string;
  /** The path of the program in the archive, with slashes. It becomes executable. */
  readonly program: string;
  readonly limits: ArchiveLimits;
}

/** The end of the work. Without a fault, all files are written. */
export interface UnpackResult {
  readonly fault?: ArchiveFault;
}
