// What stands between an agent's request and a file, a folder or a command, beside the fence of the roots: rules that
// forbid, and questions about what lies outside or looks like a secret.
import { Refusal } from "../base/errors.ts";
import { maskedValue } from "../base/mask.ts";
import type { AgentClient, PermissionQuestion } from "../session/agent.ts";
import type { AskOption, AskSubject } from "../session/events.ts";
import { type Confinement } from "../files/paths.ts";
import { quoted } from "../base/text.ts";
import type { Decided } from "./permissionBroker.ts";
import type { PermissionPolicy } from "./policy.ts";
import type { Verdict } from "./rules.ts";
import type { Gate, AccessRequest } from "../files/gate.ts";

export interface AccessOptions {
  readonly agentName: string;
  readonly confinement: Confinement;
  readonly policy: PermissionPolicy;
  /** What happens outside the roots. */
  readonly outside: () => "ask" | "refuse" | "allow";
  readonly ask: AgentClient["requestPermission"];
  /** Told of what a rule refused without asking. */
  readonly refused: (question: PermissionQuestion, verdict: Verdict) => void;
}

const kinds = { read: "read", write: "edit", run: "execute" } as const;
const options: readonly AskOption[] = [
  { id: "allow", name: "Allow Once", kind: "allow_once" },
  { id: "session", name: "Allow for This Session", kind: "allow_always" },
  { id: "refuse", name: "Refuse", kind: "reject_once" },
];
const never = new AbortController().signal;

/** One session's gate. */
export class Access implements Gate {
  readonly #options: AccessOptions;
  /** What was allowed for this session. */
  readonly #granted = new Set<string>();
  /** What a rule allowed and the transcript tells already. It counts while the rule stands. */
  readonly #shown = new Set<string>();
  /** What the user allowed when the agent asked, by the kind of the answer: "once" is used up by one request. */
  readonly #answered = new Map<string, string>();
  #remembering: Promise<unknown> = Promise.resolve();

  constructor(options: AccessOptions) {
    this.#options = options;
  }

  async admit(request: AccessRequest, signal: AbortSignal = never): Promise<boolean> {
    const { policy, confinement } = this.#options;
    const { operation, path, located } = request;
    const isSensitive = operation !== "run" && (policy.isSensitive(path) || policy.isSensitive(located.path));
    const mode = located.inside ? "allow" : this.#options.outside();
    if (mode === "refuse") throw confinement.outside(path);
    const needsAnswer = isSensitive || mode === "ask";
    if (!needsAnswer && policy.isEmpty) return false;

    const question = questionOf(this.#options.agentName, request, isSensitive);
    const { verdict, facts } = await policy.judge(question);
    if (verdict.effect === "deny") {
      this.#options.refused(question, verdict);
      throw new Refusal("failed", verdict.reason, { path });
    }
    const asksByRule = verdict.effect === "ask" && verdict.rule !== undefined;
    if (!needsAnswer && !asksByRule) return false;
    const ruled = operation === "run" && asksByRule ? ` ${request.command ?? ""}` : "";
    const key = `${operation} ${located.key}${ruled}`;
    if (this.#granted.has(key) || (verdict.effect === "allow" && this.#shown.has(key))) return false;
    await this.#remembering;
    const keys = keysOf(kinds[operation], facts.command?.line, [path]);
    if (mode !== "ask" && keys.every(one => this.#answered.has(one))) {
      for (const one of keys) if (this.#answered.get(one) !== "allow_always") this.#answered.delete(one);
      return false;
    }

    const answer = await this.#options.ask(question, signal);
    if (answer === "cancelled") throw new Refusal("cancelled", `Nobody answered whether ${quoted(path)} may be used.`);
    if (answer.option === "refuse")
      throw new Refusal("failed", `The user did not allow this: ${question.title}.`, { path });
    if (verdict.effect === "allow") this.#shown.add(key);
    if (answer.option === "session") {
      this.#granted.add(key);
      if (operation === "write") this.#granted.add(`read ${located.key}`);
    }
    return true;
  }

  /** Remembers what the user allowed the agent. */
  remember({ question, answer, by }: Decided): void {
    if (answer === "cancelled" || by !== undefined || question.subject) return;
    const kind = question.options.find(option => option.id === answer.option)?.kind ?? "";
    if (!kind.startsWith("allow")) return;
    // The card shows the command, or places and diffs: what else the raw input names was not seen.
    const { rawInput: _, ...shown } = question.tool ?? {};
    const seen = question.tool?.kind === "execute" ? question : { ...question, tool: shown };
    const judged = this.#options.policy.judge(seen).then(({ facts }) => {
      for (const one of keysOf(facts.kind ?? "", facts.command?.line, facts.paths)) this.#answered.set(one, kind);
    });
    this.#remembering = Promise.all([this.#remembering, judged]);
  }
}

const keysOf = (kind: string, line: string | undefined, paths: readonly string[]): readonly string[] =>
  line === undefined ? paths.map(path => `${kind} ${path}`) : [`${kind} ${line}`];

function questionOf(agent: string, request: AccessRequest, isSensitive: boolean): PermissionQuestion {
  const { operation, path, located, command, argv, env } = request;
  const why = located.inside ? (isSensitive ? ", which may hold secrets" : "") : ", outside this workspace";
  const verb = { read: "read", write: "write", run: "run a command in" }[operation];
  // With links on the way, rules know it by either name.
  const paths = [
    ...new Set([...(operation === "run" ? [] : [located.path]), ...(path === located.path ? [] : [path])]),
  ];
  const subject: AskSubject = {
    kind: kinds[operation],
    ...(operation === "run" && { cwd: located.path }),
    ...(paths.length > 0 && { paths }),
    ...(command !== undefined && { command }),
    ...(argv && { argv }),
    // Masked here already: the question goes into the session's log.
    ...(env && env.length > 0 && { env: env.map(({ name, value }) => ({ name, value: maskedValue(name, value) })) }),
  };
  const where = located.path === path ? path : `${path} (${located.path})`;
  return { title: `${agent} wants to ${verb} ${where}${why}`, options, subject };
}
