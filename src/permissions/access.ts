// Checks an agent's request for a file, a folder or a command, in addition to the confinement to the roots: applies
// rules that forbid, and asks about paths outside the workspace and likely secrets.
import { Refusal } from "../base/errors.ts";
import { maskVariable } from "../base/mask.ts";
import type { AgentClient, PermissionQuestion } from "../session/agent.ts";
import type { QuestionOption, QuestionSubject } from "../session/events.ts";
import { type Confinement } from "../files/paths.ts";
import { quotePath } from "../base/text.ts";
import type { AnsweredQuestion } from "./permissionBroker.ts";
import type { PermissionPolicy } from "./policy.ts";
import type { Verdict } from "./rules.ts";
import type { Gate, AccessRequest } from "../files/gate.ts";

export interface AccessOptions {
  readonly agentName: string;
  readonly confinement: Confinement;
  readonly policy: PermissionPolicy;
  /** How to treat paths outside the roots. */
  readonly outsideMode: () => "ask" | "refuse" | "allow";
  readonly askUser: AgentClient["requestPermission"];
  /** Called when a rule refused a request without asking. */
  readonly onRefused: (question: PermissionQuestion, verdict: Verdict) => void;
}

const toolKinds = { read: "read", write: "edit", run: "execute" } as const;
const answerOptions: readonly QuestionOption[] = [
  { id: "allow", name: "Allow Once", kind: "allow_once" },
  { id: "session", name: "Allow for This Session", kind: "allow_always" },
  { id: "refuse", name: "Refuse", kind: "reject_once" },
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
    const needsAnswer = isSensitive || mode === "ask";
    if (!needsAnswer && policy.isEmpty) return false;

    const question = questionOf(this.#options.agentName, request, isSensitive);
    const { verdict, facts } = await policy.evaluate(question);
    if (verdict.effect === "deny") {
      this.#options.onRefused(question, verdict);
      throw new Refusal("failed", verdict.reason, { path });
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
    if (answer.option === "refuse")
      throw new Refusal("failed", `The user did not allow this: ${question.title}.`, { path });
    if (verdict.effect === "allow") this.#reportedByRule.add(key);
    if (answer.option === "session") {
      this.#allowedForSession.add(key);
      if (operation === "write") this.#allowedForSession.add(`read ${located.key}`);
    }
    return true;
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

function questionOf(agent: string, request: AccessRequest, isSensitive: boolean): PermissionQuestion {
  const { operation, path, located, command, argv, env } = request;
  const suffix = located.inside ? (isSensitive ? ", which may hold secrets" : "") : ", outside this workspace";
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
  return { title: `${agent} wants to ${verb} ${where}${suffix}`, options: answerOptions, subject };
}
