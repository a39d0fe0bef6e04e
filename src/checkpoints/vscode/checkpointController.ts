// Restores checkpoints: shows a preview of the changes, lets the user choose what to restore, and offers to undo it.
import { randomUUID } from "node:crypto";
import { relative } from "node:path";
import * as vscode from "vscode";
import { asProblem, Refusal } from "../../base/errors.ts";
import { conversationForAgent, type ConversationForAgent } from "../../session/conversation/conversationForAgent.ts";
import { conversationPages, type PageStore } from "../../session/conversation/conversationPages.ts";
import { maxEmbeddedBytes } from "../../mentions/promptContent.ts";
import type { ExtensionStates } from "../../base/memento.ts";
import type { Attachment } from "../../panel/protocol.ts";
import type { Session } from "../../session/session.ts";
import { isBusy, contentText, promptTitle, type Message, type SessionState } from "../../session/state.ts";
import type { Checkpoints } from "../checkpoints.ts";
import type { CurrentFiles, FileRestore, FilesOfBranch, RestorePlan } from "../restorePlanner.ts";
import { sessionRoots } from "../../editor/folders.ts";
import type { Documents } from "../../files/ports.ts";
import type { ChatSurface } from "../../panel/chatSurface.ts";
import {
  showErrorMessage,
  showInformationMessage,
  showQuickPick,
  showQuickPicks,
  showWarningMessage,
} from "../../editor/editorUi.ts";
import { applyRestore, currentFiles, type RestoredReview } from "./applyRestore.ts";
import type { SessionCheckpoints } from "./sessionCheckpoints.ts";
import type { CheckpointPreview } from "./checkpointPreview.ts";

export interface CheckpointControllerOptions {
  /** The session that the window shows. */
  readonly session: () => Session | undefined;
  /** Replaces it with a new session that continues `session`. Returns the new session if it could be started. */
  readonly startSession: (session: Session) => Session | undefined;
  /** Keeps the pages of a conversation that is too long for a prompt. */
  readonly pages: { of(session: string): PageStore };
  readonly chat: ChatSurface;
  readonly sessionCheckpoints: SessionCheckpoints;
  readonly preview: CheckpointPreview;
  readonly documents: Documents;
  readonly states: Pick<ExtensionStates, "workspaceState">;
  /** Changes the files, and what waits for review in them. */
  readonly review: RestoredReview;
}

/** The most bytes of the text before the conversation, which lists the paths of its pages. */
const maxExplanation = 16_000;

/** The last choice of the user in this workspace. */
const filesOfBranchKey = "parley.branch.files";

/** The user's choice of what to restore. */
interface RestoreChoice extends vscode.QuickPickItem {
  readonly files: boolean;
  readonly conversation: boolean;
}

export class CheckpointController {
  readonly #options: CheckpointControllerOptions;
  /** Only one restore runs at a time. */
  #running: Promise<void> | undefined;
  /** The checkpoints of the last restore in this window. A new session may have started since. */
  #restored: Checkpoints | undefined;
  /** The restore of the latest {@link bringBackFiles}. */
  #broughtBack: string | undefined;

  constructor(options: CheckpointControllerOptions) {
    this.#options = options;
  }

  /** Restores the start of the turn of a prompt. Without one, the user chooses. */
  async restore(entry?: string): Promise<void> {
    const found = this.#session();
    if (!found) return void (await showInformationMessage(vscode.l10n.t("There are no checkpoints.")));
    const { session, checkpoints } = found;
    if (await this.#refusesWhileBusy(session)) return;
    const message = entry === undefined ? await this.#choose(session, checkpoints) : session.state.entries.get(entry);
    if (message?.kind !== "message" || message.submission === undefined) return;
    const turn = message.submission;
    await this.#runExclusively(async () => {
      await this.#options.review.settled();
      const plan = await checkpoints.planRestore(turn, this.#currentFiles(session));
      const title = vscode.l10n.t("Checkpoint: {0}", promptTitle(session.state, turn));
      if (plan.files.length + plan.unknown.length > 0) await this.#options.preview.open(title, plan);
      const choice = await this.#ask(session, plan);
      const files = choice?.files ? await this.#chosen(session, plan) : [];
      // The preview helps to choose, and is wrong as soon as the files change.
      await this.#options.preview.close(title);
      if (entry !== undefined) await this.#focusChat();
      if (!choice || !files) return;
      // Meanwhile, the user may have sent a prompt or switched to another session.
      if (this.#session()?.session !== session || (await this.#refusesWhileBusy(session))) return;
      if (files.length > 0) {
        await this.#apply(session, checkpoints, plan, files);
        this.#announceRestore(vscode.l10n.t("Restored the checkpoint: {0}.", fileCount(files.length)));
      } else if (choice.files && !choice.conversation) {
        void showInformationMessage(vscode.l10n.t("No file was changed."));
      }
      if (choice.conversation) await this.#restoreConversation(session, message);
    });
  }

  /** The user came from the chat. VS Code leaves the focus nowhere when it closes the last editor. */
  async #focusChat(): Promise<void> {
    await this.#options.chat.focus("composer");
  }

