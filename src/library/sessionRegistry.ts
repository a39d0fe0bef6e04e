// Starts, restores, shows and ends the sessions of the window. They survive a reload of the window.
import { randomUUID } from "node:crypto";
import type { RunningAgent, StartProgress } from "../agents/pool.ts";
import type { AgentDefinition } from "../agents/registry.ts";
import { asError, asProblem, type Problem } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { DisposableStore, Emitter, type Event } from "../base/lifecycle.ts";
import type { Clock, Log } from "../base/log.ts";
import type { HeadPart } from "../panel/headParts.ts";
import type { AgentInfo, AgentMcpServer } from "../session/agent.ts";
import type { InitialChoices } from "../session/choices.ts";
import type { SessionEvent } from "../session/events.ts";
import { openLog, type OpenedLog } from "../session/log/openLog.ts";
import { SessionFile } from "../session/log/sessionFile.ts";
import { sessionFileName, type LogStorage } from "../session/log/sessionStore.ts";
import { Session } from "../session/session.ts";
import type { SessionServices } from "../session/sessionServices.ts";
import { hasConversation, sessionTitle, type SessionState } from "../session/state.ts";
import { chatViewSurface, type OpenSessions } from "./openSessions.ts";
import { rememberedFile, RememberedSessionsFile, type RememberedSession } from "./rememberedSessions.ts";
import type { ResumeQuestions } from "./resumeQuestions.ts";
import type { TakenOver } from "./takenOver.ts";
import type { WindowRecord } from "./windowRecord.ts";

/** The agents, as sessions use them. */
export interface SessionAgents {
  /** The agent with this id, as the settings define it now. */
  definition(id: string | undefined): AgentDefinition | undefined;
  /** The agent of the session, or the agent of the next one if there is no session. */
  of(session: Session | undefined): AgentDefinition | undefined;
  /** The next session has the agent with this id. `byUser`: the user has named it. */
  choose(id: string, byUser: boolean): void;
  /** The next session has the agent with this id, if none was chosen in this window. */
  chooseIfNone(id: string): void;
  /** The running agent, started if necessary. Rejects with a ProblemError. */
  connect(definition: AgentDefinition, onProgress: (progress: StartProgress) => void): Promise<RunningAgent>;
  stop(id: string): Promise<void>;
  /** What the options of a new session with the agent get. */
  initialChoices(definition: AgentDefinition): InitialChoices;
}

/** The MCP servers, as sessions use them. */
export interface AgentServers {
  /** The servers for an agent whose session opens. Never rejects. */
  serversFor(session: Session, agentName: string, agent: AgentInfo): Promise<readonly AgentMcpServer[]>;
  /** Whether a form of a server waits for the user in the session. */
  isAsking(session: string): boolean;
  /** Gives a session the choices that the user made of servers in another one. */
  copyChoices(from: string, to: string): Promise<void>;
}

/** The folders of the workspace, as sessions use them. */
export interface WorkspaceFolders {
  /** Why no session can start in this window, if there is a reason. */
  readonly obstacle: Problem | undefined;
  /** Fires when there are other folders, or another obstacle. */
  readonly onDidChange: Event<void>;
  /** The folder of a new session: the preferred one, if the workspace has it. */
  usual(preferred?: string): string | undefined;
  /** Asks for the folder if there are several. Undefined: cancelled, or there is no folder. */
  choose(): Promise<string | undefined>;
  /** The other folders in which a session may work. */
  additional(workspaceFolder: string): readonly string[];
  /** The name of the folder, if the workspace has several or it is none of them. */
  nameOf(folder: string): string | undefined;
}

