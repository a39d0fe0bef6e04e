// Prompts on their way, activity, connection and loss of the agent, and the effects of the end of a turn.
import { jsonEqual } from "../base/jsonEqual.ts";
import { t } from "../base/l10n.ts";
import { endBackground, reportBackground } from "./background/background.ts";
import type { ConnectionState, SessionEvent, StopReason } from "./events.ts";
import { canAttachTo } from "./opening/canAttach.ts";
import { findMessage } from "./messages.ts";
import { isPlanDone } from "./planProgress.ts";
import { unansweredTurn } from "./silence.ts";
import { closeOpenTools, closeSubAgents } from "./toolCalls.ts";
import {
  hasConversation,
  isBusy,
  isHeld,
  messageKey,
  type AwaitedTurn,
  type Entry,
  type Notice,
  type ProblemEntry,
  type SessionState,
  type PendingPrompt,
  type TurnEnd,
} from "./state.ts";
import { withSpending } from "./spending.ts";
import { turnBegin, withTurnSummary } from "./turnSummary.ts";

/**
 * Whether the agent worked on a turn before the change and no longer does after it. A prompt that the agent gives back
 * began no turn.
 */
export function turnEnded(before: SessionState, after: SessionState): boolean {
  if (before.activity === after.activity || after.activity.state !== "idle") return false;
  return before.activity.state !== "idle" || (isBusy(before) && !isBusy(after));
}

/** Whether the agent began to work on a turn. */
export const turnBegan = ({ activity: before }: SessionState, { activity: after }: SessionState): boolean =>
  before.state === "idle" && after.state !== "idle";

type Activity = Extract<SessionEvent, { type: "activity" }>;

/**
 * Applies an activity report. It is a snapshot, so repeating it changes nothing. Going idle ends the turn. An idle agent
 * that repeats the reason of its last turn ends none, and neither does one that reports its background work.
 */
export function setActivity(before: SessionState, event: Activity, at: number): SessionState {
  const state = reportBackground(before, event.background, at);
  const was = state.activity;
  const held = state.awaitedTurns.filter(({ id }) => isHeldTurn(state, id));
  const accepted = state.awaitedTurns.find(({ id }) => !isHeldTurn(state, id))?.id;
  // Parley ends the turn of an accepted prompt. One that the agent holds has none yet.
  const endsTurn = event.byParley ? accepted !== undefined : endsUnreportedTurn(state, event);
  if (was.state === event.state && !endsTurn) return withReportedReason(state, event);
  const activity = {
    state: event.state,
    since: at,
    ...(event.stopReason !== undefined && { stopReason: event.stopReason }),
  };
  if (event.state !== "idle") {
    if (was.state !== "idle") return { ...state, activity };
    // An agent that continues the session goes on with the turn that was interrupted. The turn of an accepted prompt begins
    // with the prompt. One that the agent holds can have begun it, too, or another client, or the agent by itself: that
    // is known when the agent accepts the prompt.
    const isContinued =
      state.connection?.state === "opening" && (was.stopReason === "cancelled" || was.stopReason === "lost");
    const turn = isContinued
      ? {}
      : accepted !== undefined
        ? { turnPrompt: accepted, awaitedTurns: held }
        : // While the session opens, the agent repeats the calls of a turn before it reports that the turn runs.
          {
            turnPrompt: null,
            turnStart: state.connection?.state === "opening" ? state.turnStart : state.entries.length,
          };
    const begun = { ...state, activity, ...turn, reportsTurns: true, turnUsage: null, signIn: null };
    const timed = isContinued ? begun : { ...begun, turnBegin: turnBegin(state, at) };
    return withoutFinishedPlans(isContinued ? withoutTurnEnd(timed) : timed);
  }
  const { stopReason, forgotten = false } = event;
  const turnPrompt = was.state === "idle" ? (accepted ?? null) : state.turnPrompt;
  const awaitedTurns = held.map(({ isSteered: _, ...rest }) => rest);
  const ended = {
    ...{ ...state, activity, turnPrompt, awaitedTurns, stopIgnored: false },
    turnUsage: event.usage ?? null,
    agentForgot: state.agentForgot || forgotten,
    needsConversation: state.needsConversation && !wasRead(state, turnPrompt, stopReason),
  };
  const isStopped = state.cancelling;
  const after = endTurn(withStopOver(withReportedReason(ended, event)), event, { at, isStopped });
  if (event.unsent) return after;
  const begin = was.state === "idle" ? undefined : state.turnBegin;
  // An agent can report the end of a turn twice.
  const counted = begin || accepted !== undefined ? withSpending(after, begin, at) : after;
  return withTurnSummary(counted, begin, at);
}

