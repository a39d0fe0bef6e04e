// The fields next to a command in the raw input of a tool call. A field that is not known to be harmless, such as `host`
// or `sudo`, may change what runs, so no rule can allow the command.
import { jsonEqual } from "../base/jsonEqual.ts";
import { fieldName, isFolderKey } from "./pathsAndUrls.ts";

type Input = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const isText: Check = value => typeof value === "string";
const isFlag: Check = value => typeof value === "boolean";
const isNumber: Check = value =>
  typeof value === "number" || (typeof value === "string" && /^\d+(?:\.\d+)?$/.test(value));
const oneOf =
  (...texts: readonly string[]): Check =>
  value =>
    texts.some(text => text === value);

const named = (names: string, check: Check): readonly (readonly [string, Check])[] =>
  names.split(" ").map(name => [name, check] as const);

/** Fields that describe a command, limit it, or show it in another way, with a check of their values. */
const harmlessFields: ReadonlyMap<string, Check> = new Map([
  ...named("description explanation reason justification summary purpose intention title", isText),
  ...named("callid toolcallid", isText),
  ...named("timeout timeoutms timeoutsec timeoutseconds maxwaitseconds initialwait yieldtimems", isNumber),
  ...named("maxoutputtokens maxoutputlength maxoutputchars", isNumber),
  ...named("background isbackground runinbackground async wait tty login interactive", isFlag),
  ...named("mode", oneOf("sync", "async")),
  ...named("sandboxpermissions", oneOf("use_default")),
]);

/** Fields that `questionFacts.ts` judges itself. */
const judgedFields = new Set(["command", "cmd", "args", "shell", "env", "environment", "stdin"]);

/** The name of a field that may change what the command of an input does. */
export function unknownCommandField(input: Input): string | undefined {
  const command = input["command"] ?? input["cmd"];
  return Object.keys(input).find(key => {
    const value = input[key];
    if (isEmpty(value) || judgedFields.has(key) || isFolderKey(key)) return false;
    return harmlessFields.get(fieldName(key))?.(value) !== true && !repeats(value, command);
  });
}

/** Some agents send the command twice, as text and as a list with this text. */
function repeats(value: unknown, command: unknown): boolean {
  if (jsonEqual(value, command)) return true;
  return Array.isArray(value) && value.every(item => jsonEqual(item, command));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === false) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
