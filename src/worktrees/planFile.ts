// Plans how the change of one file of a worktree comes back: a merge of three sides, or a conflict in which the local file
// stays as it is.
import { knownWithConflicts, mergeHunks, type MergeConflict } from "../files/mergeHunks.ts";
import { isSameState, type FileState } from "../files/fileState.ts";
import { t } from "../base/l10n.ts";
import { isBase, type BaseState } from "./fileBases.ts";

/** One side of a merge. `text`: null if there is no file, undefined if it is no text. Texts have "\n" line endings. */
export interface FileSide {
  readonly state: FileState;
  readonly text: string | null | undefined;
}

/** The file of the main checkout. */
export interface LocalSide extends FileSide {
  /** The editor has unsaved text, which is `text`. */
  readonly isUnsaved: boolean;
}

/** The side that both others began with. */
export interface BaseSide {
  readonly state: BaseState;
  readonly text: string | null | undefined;
}

/** The three sides of a file. */
export interface FileSides {
  readonly base: BaseSide;
  readonly local: LocalSide;
  /** The file of the worktree. */
  readonly theirs: FileSide;
}

/** Why a file is not merged, so that the local one stays. */
export type WholeConflict =
  /** Deleted in the worktree, changed in the main checkout. */
  | "deletedThere"
  /** Changed in the worktree, deleted in the main checkout. */
  | "deletedHere"
  /** Other files were created at the same path. */
  | "createdTwice"
  /** Both sides changed what is no text, or one of them changed line endings or the encoding. */
  | "changedTwice"
  /** The local file has unsaved text in the editor, and only a text can be merged into it. */
  | "unsaved"
  /** The path to which the file was moved is taken. */
  | "taken";

/** What a file becomes. Without `state`, a text keeps its encoding, its line endings and its mode. */
export interface FileResult {
  readonly text: string | null | undefined;
  readonly state?: FileState;
  /** The mode to set together with the text. */
  readonly executable?: boolean;
}

/** How the change of a file comes back. */
export interface FilePlan {
  /** Undefined: the local file stays as it is. */
  readonly after?: FileResult;
  /** The base of the file when `after` is applied. */
  readonly base: BaseState;
  /** The places that both sides changed. The local lines stay. */
  readonly places: readonly MergeConflict[];
  /** The whole file is a conflict. */
  readonly conflict?: WholeConflict;
  readonly added: number;
  readonly removed: number;
}

/**
 * Plans one file. Undefined: the worktree has not changed it. `isChosen`: whether a hunk of a text is wanted, by its number
 * in the difference between the base and the worktree.
 */
export function planFile(sides: FileSides, isChosen?: (hunk: number) => boolean): FilePlan | undefined {
  const { base, local, theirs } = sides;
  if (isBase(base.state, theirs.state)) return undefined;
  const none = { places: [], added: 0, removed: 0 };
  const merged = textPlan(sides, isChosen);
  // The worktree has nothing but what was brought back, so that only its bytes are the new base.
  if (base.state.kind === "text" && base.text === theirs.text && isSameMode(base.state, theirs.state)) return undefined;
  if (!local.isUnsaved && isSameState(local.state, theirs.state)) return { ...none, base: theirs.state };
  const isAll = isChosen === undefined;
  if (isAll && !local.isUnsaved && isBase(base.state, local.state)) {
    return { ...none, ...countsOf(sides), base: theirs.state, after: { text: theirs.text, state: theirs.state } };
  }
  if (merged) return merged;
  const onlyMode = modePlan(sides);
  if (onlyMode) return { ...none, base: theirs.state, after: onlyMode };
  return { ...none, base: base.state, conflict: wholeConflict(sides) };
}

/** Whether a part of the change conflicts, or all of it. */
export const hasConflict = ({ conflict, places }: FilePlan): boolean => conflict !== undefined || places.length > 0;

/**
 * The base of a file once the user keeps the local version of what conflicts: it has these changes of the worktree, so that they
 * are not offered again. The other changes stay open. Undefined: nothing conflicts. Throws a sentence if the changes cannot be
 * separated.
 */
