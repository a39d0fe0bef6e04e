// The reducer, (state, event) → state. Invariant: it is pure. It reads no clock, makes no random ids, does no I/O, and
// returns the same object when nothing changed.
import { unreachable } from "../base/errors.ts";
import { jsonEqual } from "../base/jsonEqual.ts";
import {
  acceptPrompt,
  acceptTurn,
  failPrompt,
  markAgentLost,
  setAgentSession,
  setActivity,
  requestCancel,
  returnPrompt,
  setConnection,
  submitPrompt,
  withdrawPrompt,
  withNotice,
  withoutAwaitedTurns,
  withUnknown,
} from "./activity.ts";
import { endBackground, trackBackground } from "./background/background.ts";
import {
  choicesAfterReport,
  recordChoices,
  refuseChoice,
  waiveChoices,
  withAnswer,
  withoutAgentSession,
  withSwitchAllowed,
} from "./choices.ts";
import type { LoggedEvent, SessionEvent, SessionOption } from "./events.ts";
import { formNotice } from "./forms/formNotice.ts";
import { noteDeniedChange, noteFile, recordWriteResult } from "./fileNotes.ts";
import { appendContent, joinContent, nameMessage, upsertMessage } from "./messages.ts";
import { putPlan, removePlan } from "./plans.ts";
import { editPrompt, movePrompt, setOnHold } from "./promptQueue.ts";
import { endRetry, withRetry } from "./retries.ts";
import { trackSilence } from "./silence.ts";
import {
  compactionKey,
  isAllowed,
  isBusy,
  ruleAnswerText,
  type Question,
  type Compaction,
  type SessionState,
} from "./state.ts";
import { appendTerminal, upsertTerminal } from "./terminals.ts";
import { withTurnProblems } from "./turnSummary.ts";
import {
  appendToolContent,
  closeOpenTools,
  mergeToolPatch,
  setDiffLines,
  noteAnswer,
  reopenTool,
  upsertTool,
} from "./toolCalls.ts";

/** The state after the event. `logged.at` is the only time it uses. */
export const reduce = (state: SessionState, logged: LoggedEvent): SessionState =>
  trackSilence(
    state,
    trackBackground(state, endRetry(applyEvent(state, logged), logged.event), logged.event, logged.at),
    logged.event,
  );

function applyEvent(state: SessionState, { event, at }: LoggedEvent): SessionState {
  switch (event.type) {
    case "opened":
      return withValues(state, {
        agent: { id: event.agent, name: event.agentName },
        workspaceFolder: event.cwd,
        recordsChoices: event.choices === true,
      });
    case "connection":
      // An agent that has repeated the conversation and is idle works on no call of it.
      if (event.state === "ready")
        return choicesAfterReport(state, withoutOpenCalls(setConnection(state, event, at), at));
      return withoutAgentSession(withoutAwaitedTurns(setConnection(state, event, at)));
    case "agentSession":
      return setAgentSession(state, event);
    case "chosen":
      return recordChoices(state, event.choices);
    case "choiceRefused":
      return refuseChoice(state, event);
    case "choicesWaived":
      return waiveChoices(state);
    case "promptSent":
      if (state.pendingPrompts.some(s => s.id === event.submission)) return state;
      return { ...state, pendingPrompts: [...state.pendingPrompts, { id: event.submission, content: event.content }] };
    case "promptAccepted":
      return acceptTurn(state, acceptPrompt(state, event.submission, event.messageId), event);
    case "promptSubmitted":
      return submitPrompt(state, event.submission);
    case "promptReturned":
      return returnPrompt(state, event.submission);
    case "promptFailed":
      return failPrompt(state, event, at);
    case "promptWithdrawn":
      return withdrawPrompt(state, event.submission);
    case "promptEdited":
      return editPrompt(state, event.submission, event.text);
    case "promptMoved":
      return movePrompt(state, event.submission, event.before);
    case "promptOnHold":
      return setOnHold(state, event.submission, event.onHold);
    case "queuePaused":
      return withValues(state, { queuePaused: event.paused });
    case "cancelRequested":
      return requestCancel(state, at);
    case "stopIgnored":
      return state.cancelling ? withValues(state, { stopIgnored: true }) : state;
    case "agentSilent":
      return isBusy(state) ? withValues(state, { silentSince: event.since }) : state;
    case "backgroundEnded":
      return endBackground(state, at);
    case "branched": {
      const { session, from, after } = event;
      const branch = { session, from, after, at, agentSession: state.agentSession };
      // What the copied turns have used is counted in the session that they were copied from.
      const used = { usage: null, spending: { turns: [] } };
      return { ...state, ...used, branches: [...state.branches, branch], agentForgot: true };
    }
    case "titled":
      return withValues(state, { ownTitle: event.title });
    case "askOpened": {
      if (state.questions.some(ask => ask.id === event.ask)) return state;
      const { type: _, ask: id, answer, by, ...ask } = event;
      const asked = { ...state, questions: [...state.questions, { id, ...ask }] };
      return answer === undefined
        ? asked
        : closeQuestion(asked, { ask: id, answer, ...(by !== undefined && { by }) }, at);
    }
    case "askClosed":
      return closeQuestion(state, event, at);
    case "signInNeeded":
      return withValues(state, { signIn: event.problem });
    case "signedIn":
      return withValues(state, { signIn: null });
    case "addressOpened":
      if (!state.questions.some(ask => ask.id === event.ask && ask.answer === undefined && !ask.opened)) return state;
      return {
        ...state,
        questions: state.questions.map(ask => (ask.id === event.ask ? { ...ask, opened: true as const } : ask)),
      };
    case "file":
      return noteFile(state, event, at);
    case "deniedChange":
      return noteDeniedChange(state, event, at);
    case "turnProblems":
      return withTurnProblems(state, event);
    case "fileResult":
      return recordWriteResult(state, event);
    case "diffLines":
      return setDiffLines(state, event);
    case "agentLost":
      return withoutAgentSession(markAgentLost(state, event.problem, at));
    case "message":
      return upsertMessage(nameMessage(state, event), event, at, old =>
        event.content === undefined ? old : joinContent(event.content ?? []),
      );
    case "messageChunk":
      return upsertMessage(state, event, at, old => appendContent(old, event.content));
    case "tool":
      return upsertTool(
        event.reopened ? reopenTool(state, event.toolCallId) : state,
        { ...event, reported: typeof event.patch.status === "string" },
        at,
        fields => mergeToolPatch(fields, event.patch),
      );
    case "toolChunk":
      return upsertTool(state, { toolCallId: event.toolCallId }, at, fields => {
        const old = fields.content ?? [];
        const content = appendToolContent(old, event.content, event.item === true);
        return content === old ? fields : { ...fields, content };
      });
    case "terminal":
      return upsertTerminal(state, event);
    case "terminalOutput":
      return appendTerminal(state, event.terminalId, event.text);
    case "activity":
      return event.state === "idle"
        ? withSwitchAllowed(setActivity(state, event, at), false)
        : setActivity(state, event, at);
    case "plan":
      return putPlan(state, event);
    case "planRemoved":
      return removePlan(state, event);
    case "commands":
      return withValues(state, { commands: event.commands });
    case "options":
      return choicesAfterReport(state, withValues(state, { options: event.options }));
    case "option":
      return choicesAfterReport(state, setOption(state, event.id, event.value));
    case "usage": {
      const { type: _, ...usage } = event;
      return withValues(state, { usage });
    }
    case "info":
      return withValues(state, {
        title: event.title === undefined || state.keepsTitle ? state.title : event.title,
        updatedAt: event.updatedAt === undefined ? state.updatedAt : event.updatedAt,
      });
    case "notice": {
      const { type: _, ...notice } = event;
      return notice.retry ? withRetry(state, notice, at) : withNotice(state, notice, at);
    }
    case "compaction":
      return upsertCompaction(state, event, at, old => updateCompaction(old, event));
    case "compactionChunk":
      return upsertCompaction(state, event, at, old => {
        const summary = appendContent(old.summary, event.content);
        return summary === old.summary ? old : { ...old, summary };
      });
    case "unknown":
      return withUnknown(state, event, at);
    default:
      throw unreachable(event);
  }
}

