// Checks the answers of a form before they are sent, also against the patterns that only the extension host runs.
import { fieldFault, type Form, type FormValue, type HeldFields } from "../../session/forms/form.ts";
import { PatternChecker } from "./patternMatch.ts";

/**
 * The fields that keep the form from being sent; undefined if there are none. `confirmed` are fields that the user sends
 * although their patterns could not be checked.
 */
export function heldFields(
  { fields }: Form,
  answers: ReadonlyMap<string, FormValue>,
  confirmed: readonly string[] = [],
  patterns = new PatternChecker(),
): HeldFields | undefined {
  const faulty: string[] = [];
  const unchecked: string[] = [];
  const sentAnyway = new Set(confirmed);
  for (const field of fields) {
    const { name } = field;
    const value = answers.get(name);
    if (fieldFault(field, value) !== undefined) faulty.push(name);
    else if (field.type === "text" && field.pattern !== undefined && typeof value === "string" && value !== "") {
      if (sentAnyway.has(name)) continue;
      const match = patterns.match(field.pattern, value);
      if (match === "differs") faulty.push(name);
      if (match === "unknown") unchecked.push(name);
    }
  }
  return faulty.length + unchecked.length === 0 ? undefined : { faulty, unchecked };
}
