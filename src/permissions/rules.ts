// Permission rules: their format, and their verdict on a question. Deny takes precedence over ask, and ask over allow.
// Anything that no rule allows is asked. Pure.
import { inEnglish, t } from "../base/l10n.ts";
import type { QuestionOption, ToolKind } from "../session/events.ts";
import { quotePath, shortQuote } from "../base/text.ts";
import { commandFolders } from "./commandFolders.ts";
import { argumentPaths, namesSecret, type SecretCheck } from "./commandArguments.ts";
import { writesProtected } from "./commandWrites.ts";
import type { ProtectionTest } from "./protectedFiles.ts";
import type { PolicyAnswer } from "./permissionBroker.ts";
import { globForPath, isInRoots, pathRestricted, pathFits, pathGlobs } from "./pathGlob.ts";
import type { PathGlob, PathContext } from "./pathGlob.ts";
import { ruleConditionNames, type Effect, type RuleCondition } from "./ruleFields.ts";
import { ruleOutline, ruleProblem } from "./ruleProblems.ts";
import { fitsBeginning, fitsWhole, hazardsFor, parsePattern, exactPattern } from "./commandLine/pattern.ts";
import type { Pattern } from "./commandLine/pattern.ts";
import type { Command, CommandLine, Fit } from "./commandLine/types.ts";
import { asSentence, commaSeparated } from "../base/sentences.ts";

type OneOrMore = string | readonly string[];

/**
 * A rule as it is in the settings. It applies if all of its fields match. For a field with a valuesOf, one item must match.
 * To deny or ask, it is enough that the rule matches one thing in question. To allow, rules must cover everything in
 * question.
 */
export type Rule = { readonly effect: Effect } & { readonly [condition in RuleCondition]?: OneOrMore };

export interface RuleProblem {
  /** Its index in the settings. -1: the whole list. */
  readonly index: number;
  readonly message: string;
  /** The rule may have been intended to deny or ask. Until it is fixed, allow rules are ignored. */
  readonly blocksAllow: boolean;
}

export interface RuleSet {
  readonly rules: readonly Rule[];
  readonly problems: readonly RuleProblem[];
}

/** Everything that rules use to judge a question. */
export interface QuestionFacts {
  readonly agent: string;
  readonly kind?: ToolKind;
  readonly command?: CommandLine;
  /** The folder that the command runs in. Absent: the workspace folder. */
  readonly cwd?: string;
  /** The targets of symbolic links that the command names. */
  readonly links?: ReadonlyMap<string, string>;
  /** All files in question. If links are involved, both the given and the resolved path. */
  readonly paths: readonly string[];
  readonly urls: readonly string[];
  /** Whether a file looks like a secret. Then only a rule that names it without a wildcard allows it. */
  readonly isSensitive?: SecretCheck;
  /** How files are protected that a command writes. Then only a rule that spells the command out allows it. */
  readonly isProtected?: ProtectionTest;
  /** The reason why no rule can allow it although it is understood. Continues "it …". */
  readonly caveat?: string;
  /** False: allow rules are ignored. */
  readonly trusted: boolean;
  readonly place: PathContext;
}

export interface Verdict {
  readonly effect: Effect;
  /** The rule that decided. Absent: no rule did. */
  readonly rule?: Rule;
  /** A sentence for the user. */
  readonly reason: string;
}

/** Reads the rules from the settings. Errors are reported and never silently ignored. */
export function readRules(value: unknown): RuleSet {
  if (value === undefined || value === null) return { rules: [], problems: [] };
  if (!Array.isArray(value)) {
    return {
      rules: [],
      problems: [{ index: -1, message: t("The permission rules must be a list."), blocksAllow: true }],
    };
  }
  const rules: Rule[] = [];
  const problems: RuleProblem[] = [];
  for (const [index, item] of (value as readonly unknown[]).entries()) {
    const wrong = ruleProblem(item);
    if (wrong === undefined) rules.push(item as Rule);
    else {
      const guards = (item as Partial<Rule> | null)?.effect !== "allow";
      const sentence = t("Permission rule {0}{1} {2}", index + 1, ruleOutline(item), wrong);
      problems.push({ index, message: asSentence(sentence), blocksAllow: guards });
    }
  }
  return { rules, problems };
}

