// One session: stamps and logs events, holds the state, runs prompt, stop, answer and setOption.
import { ProblemError, asError, asProblem, type Problem } from "../base/errors.ts";
import { Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import type { Clock, Log } from "../base/log.ts";
import type { Agent, AgentClient, AgentSession, PermissionQuestion } from "./agent.ts";
import type { ConnectionState, Content, Logged, SessionEvent } from "./events.ts";
import { fitContent, type Accepts } from "./promptContentForAgent.ts";
import { withWords } from "./promptQueue.ts";
import { joinChunks } from "./joinChunks.ts";
import { reduce } from "./reduce.ts";
import { StartIds } from "./restartIds.ts";
import { empty, isBusy, toolKey, type SessionState } from "./state.ts";

/** What an agent may use here, for one session: files, terminals, questions. Disposing settles all it handed out. */
export interface Room extends Omit<AgentClient, "report">, Disposable {
  /** The user's answer to an open question. An answer that comes too late does nothing. */
  answer(ask: string, option: string): void;
  /** Answers every open question with `cancelled`. */
  cancelQuestions(): void;
  /** An open question as it was asked. */
  question(ask: string): PermissionQuestion | undefined;
  /** Ends every command: the agent that started them is gone. */
  endTerminals(): void;
  /** Told of what the agent reported, after the state has taken it in. */
  observe?(event: SessionEvent): void;
  /** Told that a prompt is about to go out, which waits for it a moment. */
  beforeTurn?(submission: string): Promise<void>;
}

/** How a session gets at its agent. Rejects with a ProblemError. */
export interface Connection {
  connect(onProgress: (state: ConnectionState, detail?: string) => void): Promise<{
    readonly agent: Agent;
    readonly onDidDie: Event<Problem>;
    /** Its connection has ended; `onDidDie` follows, unless it was asked to end. */
    hasEnded(): boolean;
  }>;
  /** Ends the agent's process, so that the next connect starts a new one. */
  restart(): Promise<void>;
}

export interface SessionOptions {
  readonly id: string;
  readonly agent: { readonly id: string; readonly name: string };
  readonly cwd: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: () => string;
  readonly connection: Connection;
  readonly makeRoom: (dispatch: (event: SessionEvent) => void) => Room;
  /** Gets each event, in order: what a store writes. */
  readonly onLog?: (logged: Logged) => void;
  /** The events of an earlier life of this session, if it has one. */
  readonly past?: readonly Logged[];
}

/** How long the death of an agent whose output has ended is waited for. Milliseconds. */
const patience = 2000;
/** How long a prompt waits for what is done before its turn. Milliseconds. */
const mostBeforeTurn = 2000;
const maxTitle = 200;

/** The agent's side of the session. */
interface Remote {
  readonly session: AgentSession;
  readonly accepts: Accepts;
  readonly ids: StartIds;
  readonly link: Disposable;
}

export class Session implements Disposable {
  readonly id: string;
  readonly #options: SessionOptions;
  readonly #room: Room;
  readonly #changed = new Emitter<SessionState>();
  /** Fires after each event, with the state it led to. */
  readonly onDidChange: Event<SessionState> = this.#changed.event;
  #state: SessionState = empty;
  #seq = 0;
  #remote: Remote | undefined;
  #opening: Promise<void> | undefined;
  /** How often the agent was restarted: what an earlier start comes to is no news any more. */
  #restarts = 0;
  /** Queued prompts wait for the user after a stop or a failure. */
  #held = false;
  /** The prompt whose turn is being prepared. The agent has not got it yet: it may still be changed or withdrawn. */
  #preparing: string | undefined;
  /** Ends the wait for it. */
  #endWait: (() => void) | undefined;
  /** The prompt that is being handed to the agent. */
  #sending: string | undefined;
  #wasBusy = false;
  #disposed = false;

  constructor(options: SessionOptions) {
    this.id = options.id;
    this.#options = options;
    this.#room = options.makeRoom(event => {
      this.#dispatch(event);
      // A question of our own after Stop would hold up the end of the turn. Later, so that a rule's answer is told as one.
      if (event.type === "askOpened" && this.#state.cancelling) queueMicrotask(() => this.#cancelQuestionsOfStopped());
    });
    for (const logged of joinChunks(options.past ?? [])) {
      this.#state = this.#reduced(logged);
      this.#seq = logged.seq + 1;
    }
    if (this.#state.agent === null) {
      this.#dispatch({ type: "opened", agent: options.agent.id, agentName: options.agent.name, cwd: options.cwd });
    } else this.#interrupted();
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Starts the agent and opens the session there. Settles when that succeeded or failed; the state tells which. */
  open(): Promise<void> {
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  async #open(): Promise<void> {
    if (this.#remote || this.#disposed) return;
    const { connection, agent, cwd } = this.#options;
    const again = this.#state.entries.length > 0;
    const restarts = this.#restarts;
    const isStale = (): boolean => this.#disposed || restarts !== this.#restarts;
    try {
      const running = await connection.connect((state, detail) => this.#connecting(state, detail));
      this.#connecting("opening");
      const died: { problem?: Problem } = {};
      let tell = (): void => {};
      const told = new Promise<void>(resolve => (tell = resolve));
      const link = running.onDidDie(problem => {
        died.problem = problem;
        if (!isStale()) this.#lose(problem);
        tell();
      });
      const ids = new StartIds(this.#state.starts + 1, id => this.#state.terminals.get(id)?.own === true);
      const session = await running.agent.open({ cwd }, this.#client(ids)).catch(async (error: unknown) => {
        // The stream's end is noticed before the process's, which knows more: a moment for its code and last words.
        if (running.hasEnded() && !died.problem) {
          const late = this.#options.clock.after(patience, tell);
          await told;
          late.dispose();
        }
        link.dispose();
        throw asError(error);
      });
      if (isStale() || died.problem) {
        session.dispose();
        link.dispose();
        return;
      }
      const { image, audio, embeddedContext } = running.agent.info.can;
      const accepts = { image, audio, embeddedContext };
      this.#remote = { session, accepts, ids, link };
      this.#dispatch({ type: "connection", state: "ready", accepts });
      if (again) {
        const title = `${agent.name} was started anew and does not remember this conversation.`;
        this.#dispatch({ type: "notice", severity: "info", title });
      }
      this.#pump();
    } catch (error) {
      if (!isStale() && this.#state.lost === null) this.#lose(asProblem(error));
    }
  }

  /** Queues a prompt; it is sent when the agent is ready and idle. A lost agent is started again for it. */
  send(content: readonly Content[]): void {
    if (content.length === 0) return; // Never an empty prompt: it wedges some agents for good.
    this.#held = false;
    this.#dispatch({ type: "promptSent", submission: this.#options.newId(), content });
    if (!this.#remote) void this.open();
    this.#pump();
  }

  /** Tells the user something in the transcript. The agent does not see it. */
  note(title: string): void {
    this.#dispatch({ type: "notice", severity: "info", title });
  }

  /** Gives the session a title of the user's own; an empty one gives the agent's back. */
  rename(title: string): void {
    const line = title.replace(/\s+/g, " ").trim().slice(0, maxTitle);
    this.#dispatch({ type: "titled", title: line === "" ? null : line });
  }

  /** Takes a prompt back that the agent has not got yet. */
  withdraw(submission: string): void {
    if (this.#waiting().some(s => s.id === submission)) this.#dispatch({ type: "promptWithdrawn", submission });
  }

  /** Gives a prompt other words that the agent has not got yet. One that nothing is left of is withdrawn. */
  editQueued(submission: string, text: string): void {
    const edited = this.#waiting().find(s => s.id === submission);
    if (!edited) return;
    if (withWords(edited.content, text).length === 0) return this.withdraw(submission);
    this.#dispatch({ type: "promptEdited", submission, text });
  }

  /** Moves a prompt that the agent has not got yet before another such, or behind all of them. */
  moveQueued(submission: string, before?: string): void {
    const ids = this.#waiting().map(s => s.id);
    if (!ids.includes(submission) || (before !== undefined && !ids.includes(before))) return;
    this.#dispatch({ type: "promptMoved", submission, ...(before !== undefined && { before }) });
  }

  /** Sends the queued prompt next: the running turn is stopped for it. */
  sendNow(submission: string): void {
    const waiting = this.#waiting();
    const [first] = waiting;
    if (!first || !waiting.some(s => s.id === submission)) return;
    if (first.id !== submission) this.#dispatch({ type: "promptMoved", submission, before: first.id });
    this.stop();
    this.#held = false;
    if (!this.#remote) void this.open();
    this.#pump();
  }

  /** Prompts that the agent has not got and is not getting. */
  #waiting(): SessionState["submissions"] {
    return this.#state.submissions.filter(s => s.messageId === undefined && s.id !== this.#sending);
  }

  /** Ends the turn: open questions are answered `cancelled`, updates are still taken until the agent says it is done. */
  stop(): void {
    if (this.#preparing !== undefined) this.#held = true;
    if (!isBusy(this.#state)) return;
    this.#held = true;
    this.#dispatch({ type: "cancelRequested" });
    this.#room.cancelQuestions();
    this.#remote?.session.cancel();
  }

  answer(ask: string, option: string): void {
    this.#room.answer(ask, option);
  }

  /** An open question as the agent asked it. */
  question(ask: string): PermissionQuestion | undefined {
    return this.#room.question(ask);
  }

  /** Ends a command that runs here. Rejects with a Refusal when there is none of that id. */
  killTerminal(terminalId: string): Promise<void> {
    return this.#room.killTerminal(terminalId);
  }

  /** Rejects with a ProblemError when the agent refuses. */
  async setOption(id: string, value: string | boolean): Promise<void> {
    await this.#remote?.session.setOption(id, value);
  }

  /** Ends the agent's process and starts it again. The conversation stays. */
  async restart(): Promise<void> {
    this.#restarts++;
    this.#detach();
    this.#dispatch({ type: "connection", state: "starting" });
    this.#settleTurn();
    const earlier = this.#opening;
    await this.#options.connection.restart();
    await earlier;
    await this.open();
  }

  /** Reloading the window ended whatever ran; say so, and forget what was on its way. */
  #interrupted(): void {
    const { submissions } = this.#state;
    const { name } = this.#options.agent;
    const wasBusy = isBusy(this.#state) || this.#state.asks.some(ask => ask.answer === undefined);
    for (const ask of this.#state.asks) {
      if (ask.answer === undefined) this.#dispatch({ type: "askClosed", ask: ask.id, answer: "cancelled" });
    }
    this.#settleTurn();
    this.#forgetWindow();
    this.#dispatch({ type: "connection", state: "closed" });
    if (wasBusy) {
      const title = `The window was closed or reloaded while ${name} was working, so its turn ended there.`;
      this.#dispatch({ type: "notice", severity: "warning", title });
    }
    this.#held = submissions.length > 0;
  }

  /** Commands ended with the window, and what files need of the user is found anew. */
  #forgetWindow(): void {
    for (const { id, own, exit } of this.#state.terminals.values()) {
      if (own && !exit) this.#dispatch({ type: "terminal", terminalId: id, exit: {} });
    }
    for (const entry of this.#state.entries) {
      const files = entry.kind === "tool" || entry.kind === "notice" ? (entry.files ?? []) : [];
      for (const { path } of files) this.#dispatch({ type: "file", path, note: null });
    }
  }

  #settleTurn(): void {
    if (isBusy(this.#state)) this.#dispatch({ type: "activity", state: "idle", stopReason: "cancelled" });
  }

  #connecting(state: ConnectionState, detail?: string): void {
    this.#dispatch({ type: "connection", state, ...(detail !== undefined && { detail }) });
  }

  #client(ids: StartIds): AgentClient {
    const room = this.#room;
    return {
      report: reported => {
        const event = ids.event(reported);
        this.#dispatch(event);
        room.observe?.(event);
      },
      // Asked when Stop was pressed already: the turn is to end, not to wait (spec page "Prompt Turn").
      requestPermission: (question, signal) =>
        this.#state.cancelling
          ? Promise.resolve("cancelled")
          : room.requestPermission(this.#withTool(question, ids), signal),
      readTextFile: (request, signal) => room.readTextFile(request, signal),
      writeTextFile: (request, signal) => room.writeTextFile(request, signal),
      createTerminal: (request, signal) => room.createTerminal(request, signal),
      terminalOutput: id => room.terminalOutput(id),
      waitForTerminalExit: (id, signal) => room.waitForTerminalExit(id, signal),
      killTerminal: id => room.killTerminal(id),
      releaseTerminal: id => room.releaseTerminal(id),
    };
  }

  #cancelQuestionsOfStopped(): void {
    if (this.#state.cancelling) this.#room.cancelQuestions();
  }

  #withTool(question: PermissionQuestion, ids: StartIds): PermissionQuestion {
    if (question.toolCallId === undefined) return question;
    const toolCallId = ids.id(question.toolCallId);
    const entry = this.#state.entries.get(toolKey(toolCallId));
    return { ...question, toolCallId, ...(entry?.kind === "tool" && { tool: entry.fields }) };
  }

  /**
   * Sends the next queued prompt if the agent can take one: one turn at a time (spec page "Prompt Turn"). `ready`: the
   * prompt whose turn was prepared just now.
   */
  #pump(ready?: string): void {
    const remote = this.#remote;
    const next = this.#state.submissions.find(s => s.messageId === undefined);
    if (!remote || !next || this.#held || this.#sending !== undefined || isBusy(this.#state)) return;
    if (this.#preparing !== undefined) return;
    if (this.#room.beforeTurn && ready !== next.id) return void this.#prepare(next.id);
    this.#sending = next.id;
    const fitted = fitContent(next.content, remote.accepts, this.#options.agent.name);
    const sent =
      "refused" in fitted
        ? Promise.reject(new ProblemError({ message: fitted.refused, next: [] }))
        : remote.session.prompt(fitted.content);
    sent
      .then(
        ({ messageId }) =>
          this.#dispatch({ type: "promptAccepted", submission: next.id, messageId: remote.ids.id(messageId) }),
        (error: unknown) => this.#dispatch({ type: "promptFailed", submission: next.id, problem: asProblem(error) }),
      )
      .finally(() => {
        this.#sending = undefined;
        this.#pump();
      });
  }

  /** Lets the room prepare a turn, for a limited time, and goes on whatever comes of it. Never rejects. */
  async #prepare(submission: string): Promise<void> {
    const { clock, log } = this.#options;
    this.#preparing = submission;
    const late = new Promise<"late">(resolve => (this.#endWait = () => resolve("late")));
    const timer = clock.after(mostBeforeTurn, () => this.#endWait?.());
    try {
      const came = await Promise.race([this.#room.beforeTurn?.(submission), late]);
      if (came === "late" && !this.#disposed)
        log.warn("A prompt went out before its turn was prepared: it took too long.");
    } catch (error) {
      log.warn("A turn could not be prepared.", asError(error).message);
    }
    timer.dispose();
    this.#endWait = undefined;
    this.#preparing = undefined;
    this.#pump(submission);
  }

  #lose(problem: Problem): void {
    this.#detach();
    // A prompt that went down with the agent is not sent again by itself, and what was queued behind it waits too.
    if (isBusy(this.#state)) this.#held = true;
    this.#room.cancelQuestions();
    this.#dispatch({ type: "agentLost", problem });
  }

  #detach(): void {
    const remote = this.#remote;
    this.#remote = undefined;
    remote?.link.dispose();
    remote?.session.dispose();
    this.#room.cancelQuestions();
    // Nobody is left who knows them.
    this.#room.endTerminals();
  }

  #dispatch(event: SessionEvent): void {
    if (this.#disposed) return;
    const logged: Logged = { seq: this.#seq++, at: this.#options.clock.now(), event };
    this.#options.onLog?.(logged);
    const before = this.#state;
    this.#state = this.#reduced(logged);
    if (this.#state === before) return;
    this.#afterTurn();
    this.#changed.fire(this.#state);
  }

  /** A fault of ours, or a log of a newer version: the event stays in the log, the session goes on without it. */
  #reduced(logged: Logged): SessionState {
    try {
      return reduce(this.#state, logged);
    } catch (error) {
      this.#options.log.error(`The event ${logged.event.type} could not be taken in.`, asError(error).stack);
      return this.#state;
    }
  }

  #afterTurn(): void {
    const busy = isBusy(this.#state);
    const ended = this.#wasBusy && !busy;
    this.#wasBusy = busy;
    if (!ended) return;
    // A question of a turn that is over has nobody to answer to.
    this.#room.cancelQuestions();
    const { stopReason } = this.#state.activity;
    if (stopReason === "error") this.#held = true;
    // Not from within a dispatch: the events of the next turn come after this one's.
    queueMicrotask(() => this.#pump());
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#detach();
    this.#disposed = true;
    this.#endWait?.();
    this.#room.dispose();
    this.#changed.dispose();
  }
}
