// The sessions that the window lists: those that are open, and those that an earlier window had open.
import { Emitter, type Disposable, type Event } from "../../base/lifecycle.ts";
import type { Clock } from "../../base/log.ts";
import type { Session } from "../../session/session.ts";
import { sessionTitle, type SessionState } from "../../session/state.ts";
import { attentionOf } from "../../sessions/attention.ts";
import type { OpenSessionsChange } from "../../sessions/openSessions.ts";
import type { ListedSession } from "../../sessions/sessionGroups.ts";
import type { WindowSessions } from "./windowSessions.ts";

export interface SessionListOptions {
  readonly sessions: Pick<WindowSessions, "open" | "unopened" | "agentName">;
  /** Whether a visible panel shows the session. */
  readonly isVisible: (session: Session) => boolean;
  /** Fires when a panel is shown. */
  readonly onDidShow: Event<unknown>;
  readonly clock: Clock;
}

export class SessionList implements Disposable {
  readonly #options: SessionListOptions;
  readonly #changed = new Emitter<void>();
  /** Fires when the list may look different. */
  readonly onDidChange: Event<void> = this.#changed.event;
  readonly #links: readonly Disposable[];
  /** When sessions without any entry were opened. */
  readonly #opened = new Map<Session, number>();
  /** Sessions that finished, failed or asked while no visible panel showed them. */
  readonly #unread = new Set<Session>();

  constructor(options: SessionListOptions) {
    this.#options = options;
    const { open } = options.sessions;
    this.#links = [
      open.onDidChange(change => this.#update(change)),
      options.onDidShow(() => {
        this.#read();
        this.#changed.fire();
      }),
    ];
  }

  /** The sessions, in no particular order. */
  readonly sessions = (): readonly ListedSession[] => {
    const { sessions } = this.#options;
    const { open, unopened } = sessions;
    const listed = open.sessions.map(session => this.#listed(session));
    const earlier = unopened.map(({ id, agent, title = "" }): ListedSession => ({
      id,
      title,
      agentName: sessions.agentName(agent),
      status: "idle",
      isUnread: false,
      isDone: false,
    }));
    return [...listed, ...earlier];
  };

  dispose(): void {
    for (const link of this.#links) link.dispose();
    this.#changed.dispose();
  }

  #listed(session: Session): ListedSession {
    const { state } = session;
    return {
      id: session.id,
      title: sessionTitle(state),
      agentName: state.agent?.name ?? "",
      updated: lastEntryTime(state) ?? this.#openedAt(session),
      status: attentionOf(state),
      isUnread: this.#unread.has(session),
      isDone: false,
    };
  }

  #openedAt(session: Session): number {
    const at = this.#opened.get(session) ?? this.#options.clock.now();
    this.#opened.set(session, at);
    return at;
  }

  #update(change: OpenSessionsChange): void {
    if (change.type === "changed") {
      if (change.isContent) return;
      const { session, before } = change;
      const now = attentionOf(session.state);
      if (now !== attentionOf(before) && now !== "working") this.#unread.add(session);
    } else if (change.type === "closed") {
      this.#unread.delete(change.session);
      this.#opened.delete(change.session);
    }
    this.#read();
    this.#changed.fire();
  }

  /** What the user sees is no longer unread. */
  #read(): void {
    for (const session of this.#unread) if (this.#options.isVisible(session)) this.#unread.delete(session);
  }
}

/** When the last entry of the conversation arrived or changed. */
function lastEntryTime({ entries }: SessionState): number | undefined {
  const last = entries.at(-1);
  if (!last) return undefined;
  if (last.kind === "message") return last.until;
  return last.kind === "tool" ? (last.ended ?? last.at) : last.at;
}
