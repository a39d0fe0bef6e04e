// Notes on files that an agent wrote and that need the user: at the tool call that names the file, or in a notice.
import { t } from "../base/l10n.ts";
import { relativeLabel } from "../base/pathLabel.ts";
import { withNotice } from "./activity.ts";
import type { FileNote, SessionEvent, ToolContent } from "./events.ts";
import { isInputItem } from "./ownInput.ts";
import { pathsOf } from "./toolPaths.ts";
import type { DeniedChange, Entry, FileDiff, NotedFile, SessionState, ToolEntry } from "./state.ts";

/** Adds a note on a file. With a null note, removes every note on it. */
export function noteFile(
  state: SessionState,
  event: Extract<SessionEvent, { type: "file" }>,
  at: number,
): SessionState {
  const { path, note } = event;
  const cleared = withoutNote(state, path, note);
  if (note === null || isNoted(cleared, path)) return cleared;
  const naming = cleared.entries.findLast(entry => entry.kind === "tool" && namesFile(entry, path));
  if (naming?.kind !== "tool") {
    return withNotice(cleared, { severity: "warning", title: noteTitles[note](), files: [{ path, note }] }, at);
  }
  return { ...cleared, entries: cleared.entries.put({ ...naming, files: [...(naming.files ?? []), { path, note }] }) };
}

/** Adds that a rule denies a change: at the call of the turn that names the file, else in a notice. */
export function noteDeniedChange(
  state: SessionState,
  { path, by }: Extract<SessionEvent, { type: "deniedChange" }>,
  at: number,
): SessionState {
  const { entries, turnStart, workspaceFolder } = state;
  for (let i = entries.length - 1; i >= turnStart; i--) {
    const entry = entries.at(i);
    if (entry?.kind !== "tool" || !namesFile(entry, path)) continue;
    const denied = [...(entry.denied ?? []), { path, by }];
    return { ...state, entries: entries.put({ ...entry, denied }) };
  }
  const title = deniedChangeText({ path, by }, workspaceFolder);
  return withNotice(state, { severity: "warning", title, byRule: true }, at);
}

/** A change that a rule denies, as a sentence. */
export const deniedChangeText = ({ path, by }: DeniedChange, workspaceFolder: string): string =>
  t("{0} was changed although a rule denies it: {1}", relativeLabel(path, workspaceFolder), by);

/** Records the result of a write at the tool call that names the file: the first text before, the last text after. */
export function recordWriteResult(
  state: SessionState,
  { path, before, after }: Extract<SessionEvent, { type: "fileResult" }>,
): SessionState {
  const naming = state.entries.findLast(entry => entry.kind === "tool" && namesFile(entry, path));
  if (naming?.kind !== "tool") return state;
  const earlier = naming.results?.find(one => one.path === path);
  const oldText = earlier?.oldText ?? before;
  if (earlier?.newText === after) return state;
  const others = (naming.results ?? []).filter(one => one !== earlier);
  const results = [...others, { type: "diff" as const, path, oldText, newText: after, line: 1 }];
  return { ...state, entries: state.entries.put({ ...naming, results }) };
}

/**
 * A tool call's content to show: without the text that is its input, and with the results of its writes in place of the
 * reported diffs.
 */
export function shownContent(entry: ToolEntry): readonly ToolContent[] {
  const { fields, results } = entry;
  const all = fields.content ?? [];
  const content = all.some(item => isInputItem(item, entry)) ? all.filter(item => !isInputItem(item, entry)) : all;
  if (!results) return content;
  const shown = new Set<FileDiff>();
  return content.flatMap(item => {
    const result = item.type === "diff" ? results.find(({ path }) => path === item.path) : undefined;
    if (!result) return [item];
    // The result of all changes to a file is shown once.
    if (shown.has(result)) return [];
    shown.add(result);
    return [result];
  });
}

const noteTitles: Readonly<Record<FileNote, () => string>> = {
  unsaved: () => t("The agent's change is not saved, because you have unsaved changes in this file."),
  diverged: () => t("This file changed on disk while you have unsaved changes in it."),
};

const isNoted = (state: SessionState, path: string): boolean => {
  for (const entry of state.entries) if (filesOf(entry).some(file => file.path === path)) return true;
  return false;
};

/** Removes every other note on the file. */
function withoutNote(state: SessionState, path: string, note: FileNote | null): SessionState {
  let { entries } = state;
  for (const entry of state.entries) {
    const stale = (file: NotedFile): boolean => file.path === path && file.note !== note;
    if (entry.kind === "tool" && filesOf(entry).some(stale)) {
      const { files, ...rest } = entry;
      const left = (files ?? []).filter(file => !stale(file));
      entries = entries.put({ ...rest, ...(left.length > 0 && { files: left }) });
    } else if (entry.kind === "notice" && filesOf(entry).some(stale)) {
      entries = entries.put({ ...entry, files: (entry.files ?? []).filter(file => !stale(file)) });
    }
  }
  return entries === state.entries ? state : { ...state, entries };
}

const filesOf = (entry: Entry): readonly NotedFile[] =>
  entry.kind === "tool" || entry.kind === "notice" ? (entry.files ?? []) : [];

const namesFile = ({ fields }: ToolEntry, path: string): boolean =>
  pathsOf(fields, "locations", "diffs").includes(path);
