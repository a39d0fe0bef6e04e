// Which sessions the next window on this workspace restores. The record of the window has them, because VS Code writes its
// own state later and loses it if the window is killed.
import { Sequencer } from "../base/async.ts";
import { asError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { LogStorage } from "../session/log/sessionStore.ts";
import type { WindowRecord } from "./windowRecord.ts";

/** In which earlier versions of Parley remembered the sessions, for all windows on the folder. */
export const rememberedFile = "current.json";

/** A session with a log in the storage. */
export interface RememberedSession {
  readonly id: string;
  readonly agent: string;
  readonly cwd: string;
  readonly title?: string;
}

/** The session that the chat view shows, and all open sessions. */
export interface RememberedSessions {
  readonly shown: RememberedSession | undefined;
  readonly open: readonly RememberedSession[];
}

/** What a window stores. `live`: the ids of the sessions that it has open now, as other windows need to know. */
export interface StoredRememberedSessions extends RememberedSessions {
  readonly live: readonly string[];
}

export class RememberedSessionsFile {
  readonly #storage: LogStorage;
  readonly #record: WindowRecord;
  readonly #log: Log;
  readonly #writes = new Sequencer();
  #written = "";

  constructor(options: { readonly storage: LogStorage; readonly record: WindowRecord; readonly log: Log }) {
    this.#storage = options.storage;
    this.#record = options.record;
    this.#log = options.log;
  }

  /** What the last window remembered. Rejects if the file is damaged. */
  async read(): Promise<RememberedSessions> {
    const text = (await this.#record.claim()) ?? (await this.#storage.read(rememberedFile));
    if (text === undefined) return { shown: undefined, open: [] };
    const parsed = JSON.parse(text) as { readonly open?: unknown };
    const shown = asRemembered(parsed);
    const open = Array.isArray(parsed.open) ? parsed.open.map(asRemembered).filter(each => each !== undefined) : [];
    return { shown, open };
  }

  /** The ids of the sessions that other running windows on the workspace have open. Rejects if they cannot be read. */
  async openElsewhere(): Promise<ReadonlySet<string>> {
    return new Set((await this.#record.others()).flatMap(liveSessions));
  }

  /** Stores it, unless it is stored already. The newest stands in the file at the end. */
  write({ shown, open, live }: StoredRememberedSessions): void {
    const more = { ...(open.length > 0 && { open }), ...(live.length > 0 && { live }) };
    const text = JSON.stringify({ ...shown, ...more });
    if (text === this.#written || text === "{}") return;
    this.#written = text;
    void this.#writes
      .queue(async () => {
        await this.#record.write(text);
        await this.#storage.remove(rememberedFile);
      })
      .catch((error: unknown) => this.#log.error("The session could not be remembered.", asError(error).message));
  }

  whenIdle(): Promise<void> {
    return this.#writes.whenIdle();
  }
}

/** The ids of the sessions that a window has open, in what it remembers. A record that is damaged protects no session. */
export function liveSessions(text: string): readonly string[] {
  try {
    const { live } = JSON.parse(text) as { readonly live?: unknown };
    return Array.isArray(live) ? live.filter(id => typeof id === "string") : [];
  } catch {
    return [];
  }
}

function asRemembered(value: unknown): RememberedSession | undefined {
  const { id, agent, cwd, title } = (value ?? {}) as Partial<RememberedSession>;
  const isValid = typeof id === "string" && /^[\w-]+$/.test(id) && typeof agent === "string" && typeof cwd === "string";
  return isValid ? { id, agent, cwd, ...(typeof title === "string" && { title }) } : undefined;
}
