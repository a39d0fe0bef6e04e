// Creates what signs the user in to agents, with its commands.
import { join } from "node:path";
import { t } from "../../base/l10n.ts";
import { Emitter, type Event } from "../../base/lifecycle.ts";
import type { WindowEnvironment } from "../../base/windowEnvironment.ts";
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import type { AgentDefinition } from "../registry.ts";
import { showInformationMessage, showQuickPicks } from "../../editor/editorUi.ts";
import { LastChoices } from "./lastChoices.ts";
import { keyOwner } from "./definitionToStart.ts";
import { LastSignIns } from "./lastSignIns.ts";
import { SignInConsents } from "./signInConsents.ts";
import { SignInRunner } from "./signInRunner.ts";
import { StoredKeys } from "./storedKeys.ts";

export interface SignInFeature {
  readonly keys: StoredKeys;
  readonly runner: SignInRunner;
  readonly lastChoices: LastChoices;
  readonly lastSignIns: LastSignIns;
  /** Fires when a sign-in begins, goes on or ends. */
  readonly onDidChange: Event<void>;
}

export function createSignIn(
  { context, clock, store, secrets }: ExtensionPlatform,
  environment: WindowEnvironment,
): SignInFeature {
  const changed = store.add(new Emitter<void>());
  const keys = new StoredKeys({ secrets, globalState: context.globalState });
  const startFolders = join(context.globalStorageUri.fsPath, "agents");
  return {
    keys,
    lastChoices: new LastChoices(context),
    lastSignIns: new LastSignIns(context),
    runner: new SignInRunner({
      ...{ keys, consents: new SignInConsents(context), startFolders, clock, environment },
      onDidChange: () => changed.fire(),
    }),
    onDidChange: changed.event,
  };
}

/** Handler of the command that deletes keys. `agents` gives their names. */
export const storedKeyCommands = (
  keys: StoredKeys,
  agents: () => readonly AgentDefinition[],
): CommandHandlers<"parley.removeStoredKeys"> => ({
  "parley.removeStoredKeys": async () => {
    const names = Object.entries(keys.names);
    if (names.length === 0) {
      void showInformationMessage(t("No keys of agents are stored."));
      return;
    }
    const picks = names.map(([id, variables]) => ({
      label: agents().find(agent => keyOwner(agent) === id)?.name ?? id,
      description: variables.join(", "),
      id,
    }));
    const picked = await showQuickPicks(picks, {
      title: t("Remove Stored Keys"),
      placeHolder: t("The agents whose keys are removed. Running agents keep them until they restart."),
    });
    for (const { id } of picked ?? []) await keys.remove(id);
  },
});
