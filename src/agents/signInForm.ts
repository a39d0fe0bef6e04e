// The form for the variables that sign in to an agent, and its answers.
import { t } from "../base/l10n.ts";
import { visibleLine } from "../base/lines.ts";
import { Secret, secretIfCredential, type PlainOrSecret } from "../base/secrets/secret.ts";
import type { Form, FormAnswer } from "../session/forms/form.ts";
import type { SignInMethod } from "../session/signIn.ts";

type EnvironmentMethod = Extract<SignInMethod, { type: "environment" }>;

/** The form. `note` is what the user should know before entering a secret. */
export const signInForm = ({ name, description, variables }: EnvironmentMethod, note?: string): Form => ({
  message: name,
  description: [
    // On one line, so that it cannot stand for the sentence below it.
    ...(description === undefined ? [] : [visibleLine(description)]),
    t("Parley keeps the values in VS Code's secret storage, and gives them to the agent when it starts."),
    ...(note === undefined ? [] : [note]),
  ].join("\n"),
  fields: variables.map(variable => ({
    type: "text" as const,
    name: variable.name,
    title: variable.label,
    ...(variable.label !== variable.name && { description: variable.name }),
    required: !variable.optional,
    ...(variable.secret && { secret: true as const }),
  })),
});

/** The values that the user entered. Undefined if the user entered none. */
export function signInValues(
  answer: FormAnswer,
  { variables }: EnvironmentMethod,
): ReadonlyMap<string, PlainOrSecret> | undefined {
  if (answer === "cancelled" || answer.action !== "accept") return undefined;
  const isSecret = (name: string): boolean => variables.find(one => one.name === name)?.secret !== false;
  const texts = [...(answer.values ?? [])].filter((one): one is [string, string] => typeof one[1] === "string");
  if (texts.length === 0) return undefined;
  return new Map(
    texts.map(([name, text]) => [name, isSecret(name) ? new Secret(text) : secretIfCredential(name, text)]),
  );
}
