// Why no rule allows a question although one nearly does: a rule for the same kind of action and the same program, host or
// folder. About anything else a question shows no reason, because the user made no rule for it. Pure.
import { t } from "../base/l10n.ts";
import { quotePath, shortQuote } from "../base/text.ts";
import { namesSecret } from "./commandArguments.ts";
import { writesProtected } from "./commandWrites.ts";
import { fitsBeginning, fitsWhole } from "./commandLine/pattern.ts";
import { patternMismatch } from "./commandLine/patternMismatch.ts";
import type { Command } from "./commandLine/types.ts";
import { isInRoots, nearnessTo, pathFits, pathGlobs } from "./pathGlob.ts";
import {
  appliesTo,
  compiled,
  coversTarget,
  describeRule,
  evaluateRules,
  hostOf,
  valuesOf,
  startFolders,
  targetsOf,
} from "./rules.ts";
import type { QuestionFacts, Rule, RuleSet, RuleTarget } from "./rules.ts";

/** A rule that nearly allows a thing in question. */
interface NearMiss {
  /** Its description. */
  readonly rule: string;
  /** The reason why it doesn't apply. Continues "The nearest rule …". */
  readonly why: string;
  /** Of several rules, the one with the highest number is the nearest. */
  readonly nearness: number;
}

/** Everything fits but for one thing: the folder, a secret, the agent. Other numbers are of matching words or folders. */
const fitsBut = 10_000;

/**
 * The reason, as a sentence, why no rule allows a question although a rule nearly does, with this rule. Undefined: no allow
 * rule is near.
 */
export function whyNotAllowed(set: RuleSet, facts: QuestionFacts): string | undefined {
  const rules = set.rules.filter(rule => rule.effect === "allow");
  const allows = rules.filter(rule => appliesTo(rule, facts));
  const { command } = facts;
  if (command?.kind === "opaque") {
    const near = allows.find(rule => {
      const { commands, paths, kind } = compiled(rule);
      if (!commands) return !paths && kind !== undefined;
      return commands.some(pattern => command.fragments.some(words => fitsBeginning(pattern, words) === "yes"));
    });
    return near && withRule(evaluateRules(set, facts).reason, describeRule(near));
  }
  if (facts.caveat !== undefined || !facts.trusted) {
    const { caveat: _, ...clear } = facts;
    const { effect, rule } = evaluateRules(set, { ...clear, trusted: true });
    return effect === "allow" && rule ? withRule(evaluateRules(set, facts).reason, describeRule(rule)) : undefined;
  }
  const units = targetsOf(facts);
  if (units.length === 0) {
    const near = allows.find(rule => compiled(rule).kind !== undefined);
    return near && withRule(evaluateRules(set, facts).reason, describeRule(near));
  }
  const covering = units.map(unit => allows.find(rule => coversTarget(rule, unit, facts)));
  const open = units.filter((_, index) => covering[index] === undefined);
  const [first] = open;
  // Every part is allowed, but a rule that may deny is invalid.
  if (!first) return evaluateRules(set, facts).reason;
  for (const unit of open) {
    const near = nearestRule(unit, rules, facts);
    if (near) return t("{0} The nearest rule ({1}) {2}.", notAllowed(unit, facts), near.rule, near.why);
  }
  const part = covering.find(rule => rule !== undefined);
  if (part) {
    const why = t("allows only another part of this");
    return t("{0} The nearest rule ({1}) {2}.", notAllowed(first, facts), describeRule(part), why);
  }
  const runs = open.some(unit => unit.type === "command" && writesProtected(unit.command, contextOf(unit, facts)));
  return runs ? t("The command names a file that programs run or agents follow.") : undefined;
}

const withRule = (reason: string, rule: string): string => t("{0} The nearest rule is: {1}.", reason, rule);

/** `No rule allows “npm test” in “/etc”.` The workspace folder is not named. */
function notAllowed(unit: RuleTarget, { cwd, place }: QuestionFacts): string {
  const folder = unit.type === "command" ? (cwd ?? unit.folders?.at(-1)) : undefined;
  if (folder === undefined || place.roots.includes(folder)) return t("No rule allows {0}.", unit.name);
  return t("No rule allows {0} in {1}.", unit.name, quotePath(folder));
}