  /**
   * Before the conversation continues from a prompt: asks whether its files stay or come back, unless none would change.
   * The rules of Restore hold for files that the user changed since.
   */
  async bringBackFiles(session: Session, turn: string): Promise<FilesOfBranch> {
    const checkpoints = await this.#loaded(session);
    // Without a checkpoint, the files stay as they are.
    if (!checkpoints.turns.has(turn)) return "kept";
    const outcome = await this.#bringBack(session, turn, plan => this.#askFilesOfBranch(plan));
    if (outcome === "restored") this.#broughtBack = checkpoints.lastRestore;
    return outcome === "unchanged" ? "kept" : outcome;
  }

  /** Before Undo leaves a branch: asks whether its turns' changes of files are undone, unless there are none. */
  async undoTurns(branch: Session): Promise<FilesOfBranch> {
    const { turns } = await this.#loaded(branch);
    // The turns before are copies of those of the other branch, which stay as they are.
    const { entries, branches } = branch.state;
    const last = branches.at(-1)?.after ?? "";
    const submissions = [...entries]
      .slice(last === "" ? 0 : entries.position(last) + 1)
      .map(entry => (entry.kind === "message" ? entry.submission : undefined));
    const first = submissions.find(submission => submission !== undefined && turns.has(submission));
    if (first === undefined) return "restored";
    const outcome = await this.#bringBack(branch, first, async plan =>
      plan.files.every(file => file.changedSince) ? "unchanged" : this.#askUndoOfTurns(plan),
    );
    return outcome === "unchanged" ? "restored" : outcome;
  }

  /** Undoes the latest {@link bringBackFiles}, also if other restores followed. */
  async undoBringBack(session: Session): Promise<void> {
    const restore = this.#broughtBack;
    if (restore !== undefined) await this.#undoRestore(session, await this.#loaded(session), restore);
  }

  /** The checkpoints of the session, after the stored ones are known. */
  async #loaded({ id, state }: Session): Promise<Checkpoints> {
    const checkpoints = this.#options.sessionCheckpoints.forSession(id, state.workspaceFolder);
    await checkpoints.flush();
    return checkpoints;
  }

  async #bringBack(
    session: Session,
    turn: string,
    ask: (plan: RestorePlan) => Promise<"unchanged" | "kept" | "restored" | undefined>,
  ): Promise<"unchanged" | FilesOfBranch> {
    const checkpoints = await this.#loaded(session);
    let outcome: "unchanged" | FilesOfBranch = "cancelled";
    await this.#runExclusively(async () => {
      await this.#options.review.settled();
      const plan = await checkpoints.planRestore(turn, this.#currentFiles(session));
      if (plan.files.length === 0) return void (outcome = "unchanged");
      const title = vscode.l10n.t("Checkpoint: {0}", promptTitle(session.state, turn));
      await this.#options.preview.open(title, plan);
      const choice = await ask(plan);
      const files = choice === "restored" ? await this.#chosen(session, plan) : [];
      await this.#options.preview.close(title);
      await this.#focusChat();
      if (!choice || !files) return;
      if (isBusy(session.state)) return void (await this.#refusesWhileBusy(session));
      if (files.length > 0) await this.#apply(session, checkpoints, plan, files);
      outcome = files.length > 0 ? "restored" : choice === "unchanged" ? choice : "kept";
    });
    return outcome;
  }

  async #askFilesOfBranch(plan: RestorePlan): Promise<"kept" | "restored" | undefined> {
    const { states } = this.#options;
    const restore = {
      label: vscode.l10n.t("Bring the Files Back to This Message"),
      iconPath: new vscode.ThemeIcon("discard"),
      detail: filesDetail(plan),
      outcome: "restored" as const,
    };
    const isRestoreFirst = states.workspaceState.get(filesOfBranchKey) === restore.outcome;
    const picked = await showQuickPick(isRestoreFirst ? [restore, keepFiles()] : [keepFiles(), restore], {
      title: vscode.l10n.t("Files of the New Branch"),
      placeHolder: [vscode.l10n.t("Which files does the new branch begin with?"), ...unknownFilesText(plan)].join(" "),
      ignoreFocusOut: true,
    });
    if (picked) await states.workspaceState.update(filesOfBranchKey, picked.outcome);
    return picked?.outcome;
  }

  async #askUndoOfTurns(plan: RestorePlan): Promise<"kept" | "restored" | undefined> {
    const restore = {
      label: vscode.l10n.t("Bring the Files Back to Before the Branch"),
      iconPath: new vscode.ThemeIcon("discard"),
      detail: filesDetail(plan),
      outcome: "restored" as const,
    };
    const picked = await showQuickPick([restore, keepFiles()], {
      title: vscode.l10n.t("Undo Branch"),
      placeHolder: [
        vscode.l10n.t("The agent changed files in this branch. Which files do you want?"),
        ...unknownFilesText(plan),
      ].join(" "),
      ignoreFocusOut: true,
    });
    return picked?.outcome;
  }

  /** Undoes the last restore. */
  async undo(): Promise<void> {
    // The files may be on disk before the restore is recorded completely.
    await this.#running?.catch(() => undefined);
    const found = this.#session();
    const checkpoints = this.#restored?.lastRestore === undefined ? found?.checkpoints : this.#restored;
    const restore = checkpoints?.lastRestore;
    if (!found || !checkpoints || restore === undefined) {
      return void showInformationMessage(vscode.l10n.t("There is no restore to undo."));
    }
    await this.#undoRestore(found.session, checkpoints, restore);
  }

  async #undoRestore(session: Session, checkpoints: Checkpoints, restore: string): Promise<void> {
    if (await this.#refusesWhileBusy(session)) return;
    await this.#runExclusively(async () => {
      await this.#options.review.settled();
      const plan = await checkpoints.planUndo(restore, this.#currentFiles(session));
      const files = await this.#chosen(session, plan);
      if (!files) return;
      if (files.length > 0) await this.#apply(session, checkpoints, plan, files);
      else checkpoints.completeRestore(plan);
      void showInformationMessage(vscode.l10n.t("The restore was undone: {0}.", fileCount(files.length)));
    });
  }

  /** Deletes the checkpoints of this session or of all sessions, after asking which. */
  async delete(): Promise<void> {
    const { sessionCheckpoints: sessionCheckpoints } = this.#options;
    const found = this.#session();
    const session = vscode.l10n.t("Of This Session");
    const all = vscode.l10n.t("Of All Sessions in This Workspace");
    const answer = await showWarningMessage(
      vscode.l10n.t("Which checkpoints do you want to delete?"),
      { modal: true, detail: [vscode.l10n.t("Your files and conversations stay as they are. This cannot be undone.")] },
      ...(found ? [session] : []),
      all,
    );
    if (answer === session) await found?.checkpoints.clear();
    else if (answer === all) await sessionCheckpoints.clear();
    else return;
    void showInformationMessage(vscode.l10n.t("The checkpoints were deleted."));
  }

  #session(): { readonly session: Session; readonly checkpoints: Checkpoints } | undefined {
    const { sessionCheckpoints: sessionCheckpoints } = this.#options;
    const session = this.#options.session();
    return (
      session && { session, checkpoints: sessionCheckpoints.forSession(session.id, session.state.workspaceFolder) }
    );
  }

  async #runExclusively(run: () => Promise<void>): Promise<void> {
    if (this.#running) return;
    const running = run().finally(() => (this.#running = undefined));
    this.#running = running;
    await running;
  }

  /** Warns that nothing can be restored while the agent works, and offers to stop it. */
  async #refusesWhileBusy(session: Session): Promise<boolean> {
    if (!isBusy(session.state)) return false;
    const stop = vscode.l10n.t("Stop");
    const words = vscode.l10n.t(
      "{0} is working. Stop it before restoring a checkpoint.",
      session.state.agent?.name ?? vscode.l10n.t("The agent"),
    );
    if ((await showWarningMessage(words, stop)) === stop) session.stop();
    return true;
  }

  /** Lets the user choose a prompt, newest first. */
  async #choose({ state }: Session, checkpoints: Checkpoints): Promise<Message | undefined> {
    const prompts = [...state.entries].flatMap(entry =>
      entry.kind === "message" && checkpoints.turns.has(entry.submission ?? "") ? [entry] : [],
    );
    const picks = prompts.reverse().map(message => ({
      label: promptTitle(state, message.submission ?? ""),
      description: new Date(message.at).toLocaleString(),
      message,
    }));
    const picked = await showQuickPick(picks, {
      title: vscode.l10n.t("Restore Checkpoint"),
      placeHolder:
        picks.length === 0
          ? vscode.l10n.t("There are no checkpoints in this session.")
          : vscode.l10n.t("Choose the message to restore to"),
    });
    return picked?.message;
  }

  async #ask({ state }: Session, plan: RestorePlan): Promise<RestoreChoice | undefined> {
    const agent = state.agent?.name ?? vscode.l10n.t("The agent");
    const files: RestoreChoice = {
      label: vscode.l10n.t("Files"),
      iconPath: new vscode.ThemeIcon("files"),
      detail: filesDetail(plan),
      files: true,
      conversation: false,
    };
    const conversation: RestoreChoice = {
      label: vscode.l10n.t("Conversation"),
      iconPath: new vscode.ThemeIcon("comment-discussion"),
      detail: vscode.l10n.t(
        "Starts a new session with the earlier conversation attached, because {0} cannot rewind.",
        agent,
      ),
      files: false,
      conversation: true,
    };
    const both: RestoreChoice = {
      label: vscode.l10n.t("Files and Conversation"),
      iconPath: new vscode.ThemeIcon("history"),
      files: true,
      conversation: true,
    };
    const hasFiles = plan.files.length > 0;
    return showQuickPick(hasFiles ? [files, conversation, both] : [conversation], {
      title: vscode.l10n.t("Restore Checkpoint"),
      placeHolder: [
        hasFiles ? vscode.l10n.t("What do you want to restore?") : vscode.l10n.t("No known file will change."),
        ...unknownFilesText(plan),
      ].join(" "),
      // The user can look at the preview meanwhile.
      ignoreFocusOut: true,
    });
  }

  /** The files to change: those that only the agent changed, and any others that the user selects. */
  async #chosen({ state }: Session, plan: RestorePlan): Promise<readonly FileRestore[] | undefined> {
    const changed = plan.files.filter(file => file.changedSince);
    const own = plan.files.filter(file => !file.changedSince);
    if (changed.length === 0) return own;
    const picks = changed.map(file => ({
      label: relative(state.workspaceFolder, file.path),
      description: file.to === null ? vscode.l10n.t("will be deleted") : "",
      file,
    }));
    const picked = await showQuickPicks(picks, {
      title: vscode.l10n.t("You Changed These Files Since"),
      placeHolder: vscode.l10n.t("Select files to restore anyway"),
      ignoreFocusOut: true,
    });
    return picked && [...own, ...picked.map(({ file }) => file)];
  }

  #apply(
    { state }: Session,
    checkpoints: Checkpoints,
    plan: RestorePlan,
    files: readonly FileRestore[],
  ): Promise<void> {
    const roots = (): readonly string[] => sessionRoots(state.workspaceFolder);
    const onRestored = (): void => void (this.#restored = checkpoints);
    return applyRestore(checkpoints, this.#options.review, plan, files, roots, onRestored);
  }

  #currentFiles({ state }: Session): CurrentFiles {
    return currentFiles(this.#options.documents, () => sessionRoots(state.workspaceFolder));
  }

  #announceRestore(words: string): void {
    const undo = vscode.l10n.t("Undo");
    void showInformationMessage(words, undo).then(async answer => {
      if (answer !== undo) return;
      try {
        await this.undo();
      } catch (error) {
        void showErrorMessage(asProblem(error).message);
      }
    });
  }

  /**
   * Agents cannot rewind or fork yet, so this starts a new session and attaches the conversation so far to its first
   * message.
   */
  async #restoreConversation(session: Session, message: Message): Promise<void> {
    const { chat, startSession } = this.#options;
    const { state } = session;
    const next = startSession(session);
    if (!next || next === session) throw new Refusal("failed", vscode.l10n.t("A new session could not be started."));
    const conversation = await this.#conversationFor(next, state, message.id);
    const agent = next.state.agent?.name ?? vscode.l10n.t("The agent");
    const isFirst = state.entries.position(message.id) === 0;
    next.addNotice(
      isFirst
        ? vscode.l10n.t("{0} cannot rewind a conversation, so this is a new session.", agent)
        : vscode.l10n.t(
            "{0} cannot rewind a conversation, so this is a new session. The earlier conversation is attached to your next message.",
            agent,
          ),
    );
    if (message.content.some(block => block.type !== "text")) {
      next.addNotice(vscode.l10n.t("The message had attachments. Attach them again if you need them."));
    }
    const attachments = isFirst ? [] : [conversationAttachment(conversation)];
    // The focus brings the panel up to date, so that the draft is that of the new session.
    await chat.focus("composer");
    await chat.reveal({ type: "draft", text: contentText(message.content), attachments });
  }

  /** The conversation before a message, for the agent of the session `next`. */
  async #conversationFor(next: Session, state: SessionState, message: string): Promise<ConversationForAgent> {
    const whole = conversationForAgent(state, message, maxEmbeddedBytes - maxExplanation);
    if (whole.isWhole) return whole;
    try {
      const texts = await conversationPages(state, message, () => new Promise(resolve => setImmediate(resolve)));
      const paths = await this.#options.pages.of(next.id).write("earlier-conversation", texts);
      return conversationForAgent(state, message, maxEmbeddedBytes - maxExplanation, paths);
    } catch (error) {
      next.addNotice(
        vscode.l10n.t(
          "Only the end of the conversation is attached. Its pages could not be written: {0}",
          asProblem(error).message,
        ),
      );
      return whole;
    }
  }
}