/** Evaluates the rules for a question. */
export function evaluateRules(set: RuleSet, facts: QuestionFacts): Verdict {
  let doubt: Verdict | undefined;
  for (const effect of ["deny", "ask"] as const) {
    for (const rule of set.rules) {
      if (rule.effect !== effect) continue;
      const fit = restrictionFit(rule, facts);
      if (fit === "yes" && effect === "deny") {
        // For the agent, whose request is refused.
        return { effect, rule, reason: inEnglish(() => `A rule forbids this: ${describeRule(rule)}.`) };
      }
      if (fit === "yes")
        doubt ??= { effect: "ask", rule, reason: t("A rule asks about this: {0}.", describeRule(rule)) };
      if (fit === "maybe") {
        const described = describeRule(rule);
        const reason =
          effect === "deny"
            ? t("A rule may forbid this: {0}.", described)
            : t("A rule may ask about this: {0}.", described);
        doubt ??= { effect: "ask", rule, reason };
      }
    }
  }
  if (facts.command?.kind === "opaque") {
    return { effect: "ask", reason: t("No rule can allow this command line: it {0}.", facts.command.reason) };
  }
  return doubt ?? allowed(set, facts);
}

function allowed(set: RuleSet, facts: QuestionFacts): Verdict {
  if (!facts.trusted) return { effect: "ask", reason: t("Allow rules are ignored in untrusted workspaces.") };
  if (facts.caveat !== undefined) return { effect: "ask", reason: t("No rule can allow this: it {0}.", facts.caveat) };
  const allows = set.rules.filter(rule => rule.effect === "allow" && appliesTo(rule, facts));
  const units = targetsOf(facts);
  if (units.length === 0) return { effect: "ask", reason: t("The agent does not state what this is about.") };
  const covering = units.map(unit => allows.find(rule => coversTarget(rule, unit, facts)));
  const open = covering.findIndex(rule => rule === undefined);
  if (open >= 0) return { effect: "ask", reason: notAllowed(units[open], allows, facts) };
  const guard = set.problems.find(problem => problem.blocksAllow);
  if (guard) return { effect: "ask", reason: t("Allow rules are ignored until this is fixed: {0}", guard.message) };
  const [rule] = covering;
  return { effect: "allow", ...(rule && { rule }), reason: t("Allowed by {0}.", listRules(covering)) };
}

/** The reason why no rule allows something, with the word for which no wildcard stands. */
function notAllowed(unit: RuleTarget | undefined, allows: readonly Rule[], facts: QuestionFacts): string {
  const reason = unit ? t("No rule allows {0}.", unit.name) : t("No rule allows this.");
  if (unit?.type !== "command") return reason;
  if (writesProtected(unit.command, { ...facts, folders: [...facts.place.roots, ...(unit.folders ?? [])] }))
    return t("{0} It names a file that programs run or agents follow.", reason);
  const patterns = allows.flatMap(rule => compiled(rule).commands ?? []);
  const [hazard] = patterns.flatMap(pattern => hazardsFor(pattern, unit.command.words));
  return hazard ? t("{0} A wildcard doesn't stand for {1}, which {2}.", reason, hazard.word, hazard.why) : reason;
}

function listRules(rules: readonly (Rule | undefined)[]): string {
  const shown = [...new Set(rules.flatMap(rule => (rule ? [describeRule(rule)] : [])))];
  return shown.length > 3 ? t("{0} rules", shown.length) : shown.join(t(" and "));
}

/** Whether a rule is for the agent and for the kind of a question. */
export function appliesTo(rule: Rule, facts: QuestionFacts): boolean {
  const { kind, agent } = compiled(rule);
  if (agent && !agent.includes(facts.agent)) return false;
  return !kind || (facts.kind !== undefined && kind.includes(facts.kind));
}

/** A thing in question that an allow rule has to cover. */
export type RuleTarget = { readonly name: string } & (
  | { readonly type: "command"; readonly command: Command; readonly folders: readonly string[] | undefined }
  | { readonly type: "url"; readonly url: string }
  | { readonly type: "path"; readonly path: string }
  | { readonly type: "kind" }
);

/** Kinds that need a subject: if the agent does not name one, nothing can be allowed. */
const needsSubject: readonly string[] = ["read", "edit", "delete", "move", "execute", "fetch"];

