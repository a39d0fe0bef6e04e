// The extension, which the activation loads with its first use: creates the platform, the features, the sessions and the panels, in this order, and ends them.
import * as vscode from "vscode";
import { createAgents, createRemoteAgents } from "./agents/vscode/createAgents.ts";
import { createEnvironment } from "./agents/vscode/createEnvironment.ts";
import { createSignIn } from "./agents/vscode/createSignIn.ts";
import { WindowAgents } from "./agents/vscode/windowAgents.ts";
import { setTranslator } from "./base/l10n.ts";
import { DisposableStore } from "./base/lifecycle.ts";
import { WatchedSecrets } from "./base/secrets/watchedSecrets.ts";
import { asError } from "./base/errors.ts";
import { loggingClock } from "./base/log.ts";
import type { Checkpoints } from "./checkpoints/checkpoints.ts";
import { createCommitMessage } from "./commitMessage/vscode/createCommitMessage.ts";
import { createCheckpoints } from "./checkpoints/vscode/createCheckpoints.ts";
import { openOutputChannel } from "./editor/outputChannel.ts";
import { ConversationPageFiles } from "./files/conversationPageFiles.ts";
import { nodePaths } from "./files/nodePaths.ts";
import { EditorDocuments } from "./files/vscode/editorDocuments.ts";
import { FileEvents } from "./files/vscode/fileEvents.ts";
import { createEditorTools } from "./editorTools/vscode/createEditorTools.ts";
import { createFollow } from "./follow/vscode/createFollow.ts";
import { createMcp } from "./mcp/vscode/createMcp.ts";
import { createPermissions } from "./permissions/vscode/createPermissions.ts";
import { withProtectedFiles } from "./permissions/protectedFiles.ts";
import { createPromptFiles } from "./promptFiles/vscode/createPromptFiles.ts";
import { TerminalCommands } from "./mentions/vscode/terminalCommands.ts";
import { createReview, type ReviewFeature } from "./review/vscode/createReview.ts";
import { filesOfSession } from "./review/turns/linesBySession.ts";
import { createHooks } from "./hooks/vscode/createHooks.ts";
import { createHistory } from "./history/vscode/createHistory.ts";
import type { Session } from "./session/session.ts";
import { OpenSessions } from "./library/openSessions.ts";
import type { SessionRegistry } from "./library/sessionRegistry.ts";
import { emptySession, latestPromptTurn, sessionTitle } from "./session/state.ts";
import { createStoredSessions } from "./library/vscode/createStoredSessions.ts";
import { createOtherFolders } from "./library/vscode/createOtherFolders.ts";
import { chooseCsvFile, UsageTab } from "./library/vscode/usageTab.ts";
import { createLineComments } from "./comments/vscode/createComments.ts";
import { createSearch } from "./search/vscode/createSearch.ts";
import { createTurnProblems } from "./turnProblems/vscode/createTurnProblems.ts";
import { createTerminals } from "./terminals/vscode/createTerminals.ts";
import { ActiveSession } from "./window/activeSession.ts";
import { ChatPanels } from "./window/chatPanels.ts";
import { createPanels } from "./window/createPanels.ts";
import { createSessions } from "./window/createSessions.ts";
import { EditorWorkspaceFolders } from "./library/vscode/editorWorkspaceFolders.ts";
import { SessionFolders } from "./library/vscode/sessionFolders.ts";
import { ResumeQuestions } from "./library/resumeQuestions.ts";
import { createSessionList } from "./library/vscode/createSessionList.ts";
import { openSessionStorage, openSessionTrash, readSessionStorage } from "./window/sessionStorage.ts";
import {
  candidateGroupsFolder,
  checkpointFolder,
  commentsFolder,
  conversationPagesFolder,
  openedFoldersFolder,
  sessionLogFolder,
  worktreeRecordsFolder,
} from "./window/startup/storageFolders.ts";
import { warnOfForgottenSecrets } from "./window/forgottenSecrets.ts";
import { openTabPage } from "./window/openTabPage.ts";
import { SettingsReader } from "./window/settings.ts";
import { createCandidates } from "./worktrees/vscode/createCandidates.ts";
import { createWorktrees } from "./worktrees/vscode/createWorktrees.ts";
import type { LoadedExtension, StartupParts } from "./window/startup/startup.ts";

// VS Code knows the user's language.
setTranslator(vscode.l10n.t);

