// Continues a conversation from one of its messages. Agents cannot rewind, so a branch is a new session with a copy of the
// log up to there. An agent that offers a rewind would replace this by another `ContinueFrom`.
import { asError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { Clock, Log } from "../base/log.ts";
import { branchEvents } from "../session/log/branchEvents.ts";
import { readEvents } from "../session/log/openLog.ts";
import { SessionWriter, sessionFileName, type LogStorage } from "../session/log/sessionStore.ts";
import type { Session } from "../session/session.ts";
import type { SessionRegistry } from "./sessionRegistry.ts";

/**
 * Continues the conversation before an entry, or at its end without one, and shows that in the surface. Rejects with a
 * sentence. The session that it is copied from stays as it is.
 */
export type ContinueFrom = (origin: Session, before: string | undefined, surface: string) => Promise<Session>;

export interface CopyConversationOptions {
  readonly registry: Pick<SessionRegistry, "flushLog" | "openStored">;
  readonly servers: { copyChoices(from: string, to: string): Promise<void> };
  readonly checkpoints: { copy(from: string, to: string): Promise<void> };
  readonly storage: LogStorage;
  readonly newId: () => string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Continues conversations in new sessions, with copies of their logs. */
export function copyConversation({
  registry,
  servers,
  checkpoints,
  storage,
  newId,
  clock,
  log,
}: CopyConversationOptions): ContinueFrom {
  return async (origin, before, surface) => {
    const { agent, workspaceFolder: cwd } = origin.state;
    await registry.flushLog(origin.id);
    const read = await readEvents(storage, sessionFileName(origin.id));
    const id = newId();
    const options = { session: id, origin: origin.id, state: origin.state, at: clock.now(), log };
    const events = read && (await branchEvents(read.events, { ...options, ...(before !== undefined && { before }) }));
    if (!agent || !events)
      throw new Error(
        t("The log of this conversation does not have the message, so it cannot be continued from there."),
      );
    await servers.copyChoices(origin.id, id);
    const failures: string[] = [];
    const writer = new SessionWriter({
      storage,
      session: id,
      isNew: true,
      clock,
      log,
      onFailed: reason => failures.push(reason),
    });
    for (const event of events) writer.write(event);
    await writer.flush();
    writer.dispose();
    const [failure] = failures;
    if (failure !== undefined) {
      await storage
        .remove(sessionFileName(id))
        .catch((error: unknown) => log.warn("A log could not be removed.", asError(error).message));
      throw new Error(t("The copy of the conversation cannot be saved: {0}", failure));
    }
    await checkpoints.copy(origin.id, id).catch((error: unknown) => {
      log.error("The checkpoints of a conversation could not be copied to its branch.", asError(error).message);
    });
    return registry.openStored({ id, agent: agent.id, cwd }, surface);
  };
}
