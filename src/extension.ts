// The composition root: builds everything, wires it, owns the outermost lifetime. Reads top to bottom.
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { AgentPool } from "./agents/pool.ts";
import { startWatchdog } from "./agents/startWatchdog.ts";
import { ReadBudget } from "./base/readBudget.ts";
import { asError } from "./base/errors.ts";
import { DisposableStore } from "./base/lifecycle.ts";
import { systemClock } from "./base/log.ts";
import { changesView } from "./panel/projection/changesView.ts";
import { isOnlyTextAppended } from "./session/notifications.ts";
import { currentTurn, isBusy, openQuestions, type SessionState } from "./session/state.ts";
import { registerFixActions } from "./mentions/vscode/addToChat.ts";
import { Attachments } from "./mentions/vscode/attachments.ts";
import { UserNotifications } from "./window/userNotifications.ts";
import { chatEditorType } from "./panel/chatSurface.ts";
import { ChatPanels } from "./window/chatPanels.ts";
import { SessionCheckpoints } from "./checkpoints/vscode/sessionCheckpoints.ts";
import { CheckpointPreview } from "./checkpoints/vscode/checkpointPreview.ts";
import { CheckpointController } from "./checkpoints/vscode/checkpointController.ts";
import { statusMessageDuration, registerCommands } from "./window/commands.ts";
import { ContentDocuments } from "./window/code/contentDocuments.ts";
import { setContextKey } from "./editor/contextKeys.ts";
import { CurrentSession } from "./window/currentSession.ts";
import { DiagramPanels } from "./window/code/diagramPanel.ts";
import { DiffDocuments } from "./window/code/diffDocuments.ts";
import { EditorDocuments } from "./files/vscode/editorDocuments.ts";
import { handleIntent } from "./window/intentHandlers.ts";
import { EditorTerminals } from "./terminals/vscode/editorTerminals.ts";
import { FollowController } from "./follow/vscode/followController.ts";
import { FileIndexer } from "./mentions/vscode/fileIndexer.ts";
import { openOutputChannel } from "./editor/outputChannel.ts";
import { Mentions } from "./mentions/vscode/mentions.ts";
import { TerminalCommands } from "./mentions/vscode/mentionSources.ts";
import { PermissionLog } from "./permissions/vscode/permissionLog.ts";
import { PermissionRules } from "./permissions/vscode/permissionRules.ts";
import { RecentFiles } from "./mentions/vscode/recentFiles.ts";
import { ReviewStore } from "./review/vscode/reviewStore.ts";
import { createSessionServices, type SharedServices } from "./window/createSessionServices.ts";
import { sessionRoots } from "./editor/folders.ts";
import { ReviewController } from "./review/vscode/reviewController.ts";
import { PromptSender } from "./window/promptSender.ts";
import { readSettings, type Settings } from "./window/settings.ts";
import { SessionsTree } from "./window/sessionsTree.ts";
import { StatusBar } from "./window/statusBar.ts";
import { checkpointFolder, openSessionStorage } from "./window/sessionStorage.ts";
import { TrafficDocument } from "./window/trafficDocument.ts";
import { AuditLog } from "./permissions/auditLog.ts";
import type { Checkpoints } from "./checkpoints/checkpoints.ts";
import { nodePaths } from "./files/nodePaths.ts";

