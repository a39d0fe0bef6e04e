// One session: stamps and logs events, holds the state, runs prompt, stop, answer and setOption.
import { asError, asProblem, type Problem } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import { turnEnded } from "./activity.ts";
import { isBackgroundQuestion, isStopped, isWorking } from "./background/background.ts";
import { QuietTimer } from "./background/quietTimer.ts";
import type { AgentClient, PermissionQuestion, WriteResult } from "./agent.ts";
import type {
  BackgroundWork,
  ConnectionState,
  ContentBlock,
  LoggedEvent,
  QuestionAnswer,
  SessionEvent,
  SessionLink,
} from "./events.ts";
import { ChoiceApplier } from "./choiceApplier.ts";
import type { FormAnswer, FormRequest } from "./forms/form.ts";
import { FormBroker, suffixedRequest } from "./forms/formBroker.ts";
import { promptsOfLostAgent } from "./opening/promptsOfLostAgent.ts";
import { withInput } from "./ownInput.ts";
import { PromptDelivery, type PromptLink } from "./promptDelivery.ts";
import { Participants, type AgentActions } from "./participant.ts";
import { QueueEditor } from "./queueEditor.ts";
import { nextState } from "./log/replay.ts";
import { AgentSessionIds } from "./opening/agentSessionIds.ts";
import { AgentLoss } from "./opening/agentLoss.ts";
import { LostQuestions } from "./opening/lostQuestions.ts";
import { Reconnection, reconnectingProblem } from "./opening/reconnection.ts";
import {
  readsConversationAgain,
  openAgentSession,
  surroundingsFor,
  openingNotice,
} from "./opening/openAgentSession.ts";
import type { SessionOptions, SessionServices } from "./sessionServices.ts";
import { endedWork, interruptedEvents } from "./log/interruptedEvents.ts";
import { returnedPrompt, SignInOffers } from "./signIn.ts";
import { SilenceTimer } from "./silence.ts";
import { emptySession, isBusy, toolKey, type SessionState } from "./state.ts";

/** After Stop, the time until the user is offered to restart an agent that has not ended the turn. Milliseconds. */
const maxStopWait = 5000;
const maxTitleLength = 200;

/** The open session at the agent. */
interface AgentLink extends PromptLink {
  readonly link: Disposable;
}

export class Session implements Disposable {
  readonly id: string;
  readonly #options: SessionOptions;
  readonly #services: SessionServices;
  readonly #participants: Participants;
  readonly #choices: ChoiceApplier;
  readonly #signIn: SignInOffers;
  readonly #changed = new Emitter<SessionState>();
  /** Fires after each event, with the state it led to. */
  readonly onDidChange: Event<SessionState> = this.#changed.event;
  /** The open forms and web addresses. */
  readonly forms: FormBroker;
  #state: SessionState = emptySession;
  #seq = 0;
  #agentLink: AgentLink | undefined;
  #opening: Promise<void> | undefined;
  /** The number of restarts and cancelled starts. Outcomes of an earlier start are ignored. */
  #restarts = 0;
  /** Runs from Stop until the end of the turn. */
  #stopTimer: Disposable | undefined;
  /** Ends the preparation of the folder. */
  #preparing: AbortController | undefined;
  readonly #quietTimer: QuietTimer;
  readonly #silenceTimer: SilenceTimer;
  readonly #reconnection: Reconnection;
  readonly #lostQuestions = new LostQuestions();
  readonly #prompts: PromptDelivery;
  /** Changes the prompts that are not sent yet. */
  readonly queue: QueueEditor;
  #disposed = false;