/** Everything that rules have to cover. Empty: the agent does not name it, or nobody can tell what a command line does. */
export function targetsOf(facts: QuestionFacts): readonly RuleTarget[] {
  const { command, urls, paths, kind } = facts;
  const files = paths.map(path => ({ type: "path", path, name: quotePath(path) }) as const);
  // Changed files and secrets are always in question, whatever else is named.
  const changes = kind === "edit" || kind === "delete" || kind === "move";
  if (command?.kind === "opaque") return [];
  if (command) {
    const folders = commandFolders(command.commands, facts);
    const all = command.commands.map((one, index) => {
      return {
        type: "command",
        command: one,
        folders: folders[index],
        name: quotePath(exactPattern(one.words)),
      } as const;
    });
    const commands = withoutNeutral(all, unit => unit.command);
    return [...commands, ...files.filter(({ path }) => changes || (facts.isSensitive?.(path) ?? false))];
  }
  if (urls.length > 0) {
    const addresses = urls.map(url => ({ type: "url", url, name: quotePath(url) }) as const);
    return [...addresses, ...files.filter(({ path }) => kind !== "fetch" || (facts.isSensitive?.(path) ?? false))];
  }
  if (files.length > 0) return files;
  return kind === undefined || needsSubject.includes(kind) ? [] : [{ type: "kind", name: t("the kind “{0}”", kind) }];
}

/** Without the changes to the folder that the line starts in, unless there is nothing else. */
function withoutNeutral<T>(all: readonly T[], commandOf: (one: T) => Command): readonly T[] {
  const others = all.filter(one => !commandOf(one).neutral);
  return others.length === 0 ? all : others;
}

/** Whether an allow rule that is for the agent and the kind covers a thing in question. */
export function coversTarget(rule: Rule, unit: RuleTarget, facts: QuestionFacts): boolean {
  const { kind, commands, paths, domains } = compiled(rule);
  const allInside = (all: readonly string[]): boolean =>
    all.every(path => (paths ? paths.some(glob => pathFits(glob, path, facts.place)) : isInRoots(path, facts.place)));
  switch (unit.type) {
    case "command":
      if (domains || !unit.folders) return false;
      return (
        allInside([...startFolders(rule, facts), ...unit.folders]) &&
        coversCommand(rule, unit.command, unit.folders, facts)
      );
    case "url":
      if (commands || (paths && facts.paths.length === 0) || !allInside(facts.paths)) return false;
      if (!domains) return facts.kind === "fetch" && (kind?.includes("fetch") ?? false);
      return domains.some(domain => domainFits(domain, hostOf(unit.url)));
    case "path":
      if (
        facts.isSensitive?.(unit.path) &&
        !valuesOf(rule.path ?? []).some(glob => namesFile(glob, unit.path, facts))
      ) {
        return false;
      }
      return !commands && !domains && (paths !== undefined || kind !== undefined) && allInside([unit.path]);
    case "kind":
      return kind !== undefined && !commands && !domains && !paths;
    default:
      return unit satisfies never;
  }
}

/** The folder of the whole line, if a rule may cover only some folders. */
export function startFolders({ path }: Rule, { cwd, place }: QuestionFacts): readonly string[] {
  if (cwd !== undefined) return [cwd];
  return path === undefined ? [] : place.roots;
}

function coversCommand(rule: Rule, command: Command, changed: readonly string[], facts: QuestionFacts): boolean {
  const { kind, commands, paths } = compiled(rule);
  const folders = [...(facts.cwd === undefined ? facts.place.roots : [facts.cwd]), ...changed];
  const isSecret = (): boolean => {
    const context = { ...facts, folders };
    return namesSecret(command, context) || writesProtected(command, context);
  };
  if (!commands) {
    return !paths && facts.kind === "execute" && (kind?.includes("execute") ?? false) && !isSecret();
  }
  return commands.some(
    pattern =>
      fitsWhole(pattern, command.words) && (pattern.every(element => typeof element === "object") || !isSecret()),
  );
}

/** Whether the glob matches, and its last segment contains part of the file's name. */
function namesFile(glob: string, path: string, facts: QuestionFacts): boolean {
  const letters = (glob.split("/").at(-1) ?? "").replace(/[*?{},]/g, "");
  return letters.length > 2 && pathGlobs(glob).some(one => pathFits(one, path, facts.place));
}

