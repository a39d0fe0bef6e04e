// The session of a window with a stub agent, a storage that a test controls, and a panel that keeps its messages.
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as vscode from "vscode";
import type { SignInFeature } from "../../../src/agents/vscode/createSignIn.ts";
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
import type { TextStorage } from "../../../src/session/log/sessionStore.ts";
import { ActiveSession } from "../../../src/window/activeSession.ts";
import { CurrentSession } from "../../../src/window/currentSession.ts";
import type { Settings } from "../../../src/window/settings.ts";
import { questionServices } from "../fakes/questionRoom.ts";
import { StubAgent, type StubSession } from "../fakes/stubAgent.ts";

/** A panel that keeps the messages it receives. */
export class FakePanel implements ReplyTarget {
  readonly messages: PanelMessage[] = [];
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

/** The window's session. It never starts a process. */
export class WindowBench {
  readonly agent = new StubAgent();
  readonly files = new Map<string, string>();
  readonly active = new ActiveSession();
  readonly store = new DisposableStore();
  readonly current: CurrentSession;
  readonly signIn: SignInFeature;
  readonly secrets = new Map<string, string>();
  readonly globalState = new Map<string, unknown>();
  agents: readonly AgentDefinition[] = [definition("stub", "Stub"), definition("other", "Other")];
  /** The files that could not be restored, with the reasons. */
  readonly restoreFailures: string[] = [];
  /** The answer of the user to the question whether the session may end. */
  confirm: () => Promise<boolean> = () => Promise.resolve(true);
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
    this.signIn = { keys, runner: new SignInRunner({ keys, startFolders, clock, onDidChange }) };
    this.current = new CurrentSession({
      signIn: this.signIn,
      active: this.active,
      pool: pool ?? ({ get: () => Promise.resolve(running), stop: () => Promise.resolve() } as unknown as AgentPool),
      storage: this.#storage(),
      settings: () => ({ agents: this.agents, bad: [], sendKey: "enter" }) as unknown as Settings,
      follow: () => "off",
      createServices: (_definition, _folder, report) =>
        questionServices(new PermissionBroker({ report, newId: () => `q${++ids}` }), () => {}),
      confirmEnd: () => this.confirm(),
      onRestoreFailed: (file, reason) => this.restoreFailures.push(`${file}: ${reason}`),
      checkpoints: () => new Set(),
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

  async dispose(): Promise<void> {
    await this.current.dispose();
    this.store.dispose();
  }

  #storage(): TextStorage {
    const { files } = this;
    return {
      append: (name, text) => Promise.resolve(void files.set(name, (files.get(name) ?? "") + text)),
      write: (name, text) => Promise.resolve(void files.set(name, text)),
      read: async name => {
        await this.readable;
        return files.get(name);
      },
    };
  }
}
