// The arguments and results of a tool as tables of fields. The JSON Schema of a tool, the check of its arguments, and
// their type derive from one table.
import { Refusal } from "../base/errors.ts";
import { shortQuote } from "../base/text.ts";

/** A value in an argument or a result, as JSON Schema describes it. */
export interface FieldSchema {
  readonly type: "string" | "integer" | "boolean" | "array" | "object";
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly default?: string | number | boolean;
  readonly items?: FieldSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
}

/** The schema of the arguments or of the result of a tool. */
export interface ObjectSchema extends FieldSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, FieldSchema>>;
}

/** An argument of a tool. `T` is the type of its value. */
export interface ArgumentField<T> {
  readonly schema: FieldSchema;
  readonly isOptional: boolean;
  /** What is wrong with the value, as the end of a sentence. Undefined: nothing. */
  readonly fault: (value: unknown) => string | undefined;
  /** Only for the type. */
  readonly value?: T;
}

export type ArgumentFields = Readonly<Record<string, ArgumentField<unknown>>>;
/** The type of arguments that were checked. */
export type CheckedArguments<F extends ArgumentFields> = {
  readonly [K in keyof F]: F[K] extends ArgumentField<infer T> ? T : never;
};

const defaultMaxLength = 2000;

/** A string that is not empty. */
export function textArgument(description: string, maxLength = defaultMaxLength): ArgumentField<string> {
  return {
    schema: { type: "string", description, minLength: 1, maxLength },
    isOptional: false,
    fault: value =>
      typeof value !== "string" || value === ""
        ? "must be a string that is not empty"
        : value.length > maxLength
          ? `must have at most ${maxLength} characters`
          : undefined,
  };
}

/** A whole number between two limits. */
export function countArgument(description: string, minimum: number, maximum: number): ArgumentField<number> {
  return {
    schema: { type: "integer", description, minimum, maximum },
    isOptional: false,
    fault: value =>
      Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum
        ? undefined
        : `must be a whole number from ${minimum} to ${maximum}`,
  };
}

/** One of several words. */
export function choiceArgument<const T extends string>(description: string, choices: readonly T[]): ArgumentField<T> {
  return {
    schema: { type: "string", description, enum: choices },
    isOptional: false,
    fault: value =>
      (choices as readonly unknown[]).includes(value) ? undefined : `must be one of ${choices.join(", ")}`,
  };
}

/** Yes or no. */
export function flagArgument(description: string): ArgumentField<boolean> {
  return {
    schema: { type: "boolean", description },
    isOptional: false,
    fault: value => (typeof value === "boolean" ? undefined : "must be true or false"),
  };
}

/** A text that may be empty. */
export function anyTextArgument(description: string, maxLength: number): ArgumentField<string> {
  return {
    schema: { type: "string", description, maxLength },
    isOptional: false,
    fault: value =>
      typeof value !== "string"
        ? "must be a string"
        : value.length > maxLength
          ? `must have at most ${maxLength} characters`
          : undefined,
  };
}

/** A list of strings that are not empty. */
export function textsArgument(
  description: string,
  { maxItems, maxLength }: { readonly maxItems: number; readonly maxLength: number },
): ArgumentField<readonly string[]> {
  const item = textArgument(description, maxLength);
  return {
    schema: { type: "array", description, items: { type: "string", minLength: 1, maxLength }, minItems: 1, maxItems },
    isOptional: false,
    fault: value =>
      listFault(value, maxItems) ?? (value as readonly unknown[]).map(item.fault).find(fault => fault !== undefined),
  };
}

/** A list of objects with these fields. */
export function listArgument<const F extends ArgumentFields>(
  description: string,
  fields: F,
  maxItems: number,
): ArgumentField<readonly CheckedArguments<F>[]> {
  return {
    schema: { type: "array", description, items: argumentSchema(fields), minItems: 1, maxItems },
    isOptional: false,
    fault: value => {
      const wrong = listFault(value, maxItems);
      if (wrong !== undefined) return wrong;
      for (const [index, one] of (value as readonly unknown[]).entries()) {
        const faults = argumentFaults(fields, one);
        if (faults.length > 0) return `has a mistake in item ${index + 1}: ${faults.join(" ")}`.replace(/\.$/, "");
      }
      return undefined;
    },
  };
}

function listFault(value: unknown, maxItems: number): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return "must be a list that is not empty";
  return value.length > maxItems ? `must have at most ${maxItems} items` : undefined;
}

/** The same field, which may be absent. Agents often send null for an argument that they leave out. */
export function optionalArgument<T>(field: ArgumentField<T>): ArgumentField<T | undefined> {
  return {
    schema: field.schema,
    isOptional: true,
    fault: value => (value === undefined || value === null ? undefined : field.fault(value)),
  };
}

/** The JSON Schema of the arguments. */
export function argumentSchema(fields: ArgumentFields): ObjectSchema {
  const entries = Object.entries(fields);
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
    required: entries.filter(([, { isOptional }]) => !isOptional).map(([name]) => name),
    additionalProperties: false,
  };
}

/** The arguments of a call, checked. Throws a Refusal that names each mistake. */
export function checkedArguments<const F extends ArgumentFields>(fields: F, given: unknown): CheckedArguments<F> {
  const faults = argumentFaults(fields, given);
  if (faults.length > 0) throw new Refusal("invalid", faults.join(" "));
  const values = (given ?? {}) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.keys(fields).map(name => [name, Object.hasOwn(values, name) ? (values[name] ?? undefined) : undefined]),
  ) as CheckedArguments<F>;
}

/** The mistakes in the arguments, as sentences. */
function argumentFaults(fields: ArgumentFields, given: unknown): readonly string[] {
  if (given !== undefined && (typeof given !== "object" || given === null || Array.isArray(given)))
    return ["The arguments must be an object."];
  const values = (given ?? {}) as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(values).filter(name => !Object.hasOwn(fields, name));
  return [
    ...Object.entries(fields).flatMap(([name, { fault }]) => {
      const wrong = fault(Object.hasOwn(values, name) ? values[name] : undefined);
      return wrong === undefined ? [] : [`“${name}” ${wrong}.`];
    }),
    ...(unknown.length > 0
      ? [
          `There is no argument ${unknown.slice(0, 5).map(shortQuote).join(", ")}. The arguments are: ${
            Object.keys(fields).join(", ") || "none"
          }.`,
        ]
      : []),
  ];
}
