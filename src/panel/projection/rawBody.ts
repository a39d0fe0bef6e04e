// The one text of raw output. Raw output has no fixed form, but agents that send no content put the result or the error
// of a call into a few common fields.
import type { ToolFields } from "../../session/events.ts";

type Values = Readonly<Record<string, unknown>>;

/** The body of a call without content of its own. Undefined if it has content, or if raw output has no text. */
export function rawBody({ content = [], rawOutput, status }: Partial<ToolFields>): string | undefined {
  const hasContent = content.some(
    item => item.type !== "content" || item.content.type !== "text" || item.content.text.trim() !== "",
  );
  if (!hasContent) return rawText(rawOutput, status === "failed");
  // A diff says what a failed edit wanted, but not why it failed. Other texts beside a diff repeat it.
  const onlyDiffs = content.every(item => item.type === "diff" || item.type === "changes");
  return onlyDiffs && status === "failed" ? errorText(rawOutput) : undefined;
}

/** The text of raw output, the result before the error, or the error first if the call failed. */
function rawText(rawOutput: unknown, failed: boolean): string | undefined {
  if (typeof rawOutput === "string") return notBlank(rawOutput);
  const { content, message, error, output, aggregated_output, stdout, stderr, formatted_output, result } =
    valuesOf(rawOutput);
  const texts = [
    failed ? errorText(rawOutput) : undefined,
    blockTexts(rawOutput),
    content,
    message,
    textOfError(error),
    output,
    aggregated_output,
    withErrors(stdout, stderr),
    formatted_output,
    result,
    blockTexts(valuesOf(result)["content"]),
    blockTexts(content),
  ];
  return texts.map(notBlank).find(text => text !== undefined);
}

/** Whether raw output says nothing but that the call succeeded. */
export function isOnlySuccess(rawOutput: unknown): boolean {
  if (typeof rawOutput !== "object" || rawOutput === null || Array.isArray(rawOutput)) return false;
  const values = Object.entries(rawOutput).filter(([, value]) => value !== null && value !== "");
  return (
    values.length > 0 &&
    values.every(([key, value]) => (key === "metadata" ? isOnlySuccess(value) : exitKeys.includes(key) && value === 0))
  );
}

const exitKeys: readonly string[] = ["exit", "exit_code", "exitCode"];

function errorText(rawOutput: unknown): string | undefined {
  const { message, error } = valuesOf(rawOutput);
  return notBlank(textOfError(error)) ?? notBlank(message);
}

/** An error as a text, or as an object with a message. */
function textOfError(error: unknown): unknown {
  if (typeof error === "string") return error;
  const { message, details } = valuesOf(error);
  return notBlank(message) ?? details;
}

function withErrors(stdout: unknown, stderr: unknown): unknown {
  const [out, err] = [notBlank(stdout), notBlank(stderr)];
  return out !== undefined && err !== undefined ? `${out.replace(/\n$/, "")}\n${err}` : (out ?? err);
}

/** The texts of a list of content blocks. */
function blockTexts(list: unknown): string | undefined {
  if (!Array.isArray(list)) return undefined;
  const texts = list.slice(0, maxBlocks).flatMap(block => notBlank(valuesOf(block)["text"]) ?? []);
  return texts.length > 0 ? texts.join("\n") : undefined;
}

const maxBlocks = 1000;

const valuesOf = (value: unknown): Values => (typeof value === "object" && value !== null ? (value as Values) : {});

const notBlank = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined;
