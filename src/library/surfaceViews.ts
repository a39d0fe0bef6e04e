// The views that the surfaces of the window show: each is projected from the session that the surface shows.
import { asError } from "../base/errors.ts";
import { DisposableStore, Emitter, type Disposable } from "../base/lifecycle.ts";
import type { Log } from "../base/log.ts";
import { DiffStore } from "../panel/diff/diffStore.ts";
import type { Head } from "../panel/headParts.ts";
import type { SharedView } from "../panel/patch.ts";
import { Projector } from "../panel/projection/projector.ts";
import type { RecentEntries } from "../panel/projection/recentEntries.ts";
import type { Session } from "../session/session.ts";
import { emptySession, sessionTitle } from "../session/state.ts";
import type { OpenSessions } from "./openSessions.ts";

export interface SurfaceViewsOptions {
  readonly open: OpenSessions;
  readonly head: Head;
  /** Whether a path that an agent names is outside the folders of a session. */
  readonly isOutside: (path: string, workspaceFolder: string) => boolean;
  readonly log: Log;
}

export class SurfaceViews implements Disposable {
  readonly #open: OpenSessions;
  readonly #head: Head;
  readonly #newProjector: () => Projector;
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new Emitter<void>());
  /** Fires when something that every surface shows has changed. */
  readonly onDidChange = this.#changed.event;
  /** One per session, because its cache keeps the identities of views. */
  readonly #projectors = new WeakMap<Session, Projector>();
  readonly #blank: Projector;

  constructor({ open, head, isOutside, log }: SurfaceViewsOptions) {
    this.#open = open;
    this.#head = head;
    const diffs = this.#store.add(
      new DiffStore({
        defer: run => void setImmediate(run),
        onDidCompute: () => this.#changed.fire(),
        onError: error => log.error("A diff could not be computed.", asError(error).stack),
      }),
    );
    const onError = (error: unknown): void =>
      log.error("A part of the conversation could not be shown.", asError(error).stack);
    this.#newProjector = () => new Projector(diffs, isOutside, onError);
    this.#blank = this.#newProjector();
    this.#store.add(head.onDidChange(() => this.#changed.fire()));
    this.#store.add(
      open.onDidChange(change => {
        if (change.type === "changed" && open.surfacesOf(change.session).length > 0)
          this.#projector(change.session).prepare(change.session.state);
      }),
    );
  }

  /** The view that the surface shows now. */
  readonly view = (surface: string): SharedView => {
    const session = this.#open.selected(surface);
    const projector = session ? this.#projector(session) : this.#blank;
    return projector.projectShared(session?.state ?? emptySession, this.#head.read(session));
  };

  /** The newest entries of that view, if it is long. */
  readonly recentEntries = (surface: string): RecentEntries | undefined => {
    const session = this.#open.selected(surface);
    return session && this.#projector(session).recentEntries(session.state, this.#head.read(session));
  };

  /** The title of the session that the surface shows. Empty if it has none yet. */
  readonly title = (surface: string): string => sessionTitle(this.#open.selected(surface)?.state ?? emptySession);

  #projector(session: Session): Projector {
    const projector = this.#projectors.get(session) ?? this.#newProjector();
    this.#projectors.set(session, projector);
    return projector;
  }

  dispose(): void {
    this.#store.dispose();
  }
}
