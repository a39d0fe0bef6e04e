// An agent of version 2 that keeps every rule of the draft and leaves to its caller each choice that the rules leave open:
// the order of acceptance, running, idle and echo, the pieces of a text, repeated snapshots, prompts of another client. It
// keeps the conversation, so a test can compare it with what the client shows.
import assert from "node:assert/strict";
import type { SentMessage } from "./wireAgent.ts";

/** What an agent does beyond a turn with one client. */
export interface ModelFeatures {
  /** Another client sends prompts to the session. */
  readonly otherClient?: boolean;
  /** The agent lists its background work with each state, and has sub-agents. */
  readonly background?: boolean;
  /** The echo of a prompt comes in pieces, also after its turn. */
  readonly slowEcho?: boolean;
}

interface UserItem {
  readonly kind: "user";
  readonly id: string;
  readonly text: string;
  /** The number of characters that the agent has repeated; `whole` if all. */
  echoed: number | "whole";
}
interface MessageItem {
  readonly kind: "agent" | "thought";
  readonly id: string;
  readonly session: string;
  readonly turn: number;
  text: string;
}
interface CallItem {
  readonly kind: "call";
  readonly id: string;
  readonly session: string;
  readonly turn: number;
  readonly title: string;
  status: "pending" | "in_progress" | "completed" | "failed" | "cancelled";
  readonly texts: string[];
  readonly terminal?: { readonly id: string; output: string };
  canCancel: boolean;
  /** Whether it has ever offered to be cancelled. */
  offeredCancel: boolean;
  isBackground: boolean;
}
interface ChildItem {
  readonly kind: "child";
  readonly id: string;
  state: "running" | "idle";
}
type Item = UserItem | MessageItem | CallItem | ChildItem;

interface HeldPrompt {
  readonly request: SentMessage;
  readonly text: string;
  state: "held" | "inserted" | "returned";
  /** Whether the agent must give it back. */
  mustReturn: boolean;
  isAnswered: boolean;
  /** Whether its turn has begun. */
  hasBegun: boolean;
  /** It was inserted on an earlier connection, so no state says that its turn is still to come. */
  readonly isEarlier?: true;
  item?: UserItem;
}

const isOver = ({ status }: CallItem): boolean => ["completed", "failed", "cancelled"].includes(status);

const block = (text: string): object => ({ type: "text", text });

/** The steps of the agent, each with how often a test chooses it. */
export const modelSteps = {
  read: 8,
  insert: 6,
  answer: 6,
  echo: 4,
  run: 6,
  say: 8,
  sayWhole: 1,
  call: 3,
  callPiece: 3,
  callStatus: 4,
  output: 2,
  ask: 2,
  block: 1,
  snapshot: 3,
  end: 4,
  giveBack: 3,
  otherPrompt: 3,
  otherStop: 1,
  toBackground: 4,
  child: 3,
  childSay: 3,
  childCall: 3,
  childState: 3,
} as const;
export type ModelStep = keyof typeof modelSteps;

export class ModelAgent {
  readonly features: ModelFeatures;
  /** Sends a line to the client. Absent while no client is connected. */
  send: ((message: object) => void) | undefined;
  readonly items: Item[] = [];
  #prompts: HeldPrompt[] = [];
  foreground: "idle" | "running" | "requires_action" = "idle";
  #lastReason: string | undefined;
  #isStopping = false;
  #turn = 0;
  #ids = 0;
  /** The questions that the client has not answered. */
  readonly #questions = new Map<string, CallItem>();
  /** How often each prompt of the client was inserted. */
  readonly inserted = new Map<string, number>();
  /**
   * Whether the agent has repeated a prompt on this connection. Before that, Parley allows for agents that repeat none, for
   * which an answer after a turn means that this was the turn of the prompt.
   */
  #hasEchoed = false;
  /** Whether the agent has been busy ever since the client last had processed everything. */
  isKnownBusy = false;

  constructor(features: ModelFeatures) {
    this.features = features;
  }

