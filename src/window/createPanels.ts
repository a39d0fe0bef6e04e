// Creates what the user sees of the active session, and connects every handler: the chat, the commands, the indicators.
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { createApi, type ApiFeature } from "../api/vscode/createApi.ts";
import { agentRegistryCommands } from "../agentRegistry/vscode/createAgentRegistry.ts";
import type { RemoteAgents } from "../agents/remote/remoteAgents.ts";
import { agentHeaderCommands } from "../agents/vscode/agentHeaders.ts";
import { storedKeyCommands } from "../agents/vscode/createSignIn.ts";
import { checkAgentsCommands, createAgentChecks } from "../agents/vscode/checkAgents.ts";
import { importZedCommands } from "../agents/vscode/importZedAgents.ts";
import { createCheckpointHandlers } from "../checkpoints/vscode/createCheckpoints.ts";
import type { CommitMessageFeature } from "../commitMessage/vscode/createCommitMessage.ts";
import type { LineComments } from "../comments/lineComments.ts";
import { createComments, type CommentsSources } from "../comments/vscode/createComments.ts";
import type { ExtensionPlatform } from "../editor/extensionPlatform.ts";
import { isOutsideSession, sessionRoots } from "../editor/folders.ts";
import type { RecentFaults } from "../editor/outputChannel.ts";
import { fileIntents } from "../files/vscode/settleFile.ts";
import type { HistoryFeature } from "../history/vscode/createHistory.ts";
import type { Hooks } from "../hooks/vscode/createHooks.ts";
import { answerResume } from "../library/answerResume.ts";
import { takenOverFrom } from "../library/takenOver.ts";
import { createBranchHead } from "../library/branchHead.ts";
import type { SessionRegistry } from "../library/sessionRegistry.ts";
import { inspectorCommands } from "../inspector/vscode/createInspector.ts";
import { SurfaceViews } from "../library/surfaceViews.ts";
import { WaitingOrder } from "../library/waitingOrder.ts";
import type { OtherFoldersFeature } from "../library/vscode/createOtherFolders.ts";
import { createBranching } from "../library/vscode/createBranching.ts";
import type { SessionListFeature } from "../library/vscode/createSessionList.ts";
import type { StoredSessionsFeature } from "../library/vscode/createStoredSessions.ts";
import { filesOfSession } from "../review/turns/linesBySession.ts";
import { sessionGrouping } from "../library/vscode/sessionGrouping.ts";
import { sessionListCommands } from "../library/vscode/sessionListCommands.ts";
import { showSession } from "../library/vscode/showSession.ts";
import type { PromptDraft } from "../mentions/promptDraft.ts";
import type { AskingExtension } from "../mentions/vscode/attachments.ts";
import type { TerminalCommands } from "../mentions/vscode/terminalCommands.ts";
import { createMentions } from "../mentions/vscode/createMentions.ts";
import type { Attachment } from "../panel/protocol.ts";
import { createProblemHandlers } from "../turnProblems/vscode/createTurnProblems.ts";
import type { UsageTab } from "../library/vscode/usageTab.ts";
import type { SearchFeature } from "../search/vscode/createSearch.ts";
import { emptySession } from "../session/state.ts";
import { allEditsCommand } from "./allEditsCommand.ts";
import type { WorktreeSessions } from "../worktrees/vscode/createWorktrees.ts";
import type { CandidatesFeature } from "../worktrees/vscode/createCandidates.ts";
import type { ActiveSession } from "./activeSession.ts";
import type { ChatPanels } from "./chatPanels.ts";
import { createCodeIntents } from "./code/codeIntents.ts";
import { PlanDocuments } from "./code/planDocuments.ts";
import { commandRunner, type CommandRunner } from "./commands.ts";
import type { SessionFeatures } from "./createSessions.ts";
import { DraftReader } from "./draftReader.ts";
import { intentRunner } from "./intentRunner.ts";
import { mergeHead } from "./mergeHead.ts";
import { openTabPage } from "./openTabPage.ts";
import { panelIntents } from "./panelIntents.ts";
import { PromptSender, type PromptReader } from "./promptSender.ts";
import { optionCommands } from "./optionCommands.ts";
import { reportProblemCommand } from "./reportProblem.ts";
import { saveTranscript } from "./saveTranscript.ts";
import { chatCommands, logCommands, sessionCommands } from "./sessionCommands.ts";
import { pathOfFolder } from "../library/openedFolders.ts";
import { tabStatesOf, titleOf } from "../library/vscode/sessionTexts.ts";
import { createSessionIndicators } from "./sessionIndicators.ts";
import { sessionIntents } from "./sessionIntents.ts";
import type { StartupParts } from "./startup/startup.ts";
import { agentRegistryFolder } from "./startup/storageFolders.ts";

