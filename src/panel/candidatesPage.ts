// The boundary between the page that compares candidates, an editor tab, and the extension host.
import type { Money } from "../base/money.ts";
import { isMessageOf, isString, type Fields, type MessageOf } from "../base/validators.ts";

/**
 * What a candidate does. `held`: its prompt waits until the user sends it. `closed`: no window has its session open.
 * `removed`: its worktree no longer exists.
 */
export type CandidateState =
  | "starting"
  | "held"
  | "signIn"
  | "working"
  | "waiting"
  | "done"
  | "stopped"
  | "failed"
  | "closed"
  | "removed";

/** An option of the agent, such as its model, that can be chosen before the prompt is sent. */
export interface CandidateOption {
  readonly id: string;
  readonly name: string;
  readonly value: string;
  readonly choices: readonly { readonly value: string; readonly name: string }[];
}

/** What a candidate changes of the base. */
export interface CandidateTotals {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
}

/** How the check ended. */
export interface CandidateCheck {
  readonly command: string;
  readonly outcome: "passed" | "failed" | "stopped" | "timeout" | "unknown";
  readonly exitCode?: number;
  /** In ms. */
  readonly duration: number;
  readonly output: string;
  /** The agent has worked since. */
  readonly isOutdated?: true;
}

/** A candidate, as the page shows it. */
export interface CandidateRow {
  /** The id of its session. */
  readonly session: string;
  readonly name: string;
  readonly branch: string;
  readonly state: CandidateState;
  /** Why it failed, as a sentence. */
  readonly reason?: string;
  /** The names of the model and the mode. */
  readonly choices: readonly string[];
  /** What can be chosen now. Empty unless the prompt is held. */
  readonly options: readonly CandidateOption[];
  /** How long its turns took, without the one that runs. In ms. Absent: not known. */
  readonly worked?: number;
  /** When the running turn began, ms since the epoch. */
  readonly since?: number;
  /** Absent: the agent reports none. */
  readonly tokens?: number;
  readonly costs: readonly Money[];
  /** Absent: not known yet. A text says why git could not compare. */
  readonly changes?: CandidateTotals | string;
  /** The number of errors that VS Code reports in changed files and not in the same files of the main checkout. */
  readonly problems?: number;
  /** When the running check began, ms since the epoch. */
  readonly checkSince?: number;
  readonly check?: CandidateCheck;
}

/** The candidates of one prompt. */
export interface CandidatesView {
  /** The first line of the prompt. */
  readonly title: string;
  /** The first digits of the id of the commit on which all branches began. */
  readonly base: string;
  /** The command of the check. Empty: the user has set none. */
  readonly command: string;
  readonly rows: readonly CandidateRow[];
}

/** What the extension host sends to the page. */
export type CandidatesMessage =
  | { readonly type: "candidates"; readonly view: CandidatesView }
  /** Something that the user wanted could not be done. A sentence. */
  | { readonly type: "problem"; readonly problem: string };

const session = { session: isString };

/** Every intent of the page. */
const candidatesIntents = {
  ready: {},
  /** Sends the held prompts. */
  send: {},
  setOption: { ...session, option: isString, value: isString },
  showChat: session,
  showChanges: session,
  /** Compares it with another candidate, which the host asks for if there are several. */
  compareWith: session,
  /** Shows one file of all candidates, which the host asks for. */
  compareFile: {},
  /** Runs the checks of all candidates. */
  runChecks: {},
  runCheck: session,
  stopCheck: session,
  setCheckCommand: {},
  bringBack: session,
  goOn: session,
  removeOthers: session,
} as const satisfies Readonly<Record<string, Fields>>;

export type CandidatesIntent = MessageOf<typeof candidatesIntents>;

/** Whether a message of the page is an intent. */
export const isCandidatesIntent = isMessageOf(candidatesIntents);
