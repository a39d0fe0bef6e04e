// Creates the review of a window: its store, what the editor shows of it, and its handlers.
import { join } from "node:path";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import type { HeadPart } from "../../panel/headParts.ts";
import { changesView } from "../../panel/projection/changesView.ts";
import type { ChangesTree } from "./changesTree.ts";
import { reviewCommands, reviewIntents } from "./reviewCommands.ts";
import { ReviewController, type ReviewControllerOptions } from "./reviewController.ts";
import { ReviewStore, type ReviewStoreOptions } from "./reviewStore.ts";

export interface ReviewFeatureOptions
  extends
    Omit<ReviewStoreOptions, "storage" | "clock" | "log" | "savesFolder">,
    Pick<ReviewControllerOptions, "announce" | "runsOf" | "changesView"> {
  /** The title of a session now. Empty if it is not open, or has none yet. */
  readonly sessionTitle: (session: string) => string;
}

export interface ReviewFeature {
  /** Not disposed with the platform: the window stores it first. */
  readonly store: ReviewStore;
  readonly commands: ReturnType<typeof reviewCommands>;
  readonly intents: ReturnType<typeof reviewIntents>;
  readonly head: HeadPart<"changes">;
  /** Shows the changes of a file that wait for review. The keyboard focus stays where it is. */
  readonly showDiff: (path: string) => Promise<void>;
  /** The Changes view. */
  readonly tree: Pick<ChangesTree, "showOthers" | "clickedRow">;
}

/** Creates the review and shows it in the editor. */
export function createReview(
  { context, store: disposables, storage, clock, log }: ExtensionPlatform,
  { announce, runsOf, changesView: treeView, sessionTitle, ...options }: ReviewFeatureOptions,
): ReviewFeature {
  // Windows that share a folder can have different workspaces.
  const savesFolder = join(context.globalStorageUri.fsPath, "saves");
  const store = new ReviewStore({ ...options, storage, clock, log, savesFolder });
  const { review } = store;
  const { extensionUri } = context;
  const { actions, tabs, changesTree } = disposables.add(
    new ReviewController({ review, extensionUri, log, announce, runsOf, changesView: treeView }),
  );
  return {
    store,
    commands: reviewCommands(actions, tabs, changesTree),
    intents: reviewIntents(actions),
    tree: changesTree,
    showDiff: path => actions.openDiff(path, { preview: false, preserveFocus: true }),
    head: {
      values: {
        changes: session => {
          const sessions = { shown: session?.id, turns: review.turns, titleOf: sessionTitle };
          return changesView(review.files, session?.state.workspaceFolder ?? "", runsOf, sessions);
        },
      },
      onDidChange: review.onDidChange,
    },
  };
}
