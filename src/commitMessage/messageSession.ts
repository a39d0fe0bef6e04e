// A session of an agent that writes one text and is then thrown away. The Sessions view does not list it, it has no log, its
// agent gets no server and an empty folder, and every request of the agent is refused.
import { withTimeout } from "../base/async.ts";
import { asError, ProblemError, type Problem } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { Clock, Log } from "../base/log.ts";
import type { AgentConnector, PermissionQuestion } from "../session/agent.ts";
import type { InitialChoices } from "../session/choices.ts";
import type { QuestionAnswer, ToolKind } from "../session/events.ts";
import { refusedRequests } from "../session/refusedRequests.ts";
import { Session } from "../session/session.ts";
import type { SessionServices } from "../session/sessionServices.ts";
import { isBusy, openQuestions, type SessionState, type ToolEntry, type TurnSpending } from "../session/state.ts";
import { UnaskedTools } from "./unaskedTools.ts";

export interface MessageSessionOptions {
  readonly agent: { readonly id: string; readonly name: string };
  /** The folder that the agent works in. Nothing is in it. */
  readonly folder: string;
  readonly connection: AgentConnector;
  /** The model and other options that the agent gets. */
  readonly choices: InitialChoices;
  readonly newId: () => string;
  readonly clock: Clock;
  readonly log: Log;
}

export interface MessageRequest {
  readonly prompt: string;
  /** Gets what the agent has written so far, whenever it has written more. */
  readonly onText: (text: string) => void;
  /** Ends the work of the agent. */
  readonly signal: AbortSignal;
}

/** What is left when the session has ended. */
export interface EndedMessageSession {
  readonly spending: readonly TurnSpending[];
  /** The agent's ids of its sessions. */
  readonly agentSessions: readonly string[];
}

/** The text, and what is left once the session has ended. */
export interface MessageRun {
  /** Rejects with a ProblemError, and with the reason of the signal when it aborts. */
  readonly text: Promise<string>;
  /** Resolves when the session has ended. Never rejects. */
  readonly ended: Promise<EndedMessageSession>;
}

/** The agent gets this much time to write, once it is connected (ms). */
export const maxWritingTime = 120_000;
/** An agent that was stopped gets this much time to end its turn, so that its usage is counted (ms). */
const maxStopWait = 3000;

/** These tools only read, and the agent may show what they read in the message. */
const reading: ReadonlySet<string> = new Set<ToolKind>(["read", "search", "fetch"]);

/** Asks the agent for a text. */
export function runMessageSession(options: MessageSessionOptions, request: MessageRequest): MessageRun {
  const tools = new UnaskedTools(options.clock);
  const session: Session = new Session({
    id: options.newId(),
    agent: options.agent,
    workspaceFolder: options.folder,
    ...{ clock: options.clock, log: options.log, newId: options.newId, connection: options.connection },
    createServices: () => refusingServices(tools),
    initialChoices: () => withoutMode(session.state, options.choices),
  });
  const text = write(session, tools, options, request);
  const ended = text
    .then(
      () => {},
      () => stopTurn(session, options.clock),
    )
    .then(() => end(session));
  return { text, ended };
}

function write(
  session: Session,
  tools: UnaskedTools,
  { agent, clock }: MessageSessionOptions,
  { prompt, onText, signal }: MessageRequest,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let timer: { dispose(): void } | undefined;
    let shown = "";
    const settle = (run: () => void): void => {
      listening.dispose();
      tools.dispose();
      timer?.dispose();
      signal.removeEventListener("abort", abort);
      run();
    };
    const fail = (error: Error): void => settle(() => reject(error));
    const abort = (): void => fail(asError(signal.reason));
    const check = (state: SessionState): void => {
      const used = tools.find(state, isOver(state));
      const problem = problemOf(state) ?? (used && toolProblem(used, agent.name));
      if (problem) return fail(new ProblemError(problem));
      answerForms(session, state);
      if (state.choices.some(({ status }) => status === "refused")) queueMicrotask(() => waiveChoices(session));
      const text = lastText(state);
      if (text !== shown) onText((shown = text));
      if (state.connection?.state === "ready")
        timer ??= clock.after(maxWritingTime, () => {
          const message = t("{0} did not finish the message within {1} seconds.", agent.name, maxWritingTime / 1000);
          fail(new ProblemError({ message, next: [] }));
        });
      if (isOver(state)) {
        const end = endProblem(state, text, agent.name);
        if (end) fail(new ProblemError(end));
        else settle(() => resolve(text));
      }
    };
    const listening = session.onDidChange(check);
    tools.onDidExpire(() => check(session.state));
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    session.send([{ type: "text", text: prompt }]);
  });
}

