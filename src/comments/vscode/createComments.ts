// Creates the comments on lines of a window: what is stored, their threads in the editor, and their handlers.
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import type { Event } from "../../base/lifecycle.ts";
import { setContextKey } from "../../editor/contextKeys.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import { showErrorMessage, showQuickPick, showWarningMessage } from "../../editor/editorUi.ts";
import { EditorComments } from "../../editor/editorComments.ts";
import { RecordFiles } from "../../files/recordFiles.ts";
import type { FileEvents } from "../../files/vscode/fileEvents.ts";
import type { WindowAgents } from "../../agents/vscode/windowAgents.ts";
import type { SessionRegistry, WorkspaceFolders } from "../../library/sessionRegistry.ts";
import type { AskedSessions } from "../../library/attention.ts";
import type { StoredSessions } from "../../library/storedSessions.ts";
import { hasSession, rememberedSession } from "../../library/vscode/showSession.ts";
import type { Attachments } from "../../mentions/vscode/attachments.ts";
import type { HeadPart } from "../../panel/headParts.ts";
import type { IntentHandlers } from "../../panel/intentHandlers.ts";
import type { ChangesTree } from "../../review/vscode/changesTree.ts";
import { sessionTitle } from "../../session/state.ts";
import { isCommentable, showsGutter, type GutterSetting } from "../commentableDocuments.ts";
import { CommentAnswers } from "../commentAnswers.ts";
import { CommentSender, type CommentSession } from "../commentSender.ts";
import { conversationOf, isLineComment, lastSentRemark, type LineComment } from "../lineComment.ts";
import { LineComments } from "../lineComments.ts";
import { sessionWork } from "../promptAnswer.ts";
import { reviewComments, type CommentedReview } from "../reviewedComments.ts";
import { stopAnswer } from "../stopAnswer.ts";
import { CommentActions, type CommentSessions } from "./commentActions.ts";
import { commentCommands } from "./commentCommands.ts";
import { commentOfRow, commentRows } from "./commentRows.ts";
import { CommentedDocuments } from "./commentedDocuments.ts";
import { CommentThreads } from "./commentThreads.ts";
import { ReviewsByAgents } from "./reviewsByAgents.ts";

/** Creates the comments that are stored in the folder. The window stores them before it closes. */
export function createLineComments({ store, clock, log }: ExtensionPlatform, folder: string): LineComments {
  let isWarned = false;
  const files = new RecordFiles<LineComment>({
    ...{ folder, isRecord: isLineComment, log },
    keyOf: ({ id }) => id,
    onDamaged: file =>
      void showWarningMessage(vscode.l10n.t("A comment on lines could not be read. Its file is kept: {0}", file)),
  });
  return store.add(
    new LineComments({
      ...{ files, clock, log },
      onNotStored: reason => {
        if (!isWarned) void showErrorMessage(vscode.l10n.t("Comments on lines cannot be stored: {0}", reason));
        isWarned = true;
      },
    }),
  );
}

/** The settings of comments. */
export interface CommentSettings {
  /** Which documents show beside their line numbers that they can have comments. */
  readonly gutter: GutterSetting;
  /** Which session gets what is asked at the selection. */
  readonly askIn: "newSession" | "currentSession";
}

/** The features that comments use. */
export interface CommentsSources {
  readonly comments: LineComments;
  readonly settings: {
    readonly read: () => { readonly comments: CommentSettings };
    readonly onDidChange: Event<void>;
  };
  readonly agents: Pick<WindowAgents, "of" | "definitions">;
  readonly folders: Pick<WorkspaceFolders, "usual">;
  readonly review: CommentedReview;
  readonly registry: SessionRegistry;
  readonly stored: StoredSessions;
  readonly asked: AskedSessions;
  readonly attachments: Pick<Attachments, "declinedPaths">;
  readonly fileEvents: FileEvents;
  readonly workspace: { readonly roots: () => readonly string[]; readonly onDidChangeRoots: Event<void> };
  /** Shows the session with this id in the chat. */
  readonly show: (id: string) => Promise<void>;
  readonly announce: (words: string) => void;
  /** Settles when the changes that an earlier window has left are in the review. */
  readonly reviewReady: Promise<void>;
  /** The Changes view, which lists the comments. */
  readonly tree: Pick<ChangesTree, "showOthers" | "clickedRow">;
}

