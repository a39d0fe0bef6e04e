// The request to show a session in the window on another folder: a file in the list of folders, which that window takes when
// it starts or gets the focus. The storage of the other folder stays as it is.
import { createHash } from "node:crypto";

/** The name of the file of a folder's request. `sessionsFolder`: the path of the folder of its sessions. */
export const requestFileName = (sessionsFolder: string): string =>
  `${createHash("sha256").update(sessionsFolder).digest("hex").slice(0, 32)}.show`;