/** The state in which the turn goes on that Parley cancelled because the window or the process ended. */
function withoutTurnEnd(state: SessionState): SessionState {
  const { entries, turnStart } = state;
  for (let at = entries.length - 1; at >= turnStart; at--) {
    const entry = entries.at(at);
    if (entry?.kind === "turnEnd" && entry.unrequested)
      return { ...state, entries: entries.put({ ...entry, over: true }) };
  }
  return state;
}

const withReportedReason = (state: SessionState, { stopReason, byParley }: Activity): SessionState =>
  stopReason === undefined || byParley || (stopReason === state.reportedReason && !state.mayReportEarlierEnd)
    ? state
    : { ...state, reportedReason: stopReason, mayReportEarlierEnd: false };

/**
 * Whether an idle agent that is idle again has ended the turn of an accepted prompt, and has not reported that it began. An
 * agent that reports the begin of turns should do so for each, and may repeat the reason of the last one, which ends none.
 */
function endsUnreportedTurn(state: SessionState, { state: activity, stopReason }: Activity): boolean {
  if (activity !== "idle" || stopReason === undefined) return false;
  // A prompt that Stop ends has no begin.
  const isEarlier = state.mayReportEarlierEnd === true && stopReason !== "cancelled";
  if (state.reportsTurns && (isEarlier || stopReason === state.reportedReason)) return false;
  // An agent that ended a stopped turn early can report that end again after it has accepted the next prompt.
  if (stopReason === "cancelled" && state.reportedReason === "cancelled" && !state.cancelling) return false;
  return state.awaitedTurns.some(({ id }) => !isHeldTurn(state, id));
}

/** Whether the agent holds the prompt with this id. */
const isHeldTurn = ({ pendingPrompts }: SessionState, prompt: string): boolean =>
  pendingPrompts.some(each => each.id === prompt && isHeld(each));

/** The user pressed Stop, which also ends the prompts that the agent holds. */
export function requestCancel(state: SessionState, at: number): SessionState {
  const isNew = ({ isStopped }: AwaitedTurn): boolean => !isStopped;
  if (state.cancelling && !state.awaitedTurns.some(isNew)) return state;
  const awaitedTurns = state.awaitedTurns.map(each => ({ ...each, isStopped: true as const }));
  return closeOpenTools({ ...state, cancelling: true, awaitedTurns }, at);
}

/** The state without Stop if no turn and no prompt is left that it has to end. */
function withStopOver(state: SessionState): SessionState {
  const isStopping = state.activity.state !== "idle" || state.awaitedTurns.some(({ isStopped }) => isStopped);
  return isStopping || !state.cancelling ? state : { ...state, cancelling: false, stopIgnored: false };
}

/** Whether the agent keeps the prompt. It keeps none that it refused, and may not have read one that failed. */
function wasRead({ entries, accepts }: SessionState, id: string | null, stopReason: StopReason | undefined): boolean {
  if (id === null || stopReason === "error" || stopReason === "refusal") return false;
  const prompt = entries.findLast(entry => entry.kind === "message" && entry.submission === id);
  return prompt?.kind === "message" && canAttachTo(prompt.content, accepts);
}

/** A finished plan stays until the next turn begins. */
function withoutFinishedPlans(state: SessionState): SessionState {
  const plans = new Map([...state.plans].filter(([, plan]) => !isPlanDone(plan)));
  return plans.size === state.plans.size ? state : { ...state, plans };
}

