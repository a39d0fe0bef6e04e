// Creates the checkpoints of a window, and the controller that restores them with its handlers.
import { randomUUID } from "node:crypto";
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import { sessionRoots } from "../../editor/folders.ts";
import type { HeadPart } from "../../panel/headParts.ts";
import type { IntentHandlers } from "../../panel/intentHandlers.ts";
import type { Checkpoints } from "../checkpoints.ts";
import { CheckpointController, type CheckpointControllerOptions } from "./checkpointController.ts";
import { CheckpointPreview } from "./checkpointPreview.ts";
import { RemovedCheckpoints } from "./removedCheckpoints.ts";
import { SessionCheckpoints, type SessionCheckpointsOptions } from "./sessionCheckpoints.ts";

export interface CheckpointsFeature {
  /** Not disposed with the platform: the window stores it first. */
  readonly sessions: SessionCheckpoints;
  readonly removed: RemovedCheckpoints;
  readonly head: HeadPart<"checkpoints">;
  /** The checkpoints of that session. */
  readonly of: (
    session: { readonly id: string; readonly workspaceFolder: string } | undefined,
  ) => Checkpoints | undefined;
}

/** Creates the checkpoints of every session of the window. */
export function createCheckpoints(
  { context, store, clock, log }: ExtensionPlatform,
  options: Pick<SessionCheckpointsOptions, "path" | "limits" | "openElsewhere">,
): CheckpointsFeature {
  const sessions = new SessionCheckpoints({
    ...options,
    roots: workspaceFolder => sessionRoots(workspaceFolder).filter(root => root !== ""),
    newId: () => randomUUID(),
    clock,
    log,
  });
  const { globalState } = context;
  return {
    sessions,
    removed: store.add(new RemovedCheckpoints({ checkpoints: sessions, globalState, clock, log })),
    head: {
      values: { checkpoints: session => session && sessions.turns(session.id, session.state.workspaceFolder) },
      onDidChange: sessions.onDidChange,
    },
    of: session => session && sessions.forSession(session.id, session.workspaceFolder),
  };
}

export interface CheckpointHandlers {
  readonly commands: CommandHandlers<
    "parley.restoreCheckpoint" | "parley.restoreRemovedCheckpoints" | "parley.undoRestore" | "parley.deleteCheckpoints"
  >;
  readonly intents: IntentHandlers<"restoreCheckpoint">;
  /** The files of a conversation that continues from an earlier message. */
  readonly files: Pick<CheckpointController, "bringBackFiles" | "undoTurns" | "undoBringBack">;
}

/** Creates the controller that restores checkpoints, for when sessions can be started. */
export function createCheckpointHandlers(
  { store, context }: ExtensionPlatform,
  {
    removed,
    ...options
  }: Omit<CheckpointControllerOptions, "preview" | "states"> & Pick<CheckpointsFeature, "removed">,
): CheckpointHandlers {
  const controller = new CheckpointController({
    ...options,
    states: context,
    preview: store.add(new CheckpointPreview()),
  });
  return {
    commands: {
      "parley.restoreCheckpoint": () => controller.restore(),
      "parley.restoreRemovedCheckpoints": () => removed.restore(),
      "parley.undoRestore": () => controller.undo(),
      "parley.deleteCheckpoints": () => controller.delete(),
    },
    intents: { restoreCheckpoint: ({ entry }) => controller.restore(entry) },
    files: controller,
  };
}
