// Merges the parts of the head that the features export. The types prove that every key is given exactly once.
import type { Event } from "../base/lifecycle.ts";
import type { Head, HeadInputs, HeadPart, HeadValues } from "../panel/headParts.ts";
import { mergeTables, type CompleteTables } from "./handlerTables.ts";

/** The tables of values of these parts. */
type ValuesOf<Parts extends readonly HeadPart<never>[]> = { readonly [At in keyof Parts]: Parts[At]["values"] };

/** `unknown` if the parts together have each key once; otherwise a type that no parts have. */
type IsComplete<Parts extends readonly HeadPart<never>[]> =
  ValuesOf<Parts> extends CompleteTables<keyof HeadInputs, ValuesOf<Parts>>
    ? unknown
    : CompleteTables<keyof HeadInputs, ValuesOf<Parts>>;

/** The head with the values of all parts. A value that is undefined has no key. */
export function mergeHead<const Parts extends readonly HeadPart<never>[]>(parts: Parts & IsComplete<Parts>): Head {
  const values = Object.entries(mergeTables<HeadValues>(parts.map(part => part.values)));
  return {
    read: session => {
      const read = values.map(([key, value]) => [key, value(session)] as const);
      return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as unknown as HeadInputs;
    },
    onDidChange: anyOf(parts.map(part => part.onDidChange)),
  };
}

/** An event that fires when one of these fires. */
const anyOf =
  (events: readonly Event<void>[]): Event<void> =>
  listener => {
    const links = events.map(event => event(listener));
    return { dispose: () => links.forEach(link => link.dispose()) };
  };
