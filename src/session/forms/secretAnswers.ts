// The answers of forms that are secrets: to fields for passwords, and those that their names or formats show to be one.
import { credentialsIn } from "../../base/mask.ts";
import { rememberSecrets } from "../../base/secrets/secret.ts";
import type { Form, FormValue } from "./form.ts";

/** Hides the secrets among the answers from now on. Call this before the answers are passed on. */
export function rememberSecretAnswers({ fields }: Form, answers: ReadonlyMap<string, FormValue>): void {
  for (const field of fields) {
    const value = answers.get(field.name);
    if (field.type !== "text" || typeof value !== "string") continue;
    const names = [field.name, field.title.replace(/\W+$/, "")];
    rememberSecrets(field.secret === true ? [value] : names.flatMap(name => credentialsIn(name, value)));
  }
}
