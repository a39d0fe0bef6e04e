// Agents that run commands themselves report the output in several ways: as a terminal of their own, as text that grows
// with each update, as a fenced block at the end, or only as raw output. Here each of them becomes one terminal. The
// form of the data decides, never the name of the agent.
import { withoutFence } from "../../base/fence.ts";
import { jsonEqual } from "../../base/jsonEqual.ts";
import type { ExitStatus, SessionEvent, ToolContent, ToolFields } from "../../session/events.ts";
import { repeatsInput } from "../../session/ownInput.ts";
import { isFinal } from "../../session/state.ts";
import { maxTerminalCharacters } from "../../session/terminals.ts";
import { asObject, asString, optionalField, type JsonObject } from "../parse.ts";
import { commandWords, isErrorMessage, outputText, rawExit, strongestExit } from "./rawOutput.ts";
import { reportEvents, terminalReports, type TerminalReport } from "./terminalMeta.ts";

/** A tool call, from all of its updates so far. */
interface Call {
  /** As the agent reported them. */
  readonly fields: Partial<ToolFields>;
  /** The user rejected a question about the call. */
  readonly isRefused: boolean;
  /** The text in `fields.content` is output of the command. */
  readonly isOutput: boolean;
  /** The terminal that the agent reported in `_meta`. */
  readonly reported: string | undefined;
  /** The output that it reported there so far. */
  readonly streamed: string;
  /** There is more of it than is kept here, so it is never replaced. */
  readonly isLong: boolean;
  readonly reportedExit: ExitStatus | undefined;
  /** The terminal on the card. */
  readonly terminal: ShownTerminal | undefined;
  /** The content of the card, if it is not the agent's. */
  readonly content: readonly ToolContent[] | undefined;
}

interface ShownTerminal {
  readonly id: string;
  /** Its output. Undefined: `streamed`. */
  readonly text: string | undefined;
  readonly exit: ExitStatus | undefined;
}

const newCall: Call = {
  fields: {},
  isRefused: false,
  isOutput: false,
  reported: undefined,
  streamed: "",
  isLong: false,
  reportedExit: undefined,
  terminal: undefined,
  content: undefined,
};

/** What an update brings besides the fields of the tool call. */
export interface UpdateContext {
  /** Its `_meta`. */
  readonly meta: JsonObject;
  /** It is part of a permission request, which describes the command and has no output. */
  readonly isQuestion: boolean;
}

/** A tool call's fields as the card shows them, and the events that fill its terminal. */
export interface ShownOutput {
  readonly fields: Partial<ToolFields>;
  readonly events: readonly SessionEvent[];
}

/** The output of one session's tool calls. */
export class CommandOutput {
  readonly #calls = new Map<string, Call>();
  /** Terminals that Parley runs. Only Parley reports their output. */
  readonly #clientTerminals = new Set<string>();

  /** Parley runs this terminal for the agent. */
  addClientTerminal(terminalId: string): void {
    this.#clientTerminals.add(terminalId);
  }

  isClientTerminal(terminalId: string): boolean {
    return this.#clientTerminals.has(terminalId);
  }

  /** The user rejected a question about the call. */
  refuse(toolCallId: string): void {
    this.#calls.set(toolCallId, { ...(this.#calls.get(toolCallId) ?? newCall), isRefused: true });
  }

  forgetCalls(): void {
    this.#calls.clear();
  }

