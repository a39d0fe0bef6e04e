// Checks of untrusted values. They are combined into schemas, from which the types are inferred (`TypeOf`, `FieldsOf`).

/** A check that a value has a type. */
export type Validator<T = unknown> = (value: unknown) => value is T;
/** The type that a check proves. */
export type TypeOf<V> = V extends Validator<infer T> ? T : never;

/** The checks of the fields of an object, by name. */
export type Fields = Readonly<Record<string, Validator>>;
/** The fields that may be absent. `unknown` includes undefined, but a field of any value is not optional. */
type OptionalKey<F> = {
  [K in keyof F]: undefined extends TypeOf<F[K]> ? (unknown extends TypeOf<F[K]> ? never : K) : never;
}[keyof F];
/** An intersection as one object type. Editors show its fields, because the condition gives it no name. */
export type Flat<T> = T extends infer U ? { readonly [K in keyof U]: U[K] } : never;
/** The type of an object with these fields. An optional field can be absent, and is not undefined in the type. */
export type FieldsOf<F> = Flat<
  { readonly [K in keyof F as K extends OptionalKey<F> ? never : K]: TypeOf<F[K]> } & {
    readonly [K in keyof F as K extends OptionalKey<F> ? K : never]?: Exclude<TypeOf<F[K]>, undefined>;
  }
>;
/** A type with a name that editors show instead of its fields: `type Name = Named<…>`. */
export type Named<T> = { readonly [K in keyof T]: T[K] };

/** A string. */
export const isString = (value: unknown): value is string => typeof value === "string";
/** True or false. */
export const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";
/** True, for a field that is either true or absent. */
export const isTrue = (value: unknown): value is true => value === true;
/** A number that JSON can contain. */
export const isFiniteNumber = (value: unknown): value is number => Number.isFinite(value);
/** A whole number that is not negative. */
export const isNonNegativeInteger = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;
/** Any value, also none. */
export const isAnything = (_value: unknown): _value is unknown => true;

/** One of these strings. */
export const isOneOf =
  <const T extends string>(...allowed: readonly T[]): Validator<T> =>
  (value): value is T =>
    (allowed as readonly unknown[]).includes(value);
/** Any string. The type names those that Parley knows: agents and other versions of Parley have more. */
export const isStringLike =
  <const T extends string>(..._known: readonly T[]): Validator<T | (string & {})> =>
  (value): value is T =>
    typeof value === "string";
/** Absent, or a value that passes the check. */
export const optional =
  <T>(check: Validator<T>): Validator<T | undefined> =>
  (value): value is T | undefined =>
    value === undefined || check(value);
/** Null, or a value that passes the check. */
export const nullable =
  <T>(check: Validator<T>): Validator<T | null> =>
  (value): value is T | null =>
    value === null || check(value);
/** A value that passes at least one of the checks. */
export const isAnyOf =
  <const V extends readonly Validator[]>(...checks: V): Validator<TypeOf<V[number]>> =>
  (value): value is TypeOf<V[number]> =>
    checks.some(check => check(value));
/** A list of values that pass the check. */
export const isListOf =
  <T>(check: Validator<T>): Validator<readonly T[]> =>
  (value): value is readonly T[] =>
    Array.isArray(value) && value.every(check);

/** An object, whatever its fields are. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** An object with at least these fields. */
export function isRecordWith<const F extends Fields>(fields: F): Validator<FieldsOf<F>> {
  const checks = Object.entries<Validator>(fields);
  return (value): value is FieldsOf<F> =>
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    checks.every(([field, check]) => check((value as Readonly<Record<string, unknown>>)[field]));
}
/** An object with exactly these fields. */
export function isRecordOf<const F extends Fields>(fields: F): Validator<FieldsOf<F>> {
  const hasFields = isRecordWith(fields);
  return (value): value is FieldsOf<F> =>
    hasFields(value) && Object.keys(value).every(field => Object.hasOwn(fields, field));
}

/** The fields of messages beside their `type`, by that type. */
type MessageFields = Readonly<Record<string, Fields>>;
/** A message with one of these types, and exactly the fields of its type. */
export type MessageOf<M extends MessageFields> = {
  [Type in keyof M]: Flat<{ readonly type: Type } & FieldsOf<M[Type]>>;
}[keyof M];
/** A message with one of these types, and exactly the fields of its type. */
export function isMessageOf<const M extends MessageFields>(messages: M): Validator<MessageOf<M>> {
  const checks = new Map(Object.entries(messages).map(([type, fields]) => [type, isRecordOf(fields)]));
  return (value): value is MessageOf<M> => {
    if (typeof value !== "object" || value === null || !("type" in value)) return false;
    const { type, ...fields } = value;
    return isString(type) && checks.get(type)?.(fields) === true;
  };
}

/** The type with its intersections as one object each. */
type Plain<T> = unknown extends T
  ? T
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends readonly (infer Item)[]
      ? readonly Plain<Item>[]
      : { readonly [K in keyof T]: Plain<T[K]> };
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** The check of a type that is declared elsewhere. Compiles only if both have the same fields and values. */
export const isExactly =
  <T>() =>
  <V>(check: Validator<V> & (Same<Plain<T>, Plain<V>> extends true ? unknown : never)): Validator<T> =>
    check as Validator as Validator<T>;
