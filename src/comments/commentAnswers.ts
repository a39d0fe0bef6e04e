// Brings the answers of agents to the comments that were sent, a few times in a second.
import { Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import type { Clock } from "../base/log.ts";
import { maskKnownSecrets } from "../base/secrets/knownSecrets.ts";
import type { AskedSessions } from "../library/attention.ts";
import type { OpenSession, OpenSessions } from "../library/openSessions.ts";
import type { SessionState } from "../session/state.ts";
import { answerPart } from "./commentPrompt.ts";
import {
  answeringSession,
  isAwaited,
  isAwaitingAnswer,
  withRemarks,
  type LineComment,
  type Remark,
} from "./lineComment.ts";
import type { LineComments } from "./lineComments.ts";
import { cutAnswer, isUnfinished, promptAnswer, type AnswerPhase } from "./promptAnswer.ts";

export interface CommentAnswersOptions<S extends OpenSession> {
  readonly comments: LineComments;
  readonly open: Pick<OpenSessions<S>, "get" | "onDidChange">;
  /** The sessions whose prompts wait until the user has answered a question of Parley. */
  readonly asked: AskedSessions;
  readonly clock: Clock;
}

/** Threads change at most five times in a second, because VS Code draws the whole answer each time. Milliseconds. */
const updateInterval = 200;

export class CommentAnswers<S extends OpenSession> implements Disposable {
  readonly #options: CommentAnswersOptions<S>;
  readonly #changed = new Emitter<readonly string[]>();
  /** Fires with the ids of comments whose answers are in another phase. */
  readonly onDidChange: Event<readonly string[]> = this.#changed.event;
  readonly #phases = new Map<string, AnswerPhase>();
  readonly #links: readonly Disposable[];
  #timer: Disposable | undefined;

  constructor(options: CommentAnswersOptions<S>) {
    this.#options = options;
    const { open, asked, comments } = options;
    this.#links = [
      asked.onDidChange(() => this.update()),
      open.onDidChange(change => {
        if (change.type === "changed" || change.type === "opened") this.#updateLater(change.session.id);
        else if (change.type === "closed") this.update();
      }),
      // A session that works does not change when it gets a comment.
      comments.onDidChange(ids => {
        this.#forgetEnded();
        if (ids.some(id => this.#hasNewPrompt(id))) this.#updateSoon();
      }),
    ];
  }

  /** How far the answer to the remark is. Undefined: it is not sent, or its session is not open. */
  phaseOf({ prompt, end, session }: Remark): AnswerPhase | undefined {
    if (prompt === undefined) return undefined;
    const known = end ?? this.#phases.get(prompt);
    // A prompt that was sent just now has no phase yet.
    const state = known === undefined ? this.#options.open.get(session)?.state : undefined;
    if (!state) return known;
    const phase = this.#phaseIn(session, state, prompt);
    // The answer of a short turn is not collected yet.
    return isUnfinished(phase) || phase === "gone" ? phase : "working";
  }

  /** Whether an agent of an open session works on the comment, or will. */
  isWorking({ remarks }: LineComment): boolean {
    return remarks.some(one => isUnfinished(this.phaseOf(one)));
  }

  dispose(): void {
    this.#timer?.dispose();
    for (const link of this.#links) link.dispose();
    this.#changed.dispose();
  }

  #updateLater(session: string): void {
    const isAnswering = (comment: LineComment): boolean =>
      comment.remarks.some(one => isAwaited(one) && answeringSession(comment, one) === session);
    if (!this.#timer && this.#options.comments.all.some(isAnswering)) this.#updateSoon();
  }

  #hasNewPrompt(id: string): boolean {
    const { comments, open } = this.#options;
    const comment = comments.get(id);
    return !!comment?.remarks.some(
      one => isAwaited(one) && !this.#phases.has(one.prompt ?? "") && open.get(answeringSession(comment, one)),
    );
  }

  /** Only remarks that wait for their answers have phases. One that was removed can be put back, and is read again then. */
  #forgetEnded(): void {
    const awaited = new Set(
      this.#options.comments.all.flatMap(({ remarks }) => remarks.filter(isAwaited)).map(promptOf),
    );
    for (const prompt of this.#phases.keys()) if (!awaited.has(prompt)) this.#phases.delete(prompt);
  }

  #updateSoon(): void {
    this.#timer ??= this.#options.clock.after(updateInterval, () => {
      this.#timer = undefined;
      this.update();
    });
  }

  /** Brings in what the open sessions have. */
  update(): void {
    const { comments, open } = this.#options;
    const others: string[] = [];
    comments.changeAll(comment => {
      if (!isAwaitingAnswer(comment)) return comment;
      return withRemarks(comment, remark => {
        const state = open.get(answeringSession(comment, remark))?.state;
        const next = state ? this.#answered(remark, state) : remark;
        const phase = this.#setPhase(comment, remark, state);
        if (phase) others.push(comment.id);
        return next;
      });
    });
    if (others.length > 0) this.#changed.fire([...new Set(others)]);
  }

  /** Whether the phase is another one. */
  #setPhase(comment: LineComment, remark: Remark, state: SessionState | undefined): boolean {
    const { prompt, end } = remark;
    if (prompt === undefined || end !== undefined) return false;
    const before = this.#phases.get(prompt);
    const phase = state && this.#phaseIn(answeringSession(comment, remark), state, prompt);
    if (phase) this.#phases.set(prompt, phase);
    else this.#phases.delete(prompt);
    return phase !== before;
  }

  /** How far the session is, which can be asking the user before it continues. */
  #phaseIn(session: string | undefined, state: SessionState, prompt: string): AnswerPhase {
    const { phase } = promptAnswer(state, prompt);
    const isAsking = session !== undefined && this.#options.asked.isAsking(session);
    return isAsking && isUnfinished(phase) ? "waiting" : phase;
  }

  #answered(remark: Remark, state: SessionState): Remark {
    const { prompt, end, number = 1, of = 1 } = remark;
    if (prompt === undefined || end !== undefined) return remark;
    const { text, phase } = promptAnswer(state, prompt);
    if (phase === "gone") return collectedAgain(remark);
    const isOver = phase === "done" || phase === "stopped" || phase === "failed";
    const part = of > 1 ? (answerPart(text, number, of) ?? (isOver ? text : "")) : text;
    const answer = cutAnswer(maskKnownSecrets(part));
    const agent = state.agent?.name;
    if (answer === (remark.answer ?? "") && !isOver) return remark;
    return { ...remark, answer, ...(agent !== undefined && { agent }), ...(isOver && { end: phase }) };
  }
}

const promptOf = ({ prompt }: Remark): string | undefined => prompt;

/** The user has withdrawn the prompt, so the remark can be sent again. */
function collectedAgain({ id, text, at }: Remark): Remark {
  return { id, text, at };
}
