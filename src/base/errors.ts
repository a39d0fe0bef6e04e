// Errors for users and for agents.
import { t } from "./l10n.ts";

/** The actions that the panel can offer with a problem. */
export const nextSteps = [
  "retry",
  "restartAgent",
  "selectAgent",
  "openSettings",
  "showLog",
  "showTraffic",
  "checkAgent",
  "manageTrust",
  "openFolder",
  "newSession",
  "exportSession",
  /** Continues the conversation in a new session, with an agent that the user selects. */
  "continueWith",
  /** Starts the agent although the set-up of its worktree failed. */
  "startAnyway",
  /** Lets Parley speak the draft of the next version of the protocol with the agent. */
  "useDraftProtocol",
  /** Asks for a header that signs in to the server of the agent. */
  "setAgentHeader",
] as const;
export type NextStep = (typeof nextSteps)[number];

/** A way to sign in, offered as a button. */
export interface SignInOption {
  /** The agent's id of the method. */
  readonly id: string;
  readonly name: string;
  readonly description?: string;
}

/** A failure as shown to the user: what happened and why, details, and what to do. Plain text, no Markdown. */
export interface Problem {
  readonly message: string;
  /** The end of the output of the agent, or technical details. Several lines. */
  readonly detail?: string;
  /** A command line that the user may run in a terminal, such as one that signs in. */
  readonly command?: string;
  readonly next: readonly NextStep[];
  /** The agent can be reached again soon, so Parley connects to it again by itself. */
  readonly reconnects?: true;
  /** The agent needs the user to sign in, in one of these ways. */
  readonly signIn?: readonly SignInOption[];
}

/** An error that carries its {@link Problem}. */
export class ProblemError extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.message);
    this.name = "ProblemError";
    this.problem = problem;
  }
}

/** The thrown value as an Error. */
export function asError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  if (typeof thrown === "string") return new Error(thrown);
  try {
    return new Error(JSON.stringify(thrown));
  } catch {
    return new Error(String(thrown)); // Not every value can be converted to JSON.
  }
}

/** The problem for any thrown value. For unexpected errors it refers to the log. */
export function asProblem(thrown: unknown): Problem {
  if (thrown instanceof ProblemError) return thrown.problem;
  const error = asError(thrown);
  return { message: error.message === "" ? t("Something went wrong.") : error.message, next: ["showLog"] };
}

/** For the default branch of an exhaustive switch. */
export function unreachable(value: never): Error {
  return new Error(`Unexpected value: ${JSON.stringify(value)}`);
}

/** Why a request of the agent was refused. `acp/` maps it to an error code. */
export type RefusalKind = "notFound" | "invalid" | "failed" | "cancelled";

/** A refused request of an agent. The message is sent to the agent, so it should say what to do instead. */
export class Refusal extends Error {
  readonly kind: RefusalKind;
  /** Details for the agent as JSON, for example the path of a missing file. */
  readonly data: unknown;
  constructor(kind: RefusalKind, message: string, data?: unknown) {
    super(message);
    this.name = "Refusal";
    this.kind = kind;
    this.data = data;
  }
}

/** The error code of a failed system call, such as `ENOENT`. */
export function errorCodeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== "object" || thrown === null || !("code" in thrown)) return undefined;
  return typeof thrown.code === "string" ? thrown.code : undefined;
}

/** Whether a system call failed because there is no file or folder at the path. */
export function isNotFoundError(thrown: unknown): boolean {
  const code = errorCodeOf(thrown);
  return code === "ENOENT" || code === "ENOTDIR";
}
