// The form for the variables that sign in to an agent, and its answers.
import type { Form, FormAnswer } from "../session/forms/form.ts";
import type { SignInMethod } from "../session/signIn.ts";

type EnvironmentMethod = Extract<SignInMethod, { type: "environment" }>;

export const signInForm = ({ name, description, variables }: EnvironmentMethod): Form => ({
  message: name,
  description: [
    ...(description === undefined ? [] : [description]),
    "Parley keeps the values in VS Code's secret storage, and gives them to the agent when it starts.",
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
export function signInValues(answer: FormAnswer): ReadonlyMap<string, string> | undefined {
  if (answer === "cancelled" || answer.action !== "accept") return undefined;
  const texts = [...(answer.values ?? [])].filter((one): one is [string, string] => typeof one[1] === "string");
  return texts.length === 0 ? undefined : new Map(texts);
}
