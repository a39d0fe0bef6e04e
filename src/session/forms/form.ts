// A form that an agent asks the user to fill in, and the check of the answers. Plain data without protocol names.

/** One choice of a select field. `value` is sent to the agent, `name` is shown. */
export interface FormChoice {
  readonly value: string;
  readonly name: string;
  readonly description?: string;
}

export type TextFormat = "email" | "uri" | "date" | "date-time";

/** A field of a form. `pattern` is a hostile regular expression: it may only be run with a time limit. */
export type FormField = {
  /** The property that the answer is sent as. */
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  readonly required: boolean;
} & (
  | {
      readonly type: "text";
      readonly minLength?: number;
      readonly maxLength?: number;
      readonly pattern?: string;
      readonly format?: TextFormat;
      /** The text is hidden while it is entered. Only Parley asks for it. */
      readonly secret?: true;
      /** Values are offered while the user types. Only for arguments of prompts. */
      readonly completes?: true;
      readonly default?: string;
    }
  | {
      readonly type: "number";
      readonly integer: boolean;
      readonly minimum?: number;
      readonly maximum?: number;
      readonly default?: number;
    }
  | { readonly type: "boolean"; readonly default?: boolean }
  | { readonly type: "select"; readonly choices: readonly FormChoice[]; readonly default?: string }
  | {
      readonly type: "multiselect";
      readonly choices: readonly FormChoice[];
      readonly minItems?: number;
      readonly maxItems?: number;
      readonly default?: readonly string[];
    }
);

export interface Form {
  readonly message: string;
  readonly title?: string;
  readonly description?: string;
  readonly fields: readonly FormField[];
}

export type FormValue = string | number | boolean | readonly string[];

/** What is wrong with the answer to a field. `limit` is the limit that the answer exceeds or does not reach. */
export type FieldFault =
  | { readonly fault: "missing" | "wrongType" | "notInteger" | "notOffered" }
  | { readonly fault: "tooShort" | "tooLong" | "tooSmall" | "tooLarge" | "tooFew" | "tooMany"; readonly limit: number }
  | { readonly fault: "format"; readonly format: TextFormat };

/**
 * The fault of an answer, or undefined if the agent accepts it. An optional field may stay empty. `pattern` is not
 * checked, because it can run forever.
 */
export function fieldFault(field: FormField, value: FormValue | undefined): FieldFault | undefined {
  if (isEmpty(value)) return field.required ? { fault: "missing" } : undefined;
  switch (field.type) {
    case "text":
      return typeof value === "string" ? textFault(field, value) : { fault: "wrongType" };
    case "number":
      return typeof value === "number" && Number.isFinite(value) ? numberFault(field, value) : { fault: "wrongType" };
    case "boolean":
      return typeof value === "boolean" ? undefined : { fault: "wrongType" };
    case "select":
      if (typeof value !== "string") return { fault: "wrongType" };
      return isOffered(field.choices, value) ? undefined : { fault: "notOffered" };
    case "multiselect":
      return Array.isArray(value) ? selectionFault(field, value as readonly string[]) : { fault: "wrongType" };
  }
}

/** An empty list is an answer: nothing is selected. */
const isEmpty = (value: FormValue | undefined): value is undefined | "" => value === undefined || value === "";

const isOffered = (choices: readonly FormChoice[], value: string): boolean =>
  choices.some(choice => choice.value === value);

/** Lengths count code points, as JSON Schema does. */
function textFault(field: Extract<FormField, { type: "text" }>, value: string): FieldFault | undefined {
  const { minLength, maxLength, format } = field;
  const length = Array.from(value).length;
  if (minLength !== undefined && length < minLength) return { fault: "tooShort", limit: minLength };
  if (maxLength !== undefined && length > maxLength) return { fault: "tooLong", limit: maxLength };
  return format && !hasFormat[format](value) ? { fault: "format", format } : undefined;
}

function numberFault(field: Extract<FormField, { type: "number" }>, value: number): FieldFault | undefined {
  if (field.integer && !Number.isSafeInteger(value)) return { fault: "notInteger" };
  if (field.minimum !== undefined && value < field.minimum) return { fault: "tooSmall", limit: field.minimum };
  if (field.maximum !== undefined && value > field.maximum) return { fault: "tooLarge", limit: field.maximum };
  return undefined;
}