/** Whether a rule that denies or asks matches anything in question. */
function restrictionFit(rule: Rule, facts: QuestionFacts): Fit {
  const { commands, paths, domains, kind, agent } = compiled(rule);
  if (agent && !agent.includes(facts.agent)) return "no";
  // The kind that an agent states does not hide the actual effect. Without a kind, the effect is unknown.
  const kinds = [facts.kind, facts.command && "execute", facts.urls.length > 0 ? "fetch" : undefined];
  const same = !kind || kinds.some(one => one !== undefined && kind.includes(one));
  const kindFit: Fit = same ? "yes" : facts.kind === undefined ? "maybe" : "no";
  return weakest([
    kindFit,
    commands ? commandFit(commands, facts) : "yes",
    paths ? pathFit(paths, facts) : "yes",
    domains ? domainFit(domains, facts) : "yes",
  ]);
}

const weakest = (fits: readonly Fit[]): Fit => (fits.includes("no") ? "no" : fits.includes("maybe") ? "maybe" : "yes");
const strongest = (fits: readonly Fit[]): Fit =>
  fits.includes("yes") ? "yes" : fits.includes("maybe") ? "maybe" : "no";

function commandFit(patterns: readonly Pattern[], facts: QuestionFacts): Fit {
  const { command } = facts;
  if (!command) return facts.kind === "execute" ? "maybe" : "no";
  const forms =
    command.kind === "opaque" ? command.fragments : command.commands.flatMap(one => [one.words, ...one.wrappers]);
  const fit = strongest(forms.flatMap(words => patterns.map(pattern => fitsBeginning(pattern, words))));
  return command.kind === "opaque" && fit === "no" ? "maybe" : fit;
}

function pathFit(globs: readonly PathGlob[], facts: QuestionFacts): Fit {
  const { command, paths, cwd, place } = facts;
  const named = [...paths, ...(cwd === undefined ? [] : [cwd])];
  const fits: Fit[] = named.flatMap(path => globs.map(glob => pathRestricted(glob, path, place)));
  if (command?.kind === "opaque") fits.push("maybe");
  // The words of a command may be files. Only the command knows.
  if (command?.kind === "commands") {
    for (const word of command.commands.flatMap(one => one.words.slice(1))) {
      const full = word.exact ? argumentPaths(word.text, facts) : undefined;
      const may = !full || full.some(path => globs.some(glob => pathRestricted(glob, path, place) !== "no"));
      if (may) fits.push("maybe");
    }
  }
  if (!command && paths.length === 0 && facts.kind !== "execute" && needsSubject.includes(facts.kind ?? "read")) {
    fits.push("maybe");
  }
  return strongest(fits);
}

function domainFit(domains: readonly string[], facts: QuestionFacts): Fit {
  const fits: Fit[] = facts.urls.map(url => {
    const host = hostOf(url);
    if (host === undefined) return "maybe";
    return domains.some(domain => domainFits(domain, host)) ? "yes" : "no";
  });
  if (facts.urls.length === 0 && facts.kind === "fetch") fits.push("maybe");
  if (facts.command?.kind === "opaque") fits.push("maybe");
  if (facts.command?.kind === "commands") {
    const mentions = facts.command.commands
      .flatMap(one => one.words.slice(1))
      .some(word => !word.exact || domains.some(domain => word.text.toLowerCase().includes(domain)));
    if (mentions) fits.push("maybe");
  }
  return strongest(fits);
}

/** The host of a web address, without a final dot. */
export function hostOf(url: string): string | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !/^(?:https?|wss?):$/.test(parsed.protocol)) return undefined;
  const host = parsed.hostname.replace(/\.$/, "");
  return host === "" ? undefined : host;
}

function domainFits(domain: string, host: string | undefined): boolean {
  if (host === undefined) return false;
  // A name without a dot is one machine in the local network, not everything below a top-level domain.
  return host === domain || (domain.includes(".") && !/\d$/.test(domain) && host.endsWith(`.${domain}`));
}

/** The conditions of a rule, prepared to be compared with questions. */
interface Compiled {
  readonly kind?: readonly string[];
  readonly agent?: readonly string[];
  readonly commands?: readonly Pattern[];
  readonly paths?: readonly PathGlob[];
  readonly domains?: readonly string[];
}

const compiledRules = new WeakMap<Rule, Compiled>();

/** The prepared conditions of a valid rule. Patterns and lists are in the order of the rule. */
export function compiled(rule: Rule): Compiled {
  const made = compiledRules.get(rule) ?? compile(rule);
  compiledRules.set(rule, made);
  return made;
}

