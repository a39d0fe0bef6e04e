// The composition root: builds everything, wires it, owns the outermost lifetime. Reads top to bottom.
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { AgentPool } from "./agents/pool.ts";
import { startWatchdog } from "./agents/startWatchdog.ts";
import { Credit } from "./base/readBudget.ts";
import { asError } from "./base/errors.ts";
import { DisposableStore } from "./base/lifecycle.ts";
import { systemClock } from "./base/log.ts";
import { viewChanges } from "./panel/projection/changesView.ts";
import { isMoreText } from "./session/notifications.ts";
import { currentTurn, isBusy, openAsks, promptTitle, type SessionState } from "./session/state.ts";
import { offerFixes } from "./mentions/vscode/addToChat.ts";
import { Attaching } from "./mentions/vscode/attachments.ts";
import { Attention } from "./window/userNotifications.ts";
import { chatEditorType } from "./panel/chatSurface.ts";
import { ChatPanels } from "./window/chatPanels.ts";
import { CheckpointBook } from "./checkpoints/vscode/sessionCheckpoints.ts";
import { CheckpointPreview } from "./checkpoints/vscode/checkpointPreview.ts";
import { CheckpointUi } from "./checkpoints/vscode/checkpointController.ts";
import { messageTime, registerCommands } from "./window/commands.ts";
import { ContentDocuments } from "./window/code/contentDocuments.ts";
import { setContext } from "./editor/contextKeys.ts";
import { CurrentSession } from "./window/currentSession.ts";
import { DiagramPanels } from "./window/code/diagramPanel.ts";
import { DiffDocuments } from "./window/code/diffDocuments.ts";
import { EditorDocuments } from "./files/vscode/editorDocuments.ts";
import { perform } from "./window/intentHandlers.ts";
import { EditorTerminals } from "./terminals/vscode/editorTerminals.ts";
import { FollowUi } from "./follow/vscode/followController.ts";
import { FileIndexer } from "./mentions/vscode/fileIndexer.ts";
import { openLog } from "./editor/outputChannel.ts";
import { Mentions } from "./mentions/vscode/mentions.ts";
import { TerminalCommands } from "./mentions/vscode/mentionSources.ts";
import { PermissionLog } from "./permissions/vscode/permissionLog.ts";
import { PermissionRules } from "./permissions/vscode/permissionRules.ts";
import { RecentFiles } from "./mentions/vscode/recentFiles.ts";
import { Reviews } from "./review/vscode/reviewStore.ts";
import { makeRoom, type Services } from "./window/createSessionServices.ts";
import { sessionRoots } from "./editor/folders.ts";
import { ReviewUi } from "./review/vscode/reviewController.ts";
import { Sender } from "./window/promptSender.ts";
import { readSettings, type Settings } from "./window/settings.ts";
import { SessionsTree } from "./window/sessionsTree.ts";
import { StatusBar } from "./window/statusBar.ts";
import { checkpointFolder, openStorage } from "./window/sessionStorage.ts";
import { Traffic } from "./window/trafficDocument.ts";
import { AuditLog } from "./permissions/auditLog.ts";
import type { Checkpoints } from "./checkpoints/checkpoints.ts";
import { nodePaths } from "./files/nodePaths.ts";

