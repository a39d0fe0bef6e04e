// Starts, restores, shows and ends the sessions of the window. They survive a reload of the window.
import { randomUUID } from "node:crypto";
import type { AgentPool } from "../../agents/pool.ts";
import type { AgentDefinition } from "../../agents/registry.ts";
import type { SignInFeature } from "../../agents/vscode/createSignIn.ts";
import { asError, asProblem, type Problem } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import type { Clock, Log } from "../../base/log.ts";
import { isOutsideSession, sessionRoots } from "../../editor/folders.ts";
import type { McpFeature } from "../../mcp/vscode/createMcp.ts";
import { DiffStore } from "../../panel/diff/diffStore.ts";
import type { SharedView } from "../../panel/patch.ts";
import { Projector, type WindowState } from "../../panel/projection/projector.ts";
import type { RecentEntries } from "../../panel/projection/recentEntries.ts";
import type { ViewHead } from "../../panel/protocol.ts";
import type { SessionEvent } from "../../session/events.ts";
import { openLog, type OpenedLog } from "../../session/log/openLog.ts";
import { SessionFile } from "../../session/log/sessionFile.ts";
import { sessionFileName, type LogStorage } from "../../session/log/sessionStore.ts";
import { Session } from "../../session/session.ts";
import type { Agent, AgentSessionStore } from "../../session/agent.ts";
import type { SessionServices } from "../../session/sessionServices.ts";
import { emptySession, sessionTitle, type OptionValue, type SessionState } from "../../session/state.ts";
import { chatViewSurface, type OpenSessions } from "../../sessions/openSessions.ts";
import type { SessionEntry } from "../../sessions/sessionEntry.ts";
import type { WindowRecord } from "../../sessions/windowRecord.ts";
import type { Settings } from "../settings.ts";
import { folderName, type FolderChoice } from "./folderChoice.ts";
import { rememberedFile, RememberedSessionsFile, type RememberedSession } from "./rememberedSessions.ts";
import { settingsProblem, startObstacle } from "./startObstacle.ts";
import { warnNotSaved } from "./warnNotSaved.ts";
import { removedAgent, WindowAgents } from "./windowAgents.ts";

export interface WindowSessionsOptions {
  /** Has the sessions that are opened here. */
  readonly open: OpenSessions;
  readonly pool: AgentPool;
  readonly signIn: SignInFeature;
  readonly mcp: Pick<McpFeature, "view" | "serversFor" | "sessionClosed">;
  readonly storage: LogStorage;
  /** The record of this window. */
  readonly record: WindowRecord;
  /** The version of Parley. */
  readonly version: string;
  readonly settings: () => Settings;
  /** Chooses the folders of new sessions. */
  readonly folders: FolderChoice;
  /** How the agent of the session is followed. */
  readonly follow: (session: Session | undefined) => ViewHead["follow"];
  readonly createServices: (
    session: { readonly id: string; readonly workspaceFolder: string },
    definition: AgentDefinition,
    dispatch: (event: SessionEvent) => void,
  ) => SessionServices;
  /** The turns of a session that have a checkpoint. */
  readonly checkpoints: (session: string, workspaceFolder: string) => ReadonlySet<string>;
  readonly log: Log;
  readonly clock: Clock;
  /** A conversation could not be restored. `file` is the name of its log, or of the file that names the sessions. */
  readonly onRestoreFailed: (file: string, reason: string) => void;
  /** Something that every panel shows has changed. */
  readonly onDidRefresh: () => void;
  /** The sessions that this session offers to continue while it is empty. */
  readonly recent: (session: string) => ViewHead["recent"];
  /** The changes to review, with paths relative to the workspace folder. */
  readonly changes: (workspaceFolder: string) => ViewHead["changes"];
}

interface Opened {
  readonly session: Session;
  readonly remembered: RememberedSession;
  readonly projector: Projector;
  readonly file: SessionFile;
}

export class WindowSessions {
  readonly open: OpenSessions;
  readonly #options: WindowSessionsOptions;
  readonly #agents: WindowAgents;
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
  /** The id of the agent for the next session. */
  #chosenAgentId: string | undefined;
  readonly #diffs: DiffStore;
  readonly #blank: Projector;

