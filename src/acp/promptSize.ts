// The size of a prompt as the line that an agent reads. A widespread SDK closes the connection at 32 MiB, which ends the
// agent and its session.
import type { Problem } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { ContentBlock } from "../session/events.ts";
import { contentToWire } from "./parse.ts";

/** The largest prompt that Parley sends: its whole line, base64 included (bytes). */
export const maxPromptBytes = 30 * 1024 * 1024;

/** The line around the content of a prompt. The request ID is one of the longest. */
const envelope = {
  jsonrpc: "2.0",
  id: Number.MAX_SAFE_INTEGER,
  method: "session/prompt",
  params: { sessionId: "", prompt: [] },
};

/** The bytes that a content block adds to the line of its prompt. */
export const blockBytes = (block: ContentBlock): number => jsonBytes(contentToWire(block)) + ",".length;

/** The bytes of the line that sends a prompt. Without a session ID, the length of a usual one counts. */
export function promptLineBytes(content: readonly ContentBlock[], sessionId = usualSessionId): number {
  // One block at a time, so that the whole line isn't in memory twice.
  const blocks = content.reduce((sum, block) => sum + blockBytes(block), 0);
  return jsonBytes(envelope) + jsonBytes(sessionId) + "\n".length + blocks;
}

const usualSessionId = "-".repeat(64);

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value), "utf8");

/** A size in a sentence about the limit: "30.1 MiB". Rounded up, so that a size above the limit never reads like it. */
export const mebibytes = (bytes: number): string => `${Math.ceil((bytes / (1024 * 1024)) * 10) / 10} MiB`;

/** The problem for a prompt that is too large. Usually it is refused earlier, where its attachments are known by name. */
export const promptSizeProblem = (size: number): Problem => ({
  message: t(
    "The message was not sent: its size is {0}, and the limit is {1}. Remove attachments or shorten the text, and send it again.",
    mebibytes(size),
    mebibytes(maxPromptBytes),
  ),
  next: [],
});