/** `isStopped`: the user pressed Stop. */
function endTurn(
  state: SessionState,
  event: Activity,
  { at, isStopped }: { readonly at: number; readonly isStopped: boolean },
): SessionState {
  const next = closeOpenTools(state, at);
  // The prompt returns to the queue, and the banner offers to sign in.
  if (event.problem && event.unsent) return excludeTurn({ ...next, signIn: event.problem }, { unsent: true });
  if (event.problem !== undefined) return withProblem(next, event.problem, at);
  if (event.stopReason === undefined || event.stopReason === "end_turn") {
    const unanswered = unansweredTurn(state);
    return unanswered ? withProblem(next, unanswered, at) : next;
  }
  const minted = next.generatedIds + 1;
  const { stopReason } = event;
  const unrequested = stopReason === "cancelled" && !isStopped && ({ unrequested: true } as const);
  const entry: TurnEnd = { kind: "turnEnd", id: `e:${minted}`, stopReason, ...unrequested, at };
  const ended = { ...next, generatedIds: minted, entries: next.entries.put(entry) };
  return stopReason === "refusal" ? excludeTurn(ended) : ended;
}

/**
 * Marks the prompt of the turn and everything after it: after a refusal, the agent does not include them in the next prompt
 * (spec page "Prompt Turn"). A turn without a prompt of the user excludes nothing of the user's.
 */
function excludeTurn(state: SessionState, mark: { readonly unsent?: true } = {}): SessionState {
  const { turnPrompt } = state;
  const isStart = (entry: Entry): boolean => entry.kind === "message" && entry.submission === turnPrompt;
  let { entries } = state;
  if (turnPrompt === null || !entries.findLast(isStart)) return state;
  for (let i = entries.length - 1; i >= 0; i--) {
    const entry = entries.at(i) as Entry;
    entries = entries.put({ ...entry, excluded: true, ...mark });
    if (isStart(entry)) break;
  }
  return { ...state, entries };
}

/** The state with the failure as an entry, at its place in the conversation. */
function withProblem(state: SessionState, problem: ProblemEntry["problem"], at: number): SessionState {
  const minted = state.generatedIds + 1;
  return {
    ...state,
    generatedIds: minted,
    entries: state.entries.put({ kind: "problem", id: `p:${minted}`, problem, at }),
  };
}

/** The acceptance of a prompt and its echo come in either order: the second one settles the prompt. */
export function acceptPrompt(state: SessionState, promptId: string, messageId: string): SessionState {
  const shown = findMessage(state, "user", messageId);
  if (shown) {
    const sent = state.pendingPrompts.some(s => s.id === promptId);
    const entries = sent ? state.entries.put({ ...shown, submission: promptId }) : state.entries;
    return withoutPrompt(sent ? { ...state, entries } : state, promptId);
  }
  if (!state.pendingPrompts.some(s => s.id === promptId && s.messageId !== messageId)) return state;
  return {
    ...state,
    pendingPrompts: state.pendingPrompts.map((s): PendingPrompt => (s.id === promptId ? { ...s, messageId } : s)),
  };
}

/**
 * The agent has accepted the prompt, in the turn that runs, or before or after the turn of the prompt. `before`: the state
 * before that.
 */
export function acceptTurn(
  before: SessionState,
  state: SessionState,
  { submission, awaitsTurn }: Extract<SessionEvent, { type: "promptAccepted" }>,
): SessionState {
  const sent = before.pendingPrompts.find(({ id }) => id === submission);
  if (!sent || sent.messageId !== undefined) return state;
  const awaited = before.awaitedTurns.find(({ id }) => id === submission);
  const others = state.awaitedTurns.filter(({ id }) => id !== submission);
  if (state.activity.state !== "idle") {
    // A prompt that was sent into the turn did not begin it.
    const beganTurn = state.turnPrompt === null && !awaited?.isSteered;
    return { ...state, awaitedTurns: others, turnPrompt: beganTurn ? submission : state.turnPrompt };
  }
  if (awaitsTurn) {
    const isFirst = !others.some(({ id }) => !isHeldTurn(state, id));
    const turnStart = isFirst ? Math.max(0, state.entries.length - 1) : state.turnStart;
    return { ...state, awaitedTurns: awaited ? state.awaitedTurns : [...others, { id: submission }], turnStart };
  }
  const turnPrompt = state.turnPrompt ?? submission;
  const isRead = turnPrompt === submission && wasRead(state, submission, state.activity.stopReason);
  const needsConversation = state.needsConversation && !isRead;
  return withStopOver({ ...state, awaitedTurns: others, turnPrompt, needsConversation });
}

