// Finds paths and addresses in the data of a tool call, by the names of its fields.
import type { ToolKind } from "../session/events.ts";

const maxValues = 2000;
/** The number of characters that are searched for addresses. */
const maxSearchedText = 4_000_000;
const maxDepth = 6;

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));
const pathWords = words(
  "path paths filepath filepaths file files filename dir dirs directory directories folder folders",
);
/** Too common as the last word of longer names, such as `new_source`. */
const pathKeys = words("target targets destination dest source src");
const addressWords = words("url urls href");
const linkWords = words("uri uris link links");
const mapWords = words("files changes edits");
/** Last words of fields that contain text for people, or text to write: never a file that the tool accesses. */
const proseWords = words(
  "description explanation reason justification instruction instructions prompt query message summary title plan thought",
);
const bodyWords = words("content contents text string str diff patch code body before after");
/** Last words of fields with a glob or a regular expression. A relative one stays in the folder. */
const patternWords = words("pattern patterns regex glob globs include exclude");

/** The words of a field's name: `filePath` and `file_path` have two. */
function wordsOf(key: string): readonly string[] {
  const apart = key.replace(/([a-z\d])([A-Z])/g, "$1_$2").toLowerCase();
  return apart.split(/[^a-z\d]+/).filter(word => word !== "");
}

const lastWord = (key: string): string => wordsOf(key).at(-1) ?? "";
/** Whether a field contains a path. */
export const isPathKey = (key: string): boolean =>
  pathWords.has(lastWord(key)) || pathKeys.has(key.toLowerCase()) || /filename$/.test(fieldName(key));

/** The name of a field in lower case, without separators: `filepath` for `filePath` and `file_path`. */
export const fieldName = (key: string): string => wordsOf(key).join("");

const leavesFolder = /^(?:~|[\\/]|[a-z]:[\\/])|(?:^|[\\/])\.\.(?:[\\/]|$)/i;
const isAddress = (text: string): boolean => /^[a-z][a-z\d+.-]+:\/\//i.test(text);

/** Whether a text is more likely a path than anything else. */
function looksLikePath(text: string): boolean {
  if (text.includes("\n") || isAddress(text)) return false;
  return leavesFolder.test(text) || (/[\\/]/.test(text) && !/\s/.test(text)) || /^[\w@+-]*\.[a-z][\w.-]*$/i.test(text);
}

/** The folder that relative paths start from, and that a command runs in. */
export const isBaseKey = (key: string): boolean =>
  ["cwd", "workdir", "workingdir", "workingdirectory"].includes(fieldName(key));

/** For a command, also the folder it runs in. For another tool, the folder that it is about. */
export const isFolderKey = (key: string): boolean =>
  isBaseKey(key) || ["directory", "dirpath"].includes(fieldName(key));

/** Stands for the name of a field with the folder that relative paths start from. */
const baseField = "base";

/**
 * Finds paths and addresses in any JSON. It finds too many rather than too few, because rules must allow all of them.
 */
export class PathsAndUrls {
  readonly paths = new Set<string>();
  readonly urls = new Set<string>();
  readonly #kind: ToolKind | undefined;
  /** Texts that look like paths, each with the name of its unknown field. */
  readonly #unknown = new Map<string, string>();
  #values = 0;
  #searchedLength = 0;
  #isComplete = true;

  constructor(kind: ToolKind | undefined) {
    this.#kind = kind;
  }

  /** False: there was more than the limits allow. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** The name of a field that Parley doesn't know, and that contains a path. Repeating a known path is harmless. */
  get unknownPathField(): string | undefined {
    for (const [text, field] of this.#unknown) if (!this.paths.has(text)) return field;
    return undefined;
  }

  addPath(path: unknown): void {
    if (typeof path !== "string" || path.trim() === "" || !this.#isWithinLimits()) return;
    // Some programs treat a blank at the end as part of the name, and others ignore it.
    this.paths.add(path).add(path.trim());
  }

  addValue(value: unknown, key = "", depth = 0, isItem = false): void {
    if (value === undefined || !this.#isWithinLimits(depth)) return;
    if (typeof value === "string") this.#addText(value, key);
    if (typeof value !== "object" || value === null) return;
    const isList = Array.isArray(value);
    for (const [name, one] of Object.entries(value)) {
      if (!this.#isComplete) return;
      // A map from files to their changes.
      const isMap = !isList && !isItem && mapWords.has(lastWord(key));
      if (isMap || (!isList && /[\\/]/.test(name))) this.#addText(name, "path");
      // The field is the base of paths, not one of the paths.
      const isBase = depth === 0 && !isList && isBaseKey(name);
      this.addValue(one, isList ? key : isBase && typeof one === "string" ? baseField : name, depth + 1, isList);
    }
  }

  #isWithinLimits(depth = 0): boolean {
    if (++this.#values > maxValues || depth > maxDepth) this.#isComplete = false;
    return this.#isComplete;
  }

  #addText(whole: string, key: string): void {
    const text = whole.trim();
    const last = lastWord(key);
    const isLink = linkWords.has(last);
    if (text === "") return;
    if (/^file:/i.test(text)) this.addPath(text);
    else if (addressWords.has(last) || (isLink && this.#kind === "fetch")) this.#addUrl(text);
    else if (isPathKey(key) || isLink) {
      if (/^(?:https?|wss?):/i.test(text)) this.#addUrl(text);
      else if (!isLink || last.startsWith("uri")) this.addPath(whole);
    } else if (key !== baseField && this.#mayBePath(text, last)) this.#unknown.set(text, key);
    if (this.#kind === "fetch") this.#addMentionedUrls(whole);
  }

  #mayBePath(text: string, last: string): boolean {
    if (proseWords.has(last)) return false;
    if (patternWords.has(last)) return leavesFolder.test(text);
    // Only tools that write receive the text to write.
    const isWriting = this.#kind !== "read" && this.#kind !== "delete" && this.#kind !== "move";
    return !(isWriting && bodyWords.has(last)) && looksLikePath(text);
  }

  #addMentionedUrls(text: string): void {
    this.#searchedLength += text.length;
    if (this.#searchedLength > maxSearchedText) this.#isComplete = false;
    if (!this.#isComplete) return;
    for (const [found] of text.matchAll(/https?:\/\/[^\s"'<>`]+/gi)) {
      const address = found.replace(/(?<![.,;:!?)\]}*_])[.,;:!?)\]}*_]+$/, "");
      if (address.length > "https://".length && this.#isWithinLimits()) this.#addUrl(address);
    }
  }

  #addUrl(text: string): void {
    this.urls.add(text);
    // Programs disagree on the host of such an address, so it is recorded without one.
    if (/[\\\s\p{Cc}]/u.test(text)) this.urls.add(`unclear address ${text}`);
  }
}