/** An attachment with the conversation so far, or with its end if it is too long. The pages have all of it then. */
function conversationAttachment({ explanation, sections }: ConversationForAgent): Attachment {
  const text = `${[explanation, ...sections.map(section => section.text)].join("\n\n")}\n`;
  return {
    id: randomUUID(),
    kind: "file",
    label: vscode.l10n.t("Conversation so far"),
    bytes: Buffer.byteLength(text),
    source: { type: "text", text, uri: "parley:/conversation.md", mimeType: "text/markdown" },
  };
}

const keepFiles = (): vscode.QuickPickItem & { readonly outcome: "kept" } => ({
  label: vscode.l10n.t("Keep the Files as They Are"),
  iconPath: new vscode.ThemeIcon("files"),
  outcome: "kept",
});

const fileCount = (count: number): string =>
  count === 1 ? vscode.l10n.t("1 file") : vscode.l10n.t("{0} files", count);

function filesDetail({ files }: RestorePlan): string {
  const kept = files.filter(file => file.changedSince).length;
  const restored = vscode.l10n.t("{0} will be restored.", fileCount(files.length - kept));
  if (kept === 0) return restored;
  return `${restored} ${vscode.l10n.t("Changed since, and kept unless you select them: {0}.", fileCount(kept))}`;
}

/** The limits of a plan, as sentences. */
function unknownFilesText({ unknown, more }: RestorePlan): readonly string[] {
  return [
    ...(unknown.length > 0
      ? [
          vscode.l10n.t("Unknown earlier content, left unchanged: {0}.", unknown.slice(0, 3).join(", ")) +
            (unknown.length > 3 ? "…" : ""),
        ]
      : []),
    ...(more > 0 ? [vscode.l10n.t("{0} more changed for an unknown reason.", fileCount(more))] : []),
  ];
}