function nearestRule(unit: RuleTarget, rules: readonly Rule[], facts: QuestionFacts): NearMiss | undefined {
  let nearest: NearMiss | undefined;
  for (const rule of rules) {
    const near = nearMiss(unit, rule, facts);
    if (near && near.nearness > (nearest?.nearness ?? 0)) nearest = near;
  }
  return nearest;
}

function nearMiss(unit: RuleTarget, rule: Rule, facts: QuestionFacts): NearMiss | undefined {
  if (!appliesTo(rule, facts)) {
    const why = otherwiseCovers(unit, rule, facts);
    return why === undefined ? undefined : { rule: describeRule(rule), why, nearness: fitsBut };
  }
  switch (unit.type) {
    case "command":
      return nearCommand(unit.command, unit.folders, rule, facts);
    case "url":
      return nearAddress(unit.url, rule, facts);
    case "path":
      return nearPath(unit.path, rule, facts);
    case "kind":
      return undefined;
    default:
      return unit satisfies never;
  }
}

/** The only thing that a rule lacks to cover a thing in question: its agent, or the kind of a named command or host. */
function otherwiseCovers(unit: RuleTarget, rule: Rule, facts: QuestionFacts): string | undefined {
  const { agent, kind } = compiled(rule);
  const [someAgent] = agent ?? [];
  if (agent && someAgent !== undefined && !agent.includes(facts.agent)) {
    const own = { ...facts, agent: someAgent };
    const isFor = appliesTo(rule, own) && coversTarget(rule, unit, own);
    return isFor ? t("is only for {0}", agentsText(agent)) : undefined;
  }
  // The kind is another action, unless the rule names what is done.
  if (!kind || (rule.command === undefined && rule.domain === undefined) || !coversTarget(rule, unit, facts))
    return undefined;
  const kinds = kind.map(shortQuote).join(", ");
  if (facts.kind === undefined) return t("is only for the kind {0}, and the agent states none", kinds);
  return t("is only for the kind {0}, and the agent states {1}", kinds, shortQuote(facts.kind));
}

const agentsText = (agents: readonly string[]): string =>
  agents.length === 1
    ? t("the agent {0}", shortQuote(agents[0] ?? ""))
    : t("the agents {0}", agents.slice(0, 3).map(shortQuote).join(", "));

const contextOf = ({ folders = [] }: { readonly folders?: readonly string[] | undefined }, facts: QuestionFacts) => ({
  ...facts,
  folders: [...(facts.cwd === undefined ? facts.place.roots : [facts.cwd]), ...folders],
});

function nearCommand(
  command: Command,
  folders: readonly string[] | undefined,
  rule: Rule,
  facts: QuestionFacts,
): NearMiss | undefined {
  const { kind, commands, domains } = compiled(rule);
  if (domains || (!commands && kind?.includes("execute") !== true)) return undefined;
  if (!commands && rule.path !== undefined) {
    return { rule: describeRule(rule), why: t("has a path, but no command"), nearness: 1 };
  }
  const matching = commands?.findIndex(pattern => fitsWhole(pattern, command.words)) ?? 0;
  if (matching >= 0) {
    const why = wrongFolder(rule, folders, facts) ?? wrongFile(command, folders, facts);
    const shown = describeRule(rule, valuesOf(rule.command ?? [])[matching]);
    return why === undefined ? undefined : { rule: shown, why, nearness: fitsBut };
  }
  return (commands ?? []).reduce<NearMiss | undefined>((best, pattern, index) => {
    const mismatch = patternMismatch(pattern, command.words);
    if (!mismatch || mismatch.matched <= (best?.nearness ?? 0)) return best;
    const shown = describeRule(rule, valuesOf(rule.command ?? [])[index]);
    return { rule: shown, why: mismatch.why, nearness: mismatch.matched };
  }, undefined);
}

