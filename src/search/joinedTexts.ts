// The joined texts of the sessions: written when a turn ends, and made again when they are missing or older than the log.
import { Sequencer } from "../base/async.ts";
import { asError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { Disposable } from "../base/lifecycle.ts";
import type { Log } from "../base/log.ts";
import type { OpenSession, OpenSessions } from "../library/openSessions.ts";
import { joinedTextFileName, sessionOfJoinedText } from "../session/log/joinedTextFile.ts";
import { countDamagedLines } from "../session/log/damagedLines.ts";
import { openLog } from "../session/log/openLog.ts";
import { sessionFileName, sessionOfLogFile, type LogStorage } from "../session/log/sessionStore.ts";
import type { SessionState } from "../session/state.ts";
import { joinedHead, serializeJoinedText } from "./joinedText.ts";
import { makeJoinedText } from "./makeJoinedText.ts";

export interface JoinedTextsOptions<S extends OpenSession> {
  readonly storage: LogStorage;
  readonly open: OpenSessions<S>;
  /** Resolves when the log of an open session is stored. */
  readonly flushLog: (session: string) => Promise<void>;
  /** The version of Parley. */
  readonly version: string;
  readonly log: Log;
}

export class JoinedTexts<S extends OpenSession> implements Disposable {
  readonly #options: JoinedTextsOptions<S>;
  readonly #link: Disposable;
  /** The states of open sessions whose joined texts are stored. */
  readonly #stored = new WeakMap<S, SessionState>();
  readonly #writes = new Sequencer();
  #isDisposed = false;

  constructor(options: JoinedTextsOptions<S>) {
    this.#options = options;
    this.#link = options.open.onDidChange(change => {
      if (change.type !== "changed") return;
      const { session, before } = change;
      if (before.activity.state !== "idle" && session.state.activity.state === "idle") this.#writeAfterTurn(session);
    });
  }

  #writeAfterTurn({ id }: S): void {
    const { log } = this.#options;
    this.make(id).catch((error: unknown) => {
      log.warn("The text of a session for the search could not be stored.", asError(error).message);
    });
  }

  /** Whether the joined text has everything that happened in this window. The log says so for other sessions. */
  isBehind(session: string): boolean {
    const open = this.#options.open.get(session);
    return open !== undefined && this.#stored.get(open) !== open.state;
  }

  /** Makes the joined text of a session. Rejects with a sentence if the session cannot be read, or its text not stored. */
  make(session: string): Promise<void> {
    return this.#writes.queue(() => this.#make(session));
  }

  async #make(session: string): Promise<void> {
    const { open, flushLog, storage } = this.#options;
    if (this.#isDisposed) return;
    const own = open.get(session);
    if (own && this.#stored.get(own) === own.state) return;
    await flushLog(session);
    // The state has everything that is in the log up to this length, and perhaps more.
    const bytes = own && (await storage.size(sessionFileName(session)));
    const state = own?.state;
    const read = state ? { state, bytes: bytes ?? 0 } : await this.#read(session);
    const joined = await makeJoinedText(read.state, pause, error => this.#failed(error));
    const damaged = await this.#damagedLines(session, read.bytes);
    await storage.write(
      joinedTextFileName(session),
      serializeJoinedText({ bytes: read.bytes, ...joined, ...(damaged > 0 && { damaged }) }),
    );
    if (own) this.#stored.set(own, read.state);
  }

  /** What the text before this one counted is not read again, because logs only grow. */
  async #damagedLines(session: string, bytes: number): Promise<number> {
    const { storage } = this.#options;
    const start = await storage.readSlice(joinedTextFileName(session), 0, maxHeadLength);
    const head = joinedHead(start?.toString("utf8").split("\n", 1)[0] ?? "");
    const [from, before] = head && head.bytes <= bytes ? [head.bytes, head.damaged ?? 0] : [0, 0];
    return before + (await countDamagedLines(storage, session, from, bytes));
  }

  async #read(session: string): Promise<{ readonly state: SessionState; readonly bytes: number }> {
    const { storage, version, log } = this.#options;
    const opened = await openLog({ storage, session, version, log });
    if (!opened) throw new Error(t("Its log contains nothing that Parley can read."));
    return opened;
  }

  #failed(error: unknown): void {
    this.#options.log.error("A part of a session could not be read for the search.", asError(error).stack);
  }

  /** Removes all joined texts, so that the next search makes them again. */
  removeAll(): Promise<void> {
    return this.#remove(() => true);
  }

  /** Removes the joined texts of sessions that no longer have a log. */
  removeOrphans(): Promise<void> {
    return this.#remove((id, logs) => !logs.has(id) && this.#options.open.get(id) === undefined);
  }

  #remove(isRemoved: (session: string, logs: ReadonlySet<string>) => boolean): Promise<void> {
    const { storage, open } = this.#options;
    return this.#writes.queue(async () => {
      const names = (await storage.list()).map(({ name }) => name);
      const logs = new Set(names.map(sessionOfLogFile).filter(id => id !== undefined));
      for (const name of names) {
        const id = sessionOfJoinedText(name);
        if (id === undefined || !isRemoved(id, logs)) continue;
        await storage.remove(name);
        const own = open.get(id);
        if (own) this.#stored.delete(own);
      }
    });
  }

  /** Resolves when nothing is being written. */
  whenIdle(): Promise<void> {
    return this.#writes.whenIdle();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#link.dispose();
  }
}

/** The first line of a joined text is shorter (bytes). */
const maxHeadLength = 200;

const pause = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
