// Hostile text of the known classes, and an agent that sends it in every field that it controls.
import { readFileSync } from "node:fs";
import type { V1Agent } from "../../../src/acp/v1/v1Agent.ts";
import { Emitter } from "../../../src/base/lifecycle.ts";
import { nullLog } from "../../../src/base/log.ts";
import type { View } from "../../../src/panel/protocol.ts";
import { WholeProjector } from "./wholeViews.ts";
import type { SessionEvent, ToolContent } from "../../../src/session/events.ts";
import { Session } from "../../../src/session/session.ts";
import { openQuestions } from "../../../src/session/state.ts";
import { PermissionBroker } from "../../../src/permissions/permissionBroker.ts";
import { FakeClock } from "./fakePorts.ts";
import { questionServices } from "./questionRoom.ts";
import { until } from "./until.ts";
import { WireAgent, type SentMessage } from "./wireAgent.ts";

/** A text that must have no effect anywhere. `class` names the attempt. */
export interface Vector {
  readonly id: string;
  readonly class: string;
  readonly text: string;
}

/**
 * Every vector of test/support/data/hostile.json. In that file, a text may consist of pieces, and a piece may be
 * repeated.
 */
export function hostileVectors(): readonly Vector[] {
  type Piece = string | readonly [string, number];
  const rows = JSON.parse(readFileSync("test/support/data/hostile.json", "utf8")) as readonly (Omit<Vector, "text"> & {
    readonly text: string | readonly Piece[];
  })[];
  const whole = (piece: Piece): string => (typeof piece === "string" ? piece : piece[0].repeat(piece[1]));
  return rows.map(row => ({ ...row, text: typeof row.text === "string" ? row.text : row.text.map(whole).join("") }));
}

/** An agent over the real wire, into the real session and projection. */
export class HostileAgent {
  readonly #wire = new WireAgent();
  #agent: V1Agent | undefined;
  #sessions = 0;

  async start(): Promise<void> {
    this.#agent = (await this.#wire.ready()).agent as V1Agent;
  }

