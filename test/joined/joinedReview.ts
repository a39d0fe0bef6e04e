// The review of a window without VS Code: the writes of agents through Parley wait for review. The editor side, which
// also finds changes on disk, is not part of it.
import { changesView } from "../../src/panel/projection/changesView.ts";
import type { ViewChanges } from "../../src/panel/protocol.ts";
import { WindowReview } from "../../src/review/windowReview.ts";
import type { SessionParticipant } from "../../src/session/participant.ts";
import type { Session } from "../../src/session/session.ts";
import { emptySession, promptTitle, sessionTitle } from "../../src/session/state.ts";
import type { NodeDocuments } from "../support/fakes/nodeDocuments.ts";

/** The review, and its part in a session. Files are not put back. */
export class JoinedReview {
  readonly #review = new WindowReview({
    port: {
      apply: () => Promise.reject(new Error("Files are not put back here.")),
      move: () => Promise.reject(new Error("Files are not moved here.")),
    },
    schedule: run => void setImmediate(run),
  });
  readonly #documents: NodeDocuments;

  constructor(documents: NodeDocuments) {
    this.#documents = documents;
  }

  get onDidChange(): WindowReview["onDidChange"] {
    return this.#review.onDidChange;
  }

  dispose(): void {
    this.#review.dispose();
  }

  /** The changes that a panel shows beside the session. */
  view(folder: string, shown: Session | undefined, titleOf: (session: string) => string): ViewChanges | null {
    const { files, turns } = this.#review;
    return changesView(files, folder, undefined, { shown: shown?.id, turns, titleOf });
  }

  /** The review's part in a session, as `ReviewStore.startSession` has it in a window. */
  startSession(id: string): SessionParticipant {
    let state = emptySession;
    let running: string | undefined;
    const textOf = (path: string): Promise<string | null> => this.#documents.read(path).catch(() => null);
    return {
      stateChanged: (_, after) => void (state = after),
      beforeTurn: turn => {
        running = turn;
        const title = promptTitle(state, turn);
        this.#review.turnBegan(turn, title, { id, title: sessionTitle(state) || title });
        return Promise.resolve();
      },
      aroundWrite: async (path, text, next) => {
        const before = await textOf(path);
        const written = await next();
        if (running !== undefined) await this.#review.agentChanged(path, before, text, running);
        return written;
      },
      dispose: () => {},
    };
  }
}
