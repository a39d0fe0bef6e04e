// Answers a form, or names the fields whose answers the agent would not accept.
import { fieldFault, type Form, type FormValue } from "../../session/forms/form.ts";
import { patternMatch } from "./patternMatch.ts";

/** The names of the fields whose answers have a fault, also against their patterns. Empty: the form can be sent. */
export const faultyFields = ({ fields }: Form, answers: ReadonlyMap<string, FormValue>): readonly string[] =>
  fields
    .filter(field => {
      const value = answers.get(field.name);
      if (fieldFault(field, value) !== undefined) return true;
      const isChecked =
        field.type === "text" && field.pattern !== undefined && typeof value === "string" && value !== "";
      return isChecked && patternMatch(field.pattern, value) === "differs";
    })
    .map(({ name }) => name);
