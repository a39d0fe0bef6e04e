// Masks credentials in JSON values: in protocol traffic and in settings that are logged.
import { hiddenValue, maskKnownSecrets } from "./secrets/knownSecrets.ts";
import { isSecretFlag, maskText } from "./mask.ts";

const secretKey = /(authorization|api[-_]?key|token|secret|password|passwd|credential|cookie)/i;

/**
 * A copy with credentials replaced by "•••", at any depth below such a name. Numbers stay, because token counts are not
 * secret.
 */
export function maskJson(value: unknown, key = ""): unknown {
  if (secretKey.test(key) || key === "env" || key === "headers") return hideTexts(value);
  if (key === "command" && typeof value === "string") return maskText(value);
  if ((key === "args" || key === "command") && Array.isArray(value)) return maskedArguments(value);
  return maskNested(value);
}

function maskNested(value: unknown): unknown {
  if (typeof value === "string") return maskKnownSecrets(value);
  if (Array.isArray(value)) return value.map(maskNested);
  return isRecord(value) ? mapRecord(value, maskJson) : value;
}

/** Hides all strings except names, because variables and headers are sent as `[{name, value}]`. */
function hideTexts(value: unknown, key = ""): unknown {
  if (typeof value === "string") return value === "" || key === "name" ? value : hiddenValue;
  if (Array.isArray(value)) return value.map((item: unknown) => hideTexts(item));
  return isRecord(value) ? mapRecord(value, hideTexts) : value;
}

/** The arguments of a command line. A flag such as `--token` hides the argument after it. */
function maskedArguments(args: readonly unknown[]): readonly unknown[] {
  return args.map((arg, index) => {
    if (typeof arg !== "string") return maskNested(arg);
    const before = args[index - 1];
    const named = typeof before === "string" && isSecretFlag(before) && !arg.startsWith("-");
    return named ? hiddenValue : maskText(arg);
  });
}
const mapRecord = (
  value: Record<string, unknown>,
  change: (value: unknown, key: string) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([key, inner]) => [maskKnownSecrets(key), change(inner, key)]));
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
