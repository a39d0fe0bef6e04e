// The problem for an agent that requires sign-in, with one button for each of its methods.
import type { Problem } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { choosesProgram } from "../base/programVariables.ts";
import type { SignInMethod } from "../session/signIn.ts";
import type { ErrorReason } from "./errorReason.ts";
import { optionalField } from "./parse.ts";

/** What the problem for sign-in says about the agent. */
export interface SignInOffer {
  readonly agentName: string;
  readonly signInMethods: readonly SignInMethod[];
}

const maxVariables = 5;

/** The problem for an agent that needs the user to sign in, or to provide a key. */
export function signInProblem(
  { agentName, signInMethods }: SignInOffer,
  { sentence, detail, variables }: Pick<ErrorReason, "sentence" | "detail" | "variables">,
): Problem {
  const named = signInVariables(signInMethods);
  const others = variables.filter(name => !named.includes(name) && !choosesProgram(name)).slice(0, maxVariables);
  const words = [sentence, detail].filter(
    text => text !== undefined && !/^(?:authentication required\.?)?$/i.test(text),
  );
  return {
    message: [t("{0} needs you to sign in.", agentName), ...howElse(signInMethods, others)].join(" "),
    ...optionalField("detail", words.length === 0 ? undefined : words.join("\n\n")),
    next: ["restartAgent", ...(others.length > 0 ? (["openSettings"] as const) : []), "showTraffic"],
    signIn: signInMethods.map(({ id, name, description }) => ({
      id,
      name,
      ...optionalField("description", description === name ? undefined : description),
    })),
  };
}

/** What the user can do without a button. */
function howElse(methods: readonly SignInMethod[], variables: readonly string[]): readonly string[] {
  if (variables.length > 0) {
    const names = variables.join(t(" or "));
    return [
      methods.length > 0
        ? t("Or set {0} in the agent's `env` in Settings, then restart the agent here.", names)
        : t("Set {0} in the agent's `env` in Settings, then restart the agent here.", names),
    ];
  }
  return methods.length > 0 ? [] : [t("Sign in with its command-line program, then restart the agent here.")];
}

/** The variables that a sign-in by environment requires. */
export const signInVariables = (methods: readonly SignInMethod[]): readonly string[] =>
  methods.flatMap(method =>
    method.type === "environment" ? method.variables.flatMap(({ name, optional }) => (optional ? [] : [name])) : [],
  );
