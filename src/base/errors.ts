// Errors a user can act on. Each is a named function, so the sentences stand in one place.

/** A step the panel can offer beside a problem; the panel names and runs it. */
export type NextStep =
  | "retry"
  | "restartAgent"
  | "selectAgent"
  | "openSettings"
  | "showLog"
  | "showTraffic"
  | "manageTrust"
  | "openFolder"
  | "newSession";

/** A failure as the user sees it: what happened and why, what was printed, what to do. Plain text, no Markdown. */
export interface Problem {
  readonly message: string;
  /** What the agent printed last, or technical detail. Several lines. */
  readonly detail?: string;
  /** A command line the user may run in a terminal, such as a sign-in. */
  readonly command?: string;
  readonly next: readonly NextStep[];
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

/** The value as an Error, whatever was thrown. */
export function asError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  if (typeof thrown === "string") return new Error(thrown);
  try {
    return new Error(JSON.stringify(thrown));
  } catch {
    return new Error(String(thrown)); // Not everything can be written as JSON.
  }
}

/** The problem of any thrown value; one we did not foresee points at the log. */
export function asProblem(thrown: unknown): Problem {
  if (thrown instanceof ProblemError) return thrown.problem;
  const error = asError(thrown);
  return { message: error.message === "" ? "Something went wrong." : error.message, next: ["showLog"] };
}

/** For the default branch of an exhaustive switch at run time. */
export function unreachable(value: never): Error {
  return new Error(`Unexpected value: ${JSON.stringify(value)}`);
}

/** Why a request of the agent was not served. `acp/` turns it into an error code. */
export type RefusalKind = "notFound" | "invalid" | "failed" | "cancelled";

/** An agent's request that was not served. The message goes to the agent, so it says what to do instead. */
export class Refusal extends Error {
  readonly kind: RefusalKind;
  /** Details for the agent, as JSON: the path of a missing file, for example. */
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
