// Prompts that wait for the agent, as the panel lists them.
import type { ContentBlock } from "../../session/events.ts";
import { promptText } from "../../session/promptQueue.ts";
import { isHeld, type PendingPrompt } from "../../session/state.ts";
import type { ViewQueuedPrompt } from "../protocol.ts";

/**
 * A prompt as a row of the queue: its text, and the names of its attachments. `paused`: the queue is not sent.
 * `steers`: the agent accepts prompts while it works.
 */
export function queuedPromptView(prompt: PendingPrompt, paused: boolean, steers: boolean): ViewQueuedPrompt {
  const { id, content, messageId } = prompt;
  const words = content.find(block => block.type === "text");
  const isAtAgent = isHeld(prompt);
  const sent = messageId !== undefined || isAtAgent;
  const attachments = content.filter(block => block !== words).map(attachmentName);
  return {
    id,
    text: promptText(content),
    ...(attachments.length > 0 && { attachments }),
    sent,
    ...(isAtAgent && { isHeld: true as const }),
    ...(paused && !sent && { paused }),
    ...(prompt.isOnHold && !sent && { isOnHold: true as const }),
    ...(steers && !sent && { canSteer: true as const }),
  };
}

function attachmentName(block: ContentBlock): string {
  switch (block.type) {
    case "link":
      return block.title ?? block.name;
    case "resource":
      return decodeURIComponentOr(block.uri.slice(block.uri.lastIndexOf("/") + 1), block.uri);
    case "image":
      return "Image";
    case "audio":
      return "Audio";
    case "text":
      return "Text";
    case "other":
      return block.kind;
    default:
      return block satisfies never;
  }
}

function decodeURIComponentOr(text: string, fallback: string): string {
  try {
    return decodeURIComponent(text) || fallback;
  } catch {
    return fallback;
  }
}
