// Creates what continues conversations from their messages, with the notice that offers Undo.
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { asProblem } from "../../base/errors.ts";
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import { showErrorMessage, showInformationMessage } from "../../editor/editorUi.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import { Branching, type BranchingOptions } from "../branching.ts";
import { copyConversation, type CopyConversationOptions } from "../copyConversation.ts";
import type { SessionRegistry } from "../sessionRegistry.ts";
import type { StoredSessions } from "../storedSessions.ts";
import { hasSession, openInSurface } from "./showSession.ts";

export interface BranchingFeature extends Pick<Branching, "intents"> {
  readonly commands: CommandHandlers<"parley.undoBranch">;
}

/** Creates the feature. */
export function createBranching(
  { storage, clock, log }: ExtensionPlatform,
  {
    registry,
    stored,
    servers,
    checkpoints,
    files,
  }: {
    readonly registry: SessionRegistry;
    readonly stored: StoredSessions;
    readonly servers: CopyConversationOptions["servers"];
    readonly checkpoints: CopyConversationOptions["checkpoints"];
    readonly files: BranchingOptions["files"];
  },
): BranchingFeature {
  const sessions = { registry, stored };
  const branching = new Branching({
    ...{ registry, files, clock, log },
    continueFrom: copyConversation({ registry, servers, checkpoints, storage, newId: () => randomUUID(), clock, log }),
    show: async (id, surface) => {
      if (!hasSession(sessions, id)) await stored.load();
      if (!(await openInSurface(sessions, id, surface)))
        throw new Error(vscode.l10n.t("This branch was deleted, so it cannot be shown."));
    },
    offerUndo: async notice => {
      const undo = vscode.l10n.t("Undo");
      return (await showInformationMessage(notice, undo)) === undo;
    },
  });
  return {
    intents: branching.intents,
    commands: {
      "parley.undoBranch": () =>
        branching.undo().catch((error: unknown) => void showErrorMessage(asProblem(error).message)),
    },
  };
}
