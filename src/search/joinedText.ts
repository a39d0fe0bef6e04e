// The joined text of a conversation: every text that Find in Conversation searches, without secrets, in one file that can be
// searched without reading the log. Three lines of JSON are followed by the lines of the texts:
//   {"joined":2,"bytes":…}
//   [labels of files]
//   [[position of the entry, number of its lines], …]
import { isFiniteNumber, isListOf, isRecordWith, isString, isTrue, optional } from "../base/validators.ts";

/** Changes with each change of the format, or of what is searched. */
const joinedFormat = 2;

/** The lines of an entry, by its position in the conversation. */
export type EntryLines = readonly [position: number, lines: number];

/** The first line of a joined text, which says whether it is current. */
export interface JoinedHead {
  /** The length of the log that it was made from, in bytes. */
  readonly bytes: number;
  /** A part of the conversation is missing, because it is too long. */
  readonly isCut?: true;
  /** The number of lines of the log that could not be read, if there are any. */
  readonly damaged?: number;
}

export interface JoinedText extends JoinedHead {
  /** Labels of the files that tool calls name. */
  readonly files: readonly string[];
  /** In the order of `text`. An entry can occur more than once. */
  readonly entries: readonly EntryLines[];
  /** Ends with a line feed, unless it is empty. */
  readonly text: string;
}

/** The parts of a file of a joined text. */
export interface JoinedParts {
  readonly files: readonly string[];
  readonly entries: readonly EntryLines[];
  readonly text: string;
}

/** The file of a joined text. */
export function serializeJoinedText({ bytes, files, isCut, damaged, entries, text }: JoinedText): string {
  const head = { joined: joinedFormat, bytes, ...(isCut && { isCut }), ...(damaged && { damaged }) };
  return `${JSON.stringify(head)}\n${JSON.stringify(files)}\n${JSON.stringify(entries)}\n${text}`;
}

const isHead = isRecordWith({
  joined: (value: unknown) => value === joinedFormat,
  bytes: isFiniteNumber,
  isCut: optional(isTrue),
  damaged: optional(isFiniteNumber),
});
const isFiles = isListOf(isString);
const isPair = (value: unknown): value is EntryLines =>
  Array.isArray(value) && value.length === 2 && value.every(one => Number.isSafeInteger(one) && Number(one) >= 0);
const isEntries = isListOf(isPair);

/** The head in the first line of a file. Undefined if the file is damaged or has another format. */
export function joinedHead(line: string): JoinedHead | undefined {
  const head = parsed(line);
  return isHead(head) ? (head as JoinedHead) : undefined;
}

/** The parts of a file. Undefined if it is damaged. */
export function joinedParts(file: string): JoinedParts | undefined {
  const headEnd = file.indexOf("\n");
  const filesEnd = headEnd < 0 ? -1 : file.indexOf("\n", headEnd + 1);
  const entriesEnd = filesEnd < 0 ? -1 : file.indexOf("\n", filesEnd + 1);
  if (entriesEnd < 0 || !joinedHead(file.slice(0, headEnd))) return undefined;
  const files = parsed(file.slice(headEnd + 1, filesEnd));
  const entries = parsed(file.slice(filesEnd + 1, entriesEnd));
  if (!isFiles(files) || !isEntries(entries)) return undefined;
  return {
    files,
    entries,
    text: file.slice(entriesEnd + 1),
  };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}
