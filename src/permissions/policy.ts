// The policy of one session: applies the user's rules and the list of sensitive files to questions.
import { t } from "../base/l10n.ts";
import type { PermissionQuestion } from "../session/agent.ts";
import { questionFacts, type FactsContext } from "./questionFacts.ts";
import type { PolicyDecision } from "./permissionBroker.ts";
import {
  answerFromVerdict,
  evaluateRules,
  narrowestRule,
  type QuestionFacts,
  type RuleSet,
  type Verdict,
} from "./rules.ts";
import { whyNotAllowed } from "./nearMiss.ts";
import { mayWriteFiles } from "./commandWrites.ts";
import { looksSensitive, secretMatcher, type SecretTest } from "./sensitiveFiles.ts";
import { noProtection, protectionTest, strongestProtection } from "./protectedFiles.ts";
import type { ProtectionSettings, ProtectionTest } from "./protectedFiles.ts";
import type { Platform } from "../base/platform.ts";
import { isInRoots, type PathContext } from "./pathGlob.ts";

export interface PermissionPolicyOptions {
  readonly rules: () => RuleSet;
  /** Globs of files that look like secrets, in addition to the built-in ones. */
  readonly sensitive: () => readonly string[];
  /** The user's changes to the lists of protected files. */
  readonly protection: () => ProtectionSettings;
  /** The hook folders that the configuration of git names. Never rejects. */
  readonly hookFolders: () => Promise<readonly string[]>;
  readonly context: () => FactsContext;
}

export interface RuleResult {
  readonly facts: QuestionFacts;
  readonly verdict: Verdict;
}

export class PermissionPolicy {
  readonly #options: PermissionPolicyOptions;
  readonly #protections: Partial<Record<"own" | "strict", { readonly key: string; readonly test: ProtectionTest }>> =
    {};
  /** The user has allowed the session to write files that agents follow. */
  #mayWriteInstructions = false;

  constructor(options: PermissionPolicyOptions) {
    this.#options = options;
  }

  /** Whether there are no rules. */
  get isEmpty(): boolean {
    return this.#options.rules().rules.length === 0;
  }

