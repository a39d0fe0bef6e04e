// Which prompts the conversation can be attached to. The reducer needs this too, so it imports nothing else.
import type { ContentBlock } from "../events.ts";

/**
 * Whether the conversation can be attached to the prompt. Agents that take only text get it as text, which would become
 * a part of a slash command.
 */
export const canAttachTo = (
  prompt: readonly ContentBlock[],
  accepts: { readonly embeddedContext: boolean } | null,
): boolean => accepts?.embeddedContext === true || prompt[0]?.type !== "text" || !prompt[0].text.startsWith("/");
