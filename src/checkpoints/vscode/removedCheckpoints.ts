// The notice of checkpoints that a limit removed, with Undo. Limits can remove a checkpoint with every prompt, so the notice
// comes at most once a day in a window, and the user can switch it off.
import * as vscode from "vscode";
import { openMachineSettings } from "../../editor/openMachineSettings.ts";
import { asError } from "../../base/errors.ts";
import type { Disposable } from "../../base/lifecycle.ts";
import type { Clock, Log } from "../../base/log.ts";
import { showInformationMessage, showWarningMessage } from "../../editor/editorUi.ts";
import type { SessionCheckpoints } from "./sessionCheckpoints.ts";

export interface RemovedCheckpointsOptions {
  readonly checkpoints: Pick<SessionCheckpoints, "removed" | "restoreRemoved" | "markSeen" | "onDidRemove">;
  readonly globalState: vscode.ExtensionContext["globalState"];
  readonly clock: Clock;
  readonly log: Log;
}

const day = 24 * 60 * 60 * 1000;
/** In the global state: the user wants no notices. */
const hiddenKey = "parley.hidesRemovedCheckpoints";

export class RemovedCheckpoints implements Disposable {
  readonly #options: RemovedCheckpointsOptions;
  readonly #listener: Disposable;
  #isOpen = false;
  #isDisposed = false;
  #timer: Disposable | undefined;

  constructor(options: RemovedCheckpointsOptions) {
    this.#options = options;
    this.#listener = options.checkpoints.onDidRemove(() => this.announce());
  }

  /** Shows a notice if there are removals that the user has not seen, now or when the last notice is a day old. */
  announce(): void {
    if (this.#isDisposed || this.#isOpen || this.#timer || this.#options.globalState.get(hiddenKey) === true) return;
    this.#isOpen = true;
    void this.#announce().finally(() => (this.#isOpen = false));
  }

  async #announce(): Promise<void> {
    const { checkpoints, globalState, log } = this.#options;
    try {
      const count = (await checkpoints.removed()).filter(({ isSeen }) => !isSeen).length;
      if (count === 0) return;
      const undo = vscode.l10n.t("Undo");
      const change = vscode.l10n.t("Change Limits");
      const hide = vscode.l10n.t("Don't Show Again");
      const message =
        count === 1
          ? vscode.l10n.t(
              "Parley removed a checkpoint because of the limits in your settings. It can be restored for a week.",
            )
          : vscode.l10n.t(
              "Parley removed {0} checkpoints because of the limits in your settings. They can be restored for a week.",
              count,
            );
      const pressed = await showInformationMessage(message, undo, change, hide);
      this.#wait();
      if (pressed === change) return await openMachineSettings("parley.checkpoints");
      if (pressed === undo) await this.restore();
      if (pressed === hide) await globalState.update(hiddenKey, true);
      await checkpoints.markSeen();
    } catch (error) {
      log.error("Removed checkpoints could not be restored.", asError(error).stack);
      void showWarningMessage(vscode.l10n.t("The checkpoints could not be restored: {0}", asError(error).message));
    }
  }

  /** Restores all removed checkpoints of the workspace. */
  async restore(): Promise<void> {
    const count = await this.#options.checkpoints.restoreRemoved();
    void showInformationMessage(
      count === 0
        ? vscode.l10n.t("There are no removed checkpoints. Parley keeps removed checkpoints for a week.")
        : count === 1
          ? vscode.l10n.t("Restored a checkpoint.")
          : vscode.l10n.t("Restored {0} checkpoints.", count),
    );
  }

  #wait(): void {
    if (this.#isDisposed) return;
    this.#timer = this.#options.clock.after(day, () => {
      this.#timer = undefined;
      this.announce();
    });
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#listener.dispose();
    this.#timer?.dispose();
  }
}
