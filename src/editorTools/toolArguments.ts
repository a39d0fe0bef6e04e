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
  if (given !== undefined && (typeof given !== "object" || given === null || Array.isArray(given)))
    throw new Refusal("invalid", "The arguments must be an object.");
  const values = (given ?? {}) as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(values).filter(name => !Object.hasOwn(fields, name));
  const faults = [
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
  if (faults.length > 0) throw new Refusal("invalid", faults.join(" "));
  return Object.fromEntries(
    Object.keys(fields).map(name => [name, Object.hasOwn(values, name) ? (values[name] ?? undefined) : undefined]),
  ) as CheckedArguments<F>;
}
