// The content of a prompt that is sent again. Pure.
import type { ContentBlock } from "../session/events.ts";

/** The content with another text. Its attachments and images stay. */
export function editedContent(content: readonly ContentBlock[], text: string): readonly ContentBlock[] {
  const rest = content.filter(({ type }) => type !== "text");
  return text.trim() === "" ? rest : [{ type: "text", text }, ...rest];
}

/** Whether the log has kept the content completely. It shortens very long data. */
export const isWhole = (content: readonly ContentBlock[]): boolean =>
  content.every(block => {
    const data =
      block.type === "image" || block.type === "audio" ? block.data : block.type === "resource" ? block.blob : "";
    return data === undefined || /^[\w+/=-]*$/.test(data);
  });