  isSensitive(path: string): boolean {
    return looksSensitive(path, this.#options.sensitive(), this.#options.context().place);
  }

  /** The folder of commands that name none. */
  get workspaceFolder(): string {
    return this.#options.context().workspaceFolder;
  }

  get platform(): Platform {
    return this.#options.context().place.platform;
  }

  /** How a file with these paths is protected against writes. */
  async protectionOf(paths: readonly string[]): Promise<ReturnType<ProtectionTest>> {
    return strongestProtection(paths.map(await this.#activeProtection(this.#options.context().place)));
  }

  /** Files that agents follow are no longer protected in this session. */
  allowInstructions(): void {
    this.#mayWriteInstructions = true;
  }

  /** Remembers what the user's permission for a change covers beyond the change. */
  async rememberAllowed(facts: QuestionFacts): Promise<void> {
    if (!isChange(facts)) return;
    const protection = protectionOfChange(facts, await this.#protectionTest(facts.place));
    if (facts.paths.some(path => protection(path) === "askOnce")) this.allowInstructions();
  }

  /** The protection without what the user has allowed in this session. */
  async #activeProtection(place: PathContext): Promise<ProtectionTest> {
    const test = await this.#protectionTest(place);
    if (!this.#mayWriteInstructions) return test;
    const active = (protection: ReturnType<ProtectionTest>) => (protection === "askOnce" ? undefined : protection);
    return Object.assign((path: string) => active(test(path)), {
      ofFolder: (path: string) => active(test.ofFolder(path)),
    });
  }

  /** `isStrict`: files that run with the next build are protected whatever the setting is. */
  async #protectionTest(place: PathContext, isStrict = false): Promise<ProtectionTest> {
    const own = this.#options.protection();
    const askForBuildFiles = isStrict || own.askForBuildFiles;
    const settings = { ...own, askForBuildFiles, hookFolders: await this.#options.hookFolders() };
    const key = JSON.stringify([settings, place]);
    const kept = isStrict ? "strict" : "own";
    const known = this.#protections[kept];
    if (known?.key === key) return known.test;
    const test = protectionTest(settings, place);
    this.#protections[kept] = { key, test };
    return test;
  }

  /**
   * The files of a question that is nothing but an edit of files in the workspace folders which are neither secrets nor
   * run or obeyed by anything, and about which no rule says anything. Undefined: it is another question.
   */
  async editedPaths(question: PermissionQuestion): Promise<readonly string[] | undefined> {
    const { facts, verdict } = await this.evaluate(question);
    const { kind, command, urls, paths, caveat, trusted, place, isSensitive } = facts;
    if (kind !== "edit" || command || urls.length > 0 || paths.length === 0 || caveat !== undefined || !trusted)
      return undefined;
    const isBlocked = this.#options.rules().problems.some(problem => problem.blocksAllow);
    if (verdict.effect !== "ask" || verdict.rule || isBlocked) return undefined;
    // What the user has allowed for this session, such as instructions for agents, is not part of it.
    const isProtected = await this.#protectionTest(place, true);
    const isPlain = (path: string): boolean =>
      isInRoots(path, place) && isSensitive?.(path) !== true && !isProtected(path);
    return paths.every(isPlain) ? paths : undefined;
  }

  /**
   * Evaluates the rules for a question. Returns the verdict and the facts. Never rejects. `isProtected`: only rules that
   * name the files allow it.
   */
  async evaluate(question: PermissionQuestion, isProtected = false): Promise<RuleResult> {
    const facts = await questionFacts(question, this.#options.context());
    const isSecret = secretMatcher(this.#options.sensitive(), facts.place);
    const isWriting = facts.command?.kind === "commands" && facts.command.commands.some(mayWriteFiles);
    const protection = isChange(facts) || isWriting ? await this.#activeProtection(facts.place) : noProtection;
    const { mayMatch } = isSecret;
    const isCounted = Object.assign((path: string) => isProtected || isSecret(path), { mayMatch });
    const all = withSensitivity(facts, isCounted, protection);
    return { facts: all, verdict: evaluateRules(this.#options.rules(), all) };
  }

  /** Decides about a question before the user sees it. */
  async decide(question: PermissionQuestion): Promise<PolicyDecision> {
    const { facts, verdict } = await this.evaluate(question);
    const decision = answerFromVerdict(verdict, question.options);
    if (decision) return { decision };
    const reason = verdict.rule
      ? verdict.reason
      : ((await this.#warning(facts)) ?? whyNotAllowed(this.#options.rules(), facts));
    return {
      ...(reason !== undefined && { reason }),
      ...(narrowestRule(facts) !== undefined && { always: true }),
    };
  }

  /** The reason why the user should look twice at a change. */
  async #warning(facts: QuestionFacts): Promise<string | undefined> {
    if (!isChange(facts)) return undefined;
    const test = protectionOfChange(facts, await this.#protectionTest(facts.place));
    const protection = strongestProtection(facts.paths.map(test));
    if (protection === "refuse")
      return t("This file belongs to git, which can run programs. Parley writes it only if a rule names it.");
    if (protection === "ask") return t("This file can run programs without an action of yours.");
    if (protection === "askOnce") {
      const once = t("If you allow this, Parley doesn't ask about such files again in this session.");
      return t(
        "Agents follow this file as instructions, also in later sessions.{0}",
        this.#mayWriteInstructions ? "" : ` ${once}`,
      );
    }
    return protection === "askForBuild" ? t("This file can run programs with the next build.") : undefined;
  }
}

/** The facts with the files that only a rule with their name allows: secrets, and protected files that change. */
export function withSensitivity(facts: QuestionFacts, isSecret: SecretTest, protection: ProtectionTest): QuestionFacts {
  const ofChange = protectionOfChange(facts, protection);
  const isSensitive = (path: string): boolean => isSecret(path) || Boolean(ofChange(path));
  const { mayMatch } = isSecret;
  return {
    ...facts,
    isSensitive: isChange(facts) ? Object.assign(isSensitive, { mayMatch }) : isSecret,
    isProtected: protection,
  };
}

/** A folder that is moved or deleted counts with the files by which it is in the lists. */
const protectionOfChange = ({ kind }: QuestionFacts, test: ProtectionTest): ProtectionTest["ofFolder"] =>
  kind === "move" || kind === "delete" ? test.ofFolder : test;

const isChange = ({ kind }: QuestionFacts): boolean => kind === "edit" || kind === "delete" || kind === "move";
