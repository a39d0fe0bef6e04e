// The agents of the window, as its sessions use them: definitions from the current settings, accounts, sign-in and -out.
import type { AgentPool, RunningAgent, StartProgress } from "../../agents/pool.ts";
import type { AgentDefinition } from "../../agents/registry.ts";
import type { SignInFeature } from "../../agents/vscode/createSignIn.ts";
import { definitionToStart } from "../../agents/vscode/definitionToStart.ts";
import { ProblemError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import type { Disposable } from "../../base/lifecycle.ts";
import type { ViewSignIn } from "../../panel/protocol.ts";
import type { ViewAgent } from "../../panel/viewAgent.ts";
import type { Agent } from "../../session/agent.ts";
import { approvesEverything } from "../../session/approvesEverything.ts";
import type { InitialChoices } from "../../session/choices.ts";
import type { Session } from "../../session/session.ts";
import type { OptionValue } from "../../session/state.ts";
import type { Settings } from "../settings.ts";

export interface WindowAgentsOptions {
  readonly pool: AgentPool;
  readonly signIn: SignInFeature;
  readonly settings: () => Settings;
  /** Whether the session is still open. */
  readonly isOpen: (session: Session) => boolean;
  /** An account has changed. */
  readonly onDidChange: () => void;
}

export class WindowAgents implements Disposable {
  readonly #options: WindowAgentsOptions;
  /** The agents that were started last, for their accounts. */
  readonly #accounts = new Map<string, { readonly agent: Agent; readonly link: Disposable | undefined }>();
  /** The session whose agent the user signs in to. */
  #signingIn: Session | undefined;

  constructor(options: WindowAgentsOptions) {
    this.#options = options;
  }

  /** The agent with this id, as the settings define it now. */
  definition(id: string | undefined): AgentDefinition | undefined {
    return this.#options.settings().agents.find(agent => agent.id === id);
  }

  /** The running agent. A changed definition starts another process. */
  async connect(original: AgentDefinition, onProgress: (progress: StartProgress) => void): Promise<RunningAgent> {
    // The user can change the version of the protocol while a session is open.
    const { protocol } = this.definition(original.id) ?? original;
    const start = await this.#startDefinition({ ...original, ...(protocol && { protocol }) });
    const running = await this.#options.pool.get(start, onProgress);
    this.#showAccount(original.id, running.agent);
    return running;
  }

  /** The agent with this id, if it was started. */
  running(id: string): Agent | undefined {
    return this.#accounts.get(id)?.agent;
  }

  stop(id: string): Promise<void> {
    return this.#options.pool.stop(id);
  }

  /**
   * The definition from the current settings, so that a restart uses corrected settings, with the keys of the user.
   * Rejects with a ProblemError if the agent is no longer in the settings.
   */
  async #startDefinition({ id, name }: AgentDefinition): Promise<AgentDefinition> {
    const definition = this.definition(id);
    if (definition) return definitionToStart(definition, this.#options.signIn.keys);
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
    this.#accounts.set(id, { agent, link: agent.onDidChangeAccount?.(() => this.#options.onDidChange()) });
  }

  /** The agent as panels show it. */
  view({ id, name, description, icon, startTimeout }: AgentDefinition): ViewAgent {
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
    };
  }

  /** Signs in to the agent of a session. Rejects with a ProblemError if that failed. */
  async signIn(session: Session, definition: AgentDefinition, methodId: string): Promise<void> {
    const connect = (): Promise<Agent> => this.#agent(definition);
    const isCurrent = (): boolean => this.#options.isOpen(session);
    const { runner } = this.#options.signIn;
    if (!runner.progress) this.#signingIn = session;
    await runner.run({ session, definition, connect, isCurrent }, methodId);
  }

  cancelSignIn(session: Session): void {
    if (this.#signingIn === session) this.#options.signIn.runner.cancel();
  }

  /** The sign-in in progress for that session. */
  signInProgress(session: Session | undefined): ViewSignIn | undefined {
    return session !== undefined && this.#signingIn === session ? this.#options.signIn.runner.progress : undefined;
  }

  /** Signs out of the agent. Rejects with a sentence if the agent cannot. */
  async signOut(definition: AgentDefinition): Promise<void> {
    const { signOut } = await this.#agent(definition);
    if (!signOut) {
      throw new Error(t("{0} cannot sign out. Use its command-line program.", definition.name));
    }
    await signOut();
  }

  async #agent(definition: AgentDefinition): Promise<Agent> {
    const { agent } = await this.#options.pool.get(await this.#startDefinition(definition), () => {});
    return agent;
  }

  dispose(): void {
    for (const { link } of this.#accounts.values()) link?.dispose();
  }
}

/** Stands for an agent that is no longer in the settings. It is never started. */
export const removedAgent = (id: string, name = id): AgentDefinition => ({
  ...{ id, name, command: "", args: [], env: {} },
  missingFiles: "error",
  startTimeout: 30,
});
