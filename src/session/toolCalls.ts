// Patches tool calls (absent, null, value), and closes them at the end of their turn.
import { jsonEqual } from "../base/jsonEqual.ts";
import { withFullerDiffs, withLastDiffs } from "./fullerDiffs.ts";
import { appendContent } from "./messages.ts";
import { inputText } from "./ownInput.ts";
import type { Patch, SessionEvent, ToolContent, ToolFields } from "./events.ts";
import { isFinal, toolKey, type SessionState, type ToolEntry } from "./state.ts";

/** Applies a patch: absent leaves a field, null clears it, a value replaces it. Returns the same object if nothing changed. */
function mergePatch<T extends object>(fields: Partial<T>, patch: Patch<T>): Partial<T> {
  let out: Partial<T> | undefined;
  for (const key of Object.keys(patch) as (keyof T)[]) {
    const value = patch[key];
    if (value === undefined || jsonEqual(value, fields[key]) || (value === null && !(key in fields))) continue;
    out ??= { ...fields };
    if (value === null) delete out[key];
    else out[key] = value as T[keyof T];
  }
  return out ?? fields;
}

/**
 * {@link mergePatch} for a tool call. Of two diffs of the same change it keeps the one with more context, and of a diff
 * that is sent again the one whose line is known. A call that is done keeps its diffs if its content comes without any.
 */
export function mergeToolPatch(fields: Partial<ToolFields>, patch: Patch<ToolFields>): Partial<ToolFields> {
  if (!patch.content) return mergePatch(fields, patch);
  const isDone = (patch.status ?? fields.status) === "completed";
  const content = isDone ? withLastDiffs(fields.content, patch.content) : patch.content;
  return mergePatch(fields, { ...patch, content: withFullerDiffs(fields.content, content) });
}

/** Appends to a tool call's content. Adjacent text is joined, as in messages, unless the content is an item of its own. */
export function appendToolContent(
  old: readonly ToolContent[],
  next: ToolContent,
  isItem: boolean,
): readonly ToolContent[] {
  if (isItem) return [...old, next];
  if (next.type === "content" && next.content.type === "text" && next.content.text === "") return old;
  const last = old.at(-1);
  if (last?.type !== "content" || next.type !== "content") return [...old, next];
  const both = appendContent([last.content], next.content);
  return [...old.slice(0, -1), ...both.map(content => ({ type: "content" as const, content }))];
}

/** The state with the lines where diffs of a tool call begin. Lines of content that is no diff are ignored. */
export function setDiffLines(
  state: SessionState,
  { toolCallId, lines }: Extract<SessionEvent, { type: "diffLines" }>,
): SessionState {
  const entry = state.entries.get(toolKey(toolCallId));
  if (entry?.kind !== "tool") return state;
  const content = [...(entry.fields.content ?? [])];
  let changed = false;
  for (const { item, line } of lines) {
    const diff = content[item];
    if (diff?.type !== "diff" || diff.line === line) continue;
    content[item] = { ...diff, line };
    changed = true;
  }
  return changed ? { ...state, entries: state.entries.put({ ...entry, fields: { ...entry.fields, content } }) } : state;
}

/** Whether the event ends a tool call, so that the agent has written whatever the call writes. */
export const endsToolCall = (event: SessionEvent): boolean => event.type === "tool" && isFinal(event.patch.status);

/**
 * The state with the tool call changed by `change`. Creates the call if needed: updates may come before it is announced.
 * `reported`: the change contains a status, even if it repeats the last one.
 */
export function upsertTool(
  state: SessionState,
  {
    toolCallId,
    parent,
    reported,
  }: { readonly toolCallId: string; readonly parent?: string; readonly reported?: boolean },
  at: number,
  change: (fields: Partial<ToolFields>) => Partial<ToolFields>,
): SessionState {
  const id = toolKey(toolCallId);
  const old = state.entries.get(id);
  const was = old?.kind === "tool" ? (reported ? withStatusReported(old) : old) : undefined;
  const fields = change(was?.fields ?? {});
  if (was !== undefined && was.fields === fields)
    return was === old ? state : { ...state, entries: state.entries.put(was) };
  const {
    ended,
    input: _,
    ...rest
  }: ToolEntry = was ?? { kind: "tool", id, toolCallId, fields, at, ...(parent !== undefined && { parent }) };
  const end = isFinal(fields.status) ? (ended ?? at) : was?.closed ? ended : undefined;
  const input = inputText(fields, was);
  const entry: ToolEntry = {
    ...{ ...rest, fields },
    ...(input !== undefined && { input }),
    ...(end !== undefined && { ended: end }),
  };
  const latestMessage = was === undefined ? null : state.latestMessage;
  return { ...state, entries: state.entries.put(entry), latestMessage };
}

/**
 * The state with the call open again, unless the agent has reported its end. A call of an earlier turn stays closed: the end
 * of that turn closed it.
 */
export function reopenTool(state: SessionState, toolCallId: string): SessionState {
  const entry = state.entries.get(toolKey(toolCallId));
  if (entry?.kind !== "tool" || !entry.closed || isFinal(entry.fields.status)) return state;
  if (!entry.background && state.entries.position(entry.id) < state.turnStart) return state;
  const { closed: _, ended: __, ...open } = entry;
  return { ...state, entries: state.entries.put(open) };
}

function withStatusReported(tool: ToolEntry): ToolEntry {
  if (!tool.statusIsOld) return tool;
  const { statusIsOld: _, ...rest } = tool;
  return rest;
}

/**
 * Records the answer to a question about a tool call. Any answer replaces the earlier one. `stopped`: Stop ended the
 * question, so that the call was never allowed.
 */
export function noteAnswer(
  state: SessionState,
  toolCallId: string,
  answer: "allowed" | "stopped" | "other",
  at: number,
): SessionState {
  const old = state.entries.get(toolKey(toolCallId));
  if (old?.kind !== "tool") return state;
  if (answer === "other" && old.allowedAt === undefined && !old.stopped) return state;
  const { allowedAt: _, statusIsOld: __, stopped: ___, ...rest } = old;
  const entry: ToolEntry = {
    ...rest,
    ...(answer === "allowed" && { allowedAt: at, statusIsOld: true }),
    ...(answer === "stopped" && { stopped: true }),
  };
  return { ...state, entries: state.entries.put(entry) };
}

/** Marks the sub-agents that were running when the agent was lost. */
export function closeSubAgents(state: SessionState, at: number): SessionState {
  let { entries } = state;
  for (const entry of state.entries) {
    if (entry.kind === "tool" && entry.fields.subAgent && !entry.closed && !isFinal(entry.fields.status))
      entries = entries.put({ ...entry, closed: true, ended: at });
  }
  return entries === state.entries ? state : { ...state, entries };
}

/**
 * Marks every call of the latest turn that the agent left open, except those of background work. The agent may still
 * report how they ended. A sub-agent may work on after the turn, and the agent reports its end.
 */
export function closeOpenTools(state: SessionState, at: number): SessionState {
  let { entries } = state;
  for (let i = entries.length - 1; i >= state.turnStart; i--) {
    const entry = entries.at(i);
    if (entry?.kind !== "tool" || entry.closed || entry.background || isFinal(entry.fields.status)) continue;
    if (entry.fields.subAgent) continue;
    entries = entries.put({ ...entry, closed: true, ended: at });
  }
  return entries === state.entries ? state : { ...state, entries };
}
