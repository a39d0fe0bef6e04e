// When the editor and the disk hold different texts of a file, and which path an agent knows the file by. Pure.
import { createHash } from "node:crypto";
import type { SessionEvent, ToolContent } from "../session/events.ts";
import { withLineFeeds } from "../base/text.ts";

/** Stands for what a file holds: equal for texts that differ only in line endings and byte-order mark. */
export type Held = string;

/** What a file holds that is not there. */
export const nothing: Held = "nothing";

const byteOrderMark = "\uFEFF";
const binary = "bytes:";
const mostNames = 500;

export function heldText(text: string): Held {
  const plain = withLineFeeds(text.startsWith(byteOrderMark) ? text.slice(1) : text);
  return `text:${createHash("sha1").update(plain).digest("base64")}`;
}

/** For a file that is no text. */
export function heldBytes(bytes: Uint8Array): Held {
  return `${binary}${createHash("sha1").update(bytes).digest("base64")}`;
}

export function isBinary(held: Held): boolean {
  return held.startsWith(binary);
}

/** Whether the disk has changed beneath unsaved text. `inStep`: what it held when the two were last the same. */
export function hasDiverged(inStep: Held, disk: Held, document: Held): boolean {
  return disk !== inStep && disk !== document;
}

/** Whether the event ends a tool call, so that it has written whatever it writes. */
export function endsTool(event: SessionEvent): boolean {
  return event.type === "tool" && ends.has(event.patch.status);
}

const ends: ReadonlySet<unknown> = new Set(["completed", "failed", "cancelled"]);

/** The paths that tool calls named, the newest first. Only the last few hundred are kept. */
export class NamedPaths {
  readonly #paths = new Set<string>();

  observe(event: SessionEvent): void {
    for (const path of namedIn(event)) {
      this.#paths.delete(path);
      this.#paths.add(path);
    }
    for (const oldest of this.#paths) {
      if (this.#paths.size <= mostNames) break;
      this.#paths.delete(oldest);
    }
  }

  newestFirst(): readonly string[] {
    return [...this.#paths].reverse();
  }
}

function namedIn(event: SessionEvent): readonly string[] {
  if (event.type === "toolChunk") return pathsOf(event.content);
  if (event.type !== "tool") return [];
  const { locations, content } = event.patch;
  return [...(locations ?? []).map(place => place.path), ...(content ?? []).flatMap(pathsOf)];
}

function pathsOf(content: ToolContent): readonly string[] {
  if (content.type === "diff") return [content.path];
  return content.type === "changes" ? content.changes.map(change => change.path) : [];
}