  constructor(options: WindowSessionsOptions) {
    this.#options = options;
    this.open = options.open;
    this.#agents = new WindowAgents({
      ...options,
      isOpen: session => this.#opened.has(session),
      onDidChange: () => this.#refresh(),
    });
    this.#file = new RememberedSessionsFile(options);
    this.#diffs = new DiffStore({
      defer: run => void setImmediate(run),
      onDidCompute: () => this.#refresh(),
      onError: error => options.log.error("A diff could not be computed.", asError(error).stack),
    });
    this.#blank = this.#newProjector();
    this.open.onDidChange(change => {
      if (change.type === "changed") this.#changed(change.session, change.before);
      else if (change.type !== "activated") this.#remember();
    });
  }

  /** Sessions of an earlier window that are not open. */
  get unopened(): readonly RememberedSession[] {
    return this.#unopened;
  }

  /** The running agent with this definition, started if necessary. Rejects with a ProblemError. */
  async connectAgent(definition: AgentDefinition): Promise<Agent> {
    return (await this.#agents.connect(definition, () => {})).agent;
  }

  /** What the agent can do with its sessions. Empty while it does not run. */
  sessionStoreOf(agent: string): AgentSessionStore {
    return this.#agents.running(agent)?.sessionStore ?? {};
  }

  /** Deletes the session at its agent. Undefined if the agent does not run or cannot delete it. */
  deleteAtAgent(entry: SessionEntry | undefined): (() => Promise<void>) | undefined {
    const { agent = "", agentSession } = entry ?? {};
    const { delete: remove } = this.sessionStoreOf(agent);
    return remove && agentSession !== undefined ? () => remove(agentSession) : undefined;
  }

  /** The name of the agent with this id, or the id if the settings no longer have the agent. */
  agentName(id: string): string {
    return this.#agents.definition(id)?.name ?? id;
  }

  /** The agent of the session, or the agent of the next one if there is no session. */
  agentOf(session: Session | undefined): AgentDefinition | undefined {
    const id = session?.state.agent?.id ?? this.#chosenAgentId;
    return this.#agents.definition(id) ?? this.#options.settings().agents[0];
  }

  /** The view that the surface shows now. */
  view(surface: string): SharedView {
    const session = this.open.selected(surface);
    const { projector } = (session && this.#opened.get(session)) ?? { projector: this.#blank };
    return projector.projectShared(session?.state ?? emptySession, this.#windowState(session));
  }

  /** The newest entries of that view, if it is long. */
  recentEntries(surface: string): RecentEntries | undefined {
    const session = this.open.selected(surface);
    const opened = session && this.#opened.get(session);
    return opened?.projector.recentEntries(opened.session.state, this.#windowState(opened.session));
  }

  /** The title of the session that the surface shows. Empty if it has none yet. */
  title(surface: string): string {
    return sessionTitle(this.open.selected(surface)?.state ?? emptySession);
  }

  /**
   * Gives the surface a session when it is shown: the one with this id, the one that the last window showed, an open one,
   * or a new one.
   */
  async restoreOrStart(surface: string = chatViewSurface, id?: string): Promise<void> {
    // While no session may start, none is restored either. This runs again when the obstacle is gone.
    if (this.startObstacle()) return this.#refresh();
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
      this.#refresh();
    }
  }

  async #restore(): Promise<void> {
    let file = rememberedFile;
    try {
      const { shown, open } = await this.#file.read();
      this.#unopened = open;
      if (!shown) return;
      this.#chosenAgentId ??= shown.agent;
      file = sessionFileName(shown.id);
      const session = await this.#read(shown);
      if (session && !this.open.selected(chatViewSurface)) this.open.select(chatViewSurface, session);
    } catch (error) {
      this.#remembersNothing = true;
      this.#options.log.error("The last conversation could not be restored.", asError(error).stack);
      this.#options.onRestoreFailed(file, asError(error).message);
    }
  }

  /** The session with this id, which the last window may have had open. */
  async #openAgain(id: string | undefined): Promise<Session | undefined> {
    const remembered = this.#unopened.find(each => each.id === id);
    try {
      return this.open.get(id) ?? (remembered && (await this.#read(remembered)));
    } catch (error) {
      this.#options.log.error("A conversation could not be restored.", asError(error).stack);
      this.#options.onRestoreFailed(sessionFileName(id ?? ""), asError(error).message);
      return undefined;
    }
  }

  /** Opens a session from its log. Undefined if it has no log. Rejects with a sentence if it cannot be read. */
  async #read(remembered: RememberedSession): Promise<Session | undefined> {
    const { storage, version, log } = this.#options;
    const earlier = await openLog({ storage, session: remembered.id, version, log });
    if (!earlier) {
      if ((await storage.size(sessionFileName(remembered.id))) === undefined) return undefined;
      throw new Error(t("It contains nothing that Parley can read."));
    }
    const { agent } = remembered;
    const definition = this.#agents.definition(agent) ?? removedAgent(agent, earlier.state.agent?.name);
    return this.open.get(remembered.id) ?? this.#add(remembered, definition, earlier);
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

  /** A session that was never used does not stay open when the surface shows another one, unless it has a form. */
  #show(surface: string, session: Session): void {
    const before = this.open.selected(surface);
    this.open.select(surface, session);
    if (!before || before === session || !isUnused(before.state) || this.open.surfacesOf(before).length > 0) return;
    if (this.#options.mcp.view(before).asks.length === 0) this.close(before);
  }

  /**
   * Asks for the folder if there are several, and starts a session there. An unused session passes its folder on to another
   * agent. Undefined if the user cancels, or if no session can start.
   */
  async startInChosenFolder(surface = this.open.activeSurface, agent?: string): Promise<Session | undefined> {
    const before = this.open.selected(surface);
    const keepsFolder = agent !== undefined && before !== undefined && isUnused(before.state);
    if (keepsFolder || this.startObstacle()) return this.start(agent, surface);
    const folder = await this.#options.folders.choose();
    return folder === undefined ? undefined : this.start(agent, surface, folder);
  }

  /**
   * Starts a session, which the surface shows. The session before it stays open. Without `agent` or `folder`, uses those of
   * that session, or the usual ones. Returns undefined if no session can start.
   */
  start(agent?: string, surface: string = this.open.activeSurface, folder?: string): Session | undefined {
    const before = this.open.selected(surface);
    const definition = this.#agents.definition(agent) ?? this.agentOf(before);
    const cwd = folder ?? this.#options.folders.usual(before?.state.workspaceFolder);
    if (!definition || cwd === undefined || this.startObstacle()) {
      this.#refresh();
      return undefined;
    }
    this.#failure = undefined;
    this.#chosenAgentId = definition.id;
    const session = this.#add({ id: randomUUID(), agent: definition.id, cwd }, definition);
    this.#show(surface, session);
    void session.open();
    return session;
  }

  #add(remembered: RememberedSession, definition: AgentDefinition, earlier?: OpenedLog): Session {
    const { storage, version, log, clock, createServices } = this.#options;
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
      onFailed: warnNotSaved,
      onLeftOut: leftOut,
    });
    // The constructor logs the first event, before a listener can be added.
    const session: Session = new Session({
      id,
      agent: { id: definition.id, name: definition.name },
      workspaceFolder,
      clock,
      log,
      newId: () => randomUUID(),
      connection: {
        connect: onProgress => this.#agents.connect(definition, ({ state, detail }) => onProgress(state, detail)),
        restart: () => this.#agents.stop(definition.id),
      },
      additionalFolders: () => sessionRoots(workspaceFolder).filter(root => root !== workspaceFolder),
      mcpServers: agent => this.#options.mcp.serversFor(session, definition.name, agent),
      createServices: dispatch => createServices({ id, workspaceFolder }, definition, dispatch),
      onLog: logged => file.write(logged),
      initialChoices: () => this.#agents.initialChoices(definition),
      ...(earlier && { earlier }),
    });
    this.#opened.set(session, { session, remembered, projector: this.#newProjector(), file });
    this.#unopened = this.#unopened.filter(each => each.id !== id);
    this.open.add(session);
    return session;
  }

  #newProjector(): Projector {
    return new Projector(this.#diffs, isOutsideSession, error =>
      this.#options.log.error("A part of the conversation could not be shown.", asError(error).stack),
    );
  }

  #changed(session: Session, before: SessionState): void {
    if (this.open.surfacesOf(session).length > 0) this.#opened.get(session)?.projector.prepare(session.state);
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

  /** Signs in to the agent of the session. Rejects with a ProblemError if that failed. */
  async signIn(session: Session, methodId: string): Promise<void> {
    const definition = this.agentOf(session);
    if (definition) await this.#agents.signIn(session, definition, methodId);
  }

  /** Sets an option for the user, also in later sessions of the agent. Rejects with a ProblemError if it is refused. */
  setOption(session: Session, id: string, value: OptionValue): Promise<void> {
    return this.#agents.setOption(session, id, value);
  }

  cancelSignIn(session: Session): void {
    this.#agents.cancelSignIn(session);
  }

  /** Signs out of the agent of the active session. Rejects with a sentence if the agent cannot. */
  async signOut(): Promise<void> {
    const session = this.open.active;
    const definition = this.agentOf(session);
    if (!definition || this.startObstacle()) return;
    await this.#agents.signOut(definition);
    // The agent's next refusal is no failed sign-in.
    session?.offerSignIn();
    session?.addNotice(t("You have signed out of {0}.", definition.name));
  }

  /** Why no session can start in this window, if there is a reason. */
  startObstacle(): Problem | undefined {
    return startObstacle();
  }

  #refresh(): void {
    this.#options.onDidRefresh();
  }

  #windowState(session: Session | undefined): WindowState {
    const { agents, bad, sendKey } = this.#options.settings();
    const chosen = this.agentOf(session);
    const problem = this.startObstacle() ?? this.#failure ?? settingsProblem(bad.map(entry => entry.reason));
    const folder = session && folderName(session.state.workspaceFolder);
    return {
      ...(folder !== undefined && { folder }),
      ...(session && {
        session: session.id,
        hasLostAgent: this.#agents.definition(session.state.agent?.id) === undefined,
        checkpoints: this.#options.checkpoints(session.id, session.state.workspaceFolder),
      }),
      agents: agents.map(agent => this.#agents.view(agent)),
      chosenAgent: chosen ? this.#agents.view(chosen) : null,
      problem: problem ?? null,
      sendKey,
      changes: this.#options.changes(session?.state.workspaceFolder ?? ""),
      follow: this.#options.follow(session),
      recent: session?.state.entries.length === 0 ? this.#options.recent(session.id) : undefined,
      signingIn: this.#agents.signInProgress(session),
      mcp: this.#options.mcp.view(session),
    };
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
    this.cancelSignIn(session);
    this.#options.mcp.sessionClosed(session.id);
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
    this.#agents.dispose();
    this.#diffs.dispose();
  }
}

/** Whether nothing was ever written in the session. */
const isUnused = ({ entries, pendingPrompts }: SessionState): boolean =>
  entries.length === 0 && pendingPrompts.length === 0;
