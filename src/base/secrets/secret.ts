// A secret on its way from the user to a program. Every key, password and credential becomes one where it comes in, so that
// logs, stored files and the panel never show it.
import { addKnownSecret, hiddenValue } from "./knownSecrets.ts";
import { credentialsIn, isSecretFlag } from "../mask.ts";

/** A value that registers itself to be hidden, and prints itself only as “•••”. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
    addKnownSecret(value);
  }

  /** The value, for the program or the storage that it is meant for. */
  unwrap(): string {
    return this.#value;
  }

  toString(): string {
    return hiddenValue;
  }
  toJSON(): string {
    return hiddenValue;
  }
  /** For `console.log`, `util.inspect` and error messages of Node.js. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return hiddenValue;
  }
}

/** The value of a variable or a header. */
export type PlainOrSecret = string | Secret;

/** The values of variables or headers, by name. */
export type PlainOrSecretValues = Readonly<Record<string, PlainOrSecret>>;

/** The value, if it must be passed on. */
export const unwrapped = (value: PlainOrSecret): string => (typeof value === "string" ? value : value.unwrap());

/** The values as a process or a request gets them. */
export const unwrappedValues = (values: PlainOrSecretValues): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, unwrapped(value)]));

/**
 * The value as a secret, if its name or its format indicates a credential. A credential that is a part of the value, as a
 * password in an address, registers itself.
 */
export function secretIfCredential(name: string, value: string): PlainOrSecret {
  const found = credentialsIn(name, value);
  rememberSecrets(found);
  return found.includes(value) ? new Secret(value) : value;
}

/** Hides these values from now on, although they are passed on as texts. */
export function rememberSecrets(values: readonly string[]): void {
  for (const value of values) new Secret(value).unwrap();
}

/** The credentials among the arguments of a command line: after a flag for one, and by their format. */
export const credentialArguments = (args: readonly string[]): readonly string[] =>
  args.flatMap((argument, i) => {
    const isNamed = isSecretFlag(args[i - 1] ?? "") && !argument.startsWith("-");
    return isNamed ? [argument] : credentialsIn("", argument);
  });

/** JSON that also differs where secrets differ. To compare values in memory, never to be shown or stored. */
export const textWithSecrets = (value: unknown): string =>
  JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, key: string, shown: unknown) {
    const original = this[key];
    return original instanceof Secret ? { secret: original.unwrap() } : shown;
  });

/** {@link secretIfCredential} for each value. */
export const secretCredentials = (values: Readonly<Record<string, string>>): PlainOrSecretValues =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, secretIfCredential(name, value)]));