const withoutOpenCalls = (state: SessionState, at: number): SessionState =>
  state.activity.state === "idle" ? closeOpenTools(state, at) : state;

/** The state with these values; the same object when it already has them. */
function withValues(state: SessionState, values: Partial<SessionState>): SessionState {
  const keys = Object.keys(values) as (keyof SessionState)[];
  return keys.every(key => jsonEqual(state[key], values[key])) ? state : { ...state, ...values };
}

function closeQuestion(
  state: SessionState,
  event: Omit<Extract<SessionEvent, { type: "askClosed" }>, "type">,
  at: number,
): SessionState {
  const { ask: id, answer, by } = event;
  const open = state.questions.find(ask => ask.id === id && ask.answer === undefined);
  if (!open) return state;
  const closed: Question = { ...open, answer, ...(by !== undefined && { by }) };
  const answered = { ...state, questions: state.questions.map(ask => (ask === open ? closed : ask)) };
  if (closed.kind !== undefined) return withNotice(answered, formNotice(closed, answer), at);
  const { toolCallId } = open;
  const noted = toolCallId === undefined ? answered : noteAnswer(answered, toolCallId, answerKind(state, closed), at);
  const next = withAnswer(noted, closed);
  const decision = ruleAnswerText(closed);
  // A question about a tool call shows the decision in the card of the call.
  if (decision === undefined || toolCallId !== undefined) return next;
  return withNotice(next, { severity: "info", title: `${open.title}. ${decision}`, byRule: true }, at);
}

function answerKind(state: SessionState, question: Question): "allowed" | "stopped" | "other" {
  if (isAllowed(question)) return "allowed";
  const isStopped = question.background ? state.background === null : state.cancelling;
  return question.answer === "cancelled" && isStopped ? "stopped" : "other";
}

function setOption(state: SessionState, id: string, value: string | boolean): SessionState {
  const change = (option: SessionOption): SessionOption => {
    if (option.id !== id || option.value === value) return option;
    if (option.type === "boolean") return typeof value === "boolean" ? { ...option, value } : option;
    return typeof value === "string" ? { ...option, value } : option;
  };
  const options = state.options.map(change);
  return options.every((option, i) => option === state.options[i]) ? state : { ...state, options };
}

function updateCompaction(old: Compaction, event: Extract<SessionEvent, { type: "compaction" }>): Compaction {
  const { error: _, ...rest } = old;
  const error = event.error === undefined ? old.error : (event.error ?? undefined);
  return {
    ...rest,
    status: event.status ?? old.status,
    summary: event.summary === undefined ? old.summary : (event.summary ?? []),
    ...(error !== undefined && { error }),
  };
}

function upsertCompaction(
  state: SessionState,
  { compactionId, parent }: { readonly compactionId: string; readonly parent?: string },
  at: number,
  change: (old: Compaction) => Compaction,
): SessionState {
  const id = compactionKey(compactionId);
  const old = state.entries.get(id);
  const added: Compaction = {
    ...{ kind: "compaction", id, status: "in_progress", summary: [], at },
    ...(parent !== undefined && { parent }),
  };
  const next = change(old?.kind === "compaction" ? old : added);
  return jsonEqual(old, next) ? state : { ...state, entries: state.entries.put(next) };
}
