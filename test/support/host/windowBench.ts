// The sessions of a window with a stub agent, a storage that a test controls, and a panel that keeps its messages.
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as vscode from "vscode";
import { hostEnvironment } from "../../../src/base/windowEnvironment.ts";
import type { SignInFeature } from "../../../src/agents/vscode/createSignIn.ts";
import { LastChoices } from "../../../src/agents/vscode/lastChoices.ts";
import { LastSignIns } from "../../../src/agents/vscode/lastSignIns.ts";
import { SignInConsents } from "../../../src/agents/vscode/signInConsents.ts";
import { SignInRunner } from "../../../src/agents/vscode/signInRunner.ts";
import { StoredKeys } from "../../../src/agents/vscode/storedKeys.ts";
import { nullLog, systemClock, type Clock } from "../../../src/base/log.ts";
import { Emitter, DisposableStore } from "../../../src/base/lifecycle.ts";
import type { Problem } from "../../../src/base/errors.ts";
import type { AgentPool } from "../../../src/agents/pool.ts";
import type { AgentDefinition } from "../../../src/agents/registry.ts";
import type { PanelMessage } from "../../../src/panel/protocol.ts";
import type { ReplyTarget } from "../../../src/panel/replyTarget.ts";
import { PermissionBroker } from "../../../src/permissions/permissionBroker.ts";
import type { SharedView } from "../../../src/panel/patch.ts";
import type { LogStorage } from "../../../src/session/log/sessionStore.ts";
import type { Session } from "../../../src/session/session.ts";
import type { SessionState } from "../../../src/session/state.ts";
import { chatViewSurface, OpenSessions } from "../../../src/library/openSessions.ts";
import { ActiveSession } from "../../../src/window/activeSession.ts";
import { WindowAgents } from "../../../src/agents/vscode/windowAgents.ts";
import { isOutsideSession } from "../../../src/editor/folders.ts";
import { SessionRegistry } from "../../../src/library/sessionRegistry.ts";
import { SurfaceViews } from "../../../src/library/surfaceViews.ts";
import { mergeHead } from "../../../src/window/mergeHead.ts";
import { EditorWorkspaceFolders } from "../../../src/library/vscode/editorWorkspaceFolders.ts";
import { WindowRecord } from "../../../src/library/windowRecord.ts";
import { questionServices } from "../fakes/questionRoom.ts";
import { emptyHeadValues, neverFires } from "../fakes/heads.ts";
import { StoredFiles } from "../fakes/storedData.ts";
import { StubAgent, type StubSession } from "../fakes/stubAgent.ts";

/** A panel that keeps the messages it receives. */
export class FakePanel implements ReplyTarget {
  readonly surface: string;
  readonly messages: PanelMessage[] = [];
  constructor(surface = chatViewSurface) {
    this.surface = surface;
  }
  reply(message: PanelMessage): void {
    this.messages.push(message);
  }
  /** The drafts that came back, with their reasons. */
  get unsent(): readonly Extract<PanelMessage, { type: "unsent" }>[] {
    return this.messages.flatMap(message => (message.type === "unsent" ? [message] : []));
  }
}

const definition = (id: string, name: string): AgentDefinition => ({
  id,
  name,
  command: "unused",
  args: [],
  env: {},
  missingFiles: "error",
  startTimeout: 30,
});

/** The window's sessions. They never start a process. */
export class WindowBench {
  readonly agent = new StubAgent();
  readonly files = new Map<string, string>();
  readonly open = new OpenSessions();
  readonly active = new ActiveSession(this.open);
  readonly store = new DisposableStore();
  readonly sessions: SessionRegistry;
  readonly windowAgents: WindowAgents;
  readonly views: SurfaceViews;
  readonly signIn: SignInFeature;
  readonly secrets = new Map<string, string>();
  readonly globalState = new Map<string, unknown>();
  agents: readonly AgentDefinition[] = [definition("stub", "Stub"), definition("other", "Other")];
  /** The files that could not be restored, with the reasons. */
  readonly restoreFailures: string[] = [];
  /** A promise that delays reading the storage. */
  readable: Promise<void> = Promise.resolve();

