// Hides credentials in JSON values: in protocol traffic and in settings that a log shows.
import { maskedText, hiddenValue, announcesSecret } from "./mask.ts";

const secretKey = /(authorization|api[-_]?key|token|secret|password|passwd|credential|cookie)/i;

/** A copy with credentials replaced by "•••", however deep below such a name. Numbers stay: token counts are no secret. */
export function masked(value: unknown, key = ""): unknown {
  if (secretKey.test(key) || key === "env" || key === "headers") return hidden(value);
  if (key === "command" && typeof value === "string") return maskedText(value);
  if ((key === "args" || key === "command") && Array.isArray(value)) return maskedArguments(value);
  return open(value);
}

function open(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(open);
  return isRecord(value) ? mapped(value, masked) : value;
}

/** All texts but names: `[{name, value}]` is how variables and headers are handed over. */
function hidden(value: unknown, key = ""): unknown {
  if (typeof value === "string") return value === "" || key === "name" ? value : hiddenValue;
  if (Array.isArray(value)) return value.map((item: unknown) => hidden(item));
  return isRecord(value) ? mapped(value, hidden) : value;
}

/** A command line in pieces: a telling flag hides the piece after it. */
function maskedArguments(args: readonly unknown[]): readonly unknown[] {
  return args.map((arg, index) => {
    if (typeof arg !== "string") return open(arg);
    const before = args[index - 1];
    const named = typeof before === "string" && announcesSecret(before) && !arg.startsWith("-");
    return named ? hiddenValue : maskedText(arg);
  });
}
const mapped = (
  value: Record<string, unknown>,
  change: (value: unknown, key: string) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner, key)]));
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