export function baseOfKept(sides: FileSides): BaseState | undefined {
  const plan = planFile(sides);
  if (!plan || !hasConflict(plan)) return undefined;
  const { base, local, theirs } = sides;
  if (plan.conflict !== undefined) return theirs.state;
  const { executable } = [base.state, local.state].find(one => "executable" in one) ?? { executable: false };
  let text = base.text ?? "";
  // Where lines are alike, a change that was not refused can conflict in the next merge. Each step brings the text closer to that
  // of the worktree.
  for (let step = 0; step < maxKeepSteps; step++) {
    text = knownWithConflicts(text, local.text ?? "", theirs.text ?? "");
    const kept: BaseState = { kind: "text", text, executable };
    const rest = planFile({ ...sides, base: { state: kept, text } });
    if (!rest) return theirs.state;
    if (rest.places.length === 0) return kept;
  }
  throw new Error(t("The lines that conflict cannot be separated from the others. Edit the file yourself."));
}

/** Three steps are the most that random texts needed. */
const maxKeepSteps = 100;

/** The lines that an unchanged local file gets and loses. */
function countsOf({ local, theirs }: FileSides): Pick<FilePlan, "added" | "removed"> {
  if (local.text === undefined || theirs.text === undefined) return { added: 0, removed: 0 };
  const { added, removed } = mergeHunks(local.text ?? "", local.text ?? "", theirs.text ?? "");
  return { added, removed };
}

/** The merge of three texts. Undefined: a side is no text, or only one that the text does not show differs. */
function textPlan({ base, local, theirs }: FileSides, isChosen?: (hunk: number) => boolean): FilePlan | undefined {
  const [own, other] = [local.state, theirs.state];
  const isText = typeof local.text === "string" && typeof theirs.text === "string" && base.text !== undefined;
  if (!isText || own.kind !== "file" || other.kind !== "file") return undefined;
  // The worktree changed line endings or the encoding, which no text shows.
  if (base.text === theirs.text && !isSameMode(base.state, other)) return undefined;
  if (base.text === theirs.text && base.state.kind !== "text") return undefined;
  const { text, known, conflicts, added, removed } = mergeHunks(
    base.text ?? "",
    local.text as string,
    theirs.text as string,
    isChosen,
  );
  const wasExecutable = "executable" in base.state ? base.state.executable : own.executable;
  const setsMode = other.executable !== wasExecutable && own.executable !== other.executable && !local.isUnsaved;
  const mode = setsMode || own.executable === other.executable ? other.executable : wasExecutable;
  const after = { text, ...(setsMode && { executable: other.executable }) };
  return {
    ...(text !== local.text || setsMode ? { after } : {}),
    base: known === theirs.text && mode === other.executable ? other : { kind: "text", text: known, executable: mode },
    places: conflicts,
    added,
    removed,
  };
}

/** Only the mode of a file changed in the worktree. */
function modePlan({ base, local, theirs }: FileSides): FileResult | undefined {
  const [own, other] = [local.state, theirs.state];
  if (local.isUnsaved || own.kind !== "file" || other.kind !== "file" || isSameMode(base.state, other))
    return undefined;
  const isSame =
    base.state.kind === "text" ? base.text === theirs.text : isBase({ ...base.state }, withMode(other, base));
  return isSame ? { text: local.text, state: { ...own, executable: other.executable } } : undefined;
}

const withMode = (state: Extract<FileState, { kind: "file" }>, { state: base }: BaseSide): FileState => ({
  ...state,
  executable: "executable" in base ? base.executable : state.executable,
});

const isSameMode = (base: BaseState, state: FileState): boolean =>
  "executable" in base && state.kind === "file" && base.executable === state.executable;

function wholeConflict({ base, local, theirs }: FileSides): WholeConflict {
  if (theirs.state.kind === "missing")
    return local.isUnsaved && isBase(base.state, local.state) ? "unsaved" : "deletedThere";
  if (local.state.kind === "missing" && !local.isUnsaved) return "deletedHere";
  if (base.state.kind === "missing") return "createdTwice";
  return local.isUnsaved && isBase(base.state, local.state) ? "unsaved" : "changedTwice";
}
