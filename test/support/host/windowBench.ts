// The sessions of a window with a stub agent, a storage that a test controls, and a panel that keeps its messages.
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as vscode from "vscode";
import type { SignInFeature } from "../../../src/agents/vscode/createSignIn.ts";
import { LastChoices } from "../../../src/agents/vscode/lastChoices.ts";
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
import { chatViewSurface, OpenSessions } from "../../../src/sessions/openSessions.ts";
import { ActiveSession } from "../../../src/window/activeSession.ts";
import { WindowSessions } from "../../../src/window/sessions/windowSessions.ts";
import { FolderChoice } from "../../../src/window/sessions/folderChoice.ts";
import { WindowRecord } from "../../../src/sessions/windowRecord.ts";
import type { Settings } from "../../../src/window/settings.ts";
import { questionServices } from "../fakes/questionRoom.ts";
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
  readonly sessions: WindowSessions;
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
    const onDidChange = (): void => this.active.refresh();
    const startFolders = join(tmpdir(), "parley-start-folders");
    this.signIn = {
      keys,
      lastChoices: new LastChoices({ globalState }),
      runner: new SignInRunner({
        keys,
        consents: new SignInConsents({ globalState }),
        startFolders,
        clock,
        onDidChange,
      }),
    };
    const storage = this.#storage();
    const record = new WindowRecord({
      ...{ storage, clock: systemClock, log: nullLog, pid: 1 },
      newId: () => `w${++ids}`,
      isRunning: () => false,
    });
    this.sessions = new WindowSessions({
      record,
      signIn: this.signIn,
      mcp: {
        view: () => ({ prompts: [], mcpServers: [], asks: [] }),
        serversFor: () => Promise.resolve([]),
        sessionClosed: () => {},
      },
      open: this.open,
      folders: new FolderChoice({ workspaceState: globalState }),
      pool: pool ?? ({ get: () => Promise.resolve(running), stop: () => Promise.resolve() } as unknown as AgentPool),
      storage,
      settings: () => ({ agents: this.agents, bad: [], sendKey: "enter" }) as unknown as Settings,
      follow: () => "off",
      createServices: (_session, _definition, report) =>
        questionServices(new PermissionBroker({ report, newId: () => `q${++ids}` }), () => {}),
      onDidRefresh: () => this.active.refresh(),
      recent: () => undefined,
      onRestoreFailed: (file, reason) => this.restoreFailures.push(`${file}: ${reason}`),
      checkpoints: () => new Set(),
      version: "1.0.0",
      log: nullLog,
      clock: systemClock,
      changes: () => null,
    });
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
    return this.sessions.view(chatViewSurface);
  }

  /** Signs in to the agent of the active session. */
  async signInBy(method: string): Promise<void> {
    if (this.session) await this.sessions.signIn(this.session, method);
  }
  cancelSignIn(): void {
    if (this.session) this.sessions.cancelSignIn(this.session);
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
