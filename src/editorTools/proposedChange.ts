// Changes texts of files for an agent: shows the diff, asks the user, and writes each file as an edit of the agent.
import { asError, Refusal } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { withLineFeeds } from "../base/text.ts";
import type { FileLocation, ToolContent } from "../session/events.ts";
import { askedCall, currentActions } from "./askedCall.ts";
import type { FileEdit, ProposedEdits } from "./editorView.ts";
import { list, text } from "./resultFields.ts";
import { joinedLines, resultSchema, type ToolAnswer, type ToolContext } from "./tool.ts";

/** The files that one call changes. The user has to look at each. */
const maxFiles = 200;
/** The characters that one call shows. They are stored with the conversation. */
const maxShown = 4_000_000;
/** A longer text is shown without its equal lines at both ends. */
const maxWholeText = 100_000;
const contextLines = 3;

/** What a change is. */
export interface ChangeWords {
  readonly title: string;
  /** What the user should know before the answer. */
  readonly description?: string;
  /** Why no rule can allow it. Continues "it …". */
  readonly caveat?: string;
  /** Sentences for the agent that follow the list of files. */
  readonly notes?: readonly (string | undefined)[];
  /** Runs after the files have changed, if all of them have. */
  readonly after?: CommandAfter;
}

interface CommandAfter {
  /** The name of the command. */
  readonly command: string;
  /** Rejects with a Refusal if it was not run. */
  readonly run: () => Promise<void>;
}

/** The result of a tool that changes texts. */
export const changeSchema = resultSchema({
  changed: { type: "array", items: text(), description: "The files that were changed." },
  failed: list({ path: text(), reason: text() }, "The files that were not changed."),
  // Some agents give the model only the structure of a result.
  "notes?": { type: "array", items: text(), description: "What else to know, such as whether a command ran." },
});

const noteFields = (notes: readonly (string | undefined)[]): { readonly notes?: readonly string[] } => {
  const known = notes.filter(one => one !== undefined);
  return known.length === 0 ? {} : { notes: known };
};

/** Asks the user about a change of files, and makes it. Rejects with a Refusal if no file was changed. */
export async function makeChange(
  { edits: proposed, others }: ProposedEdits,
  { title, description, caveat, notes = [], after }: ChangeWords,
  context: ToolContext,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  if (others.length > 0)
    throw new Refusal(
      "failed",
      `This would also change documents that are no files: ${others.slice(0, 5).join(", ")}. Nothing was changed.`,
    );
  const edits = proposed.filter(({ before, after: text }) => withLineFeeds(before) !== withLineFeeds(text));
  if (edits.length === 0 && after === undefined)
    return {
      structured: { changed: [], failed: [], ...noteFields(notes) },
      text: joinedLines("There is nothing to change.", ...notes),
    };
  checkFileCount(edits.length);
  const content = edits.map(shownDiff);
  if (content.reduce((sum, { oldText = "", newText = "" }) => sum + oldText.length + newText.length, 0) > maxShown)
    throw new Refusal("failed", "The change is larger than can be shown to the user. Do it in smaller steps.");
  await checkWrites(edits, context);
  return askedCall(
    {
      ...{ title, kind: "edit", content, locations: edits.map(firstChange) },
      ...(description !== undefined && { description }),
      ...(caveat !== undefined && { caveat }),
    },
    context,
    {
      signal,
      act: async () => {
        const written = await writeAll(edits, context, signal);
        const { changed, failed } = written;
        const [first] = failed;
        if (changed.length === 0) currentActions(context);
        if (first && changed.length === 0) throw new Refusal("failed", first.reason);
        const ending = after && (await runAfter(after, written, context, signal));
        return {
          structured: { changed, failed, ...noteFields([...notes, ending]) },
          text: joinedLines(
            changed.length > 0 ? `Changed ${changed.length === 1 ? "1 file" : `${changed.length} files`}:` : undefined,
            ...changed,
            ...failed.map(({ path, reason }) => `${path} was not changed: ${reason}`),
            ...notes,
            ending,
            changed.length > 0 ? "The user can still undo the changes in the review." : undefined,
          ),
        };
      },
    },
  );
}

