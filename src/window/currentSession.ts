// Starts, restores and ends the session that the window shows. The session survives a reload of the window.
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { AgentPool } from "../agents/pool.ts";
import type { AgentDefinition } from "../agents/registry.ts";
import type { SignInFeature } from "../agents/vscode/createSignIn.ts";
import { Sequencer } from "../base/async.ts";
import { asError, asProblem, type Problem } from "../base/errors.ts";
import { DisposableStore, type Disposable } from "../base/lifecycle.ts";
import type { Clock, Log } from "../base/log.ts";
import { DiffStore } from "../panel/diff/diffStore.ts";
import type { SharedView } from "../panel/patch.ts";
import type { ViewHead, ViewAgent } from "../panel/protocol.ts";
import type { RecentEntries } from "../panel/projection/recentEntries.ts";
import { Projector, type WindowState } from "../panel/projection/projector.ts";
import type { Agent } from "../session/agent.ts";
import type { SessionEvent } from "../session/events.ts";
import { Session } from "../session/session.ts";
import type { SessionServices } from "../session/sessionServices.ts";
import { replayInSlices, type Replayed } from "../session/log/replay.ts";
import { readSession, sessionFileName, SessionWriter, type TextStorage } from "../session/log/sessionStore.ts";
import { sessionTitle, type SessionState } from "../session/state.ts";
import type { ActiveSession } from "./activeSession.ts";
import type { Settings } from "./settings.ts";
import { sessionFolder } from "../editor/folders.ts";

export interface CurrentSessionOptions {
  /** Set to each session that is started or restored here. */
  readonly active: ActiveSession;
  readonly pool: AgentPool;
  readonly signIn: SignInFeature;
  readonly storage: TextStorage;
  readonly settings: () => Settings;
  readonly follow: () => ViewHead["follow"];
  readonly createServices: (
    definition: AgentDefinition,
    workspaceFolder: string,
    dispatch: (event: SessionEvent) => void,
  ) => SessionServices;
  /** The turns of a session that have a checkpoint. */
  readonly checkpoints: (session: string, workspaceFolder: string) => ReadonlySet<string>;
  /** Whether a session in this state may end. Asks the user if that would stop work. */
  readonly confirmEnd: (state: SessionState) => Promise<boolean>;
  readonly log: Log;
  readonly clock: Clock;
  /** The last conversation could not be restored. `file` is the name of its log, or of the file that names the conversation. */
  readonly onRestoreFailed: (file: string, reason: string) => void;
  /** The changes to review, with paths relative to the workspace folder. */
  readonly changes: (workspaceFolder: string) => ViewHead["changes"];
}

/** A file, because VS Code writes its own state later and loses it if the window is killed. */
const rememberedFile = "current.json";

/** Identifies the current session for the next window on this workspace. */
interface RememberedSession {
  readonly id: string;
  readonly agent: string;
  readonly cwd: string;
}

export class CurrentSession {
  readonly #options: CurrentSessionOptions;
  #current:
    | {
        readonly session: Session;
        readonly projector: Projector;
        readonly store: DisposableStore;
        readonly writer: SessionWriter;
      }
    | undefined;
  #restoring: Promise<void> | undefined;
  /**
   * A session that replaces one that could not be restored. It is remembered from its first prompt on, so that the other
   * one is tried again if the window is reloaded before that.
   */
  #unremembered: RememberedSession | undefined;
  #restoreFailed = false;
  /** Writes that `dispose` waits for. */
  readonly #pendingWrites = new Set<Promise<void>>();
  readonly #rememberedWrites = new Sequencer();
  /** Why the last session could not be started, if we broke. */
  #failure: Problem | undefined;
  /** The agents that were started last, for their accounts. */
  readonly #accounts = new Map<string, { readonly agent: Agent; readonly link: Disposable | undefined }>();
  /** The id of the agent for the next session. */
  #chosenAgentId: string | undefined;
  readonly #diffs: DiffStore;
  readonly #blank: Projector;

