// Connects the exact states of files under review to the editor: decoding, and sentences about what changed.
import { t } from "../../base/l10n.ts";
import type { Log } from "../../base/log.ts";
import { textOfBytes } from "../../editor/diskText.ts";
import { openEncoding } from "../../editor/shownText.ts";
import type { FileState } from "../../files/fileState.ts";
import { stateWithText } from "../../files/vscode/stateSteps.ts";
import { EarlierStates, type EarlierStatesOptions } from "../earlierStates.ts";
import { newFoldersAbove } from "../turns/newFolders.ts";
import type { FileDifference, TurnStart } from "../turns/turnStart.ts";

/** Creates the states of a window's review. */
export function createEarlierStates(
  options: Pick<EarlierStatesOptions, "awaitsReview" | "isOrigin" | "stateBefore" | "stateWritten"> & {
    readonly start: (turn: string) => Promise<TurnStart>;
    /** The agent changed the file, but not its text. `what`: a sentence. */
    readonly changedState: (path: string, turn: string, what: string, text: string | undefined) => void;
    readonly log: Log;
  },
): EarlierStates {
  return new EarlierStates({
    ...options,
    stateAt: async (turn, path) => (await options.start(turn)).stateAt(path),
    newFolders: async (turn, path, began) => newFoldersAbove(path, began, await options.start(turn)),
    texts: { textOf: decodedText, encodingOf: openEncoding, withText: stateWithText },
    changedState: ({ path, turn, before, after, text }) =>
      options.changedState(path, turn, describeChange(before, after), text),
  });
}

/** The start with the texts of all files as the editor decodes them, not only of those in UTF-8. */
export function decodedStart(start: TurnStart): TurnStart {
  const asShown = async (path: string, utf8: string | null | undefined): Promise<string | null | undefined> => {
    if (utf8 === null || (utf8 !== undefined && (openEncoding(path) ?? "utf8") === "utf8")) return utf8;
    const state = await start.stateAt(path);
    return state?.kind === "file" ? decodedText(state.bytes, path) : utf8;
  };
  return {
    ...start,
    textAt: async path => asShown(path, await start.textAt(path)),
    differences: async signal => {
      const found = await start.differences(signal);
      const isOther = ({ path, before }: FileDifference): boolean =>
        typeof before === "string" && openEncoding(path) !== undefined;
      return Promise.all(
        found.map(async one => (isOther(one) ? { ...one, before: await asShown(one.path, one.before) } : one)),
      );
    },
  };
}

/** Undefined if the bytes are no text in the encoding, by default the one that the editor would choose. */
async function decodedText(bytes: Uint8Array, path: string, encoding?: string): Promise<string | undefined> {
  try {
    return await textOfBytes(bytes, path, encoding);
  } catch {
    return undefined; // The editor cannot decode it either.
  }
}

function describeChange(before: FileState, after: FileState): string {
  if (before.kind === "link" || after.kind === "link") return t("The agent changed or replaced a symbolic link.");
  if (before.kind !== "file" || after.kind !== "file") return t("The agent changed the file.");
  if (Buffer.compare(before.bytes, after.bytes) !== 0)
    return t("The agent changed line endings or the encoding, and no text.");
  return after.executable ? t("The agent made the file executable.") : t("The agent made the file not executable.");
}
