// Small checks of untrusted values, combined into the schemas of intents.

/** Whether a value has a shape. */
export type Validator = (value: unknown) => boolean;
export const isString: Validator = value => typeof value === "string";
export const isBoolean: Validator = value => typeof value === "boolean";
/** A whole number that is not negative. */
export const isNonNegativeInteger: Validator = value => Number.isSafeInteger(value) && (value as number) >= 0;
export const optional =
  (check: Validator): Validator =>
  value =>
    value === undefined || check(value);

export const isListOf =
  (check: Validator): Validator =>
  value =>
    Array.isArray(value) && value.every(check);
/** An object with exactly these fields. */
export const isRecordOf =
  (shape: Readonly<Record<string, Validator>>): Validator =>
  value =>
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.entries(shape).every(([field, check]) => check((value as Record<string, unknown>)[field])) &&
    Object.keys(value).every(field => Object.hasOwn(shape, field));
export const isOneOf =
  (...allowed: readonly string[]): Validator =>
  value =>
    typeof value === "string" && allowed.includes(value);
