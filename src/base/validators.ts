// Small checks of untrusted values, combined into schemas.

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
/** An object with at least these fields. */
export const isRecordWith =
  (shape: Readonly<Record<string, Validator>>): Validator =>
  value =>
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.entries(shape).every(([field, check]) => check((value as Record<string, unknown>)[field]));
/** An object with exactly these fields. */
export const isRecordOf = (shape: Readonly<Record<string, Validator>>): Validator => {
  const hasFields = isRecordWith(shape);
  return value => hasFields(value) && Object.keys(value as object).every(field => Object.hasOwn(shape, field));
};
export const isOneOf =
  (...allowed: readonly string[]): Validator =>
  value =>
    typeof value === "string" && allowed.includes(value);
export const isFiniteNumber: Validator = value => Number.isFinite(value);
export const isTrue: Validator = value => value === true;
export const isAnything: Validator = () => true;
/** Null, or a value that passes the check. */
export const nullable =
  (check: Validator): Validator =>
  value =>
    value === null || check(value);
export const isAnyOf =
  (...checks: readonly Validator[]): Validator =>
  value =>
    checks.some(check => check(value));
