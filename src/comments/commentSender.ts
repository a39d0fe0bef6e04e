// Sends comments to their sessions: those of one session as one prompt.
import { asError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { relativeLabel } from "../base/pathLabel.ts";
import { planAddressOfUri, planScheme } from "../session/planAddress.ts";
import { planApprovals, planOf } from "../session/planApproval.ts";
import type { Session } from "../session/session.ts";
import { commentPrompt, type CommentToSend } from "./commentPrompt.ts";
import { commentState, withSentRemarks, type LineComment } from "./lineComment.ts";
import type { LineComments } from "./lineComments.ts";
import { changeLines, turnsAt, type CommentedReview } from "./reviewedComments.ts";

/** A session that gets comments. */
export type CommentSession = Pick<Session, "id" | "state" | "send" | "answer">;

export interface CommentSenderOptions {
  readonly comments: LineComments;
  readonly review: CommentedReview;
  /** Whether there is a session with this id. */
  readonly hasSession: (id: string) => boolean;
  /** The session with this id, or the one that the chat shows. Rejects with a sentence if there is none. */
  readonly openSession: (id: string | undefined) => Promise<CommentSession>;
  /** The files whose lines the user does not want to share. */
  readonly declined: (paths: readonly string[]) => Promise<readonly string[]>;
}

/** Comments that were not sent. The message has a sentence for each reason. */
export class CommentsNotSent extends Error {
  /** Their ids. */
  readonly ids: readonly string[];
  /** The ids of those whose sessions were deleted. */
  readonly ofDeletedSessions: readonly string[];

  constructor(failures: readonly SendFailure[]) {
    super([...new Set(failures.map(({ reason }) => reason))].join(" "));
    this.ids = failures.flatMap(({ ids }) => ids);
    this.ofDeletedSessions = failures.flatMap(({ ids, isDeleted }) => (isDeleted ? ids : []));
  }
}

/** The comments of a session that were not sent, and why. */
interface SendFailure {
  readonly ids: readonly string[];
  readonly reason: string;
  /** Their session was deleted. */
  readonly isDeleted?: boolean;
}

export class CommentSender {
  readonly #options: CommentSenderOptions;

  constructor(options: CommentSenderOptions) {
    this.#options = options;
  }

  /**
   * Sends the collected remarks of these comments. Rejects with {@link CommentsNotSent}; what was not sent stays collected.
   * `start`: starts the session that gets them, when nothing else prevents that.
   */
  async send(ids: readonly string[], start?: () => Promise<string>): Promise<void> {
    const { comments, declined } = this.#options;
    const commented = ids.flatMap(id => comments.get(id) ?? []);
    const paths = [...new Set(commented.flatMap(({ path }) => path ?? []))];
    const refused = await declined(paths);
    if (refused.length > 0) {
      const files = refused.join(", ");
      const reason =
        commented.length === 1
          ? t("The comment was not sent because you declined to share {0}.", files)
          : t("The comments were not sent because you declined to share {0}.", files);
      throw new CommentsNotSent([{ ids, reason }]);
    }
    if (start) await this.#startSession(ids, start);
    // As they are now, since they can have changed meanwhile.
    const wanted = ids.flatMap(id => comments.get(id) ?? []);
    const sessions = [...new Set(wanted.map(({ session }) => session))];
    const failures = await Promise.all(
      sessions.map(async (session): Promise<readonly SendFailure[]> => {
        const own = wanted.filter(one => one.session === session).map(one => one.id);
        if (session !== undefined && !this.#options.hasSession(session))
          return [{ ids: own, reason: t("The session of a comment was deleted."), isDeleted: true }];
        try {
          await this.#sendTo(session, own);
          return [];
        } catch (thrown) {
          return [{ ids: own, reason: asError(thrown).message }];
        }
      }),
    );
    if (failures.flat().length > 0) throw new CommentsNotSent(failures.flat());
  }

  async #startSession(ids: readonly string[], start: () => Promise<string>): Promise<void> {
    try {
      const session = await start();
      for (const id of ids) this.#options.comments.change(id, one => ({ ...one, session }));
    } catch (thrown) {
      throw new CommentsNotSent([{ ids, reason: asError(thrown).message }]);
    }
  }

  async #sendTo(id: string | undefined, ids: readonly string[]): Promise<void> {
    const { comments, review, openSession } = this.#options;
    const session = await openSession(id);
    // As they are now, since they can have changed meanwhile.
    const due = ids
      .flatMap(one => comments.get(one) ?? [])
      .filter(comment => comment.session === id && commentState(comment) === "collected");
    if (due.length === 0) return;
    const toSend = due.map(comment => commentToSend(comment, review, session.state.workspaceFolder));
    keepPlanning(session, due);
    const prompt = session.send([{ type: "text", text: commentPrompt(toSend) }]);
    if (prompt === undefined) return;
    const agent = session.state.agent?.name;
    for (const [at, comment] of due.entries()) {
      const numbers = due.length > 1 && { number: at + 1, of: due.length };
      const sent = { session: session.id, prompt, ...numbers, ...(agent !== undefined && { agent }) };
      comments.change(comment.id, one => withSentRemarks(one, sent, turnsAt(review, one)));
    }
  }
}

/**
 * Answers the questions whether the agent may carry out the plans that the comments are about, with the option that rejects once.
 * Otherwise the agent would wait for the answer, and not get the comments.
 */
function keepPlanning(session: CommentSession, comments: readonly LineComment[]): void {
  const { id, state } = session;
  for (const { plan, question, keepPlanning } of planApprovals(state)) {
    const path = planOf(state, plan)?.path;
    const isAbout = (comment: LineComment): boolean => {
      const address = planAddressOfUri(comment.uri);
      return address ? address.session === id && address.plan === plan : path !== undefined && comment.path === path;
    };
    if (comments.some(isAbout)) session.answer(question, keepPlanning.id);
  }
}

function commentToSend(comment: LineComment, review: CommentedReview, folder: string): CommentToSend {
  const { path, uri, isBefore } = comment;
  const change = changeLines(review, comment);
  return {
    comment,
    path: path === undefined ? nameOfDocument(uri) : relativeLabel(path, folder),
    ...(isBefore && { isBefore }),
    ...(change.length > 0 && { change }),
  };
}

/** What the agent knows the document as, if it is no file. */
const nameOfDocument = (uri: string): string => (uri.startsWith(`${planScheme}:`) ? "your plan" : uri);
