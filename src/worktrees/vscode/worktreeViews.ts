// What the chat and the Sessions view show of worktrees. It is read when a session is opened, when its turn ends, when a file of
// its worktree is saved and when the window gets the focus.
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { Emitter, type Event } from "../../base/lifecycle.ts";
import { setContextKey } from "../../editor/contextKeys.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import { t } from "../../base/l10n.ts";
import { gitOf } from "../../git/vscode/gitOf.ts";
import type { OpenSessions } from "../../library/openSessions.ts";
import type { HeadPart } from "../../panel/headParts.ts";
import type { ViewWorktree } from "../../panel/protocol.ts";
import { turnEnded } from "../../session/activity.ts";
import type { WorktreeRecord, WorktreeRecords } from "../worktreeRecords.ts";
import { readWorktreeState, WorktreeStates } from "../worktreeStates.ts";

export interface WorktreeViews {
  readonly states: WorktreeStates;
  readonly head: HeadPart<"worktree">;
  /** The worktree that a folder is in. Stays the same object until it changes. */
  readonly of: (folder: string) => ViewWorktree | undefined;
  /** Fires when one has changed. */
  readonly onDidChange: Event<void>;
  /** Reads the worktrees of listed sessions that were not read yet. Never rejects. */
  readListed(folders: readonly (string | undefined)[]): Promise<void>;
}

/** Creates what is shown of worktrees. `known`: resolves when the records were read. */
export function createWorktreeViews(
  { store, log }: Pick<ExtensionPlatform, "store" | "log">,
  {
    records,
    open,
    known,
  }: { readonly records: WorktreeRecords; readonly open: OpenSessions; readonly known: Promise<unknown> },
): WorktreeViews {
  const states = store.add(
    new WorktreeStates({
      ...{ records, log },
      read: async (record, signal) => {
        const git = gitOf(vscode.Uri.file(record.path));
        if (!git) throw new Error(t("Git was not found. Worktrees need it."));
        return readWorktreeState(git, record, signal);
      },
    }),
  );
  const changed = store.add(new Emitter<void>());
  store.add(states.onDidChange(() => changed.fire()));
  const refresh = (record: WorktreeRecord | undefined): void => void (record && states.refresh(record));
  const recordsOfOpen = (): ReadonlySet<WorktreeRecord> =>
    new Set(open.sessions.flatMap(({ state }) => records.of(state.workspaceFolder) ?? []));
  const showContext = (): void =>
    setContextKey("parley.sessionInWorktree", records.of(open.active?.state.workspaceFolder ?? "") !== undefined);
  store.add(
    open.onDidChange(change => {
      if (change.type === "changed") {
        if (turnEnded(change.before, change.session.state)) refresh(records.of(change.session.state.workspaceFolder));
        return;
      }
      if (change.type === "opened") refresh(records.of(change.session.state.workspaceFolder));
      showContext();
    }),
  );
  store.add(vscode.window.onDidChangeWindowState(({ focused }) => focused && recordsOfOpen().forEach(refresh)));
  store.add(
    vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      const record = uri.scheme === "file" ? records.of(uri.fsPath) : undefined;
      if (record && states.isRead(record)) refresh(record);
    }),
  );
  void known.then(() => {
    recordsOfOpen().forEach(refresh);
    showContext();
    changed.fire();
  });
  const of = (folder: string): ViewWorktree | undefined => {
    const record = records.of(folder);
    return record && states.of(record);
  };
  return {
    states,
    of,
    onDidChange: changed.event,
    head: {
      values: { worktree: session => (session && of(session.state.workspaceFolder)) ?? null },
      onDidChange: changed.event,
    },
    async readListed(folders) {
      // Other windows may have made some of them.
      const before = JSON.stringify(records.known);
      try {
        await records.read();
      } catch (thrown) {
        log.warn("The worktrees that Parley has made could not be read.", asError(thrown).message);
      }
      if (JSON.stringify(records.known) !== before) changed.fire();
      for (const folder of new Set(folders)) {
        const record = records.of(folder ?? "");
        if (record && !states.isRead(record)) refresh(record);
      }
    },
  };
}