function selectionFault(
  field: Extract<FormField, { type: "multiselect" }>,
  values: readonly string[],
): FieldFault | undefined {
  const { choices, required, minItems = 0, maxItems } = field;
  if (values.length === 0 && !required) return undefined;
  if (values.length < minItems) return { fault: "tooFew", limit: minItems };
  if (maxItems !== undefined && values.length > maxItems) return { fault: "tooMany", limit: maxItems };
  const offered = new Set(choices.map(choice => choice.value));
  const isDistinct = new Set(values).size === values.length;
  return isDistinct && values.every(value => offered.has(value)) ? undefined : { fault: "notOffered" };
}

const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/;
const dateTimePattern =
  /^(\d{4}-\d{2}-\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

const hasFormat: Readonly<Record<TextFormat, (text: string) => boolean>> = {
  email: text => /^[^\s@]+@[^\s@]+$/.test(text),
  uri: text => /^[a-z][a-z\d+.-]*:\S+$/i.test(text) && URL.canParse(text),
  date: isDate,
  "date-time": text => isDate(dateTimePattern.exec(text)?.[1] ?? ""),
};

/** A day of the calendar: February 30 is none. */
function isDate(text: string): boolean {
  const [, year, month, day] = datePattern.exec(text) ?? [];
  if (year === undefined) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day);
}

/** The answers that a form starts with: the defaults of its fields. */
export const defaultAnswers = ({ fields }: Form): ReadonlyMap<string, FormValue> =>
  new Map(fields.flatMap(field => (field.default === undefined ? [] : [[field.name, field.default] as const])));

/**
 * The answers that are sent to the agent: those of the form's fields that are not empty. Undefined if any answer has a
 * fault, so an incomplete form is never sent.
 */
export function completeAnswers(
  { fields }: Form,
  answers: ReadonlyMap<string, FormValue>,
): ReadonlyMap<string, FormValue> | undefined {
  if (fields.some(field => fieldFault(field, answers.get(field.name)) !== undefined)) return undefined;
  return new Map(
    fields.flatMap(({ name }) => {
      const value = answers.get(name);
      return isEmpty(value) ? [] : [[name, value] as const];
    }),
  );
}

/** The names of the fields that keep a form from being sent. */
export interface HeldFields {
  /** The agent would not accept their answers. */
  readonly faulty: readonly string[];
  /** Their patterns could not be checked. They are sent when the user has seen that. */
  readonly unchecked: readonly string[];
}

/** An answer as the log keeps it: numbers, booleans and choices. Free text may be a secret, so it is only `answered`. */
export type LoggedAnswer = { readonly field: string } & ({ readonly value: FormValue } | { readonly answered: true });

/** The answers without free text. For events, which are stored. */
export const loggedAnswers = ({ fields }: Form, answers: ReadonlyMap<string, FormValue>): readonly LoggedAnswer[] =>
  fields.flatMap((field): readonly LoggedAnswer[] => {
    const value = answers.get(field.name);
    if (isEmpty(value)) return [];
    return [field.type === "text" ? { field: field.name, answered: true } : { field: field.name, value }];
  });

/** A web address that the user is asked to open. `href` is exactly what is shown and opened. */
export interface WebAddress {
  readonly href: string;
  readonly host: string;
  /** The host with its punycode decoded. Absent if the host has none. */
  readonly decodedHost?: string;
  /** The address has a user name, which can be mistaken for the host. */
  readonly hasUserName?: true;
}

/** What an agent asks. `declined` is answered without the user, and `reason` is a sentence. */
export type FormRequest = { readonly toolCallId?: string } & (
  | { readonly type: "form"; readonly form: Form }
  | { readonly type: "url"; readonly message: string; readonly elicitationId: string; readonly address: WebAddress }
  | { readonly type: "declined"; readonly message: string; readonly reason: string }
);

/** The answer for the agent. A web address is accepted without values, when the user opens it. */
export type FormAnswer =
  | { readonly action: "accept"; readonly values?: ReadonlyMap<string, FormValue> }
  | { readonly action: "decline" }
  | "cancelled";

/** The answer as events keep it. */
export interface FormDecision {
  readonly action: "accept" | "decline";
  readonly answers?: readonly LoggedAnswer[];
}
