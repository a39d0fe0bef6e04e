// Checks a permission rule of the settings, and describes errors so that users can fix them.
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
  return nearest === undefined ? `. ${otherwise}` : `. Did you mean “${nearest}”?`;
}

const effects: readonly string[] = ["allow", "ask", "deny"];
/** The kinds of the protocol. Agents may send others. */
const toolKinds: readonly ToolKind[] =
  ["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"]; // prettier-ignore

/** What is wrong with a rule of the settings. Continues "Permission rule 1 …". Undefined: it is valid. */
export function ruleProblem(item: unknown): string | undefined {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return "must be an object";
  const rule = item as Readonly<Record<string, unknown>>;
  // A misspelt condition would widen the rule.
  const unknownField = Object.keys(rule).find(key => !fields.some(field => field === key));
  if (unknownField !== undefined) {
    const known = `Known fields: ${fields.join(", ")}`;
    return `has an unknown field ${quotePath(unknownField)}${suggestion(unknownField, fields, known)}`;
  }
  const { effect } = rule;
  if (effect === undefined) return "needs an effect: allow, ask or deny";
  if (!effects.some(known => known === effect)) {
    const given = typeof effect === "string" ? `an unknown effect ${quotePath(effect)}` : "an invalid effect";
    return `has ${given}${suggestion(effect, effects, "Use allow, ask or deny")}`;
  }
  for (const field of fields.slice(1)) {
    const texts = rule[field] === undefined ? [] : Array.isArray(rule[field]) ? rule[field] : [rule[field]];
    if (rule[field] !== undefined && texts.length === 0) return `has an empty list as its ${field}`;
    for (const text of texts as readonly unknown[]) {
      if (typeof text !== "string" || text.trim() === "") return `needs a text, or a list of texts, as its ${field}`;
      const wrong = fieldChecks[field](text, rule["effect"] as string);
      if (wrong !== undefined) return `has a ${field} ${quotePath(text)} that ${wrong}`;
    }
  }
  const { kind, path, command, domain } = rule;
  // An allow rule with only an agent would allow everything, which is never intended.
  const conditions = [kind, path, command, domain, ...(rule["effect"] === "allow" ? [] : [rule["agent"]])];
  if (conditions.every(condition => condition === undefined)) return "must have at least one condition";
  return undefined;
}

type Check = (text: string, effect: string) => string | undefined;
const fieldChecks: Readonly<Record<(typeof fields)[number], Check>> = {
  effect: () => undefined,
  // Agents may send other kinds than those of the protocol, so only a name that resembles one of these is mistyped.
  kind: text => {
    const nearest = nearestName(text, toolKinds);
    return nearest === undefined || nearest === text ? undefined : `is unknown. Did you mean “${nearest}”?`;
  },
  agent: () => undefined,
  path: text => {
    if (text.includes("\\")) return "contains a backslash. Use “/” between folders, also on Windows";
    if (/^~(?!\/)/.test(text)) return "starts with “~”. Only “~/” is supported";
    const globs = expandGlob(text);
    return typeof globs === "string" ? globs : undefined;
  },
  command: (text, effect) => {
    const pattern = parsePattern(text);
    if (typeof pattern === "string") return pattern;
    return effect !== "allow" || namesProgram(pattern) ? undefined : "must start with the name of a program";
  },
  domain: text => {
    if (/^\d+(?:\.\d+){3}$|^\[[\da-f:.]+\]$|^(?!-)[a-z\d_-]+(?:\.(?!-)[a-z\d_-]+)*$/.test(text)) {
      return /\.\d+$/.test(text) && !/^\d+(?:\.\d+){3}$/.test(text) ? "is part of an address" : undefined;
    }
    return "is not a host name. Write it like “example.com”, in lower case, without “https://” or “*.”";
  },
};
