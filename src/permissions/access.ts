// Checks an agent's request for a file, a folder or a command, in addition to the confinement to the roots: applies
// rules that forbid, and asks about paths outside the workspace, likely secrets, and files that programs run.
import { Refusal } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { maskVariable } from "../base/mask.ts";
import type { AgentClient, PermissionQuestion } from "../session/agent.ts";
import type { QuestionOption, QuestionSubject } from "../session/events.ts";
import type { Confinement, LocatedPath } from "../files/paths.ts";
import { quotePath } from "../base/text.ts";
import type { AnsweredQuestion, PolicyAnswer } from "./permissionBroker.ts";
import { isInGitFolder, type PathExists } from "./gitFolders.ts";
import type { PermissionPolicy } from "./policy.ts";
import { type Protection } from "./protectedRows.ts";
import { isHarmlessVariable } from "./harmlessVariables.ts";
import { statedCommand } from "./questionFacts.ts";
import { commandIdentity, type StatedCommand } from "./sameCommand.ts";
import { titleCommand } from "./titleCommand.ts";
import { describeRule, type QuestionFacts, type Verdict } from "./rules.ts";
import type { Gate, AccessRequest } from "../files/gate.ts";

export interface AccessOptions {
  readonly agentName: string;
  readonly confinement: Confinement;
  readonly policy: PermissionPolicy;
  /** How to treat paths outside the roots. */
  readonly outsideMode: () => "ask" | "refuse" | "allow";
  readonly askUser: AgentClient["requestPermission"];
  readonly exists: PathExists;
  /** Called when a request was refused without asking, with the option of the refusal and what refused it. */
  readonly onRefused: (question: PermissionQuestion, answer: PolicyAnswer) => void;
}

const toolKinds = { read: "read", write: "edit", run: "execute" } as const;
const refusal = "refuse";
const answerOptions = (session: string): readonly QuestionOption[] => [
  { id: "allow", name: t("Allow Once"), kind: "allow_once" },
  { id: "session", name: session, kind: "allow_always" },
  { id: refusal, name: t("Refuse"), kind: "reject_once" },
];
/** One permission counts for all files that agents follow. */
const instructionOptions = (): readonly QuestionOption[] => [
  { id: "allow", name: t("Allow Instruction Files for This Session"), kind: "allow_once" },
  { id: refusal, name: t("Refuse"), kind: "reject_once" },
];
const neverAborted = new AbortController().signal;

/** The gate of one session. */
export class Access implements Gate {
  readonly #options: AccessOptions;
  /** Requests that were allowed for this session. */
  readonly #allowedForSession = new Set<string>();
  /** Requests that a rule allowed and that the transcript shows already. They count as long as the rule allows them. */
  readonly #reportedByRule = new Set<string>();
  /**
   * Requests that the user allowed when the agent asked, with the kind of the answer: "once" is used up by one request
   * for a file, and by the end of the turn for a command.
   */
  readonly #allowedByAnswer = new Map<string, string>();
  #pendingAnswers: Promise<unknown> = Promise.resolve();

  constructor(options: AccessOptions) {
    this.#options = options;
  }

  async admit(request: AccessRequest, signal: AbortSignal = neverAborted): Promise<boolean> {
    const { path, located, operation } = request;
    const mode = located.inside ? "allow" : this.#options.outsideMode();
    if (mode === "refuse") throw this.#options.confinement.outsideRefusal(path);
    return operation === "run"
      ? this.#admitCommand(request, mode === "ask", signal)
      : this.#admitFile(request, mode === "ask", signal);
  }

  /** Whether a read of the file would pass without a question. Asks and records nothing. */
  async passes(path: string): Promise<boolean> {
    // A path that cannot be resolved names no file.
    const located = await this.#options.confinement.locate(path).catch(() => undefined);
    return located?.inside === true && !(await this.#isWithheld(path, located));
  }

  /**
   * Whether the file is a likely secret, or a rule denies reads of it or asks about them, wherever it is. Asks and records
   * nothing. Rejects with a Refusal if the path cannot be resolved.
   */
  async withholds(path: string): Promise<boolean> {
    return this.#isWithheld(path, await this.#options.confinement.locate(path));
  }

  /** Whether a likely secret or a rule keeps the file from the agent, wherever it is. */
  async #isWithheld(path: string, located: LocatedPath): Promise<boolean> {
    const { policy, agentName } = this.#options;
    if (policy.isSensitive(path) || policy.isSensitive(located.path)) return true;
    if (policy.isEmpty) return false;
    const { verdict } = await policy.evaluate(
      questionOf(agentName, { operation: "read", path, located }, false, undefined),
    );
    return verdict.effect === "deny" || isAskedByRule(verdict);
  }

