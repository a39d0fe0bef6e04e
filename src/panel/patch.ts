// Computes the changes between two views as small messages, and applies them. Values are compared by identity: the same
// object is the same value. Runs on both sides of the webview.
import { jsonEqual } from "../base/jsonEqual.ts";
import { lineBetween, placedDiff } from "./diff/placedDiff.ts";
import type { ToolPart, View, ViewEntry, ViewHead, ViewPatch } from "./protocol.ts";

/** A view whose entries are in a list that shares its unchanged blocks with the lists before it. */
export interface SharedView {
  readonly head: ViewHead;
  readonly entries: ViewEntries;
}

/** An array of entries, or a list of them in blocks. */
export interface ViewEntries extends Iterable<ViewEntry> {
  readonly length: number;
  at(position: number): ViewEntry | undefined;
  /** The entries in order. Two lists with the same block at the same place have the same entries there. */
  readonly blocks?: readonly (readonly ViewEntry[])[];
}

/** The patches that turn `from` into `to`. Empty if nothing changed. */
export function diffViews(from: SharedView, to: SharedView): ViewPatch[] {
  const out: ViewPatch[] = [];
  if (from.entries !== to.entries) {
    if (to.entries.length < from.entries.length) out.push({ op: "keep", count: to.entries.length });
    for (const { at, entry } of changedEntries(from.entries, to.entries)) {
      const before = from.entries.at(at);
      const patch = before === undefined ? undefined : patchBetween(before, entry, at);
      if (patch === "equal") continue;
      out.push(patch ?? { op: "put", at, entry });
    }
  }
  const head = changedHead(from.head, to.head);
  if (head) out.push({ op: "head", ...head });
  return out;
}

/** The entries that differ from those at the same positions before. Shared blocks are skipped as a whole. */
function* changedEntries(
  from: ViewEntries,
  to: ViewEntries,
): Iterable<{ readonly at: number; readonly entry: ViewEntry }> {
  let at = 0;
  for (const [i, block] of (to.blocks ?? [[...to]]).entries()) {
    if (from.blocks?.[i] === block) at += block.length;
    else {
      for (const entry of block) {
        if (from.at(at) !== entry) yield { at, entry };
        at++;
      }
    }
  }
}

/** Applies the patches. Throws if a patch names an entry or part that does not exist, because the view is stale. */
export function applyViewPatches(view: View, patches: readonly ViewPatch[]): View {
  let { head } = view;
  let entries = view.entries;
  let copy: ViewEntry[] | undefined;
  const mutable = (): ViewEntry[] => {
    copy ??= [...entries];
    entries = copy;
    return copy;
  };
  for (const patch of patches) {
    switch (patch.op) {
      case "head":
        head = withoutKeys({ ...head, ...patch.head }, patch.gone);
        break;
      case "prepend":
        entries = copy = [...patch.entries, ...entries];
        break;
      case "keep":
        mutable().length = Math.min(patch.count, entries.length);
        break;
      case "put":
        if (patch.at > entries.length) throw new Error(`There is no entry ${patch.at} to put.`);
        mutable()[patch.at] = patch.entry;
        break;
      case "place": {
        const entry = entries[patch.at];
        if (entry === undefined) throw new Error(`There is no entry ${patch.at} to place diffs of.`);
        mutable()[patch.at] = withPlacedDiffs(entry, patch.lines);
        break;
      }
      case "append": {
        const at = entries.findLastIndex(entry => entry.id === patch.id);
        const entry = entries[at];
        if (entry === undefined) throw new Error(`There is no entry ${patch.id} to append to.`);
        mutable()[at] = withAppendedText(entry, patch.part, patch.text, patch.until);
        break;
      }
      default:
        patch satisfies never;
    }
  }
  return head === view.head && entries === view.entries ? view : { head, entries };
}

/** The text, if all that the patches do is append it to the last part of the last entry of `view`. */
export function textForLast(view: SharedView, patches: readonly ViewPatch[]): string | undefined {
  const [patch, ...more] = patches;
  if (patch?.op !== "append" || more.length > 0 || patch.until !== undefined) return undefined;
  const last = lastPart(view);
  return last?.id === patch.id && last.part === patch.part ? patch.text : undefined;
}

/** The patch that {@link textForLast} left out. Throws if the last entry has no parts, because the view is stale. */
export function appendToLast(view: View, text: string): ViewPatch {
  const last = lastPart(view);
  if (last === undefined) throw new Error("There is no part to append to.");
  return { op: "append", ...last, text };
}

function lastPart(view: SharedView): { readonly id: string; readonly part: number } | undefined {
  const entry = view.entries.at(-1);
  return entry && "parts" in entry && entry.parts.length > 0
    ? { id: entry.id, part: entry.parts.length - 1 }
    : undefined;
}

