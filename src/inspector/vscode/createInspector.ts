// The command that shows the protocol inspector, which is in `dist/inspector.js`.
import { createRequire } from "node:module";
import { join } from "node:path";
import * as vscode from "vscode";
import { maskRecord } from "../../acp/trafficRecorder.ts";
import { maskKnownSecrets } from "../../base/secrets/knownSecrets.ts";
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import { showInformationMessage } from "../../editor/editorUi.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import type { Inspector, InspectorModule, InspectorOptions } from "./inspectorModule.ts";

/** An agent, with the agent's ID of the session in which it failed. */
export interface FailedSession {
  readonly agent: string;
  readonly session: string | undefined;
}

export interface InspectorCommandOptions extends Pick<InspectorOptions, "traffic" | "nameOf" | "save" | "openPage"> {
  /** The agent of the session with this id, or of the shown session. Undefined if there is none. */
  readonly failed: (session: string | undefined) => FailedSession | undefined;
}

/** Handler of the command. With the id of a session, the message at which it failed is selected. */
export function inspectorCommands(
  { context, store, clock, log }: Pick<ExtensionPlatform, "context" | "store" | "clock" | "log">,
  { failed, ...options }: InspectorCommandOptions,
): CommandHandlers<"parley.showInspector"> {
  let inspector: Inspector | undefined;
  const load = (): Inspector => {
    const { createInspector } = createRequire(context.asAbsolutePath(join("dist", "extension.js")))(
      "./inspector.js",
    ) as InspectorModule;
    const masking = { record: maskRecord, text: maskKnownSecrets };
    return store.add(createInspector({ ...options, masking, clock, log }));
  };
  return {
    "parley.showInspector": session => {
      const isFailure = typeof session === "string";
      const shown = failed(isFailure ? session : undefined);
      if (!shown) {
        void showInformationMessage(vscode.l10n.t("There is no agent. Add one in Settings (parley.agents)."));
        return;
      }
      inspector ??= load();
      inspector.show(shown.agent, isFailure ? { session: shown.session } : undefined);
    },
  };
}
