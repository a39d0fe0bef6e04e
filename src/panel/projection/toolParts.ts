// The content of a tool card: content blocks, diffs, terminals, raw input and output.
import { visibleText } from "../../base/visibleText.ts";
import { withoutFence } from "../../base/fence.ts";
import { relativeLabel } from "../../base/pathLabel.ts";
import type { ContentBlock, FileOperation, ToolContent } from "../../session/events.ts";
import { toolKey, type SessionState, type TerminalState } from "../../session/state.ts";
import { toolTitle } from "../../session/toolTitle.ts";
import type { DiffStore } from "../diff/diffStore.ts";
import { filesPart } from "../diff/filesPart.ts";
import { placedDiff } from "../diff/placedDiff.ts";
import type { DiffBody, ToolPart, ViewPart } from "../protocol.ts";
import { isOnlySuccess, rawBody } from "./rawBody.ts";
import { shownFields, type ShownFields } from "./toolFields.ts";
import { toolText } from "./toolText.ts";

type CardState = Pick<SessionState, "entries" | "terminals" | "workspaceFolder">;

/** A card shows at most this many characters of the raw input or output of a call. */
export const maxJsonLength = 20_000;

/**
 * The characters of a terminal that are sent to the panel. The cut moves in steps, so that most output is an append.
 */
const terminalWindow = 100_000;
const terminalStep = 50_000;
const maxSequenceLength = 2000;

/** The parts of a tool card in the agent's order, then raw input and output. */
export function toolParts(
  fields: ShownFields,
  viewPart: (block: ContentBlock) => ViewPart,
  state: CardState,
  diffs: DiffStore,
): readonly ToolPart[] {
  const { terminals } = state;
  const content = fields.content ?? [];
  const { kind } = fields;
  const shown = content.map(item => part(item, block => toolBlock(viewPart(block), kind), state, diffs));
  const body = rawBody(fields);
  const texts = content.map(item => {
    if (item.type === "terminal") return terminals.get(item.terminalId)?.output;
    return item.type === "content" && item.content.type === "text" ? withoutFence(item.content.text) : undefined;
  });
  // Many agents repeat their content as raw output. It is shown once.
  const isShown =
    typeof fields.rawOutput === "string" &&
    (fields.rawOutput === body || texts.includes(withoutFence(fields.rawOutput)));
  return [
    ...shown,
    ...(body === undefined ? [] : [toolBlock(viewPart({ type: "text", text: body }), kind)]),
    ...jsonParts("Input", fields.rawInput).map(input =>
      fields.isInputContent ? { ...input, folded: true as const } : input,
    ),
    ...(isShown || isOnlySuccess(fields.rawOutput) ? [] : jsonParts("Output", fields.rawOutput)),
  ];
}

const toolBlock = (view: ViewPart, kind: string | undefined): ViewPart =>
  view.type === "text" ? { ...view, ...toolText(view.text, kind) } : view;

function part(
  item: ToolContent,
  viewPart: (block: ContentBlock) => ViewPart,
  state: CardState,
  diffs: DiffStore,
): ToolPart {
  const { workspaceFolder: cwd, terminals } = state;
  switch (item.type) {
    case "content":
      return viewPart(item.content);
    case "diff":
      return diffPart(item, cwd, diffs);
    case "changes":
      return filesPart(item, diffs.files(item), path => relativeLabel(path, cwd));
    case "terminal":
      return terminalPart(item.terminalId, terminals.get(item.terminalId));
    case "session":
      return sessionPart(item.toolCallId, state);
    case "other":
      return { type: "placeholder", kind: item.kind };
    default:
      return item satisfies never;
  }
}

function sessionPart(toolCallId: string, { entries, workspaceFolder }: CardState): ToolPart {
  const card = entries.get(toolKey(toolCallId));
  if (card?.kind !== "tool") return { type: "session" };
  return { type: "session", entry: card.id, title: toolTitle(shownFields(card), workspaceFolder) };
}

/** Begins to compare the diffs in the content of a tool call. */
export function prepareParts(content: readonly ToolContent[], diffs: DiffStore): void {
  for (const item of content) {
    if (item.type === "diff") diffs.diff(item);
    else if (item.type === "changes") diffs.files(item);
  }
}

type Diff = Extract<ToolContent, { type: "diff" }>;
// The same part for the same content, so that unchanged parts are not sent again.
const parts = new WeakMap<Diff, { readonly cwd: string; readonly body: DiffBody; readonly part: ToolPart }>();

function diffPart(item: Diff, cwd: string, diffs: DiffStore): ToolPart {
  const body = diffs.diff(item);
  const known = parts.get(item);
  if (known?.cwd === cwd && known.body === body) return known.part;
  const operation: FileOperation = item.deleted
    ? "delete"
    : item.oldText === undefined || item.oldText === ""
      ? "add"
      : "modify";
  const newPart: ToolPart = {
    type: "diff",
    path: item.path,
    label: relativeLabel(item.path, cwd),
    operation,
    ...placedDiff(body, operation === "modify" ? item.line : 1),
  };
  parts.set(item, { cwd, body, part: newPart });
  return newPart;
}

function terminalPart(terminalId: string, terminal: TerminalState | undefined): ToolPart {
  const output = terminal?.output ?? "";
  const over = output.length - terminalWindow;
  const step = over <= 0 ? 0 : Math.ceil(over / terminalStep) * terminalStep;
  // Cuts at a line end if one is near, because a cut within an escape sequence would show its rest.
  const line = step === 0 ? -1 : output.indexOf("\n", step);
  const from = line >= 0 && line < step + maxSequenceLength ? line + 1 : step;
  return {
    type: "terminal",
    terminalId,
    text: output.slice(from),
    truncated: from > 0 || (terminal?.truncated ?? false),
    ...(terminal?.command !== undefined && { command: terminal.command }),
    ...(terminal?.cwd !== undefined && { cwd: terminal.cwd }),
    ...(terminal?.exit !== undefined && { exit: terminal.exit }),
    ...((terminal?.own ?? terminal?.canCancel) && terminal?.exit === undefined && { canKill: true }),
  };
}

type JsonPart = Extract<ToolPart, { type: "json" }>;

function jsonParts(label: JsonPart["label"], value: unknown): readonly JsonPart[] {
  if (value === undefined || value === null || value === "") return [];
  if (typeof value === "object" && Object.keys(value).length === 0) return [];
  const raw = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  // A user answers by what a question shows of the input, so nothing in it may reorder or hide the rest.
  const text = label === "Input" ? visibleText(raw) : raw;
  if (text.length <= maxJsonLength) return [{ type: "json", label, text }];
  return [{ type: "json", label, text: text.slice(0, maxJsonLength), cut: text.length - maxJsonLength }];
}