  constructor(options: CurrentSessionOptions) {
    this.#options = options;
    this.#diffs = new DiffStore({
      defer: run => void setImmediate(run),
      onDidCompute: () => this.#refresh(),
      onError: error => options.log.error("A diff could not be computed.", asError(error).stack),
    });
    this.#blank = this.#newProjector();
  }

  get session(): Session | undefined {
    return this.#options.active.session;
  }
  get state(): SessionState {
    return this.#options.active.state;
  }
  /** The agent of the session, or the agent of the next one if there is no session. */
  get agent(): AgentDefinition | undefined {
    const id = this.state.agent?.id ?? this.#chosenAgentId;
    const { agents } = this.#options.settings();
    return agents.find(agent => agent.id === id) ?? agents[0];
  }

  /** The view that panels show now. */
  view(): SharedView {
    const { projector } = this.#current ?? { projector: this.#blank };
    return projector.projectShared(this.state, this.#windowState());
  }

  /** The title of the session. Empty if it has none yet. */
  title(): string {
    return sessionTitle(this.state);
  }

  /** The newest entries of that view, if it is long. */
  recentEntries(): RecentEntries | undefined {
    return this.#current?.projector.recentEntries(this.state, this.#windowState());
  }

  /** Restores the last session, or starts one with the chosen agent. Call this when a panel is shown. */
  async restoreOrStart(): Promise<void> {
    // While no session may start, none is restored either. This runs again when the obstacle is gone.
    if (this.startObstacle()) return this.#refresh();
    try {
      this.#restoring ??= this.#restore();
      await this.#restoring;
      if (!this.#current) this.start();
      this.#restoreFailed = false;
    } catch (error) {
      this.#options.log.error("The session could not be started.", asError(error).stack);
      this.#failure = asProblem(error);
      this.#refresh();
    }
  }

  async #restore(): Promise<void> {
    let file = rememberedFile;
    try {
      const remembered = parseRemembered(await this.#options.storage.read(rememberedFile));
      if (!remembered) return;
      this.#chosenAgentId ??= remembered.agent;
      const definition = this.#options.settings().agents.find(agent => agent.id === remembered.agent);
      if (!definition) return;
      file = sessionFileName(remembered.id);
      const earlierEvents = await readSession(this.#options.storage, remembered.id);
      if (earlierEvents?.length === 0) throw new Error(vscode.l10n.t("It contains nothing that Parley can read."));
      const earlier = earlierEvents && (await replayInSlices(earlierEvents, this.#options.log));
      if (earlier && !this.#current) this.#setSession(remembered.id, definition, remembered.cwd, earlier);
    } catch (error) {
      this.close();
      this.#restoreFailed = true;
      this.#options.log.error("The last conversation could not be restored.", asError(error).stack);
      this.#options.onRestoreFailed(file, asError(error).message);
    }
  }

  /**
   * Starts a session in place of the current one, for an action of the user. Asks before this ends a running turn or
   * discards queued prompts. Resolves with whether a session was started.
   */
  async replace(agent?: string): Promise<boolean> {
    const { session } = this;
    if (session && !(await this.#options.confirmEnd(session.state))) return false;
    // Another session may have replaced it while the user was asked.
    if (this.session !== session) return false;
    this.start(agent);
    return this.session !== undefined && this.session !== session;
  }

  /** Starts a session, which replaces the current one. Without `agent`, uses the current or chosen agent. */
  start(agent?: string): void {
    const { agents } = this.#options.settings();
    const definition = agents.find(candidate => candidate.id === agent) ?? this.agent;
    const cwd = sessionFolder();
    if (!definition || cwd === undefined || this.startObstacle()) {
      this.#refresh();
      return;
    }
    const id = randomUUID();
    this.#failure = undefined;
    this.#setSession(id, definition, cwd);
    const started = { id, agent: definition.id, cwd };
    this.#chosenAgentId = definition.id;
    if (this.#restoreFailed) this.#unremembered = started;
    else this.#remember(started);
    void this.#current?.session.open();
  }

  #setSession(id: string, definition: AgentDefinition, cwd: string, earlier?: Replayed): void {
    this.close();
    const { pool, storage, log, clock, createServices } = this.#options;
    const store = new DisposableStore();
    const leftOut = (): void =>
      session.addNotice("Parley cannot save a part of the conversation. It is missing after the window is reloaded.");
    const isNew = earlier === undefined;
    const files = { storage, session: id, isNew, onFailed: warnNotSaved, onLeftOut: leftOut };
    const writer = new SessionWriter({ ...files, clock, log });
    // The constructor logs the first event, before a listener can be added.
    const session = new Session({
      id,
      agent: { id: definition.id, name: definition.name },
      workspaceFolder: cwd,
      clock,
      log,
      newId: () => randomUUID(),
      connection: {
        connect: async onProgress => {
          const start = await this.#startDefinition(definition);
          const running = await pool.get(start, ({ state, detail }) => onProgress(state, detail));
          this.#showAccount(definition.id, running.agent);
          return running;
        },
        restart: () => pool.stop(definition.id),
      },
      createServices: dispatch => createServices(definition, cwd, dispatch),
      onLog: logged => writer.write(logged),
      ...(earlier && { earlier }),
    });
    store.add(session);
    const projector = this.#newProjector();
    const changed = (state: SessionState): void => {
      if (this.#unremembered?.id === id && state.pendingPrompts.length > 0) this.#remember(this.#unremembered);
      projector.prepare(state);
      this.#refresh();
    };
    store.add(session.onDidChange(changed));
    this.#current = { session, projector, store, writer };
    this.#options.active.set(session);
    this.#refresh();
  }

  #newProjector(): Projector {
    return new Projector(this.#diffs, error =>
      this.#options.log.error("A part of the conversation could not be shown.", asError(error).stack),
    );
  }

  /** The definition from the current settings, so that a restart uses corrected settings. */
  #definition(original: AgentDefinition): AgentDefinition {
    return this.#options.settings().agents.find(agent => agent.id === original.id) ?? original;
  }

  #showAccount(id: string, agent: Agent): void {
    const shown = this.#accounts.get(id);
    if (shown?.agent === agent) return;
    shown?.link?.dispose();
    this.#accounts.set(id, { agent, link: agent.onDidChangeAccount?.(() => this.#refresh()) });
  }

  /** That definition with the keys that the user entered. */
  #startDefinition(original: AgentDefinition): Promise<AgentDefinition> {
    return this.#options.signIn.keys.withKeys(this.#definition(original));
  }

  /** Signs in to the agent of the session. Rejects with a ProblemError if that failed. */
  async signIn(methodId: string): Promise<void> {
    const { session, agent: definition } = this;
    if (!session || !definition) return;
    const connect = (): Promise<Agent> => this.#agent(definition);
    const isCurrent = (): boolean => this.session === session;
    await this.#options.signIn.runner.run({ session, definition, connect, isCurrent }, methodId);
  }

  cancelSignIn(): void {
    this.#options.signIn.runner.cancel();
  }

  /** Signs out of the agent. Rejects with a sentence if the agent cannot. */
  async signOut(): Promise<void> {
    const { agent: definition } = this;
    if (!definition || this.startObstacle()) return;
    const { signOut } = await this.#agent(definition);
    if (!signOut) {
      throw new Error(vscode.l10n.t("{0} cannot sign out. Use its command-line program.", definition.name));
    }
    await signOut();
    this.session?.addNotice(vscode.l10n.t("You have signed out of {0}.", definition.name));
  }

  async #agent(definition: AgentDefinition): Promise<Agent> {
    const { agent } = await this.#options.pool.get(await this.#startDefinition(definition), () => {});
    return agent;
  }

  #remember(session: RememberedSession): void {
    this.#unremembered = undefined;
    // One after the other: the newest stands in the file at the end.
    void this.#rememberedWrites
      .queue(() => this.#options.storage.write(rememberedFile, JSON.stringify(session)))
      .catch((error: unknown) =>
        this.#options.log.error("The session could not be remembered.", asError(error).message),
      );
  }

  /** Why no session can start in this window, if there is a reason. */
  startObstacle(): Problem | undefined {
    if (!vscode.workspace.isTrusted) {
      const message = vscode.l10n.t(
        "Parley doesn't start agents in untrusted workspaces. Trust this workspace to work with agents.",
      );
      return { message, next: ["manageTrust"] };
    }
    if (sessionFolder() === undefined) {
      return { message: vscode.l10n.t("Open a folder for the agent to work in."), next: ["openFolder"] };
    }
    return undefined;
  }

  /** Announces a change. */
  #refresh(): void {
    this.#options.active.refresh();
  }

  #windowState(): WindowState {
    const { agents, bad, sendKey } = this.#options.settings();
    const chosen = this.agent;
    const problem = this.startObstacle() ?? this.#failure ?? settingsProblem(bad.map(entry => entry.reason));
    const session = this.#current?.session;
    return {
      ...(session && {
        session: session.id,
        checkpoints: this.#options.checkpoints(session.id, session.state.workspaceFolder),
      }),
      agents: agents.map(agent => viewAgent(agent, this.#accounts.get(agent.id)?.agent.account)),
      chosenAgent: chosen ? viewAgent(chosen) : null,
      problem: problem ?? null,
      sendKey,
      changes: this.#options.changes(this.state.workspaceFolder),
      follow: this.#options.follow(),
      signingIn: this.#options.signIn.runner.progress,
    };
  }

  /** Ends the session. Its log is kept. */
  close(): void {
    const current = this.#current;
    this.#current = undefined;
    this.#options.active.set(undefined);
    if (!current) return;
    this.cancelSignIn();
    try {
      current.session.stop();
    } finally {
      current.store.dispose();
      const stored = current.writer.flush().finally(() => this.#pendingWrites.delete(stored));
      this.#pendingWrites.add(stored);
    }
  }

  /** Ends the session and resolves when its log is stored. */
  async dispose(): Promise<void> {
    this.close();
    await Promise.all([...this.#pendingWrites, this.#rememberedWrites.whenIdle()]);
    for (const { link } of this.#accounts.values()) link?.dispose();
    this.#diffs.dispose();
    this.#options.active.dispose();
  }
}

function parseRemembered(text: string | undefined): RememberedSession | undefined {
  if (text === undefined) return undefined;
  const { id, agent, cwd } = JSON.parse(text) as Partial<RememberedSession>;
  const isValid = typeof id === "string" && /^[\w-]+$/.test(id) && typeof agent === "string" && typeof cwd === "string";
  return isValid ? { id, agent, cwd } : undefined;
}

const viewAgent = (agent: AgentDefinition, account?: string): ViewAgent => ({
  id: agent.id,
  name: agent.name,
  ...(agent.description !== undefined && { description: agent.description }),
  ...(account !== undefined && { account }),
});

function settingsProblem(reasons: readonly string[]): Problem | undefined {
  return reasons.length === 0 ? undefined : { message: reasons.join("\n"), next: ["openSettings"] };
}

function warnNotSaved(reason: string): void {
  void vscode.window.showWarningMessage(
    vscode.l10n.t(
      "The conversation cannot be saved: {0}. Parley will keep retrying. Until then, don't close the window or start a new session.",
      reason,
    ),
  );
}
