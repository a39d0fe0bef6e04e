// Comments on lines of a file beside the session of a real agent: their store, the sender, the answers and the review, as
// `createComments` puts them together in a window. In place of the editor, the room reads the file from disk at each change
// of the session.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { CommentAnswers } from "../../src/comments/commentAnswers.ts";
import { CommentSender } from "../../src/comments/commentSender.ts";
import {
  conversationOf,
  lastSentRemark,
  newComment,
  withRemark,
  type LineComment,
} from "../../src/comments/lineComment.ts";
import { LineComments } from "../../src/comments/lineComments.ts";
import { sessionWork } from "../../src/comments/promptAnswer.ts";
import { reviewComments } from "../../src/comments/reviewedComments.ts";
import { commentThreadView } from "../../src/comments/shownThread.ts";
import { OpenSessions } from "../../src/library/openSessions.ts";
import type { LineRange } from "../../src/review/hunk.ts";
import { WindowReview } from "../../src/review/windowReview.ts";
import type { Session } from "../../src/session/session.ts";
import { promptTitle } from "../../src/session/state.ts";
import { until } from "../support/fakes/until.ts";
import type { Conversation } from "./conversation.ts";

/** The time limit for what a thread shows (ms). */
const patience = 60_000;

export class CommentRoom {
  readonly #conversation: Conversation;
  readonly #path: string;
  readonly #open = new OpenSessions<Session>();
  readonly #sender: CommentSender;
  readonly #answers: CommentAnswers<Session>;
  readonly #links: readonly { dispose(): void }[];
  /** The text of the file, as the review and the comments know it. */
  #text: string;
  /** The turn that runs, or ran last. */
  #turn: string | undefined;
  readonly comments = new LineComments({
    files: { read: () => Promise.resolve([]), write: () => Promise.resolve(), remove: () => Promise.resolve() },
    ...{ clock: systemClock, log: nullLog, onNotStored: () => {} },
  });
  readonly review = new WindowReview({
    port: {
      apply: () => Promise.reject(new Error("Files are not put back here.")),
      move: () => Promise.reject(new Error("Files are not moved here.")),
    },
    schedule: run => void setImmediate(run),
  });

  /** `path`: the absolute path of the file. */
  constructor(conversation: Conversation, path: string) {
    const { comments, review } = this;
    const { session } = conversation;
    this.#conversation = conversation;
    this.#path = path;
    this.#text = readFileSync(path, "utf8");
    this.#open.add(session);
    this.#answers = new CommentAnswers({
      comments,
      open: this.#open,
      asked: { isAsking: () => false, onDidChange: () => ({ dispose() {} }) },
      clock: systemClock,
    });
    this.#sender = new CommentSender({
      ...{ comments, review },
      hasSession: () => true,
      openSession: () => Promise.resolve(session),
      declined: () => Promise.resolve([]),
    });
    this.#links = [
      session.onDidChange(() => this.#readFile()),
      this.#answers.onDidChange(() => this.#updateFromReview()),
      review.onDidChange(() => this.#updateFromReview()),
    ];
  }

  dispose(): void {
    for (const link of [...this.#links, this.#answers, this.comments, this.review, this.#open]) link.dispose();
  }

  /** Writes a comment on the lines, 0-based. Returns its id. */
  write(lines: LineRange, text: string): string {
    const id = randomUUID();
    const place = { id, uri: pathToFileURL(this.#path).toString(), path: this.#path, lines };
    const comment = newComment({ ...place, session: this.#conversation.session.id }, this.#text);
    this.comments.add(withRemark(comment, { id: randomUUID(), text, at: Date.now() }), this.#text);
    return id;
  }

  /** Writes another remark of the user into the thread. */
  reply(id: string, text: string): void {
    this.comments.change(id, one => withRemark(one, { id: randomUUID(), text, at: Date.now() }));
  }

  send(...ids: readonly string[]): Promise<void> {
    return this.#sender.send(ids);
  }

  get(id: string): LineComment {
    const found = this.comments.get(id);
    if (!found) throw new Error("The comment is gone.");
    return found;
  }

  /** What the thread shows: its state, and the author and text of each entry. */
  shown(id: string): { readonly state: string; readonly texts: readonly string[] } {
    const phaseOf: CommentAnswers<Session>["phaseOf"] = remark => this.#answers.phaseOf(remark);
    const view = commentThreadView(this.get(id), { sessionTitle: "", phaseOf });
    return { state: view.contextValue, texts: view.comments.map(({ author, text }) => `${author}: ${text}`) };
  }

  /** Resolves when the thread has this state. */
  async untilState(id: string, state: string): Promise<void> {
    await until(() => this.shown(id).state === state, patience).catch(() => {
      throw new Error(`Waited in vain for the state ${state}. The thread: ${JSON.stringify(this.shown(id))}`);
    });
  }

  /** The turn that wrote the file is the one that ran before this change of the session. */
  #readFile(): void {
    const before = this.#text;
    const text = readFileSync(this.#path, "utf8");
    const { state } = this.#conversation.session;
    const turn = this.#turn ?? state.turnPrompt ?? "";
    if (state.turnPrompt !== null) this.#turn = state.turnPrompt;
    if (text === before) return;
    this.#text = text;
    this.comments.replaced(pathToFileURL(this.#path).toString(), text);
    const title = promptTitle(state, turn);
    this.review.nameTurn(turn, title, { id: this.#conversation.session.id, title });
    void this.review.agentChanged(this.#path, before, text, turn);
  }

  #updateFromReview(): void {
    reviewComments(this.comments, this.review, comment => {
      const state = this.#open.get(conversationOf(comment))?.state;
      return state && sessionWork(state, lastSentRemark(comment)?.prompt);
    });
  }
}
