// A tool, and what it may use. Each tool declares its arguments and its result once.
import { forEachLimited } from "../base/async.ts";
import type { Clock } from "../base/log.ts";
import type { Gate } from "../files/gate.ts";
import type { Confinement } from "../files/paths.ts";
import { failedRefusal } from "../files/refusals.ts";
import type { SessionFiles } from "../files/sessionFiles.ts";
import type { AgentActions } from "../session/participant.ts";
import type { ReviewedFile } from "../review/review.ts";
import type { EditorView } from "./editorView.ts";
import {
  argumentSchema,
  checkedArguments,
  type ArgumentFields,
  type CheckedArguments,
  type FieldSchema,
  type ObjectSchema,
} from "./toolArguments.ts";
import type { InputSchema, ToolDescription, ToolResult } from "./toolServer.ts";

/** What a session may see of files: the same as through the agent's own requests for files. */
export interface ToolAccess {
  readonly confinement: Confinement;
  readonly gate: Gate;
  readonly files: Pick<SessionFiles, "read" | "edit">;
  /** What a tool does in the session in place of the agent. Absent: it can only read. */
  readonly actions?: AgentActions | undefined;
  /** What the user has allowed for the whole session. Tools add to it. */
  readonly allowed?: Set<string>;
  /** Whether a list may name the file: a request to read it would pass without a question to the user. */
  readonly passes: (path: string) => Promise<boolean>;
  /** Whether a likely secret or a rule keeps the file from the agent, wherever it is. Rejects with a Refusal. */
  readonly withholds: (path: string) => Promise<boolean>;
  /** Rejects with a Refusal if a write of the file would be refused whatever the user answers. */
  readonly checkWrite: (path: string) => Promise<void>;
}

/** What the user lets agents use: tools that only read, or all of them. */
export type ToolChoice = "read" | "all";

/** What the tools of a session use. */
export interface ToolContext {
  readonly access: ToolAccess;
  readonly editor: EditorView;
  /** The files with changes of the session that wait for review. */
  readonly changes: () => readonly ReviewedFile[];
  readonly clock: Clock;
}

/** A result: the structure, and the same as text for agents that read only text. */
export interface ToolAnswer {
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>>;
}

/** What clients may assume about a tool, besides that it never reaches other machines by itself. */
interface ToolHints {
  /** It only reads. */
  readonly reads?: true;
  /** It can replace or remove what is there. */
  readonly destroys?: true;
  /** A second call with the same arguments changes nothing more. */
  readonly repeats?: true;
  /** It runs programs, which can do anything. */
  readonly isOpen?: true;
}

/** A tool whose arguments are checked before it runs. */
export interface Tool<Input extends InputSchema = InputSchema> {
  readonly description: ToolDescription<Input>;
  /** Rejects with a Refusal that says what to do instead. */
  run(given: unknown, context: ToolContext, signal: AbortSignal): Promise<ToolAnswer>;
}

interface ToolParts<F extends ArgumentFields> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: F;
  readonly result: ObjectSchema;
  readonly run: (values: CheckedArguments<F>, context: ToolContext, signal: AbortSignal) => Promise<ToolAnswer>;
}

/** Makes a tool that only reads. */
export const readingTool = <const F extends ArgumentFields>(parts: ToolParts<F>): Tool<ObjectSchema> =>
  makeTool(parts, { reads: true, repeats: true });

/** Makes a tool that changes or runs something, or shows something to the user. */
export const actingTool = <const F extends ArgumentFields>(parts: ToolParts<F>, hints: ToolHints): Tool<ObjectSchema> =>
  makeTool(parts, hints);

function makeTool<const F extends ArgumentFields>(
  parts: ToolParts<F>,
  { reads = false, destroys = false, repeats = false, isOpen = false }: Partial<Record<keyof ToolHints, boolean>>,
): Tool<ObjectSchema> {
  const { name, title, description, result } = parts;
  const hints = { readOnlyHint: reads, destructiveHint: destroys, idempotentHint: repeats, openWorldHint: isOpen };
  return {
    description: {
      ...{ name, title, description, inputSchema: argumentSchema(parts.arguments), outputSchema: result },
      annotations: { title, ...hints },
    },
    run: async (given, context, signal) => parts.run(checkedArguments(parts.arguments, given), context, signal),
  };
}

/** The schema of a result. Every field is there unless its name ends with `?`. */
export function resultSchema(fields: Readonly<Record<string, FieldSchema>>): ObjectSchema {
  const entries = Object.entries(fields).map(([name, schema]) => [name.replace(/\?$/, ""), schema] as const);
  return {
    type: "object",
    properties: Object.fromEntries(entries),
    required: Object.keys(fields).filter(name => !name.endsWith("?")),
  };
}

/** The path as the editor has it, after the check that the session may read the file. */
export async function admittedPath(path: string, { access }: ToolContext, signal: AbortSignal): Promise<string> {
  const located = await access.confinement.locate(path);
  const asked = await access.gate.admit({ operation: "read", path, located }, signal);
  // The user takes time to answer, and a link can be replaced meanwhile.
  if (asked && (await access.confinement.locate(path)).key !== located.key)
    throw failedRefusal(path, "was moved, or replaced by a link to another place, during the request.");
  return located.path;
}

/** The context in which lists may also name files that were admitted, perhaps by the user. */
export const admitting = (context: ToolContext, isAdmitted: (path: string) => boolean): ToolContext => ({
  ...context,
  access: { ...context.access, passes: async path => isAdmitted(path) || context.access.passes(path) },
});

/** The number of files at which a list looks. */
export const maxListedFiles = 1000;

/** The files whose links are resolved at the same time. */
const maxLocatedFiles = 8;

/** The numbers of items that a list does not name. */
export interface UnlistedItems {
  /** Those whose files the session may not see. */
  readonly leftOut: number;
  /** Those in files after the first 1000. Whether the session may see them is not known. */
  readonly beyond: number;
}

/** The items whose files a list may name, and the numbers of the others. */
export async function listedItems<T>(
  items: readonly T[],
  pathOf: (item: T) => string,
  { access }: ToolContext,
): Promise<{ readonly listed: readonly T[]; readonly unlisted: UnlistedItems }> {
  const paths = [...new Set(items.map(pathOf))].slice(0, maxListedFiles);
  const known = new Map<string, boolean>();
  await forEachLimited(paths, maxLocatedFiles, async path => void known.set(path, await access.passes(path)));
  const listed: T[] = [];
  let beyond = 0;
  for (const item of items) {
    const path = pathOf(item);
    if (known.get(path)) listed.push(item);
    else if (!known.has(path)) beyond++;
  }
  return { listed, unlisted: { leftOut: items.length - listed.length - beyond, beyond } };
}

/** Joins the parts of a text that are there. */
export const joinedLines = (...lines: readonly (string | undefined)[]): string =>
  lines.filter(line => line !== undefined).join("\n");

/** The result of a call as the server sends it. */
export const sentResult = ({ text, structured }: ToolAnswer): ToolResult => ({ text, structured, isError: false });
