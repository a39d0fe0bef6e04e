// Scripts: their format, and a parser that reports errors as sentences. Pure.

/** One step of a script. Values can contain placeholders, see README.md. */
export type Step =
  | { readonly do: "update"; readonly update: unknown; readonly times: number; readonly delayMs: number }
  | {
      readonly do: "chunk";
      readonly text: string;
      readonly times: number;
      readonly delayMs: number;
      readonly thought: boolean;
      readonly messageId: string | undefined;
    }
  | {
      readonly do: "request";
      readonly method: string;
      readonly params: unknown;
      readonly as: string | undefined;
      readonly background: boolean;
    }
  | { readonly do: "notify"; readonly method: string; readonly params: unknown }
  | { readonly do: "await"; readonly name: string }
  | { readonly do: "echo"; readonly name: string }
  | { readonly do: "raw"; readonly text: string }
  | { readonly do: "stderr"; readonly text: string; readonly times: number }
  | { readonly do: "waitMs"; readonly milliseconds: number }
  | { readonly do: "waitForCancel" }
  | { readonly do: "mark"; readonly name: string; readonly file: string }
  /** Writes a file directly to disk, not through the client. Without a text, deletes the file. */
  | { readonly do: "write"; readonly path: string; readonly text: string | undefined }
  | { readonly do: "error"; readonly code: number; readonly message: string; readonly data: unknown }
  | { readonly do: "stop"; readonly reason: string }
  | { readonly do: "exit"; readonly code: number }
  | { readonly do: "crash" }
  | { readonly do: "hang" };

/** A valid script. */
export interface Script {
  readonly steps: readonly Step[];
  /** The script handles cancel itself, instead of ending on cancel. */
  readonly ownsCancel: boolean;
  readonly initialize: Readonly<Record<string, unknown>>;
  readonly newSession: Readonly<Record<string, unknown>>;
}

/** An error in a script. The message is a sentence. */
export class ScriptError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ScriptError";
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** The other fields that a step can have, by its action. */
const optionsOf: Readonly<Record<Step["do"], readonly string[]>> & { readonly permission: readonly string[] } = {
  update: ["times", "delayMs"],
  chunk: ["times", "delayMs", "thought", "messageId"],
  request: ["as", "background"],
  permission: ["as", "background"],
  notify: [],
  await: [],
  echo: [],
  raw: [],
  stderr: ["times"],
  waitMs: [],
  waitForCancel: [],
  mark: ["file"],
  write: ["text"],
  error: [],
  stop: [],
  exit: [],
  crash: [],
  hang: [],
};

const actions = Object.keys(optionsOf) as readonly (keyof typeof optionsOf)[];
const stopReasons = ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"];

/** The options of a `permission` step without its own options. */
export const usualOptions: readonly unknown[] = [
  { optionId: "allow", name: "Allow", kind: "allow_once" },
  { optionId: "always", name: "Always Allow", kind: "allow_always" },
  { optionId: "reject", name: "Reject", kind: "reject_once" },
];

