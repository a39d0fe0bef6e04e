// The sessions of turns under review. Many turns belong to few sessions.
import type { TurnSession } from "../review.ts";

/** As it is stored: the sessions by id, and the session of each turn. */
export type StoredSessionsOfTurns = Readonly<
  Record<string, { readonly title: string; readonly turns: readonly string[] }>
>;

export class SessionsOfTurns {
  readonly #sessions = new Map<string, TurnSession>();

  /** The session of the turn, as a field. */
  of(turn: string): { readonly session?: TurnSession } {
    const session = this.#sessions.get(turn);
    return session ? { session } : {};
  }

  /** Sets the session of a turn that has none yet. */
  set(turn: string, session: TurnSession | undefined): void {
    if (session && !this.#sessions.has(turn)) this.#sessions.set(turn, session);
  }

  /** The sessions of these turns, to store. */
  stored(turns: ReadonlySet<string>): { readonly sessions?: StoredSessionsOfTurns } {
    const sessions: Record<string, { title: string; turns: string[] }> = {};
    for (const [turn, { id, title }] of this.#sessions) {
      if (!turns.has(turn)) continue;
      const session = (sessions[id] ??= { title, turns: [] });
      session.title = title;
      session.turns.push(turn);
    }
    return Object.keys(sessions).length > 0 ? { sessions } : {};
  }

  /** Adds sessions that were stored. */
  restore(sessions: StoredSessionsOfTurns = {}): void {
    for (const [id, { title, turns }] of Object.entries(sessions))
      for (const turn of turns) this.set(turn, { id, title });
  }
}
