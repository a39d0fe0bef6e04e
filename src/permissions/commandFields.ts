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

const isId: Check = value => typeof value === "string" || typeof value === "number";
const isTime: Check = value => isNumber(value) || (typeof value === "string" && /^[\d:.TZ+ -]+$/.test(value));
const isList: Check = value => Array.isArray(value);
const isTexts: Check = value => Array.isArray(value) && value.every(isText);

/**
 * Fields that describe a command, limit it, or show it in another way, with a check of their values. A session or a
 * process is where a command runs, so their ids are no description.
 */
const harmlessFields: ReadonlyMap<string, Check> = new Map([
  ...named("description explanation reason justification summary purpose intention title", isText),
  ...named("callid toolcallid turnid itemid requestid approvalid threadid", isId),
  ...named("startedat startedatms createdat timestamp timestampms", isTime),
  // The answers that the agent offers, and the rule that one of them would make.
  ...named("availabledecisions", isList),
  ...named("proposedexecpolicyamendment", isTexts),
  ...named("source", oneOf("agent")),
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
    if (harmlessFields.get(fieldName(key))?.(value) === true || repeats(value, command)) return false;
    return !(partFields.has(fieldName(key)) && namesParts(value, command));
  });
}

/** Fields with the parts of the command, as the agent has parsed it. */
const partFields = new Set(["parsedcmd", "commandactions"]);
const partKeys = new Set(["type", "cmd", "command", "path", "name", "query"]);

/** Whether a list describes only parts of the command: each is in the command, apart from quotes and white space. */
function namesParts(value: unknown, command: unknown): boolean {
  const whole = lettersOf(isTexts(command) ? (command as readonly string[]).join(" ") : command);
  if (!Array.isArray(value) || whole === undefined) return false;
  return value.every((part: unknown) => {
    if (typeof part !== "object" || part === null) return false;
    const { cmd, command: line = cmd } = part as Input;
    const letters = lettersOf(line);
    return letters !== undefined && whole.includes(letters) && Object.keys(part).every(key => partKeys.has(key));
  });
}

const lettersOf = (value: unknown): string | undefined =>
  typeof value === "string" ? value.replace(/[\s'"\\]+/g, "") : undefined;

/** Some agents send the command twice, as text and as a list with this text. */
function repeats(value: unknown, command: unknown): boolean {
  if (jsonEqual(value, command)) return true;
  return Array.isArray(value) && value.every(item => jsonEqual(item, command));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === false) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
