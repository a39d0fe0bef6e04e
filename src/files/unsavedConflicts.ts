// When the editor and the disk hold different texts of a file, and which path an agent knows the file by. Pure.
import { createHash } from "node:crypto";
import type { SessionEvent } from "../session/events.ts";
import { newPathsIn } from "../session/toolPaths.ts";
import { normalizeText } from "../base/text.ts";

/** Stands for what a file holds: equal for texts that differ only in line endings and byte-order mark. */
export type ContentHash = string;

/** What a file holds that is not there. */
export const missingFileHash: ContentHash = "nothing";

const binaryPrefix = "bytes:";
const maxPaths = 500;

export function hashText(text: string): ContentHash {
  return `text:${createHash("sha1").update(normalizeText(text)).digest("base64")}`;
}

/** For a file that is no text. */
export function hashBytes(bytes: Uint8Array): ContentHash {
  return `${binaryPrefix}${createHash("sha1").update(bytes).digest("base64")}`;
}

export function isBinaryHash(hash: ContentHash): boolean {
  return hash.startsWith(binaryPrefix);
}

/** Whether the disk has changed beneath unsaved text. `inStep`: what it held when the two were last the same. */
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
