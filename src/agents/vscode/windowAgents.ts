// The agents of the window, as its sessions use them: definitions from the current settings, accounts, sign-in and -out.
import { asError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { agentPresence, type AgentPresence } from "../agentPresence.ts";
import { packageOfNpx } from "../npmDownload.ts";
import type { AgentPool, RunningAgent, StartProgress } from "../pool.ts";
import type { AgentDefinition } from "../registry.ts";
import type { SignInFeature } from "./createSignIn.ts";
import { definitionToStart } from "./definitionToStart.ts";
import { ProblemError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import { DisposableStore, Emitter, type Disposable, type Event } from "../../base/lifecycle.ts";
import type { WindowEnvironment } from "../../base/windowEnvironment.ts";
import type { HeadPart } from "../../panel/headParts.ts";
import type { ViewAgent } from "../../panel/protocol.ts";
import type { Agent, AgentSessionStore } from "../../session/agent.ts";
import { approvesEverything } from "../../session/approvesEverything.ts";
import type { InitialChoices } from "../../session/choices.ts";
import type { Session } from "../../session/session.ts";
import type { OptionValue } from "../../session/state.ts";

/** The agents of the user's settings. */
export interface AgentSettings {
  definitions(): readonly AgentDefinition[];
  readonly onDidChange: Event<void>;
}

export interface WindowAgentsOptions {
  readonly pool: AgentPool;
  readonly environment: WindowEnvironment;
  readonly signIn: SignInFeature;
  readonly settings: AgentSettings;
  /** Whether the session is still open. */
  readonly isOpen: (session: Session) => boolean;
  readonly log: Log;
}

export class WindowAgents implements Disposable {
  readonly #options: WindowAgentsOptions;
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new Emitter<void>());
  /** The agents that were started last, for their accounts. */
  readonly #accounts = new Map<string, { readonly agent: Agent; readonly link: Disposable | undefined }>();
  /** The session whose agent the user signs in to. */
  #signingIn: Session | undefined;
  /** The id of the agent for the next session. */
  #chosenId: string | undefined;
  /** The user has chosen that agent. */
  #isChosenByUser = false;
  /** The agents whose programs were looked for, by their ids. Undefined until the first look. */
  #presences: Map<string, AgentPresence> | undefined;
  /** What panels show of the agents. */
  readonly head: HeadPart<"agents" | "chosenAgent" | "hasLostAgent" | "signingIn"> = {
    values: {
      agents: () => {
        if (!this.#presences) void this.#lookForPrograms();
        return this.definitions().map(definition => this.#view(definition));
      },
      chosenAgent: session => {
        const chosen = this.of(session);
        const isChosen = this.#isChosenByUser && chosen?.id === this.#chosenId;
        return chosen ? { ...this.#view(chosen), ...(isChosen && { isChosen }) } : null;
      },
      hasLostAgent: session => session && this.definition(session.state.agent?.id) === undefined,
      signingIn: session =>
        session !== undefined && this.#signingIn === session ? this.#options.signIn.runner.progress : undefined,
    },
    onDidChange: this.#changed.event,
  };

  constructor(options: WindowAgentsOptions) {
    this.#options = options;
    const change = (): void => this.#changed.fire();
    this.#store.add(
      options.settings.onDidChange(() => {
        this.#presences = undefined;
        change();
      }),
    );
    this.#store.add(options.signIn.onDidChange(change));
  }

  /** The agent with this id, as the settings define it now. */
  definition(id: string | undefined): AgentDefinition | undefined {
    return this.definitions().find(agent => agent.id === id);
  }

  /** The name of the agent with this id, or the id if the settings no longer have the agent. */
  nameOf(id: string): string {
    return this.definition(id)?.name ?? id;
  }

  /** The agent of the session, or the agent of the next one if there is no session. */
  of(session: Session | undefined): AgentDefinition | undefined {
    return this.definition(session?.state.agent?.id ?? this.#chosenId) ?? this.definitions()[0];
  }

  /** The next session has the agent with this id. `byUser`: the user has named it. */
  choose(id: string, byUser: boolean): void {
    this.#isChosenByUser = byUser || (this.#isChosenByUser && this.#chosenId === id);
    this.#chosenId = id;
  }

  /** The next session has the agent with this id, if none was chosen in this window. */
  chooseIfNone(id: string): void {
    if (this.#chosenId !== undefined) return;
    this.#chosenId = id;
    this.#isChosenByUser = true;
  }

  /** The running agent. A changed definition starts another process. Rejects with a ProblemError. */
  async connect(original: AgentDefinition, onProgress: (progress: StartProgress) => void): Promise<RunningAgent> {
    try {
      const running = await this.#options.pool.get(await this.#startDefinition(original), onProgress);
      this.#showAccount(original.id, running.agent);
      return running;
    } finally {
      // npx may have downloaded it, or its program may be gone.
      if (this.#presences) void this.#lookForPrograms();
    }
  }

  /** Keeps whether the agent of the session needs a sign-in, for lists of agents. */
  noteSignIn({ state }: Pick<Session, "state">): void {
    const { agent, connection, activity, signIn, lost } = state;
    if (!agent) return;
    const { lastSignIns } = this.#options.signIn;
    const isNeeded = (signIn ?? lost)?.signIn !== undefined;
    const methods = this.#accounts.get(agent.id)?.agent.signInMethods ?? [];
    // Some agents open a session without a sign-in, and refuse only the prompt.
    const hasWorked = connection?.state === "ready" && activity.stopReason === "end_turn";
    if (!isNeeded && (!hasWorked || methods.length === 0)) return;
    const now = isNeeded ? "needed" : "done";
    if (lastSignIns.of(agent.id) === now) return;
    lastSignIns.set(agent.id, now).catch((error: unknown) => {
      this.#options.log.error(`Whether ${agent.id} needs a sign-in could not be stored.`, asError(error).message);
    });
    this.#changed.fire();
  }

  async #lookForPrograms(): Promise<void> {
    const { environment, log } = this.#options;
    const found = (this.#presences ??= new Map<string, AgentPresence>());
    let isChanged = false;
    for (const definition of this.definitions()) {
      try {
        const presence = await agentPresence(definition, environment);
        if (presence === undefined || found.get(definition.id) === presence) continue;
        found.set(definition.id, presence);
        isChanged = true;
      } catch (error) {
        log.warn(`The program of ${definition.id} could not be looked for.`, asError(error).message);
      }
    }
    if (isChanged && found === this.#presences) this.#changed.fire();
  }

  /** What the agent can do with its sessions. Empty while it does not run. */
  sessionStoreOf(id: string): AgentSessionStore {
    return this.#accounts.get(id)?.agent.sessionStore ?? {};
  }

  /** The agents of the settings. */
  definitions(): readonly AgentDefinition[] {
    return this.#options.settings.definitions();
  }

  /** Whether the agent with this id runs and can copy its sessions. */
  canFork(id: string): boolean {
    return this.sessionStoreOf(id).fork !== undefined;
  }

  /** Stops the agent, as {@link AgentPool.stop} does. */
  stop(id: string, reason?: string): Promise<void> {
    return this.#options.pool.stop(id, reason);
  }

  /**
   * The definition from the current settings, so that a restart uses corrected settings, with the keys of the user.
   * Rejects with a ProblemError if the agent is no longer in the settings.
   */
  async #startDefinition({ id, name }: AgentDefinition): Promise<AgentDefinition> {
    const definition = this.definition(id);
    if (definition) return definitionToStart(definition, this.#options.signIn.keys, this.#options.environment);
    const message = t(
      "{0} is no longer in your settings, so you can only read and export this conversation. Add the agent in Settings, or start a new session with another agent.",
      name,
    );
    throw new ProblemError({ message, next: ["openSettings", "newSession", "exportSession"] });
  }

  /** What the options of a new session with the agent get. */
  initialChoices(original: AgentDefinition): InitialChoices {
    const { defaults = {} } = this.definition(original.id) ?? original;
    return { defaults, last: this.#options.signIn.lastChoices.of(original.id) };
  }

  /** Sets an option for the user, also in later sessions of the agent. Rejects with a ProblemError if it is refused. */
  async setOption(session: Session, id: string, value: OptionValue): Promise<void> {
    await session.setOption(id, value);
    const option = session.state.options.find(each => each.id === id);
    const isReused = !option || !approvesEverything(option, value);
    await this.#options.signIn.lastChoices.set(session.state.agent?.id ?? "", id, isReused ? value : undefined);
  }

  #showAccount(id: string, agent: Agent): void {
    const shown = this.#accounts.get(id);
    if (shown?.agent === agent) return;
    shown?.link?.dispose();
    this.#accounts.set(id, { agent, link: agent.onDidChangeAccount?.(() => this.#changed.fire()) });
  }

  /** The agent as panels show it. */
  #view(definition: AgentDefinition): ViewAgent {
    const { id, name, description, icon, startTimeout } = definition;
    const presence = this.#presences?.get(id);
    const signIn = this.#options.signIn.lastSignIns.of(id);
    const packageSpec = packageOfNpx(definition);
    const running = this.#accounts.get(id)?.agent;
    const account = running?.account;
    return {
      id,
      name,
      startTimeout,
      ...(description !== undefined && { description }),
      ...(icon !== undefined && { icon }),
      ...(account !== undefined && { account }),
      ...(running?.signOut && { canSignOut: true }),
      ...(presence !== undefined && { presence }),
      ...(signIn !== undefined && { signIn }),
      ...(packageSpec !== undefined && { package: packageSpec }),
    };
  }

  /** Signs in to the agent of a session. Rejects with a ProblemError if that failed. */
  async signIn(session: Session, methodId: string): Promise<void> {
    const definition = this.of(session);
    if (!definition) return;
    const connect = (): Promise<Agent> => this.#agent(definition);
    const isCurrent = (): boolean => this.#options.isOpen(session);
    const { runner } = this.#options.signIn;
    if (!runner.progress) this.#signingIn = session;
    await runner.run({ session, definition, connect, isCurrent }, methodId);
  }

  /** Cancels the sign-in that this session began. */
  cancelSignIn(session: Session): void {
    if (this.#signingIn === session) this.#options.signIn.runner.cancel();
  }

  /** Signs out of the agent of the session, or of the next one. Rejects with a sentence if the agent cannot. */
  async signOut(session: Session | undefined): Promise<void> {
    const definition = this.of(session);
    if (!definition) return;
    const { signOut } = await this.#agent(definition);
    if (!signOut) {
      throw new Error(t("{0} cannot sign out. Use its command-line program.", definition.name));
    }
    await signOut();
    // The agent's next refusal is no failed sign-in.
    session?.offerSignIn();
    session?.addNotice(t("You have signed out of {0}.", definition.name));
  }

  async #agent(definition: AgentDefinition): Promise<Agent> {
    const { agent } = await this.#options.pool.get(await this.#startDefinition(definition), () => {});
    return agent;
  }

  dispose(): void {
    for (const { link } of this.#accounts.values()) link?.dispose();
    this.#store.dispose();
  }
}
