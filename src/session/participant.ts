// Features that take part in a session: what they are called for, and the calls themselves.
import { SequencerByKey } from "../base/async.ts";
import { asError } from "../base/errors.ts";
import type { Disposable } from "../base/lifecycle.ts";
import type { Clock, Log } from "../base/log.ts";
import type { AgentClient, PermissionQuestion, WriteResult } from "./agent.ts";
import type { SessionEvent } from "./events.ts";
import type { SessionState } from "./state.ts";

/** A request of the agent to read a file. */
export type ReadTextFileRequest = Parameters<AgentClient["readTextFile"]>[0];

/**
 * What a feature does in a session in place of its agent, such as a tool of the editor that the agent calls. It is asked,
 * reviewed and shown as the agent's own work.
 */
export interface AgentActions extends Pick<AgentClient, "report" | "requestPermission" | "askForm"> {
  readonly state: () => SessionState;
  /** Runs a write with what all participants do around a write of the agent. */
  writeFile(path: string, text: string, write: () => Promise<WriteResult>): Promise<void>;
}

/**
 * One feature's part in one session, such as following the agent or reviewing its changes. The session calls its
 * participants in their order, and disposes them when it ends.
 */
export interface SessionParticipant extends Disposable {
  /** Called once, before everything else. */
  begin?(actions: AgentActions): void;
  /**
   * Called after the reducer for each event that the agent reported, also if the event changed nothing. `before` and
   * `after` are the states around this event: `event.patch` has what is new, and the entry in `before` what was known.
   */
  observe?(event: SessionEvent, before: SessionState, after: SessionState): void;
  /** Called after every change of the state, whether the agent or Parley caused it. Comes before {@link observe}. */
  stateChanged?(before: SessionState, after: SessionState): void;
  /**
   * Called before a prompt is sent. `turn` is the id of the prompt. All participants prepare the turn at once, and the
   * prompt waits for them for at most two seconds.
   */
  beforeTurn?(turn: string): Promise<void>;
  /** Called before the user, or a rule, answers a permission request of the agent. */
  beforeQuestion?(question: PermissionQuestion): void;
  /** Called when the agent has read a file. */
  afterRead?(request: ReadTextFileRequest): void;
  /**
   * Called in place of a write of the agent; `next` does the write. `path` is as the agent gave it, and `text` is the
   * whole new text. The first participant is the outermost.
   */
  aroundWrite?(path: string, text: string, next: () => Promise<WriteResult>): Promise<WriteResult>;
  /**
   * Called after the user or a rule has allowed the agent to write a file outside the session's folders, and before the
   * agent writes it. `path` is resolved. Must not reject.
   */
  allowedOutside?(path: string): Promise<void>;
}

/** Prompts wait this long for the participants. Milliseconds. */
const maxBeforeTurn = 2000;

export interface ParticipantsOptions {
  readonly participants: readonly SessionParticipant[];
  readonly clock: Clock;
  readonly log: Log;
}

/** The participants of a session as one. A participant that fails is logged; the session and the others continue. */
export class Participants implements Required<Omit<SessionParticipant, "beforeTurn" | "allowedOutside">> {
  readonly #options: ParticipantsOptions;
  readonly #writes = new SequencerByKey<string>();

  constructor(options: ParticipantsOptions) {
    this.#options = options;
  }

  /** Whether a participant prepares turns, so that prompts have to wait. */
  get preparesTurns(): boolean {
    return this.#options.participants.some(one => one.beforeTurn);
  }

  begin(actions: AgentActions): void {
    this.#forEach(one => one.begin?.(actions));
  }

  observe(event: SessionEvent, before: SessionState, after: SessionState): void {
    this.#forEach(one => one.observe?.(event, before, after));
  }

  stateChanged(before: SessionState, after: SessionState): void {
    this.#forEach(one => one.stateChanged?.(before, after));
  }

  beforeQuestion(question: PermissionQuestion): void {
    this.#forEach(one => one.beforeQuestion?.(question));
  }

  afterRead(request: ReadTextFileRequest): void {
    this.#forEach(one => one.afterRead?.(request));
  }

  /** Runs the writes of one path in the order of the requests, because participants wait before they write. */
  aroundWrite(path: string, text: string, write: () => Promise<WriteResult>): Promise<WriteResult> {
    const wrapped = this.#options.participants.reduceRight(
      (next, one) => () => (one.aroundWrite ? one.aroundWrite(path, text, next) : next()),
      write,
    );
    return this.#writes.queue(path, wrapped);
  }

  /** Prepares a turn, within the time limit. `stop` ends the wait without a warning. Never rejects. */
  async beforeTurn(turn: string, stop: Promise<void>): Promise<void> {
    const { participants, clock, log } = this.#options;
    let isWaiting = true;
    const prepare = async (one: SessionParticipant): Promise<void> => {
      try {
        await one.beforeTurn?.(turn);
      } catch (error) {
        if (isWaiting) log.warn("A turn could not be prepared.", asError(error).message);
      }
    };
    let giveUp = (): void => {};
    const timeout = new Promise<void>(resolve => (giveUp = resolve));
    const timer = clock.after(maxBeforeTurn, () => {
      log.warn("A prompt went out before its turn was prepared: it took too long.");
      giveUp();
    });
    await Promise.race([Promise.all(participants.map(prepare)), timeout, stop]);
    isWaiting = false;
    timer.dispose();
  }

  dispose(): void {
    this.#forEach(one => one.dispose());
  }

  #forEach(call: (one: SessionParticipant) => void): void {
    for (const one of this.#options.participants) {
      try {
        call(one);
      } catch (error) {
        this.#options.log.error("A feature failed while it took part in a session.", asError(error).stack);
      }
    }
  }
}