  /** Without a pool of processes, the agent is the stub. `clock` is the clock of sign-ins. */
  constructor(files: ReadonlyMap<string, string> = new Map(), pool?: AgentPool, clock: Clock = systemClock) {
    for (const [name, text] of files) this.files.set(name, text);
    let ids = 0;
    const died = this.store.add(new Emitter<Problem>());
    const running = { agent: this.agent, definition: this.agents[0], onDidDie: died.event, hasEnded: () => false };
    const secrets = {
      get: (key: string) => Promise.resolve(this.secrets.get(key)),
      store: (key: string, value: string) => Promise.resolve(void this.secrets.set(key, value)),
      delete: (key: string) => Promise.resolve(void this.secrets.delete(key)),
    } as unknown as vscode.SecretStorage;
    const globalState = {
      get: (key: string, otherwise: unknown) => this.globalState.get(key) ?? otherwise,
      update: (key: string, value: unknown) => Promise.resolve(void this.globalState.set(key, value)),
    } as unknown as vscode.ExtensionContext["globalState"];
    const keys = new StoredKeys({ secrets, globalState });
    const changed = this.store.add(new Emitter<void>());
    const onDidChange = (): void => changed.fire();
    const startFolders = join(tmpdir(), "parley-start-folders");
    this.signIn = {
      keys,
      lastChoices: new LastChoices({ globalState }),
      lastSignIns: new LastSignIns({ globalState }),
      runner: new SignInRunner({
        keys,
        consents: new SignInConsents({ globalState }),
        startFolders,
        environment: hostEnvironment,
        clock,
        onDidChange,
      }),
      onDidChange: changed.event,
    };
    const storage = this.#storage();
    const record = new WindowRecord({
      ...{ storage, clock: systemClock, log: nullLog, pid: 1 },
      newId: () => `w${++ids}`,
      isRunning: () => false,
    });
    this.windowAgents = this.store.add(
      new WindowAgents({
        pool: pool ?? ({ get: () => Promise.resolve(running), stop: () => Promise.resolve() } as unknown as AgentPool),
        environment: hostEnvironment,
        signIn: this.signIn,
        settings: { definitions: () => this.agents, onDidChange: neverFires },
        isOpen: session => this.open.get(session.id) === session,
        log: nullLog,
      }),
    );
    this.sessions = new SessionRegistry({
      record,
      agents: this.windowAgents,
      servers: {
        serversFor: () => Promise.resolve([]),
        isAsking: () => false,
        copyChoices: () => Promise.resolve(),
      },
      open: this.open,
      folders: this.store.add(new EditorWorkspaceFolders({ workspaceState: globalState })),
      storage,
      createServices: (_session, _definition, report) =>
        questionServices(new PermissionBroker({ report, newId: () => `q${++ids}` }), () => {}),
      version: "1.0.0",
      log: nullLog,
      clock: systemClock,
    });
    this.sessions.onDidFail(({ file, reason }) => this.restoreFailures.push(`${file}: ${reason}`));
    const { session: _session, folder: _folder, problem: _problem, ...withAgents } = emptyHeadValues;
    const { agents: _agents, chosenAgent: _chosen, hasLostAgent: _lost, signingIn: _signingIn, ...others } = withAgents;
    this.views = this.store.add(
      new SurfaceViews({
        open: this.open,
        head: mergeHead([this.sessions.head, this.windowAgents.head, { values: others, onDidChange: neverFires }]),
        isOutside: isOutsideSession,
        log: nullLog,
      }),
    );
    this.store.add(
      this.open.onDidChange(change => {
        if (change.type === "closed") this.windowAgents.cancelSignIn(change.session);
        if (change.type === "changed") this.windowAgents.noteSignIn(change.session);
      }),
    );
  }

  /** The texts of the prompts that each session of the agent received. */
  get prompts(): readonly (readonly string[])[] {
    return this.agent.sessions.map(session => session.texts);
  }

  /** The newest session of the agent. */
  get remote(): StubSession | undefined {
    return this.agent.sessions.at(-1);
  }

  /** The active session and its state. */
  get session(): Session | undefined {
    return this.active.session;
  }
  get state(): SessionState {
    return this.active.state;
  }

  /** What the chat view shows. */
  view(): SharedView {
    return this.views.view(chatViewSurface);
  }

  /** Signs in to the agent of the active session. */
  async signInBy(method: string): Promise<void> {
    if (this.session) await this.windowAgents.signIn(this.session, method);
  }
  cancelSignIn(): void {
    if (this.session) this.windowAgents.cancelSignIn(this.session);
  }

  async dispose(): Promise<void> {
    await this.sessions.dispose();
    this.active.dispose();
    this.store.dispose();
  }

  #storage(): LogStorage {
    const stored = new StoredFiles(this.files);
    const read = stored.read.bind(stored);
    stored.read = async name => {
      await this.readable;
      return read(name);
    };
    return stored;
  }
}