  constructor(options: SessionOptions) {
    this.id = options.id;
    this.#options = options;
    this.#services = options.createServices(event => {
      this.#dispatch(event);
      // After Stop, a question of Parley's own would delay the end of the turn, so it is cancelled. The delay lets a rule
      // that answers the question be recorded as the one that did.
      if (event.type === "askOpened" && this.#state.cancelling)
        queueMicrotask(() => this.#state.cancelling && this.#cancelQuestionsOfStop());
    });
    this.forms = new FormBroker({ report: event => this.#dispatch(event), newId: options.newId });
    this.#signIn = new SignInOffers(options.agent.name);
    this.#quietTimer = new QuietTimer(options.clock, () => this.#dispatch({ type: "backgroundEnded" }));
    this.#silenceTimer = new SilenceTimer(options.clock, since => this.#dispatch({ type: "agentSilent", since }));
    this.#reconnection = new Reconnection({
      clock: options.clock,
      connection: options.connection,
      // An attempt to open that is about to fail must not take the place of this one.
      onConnected: () => {
        const restarts = this.#restarts;
        void (this.#opening ?? Promise.resolve()).then(() => (restarts === this.#restarts ? this.open() : undefined));
      },
      onGivenUp: problem => this.#handleAgentLoss(problem),
    });
    const { participants = [] } = this.#services;
    this.#participants = new Participants({ participants, clock: options.clock, log: options.log });
    this.#participants.begin(this.#agentActions());
    this.#choices = new ChoiceApplier({
      agentName: options.agent.name,
      clock: options.clock,
      state: () => this.#state,
      agentSession: () => (this.#agentLink?.hasEnded() === false ? this.#agentLink.session : undefined),
      dispatch: event => this.#dispatch(event),
      onApplied: () => this.#prompts.sendNext(),
      initial: options.initialChoices,
    });
    this.#prompts = new PromptDelivery({
      agentName: options.agent.name,
      state: () => this.#state,
      link: () => this.#agentLink,
      dispatch: event => this.#dispatch(event),
      participants: this.#participants,
      pages: this.#services.pages,
      log: options.log,
      pause: () => this.#setQueuePaused(true),
      onForgotten: () => this.#openAgain(),
    });
    this.queue = new QueueEditor({
      prompts: this.#prompts,
      state: () => this.#state,
      dispatch: event => this.#dispatch(event),
      sendNext: () => {
        if (!this.#state.queuePaused) this.#sendQueue();
      },
    });
    if (options.earlier) {
      this.#state = options.earlier.state;
      this.#seq = options.earlier.nextSeq;
    }
    if (this.#state.agent === null) {
      const { agent, workspaceFolder: cwd } = options;
      this.#dispatch({ type: "opened", agent: agent.id, agentName: agent.name, cwd, choices: true });
    } else this.#closeInterruptedTurn();
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Starts the agent and opens the session there. Resolves on success and on failure; the state shows which. */
  open(): Promise<void> {
    if (this.#opening) return this.#opening;
    const opening = this.#open().finally(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
    this.#opening = opening;
    return opening;
  }

  async #open(): Promise<void> {
    if (this.#agentLink || this.#disposed) return;
    const { connection, agent } = this.#options;
    const restarts = this.#restarts;
    const isStale = (): boolean => this.#disposed || restarts !== this.#restarts;
    try {
      if (this.#services.prepareFolder) {
        this.#reportConnection("starting");
        this.#preparing = new AbortController();
        await this.#services.prepareFolder(this.#preparing.signal);
        if (isStale()) return;
      }
      const running = await connection.connect((state, detail) => {
        if (!isStale()) this.#reportConnection(state, detail);
      });
      if (isStale()) return;
      const { resumption, earlier: restored } = this.#options;
      // The agent has read the conversation already if it opened a session since the log was read.
      const isRestored = this.#state.connections === restored?.state.connections;
      const gate = isRestored && readsConversationAgain(running.agent, this.#state) ? resumption : undefined;
      if (gate && !(await gate.mayContinue(this.#state))) {
        if (!isStale()) this.#reportConnection("closed");
        return;
      }
      if (isStale()) return;
      this.#reportConnection("opening");
      const loss = new AgentLoss(running, problem => {
        if (!isStale()) this.#handleAgentLoss(problem);
      });
      const ids = new AgentSessionIds(id => this.#state.terminals.get(id)?.own === true);
      const surroundings = await surroundingsFor(running.agent.info, this.#options);
      const earlier = this.#state;
      const repeated = new Set<string>();
      const client = this.#createClient(ids, repeated);
      const opened = await openAgentSession(running.agent, earlier, surroundings, client).catch(
        async (error: unknown) => {
          if (!isStale()) await loss.whenReported(this.#options.clock);
          loss.dispose();
          throw asError(error);
        },
      );
      const { session } = opened;
      if (isStale() || loss.problem) {
        session.dispose();
        loss.dispose();
        return;
      }
      for (const event of promptsOfLostAgent(this.#state, repeated)) {
        if (event.type === "promptReturned") this.#setQueuePaused(true);
        this.#dispatch(event);
      }
      const { image, audio, embeddedContext } = running.agent.info.capabilities;
      const accepts = { image, audio, embeddedContext };
      this.#agentLink = { session, accepts, ids, link: loss, hasEnded: () => running.hasEnded() };
      this.#reconnection.opened();
      // Questions that a restart closed were not lost.
      this.#lostQuestions.take(agent.name, 0);
      const steers = session.sendWhileRunning && ({ steers: true } as const);
      if (earlier.connections === 0) this.#choices.begin();
      this.#dispatch({ type: "connection", state: "ready", accepts, ...steers });
      const title = openingNotice(opened, agent.name, earlier);
      if (title !== undefined) this.addNotice(title);
      this.#prompts.sendNext();
    } catch (error) {
      if (!isStale() && this.#state.lost === null) this.#handleAgentLoss(asProblem(error));
    }
  }

  /**
   * Queues a prompt, which is sent when the agent is ready and idle. Starts the agent again if it was lost. Returns the id of
   * the prompt; undefined if it is empty.
   */
  send(content: readonly ContentBlock[]): string | undefined {
    if (content.length === 0) return undefined; // Never send an empty prompt: some agents hang on one for good.
    const prompt = this.#options.newId();
    this.#setQueuePaused(false);
    this.#dispatch({ type: "promptSent", submission: prompt, content });
    this.#sendQueue();
    return prompt;
  }

  /** Adds a notice to the transcript, with a link to another session if there is one. The agent does not see it. */
  addNotice(title: string, link?: SessionLink): void {
    this.#dispatch({ type: "notice", severity: "info", title, ...(link && { link }) });
  }

  /** Sets the user's own title; an empty one restores the agent's. */
  rename(title: string): void {
    const line = title.replace(/\s+/g, " ").trim().slice(0, maxTitleLength);
    this.#dispatch({ type: "titled", title: line === "" ? null : line });
  }

  /** Stops the running turn and sends the queued prompt next. */
  sendNow(promptId: string): void {
    const waiting = this.#prompts.queued;
    const [first] = waiting;
    const prompt = waiting.find(s => s.id === promptId);
    if (!first || !prompt) return;
    if (prompt.isOnHold) this.#dispatch({ type: "promptOnHold", submission: promptId, onHold: false });
    if (first.id !== promptId) this.#dispatch({ type: "promptMoved", submission: promptId, before: first.id });
    if (isBusy(this.#state)) this.#cancelWork();
    this.resumeQueue();
  }

  /** Sends a queued prompt into the running turn, if the agent accepts it there. */
  sendWhileRunning(promptId: string): void {
    this.#prompts.sendWhileRunning(promptId);
  }

  /** Sends the prompts that wait since a stop or a failure. Starts the agent again if it was lost. */
  resumeQueue(): void {
    this.#setQueuePaused(false);
    this.#sendQueue();
  }

  #sendQueue(): void {
    if (!this.#agentLink) void this.open();
    this.#prompts.sendNext();
  }

  /** Pausing an empty queue changes nothing, because the next prompt would resume it. */
  #setQueuePaused(paused: boolean): void {
    if (this.#state.queuePaused === paused || (paused && this.#prompts.queued.length === 0)) return;
    this.#dispatch({ type: "queuePaused", paused });
  }

  /**
   * Ends the turn and the background work: answers open questions with `cancelled`. Updates are accepted until the agent
   * reports the end.
   */
  stop(): void {
    if (this.#prompts.isPreparing || isBusy(this.#state)) this.#setQueuePaused(true);
    if (isWorking(this.#state)) this.#cancelWork();
  }

  #cancelWork(): void {
    const isTurn = isBusy(this.#state);
    const { background } = this.#state;
    if (isTurn) this.#dispatch({ type: "cancelRequested" });
    if (background?.reported && !isTurn) {
      this.#cancelQuestions();
      return this.#cancelBackground(background.reported);
    }
    if (background && !background.reported) this.#dispatch({ type: "backgroundEnded" });
    this.#cancelQuestionsOfStop();
    this.#agentLink?.session.cancel();
    if (isTurn) this.#stopTimer ??= this.#options.clock.after(maxStopWait, () => this.#endStopWait());
  }

  /**
   * An agent that is idle and has accepted the prompt, but reports no turn for it, has nothing to end. Any other agent that
   * has not ended its turn ignores Stop.
   */
  #endStopWait(): void {
    if (this.#state.activity.state === "idle")
      this.#dispatch({ type: "activity", state: "idle", stopReason: "cancelled", byParley: true });
    if (this.#state.cancelling) this.#dispatch({ type: "stopIgnored" });
  }

  /** Ends what can be ended alone. An agent must not get requests that it does not offer. */
  #cancelBackground(work: readonly BackgroundWork[]): void {
    const failed = (error: unknown): void => this.addNotice(asProblem(error).message);
    let others = 0;
    for (const { toolCallId, terminalId } of work) {
      if (toolCallId !== undefined && this.#canCancelTool(toolCallId)) this.cancelTool(toolCallId).catch(failed);
      else if (terminalId !== undefined && this.#state.terminals.get(terminalId)?.canCancel)
        this.killTerminal(terminalId).catch(failed);
      else others++;
    }
    const { name } = this.#options.agent;
    if (others === 1) this.addNotice(t("{0} does not let Parley stop a background task.", name));
    if (others > 1) this.addNotice(t("{0} does not let Parley stop {1} background tasks.", name, others));
  }

  #canCancelTool(toolCallId: string): boolean {
    const entry = this.#state.entries.get(toolKey(toolCallId));
    return entry?.kind === "tool" && entry.fields.canCancel === true;
  }

  #endStopTimer(): void {
    this.#stopTimer?.dispose();
    this.#stopTimer = undefined;
  }

  answer(questionId: string, option: string): void {
    this.#services.answer(questionId, option);
  }

  /** An open question as the agent asked it. */
  question(questionId: string): PermissionQuestion | undefined {
    return this.#services.question(questionId);
  }

  /** Ends a command that Parley runs. Rejects with a Refusal when there is no terminal with that id. */
  async killTerminal(terminalId: string): Promise<void> {
    const id = this.#agentLink?.ids.agentId(terminalId);
    if (id !== undefined && this.#state.terminals.get(terminalId)?.canCancel)
      return this.#agentLink?.session.cancelTerminal?.(id);
    return this.#services.killTerminal(terminalId);
  }

  /** Ends a tool call, or a sub-agent, if it offers that. Rejects with a ProblemError. */
  async cancelTool(toolCallId: string): Promise<void> {
    if (!this.#canCancelTool(toolCallId)) return;
    const id = this.#agentLink?.ids.agentId(toolCallId);
    if (id !== undefined) await this.#agentLink?.session.cancelTool(id);
  }

  /**
   * Sets an option, and keeps its value in later sessions of the agent. Rejects with a ProblemError when the agent
   * refuses. While the agent is not connected, the value waits for it.
   */
  setOption(id: string, value: string | boolean): Promise<void> {
    return this.#choices.choose(id, value);
  }

  /** Sends the queued prompts although the agent refused choices of the user. */
  sendAnyway(): void {
    this.#dispatch({ type: "choicesWaived" });
    this.resumeQueue();
  }

  /**
   * The user has signed in. Opens the session once more, in a new process of the agent if `restarts`. A prompt that the
   * agent refused for lack of the sign-in goes on, unless the user has changed or withdrawn it.
   */
  async signedIn(restarts: boolean): Promise<void> {
    this.#signIn.isTried = true;
    this.#dispatch({ type: "signedIn" });
    await (restarts ? this.restart() : this.open());
    if (this.#agentLink && this.#prompts.takeRefused()) this.resumeQueue();
  }

  /** Offers to sign in again, because the user tries again. */
  offerSignIn(): void {
    this.#signIn.isTried = false;
  }

  /** Ends the agent's process and starts it again. The conversation stays. */
  async restart(): Promise<void> {
    const restarts = ++this.#restarts;
    this.#reconnection.dispose();
    this.#detach();
    for (const event of endedWork(this.#state)) this.#dispatch(event);
    this.#dispatch({ type: "connection", state: "starting" });
    const earlier = this.#opening;
    await this.#options.connection.restart();
    await earlier;
    // The user can cancel while the earlier process ends.
    if (restarts === this.#restarts) await this.open();
  }

  /** Ends the agent's process while Parley connects to it. The next prompt, or `open`, starts it again. */
  async cancelConnecting(): Promise<void> {
    if (this.#state.connection?.since === undefined || this.#disposed) return;
    this.#restarts++;
    this.#reconnection.dispose();
    this.#opening = undefined;
    this.#preparing?.abort();
    const { name } = this.#options.agent;
    const message = t("Connecting to {0} was cancelled. Retry, or send a message, to start it again.", name);
    this.#handleAgentLoss({ message, next: ["retry", "selectAgent", "showLog"] });
    await this.#options.connection.restart();
  }

  /** A window reload ends the running turn. */
  #closeInterruptedTurn(): void {
    this.#choices.restore();
    for (const event of interruptedEvents(this.#state, this.#options.agent.name)) this.#dispatch(event);
    this.#setQueuePaused(true);
  }

  #reportConnection(state: ConnectionState, detail?: string): void {
    this.#dispatch({ type: "connection", state, ...(detail !== undefined && { detail }) });
  }

  /** `repeated` gets the ids of the messages that the agent reports while the session opens. */
  #createClient(ids: AgentSessionIds, repeated: Set<string>): AgentClient {
    const services = this.#services;
    const participants = this.#participants;
    return {
      report: reported => {
        this.#silenceTimer.reported();
        const event = this.#signIn.event(ids.suffixEventIds(reported));
        const change = this.#dispatch(event);
        if (!this.#agentLink && (event.type === "message" || event.type === "messageChunk"))
          repeated.add(event.messageId);
        if (event.type === "agentSession") ids.use(this.#state.agentSession ?? 0);
        else if (event.type === "activity" && event.forgotten) queueMicrotask(() => this.#openAgain());
        if (change) participants.observe(event, change.before, change.after);
      },
      requestPermission: (question, signal) =>
        this.#lostQuestions.watch(() => this.#requestPermission(this.#withTool(question, ids), signal), signal),
      askForm: (request, signal) =>
        this.#lostQuestions.watch(() => this.#askForm(suffixedRequest(request, ids), signal), signal),
      completeAddress: id => this.forms.complete(id),
      readTextFile: async (request, signal) => {
        const text = await services.readTextFile(request, signal);
        participants.afterRead(request);
        return text;
      },
      writeTextFile: (request, signal) =>
        this.#writeFile(request.path, request.content, () => services.writeTextFile(request, signal)),
      createTerminal: (request, signal) => services.createTerminal(request, signal),
      terminalOutput: id => services.terminalOutput(id),
      waitForTerminalExit: (id, signal) => services.waitForTerminalExit(id, signal),
      killTerminal: id => services.killTerminal(id),
      releaseTerminal: id => services.releaseTerminal(id),
    };
  }

  async #writeFile(path: string, text: string, write: () => Promise<WriteResult>): Promise<void> {
    const { result } = await this.#participants.aroundWrite(path, text, write);
    if (result) this.#dispatch({ type: "fileResult", path, ...result });
  }

  #agentActions(): AgentActions {
    return {
      state: () => this.#state,
      report: event => {
        const change = this.#dispatch(event);
        if (change) this.#participants.observe(event, change.before, change.after);
      },
      requestPermission: (question, signal) => this.#requestPermission(this.#withKnownTool(question), signal),
      askForm: (request, signal) => this.#askForm(request, signal),
      writeFile: (path, text, write) => this.#writeFile(path, text, write),
    };
  }

  #askForm(request: FormRequest, signal: AbortSignal): Promise<FormAnswer> {
    // After Stop, the turn must end instead of waiting for an answer, as with permissions.
    return isStopped(this.#state, request.toolCallId) ? Promise.resolve("cancelled") : this.forms.ask(request, signal);
  }

  #requestPermission(question: PermissionQuestion, signal: AbortSignal): Promise<QuestionAnswer> {
    // After Stop, the turn must end instead of waiting for an answer (spec page "Prompt Turn").
    if (isStopped(this.#state, question.toolCallId)) {
      const { tool: _, ...asked } = question;
      this.#dispatch({ type: "askOpened", ask: this.#options.newId(), ...asked, answer: "cancelled" });
      return Promise.resolve("cancelled");
    }
    this.#participants.beforeQuestion(question);
    return this.#services.requestPermission(question, signal);
  }

  #cancelQuestions(): void {
    this.#services.cancelQuestions();
    this.forms.cancelAll();
  }

  /** An agent that reports its background work keeps it when a turn is stopped, with its questions and forms. */
  #cancelQuestionsOfStop(): void {
    if (!this.#state.background?.reported) return this.#cancelQuestions();
    this.#cancelQuestionsOfTurn();
    this.forms.cancelAll(ask => !isBackgroundQuestion(this.#state, undefined, ask));
  }

  #withTool(question: PermissionQuestion, ids: AgentSessionIds): PermissionQuestion {
    if (question.toolCallId === undefined) return question;
    return this.#withKnownTool({ ...question, toolCallId: ids.suffixId(question.toolCallId) });
  }

  #withKnownTool(question: PermissionQuestion): PermissionQuestion {
    if (question.toolCallId === undefined) return question;
    const entry = this.#state.entries.get(toolKey(question.toolCallId));
    return { ...question, ...(entry?.kind === "tool" && { tool: withInput(entry) }) };
  }

  /** The agent no longer has its session, so it gets a new one. */
  #openAgain(): void {
    if (!this.#agentLink || !this.#state.agentForgot) return;
    this.#detach();
    void this.open();
  }

  #handleAgentLoss(reported: Problem): void {
    const wasOpen = this.#agentLink !== undefined || this.#reconnection.isTrying;
    const { reconnects, ...last } = reported;
    const problem = wasOpen && this.#reconnection.begin(reported) ? reconnectingProblem(reported) : last;
    const open = this.#state.questions.filter(({ answer }) => answer === undefined).length;
    const closed = this.#lostQuestions.take(this.#options.agent.name, open);
    this.#detach();
    // A prompt that was lost with the agent is not sent again automatically, and the prompts behind it wait too.
    if (isBusy(this.#state)) this.#setQueuePaused(true);
    this.#cancelQuestions();
    this.#dispatch({ type: "agentLost", problem: this.#signIn.lost(problem, this.#state) });
    if (closed !== undefined && reconnects) this.addNotice(closed);
  }

  /** `closes`: the agent session is no longer needed. */
  #detach(closes = false): void {
    const remote = this.#agentLink;
    this.#agentLink = undefined;
    this.#endStopTimer();
    remote?.link.dispose();
    if (closes) remote?.session.close();
    else remote?.session.dispose();
    this.#choices.agentGone();
    this.#cancelQuestions();
    // No agent is left that could use them.
    this.#services.endTerminals();
  }

  /** Returns the states before and after the event; undefined once the session is disposed. */
  #dispatch(event: SessionEvent): { readonly before: SessionState; readonly after: SessionState } | undefined {
    if (this.#disposed) return undefined;
    const logged: LoggedEvent = { seq: this.#seq++, at: this.#options.clock.now(), event };
    this.#options.onLog?.(logged);
    const before = this.#state;
    const after = nextState(before, logged, this.#options.log);
    this.#state = after;
    if (after === before) return { before, after };
    // Comes before anything that dispatches further events, so that participants get the changes in order.
    this.#participants.stateChanged(before, after);
    this.#prompts.stateChanged(before, after);
    if (turnEnded(before, after)) this.#handleTurnEnd();
    else if (!isBusy(after)) this.#endStopTimer();
    this.#choices.stateChanged(before, after);
    this.forms.stateChanged(after);
    this.#quietTimer.stateChanged(after);
    this.#silenceTimer.stateChanged(after);
    this.#changed.fire(this.#state);
    return { before, after };
  }

  #cancelQuestionsOfTurn(): void {
    this.#services.cancelQuestions(({ toolCallId }, ask) => !isBackgroundQuestion(this.#state, toolCallId, ask));
  }

  #handleTurnEnd(): void {
    this.#reconnection.turnEnded();
    // After Stop, the agent can still hold prompts.
    if (!this.#state.cancelling) this.#endStopTimer();
    // After the turn, none of its requests waits for an answer.
    this.#cancelQuestionsOfTurn();
    const { stopReason } = this.#state.activity;
    for (const event of returnedPrompt(this.#state, this.#prompts.queued[0], this.#options.newId)) {
      if (event.type === "promptSent") this.#prompts.refused({ id: event.submission, content: event.content });
      this.#dispatch(event);
    }
    if (stopReason === "error") this.#setQueuePaused(true);
    // Not from within a dispatch, so that the events of the next turn come after the events of this one.
    queueMicrotask(() => this.#prompts.sendNext());
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#reconnection.dispose();
    this.#detach(true);
    this.forms.dispose();
    this.#quietTimer.dispose();
    this.#silenceTimer.dispose();
    this.#disposed = true;
    this.#prompts.dispose();
    this.#services.dispose();
    this.#participants.dispose();
    this.#changed.dispose();
  }
}