  /** Applies one update. A terminal replaces content that is the output of a command. */
  update(toolCallId: string, fields: Partial<ToolFields>, { meta, isQuestion }: UpdateContext): ShownOutput {
    const old = this.#calls.get(toolCallId) ?? newCall;
    const reports = terminalReports(meta).filter(({ terminalId }) => !this.#clientTerminals.has(terminalId));
    const reported = withReports(withFields(old, fields, isQuestion), reports);
    const call = this.#withTerminal(toolCallId, reported, old);
    this.#calls.set(toolCallId, call);
    const before = old.content ?? old.fields.content ?? [];
    const content = call.content ?? call.fields.content ?? [];
    const isChanged = fields.content !== undefined || !jsonEqual(content, before);
    const shown = { fields: isChanged ? { ...fields, content } : fields, events: terminalEvents(call, old, reports) };
    return call.terminal ? shown : withStreamedText(toolCallId, call, reports, shown);
  }

  /** The call with the terminal that its card shows, and the content around it. */
  #withTerminal(toolCallId: string, call: Call, old: Call): Call {
    const { kind = "execute", content = [], rawInput, status } = call.fields;
    const ids = content.flatMap(item => (item.type === "terminal" ? [item.terminalId] : []));
    const bare = { ...call, terminal: undefined, content: undefined };
    if (ids.some(id => this.#clientTerminals.has(id))) return bare;
    if (ids.length === 0 && (kind !== "execute" || commandWords(rawInput) === undefined)) return bare;

    const text = chosenText(call, old);
    const end = isFinal(status) ? endOf(call) : call.reportedExit;
    const hasText = call.isLong || Boolean(text);
    if (status === "failed" && !hasText && !end && hasWords(call))
      return { ...bare, content: content.filter(item => item.type !== "terminal") };
    const isOver = isFinal(status) && (text !== undefined || end !== undefined);
    if (ids.length === 0 && !old.terminal && !hasText && !isOver) return bare;

    const newId = `output:${toolCallId}`;
    const { reported, streamed } = call;
    const isReported = reported !== undefined && (streamed !== "" || call.isLong || ids.includes(reported));
    const id = isReported ? reported : (ids[0] ?? reported ?? newId);
    // The agent's own terminal may outlive its call.
    const exit = end ?? (isFinal(status) && id === newId ? {} : undefined);
    const shownText = id === reported && text === streamed ? undefined : text;
    return { ...call, terminal: { id, text: shownText, exit }, content: aroundTerminal(call, id, text ?? "") };
  }
}

/** Output of a call that shows no terminal, such as a read, is its text, unless it has other content. */
function withStreamedText(
  toolCallId: string,
  call: Call,
  reports: readonly TerminalReport[],
  { fields, events }: ShownOutput,
): ShownOutput {
  if ((call.fields.content ?? []).length > 0) return { fields, events };
  // An update without content does not remove the text, but an empty list does.
  if (fields.content && call.streamed !== "")
    return { fields: { ...fields, content: [textContent(call.streamed)] }, events };
  const output = reports.map(report => report.output).join("");
  if (output === "") return { fields, events };
  return { fields, events: [...events, { type: "toolChunk", toolCallId, content: textContent(output) }] };
}

const textContent = (text: string): ToolContent => ({ type: "content", content: { type: "text", text } });

function withFields(old: Call, update: Partial<ToolFields>, isQuestion: boolean): Call {
  const call = { ...old, fields: { ...old.fields, ...update } };
  if (update.content === undefined) return call;
  return { ...call, isOutput: isOutput(call, old, update, isQuestion) };
}

/** Whether the text in the new content is output, and not a description of the command or a message about it. */
function isOutput(call: Call, old: Call, update: Partial<ToolFields>, isQuestion: boolean): boolean {
  const { text, isFenced } = contentText(call.fields.content);
  const { rawInput } = call.fields;
  if (isQuestion || text.trim() === "" || isDescription(text, rawInput) || repeatsInput(text, rawInput)) return false;
  const before = contentText(old.fields.content).text;
  if (old.isOutput && text.startsWith(before)) return true;
  if (call.isRefused) return false;
  if (isFenced || text === outputText(call.fields.rawOutput)) return true;
  switch (call.fields.status) {
    case "in_progress":
      return true;
    case "completed":
      // Words around a fence are the agent's own.
      return !/^(`{3}|~{3})/m.test(text);
    case "failed":
      return false;
    default:
      // A call whose start is not reported: text that comes later, without the command, is what it prints.
      return old !== newCall && update.rawInput === undefined && text !== before;
  }
}

function isDescription(text: string, rawInput: unknown): boolean {
  const words = commandWords(rawInput) ?? [];
  const known = [asString(asObject(rawInput)["description"]), words.join(" "), words.at(-1)];
  return known.some(one => one?.trim() === text.trim());
}

/** The texts of the content without the fence around each. */
function contentText(content: readonly ToolContent[] = []): { readonly text: string; readonly isFenced: boolean } {
  const texts = content.flatMap(item =>
    item.type === "content" && item.content.type === "text" ? [item.content.text] : [],
  );
  const bare = texts.map(withoutFence);
  return { text: bare.join("\n"), isFenced: texts.length > 0 && texts.every((text, at) => text !== bare[at]) };
}

function withReports(call: Call, reports: readonly TerminalReport[]): Call {
  const [report] = reports;
  if (!report) return call;
  const output = call.streamed + report.output;
  const isLong = call.isLong || output.length > maxTerminalCharacters;
  return {
    ...call,
    reported: report.terminalId,
    streamed: isLong ? "" : output,
    isLong,
    reportedExit: report.exit ?? call.reportedExit,
  };
}

/** The output of the command. Undefined: the agent has not reported any. */
function chosenText(call: Call, old: Call): string | undefined {
  const { streamed, isRefused, fields } = call;
  // Output that streams is only compared with other texts at the end, so that each piece costs the same.
  if (call.isLong || (streamed !== "" && !isFinal(fields.status) && !old.terminal?.text)) return streamed;
  const raw = isRefused && typeof fields.rawOutput === "string" ? undefined : outputText(fields.rawOutput);
  const wrapped = contentText(fields.content).text;
  const content = call.isOutput && (raw === undefined || !isAbout(wrapped, fields.rawInput)) ? wrapped : undefined;
  const texts = [streamed === "" ? undefined : streamed, raw, content].filter(text => text !== undefined);
  const [first, ...others] = texts.filter(text => text !== "");
  if (first === undefined) return texts.length > 0 || old.terminal ? "" : undefined;
  // A later text replaces an earlier one only if it continues it.
  return others.reduce(
    (text, other) => (other.startsWith(`${text.trimEnd()}\n`) && other.length > text.length ? other : text),
    first,
  );
}

/** Whether a text is a report about the command: lines of which one ends with it, such as `Command: ls`. */
function isAbout(text: string, rawInput: unknown): boolean {
  const line = commandWords(rawInput)?.at(-1);
  const at = line === undefined ? -1 : text.trim().indexOf(`${line}\n`);
  return at >= 0 && !/\w/.test(text.trim().charAt(at - 1));
}

/** Undefined: the agent has not reported how the command ended. */
function endOf({ reportedExit, fields }: Call): ExitStatus | undefined {
  return strongestExit({ ...rawExit(fields.rawOutput), ...reportedExit }) ?? reportedExit;
}

/** Whether the call says something other than output: it was refused, or the command could not start. */
const hasWords = ({ isRefused, fields }: Call): boolean =>
  isRefused || isErrorMessage(fields.rawOutput) || contentText(fields.content).text.trim() !== "";

/** The content with one terminal, which replaces the texts that repeat it. */
function aroundTerminal(
  { fields, isOutput: consumed }: Call,
  terminalId: string,
  output: string,
): readonly ToolContent[] {
  const { content = [], rawInput } = fields;
  const [first] = content.filter(item => item.type === "terminal");
  const terminal: ToolContent = { type: "terminal", terminalId };
  let isPlaced = false;
  const place = (): readonly ToolContent[] => {
    if (isPlaced) return [];
    isPlaced = true;
    return [terminal];
  };
  const items = content.flatMap(item => {
    if (item === first || (item.type === "terminal" && item.terminalId === terminalId)) return place();
    if (item.type !== "content" || item.content.type !== "text") return [item];
    return consumed || repeats(withoutFence(item.content.text), rawInput, output) ? place() : [item];
  });
  return isPlaced ? items : [terminal, ...items];
}

function repeats(text: string, rawInput: unknown, output: string): boolean {
  if (text.trim() === "" || isDescription(text, rawInput) || isAbout(text, rawInput)) return true;
  if (repeatsInput(text, rawInput)) return true;
  const shown = output.trim();
  return shown.includes(text.trim()) || (text.length < 2 * shown.length && text.includes(shown));
}

/** The events that bring the terminal from its old state to the new one. */
function terminalEvents(call: Call, old: Call, reports: readonly TerminalReport[]): readonly SessionEvent[] {
  const { terminal } = call;
  if (!terminal) return reports.flatMap(reportEvents);
  const before = old.terminal?.id === terminal.id ? old.terminal : undefined;
  // Output that was replaced is not appended to.
  const isReplaced = (id: string): boolean => id === before?.id && before.text !== undefined;
  const events = reports.flatMap(one => reportEvents(isReplaced(one.terminalId) ? { ...one, output: "" } : one));
  const shown = terminal.text ?? call.streamed;
  const isChanged = terminal.text === undefined ? before?.text !== undefined : shown !== before?.text;
  const output = isChanged && !call.isLong ? shown : undefined;
  const lastExit = reports.find(({ terminalId }) => terminalId === terminal.id)?.exit ?? before?.exit;
  const exit = jsonEqual(terminal.exit, lastExit) ? undefined : terminal.exit;
  if (output === undefined && exit === undefined) return events;
  const cwd = terminal.id === call.reported ? undefined : asString(asObject(call.fields.rawInput)["cwd"]);
  return [
    ...events,
    {
      ...{ type: "terminal", terminalId: terminal.id },
      ...optionalField("output", output),
      ...optionalField("cwd", cwd),
      ...optionalField("exit", exit),
    },
  ];
}