/** What of the head is new, and which optional keys it no longer has. Undefined: nothing has changed. */
function changedHead(from: ViewHead, to: ViewHead): Pick<HeadPatch, "head" | "gone"> | undefined {
  if (from === to) return undefined;
  const head: Record<string, unknown> = {};
  for (const key of Object.keys(to) as (keyof ViewHead)[]) if (!jsonEqual(from[key], to[key])) head[key] = to[key];
  const gone = (Object.keys(from) as (keyof ViewHead)[]).filter(
    key => from[key] !== undefined && to[key] === undefined,
  );
  if (Object.keys(head).length === 0 && gone.length === 0) return undefined;
  return { head: head as Partial<ViewHead>, ...(gone.length > 0 && { gone }) };
}

function withoutKeys(head: ViewHead, gone: readonly (keyof ViewHead)[] = []): ViewHead {
  return gone.length === 0
    ? head
    : (Object.fromEntries(
        Object.entries(head).filter(([key]) => !gone.includes(key as keyof ViewHead)),
      ) as object as ViewHead);
}

type HeadPatch = Extract<ViewPatch, { op: "head" }>;
type Append = Extract<ViewPatch, { op: "append" }>;
type Place = Extract<ViewPatch, { op: "place" }>;

/** The patch that turns `a` into `b`, "equal" if nothing differs, undefined if the entry has to be replaced. */
function patchBetween(a: ViewEntry, b: ViewEntry, at: number): Append | Place | "equal" | undefined {
  if (a.id !== b.id || a.kind !== b.kind) return undefined;
  const { parts: from, ...restA } = a as ViewEntry & { parts?: readonly ToolPart[] };
  const { parts: to, ...restB } = b as ViewEntry & { parts?: readonly ToolPart[] };
  const until = "until" in restB ? restB.until : undefined;
  if (!jsonEqual({ ...restA, until }, { ...restB, until })) return undefined;
  const untilChanged = "until" in restA && restA.until !== until;
  if (from === undefined || to === undefined) return from === to && !untilChanged ? "equal" : undefined;
  if (from.length !== to.length) return undefined;
  const appends: Append[] = [];
  const lines: (readonly [part: number, line: number])[] = [];
  for (let part = 0; part < to.length; part++) {
    const p = from[part] as ToolPart;
    const q = to[part] as ToolPart;
    if (p === q) continue;
    const line = lineOfPlaced(p, q);
    if (line !== undefined) lines.push([part, line]);
    else if (!jsonEqual(p, q)) {
      const text = appendedText(p, q);
      if (text === undefined) return undefined;
      appends.push({ op: "append", id: b.id, part, text });
    }
  }
  if (lines.length > 0) return appends.length > 0 || untilChanged ? undefined : { op: "place", at, lines };
  if (appends.length > 1) return undefined;
  const [patch] = appends;
  if (patch === undefined && untilChanged && to.length > 0 && until !== undefined)
    return { op: "append", id: b.id, part: 0, text: "", until };
  if (patch === undefined) return untilChanged ? undefined : "equal";
  return untilChanged && until !== undefined ? { ...patch, until } : patch;
}

type TextPart = Extract<ToolPart, { type: "text" | "terminal" }>;
const hasText = (part: ToolPart): part is TextPart => part.type === "text" || part.type === "terminal";

/** The text that was appended to a part, if that is the only difference. */
function appendedText(p: ToolPart, q: ToolPart): string | undefined {
  if (!hasText(p) || !hasText(q) || !q.text.startsWith(p.text)) return undefined;
  return jsonEqual({ ...p, text: "" }, { ...q, text: "" }) ? q.text.slice(p.text.length) : undefined;
}

/** The line at which a diff begins that had no known line before, if that is the only difference. */
function lineOfPlaced(p: ToolPart, q: ToolPart): number | undefined {
  if (p.type !== "diff" || q.type !== "diff" || !p.unplaced) return undefined;
  const line = lineBetween(p, q);
  const { unplaced: _, ...rest } = p;
  return line !== undefined && jsonEqual({ ...rest, hunks: [] }, { ...q, hunks: [] }) ? line : undefined;
}

function withPlacedDiffs(entry: ViewEntry, lines: Place["lines"]): ViewEntry {
  const parts = partsOf(entry).slice();
  for (const [part, line] of lines) {
    const diff = parts[part];
    if (diff?.type !== "diff") throw new Error(`Part ${part} of entry ${entry.id} is not a diff.`);
    parts[part] = placedDiff<typeof diff>(diff, line);
  }
  return { ...entry, parts } as ViewEntry;
}

const partsOf = (entry: ViewEntry): readonly ToolPart[] => ("parts" in entry ? entry.parts : []);

function withAppendedText(entry: ViewEntry, part: number, text: string, until: number | undefined): ViewEntry {
  const parts = partsOf(entry);
  const old = parts[part];
  if (old === undefined) throw new Error(`Entry ${entry.id} has no part ${part} to append to.`);
  const next = text === "" || !hasText(old) ? old : { ...old, text: old.text + text };
  return { ...entry, parts: parts.with(part, next), ...(until !== undefined && { until }) } as ViewEntry;
}
