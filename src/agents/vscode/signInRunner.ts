// Signs the user in to the agent of a session, in the way that the user chose.
import { ProblemError, type Problem } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import type { Disposable } from "../../base/lifecycle.ts";
import type { Clock } from "../../base/log.ts";
import type { WindowEnvironment } from "../../base/windowEnvironment.ts";
import type { Agent, FormClient } from "../../session/agent.ts";
import type { Session } from "../../session/session.ts";
import type { AgentDefinition } from "../registry.ts";
import { signInForm, signInValues } from "../signInForm.ts";
import { refusedVariables } from "../signInProgram.ts";
import { prepareStartFolder } from "../startFolder.ts";
import { definitionToStart } from "./definitionToStart.ts";
import type { SignInConsents } from "./signInConsents.ts";
import { signInByTerminal } from "./signInTerminal.ts";
import type { StoredKeys } from "./storedKeys.ts";

/** An agent may take this long to answer `authenticate` before the user is offered to end it (ms). */
const maxAuthenticateTime = 120_000;

/** A sign-in in progress. `late`: the agent has not answered for two minutes. */
export interface SignInProgress {
  readonly name: string;
  readonly late?: true;
}

interface SignInRunnerOptions {
  readonly keys: StoredKeys;
  readonly consents: Pick<SignInConsents, "ask">;
  /** The parent of the folder in which agents start. */
  readonly startFolders: string;
  readonly environment: WindowEnvironment;
  readonly clock: Clock;
  readonly onDidChange: () => void;
}

/** What to sign in to. */
export interface SignInTarget {
  readonly session: Session;
  readonly definition: AgentDefinition;
  readonly connect: () => Promise<Agent>;
  /** Whether the window still shows the session. Another one may have replaced it meanwhile. */
  readonly isCurrent: () => boolean;
}

/** Runs one sign-in at a time. */
export class SignInRunner {
  readonly #options: SignInRunnerOptions;
  #running: { progress: SignInProgress; readonly stop: AbortController } | undefined;

  constructor(options: SignInRunnerOptions) {
    this.#options = options;
  }

  get progress(): SignInProgress | undefined {
    return this.#running?.progress;
  }

  /** Signs in, and opens the session once more. Rejects with a ProblemError if the sign-in failed. */
  async run(target: SignInTarget, methodId: string): Promise<void> {
    if (this.#running) return;
    const stop = new AbortController();
    const running = { progress: { name: methodId } as SignInProgress, stop };
    this.#running = running;
    this.#options.onDidChange();
    let outcome: Outcome | undefined;
    try {
      outcome = await this.#signIn(target, methodId, running);
    } finally {
      this.#running = undefined;
      this.#options.onDidChange();
    }
    // The session that replaced it may use the same process.
    if (!target.isCurrent()) return;
    if (outcome === "signedIn") await target.session.signedIn(false);
    else if (outcome === "restart") await target.session.signedIn(true);
    else if (outcome === "stuck") await target.session.restart();
  }

  /** Ends the sign-in. An agent that has not answered is started again, because it may ignore the next message too. */
  cancel(): void {
    this.#running?.stop.abort(new Error(t("The sign-in was cancelled.")));
  }

  async #signIn(
    { session, definition, connect }: SignInTarget,
    methodId: string,
    running: { progress: SignInProgress; readonly stop: AbortController },
  ): Promise<Outcome | undefined> {
    const { keys, consents, startFolders, environment } = this.#options;
    const agent = await connect();
    const method = agent.signInMethods.find(({ id }) => id === methodId);
    if (!method) {
      const message = t("{0} no longer offers this way to sign in. Restart the agent.", definition.name);
      throw new ProblemError({ message, next: ["restartAgent"] });
    }
    running.progress = { name: method.name };
    this.#options.onDidChange();
    const { signal } = running.stop;
    switch (method.type) {
      case "terminal": {
        const started = await definitionToStart(definition, keys, environment);
        const cwd = started.cwd ?? (await prepareStartFolder(startFolders));
        const program = { method, agent: started, cwd };
        if (!(await consents.ask(program)) || signal.aborted) return undefined;
        // The specification asks for a new process afterwards.
        return (await signInByTerminal(program, environment, signal)) ? "restart" : undefined;
      }
      case "agent":
        return this.#authenticate(agent, method.id, formClient(session), running);
      case "environment": {
        const refused = refusedVariables(method);
        if (refused.length > 0) throw new ProblemError(refusedVariablesProblem(definition, refused));
        const answer = await session.forms.ask({ type: "form", form: signInForm(method, keys.note) }, signal);
        const values = signInValues(answer, method);
        if (!values) return undefined;
        await keys.store(definition.id, values);
        return "restart";
      }
    }
  }

  async #authenticate(
    agent: Agent,
    methodId: string,
    client: FormClient,
    running: { progress: SignInProgress; readonly stop: AbortController },
  ): Promise<Outcome> {
    const { signal } = running.stop;
    const timer: Disposable = this.#options.clock.after(maxAuthenticateTime, () => {
      running.progress = { ...running.progress, late: true };
      this.#options.onDidChange();
    });
    try {
      await agent.authenticate(methodId, client, signal);
      return "signedIn";
    } catch (error) {
      if (signal.aborted) return "stuck";
      throw error;
    } finally {
      timer.dispose();
    }
  }
}

/** `restart`: signed in, and the agent must start again. `stuck`: the user gave up waiting for the agent. */
type Outcome = "signedIn" | "restart" | "stuck";

const refusedVariablesProblem = ({ name }: AgentDefinition, variables: readonly string[]): Problem => ({
  message:
    variables.length === 1
      ? t(
          "{0} asks for {1}, which chooses the programs that run. Parley does not store such variables. Choose another way, or set parley.agents → env yourself.",
          name,
          variables.join(", "),
        )
      : t(
          "{0} asks for {1}, which choose the programs that run. Parley does not store such variables. Choose another way, or set parley.agents → env yourself.",
          name,
          variables.join(", "),
        ),
  next: ["openSettings"],
});

const formClient = ({ forms }: Session): FormClient => ({
  askForm: (request, signal) => forms.ask(request, signal),
  completeAddress: id => forms.complete(id),
});