export interface CommentsFeature {
  readonly commands: ReturnType<typeof commentCommands>;
  readonly intents: IntentHandlers<"sendComments">;
  readonly head: HeadPart<"comments">;
}

/** Shows the comments in the editor from now on. */
export function createComments(
  { context, store, clock, log }: ExtensionPlatform,
  { comments, review, registry, stored, attachments, fileEvents, workspace, settings, ...rest }: CommentsSources,
): CommentsFeature {
  const editor = store.add(
    new EditorComments({
      canHave: ({ uri }) => isCommentable(uri, workspace.roots(), review),
      hasGutter: ({ uri }) => showsGutter(uri, settings.read().comments.gutter, { review, comments }),
    }),
  );
  const { open } = registry;
  const known = { registry, stored };
  const answers = store.add(new CommentAnswers({ comments, open, asked: rest.asked, clock }));
  const titleOf = (id: string | undefined): string => {
    const session = open.get(id);
    return session ? sessionTitle(session.state) : id === undefined ? "" : (stored.get(id)?.title ?? "");
  };
  const threads = store.add(
    new CommentThreads({ editor, comments, sessionTitle: titleOf, phaseOf: remark => answers.phaseOf(remark) }),
  );
  const sender = new CommentSender({
    ...{ comments, review },
    hasSession: id => hasSession(known, id),
    openSession: id => openSession(known, id),
    declined: paths => attachments.declinedPaths(paths, true),
  });
  const startSession = (): string => {
    const agent = rest.agents.of(open.active)?.id;
    const folder = rest.folders.usual(open.active?.state.workspaceFolder);
    const session = agent === undefined || folder === undefined ? undefined : registry.startUnshown(agent, folder);
    return session?.id ?? noSession(registry);
  };
  const sessions: CommentSessions = {
    shown: () => open.active?.id,
    has: id => hasSession(known, id),
    stop: (id, prompt) => {
      const session = open.get(id);
      return session !== undefined && stopAnswer(session, prompt);
    },
    show: rest.show,
    forQuestion: async () =>
      settings.read().comments.askIn === "currentSession" ? (await openSession(known, undefined)).id : startSession(),
    choose: () => chooseSession(known, startSession),
  };
  const actions = new CommentActions({
    ...{ editor, comments, threads, sender, review, sessions, log },
    isWorking: one => answers.isWorking(one),
    announce: rest.announce,
  });
  const reviews = store.add(
    new ReviewsByAgents({
      ...{ comments, review, registry, log, agents: rest.agents, folders: rest.folders, show: rest.show },
      declined: paths => attachments.declinedPaths(paths, true),
      hasSession: id => hasSession(known, id),
      open: id => actions.open(id),
    }),
  );
  let isReviewReady = false;
  const updateFromReview = (): void => {
    // Before that, the review lacks the hunks that comments belong to.
    if (!isReviewReady) return;
    reviewComments(comments, review, comment => {
      const state = open.get(conversationOf(comment))?.state;
      return state && sessionWork(state, lastSentRemark(comment)?.prompt);
    });
  };
  const updateContext = (): void => {
    setContextKey("parley.hasUnsentComments", comments.collected.length > 0);
    setContextKey(
      "parley.commentsWork",
      comments.all.some(one => answers.isWorking(one)),
    );
  };
  store.add(comments.onDidChange(updateContext));
  store.add(
    answers.onDidChange(ids => {
      threads.update(ids);
      updateContext();
      updateFromReview();
    }),
  );
  store.add(
    open.onDidChange(change => {
      // The title can be another one, and after a reload it is known later than the comments.
      if (change.type === "opened" || (change.type === "changed" && !change.isContent)) threads.update();
    }),
  );
  store.add(stored.onDidChange(() => threads.update()));
  const start = async (): Promise<void> => {
    await comments.restore();
    answers.update();
    const documents = store.add(new CommentedDocuments({ ...{ comments, review, fileEvents, log }, ...workspace }));
    await Promise.all([documents.whenRead(), rest.reviewReady]);
    isReviewReady = true;
    documents.followMoves();
    store.add(review.onDidChange(updateFromReview));
    updateFromReview();
  };
  start().catch((thrown: unknown) => {
    const { message } = asError(thrown);
    log.error("The comments on lines could not be read.", message);
    void showErrorMessage(vscode.l10n.t("The comments on lines could not be read: {0}", message));
  });
  store.add(settings.onDidChange(() => editor.refresh()));
  let reviewed = "";
  store.add(
    review.onDidChange(() => {
      const now = review.files.map(({ path }) => path).join("\n");
      if (now !== reviewed) editor.refresh();
      reviewed = now;
    }),
  );
  updateContext();
  rest.tree.showOthers(commentRows(comments));
  const clickedComment = async (): Promise<string | undefined> => commentOfRow(await rest.tree.clickedRow());
  return {
    intents: { sendComments: () => actions.send() },
    head: {
      values: { comments: () => comments.collected.length || undefined },
      onDidChange: listener => comments.onDidChange(() => listener()),
    },
    commands: commentCommands({
      ...{ actions, threads, editor, review, reviews, clickedComment },
      state: context.workspaceState,
    }),
  };
}