  /** Does the step if the draft allows it now. `n` makes its choices. Returns whether it was allowed. */
  step(name: Exclude<ModelStep, "read">, n: number): boolean {
    switch (name) {
      case "insert":
        return this.#insert(n);
      case "answer":
        return this.#answer(n);
      case "echo":
        return this.#echo(n);
      case "run":
        return this.#run();
      case "say":
        return this.#say(n);
      case "sayWhole":
        return this.#sayWhole(n);
      case "call":
        return this.#call("s", n);
      case "callPiece":
        return this.#callPiece(n);
      case "callStatus":
        return this.#callStatus(n);
      case "output":
        return this.#output(n);
      case "ask":
        return this.#ask(n);
      case "block":
        return this.#block();
      case "snapshot":
        return this.#snapshot(n);
      case "end":
        return this.#end(n);
      case "giveBack":
        return this.#giveBack(n);
      case "otherPrompt":
        return this.#otherPrompt(n);
      case "otherStop":
        return this.features.otherClient === true && this.foreground !== "idle" && this.#stop();
      case "toBackground":
        return this.#toBackground(n);
      case "child":
        return this.#startChild();
      case "childSay":
        return this.#childSay(n);
      case "childCall":
        return this.#childCall(n);
      case "childState":
        return this.#childState(n);
    }
  }