/** The prompt went out. The agent may hold it, with others that were sent into the turn. */
export function submitPrompt(state: SessionState, id: string): SessionState {
  if (!state.pendingPrompts.some(s => s.id === id)) return state;
  const pendingPrompts = state.pendingPrompts.map((s): PendingPrompt =>
    s.id === id ? { ...s, isSubmitted: true, place: state.entries.length } : s,
  );
  const isSteered = state.activity.state !== "idle" && ({ isSteered: true } as const);
  return { ...state, pendingPrompts, awaitedTurns: [...state.awaitedTurns, { id, ...isSteered }] };
}

/** The agent gave the prompt back, so the user can change it again. */
export function returnPrompt(state: SessionState, id: string): SessionState {
  const pendingPrompts = state.pendingPrompts.map((s): PendingPrompt => {
    const { isSubmitted: _, place: __, ...rest } = s;
    return s.id === id ? rest : s;
  });
  return withoutAwaitedTurn({ ...state, pendingPrompts }, id);
}

/** The prompt begins no turn. */
function withoutAwaitedTurn(state: SessionState, id: string): SessionState {
  const awaitedTurns = state.awaitedTurns.filter(each => each.id !== id);
  return awaitedTurns.length === state.awaitedTurns.length ? state : withStopOver({ ...state, awaitedTurns });
}

/** No agent is connected that could begin a turn. */
export const withoutAwaitedTurns = (state: SessionState): SessionState =>
  state.awaitedTurns.length === 0 ? state : withStopOver({ ...state, awaitedTurns: [] });

/** Removes a refused prompt from the queue. Its text stays in the conversation, followed by the reason. */
export function failPrompt(
  state: SessionState,
  event: Extract<SessionEvent, { type: "promptFailed" }>,
  at: number,
): SessionState {
  const submission = state.pendingPrompts.find(s => s.id === event.submission);
  if (submission === undefined) return state;
  const shown = state.entries.put({
    kind: "message",
    id: messageKey("user", `refused:${submission.id}`),
    author: "user",
    content: submission.content,
    at,
    until: at,
  });
  const agentForgot = state.agentForgot || event.forgotten === true;
  const rest = withoutAwaitedTurn(
    withoutPrompt({ ...state, entries: shown, agentForgot }, submission.id),
    submission.id,
  );
  return withProblem(rest, event.problem, at);
}

/** The user withdrew the prompt, and the agent does not have it. */
export function withdrawPrompt(state: SessionState, id: string): SessionState {
  const isLate =
    state.connection?.state !== "ready" && state.pendingPrompts.some(each => each.id === id && isHeld(each));
  const next = withoutAwaitedTurn(withoutPrompt(state, id), id);
  return isLate ? { ...next, hasWithdrawnLate: true } : next;
}

function withoutPrompt(state: SessionState, id: string): SessionState {
  if (!state.pendingPrompts.some(s => s.id === id)) return state;
  return { ...state, pendingPrompts: state.pendingPrompts.filter(s => s.id !== id) };
}

/** The agent is gone: closes tool calls and questions. The conversation and unsent prompts stay. */
export function markAgentLost(state: SessionState, problem: ProblemEntry["problem"], at: number): SessionState {
  const closed = endBackground(closeSubAgents(closeOpenTools(state, at), at), at);
  return {
    ...closed,
    lost: problem,
    signIn: null,
    connection: { state: "closed" },
    awaitedTurns: [],
    cancelling: false,
    stopIgnored: false,
    questions: closed.questions.map(ask => (ask.answer === undefined ? { ...ask, answer: "cancelled" } : ask)),
    activity: { state: "idle", stopReason: "lost", since: at },
  };
}

