// The view of an open question, with everything that the user needs to decide it.
import { maskVariable } from "../../base/mask.ts";
import { relativeLabel } from "../../base/pathLabel.ts";
import { planApproval } from "../../session/planApproval.ts";
import { toolKey, type Question, type SessionState } from "../../session/state.ts";
import {
  argumentsOf,
  commandOf,
  isOnlyCommand,
  permissionTitle,
  questionTitle,
  toolName,
} from "../../session/toolTitle.ts";
import type { DiffStore } from "../diff/diffStore.ts";
import type { ToolPart, ViewQuestion } from "../protocol.ts";
import { viewPart } from "./contentParts.ts";
import { locationsOf, shownFields } from "./toolFields.ts";
import { toolParts } from "./toolParts.ts";
import { isPatch, toolText } from "./toolText.ts";

type UnknownRecord = Readonly<Record<string, unknown>>;

const maxVariables = 50;

/**
 * Environment variables in the raw input of a tool call: an object, or a list of names and values. Values are masked.
 */
function envOf(raw: unknown): NonNullable<ViewQuestion["env"]> {
  const env = typeof raw === "object" && raw !== null ? (raw as UnknownRecord)["env"] : undefined;
  if (typeof env !== "object" || env === null) return [];
  const pairs: readonly (readonly [unknown, unknown])[] = Array.isArray(env)
    ? (env as readonly unknown[]).map(item => [
        (item as UnknownRecord | null)?.["name"],
        (item as UnknownRecord | null)?.["value"],
      ])
    : Object.entries(env);
  return pairs.slice(0, maxVariables).flatMap(([name, value]) => {
    if (typeof name !== "string" || typeof value !== "string") return [];
    return [{ name, value: maskVariable(name, value) }];
  });
}

/** The folder in the raw input of a command, by the same names as in permissions/questionFacts.ts. */
function folderOf(raw: unknown): string | undefined {
  const isFolder = (key: string): boolean =>
    /^(?:cwd|workdir|workingdir(?:ectory)?|directory|dirpath)$/i.test(key.replace(/[^a-z]/gi, ""));
  const found = Object.entries(raw ?? {}).find(([key, value]) => isFolder(key) && typeof value === "string" && value);
  return found && (found[1] as string);
}

/** The view of a form or a web address. It names no tool call, because it is shown above the composer only. */
function formView({ id, title, form, address, opened }: Question): ViewQuestion {
  return {
    id,
    title,
    parts: [],
    locations: [],
    options: [],
    ...(form && { form }),
    ...(address && { address }),
    ...(opened && { opened }),
  };
}

export function questionView(question: Question, state: SessionState, diffs: DiffStore): ViewQuestion {
  if (question.kind !== undefined) return formView(question);
  const id = question.toolCallId === undefined ? undefined : toolKey(question.toolCallId);
  const entry = id === undefined ? undefined : state.entries.get(id);
  const tool = entry?.kind === "tool" ? entry : undefined;
  const { subject, reason, always, edits } = question;
  const fields = tool && shownFields(tool);
  const raw = fields && argumentsOf(fields);
  const command = subject?.command ?? commandOf(raw);
  const cwd = subject?.cwd ?? folderOf(raw);
  const kind = subject?.kind ?? tool?.fields.kind;
  const env = subject?.env ?? envOf(raw);
  const plan = planApproval(state, question)?.plan;
  const parts = fields ? toolParts(fields, viewPart, state, diffs).map(unfolded) : [];
  const hasDiff = parts.some(part => part.type === "diff" || part.type === "files");
  // The user decides by what will happen, so raw input is shown only if nothing describes it better. The arguments that
  // the card showed before the question stay, because a sentence can say less than they do.
  const keepsInput = fields?.isInputContent && command === undefined && !hasDiff;
  const descriptiveParts = parts.filter(
    part => (part.type !== "json" || (keepsInput && part.label === "Input")) && !repeatsQuestion(part, command),
  );
  // The question shows the command itself, so the name of the tool needs no further words.
  const name = command === undefined ? undefined : toolName(question.title || (fields?.title ?? ""));
  return {
    id: question.id,
    title: questionTitle(name ?? permissionTitle(question.title, fields, state.workspaceFolder), command),
    ...(question.description !== undefined && { description: question.description }),
    ...(id !== undefined && { entry: id }),
    ...(kind !== undefined && { toolKind: kind }),
    ...(command !== undefined && { command, cwd: typeof cwd === "string" ? cwd : state.workspaceFolder }),
    parts: descriptiveParts.length > 0 || command !== undefined ? descriptiveParts : [...patchParts(raw), ...parts],
    locations: tool
      ? locationsOf(tool, state.workspaceFolder)
      : (subject?.paths ?? []).map(path => ({ path, label: relativeLabel(path, state.workspaceFolder) })),
    options: question.options,
    ...(reason !== undefined && { reason }),
    ...(always && { always }),
    ...(edits && { edits }),
    ...(env.length > 0 && { env }),
    ...(plan !== undefined && { plan }),
  };
}

/** The user decides by the arguments, so a question does not fold what its card folds. */
const unfolded = (part: ToolPart): ToolPart =>
  part.type === "json" && part.folded === true ? { ...part, folded: false } : part;

/** Whether a part of a question shows nothing but the command, which the question itself shows. */
function repeatsQuestion(part: ToolPart, command: string | undefined): boolean {
  if (part.type === "terminal") return part.text === "" && part.exit === undefined;
  return part.type === "text" && command !== undefined && isOnlyCommand(part.text, command);
}

/** The patch in the raw input of a question without content. Some agents put it into the field `diff`. */
function patchParts(raw: unknown): readonly ToolPart[] {
  const patch = typeof raw === "object" && raw !== null ? (raw as UnknownRecord)["diff"] : undefined;
  if (typeof patch !== "string" || !isPatch(patch)) return [];
  const text = viewPart({ type: "text", text: patch.trim() });
  return [text.type === "text" ? { ...text, ...toolText(text.text, "edit") } : text];
}
