// The sessions that lists show: those that are open, as they are now, and the stored ones of the workspace.
import type { AgentDefinition } from "../agents/registry.ts";
import { Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import type { Clock } from "../base/log.ts";
import type { Session } from "../session/session.ts";
import { continuedSession, sessionTitle, type SessionState } from "../session/state.ts";
import { attentionOf, type AskedSessions } from "./attention.ts";
import type { OpenSessions } from "./openSessions.ts";
import { lastActivity, type SessionEntry } from "./sessionEntry.ts";
import type { ListedSession } from "./sessionGroups.ts";
import { usageRows } from "./sessionUsage.ts";
import type { StoredSessions } from "./storedSessions.ts";

/** The agents of listed sessions. */
export interface ListedAgents {
  definitions(): readonly AgentDefinition[];
  /** Whether the agent with this id can copy its sessions now. */
  canFork(id: string): boolean;
}

/** The worktrees that listed sessions work in. */
export interface ListedWorktrees {
  /** The worktree that a folder is in. */
  readonly of: (folder: string) => ListedSession["worktree"];
  /** Fires when one has changed. */
  readonly onDidChange: Event<void>;
}

export interface SessionListOptions {
  readonly open: OpenSessions;
  readonly stored: Pick<StoredSessions, "entries" | "get" | "onDidChange">;
  readonly agents: ListedAgents;
  readonly asked: AskedSessions;
  /** The lines that wait for review, by the ids of sessions. */
  readonly changes: () => ReadonlyMap<string, NonNullable<ListedSession["changes"]>>;
  /** Absent: none is shown. */
  readonly worktrees?: ListedWorktrees;
  readonly clock: Clock;
}

/** Sessions can change hundreds of times in a second. Lists are painted again at most this often (ms). */
const changeInterval = 100;

export class SessionList implements Disposable {
  readonly #options: SessionListOptions;
  readonly #changed = new Emitter<void>();
  /** Fires when the list may look different. */
  readonly onDidChange: Event<void> = this.#changed.event;
  readonly #links: readonly Disposable[];
  /** When sessions without any entry were opened. */
  readonly #opened = new Map<Session, number>();
  #timer: Disposable | undefined;
  #hasChanged = false;

  constructor(options: SessionListOptions) {
    this.#options = options;
    this.#links = [
      options.open.onDidChange(change => {
        if (change.type === "closed") this.#opened.delete(change.session);
        if (change.type !== "changed" || !change.isContent) this.refresh();
      }),
      options.stored.onDidChange(() => this.refresh()),
      options.asked.onDidChange(() => this.refresh()),
      ...(options.worktrees ? [options.worktrees.onDidChange(() => this.refresh())] : []),
    ];
  }

  /** The sessions, in no particular order. */
  readonly sessions = (): readonly ListedSession[] => {
    const { open, stored } = this.#options;
    const icons = new Map(this.#options.agents.definitions().map(({ id, icon }) => [id, icon]));
    const shared = { icons, changes: this.#options.changes() };
    const listed = open.sessions.map(session => this.#openSession(session, shared));
    const ids = new Set(listed.map(({ id }) => id));
    const closed = stored.entries.filter(({ id }) => !ids.has(id)).map(entry => this.#storedSession(entry, shared));
    return [...listed, ...closed];
  };

  /** Announces that the list may look different. */
  refresh(): void {
    this.#hasChanged = true;
    if (this.#timer) return;
    this.#fire();
    this.#wait();
  }

  dispose(): void {
    this.#timer?.dispose();
    for (const link of this.#links) link.dispose();
    this.#changed.dispose();
  }

  #fire(): void {
    this.#hasChanged = false;
    this.#changed.fire();
  }

  #wait(): void {
    this.#timer = this.#options.clock.after(changeInterval, () => {
      this.#timer = undefined;
      if (!this.#hasChanged) return;
      this.#fire();
      this.#wait();
    });
  }

  #openSession(session: Session, shared: Shared): ListedSession {
    const { id, state } = session;
    const entry = this.#options.stored.get(id);
    const attention = attentionOf(session, this.#options.asked);
    const continues = continuedSession(state);
    return {
      id,
      title: sessionTitle(state),
      agentName: state.agent?.name ?? "",
      updated: entry?.updated ?? lastActivity(state) ?? this.#openedAt(session),
      status: attention === "idle" && entry?.status === "interrupted" ? "interrupted" : attention,
      isUnread: entry?.unread === true,
      isDone: entry?.done === true,
      ...(state.workspaceFolder !== "" && { folder: state.workspaceFolder }),
      ...(entry?.pinned && { isPinned: entry.pinned }),
      ...(state.spending.turns.length > 0 && { usage: usageRows(state.spending.turns) }),
      ...(continues && { continues: { session: continues.session, title: continues.title } }),
      ...(state.branches[0] && { branchOf: state.branches[0].from }),
      ...(isBlank(state) && { isBlank: true as const }),
      ...this.#more({ id, agent: state.agent?.id, folder: state.workspaceFolder }, shared),
    };
  }

  #storedSession(entry: SessionEntry, shared: Shared): ListedSession {
    return { ...listedEntry(entry), ...this.#more(entry, shared) };
  }

  #more(
    { id, agent, folder }: { readonly id: string; readonly agent: string | undefined; readonly folder: string },
    shared: Shared,
  ): Pick<ListedSession, "agentIcon" | "changes" | "canFork" | "worktree"> {
    const agentIcon = shared.icons.get(agent ?? "");
    const changes = shared.changes.get(id);
    const worktree = this.#options.worktrees?.of(folder);
    const canFork = agent !== undefined && this.#options.agents.canFork(agent);
    return {
      ...(canFork && { canFork: true as const }),
      ...(agentIcon !== undefined && { agentIcon }),
      ...(changes && { changes }),
      ...(worktree && { worktree }),
    };
  }

  #openedAt(session: Session): number {
    const at = this.#opened.get(session) ?? this.#options.clock.now();
    this.#opened.set(session, at);
    return at;
  }
}

/** A stored session as lists show it, without what only the agents and the review of its window know. */
export const listedEntry = ({
  id,
  title,
  agentName,
  folder,
  updated,
  status,
  unread,
  done,
  pinned,
  usage,
  continues,
  branches,
}: SessionEntry): ListedSession => ({
  ...{ id, title, agentName, updated, status, isUnread: unread === true, isDone: done === true },
  ...(folder !== "" && { folder }),
  ...(pinned && { isPinned: pinned }),
  ...(usage && usage.length > 0 && { usage }),
  ...(continues && { continues }),
  ...(branches?.[0] && { branchOf: branches[0].from }),
});

const isBlank = ({ entries, pendingPrompts, ownTitle }: SessionState): boolean =>
  entries.length === 0 && pendingPrompts.length === 0 && ownTitle === null;

/** What is read once for the whole list. */
interface Shared {
  readonly icons: ReadonlyMap<string, string | undefined>;
  readonly changes: ReturnType<SessionListOptions["changes"]>;
}