/** Creates the extension. It takes over the parts that exist since the start of the window. */
export function createExtension(context: vscode.ExtensionContext, startup: StartupParts): LoadedExtension {
  // Platform
  const store = new DisposableStore();
  const log = store.add(openOutputChannel());
  const clock = loggingClock(log);
  const secrets = new WatchedSecrets({ secrets: context.secrets, globalState: context.globalState, log });
  const platform = { context, store, log, clock, secrets, storage: openSessionStorage(context) };
  const settings = store.add(new SettingsReader(context, log));
  const chat = new ChatPanels({ extensionUri: context.extensionUri, pages: startup.pages, log, clock });
  const open = new OpenSessions();
  const active = store.add(new ActiveSession(open));
  const sessionFolders = store.add(new SessionFolders(open));
  const folders = store.add(new EditorWorkspaceFolders(context));
  const openSession = (id: string | undefined): Session | undefined => open.get(id);

  // Features
  const environment = createEnvironment(platform);
  const isHidden = (agent: string, agentSession: string): boolean | undefined => {
    const session = open.ofAgent(agent, agentSession);
    return session && !chat.isVisible(open.surfacesOf(session));
  };
  const remoteAgents = createRemoteAgents(platform);
  const pool = createAgents(platform, chat, isHidden, environment, remoteAgents);
  const signIn = createSignIn(platform, environment);
  const agents = store.add(
    new WindowAgents({
      ...{ pool, environment, signIn, settings, log },
      isOpen: session => open.get(session.id) === session,
    }),
  );
  store.add(
    open.onDidChange(change => {
      if (change.type === "changed" && !change.isContent) agents.noteSignIn(change.session);
    }),
  );
  const fileEvents = store.add(new FileEvents());
  const workspace = { fileEvents, roots: () => sessionFolders.roots, onDidChangeRoots: sessionFolders.onDidChange };
  const promptFiles = createPromptFiles(platform, {
    ...workspace,
    hasTrust: () => vscode.workspace.isTrusted,
    sensitive: () => settings.read().sensitive,
  });
  const terminalCommands = store.add(new TerminalCommands(platform.log));
  const editorTools = createEditorTools(platform, {
    toolsFor: agent => {
      const { agents, editorTools: usual } = settings.read();
      return agents.find(({ id }) => id === agent)?.editorTools ?? usual;
    },
    settings,
    review: () => review.store.review,
    showChanges: path => review.showDiff(path),
    lastCommand: () => terminalCommands.last,
  });
  const mcp = createMcp(platform, {
    ...{ sessions: () => open.sessions, agents: settings.definitions, environment },
    promptFiles,
    ownServer: editorTools.server,
  });
  const protection = withProtectedFiles(
    () => settings.read().protection,
    () => mcp.serverFiles(),
  );
  const documents = store.add(new EditorDocuments(nodePaths(), { saveUnsaved: () => settings.read().saveUnsaved }));
  const pages = new ConversationPageFiles(conversationPagesFolder(context));
  const permissions = createPermissions(platform, {
    sensitive: () => settings.read().sensitive,
    protection,
    openPage: webview => openTabPage("rules", webview, context.extensionUri, startup.pages),
    session: openSession,
  });
  const checkpoints = createCheckpoints(platform, {
    path: checkpointFolder(context),
    limits: () => settings.read().checkpoints,
    openElsewhere: () => registry.openElsewhere(),
  });
  const follow = createFollow(platform, { turn: () => latestPromptTurn(active.state) });
  const terminals = createTerminals(platform, openSession);
  const history = createHistory(platform, workspace);
  const checkpointsOf = (turn: string): Checkpoints | undefined => checkpoints.of(review.store.sessionOf(turn));
  const review: ReviewFeature = createReview(platform, {
    ...workspace,
    facts: history.facts,
    touches: {
      touched: file => checkpointsOf(file.turn)?.touched(file),
      touchedAgain: file => checkpointsOf(file.turn)?.touched(file),
      written: (path, after, turn) => checkpointsOf(turn)?.written(path, after),
      stateBefore: (turn, path, state) => checkpointsOf(turn)?.stateBefore(turn, path, state),
      stateWritten: (path, state, turn) => checkpointsOf(turn)?.writtenState(path, state),
    },
    reviewBefore: (turn, text) => checkpointsOf(turn)?.reviewBefore(turn, text),
    beginTurn: async (turn, session) => checkpoints.of(session)?.beginTurn(turn),
    treesOf: async turn => checkpointsOf(turn)?.startOf(turn),
    maxIgnoredBytes: () => settings.read().maxIgnoredBytes,
    announce: text => chat.announce(text),
    runsOf: permissions.runsOf,
    sessionTitle: id => sessionTitle(open.get(id)?.state ?? emptySession),
    changesView: startup.changesView,
  });
  const turnProblems = createTurnProblems(platform, review.store, () => settings.read().sensitive);

  // Sessions
  const resumeQuestions = store.add(
    new ResumeQuestions({ open, storage: platform.storage, limits: () => settings.read().resume, log }),
  );
  const worktrees = createWorktrees(platform, {
    path: worktreeRecordsFolder(context),
    settings: () => settings.read().worktrees,
    open,
    review: review.store,
    roots: workspace.roots,
  });
  const features = {
    open,
    worktrees,
    settings,
    environment,
    pool,
    agents,
    folders,
    signIn,
    mcp,
    protection,
    fileEvents,
    documents,
    pages,
    permissions,
    checkpoints,
    follow,
    editorTools,
    turnProblems,
    terminals,
    review,
    history,
    resumeQuestions,
  };
  const registry: SessionRegistry = createSessions(platform, features);
  const storedSessions = createStoredSessions(platform, {
    ...{ open, chat, pages, trash: openSessionTrash(context) },
    limits: () => settings.read().sessions,
    openElsewhere: () => registry.openElsewhere(),
  });
  const { stored } = storedSessions;
  const list = createSessionList(platform, {
    ...{ open, stored, agents, asked: resumeQuestions },
    review: review.store.review,
    worktrees: worktrees.views,
  });

  const otherFolders = createOtherFolders(platform, {
    ...{ path: openedFoldersFolder(context), sessionsFolder: sessionLogFolder(context), agents },
    ...{ related: worktrees.related, worktrees: worktrees.views },
    openStorage: readSessionStorage,
  });
  const search = createSearch(platform, {
    ...{ registry, storedSessions, otherFolders, chat, folder: sessionLogFolder(context) },
    undecided: session => filesOfSession(review.store.review, session),
    openPage: webview => openTabPage("search", webview, context.extensionUri, startup.pages),
  });

  const commitMessage = createCommitMessage(platform, { agents, open, sensitive: () => settings.read().sensitive });

  const usage = store.add(
    new UsageTab({
      ...{ clock, log, chooseFile: chooseCsvFile },
      ...{ stored, others: commitMessage.usage },
      refresh: async () => void (await Promise.all([storedSessions.refresh(), commitMessage.usage.load()])),
      openPage: webview => openTabPage("usage", webview, context.extensionUri, startup.pages),
    }),
  );

  const candidates = createCandidates(platform, {
    ...{ path: candidateGroupsFolder(context), records: worktrees.records, environment },
    settings: () => settings.read().worktrees,
  });

  const comments = createLineComments(platform, commentsFolder(context));
  const hooks = createHooks(platform, { environment, commands: () => settings.read().hooks });

  // Panels
  const { runCommand, api } = createPanels(platform, startup, {
    ...features,
    terminalCommands,
    faults: log,
    active,
    chat,
    registry,
    list,
    storedSessions,
    search,
    usage,
    commitMessage,
    candidates,
    comments,
    hooks,
    workspace,
    otherFolders,
    remoteAgents,
  });
  const storedSecrets = [signIn.keys.names, mcp.inputs.names, mcp.signIns.names];
  warnOfForgottenSecrets(
    secrets,
    storedSecrets.some(names => Object.keys(names).length > 0),
  ).catch((error: unknown) => log.error("The warning about secrets was not shown.", asError(error).stack));
  // Also removals of which an earlier window has shown no notice.
  void checkpoints.sessions.prune().then(() => checkpoints.removed.announce());

  return {
    chat,
    api,
    runCommand,
    async shutDown() {
      api.close();
      review.store.beginClosing();
      const messages = commitMessage.close();
      const hooksEnded = hooks.close();
      try {
        await registry.dispose();
      } finally {
        await Promise.all([pool.dispose(), mcp.whenEnded(), editorTools.close(), candidates.close(), hooksEnded]);
        await terminals.whenEnded();
        await Promise.all([
          review.store.flush(),
          checkpoints.sessions.flush(),
          storedSessions.flush(),
          comments.flush(),
          search.whenIdle(),
          messages,
        ]);
        checkpoints.sessions.dispose();
        review.store.dispose();
        store.dispose();
      }
    },
  };
}