export interface SessionRegistryOptions {
  /** Has the sessions that are opened here. */
  readonly open: OpenSessions;
  readonly agents: SessionAgents;
  readonly servers: AgentServers;
  readonly folders: WorkspaceFolders;
  readonly storage: LogStorage;
  /** Asks before agents get large conversations again. Absent: agents get them without a question. */
  readonly resumeQuestions?: Pick<ResumeQuestions, "gateOf">;
  /** The record of this window. */
  readonly record: WindowRecord;
  /** The version of Parley. */
  readonly version: string;
  readonly createServices: (
    session: { readonly id: string; readonly workspaceFolder: string },
    definition: AgentDefinition,
    dispatch: (event: SessionEvent) => void,
  ) => SessionServices;
  readonly log: Log;
  readonly clock: Clock;
}

/** A failure to store or to restore a session. */
export interface SessionFailure {
  readonly type: "notSaved" | "notRestored";
  /** The name of the log, or of the file that names the sessions. */
  readonly file: string;
  readonly reason: string;
}

interface Opened {
  readonly session: Session;
  readonly remembered: RememberedSession;
  readonly file: SessionFile;
}

export class SessionRegistry {
  readonly open: OpenSessions;
  readonly #options: SessionRegistryOptions;
  readonly #store = new DisposableStore();
  readonly #opened = new Map<Session, Opened>();
  readonly #file: RememberedSessionsFile;
  /** What the last window had open and this one has not opened yet. */
  #unopened: readonly RememberedSession[] = [];
  #restoring: Promise<void> | undefined;
  readonly #opening = new Map<string, Promise<Session>>();
  /**
   * The last session could not be restored. Nothing is remembered before the first prompt, so that it is tried again if
   * the window is reloaded before that.
   */
  #remembersNothing = false;
  /** Writes that `dispose` waits for. */
  readonly #pendingWrites = new Set<Promise<void>>();
  /** Why the last session could not be started. */
  #failure: Problem | undefined;
  readonly #changed = this.#store.add(new Emitter<void>());
  readonly #failed = this.#store.add(new Emitter<SessionFailure>());
  /** Fires when a session could not be stored or restored. */
  readonly onDidFail: Event<SessionFailure> = this.#failed.event;
  /** What panels show of the session. */
  readonly head: HeadPart<"session" | "folder" | "problem"> = {
    values: {
      session: session => session?.id,
      folder: session => session && this.#options.folders.nameOf(session.state.workspaceFolder),
      problem: () => this.obstacle ?? this.#failure ?? null,
    },
    onDidChange: this.#changed.event,
  };

