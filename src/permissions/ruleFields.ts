// The fields of a permission rule. The type of a rule, its check and its description derive from this table, and a test
// compares the manifest with it.
import { t } from "../base/l10n.ts";
import type { ToolKind } from "../session/events.ts";
import { namesProgram, parsePattern } from "./commandLine/pattern.ts";
import { nearestName } from "./nearestName.ts";
import { expandGlob } from "./pathGlob.ts";

export const ruleEffects = ["allow", "ask", "deny"] as const;
export type Effect = (typeof ruleEffects)[number];

/** The kinds of the protocol. Agents may send others. */
export const toolKinds: readonly ToolKind[] =
  ["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"]; // prettier-ignore

/** What is wrong with one value. Continues "has a path “…” that …". Undefined: it is valid. */
type Check = (text: string, effect: Effect) => string | undefined;

/** The conditions of a rule, in the order of its description, with the check of each value. */
export const ruleConditions = {
  /**
   * The kind of the tool. Alone, `allow` covers only paths inside the workspace folders. Agents may send other kinds than
   * those of the protocol, so only a name that resembles one of these is mistyped.
   */
  kind: text => {
    const nearest = nearestName(text, toolKinds);
    return nearest === undefined || nearest === text ? undefined : t("is unknown. Did you mean “{0}”?", nearest);
  },
  /** A pattern of words as described in commandLine/pattern.ts: `npm test`, `npm run *`, `git log **`. */
  command: (text, effect) => {
    const pattern = parsePattern(text);
    if (typeof pattern === "string") return pattern;
    return effect !== "allow" || namesProgram(pattern) ? undefined : t("must start with the name of a program");
  },
  /**
   * A glob: relative to each of the workspace folders, absolute, or starting with `~/`. For a command: the folder it
   * runs in.
   */
  path: text => {
    if (text.includes("\\")) return t("contains a backslash. Use “/” between folders, also on Windows");
    if (/^~(?!\/)/.test(text)) return t("starts with “~”. Only “~/” is supported");
    const globs = expandGlob(text);
    return typeof globs === "string" ? globs : undefined;
  },
  /** A host and all its subdomains: `example.com`. */
  domain: text => {
    if (/^\d+(?:\.\d+){3}$|^\[[\da-f:.]+\]$|^(?!-)[a-z\d_-]+(?:\.(?!-)[a-z\d_-]+)*$/.test(text)) {
      return /\.\d+$/.test(text) && !/^\d+(?:\.\d+){3}$/.test(text) ? t("is part of an address") : undefined;
    }
    return t("is not a host name. Write it like “example.com”, in lower case, without “https://” or “*.”");
  },
  /** The agent's id in the settings. Alone, it is no condition of an allow rule. */
  agent: () => undefined,
} as const satisfies Readonly<Record<string, Check>>;

export type RuleCondition = keyof typeof ruleConditions;

/** The names of the conditions, in the order of the table. */
export const ruleConditionNames = Object.keys(ruleConditions) as readonly RuleCondition[];
