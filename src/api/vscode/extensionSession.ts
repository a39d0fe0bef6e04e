// One session, as the extension that has opened it uses it: its prompts, its state and its events.
import * as vscode from "vscode";
import { Sequencer } from "../../base/async.ts";
import { asError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import { DisposableStore } from "../../base/lifecycle.ts";
import type { ContentBlock } from "../../session/events.ts";
import type { Session } from "../../session/session.ts";
import { isBusy, latestPromptTurn, sessionTitle, type SessionState } from "../../session/state.ts";
import { currentId, promptOutcome, type PromptOutcome } from "../promptOutcome.ts";
import { offeredModes } from "../sessionModes.ts";
import { isHeldByUser, phaseProblem, sessionPhase } from "../sessionPhase.ts";
import { SessionReports, type SessionReport } from "../sessionReports.ts";
import type { ApiHost } from "./apiModule.ts";
import { checkToken } from "./cancellation.ts";
import { draftOf } from "./contextAttachments.ts";
import type { CallingExtension } from "./extensionConsents.ts";
import type {
  ParleySession,
  ParleySessionState,
  ParleyText,
  ParleyToolCall,
  ParleyTurn,
  ParleyTurnEnd,
} from "./parleyApi.ts";

/** The prompts of one session whose turns have not ended. */
const maxOpenPrompts = 10;

export interface ExtensionSessionOptions {
  readonly session: Session;
  readonly caller: CallingExtension;
  readonly host: Pick<ApiHost, "registry" | "prompts" | "secrets" | "show">;
  /** Throws with a sentence if the extension may no longer use Parley. */
  readonly check: () => void;
  /** Called once, when the object is of no more use. */
  readonly onEnded: () => void;
}

/** A prompt until the end of its turn. */
interface OpenPrompt {
  readonly resolve: (turn: ParleyTurn) => void;
  readonly reject: (error: Error) => void;
  /** Undefined while it is being prepared. */
  id?: string | undefined;
  isStopped?: true;
  /** What became of it, once that is known. */
  outcome?: Exclude<PromptOutcome, { type: "open" }>;
}

const senderSentence = ({ name, id }: CallingExtension): string =>
  t("The extension “{0}” ({1}) sends messages here.", name, id);

const stopped: ParleyTurn = { stopReason: "cancelled", text: "" };

export class ExtensionSession {
  /** What the extension gets. */
  readonly api: ParleySession;
  readonly #options: ExtensionSessionOptions;
  readonly #store = new DisposableStore();
  readonly #stateChanged = this.#store.add(new vscode.EventEmitter<ParleySessionState>());
  readonly #textReceived = this.#store.add(new vscode.EventEmitter<ParleyText>());
  readonly #toolCallChanged = this.#store.add(new vscode.EventEmitter<ParleyToolCall>());
  readonly #turnEnded = this.#store.add(new vscode.EventEmitter<ParleyTurnEnd>());
  readonly #sequencer = new Sequencer();
  /** Why the object is of no more use, as a sentence. */
  #end: string | undefined;
  #state: SessionState;
  #phase: ParleySessionState;
  readonly #reporter: SessionReports;
  #reports: SessionReport[] = [];
  #isFlushing = false;
  readonly #prompts = new Set<OpenPrompt>();
  /** The ids of all prompts that the extension has sent. */
  readonly #sent = new Set<string>();

  constructor(options: ExtensionSessionOptions) {
    this.#options = options;
    const { session, host } = options;
    this.#state = session.state;
    this.#phase = sessionPhase(this.#state);
    this.#reporter = new SessionReports(host.secrets);
    this.#store.add(
      host.registry.open.onDidChange(change => {
        if (this.#end !== undefined || !("session" in change) || change.session !== session) return;
        if (change.type === "closed") this.end(t("The session was closed."));
        else if (change.type === "changed") this.#changed();
      }),
    );
    this.api = this.#makeApi();
  }

  #makeApi(): ParleySession {
    const { session, host } = this.#options;
    const { agent, workspaceFolder } = session.state;
    const state = (): ParleySessionState => (this.#end === undefined ? sessionPhase(session.state) : "closed");
    const problem = (): string | undefined => this.#end ?? phaseProblem(session.state);
    const { hide } = host.secrets;
    return Object.freeze({
      id: session.id,
      agent: Object.freeze({ id: agent?.id ?? "", name: agent?.name ?? "" }),
      folder: vscode.Uri.file(workspaceFolder),
      get title() {
        return hide(sessionTitle(session.state));
      },
      get state() {
        return state();
      },
      get problem() {
        return problem();
      },
      get modes() {
        return offeredModes(session.state.options);
      },
      prompt: (prompt: unknown, token?: vscode.CancellationToken) => this.#prompt(prompt, token),
      stop: () => this.#stop(),
      show: async () => {
        this.#check();
        await host.show(session.id);
      },
      onDidChangeState: this.#stateChanged.event,
      onDidReceiveText: this.#textReceived.event,
      onDidChangeToolCall: this.#toolCallChanged.event,
      onDidEndTurn: this.#turnEnded.event,
      dispose: () => this.end(t("The session was disposed.")),
    });
  }

  /** Stops what the extension has sent, rejects its promises with the reason, and ends the events. */
  end(reason: string): void {
    if (this.#end !== undefined) return;
    const { session, host } = this.#options;
    for (const { id, reject } of this.#prompts) {
      reject(new Error(reason));
      if (id !== undefined) session.queue.withdraw(id);
    }
    const closes = this.#isUnused();
    if (!closes) this.#stop();
    this.#end = reason;
    this.#prompts.clear();
    queueMicrotask(() => {
      this.#stateChanged.fire("closed");
      this.#store.dispose();
    });
    // This also stops it.
    if (closes) host.registry.close(session);
    this.#options.onEnded();
  }

  /** Whether the user neither sees the session nor works with it. */
  #isUnused(): boolean {
    const { session, host } = this.#options;
    const { pendingPrompts, turnPrompt } = session.state;
    const isForeign = (id: string): boolean => !this.#sent.has(id);
    const isUsed =
      pendingPrompts.some(({ id }) => isForeign(id)) ||
      (isBusy(session.state) && turnPrompt !== null && isForeign(turnPrompt));
    return !isUsed && host.registry.open.surfacesOf(session).length === 0;
  }

  #check(): void {
    if (this.#end !== undefined) throw new Error(this.#end);
    this.#options.check();
  }

  async #prompt(given: unknown, token: vscode.CancellationToken | undefined): Promise<ParleyTurn> {
    this.#check();
    checkToken(token);
    if (this.#prompts.size >= maxOpenPrompts)
      throw new Error(
        t("The session has {0} messages of this extension already. Wait for the end of a turn.", maxOpenPrompts),
      );
    const draft = draftOf(given);
    if (token?.isCancellationRequested) return stopped;
    let link: vscode.Disposable | undefined;
    const turn = new Promise<ParleyTurn>((resolve, reject) => {
      const prompt: OpenPrompt = { resolve, reject };
      link = token?.onCancellationRequested(() => this.#stopPrompt(prompt));
      this.#prompts.add(prompt);
      void this.#sequencer.queue(() => this.#send(draft, prompt));
    });
    return turn.finally(() => link?.dispose());
  }

  /** Prepares the prompt, and sends it unless it is stopped meanwhile. Never rejects. */
  async #send(draft: ReturnType<typeof draftOf>, prompt: OpenPrompt): Promise<void> {
    try {
      const content = prompt.isStopped ? undefined : await this.#contentOf(draft);
      this.#check();
      // From here to the end nothing waits, so a stop comes either before or has the id.
      if (content !== undefined && !prompt.isStopped) prompt.id = this.#sendContent(content);
    } catch (error) {
      prompt.reject(asError(error));
    }
    if (prompt.id === undefined) this.#prompts.delete(prompt);
    else this.#sent.add(prompt.id);
    // The turn can have ended already.
    this.#noteOutcomes();
    this.#schedule();
  }

  async #contentOf(draft: ReturnType<typeof draftOf>): Promise<readonly ContentBlock[]> {
    const { session, host, caller } = this.#options;
    const refusal = await host.prompts.refusalOf(draft.attachments, {
      id: caller.id,
      sentence: senderSentence(caller),
    });
    if (refusal !== undefined) throw new Error(refusal);
    const { accepts, agent } = session.state;
    const prompt = await host.prompts.contentOf(draft, { accepts, agentName: agent?.name ?? "" });
    if ("unsent" in prompt) throw new Error(prompt.unsent);
    return prompt.content;
  }

  /** Returns the id of the prompt. */
  #sendContent(content: readonly ContentBlock[]): string | undefined {
    const { session, caller } = this.#options;
    const { state } = session;
    if (isHeldByUser(state))
      throw new Error(t("The message was not sent because others in this session wait for the user."));
    // The user sees who sends, unless the message before it is of the extension, too.
    const before = state.pendingPrompts.at(-1)?.id ?? latestPromptTurn(state);
    if (!this.#sent.has(before)) session.addNotice(senderSentence(caller));
    return session.send(content);
  }

  #stop(): void {
    if (this.#end !== undefined) return;
    for (const prompt of [...this.#prompts]) this.#stopPrompt(prompt);
  }

  #stopPrompt(prompt: OpenPrompt): void {
    const { id } = prompt;
    if (prompt.isStopped || !this.#prompts.has(prompt)) return;
    prompt.isStopped = true;
    if (id === undefined) return prompt.resolve(stopped);
    const { session } = this.#options;
    session.queue.withdraw(id);
    const { turnPrompt, awaitedTurns, pendingPrompts, queuePaused } = session.state;
    const isRunning = isBusy(session.state) && (turnPrompt === id || awaitedTurns.some(one => one.id === id));
    // A prompt that is being prepared can only be stopped.
    if (isRunning || (!isBusy(session.state) && pendingPrompts.some(one => one.id === id))) {
      session.stop();
      // The other messages go on, as the user has left them.
      if (!queuePaused && session.state.queuePaused) session.resumeQueue();
    }
    this.#schedule();
  }

  #changed(): void {
    const before = this.#state;
    this.#state = this.#options.session.state;
    this.#noteOutcomes();
    this.#reports.push(...this.#reporter.between(before, this.#state));
    this.#schedule();
  }

  /** Notes what became of the prompts, before a later turn hides it, and follows those that get another id. */
  #noteOutcomes(): void {
    const { state } = this.#options.session;
    for (const prompt of this.#prompts) {
      if (prompt.id === undefined || prompt.outcome) continue;
      prompt.id = currentId(state, prompt.id);
      this.#sent.add(prompt.id);
      const outcome = promptOutcome(state, prompt.id);
      if (outcome.type !== "open") prompt.outcome = outcome;
    }
  }

  /** Listeners run later, because they can send prompts, and a change of the state must be over by then. */
  #schedule(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    queueMicrotask(() => {
      this.#isFlushing = false;
      this.#flush();
    });
  }

  #flush(): void {
    const reports = this.#reports;
    this.#reports = [];
    if (this.#end !== undefined) return;
    for (const { type, ...report } of reports) {
      if (type === "text") this.#textReceived.fire(Object.freeze(report as ParleyText));
      else if (type === "toolCall") this.#toolCallChanged.fire(Object.freeze(report as ParleyToolCall));
      else this.#turnEnded.fire(Object.freeze(report as ParleyTurnEnd));
    }
    if (this.#end !== undefined) return;
    const phase = sessionPhase(this.#state);
    if (phase !== this.#phase) {
      this.#phase = phase;
      this.#stateChanged.fire(phase);
    }
    for (const prompt of [...this.#prompts]) if (prompt.id !== undefined) this.#settle(prompt, prompt.id);
  }

  #settle(prompt: OpenPrompt, id: string): void {
    const { session, host } = this.#options;
    const { outcome } = prompt;
    if (!outcome) {
      // It was being prepared when it was stopped, and is in the queue again.
      if (prompt.isStopped && !isBusy(this.#state)) session.queue.withdraw(id);
      return;
    }
    this.#prompts.delete(prompt);
    if (outcome.type === "withdrawn") prompt.resolve(stopped);
    else if (outcome.type === "ended")
      prompt.resolve({ stopReason: outcome.stopReason, text: host.secrets.hide(outcome.text) });
    else {
      // It must not be sent later, when nobody waits for it.
      session.queue.withdraw(id);
      prompt.reject(asError(outcome.reason));
    }
  }
}
