// The sessions that are open in the window, and which one each surface shows. A surface is the chat view or an editor tab.
import { Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import { isOnlyContent } from "../session/notifications.ts";
import type { Session } from "../session/session.ts";
import { emptySession, type SessionState } from "../session/state.ts";

/** The surface that always exists: the chat view. */
export const chatViewSurface = "view";

/** An open session, as the registry uses it. */
export type OpenSession = Pick<Session, "id" | "state" | "onDidChange">;

export type OpenSessionsChange<S extends OpenSession = Session> =
  | { readonly type: "opened" | "closed"; readonly session: S }
  /** The state changed. `isContent`: only messages and tool calls of the agent changed. */
  | { readonly type: "changed"; readonly session: S; readonly before: SessionState; readonly isContent: boolean }
  /** The surface shows another session, or none. */
  | { readonly type: "selected"; readonly surface: string }
  /** The user works with another surface, so the active session is another one. */
  | { readonly type: "activated"; readonly surface: string };

interface Member {
  readonly link: Disposable;
  state: SessionState;
}

/** Invariant: every selected session is open. It does not own the sessions, and disposes none. */
export class OpenSessions<S extends OpenSession = Session> implements Disposable {
  readonly #changed = new Emitter<OpenSessionsChange<S>>();
  readonly onDidChange: Event<OpenSessionsChange<S>> = this.#changed.event;
  readonly #members = new Map<S, Member>();
  readonly #selected = new Map<string, S>();
  /** The sessions in the order in which they were selected last. */
  #recent: readonly S[] = [];
  #activeSurface = chatViewSurface;

  /** The open sessions, in the order in which they were opened. */
  get sessions(): readonly S[] {
    return [...this.#members.keys()];
  }

  /** The session with this id, if it is open. */
  get(id: string | undefined): S | undefined {
    return id === undefined ? undefined : this.sessions.find(session => session.id === id);
  }

  /** The session that continues in this session of the agent, if it is open. */
  ofAgent(agent: string, agentSession: string): S | undefined {
    return this.sessions.find(({ state }) => {
      const { agentSession: at, agentSessions } = state;
      return state.agent?.id === agent && at !== null && agentSessions[at] === agentSession;
    });
  }

  /** The surface that the user worked with last. */
  get activeSurface(): string {
    return this.#activeSurface;
  }
  /** The session of that surface. Commands are about it. */
  get active(): S | undefined {
    return this.selected(this.#activeSurface);
  }
  /** The state of the active session, or an empty state. */
  get activeState(): SessionState {
    return this.active?.state ?? emptySession;
  }

  /** The session that the surface shows. */
  selected(surface: string): S | undefined {
    return this.#selected.get(surface);
  }

  /** The surfaces that show the session. */
  surfacesOf(session: S): readonly string[] {
    return [...this.#selected].flatMap(([surface, shown]) => (shown === session ? [surface] : []));
  }

  /** Adds a session. No surface shows it yet. */
  add(session: S): void {
    if (this.#members.has(session)) return;
    const member: Member = {
      state: session.state,
      link: session.onDidChange(after => {
        const before = member.state;
        member.state = after;
        this.#changed.fire({ type: "changed", session, before, isContent: isOnlyContent(before, after) });
      }),
    };
    this.#members.set(session, member);
    this.#changed.fire({ type: "opened", session });
  }

  /** Removes a session. Surfaces that show it show the open session that was selected last before it. */
  remove(session: S): void {
    const member = this.#members.get(session);
    if (!member) return;
    member.link.dispose();
    this.#members.delete(session);
    this.#recent = this.#recent.filter(each => each !== session);
    const next = this.#recent.at(-1);
    for (const surface of this.surfacesOf(session)) this.#show(surface, next);
    this.#changed.fire({ type: "closed", session });
  }

  /** Shows an open session in the surface, or none. */
  select(surface: string, session: S | undefined): void {
    if (session && !this.#members.has(session)) return;
    if (session) this.#recent = [...this.#recent.filter(each => each !== session), session];
    if (this.#selected.get(surface) !== session) this.#show(surface, session);
  }

  /** The user works with this surface from now on. */
  activate(surface: string): void {
    if (this.#activeSurface === surface) return;
    this.#activeSurface = surface;
    this.#changed.fire({ type: "activated", surface });
  }

  /** The surface is gone. Its session stays open. */
  removeSurface(surface: string): void {
    this.#selected.delete(surface);
    if (this.#activeSurface === surface) this.activate(chatViewSurface);
  }

  #show(surface: string, session: S | undefined): void {
    if (session) this.#selected.set(surface, session);
    else this.#selected.delete(surface);
    this.#changed.fire({ type: "selected", surface });
  }

  dispose(): void {
    for (const { link } of this.#members.values()) link.dispose();
    this.#members.clear();
    this.#selected.clear();
    this.#changed.dispose();
  }
}