/** Nothing of the session goes on. */
async function end(session: Session): Promise<EndedMessageSession> {
  const { spending, agentSessions } = session.state;
  session.dispose();
  return { spending: spending.turns, agentSessions: agentSessions.filter(id => id !== null) };
}

/** Resolves when the agent has ended its turn, or has had the time for it. */
async function stopTurn(session: Session, clock: Clock): Promise<void> {
  if (!isBusy(session.state)) return;
  let listening: { dispose(): void } | undefined;
  const stopped = new Promise<void>(resolve => {
    listening = session.onDidChange(state => {
      if (!isBusy(state)) resolve();
    });
  });
  session.stop();
  await withTimeout(stopped, maxStopWait, () => undefined, clock);
  listening?.dispose();
}

const isOver = (state: SessionState): boolean =>
  state.pendingPrompts.length === 0 && !isBusy(state) && state.activity.stopReason !== undefined;

/** Why the agent cannot go on. */
function problemOf({ lost, signIn, entries }: SessionState): Problem | undefined {
  const refused = signIn ?? lost;
  if (refused) return refused;
  for (const entry of entries) if (entry.kind === "problem") return entry.problem;
  return undefined;
}

/** What the user has to know about a tool that was used without asking. */
function toolProblem({ kind, title = "" }: ToolEntry["fields"], name: string): Problem {
  const message =
    kind !== undefined && reading.has(kind)
      ? t("{0} used a tool without asking: “{1}”. Parley has ended its session.", name, title)
      : t(
          "{0} used a tool without asking: “{1}”. Parley has ended its session. Check what it has changed.",
          name,
          title,
        );
  return { message, next: [] };
}

/** Why the turn led to no message. */
function endProblem({ activity }: SessionState, text: string, name: string): Problem | undefined {
  const sentence = (message: string): Problem => ({ message, next: [] });
  switch (activity.stopReason) {
    case "refusal":
      return sentence(t("{0} refused to write the message.", name));
    case "cancelled":
      return sentence(t("{0} has cancelled its work.", name));
    case "max_tokens":
    case "max_turn_requests":
      return sentence(t("{0} reached its limit before the message was complete.", name));
    case "error":
      return sentence(t("{0} failed to write the message.", name));
    default:
      return text.trim() === "" ? sentence(t("{0} wrote no message.", name)) : undefined;
  }
}

/** The latest message of the agent. What it wrote before it tried a tool is no part of the text. */
function lastText({ entries }: SessionState): string {
  const last = entries.findLast(
    entry => entry.kind === "message" && entry.author === "agent" && entry.parent === undefined,
  );
  if (last?.kind !== "message") return "";
  return last.content.map(block => (block.type === "text" ? block.text : "")).join("");
}

/** Forms and web addresses wait for a user, and nobody sees them. */
function answerForms(session: Session, state: SessionState): void {
  const open = openQuestions(state);
  if (open.length > 0) queueMicrotask(() => open.forEach(({ id }) => session.forms.decline(id)));
}

function waiveChoices(session: Session): void {
  if (session.state.choices.some(({ status }) => status === "refused")) session.sendAnyway();
}

/** The mode of the user can let the agent work without asking, so the session keeps the agent's own. */
function withoutMode({ options }: SessionState, { defaults, last }: InitialChoices): InitialChoices {
  const kept = new Set(
    options.filter(({ category }) => category === "model" || category === "thought_level").map(({ id }) => id),
  );
  const filtered = (choices: InitialChoices["last"]): InitialChoices["last"] =>
    Object.fromEntries(Object.entries(choices).filter(([id]) => kept.has(id)));
  return { defaults: filtered(defaults), last: filtered(last) };
}

const refusal =
  "This session only writes a text. It has no access to files, terminals or the user. Answer with the text.";

/** Everything that an agent may ask for is refused. */
function refusingServices(tools: UnaskedTools): SessionServices {
  return {
    requestPermission: question => {
      tools.asked(question.toolCallId);
      return Promise.resolve(rejection(question));
    },
    answer: () => {},
    cancelQuestions: () => {},
    question: () => undefined,
    endTerminals: () => {},
    ...refusedRequests(refusal),
    dispose: () => {},
  };
}

/** Agents end their turn after `cancelled`, and go on after a rejection. */
function rejection({ options }: PermissionQuestion): QuestionAnswer {
  const reject =
    options.find(({ kind }) => kind === "reject_once") ?? options.find(({ kind }) => kind === "reject_always");
  return reject ? { option: reject.id } : "cancelled";
}