/** The features that panels show, and the sessions. */
export interface PanelFeatures extends SessionFeatures {
  readonly history: HistoryFeature;
  readonly active: ActiveSession;
  readonly chat: ChatPanels;
  readonly registry: SessionRegistry;
  readonly list: SessionListFeature;
  readonly storedSessions: StoredSessionsFeature;
  readonly search: SearchFeature;
  readonly usage: UsageTab;
  readonly commitMessage: CommitMessageFeature;
  readonly candidates: CandidatesFeature;
  readonly comments: LineComments;
  readonly hooks: Hooks;
  readonly workspace: CommentsSources["workspace"];
  readonly otherFolders: OtherFoldersFeature;
  readonly terminalCommands: TerminalCommands;
  /** What the log says about what went wrong. */
  readonly faults: RecentFaults;
  readonly remoteAgents: RemoteAgents;
}

/**
 * Shows the active session in the chat and its indicators from now on. Returns what runs the commands, and the API for
 * other extensions.
 */
export function createPanels(
  platform: ExtensionPlatform,
  startup: StartupParts,
  features: PanelFeatures,
): { readonly runCommand: CommandRunner; readonly api: ApiFeature } {
  const { open, active, settings, agents, fileEvents, documents, permissions, checkpoints, review, follow } = features;
  const { history, terminals, signIn, mcp, chat, registry, list, storedSessions, otherFolders, candidates } = features;
  const { store, storage, clock, log } = platform;
  const { stored } = storedSessions;
  const mentions = createMentions(platform, {
    chat,
    fileEvents,
    recentFiles: startup.recentFiles,
    terminals: features.terminalCommands,
    onDidChangeRoots: listener =>
      open.onDidChange(({ type }) => {
        if (type !== "changed") listener();
      }),
    conversations: features.search.conversations,
    documents,
    roots: () => sessionRoots(active.state.workspaceFolder).filter(root => root !== ""),
    sensitive: () => settings.read().sensitive,
    accepts: () => active.state.accepts,
    agentName: () => agents.of(open.active)?.name ?? vscode.l10n.t("The agent"),
  });
  const show = (id: string): Promise<void> => showSession({ registry, stored, chat }, id);
  const comments = createComments(platform, {
    ...{ registry, stored, fileEvents, show, attachments: mentions.attachments },
    ...{ comments: features.comments, settings, agents, folders: features.folders, workspace: features.workspace },
    asked: features.resumeQuestions,
    review: review.store.review,
    reviewReady: review.store.ready,
    announce: text => chat.announce(text),
    tree: review.tree,
  });
  const problems = createProblemHandlers(platform, open, {
    ...{ reports: features.turnProblems.reports, chat, attachments: mentions.attachments },
    sending: { isOn: () => settings.read().sendProblems, onDidChange: settings.onDidChange },
  });
  const branchHead = createBranchHead(store, { open, stored });
  const views = store.add(
    new SurfaceViews({
      open,
      head: mergeHead([
        registry.head,
        agents.head,
        settings.head,
        mcp.head,
        checkpoints.head,
        branchHead,
        review.head,
        comments.head,
        follow.head,
        list.head,
        permissions.head,
        features.search.head,
        features.resumeQuestions.head,
        features.worktrees.views.head,
        mentions.head,
        problems.head,
      ]),
      isOutside: isOutsideSession,
      log,
    }),
  );
  const drafts = new DraftReader({ chat, clock });
  const worktreeSessions: WorktreeSessions = {
    ...{ registry, chat, folders: features.folders },
    draft: async () => {
      const { active: shown, activeSurface } = open;
      return (shown && (await drafts.read(shown.id, activeSurface)))?.text ?? "";
    },
    openElsewhere: async isThere => {
      await storedSessions.refresh();
      const ids = await registry.openElsewhere();
      const own = stored.entries.filter(({ id, folder }) => ids.has(id) && isThere(folder));
      const others = (await otherFolders.related.read()).flatMap(({ sessions }) => sessions);
      const open = others.filter(({ entry, isOpen }) => isOpen && isThere(entry.folder));
      const found = [...own, ...open.map(({ entry }) => entry)];
      if (found.length > 0) return found.map(titleOf);
      // A window stores what it lists a second later, and no session without messages.
      const windows = await otherFolders.related.openInWindows();
      return windows.some(folder => isThere(pathOfFolder(folder))) ? [titleOf({ title: "" })] : [];
    },
  };
  const startInWorktree = (): Promise<boolean> => features.worktrees.startByDefault(worktreeSessions);
  const sender = new PromptSender({
    registry,
    documents,
    attaching: mentions.attachments,
    activeFile: mentions.activeFile,
    newProblems: problems.actions,
  });
  const plans = store.add(
    new PlanDocuments({ state: id => open.get(id)?.state, onDidChange: open.onDidChange }, clock, log),
  );
  const code = createCodeIntents(platform, id => open.get(id)?.state ?? emptySession, documents, startup.pages, plans);
  const checking = {
    ...{ agents: settings.definitions, keys: signIn.keys },
    ...{ environment: features.environment, remote: features.remoteAgents },
  };
  const saveRecording = (agent: string): Promise<void> =>
    saveTranscript(agent, features.pool.tap(agent), history.explained);
  store.add(chat);
  const restore = createCheckpointHandlers(platform, {
    session: () => active.session,
    startSession: ({ id, state }) =>
      registry.start(state.agent?.id, undefined, state.workspaceFolder, takenOverFrom(id, state, state.agent?.id)),
    pages: features.pages,
    chat,
    sessionCheckpoints: checkpoints.sessions,
    removed: checkpoints.removed,
    documents,
    review: review.store,
  });
  const continuing = {
    ...{ registry, agents, stored, storage, chat, log },
    version: (platform.context.extension.packageJSON as { readonly version: string }).version,
    undecided: (session: string) => filesOfSession(review.store.review, session),
    pages: features.pages,
  };
  const branching = createBranching(platform, {
    ...{ registry, stored, servers: mcp, checkpoints: checkpoints.sessions, files: restore.files },
  });
  const runIntent = intentRunner(
    [
      panelIntents(views, sender, log),
      sessionIntents({ registry, agents, stored, chat, mcp, setUp: features.worktrees.setUp, startInWorktree }),
      drafts.intents,
      mcp.intents,
      code,
      fileIntents,
      mentions.intents,
      problems.intents,
      permissions.intents,
      terminals.intents,
      follow.intents,
      review.intents,
      restore.intents,
      comments.intents,
      features.search.intents,
      features.worktrees.intents(worktreeSessions),
      branching.intents,
      answerResume({ ...continuing, questions: features.resumeQuestions, newId: () => randomUUID() }),
    ],
    { isOpen: id => open.get(id) !== undefined, log },
  );
  store.add(
    chat.onDidReceiveIntent(({ intent, replyTarget }) => {
      // A search runs again by itself when its conversation changes, and a panel reports its draft when it is asked.
      if (intent.type !== "find" && intent.type !== "draft") open.activate(replyTarget.surface);
      void runIntent(intent, replyTarget);
    }),
  );
  store.add(chat.onDidShow(({ surface, session }) => void registry.restoreOrStart(surface, session)));
  store.add(chat.onDidActivate(surface => open.activate(surface)));
  store.add(chat.onDidClose(surface => open.removeSurface(surface)));
  const tabStates = (): ReturnType<typeof tabStatesOf> => tabStatesOf(list.list.sessions());
  let shownStates = tabStates();
  chat.show(views, surface => shownStates.get(open.selected(surface)?.id ?? ""));
  store.add(
    list.list.onDidChange(() => {
      shownStates = tabStates();
      chat.changed();
    }),
  );
  store.add(views.onDidChange(() => chat.changed()));
  store.add(
    open.onDidChange(change => {
      if (change.type === "changed") chat.changed(open.surfacesOf(change.session));
      else if (change.type === "selected") chat.changed([change.surface]);
    }),
  );
  store.add(active.onDidChangeState(() => follow.controller.show(active.session?.id)));
  const waiting = store.add(new WaitingOrder(open, features.resumeQuestions));
  const tree = createSessionIndicators(platform, startup, {
    ...{ active, waiting, asked: features.resumeQuestions, open, agents, views, chat, settings, show },
    ...{ list: list.list, others: otherFolders.listed, hooks: features.hooks },
    onVisible: () => {
      void Promise.all([storedSessions.refresh(), otherFolders.refresh()]).then(() => {
        const related = otherFolders.listed.related().flatMap(({ sessions }) => sessions.map(({ session }) => session));
        return features.worktrees.views.readListed([...list.list.sessions(), ...related].map(({ folder }) => folder));
      });
    },
  });
  store.add(
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      // An agent starts only while the chat is visible.
      for (const surface of chat.visibleSurfaces) void registry.restoreOrStart(surface);
    }),
  );
  otherFolders.answerRequests(requested => features.search.showRequested(requested));
  chat.changed();
  const prompts = {
    read: (session: string, surface: string) => drafts.read(session, surface),
    used: (session: string, draft: PromptDraft) => drafts.used(session, draft),
    refusalOf: (attachments: readonly Attachment[], asker?: AskingExtension) => sender.refusalOf(attachments, asker),
    contentOf: (draft: PromptDraft, agent: PromptReader) => sender.contentOf(draft, agent),
  };
  const api = createApi({
    ...{ context: platform.context, registry, agents, folders: features.folders, chat, prompts, show },
  });
  const runCommand = commandRunner(
    [
      chatCommands(registry, waiting, chat, show),
      sessionCommands({ registry, agents, chat, startInWorktree, api }),
      optionCommands(registry, agents, chat),
      allEditsCommand(registry, permissions.allEdits, chat),
      sessionListCommands({
        ...{ ...continuing, mcp, clock, tree, waiting, otherFolders, list: list.list },
        refresh: () => storedSessions.refresh(),
      }),
      sessionGrouping(platform.context, tree),
      otherFolders.commands,
      features.worktrees.commands(worktreeSessions),
      candidates.commands({
        ...{ registry, agents, storedSessions, chat, terminals, folders: features.folders },
        ...{ worktrees: features.worktrees, openElsewhere: worktreeSessions.openElsewhere },
        prompts,
        openPage: webview => openTabPage("candidates", webview, platform.context.extensionUri, startup.pages),
      }),
      features.search.commands,
      { "parley.showUsage": () => features.usage.show() },
      { "parley.openPlan": () => plans.choose(open.active?.id) },
      features.commitMessage.commands({ registry, chat }),
      logCommands({ agents, active, save: saveRecording, log }),
      inspectorCommands(platform, {
        traffic: features.pool,
        nameOf: agent => agents.nameOf(agent),
        save: saveRecording,
        openPage: webview => openTabPage("inspector", webview, platform.context.extensionUri, startup.pages),
        failed: id => {
          const state = open.sessions.find(session => session.id === id)?.state ?? active.state;
          const agent = state.agent ?? agents.of(undefined);
          return agent && { agent: agent.id, session: state.agentSessions[state.agentSession ?? -1] ?? undefined };
        },
      }),
      mcp.commands,
      features.editorTools.commands,
      api.commands,
      storedKeyCommands(signIn.keys, settings.definitions),
      agentHeaderCommands({
        keys: signIn.keys,
        agents: settings.definitions,
        current: () => agents.of(open.active),
        // The session connects again with the header.
        onStored: async ({ id }) => {
          if (open.active?.state.agent?.id === id) await open.active.restart();
        },
      }),
      importZedCommands(settings.definitions),
      agentRegistryCommands(platform, {
        ...{ folder: agentRegistryFolder(platform.context), keys: signIn.keys, environment: features.environment },
        address: () => settings.read().agentRegistry,
        stopAgent: id => agents.stop(id, vscode.l10n.t("its installation was removed")),
        startSession: async id => {
          await registry.startInChosenFolder(open.activeSurface, id);
          await chat.focus("composer", [open.activeSurface]);
        },
      }),
      checkAgentsCommands(platform, { ...checking, current: () => agents.of(open.active) }),
      reportProblemCommand(platform.context.extension, {
        ...{ pool: features.pool, open, files: history.explained, log: features.faults },
        check: createAgentChecks(platform, checking),
        agents: { current: () => active.state.agent ?? agents.of(undefined), all: () => agents.definitions() },
      }),
      mentions.commands,
      problems.commands,
      permissions.commands,
      follow.commands,
      review.commands,
      history.commands,
      comments.commands,
      restore.commands,
      branching.commands,
    ],
    log,
  );
  return { runCommand, api };
}