/** The session with this id, or the one that the chat shows, which is started if there is none. */
async function openSession(
  known: { readonly registry: SessionRegistry; readonly stored: StoredSessions },
  id: string | undefined,
): Promise<CommentSession> {
  const { registry } = known;
  const remembered = id === undefined || registry.open.get(id) ? undefined : rememberedSession(known, id);
  if (remembered) await registry.openUnshown(remembered);
  const session = registry.open.get(id);
  if (session) return session;
  if (id !== undefined) return noSession(registry);
  if (!registry.open.active) await registry.restoreOrStart();
  const { active } = registry.open;
  return active ?? noSession(registry);
}

/** The sessions that are offered for a comment. */
const maxOfferedSessions = 30;

/** Asks for a new session, an open one, or one of the latest stored ones. */
async function chooseSession(
  { registry, stored }: { readonly registry: SessionRegistry; readonly stored: StoredSessions },
  start: () => string,
): Promise<string | undefined> {
  const titleOf = (title: string): string => (title === "" ? vscode.l10n.t("New session") : title);
  const open = registry.open.sessions.toReversed().map(({ id, state }) => ({
    label: titleOf(sessionTitle(state)),
    description: id === registry.open.active?.id ? vscode.l10n.t("in the chat") : "",
    iconPath: new vscode.ThemeIcon("comment-discussion"),
    id,
  }));
  const others = stored.entries
    .filter(({ id }) => registry.open.get(id) === undefined)
    .map(({ id, title }) => ({ label: titleOf(title ?? ""), iconPath: new vscode.ThemeIcon("history"), id }));
  const newSession = { label: vscode.l10n.t("Start a New Session"), iconPath: new vscode.ThemeIcon("add"), id: "" };
  const picked = await showQuickPick([newSession, ...open, ...others].slice(0, maxOfferedSessions), {
    title: vscode.l10n.t("Session of the Comment"),
  });
  return picked && (picked.id === "" ? start() : picked.id);
}

function noSession({ obstacle }: SessionRegistry): never {
  throw new Error(obstacle?.message ?? vscode.l10n.t("No session could be started. The chat says why."));
}