/** What must be waited for when the window closes. */
let end: (() => Promise<void>) | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const store = new DisposableStore();
  const log = store.add(openLog());
  const version = String((context.extension.packageJSON as { version?: unknown }).version);
  let cached: Settings | undefined;
  const settings = (): Settings => (cached ??= readSettings(context));

  store.add(startWatchdog(context.asAbsolutePath("dist/watchdog.js"), log));
  const credit = new Credit({
    clock: systemClock,
    isBehind: () => chat.isBehind,
    isPainting: () => chat.isPainting,
  });
  const pool = new AgentPool(log, systemClock, version, credit);
  const documents = new EditorDocuments(nodePaths(), { saveUnsaved: () => settings().saveUnsaved });
  const storage = openStorage(context);
  const audit = new AuditLog(storage, log);
  const rules = store.add(
    new PermissionRules({ workspaceState: context.workspaceState, log, sensitive: () => settings().sensitive }),
  );
  const book = new CheckpointBook({
    path: checkpointFolder(context),
    roots: cwd => sessionRoots(cwd).filter(root => root !== ""),
    limits: () => settings().checkpoints,
    newId: () => randomUUID(),
    clock: systemClock,
    log,
  });
  const ofSession = (): Checkpoints | undefined =>
    current.session && book.of(current.session.id, current.session.state.cwd);
  const follow: FollowUi = store.add(
    new FollowUi({
      clock: systemClock,
      log,
      turn: () => currentTurn(current.state),
      changed: () => current.refresh(),
    }),
  );
  const endings = new Set<Promise<void>>();
  const onEnding = (ended: Promise<void>): void => {
    const settled = ended.catch((error: unknown) =>
      log.error("A terminal could not be ended.", asError(error).message),
    );
    endings.add(settled);
    void settled.then(() => endings.delete(settled));
  };
  const current: CurrentSession = new CurrentSession({
    pool,
    settings,
    follow: () => follow.mode,
    storage,
    log,
    clock: systemClock,
    checkpoints: (session, cwd) => book.turns(session, cwd),
    makeRoom: (definition, cwd, dispatch) => makeRoom(services, { definition, cwd, dispatch, onEnding }),
    changes: cwd => viewChanges(review.files, cwd),
  });
  const reviews = new Reviews({
    // Every session works in a folder of the workspace.
    roots: () => sessionRoots("").filter(root => root !== ""),
    touches: {
      touched: file => ofSession()?.touched(file),
      written: (path, after) => ofSession()?.written(path, after),
    },
    textAt: async (turn, path) => ofSession()?.textAt(turn, path),
    isCovered: (turn, root) => ofSession()?.covers(turn, root) ?? false,
    storage,
    clock: systemClock,
    log,
  });
  const { review } = reviews;
  const services: Services = {
    documents,
    settings,
    rules: () => rules.ruleSet(),
    audit,
    review: reviews.watch,
    beforeTurn: submission => {
      const trees = ofSession()?.begin(submission) ?? Promise.resolve();
      return reviews.turnBegan(submission, promptTitle(current.state, submission), trees);
    },
    follow: confinement => follow.enter(confinement),
    log,
  };

  const attaching = new Attaching({
    documents,
    roots: () => sessionRoots(current.state.cwd).filter(root => root !== ""),
    sensitive: () => settings().sensitive,
    accepts: () => current.view().head.accepts,
    agentName: () => current.agent?.name ?? vscode.l10n.t("The agent"),
  });
  const sender = new Sender({ current, documents, attaching });
  const mentions = store.add(
    new Mentions({
      indexer: store.add(new FileIndexer(log, systemClock)),
      recent: store.add(new RecentFiles()),
      terminals: store.add(new TerminalCommands(log)),
      attaching,
      log,
    }),
  );
  store.add(offerFixes());

  const say = (text: string): void => {
    vscode.window.setStatusBarMessage(text, messageTime);
    chat.tell({ type: "say", text });
  };
  const { extensionUri } = context;
  const { actions: reviewing } = store.add(new ReviewUi({ review, extensionUri, log, say }));
  store.add(review.onDidChange(() => current.refresh()));

  const diffs = store.add(new DiffDocuments());
  const contents = store.add(new ContentDocuments());
  const diagrams = store.add(new DiagramPanels(context.extensionUri));
  const terminals = store.add(new EditorTerminals());
  const permissionLog = store.add(new PermissionLog(audit));
  const traffic = store.add(new Traffic(pool));
  const chat: ChatPanels = new ChatPanels({
    extensionUri: context.extensionUri,
    log,
    clock: systemClock,
    view: () => current.view(),
    tail: () => current.tail(),
    onSend: () => credit.renew(),
    onIntent: (intent, asker) =>
      void perform(intent, asker, {
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
    onShown: () => void current.shown(),
  });
  store.add(chat);
  const preview = store.add(new CheckpointPreview());
  const checkpoints = new CheckpointUi({
    session: () => current.session,
    startSession: agent => {
      current.start(agent);
      return current.session;
    },
    chat,
    book,
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
  const attention = new Attention({ chat, settings, log });
  let told: { readonly session: unknown; readonly state: SessionState } | undefined;
  const update = (): void => {
    chat.changed();
    const { state, session } = current;
    const before = told;
    told = { session, state };
    // The chunks of an answer show in the chat alone.
    if (before && before.session === session && isMoreText(before.state, state)) return;
    reviews.watch.sessionChanged(state);
    status.update(state, current.agent?.name);
    sessions.update(state, current.agent?.name);
    attention.update(current.session);
    follow.update(state);
    setContext("parley.hasSession", current.session !== undefined);
    setContext("parley.busy", isBusy(state));
    setContext("parley.waiting", openAsks(state).length > 0);
  };
  store.add(current.onDidChange(update));
  store.add(book.onDidChange(() => current.refresh()));
  store.add(
    vscode.workspace.onDidChangeConfiguration(event => {
      if (!event.affectsConfiguration("parley")) return;
      cached = undefined;
      current.refresh();
    }),
  );
  store.add(
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      // Nothing starts that nobody looks at.
      if (chat.visible) void current.shown();
      else current.refresh();
    }),
  );
  store.add(vscode.workspace.onDidChangeWorkspaceFolders(() => current.refresh()));
  update();
  void book.prune();

  end = async () => {
    try {
      await current.dispose();
    } finally {
      await pool.dispose();
      await Promise.all(endings);
      await Promise.all([reviews.flush(), book.flush()]);
      book.dispose();
      reviews.dispose();
      store.dispose();
    }
  };
}

/** Ends agents and terminals, and stores the conversation, before the window goes. */
export async function deactivate(): Promise<void> {
  await end?.();
  end = undefined;
}