  /** The view of a session in which every field that an agent controls contains `text`. */
  async view(text: string): Promise<View> {
    const id = `session-${++this.#sessions}`;
    const clock = new FakeClock();
    const died = new Emitter<never>();
    let minted = 0;
    let dispatch: (event: SessionEvent) => void = () => {};
    let broker: PermissionBroker | undefined;
    const session = new Session({
      id,
      agent: { id: "hostile", name: text },
      workspaceFolder: "/work",
      clock,
      log: nullLog,
      newId: () => `s${++minted}`,
      connection: {
        connect: () => {
          if (!this.#agent) throw new Error("Start the agent first.");
          return Promise.resolve({ agent: this.#agent, onDidDie: died.event, hasEnded: () => false });
        },
        restart: () => Promise.resolve(),
      },
      createServices: report => {
        dispatch = report;
        broker = new PermissionBroker({
          report,
          newId: () => `q${++minted}`,
          decide: () => Promise.resolve({ reason: text, always: true }),
        });
        return questionServices(broker, () => {});
      },
    });
    const opened = session.open();
    this.#wire.answer(await this.#wire.request("session/new"), { sessionId: id, configOptions: options(text) });
    await opened;
    const turnUsage = await this.#turns(session, id, text);
    const [failing] = session.state.pendingPrompts.filter(({ messageId }) => messageId === undefined);
    const signIn = [{ id: text, name: text, description: text }];
    const problem = { message: text, detail: text, command: text, next: [], signIn };
    dispatch({ type: "promptFailed", submission: failing?.id ?? "", problem });
    for (const event of ownFacts(text)) dispatch(event);
    session.addNotice(text, { session: "other", relation: "continues", title: text, agentName: text });
    void broker?.requestPermission(ownQuestion(text), new AbortController().signal);
    await until(() => openQuestions(session.state).length === 3);
    const agent = { id: "hostile", name: text, description: text };
    const around = {
      agents: [agent],
      chosenAgent: agent,
      problem,
      changes: null,
      follow: "off",
      sendKey: "enter",
    } as const;
    // Each of these is shown at some times only.
    const { head, entries } = new WholeProjector().project(session.state, around);
    const changes = {
      files: [{ path: text, label: text, added: 1, removed: 1, movedFrom: text }],
      added: 1,
      removed: 1,
      others: { files: 1, sessions: [{ id: "other", title: text }] },
    };
    const view: View = {
      entries,
      head: { ...head, agent, changes, turnUsage, connection: { ...head.connection, state: "starting", detail: text } },
    };
    session.dispose();
    died.dispose();
    return view;
  }

  /**
   * One turn that ends, one that fails, and one that continues while prompts are queued. Returns the usage of the first.
   */
  async #turns(session: Session, id: string, text: string): Promise<View["head"]["turnUsage"]> {
    const wire = this.#wire;
    const prompt = (): Promise<SentMessage> => wire.request("session/prompt");
    session.send([{ type: "text", text }]);
    const models = [text, "other"].map(model => ({ model, token_count: { totalTokens: 1 } }));
    wire.answer(await prompt(), { stopReason: text, _meta: { quota: { model_usage: models } } });
    await until(() => session.state.activity.state === "idle");
    const { turnUsage } = session.state;
    session.send([{ type: "text", text: "again" }]);
    wire.fail(await prompt(), -32603, text, text);
    await until(() => session.state.entries.at(-1)?.kind === "problem");
    session.send([{ type: "text", text: "again" }]);
    await prompt();
    session.send([{ type: "text", text }]);
    session.send([{ type: "text", text }]);
    for (const update of updates(text)) wire.update(id, update);
    const options = ["allow_once", text].map((kind, at) => ({ optionId: `${text}${at}`, name: text, kind }));
    const params = { sessionId: id, toolCall: { toolCallId: "call", title: text }, options };
    wire.send({ id: `ask-${id}`, method: "session/request_permission", params });
    // A question without a command, which would replace its title and its text.
    const content = [{ type: "content", content: { type: "text", text } }];
    const toolCall = { toolCallId: "asked", title: `Is it ${text}`, kind: "think", content };
    wire.send({ id: `ask-again-${id}`, method: "session/request_permission", params: { ...params, toolCall } });
    await until(() => openQuestions(session.state).length === 2);
    return turnUsage;
  }
}

function blocks(text: string): readonly object[] {
  return [
    { type: "text", text },
    { type: "image", mimeType: text, data: text, uri: text },
    { type: "image", mimeType: "image/svg+xml", data: text, uri: text },
    { type: "audio", mimeType: text, data: text },
    { type: "audio", mimeType: "audio/wav", data: text },
    { type: "resource_link", uri: text, name: text, title: text, description: text, mimeType: text },
    { type: "resource_link", uri: "https://example.com/", name: text },
    { type: "resource", resource: { uri: text, mimeType: text, text } },
    { type: "resource", resource: { uri: text, mimeType: text, blob: "eA==" } },
    { type: "resource", resource: { uri: text, mimeType: "image/svg+xml", blob: text } },
    { type: text },
  ];
}

function updates(text: string): readonly object[] {
  const content = blocks(text);
  const say = (sessionUpdate: string, messageId: string): readonly object[] =>
    content.map(block => ({ sessionUpdate, messageId, content: block }));
  const contents = [
    ...content.map(block => ({ type: "content", content: block })),
    { type: "diff", path: text, oldText: `same\nold ${text}\n`, newText: `same\n${text}\n` },
    { type: "diff", path: `${text}2`, newText: text },
    { type: "terminal", terminalId: "t" },
    { type: "session", sessionId: `child ${text}` },
    { type: text },
  ];
  return [
    { sessionUpdate: "subagent_update", sessionId: `child ${text}`, title: text, state: { state: "running" } },
    ...say("agent_thought_chunk", "thought"),
    ...say("user_message_chunk", "echo"),
    {
      sessionUpdate: "tool_call",
      toolCallId: "call",
      title: text,
      name: text,
      kind: text,
      status: "failed",
      content: contents,
      locations: [{ path: text, line: 3 }, { path: `/work/${text}` }],
      rawInput: { command: text, cwd: text, env: { [text]: text }, other: text },
      rawOutput: text,
      _meta: {
        terminal_info: { terminal_id: "t", cwd: text },
        terminal_output: { terminal_id: "t", data: text },
        terminal_exit: { terminal_id: "t", signal: text },
      },
    },
    { sessionUpdate: "tool_call", toolCallId: text, kind: text, status: text, title: text },
    ...delegated(text),
    {
      sessionUpdate: "plan",
      entries: ["in_progress", text].map(status => ({ content: text, priority: text, status })),
    },
    {
      sessionUpdate: "plan_update",
      plan: { planId: "markdown", type: "markdown", content: text, path: `/work/${text}` },
    },
    { sessionUpdate: "plan_update", plan: { planId: "file", type: "file", uri: text } },
    { sessionUpdate: "plan_update", plan: { planId: "other", type: text } },
    {
      sessionUpdate: "available_commands_update",
      availableCommands: [{ name: text, description: text, input: { hint: text } }],
    },
    { sessionUpdate: "config_option_update", configOptions: options(text) },
    { sessionUpdate: "session_info_update", title: text, updatedAt: text },
    { sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount: 1, currency: text } },
    { sessionUpdate: "notice", severity: text, title: text, description: text },
    {
      sessionUpdate: "compaction_update",
      compactionId: "compaction",
      status: text,
      summary: content,
      error: text,
    },
    { sessionUpdate: text, content: { type: "text", text } },
    ...say("agent_message_chunk", "answer"),
  ];
}

/** The updates of a sub-agent, shown in the tool call that they belong to. */
function delegated(text: string): readonly object[] {
  const _meta = { claudeCode: { parentToolUseId: text } };
  const content = { type: "text", text };
  const chunks = ["user_message_chunk", "agent_thought_chunk", "agent_message_chunk"].map(sessionUpdate => ({
    sessionUpdate,
    content,
    _meta,
  }));
  const nested = { sessionUpdate: "tool_call", toolCallId: "nested", title: text, kind: "read", status: "failed" };
  const step = { content: text, priority: text, status: text };
  const plans = [
    { type: "items", entries: [step], path: `/work/${text}` },
    { type: "markdown", content: text },
    { type: "file", uri: text },
    { type: text },
  ].map((plan, i) => ({ sessionUpdate: "plan_update", plan: { planId: `plan ${i}`, ...plan }, _meta }));
  const compaction = { sessionUpdate: "compaction_update", compactionId: "nested", status: text, error: text, _meta };
  return [...chunks, { ...nested, content: [{ type: "content", content }], _meta }, ...plans, compaction];
}

function options(text: string): readonly object[] {
  const choices = [text, `${text}2`].map(value => ({ value, name: text, description: text }));
  return [
    { id: text, name: text, description: text, category: text, type: "select", currentValue: text, options: [{ name: text, options: choices }] },
    { id: `${text}2`, name: text, description: text, category: text, type: "boolean", currentValue: true },
  ]; // prettier-ignore
}

/** The events of the client side that contain text of the agent. */
function ownFacts(text: string): readonly SessionEvent[] {
  const option = { id: "o", name: text, kind: "allow_once" };
  return [
    { type: "chosen", choices: [{ id: text, value: `${text}2`, applied: true }] },
    { type: "choiceRefused", id: text, reason: "refused", message: text },
    { type: "terminal", terminalId: "t", command: text },
    { type: "tool", toolCallId: "moved", patch: { title: text, status: "failed", content: changes(text) } },
    { type: "file", path: text, note: "unsaved" },
    { type: "file", path: `/elsewhere/${text}`, note: "diverged" },
    { type: "askOpened", ask: "rule", title: text, toolCallId: "call", options: [option], answer: { option: "o" }, by: text },
  ]; // prettier-ignore
}

function changes(text: string): Extract<ToolContent, { type: "changes" }>[] {
  const lines = text.split(/\r\n|[\n\r]/);
  const head = `diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1,${lines.length} @@\n`;
  const change = { operation: text, path: text, oldPath: text };
  return [
    { type: "changes", changes: [change], patch: text },
    {
      type: "changes",
      changes: [{ operation: "modify", path: "x" }],
      patch: `${head}${lines.map(line => `+${line}\n`).join("")}`,
    },
  ];
}

function ownQuestion(text: string): Parameters<PermissionBroker["requestPermission"]>[0] {
  return {
    title: text,
    description: text,
    toolCallId: "moved",
    options: [{ id: "o", name: text, kind: "allow_once" }],
    subject: { kind: text, command: text, argv: [text], env: [{ name: text, value: text }], cwd: text, paths: [text] },
  };
}