  constructor(options: SessionRegistryOptions) {
    this.#options = options;
    this.open = options.open;
    this.#file = new RememberedSessionsFile(options);
    this.#store.add(options.folders.onDidChange(() => this.#changed.fire()));
    this.#store.add(
      this.open.onDidChange(change => {
        if (change.type === "changed") this.#sessionChanged(change.session, change.before);
        else if (change.type !== "activated") this.#remember();
      }),
    );
  }

  /** Sessions of an earlier window that are not open. */
  get unopened(): readonly RememberedSession[] {
    return this.#unopened;
  }

  /** Why no session can start in this window, if there is a reason. */
  get obstacle(): Problem | undefined {
    return this.#options.folders.obstacle;
  }

  /**
   * Gives the surface a session when it is shown: the one with this id, the one that the last window showed, an open one,
   * or a new one.
   */
  async restoreOrStart(surface: string = chatViewSurface, id?: string): Promise<void> {
    // While no session may start, none is restored either. This runs again when the obstacle is gone.
    if (this.obstacle) return this.#changed.fire();
    try {
      this.#restoring ??= this.#restore();
      await this.#restoring;
      this.#remember();
      if (this.open.selected(surface)) return;
      const last = surface === chatViewSurface ? undefined : await this.#openAgain(id);
      const session = last ?? this.open.active ?? this.open.sessions.at(-1);
      if (this.open.selected(surface)) return;
      if (session) this.open.select(surface, session);
      else this.start(undefined, surface);
    } catch (error) {
      this.#options.log.error("The session could not be started.", asError(error).stack);
      this.#failure = asProblem(error);
      this.#changed.fire();
    }
  }

  async #restore(): Promise<void> {
    let file = rememberedFile;
    try {
      const { shown, open } = await this.#file.read();
      this.#unopened = open;
      if (!shown) return;
      this.#options.agents.chooseIfNone(shown.agent);
      file = sessionFileName(shown.id);
      const session = await this.#read(shown);
      if (session && !this.open.selected(chatViewSurface)) this.open.select(chatViewSurface, session);
    } catch (error) {
      this.#remembersNothing = true;
      this.#options.log.error("The last conversation could not be restored.", asError(error).stack);
      this.#failed.fire({ type: "notRestored", file, reason: asError(error).message });
    }
  }

  /** The session with this id, which the last window may have had open. */
  async #openAgain(id: string | undefined): Promise<Session | undefined> {
    const remembered = this.#unopened.find(each => each.id === id);
    try {
      return this.open.get(id) ?? (remembered && (await this.#read(remembered)));
    } catch (error) {
      this.#options.log.error("A conversation could not be restored.", asError(error).stack);
      this.#failed.fire({ type: "notRestored", file: sessionFileName(id ?? ""), reason: asError(error).message });
      return undefined;
    }
  }

  /** Opens a session from its log. Undefined if it has no log. Rejects with a sentence if it cannot be read. */
  async #read(remembered: RememberedSession): Promise<Session | undefined> {
    const { storage, version, log, agents } = this.#options;
    const earlier = await openLog({ storage, session: remembered.id, version, log });
    if (!earlier) {
      if ((await storage.size(sessionFileName(remembered.id))) === undefined) return undefined;
      throw new Error(t("It contains nothing that Parley can read."));
    }
    const { agent } = remembered;
    const definition = agents.definition(agent) ?? removedAgent(agent, earlier.state.agent?.name);
    return this.open.get(remembered.id) ?? this.#add(remembered, definition, { earlier });
  }

  /** Shows a session of an earlier window in the surface. Rejects with a sentence if it cannot be opened. */
  async openStored(remembered: RememberedSession, surface: string = this.open.activeSurface): Promise<Session> {
    const session = await this.#openOnce(remembered);
    this.#show(surface, session);
    return session;
  }

  #openOnce(remembered: RememberedSession): Promise<Session> {
    const opening = this.#opening.get(remembered.id) ?? this.#openStored(remembered);
    this.#opening.set(remembered.id, opening);
    return opening.finally(() => this.#opening.delete(remembered.id));
  }

  async #openStored(remembered: RememberedSession): Promise<Session> {
    const open = this.open.get(remembered.id);
    if (!open && (await this.openElsewhere()).has(remembered.id))
      throw new Error(t("This session is open in another window. Continue there, or close that window first."));
    const session = open ?? (await this.#read(remembered));
    if (!session) throw new Error(t("This session no longer has a log, so it cannot be opened."));
    return session;
  }

  /** Shows an open session in the surface. */
  show(id: string, surface: string = this.open.activeSurface): void {
    const session = this.open.get(id);
    if (session) this.#show(surface, session);
  }

  /** Shows an open session in an editor tab. If the chat view shows it, the view offers a new one from now on. */
  moveToEditor(session: Session, surface: string): void {
    this.#show(surface, session);
    if (this.open.selected(chatViewSurface) === session) this.start(session.state.agent?.id, chatViewSurface);
  }

  /** A session that was never used does not stay open when the surface shows another one, unless it has a form. */
  #show(surface: string, session: Session): void {
    const before = this.open.selected(surface);
    this.open.select(surface, session);
    if (!before || before === session || !isUnused(before.state) || this.open.surfacesOf(before).length > 0) return;
    if (!this.#options.servers.isAsking(before.id)) this.close(before);
  }

  /**
   * Asks for the folder if there are several, and starts a session there. A session without a conversation passes its
   * folder on to another agent, also a worktree. Undefined if the user cancels, or if no session can start.
   */
  async startInChosenFolder(surface = this.open.activeSurface, agent?: string): Promise<Session | undefined> {
    const before = this.open.selected(surface);
    if (agent !== undefined && before && !hasConversation(before.state) && before.state.pendingPrompts.length === 0)
      return this.start(agent, surface, before.state.workspaceFolder);
    if (this.obstacle) return this.start(agent, surface);
    const folder = await this.#options.folders.choose();
    return folder === undefined ? undefined : this.start(agent, surface, folder);
  }

  /**
   * Starts a session, which the surface shows. The session before it stays open. Without `agent` or `folder`, uses those of
   * that session, or the usual ones. `from`: what the session takes over. Returns undefined if no session can start.
   */
  start(
    agent?: string,
    surface: string = this.open.activeSurface,
    folder?: string,
    from?: TakenOver,
  ): Session | undefined {
    const { agents, folders } = this.#options;
    const before = this.open.selected(surface);
    const definition = agents.definition(agent) ?? agents.of(before);
    const cwd = folder ?? folders.usual(before?.state.workspaceFolder);
    if (!definition || cwd === undefined || this.obstacle) {
      this.#changed.fire();
      return undefined;
    }
    this.#failure = undefined;
    agents.choose(definition.id, agent !== undefined);
    const session = this.#add({ id: randomUUID(), agent: definition.id, cwd }, definition, { from });
    this.#show(surface, session);
    void session.open();
    return session;
  }

  /**
   * Starts a session of the agent in the folder. No surface shows it, and the agent of the next session stays the same. Returns
   * undefined if no session can start.
   */
  startUnshown(agent: string, folder: string): Session | undefined {
    const definition = this.#options.agents.definition(agent);
    if (!definition || this.obstacle) return undefined;
    const session = this.#add({ id: randomUUID(), agent, cwd: folder }, definition, {});
    void session.open();
    return session;
  }

  #add(
    remembered: RememberedSession,
    definition: AgentDefinition,
    { earlier, from }: { readonly earlier?: OpenedLog; readonly from?: TakenOver | undefined },
  ): Session {
    const { storage, version, log, clock, agents, servers, folders, createServices, resumeQuestions } = this.#options;
    const { id, cwd: workspaceFolder } = remembered;
    const leftOut = (): void =>
      session.addNotice(
        t("Parley cannot save a part of the conversation. It is missing after the window is reloaded."),
      );
    const file = new SessionFile({
      ...{ storage, session: id, version, clock, log },
      isNew: earlier === undefined,
      replayed: earlier?.replayed ?? 0,
      state: () => session.state,
      onFailed: reason => this.#failed.fire({ type: "notSaved", file: sessionFileName(id), reason }),
      onLeftOut: leftOut,
    });
    const copied = from
      ? servers.copyChoices(from.serversOf, id).catch((error: unknown) => {
          log.warn("The choices of MCP servers could not be taken over.", asError(error).message);
        })
      : undefined;
    // The constructor logs the first event, before a listener can be added.
    const session: Session = new Session({
      id,
      agent: { id: definition.id, name: definition.name },
      workspaceFolder,
      clock,
      log,
      newId: () => randomUUID(),
      connection: {
        connect: onProgress => agents.connect(definition, ({ state, detail }) => onProgress(state, detail)),
        restart: () => agents.stop(definition.id),
      },
      additionalFolders: () => folders.additional(workspaceFolder),
      mcpServers: async agent => {
        await copied;
        return servers.serversFor(session, definition.name, agent);
      },
      createServices: dispatch => createServices({ id, workspaceFolder }, definition, dispatch),
      onLog: logged => file.write(logged),
      initialChoices: () => {
        const { defaults, last } = agents.initialChoices(definition);
        return { defaults: { ...defaults, ...from?.choices }, last };
      },
      ...(earlier && { earlier, ...(resumeQuestions && { resumption: resumeQuestions.gateOf(id) }) }),
    });
    this.#opened.set(session, { session, remembered, file });
    this.#unopened = this.#unopened.filter(each => each.id !== id);
    this.open.add(session);
    return session;
  }

  #sessionChanged(session: Session, before: SessionState): void {
    if (this.#remembersNothing && session.state.pendingPrompts.length > 0) {
      this.#remembersNothing = false;
      this.#remember();
    } else if (isUnused(before) || before.title !== session.state.title || before.ownTitle !== session.state.ownTitle)
      this.#remember();
  }

  #remember(): void {
    if (this.#remembersNothing || this.#restoring === undefined) return;
    const shown = this.open.selected(chatViewSurface);
    const used = [...this.#opened.values()].filter(({ session }) => !isUnused(session.state));
    const open = used.map(({ session, remembered }) => ({ ...remembered, title: sessionTitle(session.state) }));
    this.#file.write({
      shown: shown && this.#opened.get(shown)?.remembered,
      open: [...this.#unopened, ...open],
      live: this.open.sessions.map(({ id }) => id),
    });
  }

  /** The ids of the sessions that other windows on the workspace have open. Rejects if they cannot be read. */
  openElsewhere(): Promise<ReadonlySet<string>> {
    return this.#file.openElsewhere();
  }

  /**
   * Closes the session if it is open. The next window does not restore it. Surfaces that show it show another session, or a
   * new one.
   */
  release(id: string): void {
    this.#unopened = this.#unopened.filter(each => each.id !== id);
    const session = this.open.get(id);
    if (!session) return this.#remember();
    const surfaces = this.open.surfacesOf(session);
    this.close(session);
    for (const surface of surfaces) if (!this.open.selected(surface)) this.start(undefined, surface);
  }

  /** Opens a stored session that no surface shows. Its agent does not start. Rejects with a sentence if it cannot be opened. */
  async openUnshown(remembered: RememberedSession): Promise<void> {
    await this.#openOnce(remembered);
  }

  /** Opens a stored session for a moment. Rejects with a sentence if it cannot be opened. */
  async useClosed(remembered: RememberedSession, use: (session: Session) => void): Promise<void> {
    const wasOpen = this.open.get(remembered.id) !== undefined;
    const session = await this.#openOnce(remembered);
    use(session);
    if (!wasOpen && this.open.surfacesOf(session).length === 0) this.close(session);
  }

  /** Resolves when the log of the session is stored. */
  async flushLog(id: string): Promise<void> {
    for (const { session, file } of this.#opened.values()) if (session.id === id) await file.flush();
  }

  /** Ends a session. Its log is kept. */
  close(session: Session): void {
    const opened = this.#opened.get(session);
    if (!opened) return;
    this.#opened.delete(session);
    this.open.remove(session);
    this.#end(opened);
  }

  #end({ session, file }: Opened): void {
    try {
      session.stop();
    } finally {
      session.dispose();
      const stored = file.close().finally(() => this.#pendingWrites.delete(stored));
      this.#pendingWrites.add(stored);
    }
  }

  /** Ends all sessions and resolves when their logs are stored. */
  async dispose(): Promise<void> {
    this.#remember();
    this.open.dispose();
    for (const opened of this.#opened.values()) this.#end(opened);
    this.#opened.clear();
    await Promise.all([...this.#pendingWrites, this.#file.whenIdle()]);
    await this.#options.record.release();
    this.#store.dispose();
  }
}

/** Whether nothing was ever written in the session. */
const isUnused = ({ entries, pendingPrompts }: SessionState): boolean =>
  entries.length === 0 && pendingPrompts.length === 0;

/** Stands for an agent that is no longer in the settings. It is never started. */
const removedAgent = (id: string, name = id): AgentDefinition => ({
  ...{ id, name, command: "", args: [], env: {} },
  missingFiles: "error",
  startTimeout: 30,
});
