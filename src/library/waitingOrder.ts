// The order in which the open sessions began to wait for the user.
import type { Disposable } from "../base/lifecycle.ts";
import type { Session } from "../session/session.ts";
import { attentionOf } from "./attention.ts";
import type { OpenSession, OpenSessions } from "./openSessions.ts";

export class WaitingOrder<S extends OpenSession = Session> implements Disposable {
  /** A session keeps its place until none of its questions is open. */
  readonly #waiting = new Set<S>();
  readonly #link: Disposable;

  constructor(open: OpenSessions<S>) {
    for (const session of open.sessions) this.#note(session);
    this.#link = open.onDidChange(change => {
      if (change.type === "closed") this.#waiting.delete(change.session);
      else if (change.type === "opened" || (change.type === "changed" && !change.isContent)) this.#note(change.session);
    });
  }

  /** The session that has waited for the user the longest. Undefined if none waits. */
  get longest(): S | undefined {
    return this.#waiting.values().next().value;
  }

  #note(session: S): void {
    if (attentionOf(session.state) === "waiting") this.#waiting.add(session);
    else this.#waiting.delete(session);
  }

  dispose(): void {
    this.#link.dispose();
    this.#waiting.clear();
  }
}
