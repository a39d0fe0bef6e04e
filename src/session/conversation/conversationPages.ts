// A whole conversation as pages of bounded size, for an agent whose prompt cannot hold it. Text of others is in quotes only,
// without likely secrets.
import { maskText } from "../../base/mask.ts";
import { visibleLine } from "../../base/lines.ts";
import { sessionTitle, type Entry, type SessionState } from "../state.ts";
import { byteLength, quoteExplanation } from "./conversationForAgent.ts";
import { conversationSections, type ConversationSection, type ConversationStyle } from "./conversationSections.ts";

/** The longest page, in bytes. Agents cut what their tools read; this is below the limits that are known. */
export const maxPageBytes = 48_000;
/** Of a longer conversation, the latest pages are written. */
const maxPages = 400;
/** The room for the title, the explanation, and a heading that is repeated. Bytes. */
const headRoom = 2000;
/** The texts that are put together before other work gets its turn, some milliseconds. UTF-16 units. */
const sliceLength = 64 * 1024;
/** The longest title. UTF-16 units. */
const maxTitle = 100;

/** Keeps pages where an agent can read them. */
export interface PageStore {
  /** Replaces the pages of this name. Resolves with the paths of the files, in order. */
  write(name: string, pages: readonly string[]): Promise<readonly string[]>;
}

const style: ConversationStyle = {
  user: "User",
  text: maskText,
  file: maskText,
  line: line => visibleLine(maskText(line)),
};

/**
 * The pages of the conversation up to the entry `before`, each at most {@link maxPageBytes} long and split at messages and
 * tool calls, without turns that the agent refused. `pause` runs between slices of the work.
 */
export async function conversationPages(
  state: SessionState,
  before: string | undefined,
  pause: () => Promise<void>,
): Promise<readonly string[]> {
  const end = before === undefined ? NaN : state.entries.position(before);
  const entries = [...state.entries].slice(0, Number.isNaN(end) ? undefined : end).filter(entry => !entry.excluded);
  const writer = new PageWriter();
  for (const slice of slicesOf(entries)) {
    for (const section of conversationSections(state, style, slice)) writer.add(section);
    await pause();
  }
  const all = writer.pages;
  const pages = all.slice(-maxPages);
  const title = visibleLine(maskText(sessionTitle(state)))
    .trim()
    .slice(0, maxTitle);
  const name = title === "" ? "Conversation" : `Conversation “${title}”`;
  return pages.map((blocks, at) => {
    const head = [
      `# ${name}, page ${at + 1} of ${pages.length}`,
      `Parley wrote the headings, and the lines that do not begin with “>”. ${quoteExplanation}`,
      ...(at === 0 && all.length > pages.length ? ["Earlier messages are left out."] : []),
    ];
    return `${[...head, ...blocks].join("\n\n")}\n`;
  });
}

/** The entries in parts with at most as much text as is read in a few milliseconds, if an entry is not longer. */
function* slicesOf(entries: readonly Entry[]): Generator<readonly Entry[]> {
  let slice: Entry[] = [];
  let length = 0;
  for (const entry of entries) {
    const own = textLength(entry);
    if (slice.length > 0 && length + own > sliceLength) {
      yield slice;
      slice = [];
      length = 0;
    }
    slice.push(entry);
    length += own;
  }
  if (slice.length > 0) yield slice;
}

/** What an entry without text costs. UTF-16 units. */
const minLength = 200;

function textLength(entry: Entry): number {
  if (entry.kind !== "message") return minLength;
  return entry.content.reduce((sum, block) => sum + ("text" in block ? (block.text?.length ?? 0) : 0), minLength);
}

/** A long block does not begin where a page has less room. Bytes. */
const minRest = 4000;

/** Distributes blocks to pages. A page begins with the heading of the message that it continues. */
class PageWriter {
  readonly pages: string[][] = [];
  #room = 0;
  #heading = "";

  add({ blocks }: ConversationSection): void {
    const [heading = "", ...rest] = blocks;
    // A turn that was read in several slices is one section.
    const isContinued = heading === this.#heading && !heading.startsWith("## User");
    this.#heading = heading;
    const size = sizeOf(blocks);
    // A section that fits a page is not divided, and a heading is not left alone at the end of a page.
    const isWhole = size > this.#room && size <= maxPageBytes - headRoom;
    const isAlone = sizeOf(blocks.slice(0, 2)) > this.#room && this.#room < minRest;
    if (this.pages.length === 0 || (!isContinued && (isWhole || isAlone))) this.#begin();
    if (!isContinued) this.#put(heading);
    for (const block of rest) this.#add(block);
  }

  #add(block: string): void {
    const bytes = byteLength(block) + 2;
    if (bytes <= this.#room) return this.#put(block);
    if (bytes <= maxPageBytes - headRoom) {
      this.#continue();
      return this.#put(block);
    }
    if (this.#room < minRest) this.#continue();
    for (const part of partsOf(block, this.#room, maxPageBytes - headRoom)) {
      if (byteLength(part) + 2 > this.#room) this.#continue();
      this.#put(part);
    }
  }

  #begin(): void {
    this.pages.push([]);
    this.#room = maxPageBytes - headRoom;
  }

  /** A page that begins in a section. Its repeated heading has room besides the blocks. */
  #continue(): void {
    this.#begin();
    this.pages.at(-1)?.push(this.#heading, "*Continued from the page before.*");
  }

  #put(block: string): void {
    this.pages.at(-1)?.push(block);
    this.#room -= byteLength(block) + 2;
  }
}

const sizeOf = (blocks: readonly string[]): number => blocks.reduce((sum, block) => sum + byteLength(block) + 2, 0);

/** The lines of a long block in parts, of which the first has at most `firstBytes`. A line that is too long is cut, and keeps its indent and its quote mark. */
function partsOf(block: string, firstBytes: number, maxBytes: number): readonly string[] {
  const parts: string[] = [];
  let part: string[] = [];
  let bytesLeft = firstBytes - 2;
  for (const line of block.split("\n").flatMap(each => cutLine(each, minRest / 2))) {
    const bytes = byteLength(line) + 1;
    if (bytes > bytesLeft) {
      parts.push(part.join("\n"));
      part = [];
      bytesLeft = maxBytes - 2;
    }
    part.push(line);
    bytesLeft -= bytes;
  }
  return [...parts, part.join("\n")];
}

function cutLine(line: string, maxBytes: number): readonly string[] {
  if (byteLength(line) <= maxBytes) return [line];
  const [mark = ""] = /^ *(?:> ?|- )?/.exec(line) ?? [];
  const pieces: string[] = [];
  let piece = "";
  let bytesLeft = 0;
  for (const char of line.slice(mark.length)) {
    const bytes = byteLength(char);
    if (bytes > bytesLeft) {
      if (piece !== "") pieces.push(piece);
      piece = mark;
      bytesLeft = maxBytes - byteLength(mark);
    }
    piece += char;
    bytesLeft -= bytes;
  }
  return [...pieces, piece];
}
