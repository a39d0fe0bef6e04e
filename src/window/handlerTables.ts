// Merges the handler tables of the features. The types prove that the merged table is complete.

/** Every key of every table. */
type KeysOf<Tables extends readonly object[]> = { [At in keyof Tables]: keyof Tables[At] }[number];

/** Keys that two tables have. */
type RepeatedKeys<Tables extends readonly object[], Seen = never> = Tables extends readonly [
  infer First,
  ...infer Rest extends readonly object[],
]
  ? (keyof First & Seen) | RepeatedKeys<Rest, Seen | keyof First>
  : never;

/** `unknown` if there is no such key; otherwise a type that names the keys in the compiler's message. */
type NoKeys<Fault extends string, Keys> = [Keys] extends [never] ? unknown : { readonly [Key in Fault]: Keys };

/** Tables that together have each of the keys exactly once, and no other key. */
export type CompleteTables<Keys, Tables extends readonly object[]> = Tables &
  NoKeys<"handledTwice", RepeatedKeys<Tables>> &
  NoKeys<"notHandled", Exclude<Keys, KeysOf<Tables>>> &
  NoKeys<"unknown", Exclude<KeysOf<Tables>, Keys>>;

/** One table with the entries of all. */
export function mergeTables<Merged extends object>(tables: readonly Partial<Merged>[]): Merged {
  return Object.assign({}, ...tables) as Merged;
}
