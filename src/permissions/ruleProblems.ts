// Checks a permission rule of the settings, and describes errors so that users can fix them.
import { t } from "../base/l10n.ts";
import { quotePath } from "../base/text.ts";
import { nearestName } from "./nearestName.ts";
import { ruleConditionNames, ruleConditions, ruleEffects, type Effect } from "./ruleFields.ts";
import { commaSeparated, twoSentences } from "../base/sentences.ts";

const fields: readonly string[] = ["effect", ...ruleConditionNames];

const maxOutlineLength = 120;

/** The content of an invalid rule in parentheses, so that users recognize the rule: ` (deny, comand “rm”)`. */
export function ruleOutline(item: unknown): string {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return "";
  const parts = Object.entries(item).map(([key, value]) => {
    const text = (Array.isArray(value) ? value : [value]).map(String).join(", ");
    return key === "effect" ? text : `${key} “${text}”`;
  });
  const outline = parts.join(", ").replace(/\s+/g, " ");
  if (outline === "") return "";
  return ` (${outline.length > maxOutlineLength ? `${outline.slice(0, maxOutlineLength - 1)}…` : outline})`;
}

/** What is wrong with an unknown name, and the valid name that was probably meant, otherwise `otherwise`. */
function withSuggestion(wrong: string, text: unknown, names: readonly string[], otherwise: string): string {
  const nearest = typeof text === "string" ? nearestName(text, names) : undefined;
  return twoSentences(wrong, nearest === undefined ? otherwise : t("Did you mean “{0}”?", nearest));
}

/** What is wrong with a rule of the settings. Continues "Permission rule 1 …". Undefined: it is valid. */
export function ruleProblem(item: unknown): string | undefined {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return t("must be an object");
  const rule = item as Readonly<Record<string, unknown>>;
  // A misspelt condition would widen the rule.
  const unknownField = Object.keys(rule).find(key => !fields.includes(key));
  if (unknownField !== undefined) {
    const known = t("Known fields: {0}", commaSeparated(fields));
    return withSuggestion(t("has an unknown field {0}", quotePath(unknownField)), unknownField, fields, known);
  }
  const { effect } = rule;
  if (effect === undefined) return t("needs an effect: allow, ask or deny");
  if (!isEffect(effect)) {
    const given =
      typeof effect === "string" ? t("has an unknown effect {0}", quotePath(effect)) : t("has an invalid effect");
    return withSuggestion(given, effect, ruleEffects, t("Use allow, ask or deny"));
  }
  for (const field of ruleConditionNames) {
    const texts = rule[field] === undefined ? [] : Array.isArray(rule[field]) ? rule[field] : [rule[field]];
    if (rule[field] !== undefined && texts.length === 0) return t("has an empty list as its {0}", field);
    for (const text of texts as readonly unknown[]) {
      if (typeof text !== "string" || text.trim() === "")
        return t("needs a text, or a list of texts, as its {0}", field);
      const wrong = ruleConditions[field](text, effect);
      if (wrong !== undefined) return t("has a {0} {1} that {2}", field, quotePath(text), wrong);
    }
  }
  // An allow rule with only an agent would allow everything, which is never intended.
  const conditions = ruleConditionNames.filter(name => name !== "agent" || effect !== "allow");
  if (conditions.every(name => rule[name] === undefined)) return t("must have at least one condition");
  return undefined;
}

const isEffect = (value: unknown): value is Effect => ruleEffects.some(effect => effect === value);