function compile({ kind, agent, command, path, domain }: Rule): Compiled {
  return {
    ...(kind !== undefined && { kind: valuesOf(kind) }),
    ...(agent !== undefined && { agent: valuesOf(agent) }),
    ...(command !== undefined && {
      commands: valuesOf(command).flatMap(text => {
        const pattern = parsePattern(text);
        return typeof pattern === "string" ? [] : [pattern];
      }),
    }),
    ...(path !== undefined && { paths: valuesOf(path).flatMap(pathGlobs) }),
    ...(domain !== undefined && { domains: valuesOf(domain) }),
  };
}

/** The values of a condition. */
export const valuesOf = (value: OneOrMore): readonly string[] => (typeof value === "string" ? [value] : value);

const maxShownValues = 3;

/** The first values of a long list, each shortened: `“a”, “b”, “c” and 4 more`. */
function shownValues(values: readonly string[], mustShow?: string): string {
  const isLate = mustShow !== undefined && values.indexOf(mustShow) >= maxShownValues;
  const first = isLate ? [mustShow, ...values.filter(value => value !== mustShow)] : values;
  const shown = first.slice(0, maxShownValues).map(shortQuote);
  const others = values.length - shown.length;
  return others > 0 ? t("{0} and {1} more", commaSeparated(shown), others) : commaSeparated(shown);
}

/** The rule in a few words, for "Allowed by …". `mustShow`: a value that a long list shows first. */
export function describeRule(rule: Rule, mustShow?: string): string {
  const parts = ruleConditionNames.flatMap(field => {
    const value = rule[field];
    return value === undefined ? [] : [`${field} ${shownValues(valuesOf(value), mustShow)}`];
  });
  return `${rule.effect} ${parts.join(", ")}`;
}

/**
 * The answer to give for the user: an option that is valid once, never one that makes the agent stop asking. Undefined:
 * the user is asked.
 */
export function answerFromVerdict(verdict: Verdict, options: readonly QuestionOption[]): PolicyAnswer | undefined {
  if (verdict.effect === "ask" || !verdict.rule) return undefined;
  const find = (kind: string): QuestionOption | undefined => options.find(offered => offered.kind === kind);
  const option = verdict.effect === "allow" ? find("allow_once") : (find("reject_once") ?? find("reject_always"));
  return option && { option: option.id, by: describeRule(verdict.rule) };
}

/**
 * The narrowest rule that would have answered this question, for "Create Rule…". Undefined if there is no narrow one.
 */
export function narrowestRule(facts: QuestionFacts, effect: "allow" | "deny" = "allow"): Rule | undefined {
  const { agent, kind, command, urls, paths, cwd, place } = facts;
  const kinds = kind !== undefined && { kind };
  if (command) {
    if (command.kind === "opaque" || command.commands.some(({ words }) => words.some(word => !word.exact))) {
      return undefined;
    }
    const folders = commandFolders(command.commands, facts).flatMap(found => found ?? []);
    const used = [...new Set([...(cwd === undefined ? place.roots : [cwd]), ...folders])];
    const isOutside = used.some(path => !isInRoots(path, place));
    const globs = isOutside ? used.map(path => globForPath(path, place)).filter(glob => glob !== undefined) : [];
    const patterns = [...new Set(withoutNeutral(command.commands, one => one).map(({ words }) => exactPattern(words)))];
    return verifiedRule(
      { effect, agent, command: single(patterns), ...(globs.length > 0 && { path: single(globs) }) },
      facts,
    );
  }
  if (urls.length > 0) {
    const hosts = urls.map(hostOf).filter(host => host !== undefined);
    return verifiedRule({ effect, agent, ...kinds, domain: single([...new Set(hosts)]) }, facts);
  }
  const globs = paths.map(path => globForPath(path, place)).filter(glob => glob !== undefined);
  return kind === undefined
    ? undefined
    : verifiedRule({ effect, agent, kind, path: single([...new Set(globs)]) }, facts);
}

const single = (values: readonly string[]): OneOrMore => (values.length === 1 ? (values[0] ?? "") : values);

/** The rule, if it is valid and has the intended effect. */
function verifiedRule(rule: Rule, facts: QuestionFacts): Rule | undefined {
  const set = readRules([rule]);
  const decided = evaluateRules(set, { ...facts, trusted: true }).effect;
  return set.problems.length === 0 && decided === rule.effect ? rule : undefined;
}
