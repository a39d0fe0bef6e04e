// One session, as the extension that has opened it uses it: its prompts, its state and its events.
import * as vscode from "vscode";
import { Sequencer } from "../../base/async.ts";
import { asError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import { DisposableStore } from "../../base/lifecycle.ts";
import type { Session } from "../../session/session.ts";
import { isBusy, latestPromptTurn, sessionTitle, type SessionState } from "../../session/state.ts";
import { promptOutcome } from "../promptOutcome.ts";
import { offeredModes } from "../sessionModes.ts";
import { isHeldByUser, phaseProblem, sessionPhase } from "../sessionPhase.ts";
import { SessionReports, type SessionReport } from "../sessionReports.ts";
import type { ApiHost } from "./apiModule.ts";
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
  isStopped?: boolean;
}

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
  readonly #ended: Promise<never>;
  #rejectEnded: (error: Error) => void = () => {};
  /** Why the object is of no more use, as a sentence. */
  #end: string | undefined;
  #state: SessionState;
  #phase: ParleySessionState;
  readonly #reporter: SessionReports;
  #reports: SessionReport[] = [];
  #isFlushing = false;
  /** How many prompts are being prepared. */
  #preparing = 0;
  readonly #prompts = new Map<string, OpenPrompt>();
  /** The ids of all prompts that the extension has sent. */
  readonly #sent = new Set<string>();

  constructor(options: ExtensionSessionOptions) {
    this.#options = options;
    const { session, host } = options;
    this.#state = session.state;
    this.#phase = sessionPhase(this.#state);
    this.#reporter = new SessionReports(host.secrets);
    this.#ended = new Promise((_, reject) => (this.#rejectEnded = reject));
    // Without a prompt that waits, nobody handles the rejection.
    this.#ended.catch(() => undefined);
    this.#store.add(
      host.registry.open.onDidChange(change => {
        if (!("session" in change) || change.session !== session) return;
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
    for (const id of this.#prompts.keys()) session.queue.withdraw(id);
    const closes = this.#isUnused();
    if (!closes) this.#stop();
    this.#end = reason;
    this.#rejectEnded(new Error(reason));
    for (const { reject } of this.#prompts.values()) reject(new Error(reason));
    this.#prompts.clear();
    this.#stateChanged.fire("closed");
    this.#store.dispose();
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
    if (this.#prompts.size + this.#preparing >= maxOpenPrompts)
      throw new Error(
        t("The session has {0} messages of this extension already. Wait for the end of a turn.", maxOpenPrompts),
      );
    const draft = draftOf(given);
    this.#preparing++;
    const sent = this.#sequencer.queue(() => this.#send(draft, token)).finally(() => this.#preparing--);
    // The user can be asked about a file while the access ends.
    const id = await Promise.race([sent, this.#ended]);
    if (id === undefined) return stopped;
    const turn = new Promise<ParleyTurn>((resolve, reject) => {
      if (this.#end === undefined) this.#prompts.set(id, { resolve, reject });
      else reject(new Error(this.#end));
    });
    const link = token?.onCancellationRequested(() => this.#stopPrompt(id));
    if (token?.isCancellationRequested) this.#stopPrompt(id);
    // The turn can have ended already.
    this.#schedule();
    try {
      return await turn;
    } finally {
      link?.dispose();
    }
  }

  /** Sends the prompt, and returns its id. Undefined: it was cancelled before. */
  async #send(
    draft: ReturnType<typeof draftOf>,
    token: vscode.CancellationToken | undefined,
  ): Promise<string | undefined> {
    const { session, host, caller } = this.#options;
    const refusal = await host.prompts.refusalOf(draft.attachments);
    if (refusal !== undefined) throw new Error(refusal);
    const { accepts, agent } = session.state;
    const prompt = await host.prompts.contentOf(draft, { accepts, agentName: agent?.name ?? "" });
    if ("unsent" in prompt) throw new Error(prompt.unsent);
    this.#check();
    if (token?.isCancellationRequested) return undefined;
    const { state } = session;
    if (isHeldByUser(state))
      throw new Error(t("The message was not sent because others in this session wait for the user."));
    // The user sees who sends, unless the message before it is of the extension, too.
    const before = state.pendingPrompts.at(-1)?.id ?? latestPromptTurn(state);
    if (!this.#sent.has(before))
      session.addNotice(t("The extension “{0}” ({1}) sends messages here.", caller.name, caller.id));
    const id = session.send(prompt.content);
    if (id !== undefined) this.#sent.add(id);
    return id;
  }

  #stop(): void {
    if (this.#end !== undefined) return;
    for (const id of [...this.#prompts.keys()]) this.#stopPrompt(id);
  }

  #stopPrompt(id: string): void {
    const prompt = this.#prompts.get(id);
    if (!prompt || prompt.isStopped) return;
    prompt.isStopped = true;
    const { session } = this.#options;
    session.queue.withdraw(id);
    const { turnPrompt, awaitedTurns, pendingPrompts } = session.state;
    const isRunning = isBusy(session.state) && (turnPrompt === id || awaitedTurns.some(one => one.id === id));
    // A prompt that is being prepared can only be stopped.
    if (isRunning || (!isBusy(session.state) && pendingPrompts.some(one => one.id === id))) session.stop();
    this.#schedule();
  }

  #changed(): void {
    const before = this.#state;
    this.#state = this.#options.session.state;
    this.#reports.push(...this.#reporter.between(before, this.#state));
    this.#schedule();
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
    for (const [id, prompt] of [...this.#prompts]) this.#settle(id, prompt);
  }

  #settle(id: string, prompt: OpenPrompt): void {
    const { session, host } = this.#options;
    const outcome = promptOutcome(this.#state, id);
    if (outcome.type === "open") {
      // It was being prepared when it was stopped, and is in the queue again.
      if (prompt.isStopped && !isBusy(this.#state)) session.queue.withdraw(id);
      return;
    }
    this.#prompts.delete(id);
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
