// Small checks of untrusted values, put together to the shapes of intents.

/** Whether a value has a shape. */
export type Check = (value: unknown) => boolean;
export const isString: Check = value => typeof value === "string";
export const isBoolean: Check = value => typeof value === "boolean";
/** A whole number that is not negative. */
export const isCount: Check = value => Number.isSafeInteger(value) && (value as number) >= 0;
export const optional =
  (check: Check): Check =>
  value =>
    value === undefined || check(value);

export const isListOf =
  (check: Check): Check =>
  value =>
    Array.isArray(value) && value.every(check);
/** An object with these fields and no others. */
export const isRecordOf =
  (shape: Readonly<Record<string, Check>>): Check =>
  value =>
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.entries(shape).every(([field, check]) => check((value as Record<string, unknown>)[field])) &&
    Object.keys(value).every(field => Object.hasOwn(shape, field));
export const isOneOf =
  (...known: readonly string[]): Check =>
  value =>
    typeof value === "string" && known.includes(value);