/** Parses the text of a script. Throws a `ScriptError` that names the step and its error. */
export function parseScript(text: string): Script {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ScriptError(`It is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const script: Fields = Array.isArray(value) ? { steps: value } : fields(value, "A script");
  const unknown = Object.keys(script).find(
    key => !["steps", "marks", "ignoreCancel", "initialize", "newSession", "comment"].includes(key),
  );
  if (unknown !== undefined) throw new ScriptError(`A script has no field "${unknown}".`);
  if (!Array.isArray(script["steps"])) throw new ScriptError('A script needs "steps", a list.');
  const marks = script["marks"] === undefined ? undefined : string(script["marks"], "marks");
  const steps = script["steps"].map((step, index) => {
    try {
      return parseStep(step, marks);
    } catch (error) {
      throw error instanceof ScriptError ? new ScriptError(`Step ${index + 1}: ${error.message}`) : error;
    }
  });
  const ignores = script["ignoreCancel"] === undefined ? false : boolean(script["ignoreCancel"], "ignoreCancel");
  return {
    steps,
    ownsCancel: ignores || steps.some(step => step.do === "waitForCancel"),
    initialize: script["initialize"] === undefined ? {} : fields(script["initialize"], "initialize"),
    newSession: script["newSession"] === undefined ? {} : fields(script["newSession"], "newSession"),
  };
}

function parseStep(value: unknown, marks: string | undefined): Step {
  const step = fields(value, "A step");
  const named = actions.filter(action => Object.hasOwn(step, action));
  const [action] = named;
  if (action === undefined || named.length > 1) {
    const has = named.length === 0 ? "none" : named.join(" and ");
    throw new ScriptError(`A step must have one of ${actions.join(", ")}. This step has ${has}.`);
  }
  const odd = Object.keys(step).find(key => key !== action && key !== "comment" && !optionsOf[action].includes(key));
  if (odd !== undefined) throw new ScriptError(`"${action}" does not support "${odd}".`);
  const times = step["times"] === undefined ? 1 : count(step["times"], "times");
  const delayMs = step["delayMs"] === undefined ? 0 : number(step["delayMs"], "delayMs");
  const asked = {
    as: step["as"] === undefined ? undefined : string(step["as"], "as"),
    background: step["background"] === undefined ? false : boolean(step["background"], "background"),
  };
  if (asked.background && asked.as === undefined)
    throw new ScriptError('A request in the background needs "as", a name.');
  const given = step[action];
  switch (action) {
    case "update":
      return { do: "update", update: given, times, delayMs };
    case "chunk":
      return {
        do: "chunk",
        text: string(given, "chunk"),
        times,
        delayMs,
        thought: step["thought"] === undefined ? false : boolean(step["thought"], "thought"),
        messageId: step["messageId"] === undefined ? undefined : string(step["messageId"], "messageId"),
      };
    case "request":
    case "notify": {
      const call = fields(given, action);
      const method = string(call["method"], `${action}.method`);
      const params = call["params"] ?? {};
      return action === "notify" ? { do: "notify", method, params } : { do: "request", method, params, ...asked };
    }
    case "permission": {
      const question = fields(given, "permission");
      const params = { sessionId: "$session", options: usualOptions, ...question };
      if (!Object.hasOwn(question, "toolCall")) throw new ScriptError('"permission" needs a "toolCall".');
      return { do: "request", method: "session/request_permission", params, ...asked };
    }
    case "await":
    case "echo":
      return { do: action, name: string(given, action) };
    case "raw":
      return { do: "raw", text: string(given, "raw") };
    case "stderr":
      return { do: "stderr", text: string(given, "stderr"), times };
    case "waitMs":
      return { do: "waitMs", milliseconds: number(given, "waitMs") };
    case "mark": {
      const file = step["file"] === undefined ? marks : string(step["file"], "file");
      if (file === undefined) throw new ScriptError('"mark" needs a "file", here or as "marks" of the script.');
      return { do: "mark", name: string(given, "mark"), file };
    }
    case "write":
      return {
        do: "write",
        path: string(given, "write"),
        text: step["text"] === undefined ? undefined : string(step["text"], "text"),
      };
    case "error": {
      const { code, message, data } = fields(given, "error");
      return { do: "error", code: number(code, "error.code", true), message: string(message, "error.message"), data };
    }
    case "stop": {
      const reason = string(given, "stop");
      if (!stopReasons.includes(reason)) throw new ScriptError(`"stop" must be one of ${stopReasons.join(", ")}.`);
      return { do: "stop", reason };
    }
    case "exit":
      return { do: "exit", code: number(given, "exit") };
    case "waitForCancel":
    case "crash":
    case "hang":
      if (given !== true) throw new ScriptError(`"${action}" must be true or absent.`);
      return { do: action };
    default:
      return action satisfies never;
  }
}

function fields(value: unknown, what: string): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw new ScriptError(`${what} must be an object, not ${JSON.stringify(value)}.`);
}

function string(value: unknown, what: string): string {
  if (typeof value === "string") return value;
  throw new ScriptError(`"${what}" must be a string, not ${JSON.stringify(value)}.`);
}

function boolean(value: unknown, what: string): boolean {
  if (typeof value === "boolean") return value;
  throw new ScriptError(`"${what}" must be true or false, not ${JSON.stringify(value)}.`);
}

function number(value: unknown, what: string, negative = false): number {
  if (typeof value === "number" && Number.isFinite(value) && (negative || value >= 0)) return value;
  throw new ScriptError(`"${what}" must be a number, not ${JSON.stringify(value)}.`);
}

function count(value: unknown, what: string): number {
  const times = number(value, what);
  if (Number.isInteger(times)) return times;
  throw new ScriptError(`"${what}" must be an integer, not ${times}.`);
}
