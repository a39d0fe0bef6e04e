// Creates the hooks of the window: the user's commands for questions, ends of turns and failures.
import { homedir } from "node:os";
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import type { WindowEnvironment } from "../../base/windowEnvironment.ts";
import { showWarningMessage } from "../../editor/editorUi.ts";
import { openMachineSettings } from "../../editor/openMachineSettings.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import type { SessionNotification } from "../../session/notifications.ts";
import type { SessionState } from "../../session/state.ts";
import { HookRunner } from "../hookRunner.ts";
import type { HookCommands } from "../hookSetting.ts";
import { hookEventOf, hookVariables } from "../hookVariables.ts";

export interface Hooks {
  /** Runs the command for the notification about the session. `agent` is the name of the agent. */
  run(news: SessionNotification, state: SessionState, agent: string): void;
  /** Ends the commands. Resolves when no process is left. */
  close(): Promise<void>;
}

/** Creates the hooks. Nothing runs without a command in the settings, and nothing in an untrusted workspace. */
export function createHooks(
  { clock, log }: Pick<ExtensionPlatform, "clock" | "log">,
  { environment, commands }: { readonly environment: WindowEnvironment; readonly commands: () => HookCommands },
): Hooks {
  const showFailure = async (sentence: string): Promise<void> => {
    const settings = t("Open Settings");
    const showLog = t("Show Log");
    const message = t("{0} Further failures in this window are only in the log.", sentence);
    const pressed = await showWarningMessage(message, {}, settings, showLog);
    if (pressed === showLog) log.show();
    if (pressed === settings) await openMachineSettings("parley.hooks");
  };
  const runner = new HookRunner({
    ...{ commands, environment, clock, log },
    hasTrust: () => vscode.workspace.isTrusted,
    folder: homedir(),
    showFailure: sentence =>
      void showFailure(sentence).catch((thrown: unknown) =>
        log.error("The failure of a command could not be shown.", asError(thrown).stack),
      ),
  });
  return {
    run: (news, state, agent) => {
      const windowName = vscode.workspace.name ?? "";
      const event = hookEventOf(news);
      if (commands()[event]) runner.run(event, hookVariables(news, state, { agent, windowName }));
    },
    close: () => runner.close(),
  };
}
