// The commands between a worktree and its main checkout, for the session with an id or the active one.
import { t } from "../../base/l10n.ts";
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import { showInformationMessage } from "../../editor/editorUi.ts";
import type { OpenSessions } from "../../library/openSessions.ts";
import type { WorktreeRecord, WorktreeRecords } from "../worktreeRecords.ts";
import type { BothSides } from "./bothSides.ts";
import type { BringBackChanges } from "./bringBackChanges.ts";
import { commitWorktreeCommand, updateWorktreeCommand, type WorktreeOfSession } from "./mergeCommands.ts";

export type MergingCommandId =
  | "parley.bringBackChanges"
  | "parley.updateWorktree"
  | "parley.commitWorktree"
  | "parley.keepMine";

export interface MergingCommandsOptions {
  readonly records: WorktreeRecords;
  readonly changes: BringBackChanges;
  readonly sides: BothSides;
  readonly open: OpenSessions;
  /** The worktree has other commits or another base now. */
  readonly changed: (record: WorktreeRecord) => Promise<void>;
}

/** Creates the commands. Their argument is the id of an open session, by default that of the active one. */
export function mergingCommands(options: MergingCommandsOptions): CommandHandlers<MergingCommandId> {
  const { open, records, changes, sides, changed } = options;
  const inWorktree =
    (run: (one: WorktreeOfSession) => Promise<void>) =>
    async (id?: unknown): Promise<void> => {
      const session = typeof id === "string" ? open.get(id) : open.active;
      await records.read();
      const record = session && records.of(session.state.workspaceFolder);
      if (!record) return void showInformationMessage(t("This session is in no worktree that Parley has made."));
      await run({ session, record, records });
      await changed(records.of(record.path) ?? record);
    };
  return {
    "parley.bringBackChanges": inWorktree(one => changes.run(one)),
    "parley.updateWorktree": inWorktree(updateWorktreeCommand),
    "parley.commitWorktree": inWorktree(commitWorktreeCommand),
    "parley.keepMine": async () => {
      const conflict = sides.activeConflict();
      if (conflict) return changes.keepMine(conflict);
      void showInformationMessage(t("No diff of a conflict is open. “Bring Back Changes…” lists the conflicts."));
    },
  };
}
