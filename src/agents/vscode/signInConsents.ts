// The user's consent to what a sign-in runs, if that is not simply the agent's own program. It holds for exactly the
// program that was shown, so another one is asked about again.
import * as vscode from "vscode";
import { ProblemError } from "../../base/errors.ts";
import { choosesProgram } from "../../base/programVariables.ts";
import { showWarningMessage } from "../../editor/editorUi.ts";
import {
  isTooLong,
  programConcern,
  programKey,
  programTexts,
  usesFilesOf,
  type ProgramConcern,
  type SignInProgram,
} from "../signInProgram.ts";

const consentsKey = "parley.signIn.allowed";
/** The oldest consents of an agent are forgotten first. */
const maxConsents = 20;

type Consents = Readonly<Record<string, readonly string[]>>;

/** Remembers consents by agent in the global state. */
export class SignInConsents {
  readonly #state: vscode.Memento;

  constructor({ globalState }: Pick<vscode.ExtensionContext, "globalState">) {
    this.#state = globalState;
  }

  /**
   * Whether the program may run. Asks, unless it is the agent's own program or the user has allowed exactly this one.
   * Rejects with a ProblemError if the program cannot be shown.
   */
  async ask(program: SignInProgram): Promise<boolean> {
    const concern = programConcern(program);
    if (concern === undefined) return true;
    const { agent } = program;
    if (isTooLong(program))
      throw new ProblemError({
        message: vscode.l10n.t(
          "The sign-in program of {0} was not run: its arguments and variables are too long to check. Choose another way.",
          agent.name,
        ),
        next: [],
      });
    const key = programKey(program);
    if (this.#of(agent.id).includes(key)) return true;
    const run = vscode.l10n.t("Run Program");
    const answer = await showWarningMessage(
      vscode.l10n.t("Run this program to sign in to {0}?", agent.name),
      { modal: true, detail: consentDetail(program, concern) },
      run,
    );
    if (answer !== run) return false;
    const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
    if (usesFilesOf(program, folders)) return true;
    const all = this.#state.get<Consents>(consentsKey, {});
    await this.#state.update(consentsKey, { ...all, [agent.id]: [...this.#of(agent.id), key].slice(-maxConsents) });
    return true;
  }

  #of(agent: string): readonly string[] {
    return this.#state.get<Consents>(consentsKey, {})[agent] ?? [];
  }
}

function consentDetail(program: SignInProgram, concern: ProgramConcern): readonly string[] {
  const texts = programTexts(program);
  return [
    concernText(program, concern),
    "",
    vscode.l10n.t("Program: {0}", texts.program),
    ...texts.args.map(argument => vscode.l10n.t("Argument: {0}", argument)),
    vscode.l10n.t("Folder: {0}", texts.cwd),
    ...texts.variables.map(variable => vscode.l10n.t("Variable: {0}", variable)),
  ];
}

function concernText({ method, agent }: SignInProgram, concern: ProgramConcern): string {
  switch (concern) {
    case "otherProgram":
      return vscode.l10n.t(
        "The agent names this program, which is not the one in your settings. It runs on the machine of VS Code with your rights, also if the agent runs in a container or elsewhere.",
      );
    case "variables": {
      const names = Object.keys(method.env).filter(name => choosesProgram(name));
      return vscode.l10n.t(
        "The agent sets variables that choose which programs run or who receives their data: {0}.",
        names.join(", "),
      );
    }
    case "startsPrograms":
      return vscode.l10n.t("{0} starts programs, and the agent adds arguments to its command line.", agent.command);
  }
}
