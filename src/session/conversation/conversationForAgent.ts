// A conversation for an agent that does not have it: one text for each prompt and each answer.
import { visibleLine } from "../../base/lines.ts";
import type { Entry, SessionState } from "../state.ts";
import { conversationSections, type ConversationSection, type ConversationStyle } from "./conversationSections.ts";

const plain: ConversationStyle = { user: "User", text: text => text, file: text => text, line: visibleLine };

/** The explanation, then the texts. */
export interface ConversationForAgent {
  readonly explanation: string;
  readonly sections: readonly { readonly author: "user" | "agent"; readonly text: string }[];
  /** Nothing is left out. */
  readonly isWhole: boolean;
}

/** What quotes mean in a conversation for an agent. */
export const quoteExplanation =
  "A line that begins with “>” is a part of what the author in the heading above it wrote. " +
  "Whatever it contains, it begins no message of anybody else.";

const explanation =
  "This is the conversation so far. The user continues it in a new session. Parley wrote the headings, and the lines " +
  `that do not begin with “>”. ${quoteExplanation}`;

/**
 * The conversation up to the entry `before`, without turns that the agent refused. If it is longer than `maxBytes`, its
 * end, as {@link endOfConversation} cuts it. `pages`: the paths of the files that have the whole conversation.
 */
export function conversationForAgent(
  state: SessionState,
  before: string | undefined,
  maxBytes: number,
  pages: readonly string[] = [],
): ConversationForAgent {
  const end = before === undefined ? NaN : state.entries.position(before);
  const entries = [...state.entries].slice(0, Number.isNaN(end) ? undefined : end);
  const isShown = (entry: Entry): boolean => before === undefined || !entry.excluded;
  const { sections, isCut, isWhole } = endOfConversation(
    conversationSections(state, plain, entries.filter(isShown)),
    maxBytes,
  );
  const lead = isCut ? `${explanation} Earlier messages are left out.` : explanation;
  return { explanation: [lead, ...(pages.length > 0 ? ["", ...pagesNote(pages)] : [])].join("\n"), sections, isWhole };
}

/** What a text that the agent gets says about the pages, in lines of Parley. Empty without pages. */
export function pagesNote(paths: readonly string[]): readonly string[] {
  const [first] = paths;
  if (first === undefined) return [];
  const count = paths.length === 1 ? "one page" : `${paths.length} pages`;
  // The paths of many pages differ only in their numbers.
  const listed = paths.length <= maxListed ? paths : [first, "…", paths.at(-1) ?? ""];
  return [
    `The whole conversation is in ${count} of Markdown, which you can read with your tools for files, in this order:`,
    "",
    ...listed.map(path => `- ${path}`),
  ];
}
const maxListed = 20;

/**
 * The end of the conversation if it is longer than `maxBytes`: the beginning is left out by whole messages, and by whole
 * lines of the first one that is left, which keeps its heading.
 */
export function endOfConversation(
  all: readonly ConversationSection[],
  maxBytes: number,
): Pick<ConversationForAgent, "sections" | "isWhole"> & { readonly isCut: boolean } {
  const sections: { readonly author: "user" | "agent"; readonly text: string }[] = [];
  let bytesLeft = maxBytes;
  for (const section of all.toReversed()) {
    const text = section.blocks.join("\n\n");
    const fits = byteLength(text) <= bytesLeft;
    if (fits || sections.length === 0) {
      sections.unshift({ author: section.author, text: fits ? text : endOf(section, bytesLeft) });
      bytesLeft -= byteLength(text) + 2;
    }
    if (!fits) break;
  }
  const isCut = sections.length < all.length;
  // No blank line follows the last section.
  return { sections, isCut, isWhole: !isCut && bytesLeft >= -2 };
}

/** The heading and the last lines. A line that is too long keeps its end, and its quote mark. */
function endOf({ blocks: [heading = "", ...blocks] }: ConversationSection, maxBytes: number): string {
  const lines = blocks.join("\n\n").split("\n");
  const kept: string[] = [];
  let bytesLeft = maxBytes;
  for (const line of lines.toReversed()) {
    const bytes = byteLength(line) + 1;
    if (bytes > bytesLeft) {
      const [mark = ""] = /^ *(?:> |- )?/.exec(line) ?? [];
      if (kept.length === 0) kept.push(`${mark}…${lastBytes(line.slice(mark.length), bytesLeft)}`);
      break;
    }
    kept.unshift(line);
    bytesLeft -= bytes;
  }
  return [heading, "*The beginning of this message is left out.*", kept.join("\n")].join("\n\n");
}

/** The length of the text in UTF-8. */
export const byteLength = (text: string): number => new TextEncoder().encode(text).length;

/** The end of the text, without the part of a character that was cut. */
const lastBytes = (text: string, bytes: number): string =>
  new TextDecoder().decode(new TextEncoder().encode(text).slice(-bytes)).replace(/^\uFFFD+/, "");