function wrongFolder(rule: Rule, folders: readonly string[] | undefined, facts: QuestionFacts): string | undefined {
  const { paths } = compiled(rule);
  if (!folders) return t("needs a known folder, and only the shell knows where this runs");
  const isFor = (path: string): boolean =>
    paths ? paths.some(glob => pathFits(glob, path, facts.place)) : isInRoots(path, facts.place);
  const outside = [...startFolders(rule, facts), ...folders].find(path => !isFor(path));
  if (outside === undefined) return undefined;
  return rule.path === undefined
    ? t("is only for the workspace folders, and this runs in {0}", quotePath(outside))
    : t("is only for other folders, and this runs in {0}", quotePath(outside));
}

function wrongFile(command: Command, folders: readonly string[] | undefined, facts: QuestionFacts): string | undefined {
  const context = contextOf({ folders }, facts);
  const { words } = command;
  const [program] = words;
  const isAlone = (test: (one: Command) => boolean) =>
    program && words.slice(1).find(word => test({ ...command, words: [program, word] }));
  if (namesSecret(command, context)) {
    const word = isAlone(one => namesSecret(one, context));
    return word
      ? t("doesn't spell out {0}, which may hold secrets", shortQuote(word.text))
      : t("doesn't spell out the whole command, which may read secrets");
  }
  return writesProtected(command, context)
    ? t("doesn't spell out the whole command, which names a file that programs run or agents follow")
    : undefined;
}

function nearAddress(url: string, rule: Rule, facts: QuestionFacts): NearMiss | undefined {
  const { kind, commands, domains } = compiled(rule);
  if (commands || (!domains && !(facts.kind === "fetch" && kind?.includes("fetch")))) return undefined;
  const unrestricted = { ...facts, paths: [] };
  const { path: _, ...withoutPath } = rule;
  if (coversTarget(withoutPath, { type: "url", url, name: "" }, unrestricted)) {
    const [file] = facts.paths;
    const why = file === undefined ? t("has a path, but this names no file") : t("is not for {0}", quotePath(file));
    return { rule: describeRule(rule), why, nearness: fitsBut };
  }
  const host = hostOf(url);
  const near = domains?.find(domain => host !== undefined && isSameSite(domain, host));
  if (near === undefined || host === undefined) return undefined;
  const why = t("is only for {0} and what is below it", shortQuote(near));
  return { rule: describeRule(rule, near), why, nearness: 1 };
}

/** Whether two hosts have a name in common: `docs.example.com`, `example.com`. Not `a.co.uk`, `b.co.uk`. */
function isSameSite(one: string, other: string): boolean {
  const site = (host: string): string => {
    const labels = host.split(".");
    const isShort = labels.length > 2 && (labels.at(-1) ?? "").length === 2 && (labels.at(-2) ?? "").length <= 3;
    return labels.slice(isShort ? -3 : -2).join(".");
  };
  return one.includes(".") && other.includes(".") && !/\d$|\]$/.test(other) && site(one) === site(other);
}

function nearPath(path: string, rule: Rule, facts: QuestionFacts): NearMiss | undefined {
  const { kind, commands, domains } = compiled(rule);
  if (commands || domains || (rule.path === undefined && kind === undefined)) return undefined;
  if (rule.path === undefined) {
    const why = isInRoots(path, facts.place)
      ? unnamedFile(path, facts)
      : t("is only for files in the workspace folders");
    return { rule: describeRule(rule), why, nearness: fitsBut };
  }
  const near = valuesOf(rule.path).map(text => {
    const globs = pathGlobs(text);
    const fits = globs.some(glob => pathFits(glob, path, facts.place));
    const nearness = fits ? fitsBut : Math.max(0, ...globs.map(glob => nearnessTo(glob, path, facts.place)));
    return { text, fits, nearness };
  });
  const [best] = near.sort((a, b) => b.nearness - a.nearness);
  if (!best || best.nearness === 0) return undefined;
  const why = best.fits ? unnamedFile(path, facts) : t("is only for {0}", shortQuote(best.text));
  return { rule: describeRule(rule, best.text), why, nearness: best.nearness };
}

/** The file is in a list of files that only a rule with their name allows. */
const unnamedFile = (path: string, { isProtected }: QuestionFacts): string =>
  isProtected?.(path)
    ? t("doesn't name this file, which programs run or agents follow")
    : t("doesn't name this file, which may hold secrets");
