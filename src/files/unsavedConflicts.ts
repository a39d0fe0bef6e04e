// Decides whether the editor and the disk have conflicting texts of a file, and by which path the agent knows it. Pure.
import { createHash } from "node:crypto";
import type { SessionEvent } from "../session/events.ts";
import { newPathsIn } from "../session/toolPaths.ts";
import { normalizeText } from "../base/text.ts";

/** A hash of a file's content. Equal for texts that differ only in line endings and byte-order mark. */
export type ContentHash = string;

/** The hash of a file that does not exist. */
export const missingFileHash: ContentHash = "nothing";

const binaryPrefix = "bytes:";
const maxPaths = 500;

export function hashText(text: string): ContentHash {
  return `text:${createHash("sha1").update(normalizeText(text)).digest("base64")}`;
}

/** The hash of a file that is not text. */
export function hashBytes(bytes: Uint8Array): ContentHash {
  return `${binaryPrefix}${createHash("sha1").update(bytes).digest("base64")}`;
}

export function isBinaryHash(hash: ContentHash): boolean {
  return hash.startsWith(binaryPrefix);
}

/** Whether the disk changed under unsaved text. `lastCommon` is its content when editor and disk were last equal. */
export function hasDiverged(lastCommon: ContentHash, disk: ContentHash, document: ContentHash): boolean {
  return disk !== lastCommon && disk !== document;
}

/** The paths that tool calls named, the newest first. Only the last few hundred are kept. */
export class ToolCallPaths {
  readonly #paths = new Set<string>();

  observe(event: SessionEvent): void {
    for (const path of newPathsIn(event, "locations", "diffs")) {
      this.#paths.delete(path);
      this.#paths.add(path);
    }
    for (const oldest of this.#paths) {
      if (this.#paths.size <= maxPaths) break;
      this.#paths.delete(oldest);
    }
  }

  newestFirst(): readonly string[] {
    return [...this.#paths].reverse();
  }
}
