// Makes the joined text of a conversation in slices, so that the extension host stays responsive.
import { maskedPieces, maskText } from "../base/mask.ts";
import { DiffStore } from "../panel/diff/diffStore.ts";
import { runWithTimeLimit } from "../panel/find/findTimeLimit.ts";
import { searchable, type Searchable } from "../panel/find/searchable.ts";
import { Projector } from "../panel/projection/projector.ts";
import type { ViewEntry } from "../panel/protocol.ts";
import { relativeLabel } from "../base/pathLabel.ts";
import { pathsOf } from "../session/toolPaths.ts";
import type { SessionState } from "../session/state.ts";
import type { EntryLines, JoinedText } from "./joinedText.ts";

/** The work between two pauses. Milliseconds. */
const sliceTime = 8;
/** A text that takes longer to read as Markdown is taken as it is written. Milliseconds. */
const maxTextTime = 35;
/** The texts that are masked at once, about a millisecond. UTF-16 units. */
const maskedLength = 16 * 1024;
/** A longer conversation is searched up to this length. UTF-16 units. */
const maxLength = 20_000_000;
/** More files of one conversation are not found by the filter `file:`. */
const maxFiles = 5000;

/**
 * The texts of a conversation, without secrets. `pause` runs between two slices, so that other work can proceed. `onError`
 * gets the errors of parts that cannot be read because of a bug.
 */
export async function makeJoinedText(
  state: SessionState,
  pause: () => Promise<void>,
  onError: (error: unknown) => void,
): Promise<Omit<JoinedText, "bytes">> {
  const slices = new Slices(pause);
  const entries: EntryLines[] = [];
  const texts: string[] = [];
  let length = 0;
  const views = new EntryViews(state, onError);
  try {
    for (let position = 0; position < state.entries.length && length < maxLength; position++) {
      await slices.next();
      const view = await views.view(position, pause);
      for (const text of view ? searchable(view) : []) {
        const joined = await maskedText(plainText(text), slices);
        if (joined === "") continue;
        // Only a line feed ends a line, as in Find in Conversation.
        let lines = 1;
        for (let at = joined.indexOf("\n"); at >= 0; at = joined.indexOf("\n", at + 1)) lines++;
        entries.push([position, lines]);
        texts.push(joined, "\n");
        length += joined.length + 1;
        await slices.next();
      }
    }
  } finally {
    views.dispose();
  }
  const isCut = length >= maxLength;
  return { files: filesOf(state), ...(isCut && { isCut: true as const }), entries, text: texts.join("") };
}

/** The texts of one entry, as {@link makeJoinedText} joins them. Empty if it has none. */
export async function makeEntryText(
  state: SessionState,
  position: number,
  pause: () => Promise<void>,
  onError: (error: unknown) => void,
): Promise<string> {
  const slices = new Slices(pause);
  const views = new EntryViews(state, onError);
  try {
    const view = await views.view(position, pause);
    const texts: string[] = [];
    for (const text of view ? searchable(view) : []) {
      const masked = await maskedText(plainText(text), slices);
      if (masked !== "") texts.push(masked);
    }
    return texts.join("\n");
  } finally {
    views.dispose();
  }
}

/** Pauses when a slice is over. */
class Slices {
  readonly #pause: () => Promise<void>;
  #end = performance.now() + sliceTime;

  constructor(pause: () => Promise<void>) {
    this.#pause = pause;
  }

  async next(): Promise<void> {
    if (performance.now() < this.#end) return;
    await this.#pause();
    this.#end = performance.now() + sliceTime;
  }
}

/** The views of entries, with their diffs. */
class EntryViews {
  readonly #state: SessionState;
  readonly #diffs: DiffStore;
  readonly #projector: Projector;

  constructor(state: SessionState, onError: (error: unknown) => void) {
    this.#state = state;
    this.#diffs = new DiffStore({ defer: run => void setImmediate(run), onDidCompute: () => undefined, onError });
    this.#projector = new Projector(this.#diffs, undefined, onError);
  }

  async view(position: number, pause: () => Promise<void>): Promise<ViewEntry | undefined> {
    for (;;) {
      const view = this.#projector.entryAt(this.#state, position);
      if (!view || !isComparing(view)) return view;
      // The store works on the diff in the turns of the event loop.
      const { version } = this.#diffs;
      while (this.#diffs.version === version) await pause();
    }
  }

  dispose(): void {
    this.#diffs.dispose();
  }
}

const isComparing = (view: ViewEntry): boolean =>
  view.kind === "tool" &&
  view.parts.some(part =>
    part.type === "diff"
      ? part.state === "computing"
      : part.type === "files" && part.files.some(file => file.diff?.state === "computing"),
  );

/** The text as Find in Conversation reads it. A hostile one is taken as it is written. */
function plainText(text: Searchable): string {
  let plain: string | undefined;
  if (text.source.length < shortText) return text.plain();
  runWithTimeLimit(maxTextTime, () => (plain = text.plain()));
  return plain ?? text.source;
}
/** No text of this length takes long. UTF-16 units. */
const shortText = 500;

async function maskedText(text: string, slices: Slices): Promise<string> {
  if (text.length <= maskedLength) return maskText(text);
  const pieces: string[] = [];
  for (const piece of maskedPieces(text, maskedLength)) {
    pieces.push(piece);
    await slices.next();
  }
  return pieces.join("");
}

/** The labels of the files that tool calls name. */
function filesOf({ entries, workspaceFolder }: SessionState): readonly string[] {
  const files = new Set<string>();
  for (const entry of entries) {
    if (entry.kind !== "tool") continue;
    for (const path of pathsOf(entry.fields, "locations", "diffs", "moves")) {
      if (files.size >= maxFiles) return [...files];
      files.add(maskText(relativeLabel(path, workspaceFolder)).slice(0, maxFileLabel));
    }
  }
  return [...files];
}
/** No path of a file is longer. UTF-16 units. */
const maxFileLabel = 4096;
