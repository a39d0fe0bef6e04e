// Checks a permission rule of the settings, and describes errors so that users can fix them.
import { t } from "../base/l10n.ts";
import { quotePath } from "../base/text.ts";
import type { ToolKind } from "../session/events.ts";
import { namesProgram, parsePattern } from "./commandLine/pattern.ts";
import { nearestName } from "./nearestName.ts";
import { expandGlob } from "./pathGlob.ts";

const fields = ["effect", "kind", "agent", "path", "command", "domain"] as const;

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

/** Continues a sentence about an unknown name: the valid name that was probably meant, otherwise `otherwise`. */
function suggestion(text: unknown, names: readonly string[], otherwise: string): string {
  const nearest = typeof text === "string" ? nearestName(text, names) : undefined;
  return nearest === undefined ? `. ${otherwise}` : `. ${t("Did you mean “{0}”?", nearest)}`;
}

const effects: readonly string[] = ["allow", "ask", "deny"];
/** The kinds of the protocol. Agents may send others. */
const toolKinds: readonly ToolKind[] =
  ["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"]; // prettier-ignore

/** What is wrong with a rule of the settings. Continues "Permission rule 1 …". Undefined: it is valid. */
export function ruleProblem(item: unknown): string | undefined {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return t("must be an object");
  const rule = item as Readonly<Record<string, unknown>>;
  // A misspelt condition would widen the rule.
  const unknownField = Object.keys(rule).find(key => !fields.some(field => field === key));
  if (unknownField !== undefined) {
    const known = t("Known fields: {0}", fields.join(", "));
    return t("has an unknown field {0}", quotePath(unknownField)) + suggestion(unknownField, fields, known);
  }
  const { effect } = rule;
  if (effect === undefined) return t("needs an effect: allow, ask or deny");
  if (!effects.some(known => known === effect)) {
    const given =
      typeof effect === "string" ? t("has an unknown effect {0}", quotePath(effect)) : t("has an invalid effect");
    return given + suggestion(effect, effects, t("Use allow, ask or deny"));
  }
  for (const field of fields.slice(1)) {
    const texts = rule[field] === undefined ? [] : Array.isArray(rule[field]) ? rule[field] : [rule[field]];
    if (rule[field] !== undefined && texts.length === 0) return t("has an empty list as its {0}", field);
    for (const text of texts as readonly unknown[]) {
      if (typeof text !== "string" || text.trim() === "")
        return t("needs a text, or a list of texts, as its {0}", field);
      const wrong = fieldChecks[field](text, rule["effect"] as string);
      if (wrong !== undefined) return t("has a {0} {1} that {2}", field, quotePath(text), wrong);
    }
  }
  const { kind, path, command, domain } = rule;
  // An allow rule with only an agent would allow everything, which is never intended.
  const conditions = [kind, path, command, domain, ...(rule["effect"] === "allow" ? [] : [rule["agent"]])];
  if (conditions.every(condition => condition === undefined)) return t("must have at least one condition");
  return undefined;
}

type Check = (text: string, effect: string) => string | undefined;
const fieldChecks: Readonly<Record<(typeof fields)[number], Check>> = {
  effect: () => undefined,
  // Agents may send other kinds than those of the protocol, so only a name that resembles one of these is mistyped.
  kind: text => {
    const nearest = nearestName(text, toolKinds);
    return nearest === undefined || nearest === text ? undefined : t("is unknown. Did you mean “{0}”?", nearest);
  },
  agent: () => undefined,
  path: text => {
    if (text.includes("\\")) return t("contains a backslash. Use “/” between folders, also on Windows");
    if (/^~(?!\/)/.test(text)) return t("starts with “~”. Only “~/” is supported");
    const globs = expandGlob(text);
    return typeof globs === "string" ? globs : undefined;
  },
  command: (text, effect) => {
    const pattern = parsePattern(text);
    if (typeof pattern === "string") return pattern;
    return effect !== "allow" || namesProgram(pattern) ? undefined : t("must start with the name of a program");
  },
  domain: text => {
    if (/^\d+(?:\.\d+){3}$|^\[[\da-f:.]+\]$|^(?!-)[a-z\d_-]+(?:\.(?!-)[a-z\d_-]+)*$/.test(text)) {
      return /\.\d+$/.test(text) && !/^\d+(?:\.\d+){3}$/.test(text) ? t("is part of an address") : undefined;
    }
    return t("is not a host name. Write it like “example.com”, in lower case, without “https://” or “*.”");
  },
};