/** Throws a Refusal if one call would change too many files. */
export function checkFileCount(count: number): void {
  if (count > maxFiles)
    throw new Refusal(
      "failed",
      `This would change ${count} files, more than ${maxFiles}. Nothing was changed. Do it in smaller steps.`,
    );
}

/** Rejects with a Refusal if one of the files cannot be written in any case, so that a change does not end half done. */
async function checkWrites(edits: readonly FileEdit[], { access }: ToolContext): Promise<void> {
  for (const { path } of edits)
    await access.checkWrite(path).catch((thrown: unknown) => {
      if (!(thrown instanceof Refusal)) throw thrown;
      throw new Refusal(thrown.kind, `${thrown.message} Nothing was changed.`, { path });
    });
}

interface WrittenFiles {
  readonly changed: readonly string[];
  readonly failed: readonly { readonly path: string; readonly reason: string }[];
}

/** Writes the files one after the other. A file that cannot be written does not stop the others, but Stop does. */
async function writeAll(edits: readonly FileEdit[], context: ToolContext, signal: AbortSignal): Promise<WrittenFiles> {
  const { files } = context.access;
  const changed: string[] = [];
  const failed: { path: string; reason: string }[] = [];
  for (const edit of edits) {
    const { path, after } = edit;
    try {
      if (signal.aborted) throw new Refusal("cancelled", "The call was cancelled.");
      await currentActions(context).writeFile(path, after, () => files.edit(edit, signal));
      changed.push(path);
    } catch (thrown) {
      failed.push({ path, reason: asError(thrown).message });
    }
  }
  return { changed, failed };
}

/** Runs the command if all files were changed, and says how it ended. Rejects with a Refusal if no file was changed either. */
async function runAfter(
  { command, run }: CommandAfter,
  { changed, failed }: WrittenFiles,
  context: ToolContext,
  signal: AbortSignal,
): Promise<string> {
  if (failed.length > 0) return `The command ${command} was not run.`;
  try {
    if (signal.aborted) throw new Refusal("cancelled", "The call was cancelled.");
    currentActions(context);
    await run();
    return `The command ${command} ran, too. Read the files again to see what it did.`;
  } catch (thrown) {
    const { message } = asError(thrown);
    if (thrown instanceof Refusal) {
      if (changed.length === 0) throw thrown;
      return `The command ${command} was not run: ${message}`;
    }
    const words = `The command ${command} failed. Read the files again to see what it did. The error: ${message}`;
    if (changed.length === 0) throw new Refusal("failed", words);
    return words;
  }
}

type DiffContent = Extract<ToolContent, { type: "diff" }>;

/** The diff of a file, as an agent sends it. */
export function shownDiff({ path, before, after }: FileEdit): DiffContent {
  const [oldText, newText] = [withLineFeeds(before), withLineFeeds(after)];
  if (Math.max(oldText.length, newText.length) <= maxWholeText) return { type: "diff", path, oldText, newText };
  const [old, now] = [oldText.split("\n"), newText.split("\n")];
  const head = equalLines(old, now);
  const shortest = Math.min(old.length, now.length);
  let tail = 0;
  while (tail < shortest - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const from = Math.max(0, head - contextLines);
  const end = Math.max(0, tail - contextLines);
  const part = (lines: readonly string[]): string => lines.slice(from, lines.length - end).join("\n");
  return { type: "diff", path, oldText: part(old), newText: part(now), line: from + 1 };
}

/** The number of equal lines at the beginning. */
function equalLines(old: readonly string[], now: readonly string[]): number {
  const shortest = Math.min(old.length, now.length);
  let count = 0;
  while (count < shortest && old[count] === now[count]) count++;
  return count;
}

/** Where the first changed line is. */
const firstChange = ({ path, before, after }: FileEdit): FileLocation => ({
  path,
  line: equalLines(withLineFeeds(before).split("\n"), withLineFeeds(after).split("\n")) + 1,
});

/** The words for edits of one file or several. */
export const editTitle = (paths: readonly string[], shownName: (path: string) => string): string =>
  paths.length === 1 ? t("Edit {0}", shownName(paths[0] ?? "")) : t("Edit {0} files", paths.length);
