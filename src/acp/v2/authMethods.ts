// The ways to sign in of version 2, in the form of version 1, which signInMethods.ts reads.
import { asArray, asObject, asString, isObject, type JsonObject } from "../parse.ts";

/** The method in the form of version 1. A method of an unknown type is left out: Parley cannot carry it out. */
export function asV1Method(method: unknown): readonly JsonObject[] {
  if (!isObject(method)) return [];
  const { methodId, env, ...rest } = method;
  const id = asString(methodId);
  const { type } = method;
  if (id === undefined || (type !== "agent" && type !== "terminal")) return [];
  const pairs = asArray(env).map(asObject);
  const variables = pairs.map(({ name, value }) => [asString(name) ?? "", asString(value)] as const);
  const known = variables.filter(([name, value]) => name !== "" && value !== undefined);
  return [{ ...rest, id, ...(known.length > 0 && { env: Object.fromEntries(known) }) }];
}
