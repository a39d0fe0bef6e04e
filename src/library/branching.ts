// Edit, Retry and Branch from Here: continue a conversation from one of its messages in a branch, and undo that.
import { asError } from "../base/errors.ts";
import type { FilesOfBranch } from "../checkpoints/restorePlanner.ts";
import { t } from "../base/l10n.ts";
import type { Clock, Log } from "../base/log.ts";
import { intentHandlers, type IntentHandlers } from "../panel/intentHandlers.ts";
import type { ReplyTarget } from "../panel/replyTarget.ts";
import type { ContentBlock } from "../session/events.ts";
import { promptAfter } from "../session/log/branchEvents.ts";
import type { Session } from "../session/session.ts";
import { isBusy, isPrompt, type Message } from "../session/state.ts";
import { editedContent, isWhole } from "./branchPrompt.ts";
import type { ContinueFrom } from "./copyConversation.ts";
import type { SessionRegistry } from "./sessionRegistry.ts";

export interface BranchingOptions {
  readonly registry: Pick<SessionRegistry, "open">;
  readonly continueFrom: ContinueFrom;
  /** Shows a session in the surface. Rejects with a sentence if there is none. */
  readonly show: (id: string, surface: string) => Promise<void>;
  readonly files: {
    bringBackFiles(session: Session, turn: string): Promise<FilesOfBranch>;
    /** Before Undo leaves the branch. Resolves with "kept" if the files stay as they are, "cancelled" to stay there. */
    undoTurns(branch: Session): Promise<FilesOfBranch>;
    undoBringBack(origin: Session): Promise<void>;
  };
  /** Shows a notice with Undo. Resolves with whether the user chooses it. */
  readonly offerUndo: (notice: string) => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The latest branch that this window began, for Undo. */
interface Began {
  readonly branch: string;
  readonly origin: string;
  readonly surface: string;
  readonly files: FilesOfBranch;
}

/** A stopped agent that has not ended its turn within this time (ms) continues to work, so no branch begins. */
const maxStopWait = 10_000;

export class Branching {
  readonly #options: BranchingOptions;
  /** Only one branch begins at a time. */
  #isRunning = false;
  #began: Began | undefined;
  readonly intents: IntentHandlers<"retryPrompt" | "editPrompt" | "branchFrom" | "showBranch">;

  constructor(options: BranchingOptions) {
    this.#options = options;
    const { registry } = options;
    this.intents = intentHandlers({
      retryPrompt: ({ session, entry }, target) => this.#resend(registry.open.get(session), entry, target),
      editPrompt: ({ session, entry, text }, target) =>
        this.#resend(registry.open.get(session), entry, target, text.trimEnd()),
      branchFrom: ({ session, entry }, target) => this.#branchFrom(registry.open.get(session), entry, target),
      showBranch: ({ id }, { surface }) => options.show(id, surface),
    });
  }

  /** Sends the prompt again in a branch that begins before it. */
  async #resend(session: Session | undefined, entry: string, target: ReplyTarget, text?: string): Promise<void> {
    const message = session?.state.entries.get(entry);
    if (!session || message?.kind !== "message" || !isPrompt(message)) return;
    const content = text === undefined ? message.content : editedContent(message.content, text);
    if (content.length === 0) return;
    if (!isWhole(content))
      throw new Error(
        t(
          "An attachment of this message was too large to be kept, so the message cannot be sent again. Attach it to a new message.",
        ),
      );
    await this.#begin(session, target, { before: entry, turn: message.submission, content });
  }

  /** Begins a branch after the turn of the message. The next prompt of the user continues it. */
  async #branchFrom(session: Session | undefined, entry: string, target: ReplyTarget): Promise<void> {
    if (!session?.state.entries.get(entry)) return;
    const before = promptAfter(session.state, entry);
    const next = before === undefined ? undefined : (session.state.entries.get(before) as Message);
    await this.#begin(session, target, { before, turn: next?.submission });
  }

  async #begin(
    origin: Session,
    target: ReplyTarget,
    {
      before,
      turn,
      content,
    }: {
      readonly before: string | undefined;
      /** The turn whose start the files can be brought back to. */
      readonly turn: string | undefined;
      readonly content?: readonly ContentBlock[];
    },
  ): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      const { continueFrom, files } = this.#options;
      const { surface } = target;
      const wasStopped = await this.#stop(origin);
      const outcome = turn === undefined ? "kept" : await files.bringBackFiles(origin, turn);
      if (outcome === "cancelled") return;
      const branch = await continueFrom(origin, before, surface);
      this.#began = { branch: branch.id, origin: origin.id, surface, files: outcome };
      if (content) branch.send(content);
      target.reply({ type: "focus", target: "composer" });
      this.#announce(wasStopped, outcome);
    } finally {
      this.#isRunning = false;
    }
  }

  /** Stops the running turn, and waits until the agent has ended it. Queued prompts wait in the session. */
  async #stop(session: Session): Promise<boolean> {
    if (!isBusy(session.state)) return false;
    const name = session.state.agent?.name ?? t("The agent");
    await new Promise<void>((resolve, reject) => {
      const end = (run: () => void): void => {
        timer.dispose();
        link.dispose();
        run();
      };
      const failed = new Error(t("{0} has not stopped yet. Wait until it has, or restart it, and try again.", name));
      const timer = this.#options.clock.after(maxStopWait, () => end(() => reject(failed)));
      const link = session.onDidChange(state => isBusy(state) || end(resolve));
      session.stop();
    });
    return true;
  }

  #announce(wasStopped: boolean, files: FilesOfBranch): void {
    const { offerUndo, log } = this.#options;
    const words = [
      t("The conversation continues in a new branch. The earlier branch is kept."),
      ...(wasStopped ? [t("Its running turn was stopped.")] : []),
      ...(files === "restored" ? [t("The files are as they were at the message.")] : []),
    ].join(" ");
    const began = this.#began;
    const offer = async (): Promise<void> => {
      if ((await offerUndo(words)) && this.#began === began) await this.undo();
    };
    offer().catch((error: unknown) => log.error("A branch could not be undone.", asError(error).message));
  }

  /** Shows the branch that the latest one began from, with its files. The new branch is kept, and can be switched to. */
  async undo(): Promise<void> {
    const began = this.#began;
    if (!began) throw new Error(t("There is no branch to undo."));
    const { registry, files, show } = this.#options;
    const branch = registry.open.get(began.branch);
    if (branch) await this.#stop(branch);
    const outcome = branch ? await files.undoTurns(branch) : "restored";
    if (outcome === "cancelled") return;
    await show(began.origin, began.surface);
    const origin = registry.open.get(began.origin);
    if (began.files === "restored" && outcome === "restored" && origin) await files.undoBringBack(origin);
    this.#began = undefined;
  }
}
