// Agents that run commands themselves report the output in several ways: as a terminal, as text that grows with each
// update, or as a fenced block at the end. Text is turned into a terminal here, so that all of them look the same. The
// form of the content decides, never the name of the agent.
import type { ExitStatus, SessionEvent, ToolFields } from "../../session/events.ts";
import { isFinal } from "../../session/state.ts";
import { asNumber, optionalField, isObject, asString, asObject, type JsonObject } from "../parse.ts";

/** The facts about a tool call that all of its updates so far have reported. */
interface ToolCallFacts {
  readonly kind: string | undefined;
  readonly status: string | undefined;
  readonly input: JsonObject;
  /** Its output is shown as a terminal. */
  readonly terminal: boolean;
  /** Its latest output. */
  readonly output: string | undefined;
}

/** One session's tool calls that run commands. */
export class CommandOutput {
  readonly #known = new Map<string, ToolCallFacts>();

  /** The fields with output text replaced by a terminal, and the events that fill the terminal. */
  replaceOutput(
    toolCallId: string,
    fields: Partial<ToolFields>,
  ): { readonly fields: Partial<ToolFields>; readonly events: readonly SessionEvent[] } {
    const old = this.#known.get(toolCallId);
    const known = {
      kind: fields.kind ?? old?.kind,
      input: isObject(fields.rawInput) ? fields.rawInput : (old?.input ?? {}),
      status: fields.status ?? old?.status,
      terminal: old?.terminal ?? false,
    };
    const now = { ...fields, ...(known.status !== undefined && { status: known.status }) };
    const output = known.kind === "execute" ? outputOf(now, known.input, old?.output) : undefined;
    const terminal = fields.content ? output !== undefined : known.terminal;
    this.#known.set(toolCallId, { ...known, terminal, output: output ?? old?.output });
    if (!terminal) return { fields, events: [] };
    const terminalId = `output:${toolCallId}`;
    const cwd = asString(known.input["cwd"]);
    const exit = isFinal(fields.status) ? exitOf(fields.rawOutput) : undefined;
    const event: SessionEvent = {
      type: "terminal",
      terminalId,
      ...optionalField("output", output),
      ...(output !== undefined && optionalField("cwd", cwd)),
      ...optionalField("exit", exit),
    };
    const shown = fields.content ? { ...fields, content: [{ type: "terminal" as const, terminalId }] } : fields;
    return { fields: shown, events: output === undefined && !exit ? [] : [event] };
  }
}

/** The command's output, if the content is a single text that is not a description of the command. */
function outputOf(
  { content, status, rawOutput }: Partial<ToolFields>,
  input: JsonObject,
  before: string | undefined,
): string | undefined {
  const [item, ...others] = content ?? [];
  if (others.length > 0 || item?.type !== "content" || item.content.type !== "text") return undefined;
  const { command, description } = input;
  if (asString(command) === undefined && !Array.isArray(command)) return undefined;
  const shown = item.content.text;
  const fenced = /^\s*(`{3,16}|~{3,16})[^\n`~]*\n([^]*?)\n?\1\s*$/.exec(shown);
  if (fenced) return fenced[2];
  if (shown === "" || shown === description) return undefined;
  const continuesOutput = before !== undefined && before !== "" && shown.startsWith(before);
  return status === "in_progress" || continuesOutput || rawOutputTexts(rawOutput).includes(shown) ? shown : undefined;
}

/** The fields in which raw output may hold the output of the command. */
function rawOutputTexts(rawOutput: unknown): readonly unknown[] {
  const raw = asObject(rawOutput);
  return [rawOutput, raw["output"], raw["stdout"], raw["aggregated_output"], raw["formatted_output"]];
}

function exitOf(rawOutput: unknown): ExitStatus {
  const raw = asObject(rawOutput);
  const places = [raw, asObject(raw["metadata"])];
  const codes = places.flatMap(place => [place["exit"], place["exit_code"], place["exitCode"]]);
  return optionalField(
    "exitCode",
    codes.map(asNumber).find(code => code !== undefined),
  );
}