  /** A message of the client. `isSteered`: the user sent the prompt into the running turn. */
  read(message: SentMessage, isSteered: (text: string) => boolean, wasSentAfterwards: boolean): void {
    const { method, params = {}, id } = message;
    switch (method) {
      case undefined:
        this.#questions.delete(String(id));
        return;
      case "session/prompt": {
        const [{ text }] = params["prompt"] as [{ text: string }];
        if (!isSteered(text)) {
          const open = this.#prompts.filter(
            each => !each.isEarlier && (!each.isAnswered || (each.state === "inserted" && !each.hasBegun)),
          );
          assert.deepEqual(
            open.map(each => each.text),
            [],
            `"${text}" was sent while the turn of an earlier prompt was still to come`,
          );
          assert.ok(!(wasSentAfterwards && this.isKnownBusy), `"${text}" was sent into a running turn`);
        }
        this.#prompts.push({
          ...{ request: message, text, state: "held", mustReturn: false, isAnswered: false, hasBegun: false },
        });
        return;
      }
      case "session/cancel": {
        const child = this.#children().find(each => each.id === params["sessionId"]);
        if (child) return void this.#endChild(child);
        this.#stop();
        return;
      }
      case "$/cancel_request": {
        const held = this.#held().find(({ request }) => request.id === params["requestId"]);
        if (held) held.mustReturn = true;
        return;
      }
      case "tool_call/cancel": {
        const call = this.#calls().find(
          each => each.id === params["toolCallId"] && each.session === params["sessionId"],
        );
        assert.ok(call?.offeredCancel, "a call is cancelled that does not offer it");
        this.#out({ id, result: {} });
        if (!isOver(call)) this.#setStatus(call, "cancelled");
        return;
      }
      case "session/close":
        return;
      default:
        throw new Error(`The agent does not know ${method}.`);
    }
  }

  // Prompts

  #held(): readonly HeldPrompt[] {
    return this.#prompts.filter(({ state }) => state === "held");
  }

  #insert(n: number): boolean {
    const held = this.#held();
    const prompt = held[n % Math.max(1, held.length)];
    // The agent can insert a prompt although the client withdrew it, but not one that Stop cancelled.
    if (!prompt || (prompt.mustReturn && (this.#isStopping || n % 2 === 0))) return false;
    prompt.state = "inserted";
    prompt.hasBegun = this.foreground !== "idle";
    this.inserted.set(prompt.text, (this.inserted.get(prompt.text) ?? 0) + 1);
    prompt.item = { kind: "user", id: `u${++this.#ids}`, text: prompt.text, echoed: 0 };
    // The position of the message is where the client learns of it first.
    if (n % 2 === 0) this.#answerTo(prompt);
    else this.#echoOf(prompt.item, n);
    return true;
  }

  #answer(n: number): boolean {
    const open = this.#prompts.filter(({ state, isAnswered }) => state === "inserted" && !isAnswered);
    const prompt = open[n % Math.max(1, open.length)];
    if (!prompt) return false;
    this.#answerTo(prompt);
    return true;
  }

  #answerTo(prompt: HeldPrompt): void {
    if (prompt.item) this.#place(prompt.item);
    prompt.isAnswered = true;
    this.#out({ id: prompt.request.id, result: { messageId: prompt.item?.id } });
  }

  #echoes(): readonly UserItem[] {
    return [...this.items, ...this.#prompts.flatMap(({ item }) => item ?? [])].filter(
      (item): item is UserItem => item.kind === "user" && item.echoed !== "whole",
    );
  }

  #echo(n: number): boolean {
    const open = this.#echoes();
    const item = open[n % Math.max(1, open.length)];
    if (!item) return false;
    this.#echoOf(item, n >> 3);
    return true;
  }

  #echoOf(item: UserItem, n: number): void {
    this.#place(item);
    if (this.send && this.#prompts.some(prompt => prompt.item === item)) this.#hasEchoed = true;
    const at = item.echoed === "whole" ? 0 : item.echoed;
    if (!this.send || !this.features.slowEcho || n % 4 === 0) {
      item.echoed = "whole";
      return this.#update("s", "user_message", { messageId: item.id, content: [block(item.text)] });
    }
    const end = Math.min(item.text.length, at + 1 + (n % 5));
    item.echoed = end === item.text.length ? "whole" : end;
    this.#update("s", "user_message_chunk", { messageId: item.id, content: block(item.text.slice(at, end)) });
  }

  #place(item: Item): void {
    if (!this.items.includes(item)) this.items.push(item);
  }

  #giveBack(n: number): boolean {
    const open = this.#held().filter(({ mustReturn }) => mustReturn);
    const prompt = open[n % Math.max(1, open.length)];
    if (!prompt) return false;
    prompt.state = "returned";
    prompt.isAnswered = true;
    this.#out({ id: prompt.request.id, error: { code: -32800, message: "Cancelled" } });
    return true;
  }

  #otherPrompt(n: number): boolean {
    if (!this.features.otherClient) return false;
    const item: UserItem = { kind: "user", id: `u${++this.#ids}`, text: `other ${this.#ids}`, echoed: 0 };
    this.#echoOf(item, n);
    return true;
  }

  // Turns

  #stop(): boolean {
    for (const prompt of this.#held()) prompt.mustReturn = true;
    if (this.foreground !== "idle" || this.#unbegun().length > 0) this.#isStopping = true;
    return true;
  }

  #unbegun(): readonly HeldPrompt[] {
    return this.#prompts.filter(({ state, hasBegun }) => state === "inserted" && !hasBegun);
  }

  #run(): boolean {
    if (this.foreground === "running") return false;
    if (this.foreground === "idle") {
      if (this.#unbegun().length === 0 && this.send && !this.#hasEchoed) return false;
      this.#turn++;
      for (const prompt of this.#unbegun()) prompt.hasBegun = true;
    }
    this.foreground = "running";
    this.#state();
    return true;
  }

  #block(): boolean {
    if (this.foreground !== "running") return false;
    this.foreground = "requires_action";
    this.#state();
    return true;
  }

  #snapshot(n: number): boolean {
    this.#state(n % 2 === 0 ? this.#lastReason : undefined);
    return true;
  }

  #end(n: number): boolean {
    if (this.foreground === "idle") {
      // A prompt that Stop ends before its turn begins.
      const unbegun = this.#unbegun();
      if (!this.#isStopping || unbegun.length === 0 || this.#lastReason === "cancelled") return false;
      if (this.#turn === 0 || unbegun.some(({ isAnswered }) => !isAnswered)) return false;
      for (const prompt of unbegun) prompt.hasBegun = true;
    }
    const reasons = ["end_turn", "end_turn", "end_turn", undefined, "max_tokens"];
    this.#lastReason = this.#isStopping ? "cancelled" : reasons[n % reasons.length];
    this.foreground = "idle";
    this.#isStopping = false;
    this.isKnownBusy = false;
    this.#state(this.#lastReason);
    return true;
  }

  #state(stopReason?: string): void {
    const { foreground: state } = this;
    this.#update("s", "state_update", {
      ...{ state, ...(state === "idle" && stopReason !== undefined && { stopReason }) },
      ...(this.features.background && { background: this.#background() }),
    });
  }

  #background(): readonly object[] {
    return [
      ...this.#calls()
        .filter(call => call.session === "s" && call.isBackground && !isOver(call))
        .map(({ id }) => ({ type: "tool_call", toolCallId: id })),
      ...this.#children()
        .filter(({ state }) => state === "running")
        .map(({ id }) => ({ type: "subagent", sessionId: id })),
    ];
  }

  // Messages and calls

  #say(n: number): boolean {
    if (this.foreground !== "running") return false;
    const open = this.#messages("s").filter(({ turn }) => turn === this.#turn);
    const old = n % 3 === 0 ? undefined : open[n % Math.max(1, open.length)];
    this.#sayIn("s", old, n);
    return true;
  }

  #sayIn(session: string, old: MessageItem | undefined, n: number): void {
    const kind = n % 5 === 0 ? "thought" : "agent";
    const item = old ?? { kind, id: `m${++this.#ids}`, session, turn: this.#turn, text: "" };
    const text = `${++this.#ids} `;
    item.text += text;
    this.#place(item);
    this.#update(session, `agent_${item.kind === "agent" ? "message" : "thought"}_chunk`, {
      messageId: item.id,
      content: block(text),
    });
  }

  #sayWhole(n: number): boolean {
    if (this.foreground !== "running") return false;
    const open = this.#messages("s").filter(({ turn }) => turn === this.#turn);
    const item = open[n % Math.max(1, open.length)];
    if (!item) return false;
    if (n % 2 === 0) item.text = `${++this.#ids} instead `;
    this.#update("s", `agent_${item.kind === "agent" ? "message" : "thought"}`, {
      ...{ messageId: item.id, content: [block(item.text)] },
    });
    return true;
  }

  #messages(session: string): readonly MessageItem[] {
    return this.items.filter(
      (item): item is MessageItem => (item.kind === "agent" || item.kind === "thought") && item.session === session,
    );
  }

  #calls(): readonly CallItem[] {
    return this.items.filter(item => item.kind === "call");
  }

  #children(): readonly ChildItem[] {
    return this.items.filter(item => item.kind === "child");
  }

  #call(session: string, n: number): boolean {
    if (session === "s" && this.foreground !== "running") return false;
    const id = `c${++this.#ids}`;
    const call: CallItem = {
      ...{ kind: "call", id, session, turn: this.#turn, title: `Call ${id}`, status: "in_progress", texts: [] },
      ...(n % 3 === 0 && { terminal: { id: `x${id}`, output: "" } }),
      ...{ canCancel: n % 2 === 0, offeredCancel: n % 2 === 0, isBackground: false },
    };
    this.#place(call);
    this.#update(session, "tool_call_update", this.#wholeCall(call));
    return true;
  }

  #wholeCall({ id, title, status, canCancel, terminal, texts }: CallItem): object {
    const content = [
      ...(terminal ? [{ type: "terminal", terminalId: terminal.id }] : []),
      ...texts.map(text => ({ type: "content", content: block(text) })),
    ];
    return {
      ...{ toolCallId: id, title, status, capabilities: canCancel ? { cancel: {} } : null },
      ...(content.length > 0 && { content }),
    };
  }

  /** The calls that can change now: those of the running turn, and those of the background. */
  #openCalls(): readonly CallItem[] {
    return this.#calls().filter(call => {
      if (isOver(call)) return false;
      if (call.session !== "s") return this.#isRunning(call.session);
      return call.isBackground || (call.turn === this.#turn && this.foreground !== "idle");
    });
  }

  #isRunning(child: string): boolean {
    return this.#children().some(({ id, state }) => id === child && state === "running");
  }

  #callPiece(n: number): boolean {
    const open = this.#openCalls();
    const call = open[n % Math.max(1, open.length)];
    if (!call) return false;
    const text = `piece ${++this.#ids}`;
    call.texts.push(text);
    this.#update(call.session, "tool_call_content_chunk", {
      ...{ toolCallId: call.id, content: { type: "content", content: block(text) } },
    });
    return true;
  }

  #callStatus(n: number): boolean {
    const open = this.#openCalls();
    const call = open[n % Math.max(1, open.length)];
    if (!call) return false;
    this.#setStatus(call, (["completed", "completed", "failed", "pending", "in_progress"] as const)[n % 5] ?? "failed");
    return true;
  }

  #setStatus(call: CallItem, status: CallItem["status"]): void {
    call.status = status;
    if (isOver(call)) call.canCancel = false;
    this.#update(call.session, "tool_call_update", {
      ...{ toolCallId: call.id, status, ...(isOver(call) && { capabilities: null }) },
    });
    if (isOver(call)) this.#withdrawQuestions(call);
    // The list of the background work no longer has the call.
    if (isOver(call) && call.isBackground) this.#state();
  }

  /** The end of a turn closes its questions in any case. */
  #withdrawQuestions(call: CallItem): void {
    for (const [requestId, { id, session, isBackground }] of this.#questions) {
      if (id !== call.id || (session === "s" && !isBackground && this.#ids % 2 === 0)) continue;
      this.#questions.delete(requestId);
      this.#out({ method: "$/cancel_request", params: { requestId } });
    }
  }

  #output(n: number): boolean {
    const open = this.#openCalls().filter(({ terminal }) => terminal);
    const call = open[n % Math.max(1, open.length)];
    if (!call?.terminal) return false;
    const text = `line ${++this.#ids}\n`;
    call.terminal.output += text;
    this.#update(call.session, "terminal_output_chunk", { terminalId: call.terminal.id, data: base64(text) });
    return true;
  }

  #ask(n: number): boolean {
    const open = this.#openCalls().filter(({ isBackground }) => !isBackground);
    const call = open[n % Math.max(1, open.length)];
    if (!call || !this.send || this.foreground === "idle") return false;
    const id = `q${++this.#ids}`;
    this.#questions.set(id, call);
    const options = [{ optionId: "y", name: "Yes", kind: "allow_once" }];
    const subject = { type: "tool_call", toolCall: { toolCallId: call.id } };
    const params = { sessionId: call.session, title: `May I ${id}?`, subject, options };
    this.#out({ id, method: "session/request_permission", params });
    return true;
  }

  // Background work

  #toBackground(n: number): boolean {
    if (!this.features.background) return false;
    const open = this.#openCalls().filter(({ isBackground, session }) => !isBackground && session === "s");
    const call = open[n % Math.max(1, open.length)];
    if (!call) return false;
    call.isBackground = true;
    this.#state();
    return true;
  }

  #startChild(): boolean {
    if (!this.features.background || this.foreground !== "running" || this.#children().length > 2) return false;
    const child: ChildItem = { kind: "child", id: `child${++this.#ids}`, state: "running" };
    this.#place(child);
    this.#update("s", "subagent_update", {
      ...{ sessionId: child.id, title: child.id, state: { state: "running" }, capabilities: { cancel: {} } },
    });
    this.#state();
    return true;
  }

  #runningChild(n: number): ChildItem | undefined {
    const running = this.#children().filter(({ state }) => state === "running");
    return running[n % Math.max(1, running.length)];
  }

  #childSay(n: number): boolean {
    const child = this.#runningChild(n);
    if (!child) return false;
    const open = this.#messages(child.id);
    this.#sayIn(child.id, n % 3 === 0 ? undefined : open[n % Math.max(1, open.length)], n);
    return true;
  }

  #childCall(n: number): boolean {
    const child = this.#runningChild(n);
    return child !== undefined && this.#call(child.id, n);
  }

  #childState(n: number): boolean {
    const children = this.#children();
    const child = children[n % Math.max(1, children.length)];
    if (!child) return false;
    if (child.state === "running") return this.#endChild(child);
    if (this.foreground !== "running") return false;
    child.state = "running";
    this.#update("s", "subagent_update", { sessionId: child.id, state: { state: "running" } });
    this.#state();
    return true;
  }

  #endChild(child: ChildItem): boolean {
    for (const call of this.#calls())
      if (call.session === child.id && !isOver(call)) this.#setStatus(call, "completed");
    child.state = "idle";
    const state = { state: "idle", stopReason: "end_turn", background: [] };
    this.#update(child.id, "state_update", state);
    this.#update("s", "subagent_update", { sessionId: child.id, state });
    this.#state();
    return true;
  }

  // The connection

  /** The client is gone. The agent works on, and prompts that it only holds are gone, too. */
  disconnect(): void {
    this.send = undefined;
    this.#questions.clear();
    this.isKnownBusy = false;
    this.#hasEchoed = false;
    for (const { item } of this.#prompts) {
      if (!item) continue;
      this.#place(item);
      item.echoed = "whole";
    }
    for (const item of this.items) if (item.kind === "user") item.echoed = "whole";
    this.#prompts = this.#prompts
      .filter(({ state }) => state === "inserted")
      .map(prompt => ({ ...prompt, isAnswered: true, isEarlier: true }));
  }

  /** Repeats the conversation, as `session/resume` asks it to. At most `max` messages. */
  replay(n: number, max = Infinity): void {
    const lines: (() => void)[] = [];
    for (const item of this.items) {
      if (item.kind === "user") lines.push(() => this.#echoWhole(item, n));
      else if (item.kind === "call") {
        lines.push(() => this.#update(item.session, "tool_call_update", this.#wholeCall(item)));
        const { terminal } = item;
        if (terminal)
          lines.push(() =>
            this.#update(item.session, "terminal_update", {
              ...{ terminalId: terminal.id, output: { data: base64(terminal.output) } },
            }),
          );
      } else if (item.kind !== "child") lines.push(...this.#replayMessage(item, n));
    }
    for (const line of lines.slice(0, max)) line();
  }

  #echoWhole({ id, text }: UserItem, n: number): void {
    if (n % 2 === 0) return this.#update("s", "user_message", { messageId: id, content: [block(text)] });
    const half = Math.ceil(text.length / 2);
    this.#update("s", "user_message_chunk", { messageId: id, content: block(text.slice(0, half)) });
    this.#update("s", "user_message_chunk", { messageId: id, content: block(text.slice(half)) });
  }

  #replayMessage({ kind, id, session, text }: MessageItem, n: number): readonly (() => void)[] {
    const name = kind === "agent" ? "agent_message" : "agent_thought";
    if (n % 3 === 0) return [() => this.#update(session, name, { messageId: id, content: [block(text)] })];
    const pieces = text.match(/.{1,7}/g) ?? [];
    return pieces.map(piece => () => this.#update(session, `${name}_chunk`, { messageId: id, content: block(piece) }));
  }

  /** The state that an agent reports before it answers `session/resume`. */
  resumeState(n: number): void {
    this.#state(n % 2 === 0 ? this.#lastReason : undefined);
  }

  // What a client has to show

  /** Everything that the agent still has to do is done, except that turns of held prompts are left. Returns whether anything was. */
  finishSome(n: number): boolean {
    return (
      this.#giveBack(n) ||
      this.#answer(n) ||
      this.#echo(n) ||
      (this.foreground === "requires_action" && this.#run()) ||
      this.#openCalls().some(call => {
        // Some agents leave calls of a turn open.
        if (!call.isBackground && call.session === "s" && n % 3 === 0) return false;
        this.#setStatus(call, "completed");
        return true;
      }) ||
      this.#children().some(child => child.state === "running" && this.#endChild(child)) ||
      this.#insert(1) ||
      this.#insert(2) ||
      (this.#unbegun().length > 0 && this.#run()) ||
      (this.foreground !== "idle" && this.#end(n))
    );
  }

  /** Whether nothing is left to do: no foreground work, no prompt, and no background work. */
  get isAtRest(): boolean {
    return (
      this.foreground === "idle" &&
      this.#background().length === 0 &&
      this.#unbegun().length === 0 &&
      this.#prompts.every(({ isAnswered }) => isAnswered)
    );
  }

  /** The texts of the messages and calls, by their keys in the conversation. */
  get shown(): ReadonlyMap<string, string> {
    const id = (item: { readonly session: string; readonly id: string }): string =>
      item.session === "s" ? item.id : `${item.session}/${item.id}`;
    return new Map(
      this.items.flatMap((item): readonly (readonly [string, string])[] => {
        if (item.kind === "user") return [[`m:user:${item.id}`, item.text]];
        if (item.kind === "child") return [[`t:subagent:${item.id}`, ""]];
        if (item.kind !== "call") return [[`m:${item.kind}:${id(item)}`, item.text]];
        const terminal = item.terminal ? `[${item.terminal.output}]` : "";
        return [[`t:${id(item)}`, `${isOver(item) ? item.status : "open"} ${terminal}${item.texts.join("|")}`]];
      }),
    );
  }

  #update(sessionId: string, sessionUpdate: string, fields: object): void {
    const update = { sessionUpdate, ...fields };
    this.#out({ method: "session/update", params: { sessionId, update } });
  }

  #out(message: object): void {
    this.send?.(message);
  }
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