/** Applies a step of connecting. Reconnecting after a loss turns its banner into a notice in the transcript. */
export function setConnection(
  before: SessionState,
  event: Extract<SessionEvent, { type: "connection" }>,
  at: number,
): SessionState {
  const isOpen = event.state === "ready" && before.hasWithdrawnLate === true;
  const opened = isOpen ? { ...before, hasWithdrawnLate: false } : before;
  const earlier = recordsAgentSessions(opened) ? opened : setUnnamedSession(opened, event.state);
  const state = isSignInOver(earlier, event.state) ? { ...earlier, signIn: null } : earlier;
  const isConnecting = event.state !== "ready" && event.state !== "closed";
  const connection = {
    state: event.state,
    ...(event.detail !== undefined && { detail: event.detail }),
    ...(isConnecting && { since: state.connection?.since ?? at }),
  };
  const accepts = event.accepts ?? state.accepts;
  const steers = event.state === "ready" && event.steers === true;
  if (state.lost === null || event.state === "closed") {
    const isSame =
      jsonEqual(state.connection, connection) && jsonEqual(state.accepts, accepts) && state.steers === steers;
    return isSame ? state : { ...state, connection, accepts, steers };
  }
  const next = { ...state, connection, accepts, steers, lost: null };
  if (state.entries.length === 0 || state.lost.signIn !== undefined) return next;
  return withNotice(next, { severity: "error", title: state.lost.message }, at);
}

/** A session that opens shows by itself whether the agent still refuses. */
const isSignInOver = ({ signIn }: SessionState, state: string): boolean => signIn !== null && state === "opening";

const recordsAgentSessions = ({ agentSessions }: SessionState): boolean => agentSessions.some(id => id !== null);

/** A log of version 1 does not record agent sessions: each start of the agent opened one. */
function setUnnamedSession(state: SessionState, connection: ConnectionState): SessionState {
  if (connection === "opening") return withoutEarlierAgent(state);
  if (connection !== "ready" || state.connection?.state === "ready") return state;
  return withNewSession(state, null);
}

/** An agent repeats the end of the last turn in the same session only. */
const withNewSession = (state: SessionState, id: string | null): SessionState => ({
  ...state,
  ...{ reportedReason: null, mayReportEarlierEnd: false },
  agentSessions: [...state.agentSessions, id],
  agentSession: state.agentSessions.length,
  connections: state.connections + 1,
});

/** Applies that the agent opened or continued a session. */
export function setAgentSession(
  state: SessionState,
  { sessionId, continued }: Extract<SessionEvent, { type: "agentSession" }>,
): SessionState {
  const known = continued ? state.agentSessions.lastIndexOf(sessionId) : -1;
  if (known < 0) {
    // A copy of the agent's session has the conversation.
    const needsConversation = continued ? state.needsConversation : hasConversation(state);
    // A session of an earlier connection may have cost something.
    const { isNew: _, ...counted } = state.spending;
    return {
      ...withNewSession(withoutEarlierAgent(state), sessionId),
      ...{ agentForgot: false, needsConversation },
      spending: continued ? counted : { turns: counted.turns, isNew: true },
    };
  }
  return { ...state, agentSession: known, connections: state.connections + 1, mayReportEarlierEnd: true };
}

/**
 * An agent that is started in the middle of the conversation does not know what came before. So the conversation keeps its
 * title, the plans of the earlier start end, and its context window is no longer in use.
 */
function withoutEarlierAgent(state: SessionState): SessionState {
  const { entries, keepsTitle, plans, usage, turnUsage } = state;
  if (entries.length === 0) return state;
  if (keepsTitle && plans.size === 0 && usage === null && turnUsage === null) return state;
  return { ...state, keepsTitle: true, plans: new Map(), usage: null, turnUsage: null };
}

/** The longest text of an update that Parley does not know, in characters. */
const maxUnknownLength = 1000;

/** Shows an update that Parley does not know as a notice, one for each kind, with the text of the latest one. */
export function withUnknown(
  state: SessionState,
  { variant, raw }: Extract<SessionEvent, { type: "unknown" }>,
  at: number,
): SessionState {
  if (variant === undefined) return state;
  const id = `u:${variant}`;
  const text = JSON.stringify(raw) ?? "";
  const description = text.length > maxUnknownLength ? `${text.slice(0, maxUnknownLength)}…` : text;
  const title = t("The agent sent something that Parley does not know: {0}", variant);
  const notice: Notice = { kind: "notice", id, severity: "info", title, description, at };
  return { ...state, entries: state.entries.put({ ...notice, at: state.entries.get(id)?.at ?? at }) };
}

export function withNotice(state: SessionState, notice: Omit<Notice, "kind" | "id" | "at">, at: number): SessionState {
  const minted = state.generatedIds + 1;
  return {
    ...state,
    generatedIds: minted,
    entries: state.entries.put({ kind: "notice", id: `n:${minted}`, ...notice, at }),
  };
}
