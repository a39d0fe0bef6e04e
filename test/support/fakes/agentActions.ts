// What a tool does in a session in place of its agent, with the real questions, rules and state.
import { nullLog } from "../../../src/base/log.ts";
import { PermissionBroker } from "../../../src/permissions/permissionBroker.ts";
import type { PermissionPolicy } from "../../../src/permissions/policy.ts";
import type { AnsweredQuestion } from "../../../src/permissions/permissionBroker.ts";
import type { PermissionQuestion } from "../../../src/session/agent.ts";
import type { LoggedEvent, SessionEvent, ToolFields } from "../../../src/session/events.ts";
import { FormBroker } from "../../../src/session/forms/formBroker.ts";
import { nextState } from "../../../src/session/log/replay.ts";
import type { AgentActions } from "../../../src/session/participant.ts";
import { emptySession, openQuestions, toolKey, type SessionState } from "../../../src/session/state.ts";

export interface FakeActions extends AgentActions {
  readonly broker: PermissionBroker;
  readonly forms: FormBroker;
  /** The paths that were written, in order. */
  readonly written: readonly string[];
  /** All questions, also those that a rule answered. */
  readonly asked: readonly PermissionQuestion[];
  dispatch(event: SessionEvent): void;
  /** Answers the open question. */
  answer(option: string): void;
  /** The fields of the only tool call. */
  tool(): Partial<ToolFields>;
}

/** The actions of a session in which a turn is running. */
export function fakeActions(
  policy: PermissionPolicy,
  onAnswered: (decided: AnsweredQuestion) => void = () => {},
): FakeActions {
  let state: SessionState = emptySession;
  let seq = 0;
  const written: string[] = [];
  const asked: PermissionQuestion[] = [];
  const dispatch = (event: SessionEvent): void => {
    const logged: LoggedEvent = { seq: seq++, at: seq, event };
    state = nextState(state, logged, nullLog);
  };
  dispatch({ type: "opened", agent: "bot", agentName: "Bot", cwd: "/ws", choices: true });
  dispatch({ type: "connection", state: "ready" });
  dispatch({ type: "activity", state: "running" });
  const broker = new PermissionBroker({
    report: dispatch,
    decide: question => policy.decide(question),
    onAnswered,
  });
  let forms = 0;
  const formBroker = new FormBroker({ report: dispatch, newId: () => `form_${++forms}` });
  const toolOf = (id: string | undefined): Partial<ToolFields> | undefined => {
    const entry = id === undefined ? undefined : state.entries.get(toolKey(id));
    return entry?.kind === "tool" ? entry.fields : undefined;
  };
  return {
    ...{ broker, forms: formBroker, written, asked, dispatch },
    state: () => state,
    report: dispatch,
    requestPermission: (question, signal) => {
      const tool = toolOf(question.toolCallId);
      const whole = { ...question, ...(tool && { tool }) };
      asked.push(whole);
      return broker.requestPermission(whole, signal);
    },
    askForm: (request, signal) => formBroker.ask(request, signal),
    writeFile: async (path, _text, write) => {
      await write();
      written.push(path);
    },
    answer: option => {
      const [open] = openQuestions(state);
      if (!open) throw new Error("No question is open.");
      broker.answer(open.id, option);
    },
    tool: () => {
      const tools = [...state.entries].flatMap(entry => (entry.kind === "tool" ? [entry.fields] : []));
      if (tools.length !== 1 || !tools[0]) throw new Error(`There are ${tools.length} tool calls.`);
      return tools[0];
    },
  };
}
