// Continues a conversation in a new session, with the digest and the conversation as attachments of its draft, which the
// user can remove. The two sessions are linked.
import type { AgentDefinition } from "../agents/registry.ts";
import { asError } from "../base/errors.ts";
import { visibleName } from "../base/inertText.ts";
import { t } from "../base/l10n.ts";
import type { ChatSurface } from "../panel/chatSurface.ts";
import type { Attachment } from "../panel/protocol.ts";
import { continuedConversation, isContinuedWhole } from "../session/conversation/continuedConversation.ts";
import { conversationPages, type PageStore } from "../session/conversation/conversationPages.ts";
import { conversationDigest } from "../session/conversation/conversationDigest.ts";
import type { SessionLink } from "../session/events.ts";
import { openLog, type OpenLogOptions } from "../session/log/openLog.ts";
import { hasConversation, sessionTitle, type SessionState } from "../session/state.ts";
import type { SessionRegistry } from "./sessionRegistry.ts";
import type { StoredSessions } from "./storedSessions.ts";
import { takenOverFrom } from "./takenOver.ts";

export interface ContinueConversationOptions extends Omit<OpenLogOptions, "session"> {
  readonly registry: SessionRegistry;
  readonly stored: StoredSessions;
  readonly chat: Pick<ChatSurface, "focus" | "reveal">;
  /** The paths of the files whose changes in the session wait for review. */
  readonly undecided: (session: string) => readonly string[];
  readonly newId: () => string;
  /** Keeps the pages of a conversation that is too long for a prompt. */
  readonly pages: { of(session: string): PageStore };
}

/** Asks the user for the agent that continues a conversation. Undefined if the user cancels. */
export type PickAgent = (state: SessionState) => Promise<AgentDefinition | undefined>;

/** A longer title is cut in the link (characters). */
const maxTitle = 60;

/**
 * Asks for an agent, and shows a new session with what the agent gets of the session with this id. Rejects with a
 * sentence if there is no conversation or no session can start.
 */
export async function continueConversation(
  options: ContinueConversationOptions,
  id: string,
  pickAgent: PickAgent,
): Promise<void> {
  const { registry, chat, undecided, newId } = options;
  await registry.flushLog(id);
  const state = registry.open.get(id)?.state ?? (await openLog({ ...options, session: id }))?.state;
  if (!state || !hasConversation(state)) throw new Error(t("This session has no conversation that can be continued."));
  const chosen = await pickAgent(state);
  if (!chosen) return;
  const surface = registry.open.activeSurface;
  const session = registry.start(chosen.id, surface, state.workspaceFolder, takenOverFrom(id, state, chosen.id));
  if (!session) throw new Error(t("No session could be started."));
  const pages = writePages(options, state, session.id);
  const title = visibleName(sessionTitle(state).trim() || t("New Conversation"), maxTitle);
  const agentName = visibleName(state.agent?.name ?? "", maxTitle);
  session.addNotice(t("Continues “{0}” ({1}).", title, agentName), {
    ...{ session: id, relation: "continues", title, agentName },
  });
  await linkBack(options, id, { session: session.id, relation: "continuedBy", title, agentName: chosen.name });
  // The focus brings the panel up to date, so that the attachments belong to the draft of the new session.
  await chat.focus("composer", [surface]);
  const attachments = attachmentsOf(state, { title, agentName, undecided: undecided(id), pages: await pages, newId });
  await chat.reveal({ type: "attached", attachments }, [surface]);
}

/** Adds a line with a link to the session that is continued. It is opened for a moment if it is closed. */
async function linkBack(
  { registry, stored }: ContinueConversationOptions,
  id: string,
  link: SessionLink,
): Promise<void> {
  const notice = t("Continued in a new session with {0}.", link.agentName);
  const entry = stored.get(id);
  const session = registry.open.get(id);
  if (session) session.addNotice(notice, link);
  else if (entry)
    await registry.useClosed({ id, agent: entry.agent, cwd: entry.folder }, closed => closed.addNotice(notice, link));
}

/** The paths of the pages for the new session, if the conversation is too long for a prompt. Never rejects. */
async function writePages(
  { pages, log }: ContinueConversationOptions,
  state: SessionState,
  session: string,
): Promise<readonly string[]> {
  try {
    if (isContinuedWhole(state)) return [];
    const texts = await conversationPages(state, undefined, () => new Promise(resolve => setImmediate(resolve)));
    return await pages.of(session).write("earlier-conversation", texts);
  } catch (error) {
    log.warn("The pages of a conversation could not be written.", asError(error).message);
    return [];
  }
}

function attachmentsOf(
  state: SessionState,
  {
    title,
    agentName,
    undecided,
    pages,
    newId,
  }: {
    readonly title: string;
    readonly agentName: string;
    readonly undecided: readonly string[];
    readonly pages: readonly string[];
    readonly newId: () => string;
  },
): readonly Attachment[] {
  const chip = (label: string, uri: string, text: string): Attachment => ({
    ...{ id: newId(), kind: "continued", label, detail: t("{0} ({1})", title, agentName) },
    bytes: Buffer.byteLength(text),
    source: { type: "text", text, uri, mimeType: "text/markdown" },
  });
  return [
    chip(t("Digest of “{0}”", title), "parley:digest", conversationDigest(state, { undecided, pages })),
    chip(t("Conversation “{0}”", title), "parley:conversation", continuedConversation(state, pages)),
  ];
}