/** What must be waited for when the window closes. */
let shutDown: (() => Promise<void>) | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const store = new DisposableStore();
  const log = store.add(openOutputChannel());
  const version = String((context.extension.packageJSON as { version?: unknown }).version);
  let cachedSettings: Settings | undefined;
  const settings = (): Settings => (cachedSettings ??= readSettings(context));

  store.add(startWatchdog(context.asAbsolutePath("dist/watchdog.js"), log));
  const readBudget = new ReadBudget({
    clock: systemClock,
    isBehind: () => chat.isBehind,
    isPainting: () => chat.isPainting,
  });
  const pool = new AgentPool(log, systemClock, version, readBudget);
  const documents = new EditorDocuments(nodePaths(), { saveUnsaved: () => settings().saveUnsaved });
  const storage = openSessionStorage(context);
  const audit = new AuditLog(storage, log);
  const rules = store.add(
    new PermissionRules({ workspaceState: context.workspaceState, log, sensitive: () => settings().sensitive }),
  );
  const sessionCheckpoints = new SessionCheckpoints({
    path: checkpointFolder(context),
    roots: cwd => sessionRoots(cwd).filter(root => root !== ""),
    limits: () => settings().checkpoints,
    newId: () => randomUUID(),
    clock: systemClock,
    log,
  });
  const currentCheckpoints = (): Checkpoints | undefined =>
    current.session && sessionCheckpoints.forSession(current.session.id, current.session.state.workspaceFolder);
  const follow: FollowController = store.add(
    new FollowController({
      clock: systemClock,
      log,
      turn: () => currentTurn(current.state),
      modeChanged: () => current.refresh(),
    }),
  );
  const terminalEndings = new Set<Promise<void>>();
  const onEnding = (ended: Promise<void>): void => {
    const settled = ended.catch((error: unknown) =>
      log.error("A terminal could not be ended.", asError(error).message),
    );
    terminalEndings.add(settled);
    void settled.then(() => terminalEndings.delete(settled));
  };
  const current: CurrentSession = new CurrentSession({
    pool,
    settings,
    follow: () => follow.state,
    storage,
    log,
    clock: systemClock,
    checkpoints: (session, cwd) => sessionCheckpoints.turns(session, cwd),
    createServices: (definition, cwd, dispatch) =>
      createSessionServices(services, { definition, cwd, dispatch, onEnding }),
    changes: cwd => changesView(review.files, cwd),
  });
  const reviews = new ReviewStore({
    // Every session works in a folder of the workspace.
    roots: () => sessionRoots("").filter(root => root !== ""),
    touches: {
      touched: file => currentCheckpoints()?.touched(file),
      written: (path, after) => currentCheckpoints()?.written(path, after),
    },
    textAt: async (turn, path) => currentCheckpoints()?.textAt(turn, path),
    treesOf: async turn => {
      const checkpoints = currentCheckpoints();
      await checkpoints?.beginTurn(turn);
      return new Set(sessionRoots("").filter(root => checkpoints?.hasTree(turn, root)));
    },
    storage,
    clock: systemClock,
    log,
  });
  const { review } = reviews;
  const services: SharedServices = {
    documents,
    settings,
    rules: () => rules.ruleSet(),
    audit,
    review: () => reviews.startSession(),
    follow: confinement => follow.startSession(confinement),
    log,
  };

  const attaching = new Attachments({
    documents,
    roots: () => sessionRoots(current.state.workspaceFolder).filter(root => root !== ""),
    sensitive: () => settings().sensitive,
    accepts: () => current.view().head.accepts,
    agentName: () => current.agent?.name ?? vscode.l10n.t("The agent"),
  });
  const sender = new PromptSender({ current, documents, attaching });
  const mentions = store.add(
    new Mentions({
      indexer: store.add(new FileIndexer(log, systemClock)),
      recent: store.add(new RecentFiles()),
      terminals: store.add(new TerminalCommands(log)),
      attachments: attaching,
      log,
    }),
  );
  store.add(registerFixActions());

  const announce = (text: string): void => {
    vscode.window.setStatusBarMessage(text, statusMessageDuration);
    chat.tell({ type: "say", text });
  };
  const { extensionUri } = context;
  const { actions: reviewing } = store.add(new ReviewController({ review, extensionUri, log, announce }));
  store.add(review.onDidChange(() => current.refresh()));

  const diffs = store.add(new DiffDocuments());
  const contents = store.add(new ContentDocuments());
  const diagrams = store.add(new DiagramPanels(context.extensionUri));
  const terminals = store.add(new EditorTerminals());
  const permissionLog = store.add(new PermissionLog(audit));
  const traffic = store.add(new TrafficDocument(pool));
  const chat: ChatPanels = new ChatPanels({
    extensionUri: context.extensionUri,
    log,
    clock: systemClock,
    view: () => current.view(),
    recentEntries: () => current.recentEntries(),
    onSend: () => readBudget.reset(),
    onIntent: (intent, replyTarget) =>
      void handleIntent(intent, replyTarget, {
        current,
        rules,
        terminals,
        diffs,
        contents,
        diagrams,
        mentions,
        sender,
        reviewing,
        checkpoints,
        follow,
        log,
      }),
    onShown: () => void current.restoreOrStart(),
  });
  store.add(chat);
  const preview = store.add(new CheckpointPreview());
  const checkpoints = new CheckpointController({
    session: () => current.session,
    startSession: agent => {
      current.start(agent);
      return current.session;
    },
    chat,
    sessionCheckpoints,
    preview,
    documents,
    edits: reviews.edits,
  });
  const webviewOptions = { retainContextWhenHidden: true };
  store.add(vscode.window.registerWebviewViewProvider(ChatPanels.viewId, chat, { webviewOptions }));
  store.add(vscode.window.registerWebviewPanelSerializer(chatEditorType, chat));
  store.add(
    registerCommands({
      current,
      chat,
      traffic,
      rules,
      permissionLog,
      attaching,
      reviewing,
      checkpoints,
      follow,
      settings,
      log,
    }),
  );

  const status = store.add(new StatusBar());
  const sessions = store.add(new SessionsTree());
  const notifications = new UserNotifications({ chat, settings, log });
  let lastUpdate: { readonly session: unknown; readonly state: SessionState } | undefined;
  const update = (): void => {
    chat.changed();
    const { state, session } = current;
    const before = lastUpdate;
    lastUpdate = { session, state };
    // The chunks of an answer show in the chat alone.
    if (before && before.session === session && isOnlyTextAppended(before.state, state)) return;
    status.update(state, current.agent?.name);
    sessions.update(state, current.agent?.name);
    notifications.update(current.session);
    setContextKey("parley.hasSession", current.session !== undefined);
    setContextKey("parley.busy", isBusy(state));
    setContextKey("parley.waiting", openQuestions(state).length > 0);
  };
  store.add(current.onDidChange(update));
  store.add(sessionCheckpoints.onDidChange(() => current.refresh()));
  store.add(
    vscode.workspace.onDidChangeConfiguration(event => {
      if (!event.affectsConfiguration("parley")) return;
      cachedSettings = undefined;
      current.refresh();
    }),
  );
  store.add(
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      // Nothing starts that nobody looks at.
      if (chat.visible) void current.restoreOrStart();
      else current.refresh();
    }),
  );
  store.add(vscode.workspace.onDidChangeWorkspaceFolders(() => current.refresh()));
  update();
  void sessionCheckpoints.prune();

  shutDown = async () => {
    try {
      await current.dispose();
    } finally {
      await pool.dispose();
      await Promise.all(terminalEndings);
      await Promise.all([reviews.flush(), sessionCheckpoints.flush()]);
      sessionCheckpoints.dispose();
      reviews.dispose();
      store.dispose();
    }
  };
}

/** Ends agents and terminals, and stores the conversation, before the window goes. */
export async function deactivate(): Promise<void> {
  await shutDown?.();
  shutDown = undefined;
}
