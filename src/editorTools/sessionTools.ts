// The tools of one session: their list, and their calls.
import { asError, Refusal } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { shortQuote } from "../base/text.ts";
import { untilAborted } from "../base/async.ts";
import { listCodeActionsTool, runCodeActionTool } from "./codeActionTools.ts";
import { applyEditsTool, formatFileTool, organizeImportsTool, renameSymbolTool } from "./editTools.ts";
import { changesTool, openEditorsTool, readFileTool } from "./fileTools.ts";
import { codePlacesTool, documentSymbolsTool, hoverTool, workspaceSymbolsTool } from "./languageTools.ts";
import { diagnosticsTool } from "./problemTools.ts";
import { renameFileTool } from "./renameFileTool.ts";
import { runTaskTool } from "./taskTool.ts";
import { terminalOutputTool } from "./terminalTool.ts";
import { askTool, showTool } from "./userTools.ts";
import { sentResult, type Tool, type ToolChoice, type ToolContext } from "./tool.ts";
import type { ObjectSchema } from "./toolArguments.ts";
import type { ToolResult } from "./toolServer.ts";

type OwnTool = Tool<ObjectSchema>;

const readingTools: readonly OwnTool[] = [
  readFileTool,
  openEditorsTool,
  diagnosticsTool,
  changesTool,
  documentSymbolsTool,
  workspaceSymbolsTool,
  codePlacesTool,
  hoverTool,
  listCodeActionsTool,
  terminalOutputTool,
];

const actingTools: readonly OwnTool[] = [
  applyEditsTool,
  renameSymbolTool,
  formatFileTool,
  organizeImportsTool,
  runCodeActionTool,
  renameFileTool,
  showTool,
  askTool,
  runTaskTool,
];
const allTools: readonly OwnTool[] = [...readingTools, ...actingTools];

const toolsFor = (choice: ToolChoice): readonly OwnTool[] => (choice === "all" ? allTools : readingTools);

/** The tools as agents see them. */
export const describedTools = (choice: ToolChoice): readonly OwnTool["description"][] =>
  toolsFor(choice).map(({ description }) => description);

/** The tools that only read, as agents see them. */
export const toolDescriptions: readonly OwnTool["description"][] = describedTools("read");

interface CallOptions {
  /** Absent: only tools that read. */
  readonly choice?: ToolChoice;
  /** The tools of other extensions that the agent has. */
  readonly ofExtensions?: readonly Tool[];
  readonly context: ToolContext;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Calls a tool. A mistake of the agent, or a failure, is a result with a sentence. Never rejects. */
export async function callTool(
  name: string,
  given: unknown,
  { choice = "read", ofExtensions = [], context, signal, log }: CallOptions,
): Promise<ToolResult> {
  const offered: readonly Tool[] = [...toolsFor(choice), ...ofExtensions];
  const tool = [...allTools, ...ofExtensions].find(({ description }) => description.name === name);
  if (tool && !offered.includes(tool))
    return errorResult(`The user allows only tools that change nothing, so ${name} is switched off.`);
  if (!tool) {
    const names = offered.map(({ description }) => description.name).join(", ");
    return errorResult(`There is no tool ${shortQuote(name)}. The tools are: ${names}.`);
  }
  try {
    signal.throwIfAborted();
    const running = tool.run(given, context, signal);
    return sentResult(
      await untilAborted(running, [signal], () => {
        throw new Refusal("cancelled", "The call was cancelled.");
      }),
    );
  } catch (thrown) {
    if (thrown instanceof Refusal) return errorResult(thrown.message);
    if (signal.aborted) return errorResult("The call was cancelled.");
    log.error(`The tool ${name} failed.`, asError(thrown).stack);
    return errorResult(`The tool failed: ${asError(thrown).message}`);
  }
}

/** A result that says what went wrong. */
export const errorResult = (text: string): ToolResult => ({ text, isError: true });
