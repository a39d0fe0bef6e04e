// Checks an agent's request for a file, a folder or a command, in addition to the confinement to the roots: applies
// rules that forbid, and asks about paths outside the workspace, likely secrets, and files that programs run.
import { Refusal } from "../base/errors.ts";
import { maskVariable } from "../base/mask.ts";
import type { AgentClient, PermissionQuestion } from "../session/agent.ts";
import type { QuestionOption, QuestionSubject } from "../session/events.ts";
import { type Confinement } from "../files/paths.ts";
import { quotePath } from "../base/text.ts";
import type { AnsweredQuestion, PolicyAnswer } from "./permissionBroker.ts";
import { isInGitFolder, type PathExists } from "./gitFolders.ts";
import type { PermissionPolicy } from "./policy.ts";
import { strongestProtection, type Protection } from "./protectedFiles.ts";
import { describeRule } from "./rules.ts";
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
  { id: "allow", name: "Allow Once", kind: "allow_once" },
  { id: "session", name: session, kind: "allow_always" },
  { id: refusal, name: "Refuse", kind: "reject_once" },
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
   * Requests that the user allowed when the agent asked, with the kind of the answer: "once" is used up by one request.
   */
  readonly #allowedByAnswer = new Map<string, string>();
  #pendingAnswers: Promise<unknown> = Promise.resolve();

  constructor(options: AccessOptions) {
    this.#options = options;
  }

  async admit(request: AccessRequest, signal: AbortSignal = neverAborted): Promise<boolean> {
    const { policy, confinement } = this.#options;
    const { operation, path, located } = request;
    const isSensitive = operation !== "run" && (policy.isSensitive(path) || policy.isSensitive(located.path));
    const mode = located.inside ? "allow" : this.#options.outsideMode();
    if (mode === "refuse") throw confinement.outsideRefusal(path);
    const protection = operation === "write" ? await this.#protectionOf(request) : undefined;
    const needsAnswer = isSensitive || protection !== undefined || mode === "ask";
    if (!needsAnswer && policy.isEmpty) return false;

    const question = questionOf(this.#options.agentName, request, isSensitive, protection);
    const { verdict, facts } = await policy.evaluate(question, protection !== undefined);
    if (verdict.effect === "deny") {
      if (verdict.rule) this.#options.onRefused(question, { option: refusal, by: describeRule(verdict.rule) });
      throw new Refusal("failed", verdict.reason, { path });
    }
    if (protection === "refuse" && verdict.effect !== "allow") {
      this.#options.onRefused(question, {
        option: refusal,
        by: "only a rule with its path allows writing a file of git",
      });
      throw new Refusal("failed", gitRefusal(path), { path });
    }
    const asksByRule = verdict.effect === "ask" && verdict.rule !== undefined;
    if (!needsAnswer && !asksByRule) return false;
    const ruled = operation === "run" && asksByRule ? ` ${request.command ?? ""}` : "";
    const key = `${operation} ${located.key}${ruled}`;
    if (this.#allowedForSession.has(key) || (verdict.effect === "allow" && this.#reportedByRule.has(key))) return false;
    await this.#pendingAnswers;
    const keys = keysOf(toolKinds[operation], facts.command?.line, [path]);
    if (mode !== "ask" && keys.every(one => this.#allowedByAnswer.has(one))) {
      for (const one of keys) if (this.#allowedByAnswer.get(one) !== "allow_always") this.#allowedByAnswer.delete(one);
      return false;
    }

    const answer = await this.#options.askUser(question, signal);
    if (answer === "cancelled")
      throw new Refusal("cancelled", `The permission request for ${quotePath(path)} was cancelled.`);
    if (answer.option === refusal)
      throw new Refusal("failed", `The user did not allow this: ${question.title}.`, { path });
    if (verdict.effect === "allow") this.#reportedByRule.add(key);
    if (answer.option === "session") {
      this.#allowedForSession.add(key);
      if (operation === "write") this.#allowedForSession.add(`read ${located.key}`);
    }
    return true;
  }

  /** How the file is protected, by its own path and by the path that links lead to. */
  async #protectionOf({ path, located }: AccessRequest): Promise<Protection | undefined> {
    const { policy, exists } = this.#options;
    const listed = strongestProtection([policy.protectionOf(path), policy.protectionOf(located.path)]);
    if (listed === false || listed === "refuse") return listed || undefined;
    // Looking at another machine connects to it.
    if (!located.inside && located.path.startsWith("\\\\")) return listed;
    return (await isInGitFolder(located.path, policy.platform, exists)) ? "refuse" : listed;
  }

  /** Remembers the user's permission for the agent. */
  rememberAnswer({ question, answer, by }: AnsweredQuestion): void {
    if (answer === "cancelled" || by !== undefined || question.subject) return;
    const kind = question.options.find(option => option.id === answer.option)?.kind ?? "";
    if (!kind.startsWith("allow")) return;
    // The card shows the command, or locations and diffs. The user did not see other paths in the raw input.
    const { rawInput: _, ...shown } = question.tool ?? {};
    const seen = question.tool?.kind === "execute" ? question : { ...question, tool: shown };
    const evaluated = this.#options.policy.evaluate(seen).then(({ facts }) => {
      for (const one of keysOf(facts.kind ?? "", facts.command?.line, facts.paths))
        this.#allowedByAnswer.set(one, kind);
    });
    this.#pendingAnswers = Promise.all([this.#pendingAnswers, evaluated]);
  }
}

const keysOf = (kind: string, line: string | undefined, paths: readonly string[]): readonly string[] =>
  line === undefined ? paths.map(path => `${kind} ${path}`) : [`${kind} ${line}`];

const gitRefusal = (path: string): string =>
  `${quotePath(path)} belongs to git, which can run programs that it names. Only a permission rule of the user with this path allows writing it.`;

const dangers: Readonly<Record<Protection, string>> = {
  refuse: ", which belongs to git",
  ask: ", which can run programs by itself",
  askForBuild: ", which can run programs with the next build",
};

function questionOf(
  agent: string,
  request: AccessRequest,
  isSensitive: boolean,
  protection: Protection | undefined,
): PermissionQuestion {
  const { operation, path, located, command, argv, env } = request;
  const danger = isSensitive ? ", which may hold secrets" : protection ? dangers[protection] : "";
  const suffix = located.inside ? danger : `, outside this workspace${protection ? dangers[protection] : ""}`;
  const verb = { read: "read", write: "write", run: "run a command in" }[operation];
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
  const options = answerOptions(protection ? "Allow This File for This Session" : "Allow for This Session");
  return { title: `${agent} wants to ${verb} ${where}${suffix}`, options, subject };
}
