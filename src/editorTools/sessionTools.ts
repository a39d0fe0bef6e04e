// The tools of one session: their list, and their calls.
import { asError, Refusal } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { shortQuote } from "../base/text.ts";
import { untilAborted } from "../base/async.ts";
import { changesTool, openEditorsTool, readFileTool } from "./fileTools.ts";
import { codePlacesTool, documentSymbolsTool, hoverTool, workspaceSymbolsTool } from "./languageTools.ts";
import { diagnosticsTool } from "./problemTools.ts";
import { sentResult, type Tool, type ToolContext } from "./tool.ts";
import type { ToolDescription, ToolResult } from "./toolServer.ts";

const tools: readonly Tool[] = [
  readFileTool,
  openEditorsTool,
  diagnosticsTool,
  changesTool,
  documentSymbolsTool,
  workspaceSymbolsTool,
  codePlacesTool,
  hoverTool,
];

/** The tools as agents see them. */
export const toolDescriptions: readonly ToolDescription[] = tools.map(({ description }) => description);

/** Calls a tool. A mistake of the agent, or a failure, is a result with a sentence. Never rejects. */
export async function callTool(
  name: string,
  given: unknown,
  { context, signal, log }: { readonly context: ToolContext; readonly signal: AbortSignal; readonly log: Log },
): Promise<ToolResult> {
  const tool = tools.find(({ description }) => description.name === name);
  if (!tool) {
    const names = toolDescriptions.map(one => one.name).join(", ");
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