  /**
   * Rejects with a Refusal if a write of the file would be refused whatever the user answers. Asks and records nothing.
   * Rules that deny are applied by the question about the change.
   */
  async checkWrite(path: string): Promise<void> {
    const { confinement, policy, agentName, outsideMode } = this.#options;
    const located = await confinement.locate(path);
    if (!located.inside && outsideMode() === "refuse") throw confinement.outsideRefusal(path);
    const request: AccessRequest = { operation: "write", path, located };
    if ((await this.#protectionOf(request)) !== "refuse") return;
    const { verdict } = await policy.evaluate(questionOf(agentName, request, false, "refuse"), true);
    if (verdict.effect !== "allow") throw new Refusal("failed", gitRefusal(path), { path });
  }

  async #admitFile(request: AccessRequest, isOutside: boolean, signal: AbortSignal): Promise<boolean> {
    const { policy, agentName } = this.#options;
    const { operation, path, located } = request;
    const isSensitive = policy.isSensitive(path) || policy.isSensitive(located.path);
    if (operation === "write") await this.#pendingAnswers;
    const protection = operation === "write" ? await this.#protectionOf(request) : undefined;
    const needsAnswer = isSensitive || protection !== undefined || isOutside;
    if (!needsAnswer && policy.isEmpty) return false;

    const question = questionOf(agentName, request, isSensitive, protection);
    const { verdict } = await policy.evaluate(question, protection !== undefined);
    this.#refuseIfDenied(question, verdict, path);
    if (protection === "refuse" && verdict.effect !== "allow") {
      this.#options.onRefused(question, { option: refusal, by: builtInGitRule });
      throw new Refusal("failed", gitRefusal(path), { path });
    }
    if (!needsAnswer && !isAskedByRule(verdict)) return false;
    const key = `${operation} ${located.key}`;
    if (this.#allowedForSession.has(key) || (verdict.effect === "allow" && this.#reportedByRule.has(key))) return false;
    await this.#pendingAnswers;
    if (!isOutside && this.#hasAnswer(`${toolKinds[operation]} ${path}`, true)) return false;

    const answer = await this.#ask(question, path, signal);
    if (verdict.effect === "allow") this.#reportedByRule.add(key);
    else if (isAboutInstructions(request, isSensitive, protection)) policy.allowInstructions();
    if (answer === "session") {
      this.#allowedForSession.add(key);
      if (operation === "write") this.#allowedForSession.add(`read ${located.key}`);
    }
    return true;
  }

  /** A command needs an answer: of a rule, of the user to the agent's own question, or of the user to this one. */
  async #admitCommand(request: AccessRequest, isOutside: boolean, signal: AbortSignal): Promise<boolean> {
    const { policy, agentName } = this.#options;
    const { path, located, command, argv, env = [] } = request;
    const question = questionOf(agentName, request, false, undefined);
    const { verdict, facts } = await policy.evaluate(question);
    this.#refuseIfDenied(question, verdict, path);
    const key = `run ${JSON.stringify([located.key, command, argv, env])}`;
    if (this.#allowedForSession.has(key)) return false;
    await this.#pendingAnswers;
    const sameCommand = await this.#commandKey(argv ?? command ?? "", facts);
    if (verdict.effect === "allow" && this.#reportedByRule.has(sameCommand)) return false;
    // The user has allowed this very program and these arguments, which is more than a rule does.
    const isCovered = !isOutside && env.every(each => isHarmlessVariable(each) || each.name === "ELECTRON_RUN_AS_NODE");
    if (isCovered && this.#hasAnswer(sameCommand, isAskedByRule(verdict))) return false;

    const answer = await this.#ask(question, path, signal);
    if (verdict.effect === "allow") this.#reportedByRule.add(sameCommand);
    if (answer === "session") this.#allowedForSession.add(key);
    return true;
  }

  #refuseIfDenied(question: PermissionQuestion, { effect, rule, reason }: Verdict, path: string): void {
    if (effect !== "deny") return;
    if (rule) this.#options.onRefused(question, { option: refusal, by: describeRule(rule) });
    throw new Refusal("failed", reason, { path });
  }

  /** Asks, and resolves with the option that allows. */
  async #ask(question: PermissionQuestion, path: string, signal: AbortSignal): Promise<string> {
    const answer = await this.#options.askUser(question, signal);
    if (answer === "cancelled")
      throw new Refusal("cancelled", `The permission request for ${quotePath(path)} was cancelled.`);
    if (answer.option === refusal)
      throw new Refusal("failed", `The user did not allow this: ${question.title}.`, { path });
    return answer.option;
  }

  /** Whether the user's answer to the agent covers the request. `isUsedUp`: an answer that counts once is used up. */
  #hasAnswer(key: string, isUsedUp: boolean): boolean {
    const kind = this.#allowedByAnswer.get(key);
    if (isUsedUp && kind !== "allow_always") this.#allowedByAnswer.delete(key);
    return kind !== undefined;
  }

  /** A command that the user allowed once may run again until the turn ends, unless a rule asks about it. */
  endTurn(): void {
    for (const [key, kind] of this.#allowedByAnswer)
      if (key.startsWith(commandPrefix) && kind !== "allow_always") this.#allowedByAnswer.delete(key);
  }

  /** How the file is protected, by its own path and by the path that links lead to. */
  async #protectionOf({ path, located }: AccessRequest): Promise<Protection | undefined> {
    const { policy, exists } = this.#options;
    const listed = await policy.protectionOf([path, located.path]);
    if (listed === false || listed === "refuse") return listed || undefined;
    // Looking at another machine connects to it.
    if (!located.inside && located.path.startsWith("\\\\")) return listed;
    return (await isInGitFolder(located.path, policy.platform, exists)) ? "refuse" : listed;
  }

  /** Remembers the user's permission for the agent. */
  rememberAnswer({ question, answer, by }: AnsweredQuestion): void {
    if (answer === "cancelled" || question.subject) return;
    const kind = question.options.find(option => option.id === answer.option)?.kind ?? "";
    if (!kind.startsWith("allow")) return;
    // The card shows the command, or locations and diffs. The user did not see other paths in the raw input.
    const { rawInput: _, ...shown } = question.tool ?? {};
    const seen = question.tool?.kind === "execute" ? question : { ...question, tool: shown };
    const { policy } = this.#options;
    const stated = statedCommand(seen) ?? titleCommand(question);
    const evaluated = policy.evaluate(seen).then(async ({ facts }) => {
      const key = stated === undefined ? undefined : await this.#commandKey(stated, facts);
      if (by !== undefined) {
        // The transcript names the rule already. The rule itself decides again.
        if (key !== undefined) this.#reportedByRule.add(key);
        return;
      }
      await policy.rememberAllowed(facts);
      const paths = facts.command || key !== undefined ? [] : facts.paths;
      for (const path of paths) this.#allowedByAnswer.set(`${facts.kind ?? ""} ${path}`, kind);
      if (key !== undefined) this.#allowedByAnswer.set(key, kind);
    });
    this.#pendingAnswers = Promise.all([this.#pendingAnswers, evaluated]);
  }

  /** The same for every way to state a command in a folder. */
  async #commandKey(stated: StatedCommand, { cwd }: QuestionFacts): Promise<string> {
    const { policy, confinement } = this.#options;
    const folder = cwd ?? policy.workspaceFolder;
    // A path that cannot be resolved is another folder.
    const keyOf = (path: string): Promise<string | undefined> =>
      confinement.locate(path).then(
        ({ key }) => key,
        () => undefined,
      );
    const isFolder = async (path: string): Promise<boolean> => {
      const key = await keyOf(path);
      return key !== undefined && key === (await keyOf(folder));
    };
    return commandPrefix + (await commandIdentity(stated, { folder, platform: policy.platform, isFolder }));
  }
}

/** A rule asks about the request, so that the user is asked every time. */
const isAskedByRule = ({ effect, rule }: Verdict): boolean => effect === "ask" && rule !== undefined;

const commandPrefix = "run ";

/** Completes "Refused by rule:". */
const builtInGitRule = "files of git (built in, unless a rule of yours names the file)";

const gitRefusal = (path: string): string =>
  `${quotePath(path)} belongs to git, which can run programs that it names. Only a permission rule of the user with this path allows writing it.`;

const dangers: Readonly<Record<Protection, () => string>> = {
  refuse: () => t(", which belongs to git"),
  ask: () => t(", which can run programs by itself"),
  askOnce: () => t(", which agents follow as instructions"),
  askForBuild: () => t(", which can run programs with the next build"),
};

const titles: Readonly<Record<AccessRequest["operation"], (agent: string, place: string) => string>> = {
  read: (agent, place) => t("{0} wants to read {1}", agent, place),
  write: (agent, place) => t("{0} wants to write {1}", agent, place),
  run: (agent, place) => t("{0} wants to run a command in {1}", agent, place),
};

/** Whether a question is only about a file that agents follow. */
const isAboutInstructions = (
  { located }: AccessRequest,
  isSensitive: boolean,
  protection: Protection | undefined,
): boolean => protection === "askOnce" && !isSensitive && located.inside;

function questionOf(
  agent: string,
  request: AccessRequest,
  isSensitive: boolean,
  protection: Protection | undefined,
): PermissionQuestion {
  const { operation, path, located, command, argv, env } = request;
  const danger = isSensitive ? t(", which may hold secrets") : protection ? dangers[protection]() : "";
  const suffix = located.inside ? danger : t(", outside this workspace") + (protection ? dangers[protection]() : "");
  // If links are involved, rules may match either name.
  const paths = [
    ...new Set([...(operation === "run" ? [] : [located.path]), ...(path === located.path ? [] : [path])]),
  ];
  const subject: QuestionSubject = {
    kind: toolKinds[operation],
    ...(operation === "run" && { cwd: located.path }),
    ...(paths.length > 0 && { paths }),
    ...(command !== undefined && { command }),
    ...(argv && { argv }),
    // Masked here, because the question is stored in the session's log.
    ...(env && env.length > 0 && { env: env.map(({ name, value }) => ({ name, value: maskVariable(name, value) })) }),
  };
  const where = located.path === path ? path : `${path} (${located.path})`;
  const forSession =
    operation === "run"
      ? t("Allow This Command for This Session")
      : protection
        ? t("Allow This File for This Session")
        : t("Allow for This Session");
  const options = isAboutInstructions(request, isSensitive, protection)
    ? instructionOptions()
    : answerOptions(forSession);
  return { title: titles[operation](agent, where + suffix), options, subject };
}
