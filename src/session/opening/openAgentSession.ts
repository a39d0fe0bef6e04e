// Opens the agent's side of a conversation: continues the agent's session if the agent has it, otherwise opens a new one.
import { t } from "../../base/l10n.ts";
import type { SessionOptions } from "../sessionServices.ts";
import type {
  Agent,
  AgentClient,
  AgentInfo,
  AgentSession,
  ContinuedBy,
  ContinueSessionRequest,
  OpenSessionRequest,
  UnnamedPrompt,
} from "../agent.ts";
import { conversationForAgent } from "../conversation/conversationForAgent.ts";
import { conversationPages } from "../conversation/conversationPages.ts";
import type { ContentBlock, SessionEvent } from "../events.ts";
import { promptContentForAgent, type PromptCapabilities } from "../promptContentForAgent.ts";
import {
  compactionKey,
  hasConversation,
  isFinal,
  isHeld,
  isPrompt,
  latestTurnStart,
  messageKey,
  toolKey,
  type Entry,
  type SessionState,
} from "../state.ts";
import { canAttachTo } from "./canAttach.ts";
import { AgentSessionIds } from "./agentSessionIds.ts";

export interface OpenedAgentSession {
  readonly session: AgentSession;
  /** Absent for a new session. */
  readonly continuedBy?: ContinuedBy;
}

type Surroundings = Pick<OpenSessionRequest, "mcpServers" | "additionalFolders">;

/** What the agent gets for the session beside its folder. */
export async function surroundingsFor(
  agent: AgentInfo,
  { mcpServers, additionalFolders }: Pick<SessionOptions, "mcpServers" | "additionalFolders">,
): Promise<Surroundings> {
  return { mcpServers: (await mcpServers?.(agent)) ?? [], additionalFolders: additionalFolders?.() ?? [] };
}

/** Continues the agent session of the conversation or opens one. Rejects with a ProblemError if the agent does neither. */
export async function openAgentSession(
  agent: Agent,
  state: SessionState,
  surroundings: Surroundings,
  client: AgentClient,
): Promise<OpenedAgentSession> {
  const request = { cwd: state.workspaceFolder, connection: state.connections + 1, ...surroundings };
  const sessionId = openSessionId(state);
  if (sessionId !== undefined && agent.continueSession) {
    const continuing = { ...request, sessionId, ...knownEvents(state), lacksEnd: wasInterrupted(state) };
    const continued = await agent.continueSession(continuing, client);
    if (continued) return { session: continued.session, continuedBy: continued.by };
  }
  return { session: await agent.open(request, client) };
}

/** Whether the agent reads the whole conversation again when its session opens. */
export function readsConversationAgain(agent: Agent, state: SessionState): boolean {
  const sessionId = openSessionId(state);
  if (sessionId === undefined || !agent.continueSession) return false;
  return agent.loadsSession?.(sessionId) ?? true;
}

/** The id of the agent session that the conversation continues in. Agents do not keep a session without a prompt. */
function openSessionId(state: SessionState): string | undefined {
  const { agentSessions, agentSession, agentForgot } = state;
  if (agentSession === null || agentForgot || !hasConversation(state)) return undefined;
  return agentSessions[agentSession] ?? undefined;
}

/**
 * Whether the latest turn or the background work ended without a report of the agent, or was stopped, or whether the agent
 * may have a prompt that it held.
 */
function wasInterrupted({ activity, entries, pendingPrompts, hasWithdrawnLate }: SessionState): boolean {
  const { stopReason } = activity;
  if (hasWithdrawnLate || stopReason === "lost" || stopReason === "cancelled") return true;
  if (pendingPrompts.some(isHeld)) return true;
  const last = entries.findLast(entry => entry.kind === "tool" && entry.background === true);
  return last?.kind === "tool" && last.closed === true;
}

/** What the conversation has of the entry of an event that the agent reports for its current agent session. */
function knownEvents(state: SessionState): Pick<ContinueSessionRequest, "isKnown" | "isCut" | "unnamed"> {
  const { entries, agentSession } = state;
  const ids = new AgentSessionIds(() => false);
  ids.use(agentSession ?? 0);
  const key = (event: SessionEvent): string | undefined => {
    switch (event.type) {
      case "message":
        return messageKey(event.author, ids.suffixId(event.shownAs ?? event.messageId));
      case "messageChunk":
        return messageKey(event.author, ids.suffixId(event.messageId));
      case "tool":
      case "toolChunk":
        return toolKey(ids.suffixId(event.toolCallId));
      case "compaction":
      case "compactionChunk":
        return compactionKey(ids.suffixId(event.compactionId));
      default:
        return undefined;
    }
  };
  const messages = [...entries].flatMap(entry => (entry.kind === "message" ? entry : []));
  const named = new Map(
    messages.flatMap(entry => (entry.namedKey === undefined ? [] : [[entry.namedKey, entry] as const])),
  );
  const entryOf = (event: SessionEvent): Entry | undefined => {
    const id = key(event);
    return id === undefined ? undefined : (entries.get(id) ?? named.get(id));
  };
  const cut = cutEntries(state);
  const unnamed = messages.flatMap(({ id, author, content, unnamed: isUnnamed }): readonly UnnamedPrompt[] => {
    const messageId = isUnnamed ? ids.agentId(id.slice(messageKey(author, "").length)) : undefined;
    return messageId === undefined ? [] : [{ messageId, content }];
  });
  return {
    isKnown: event => entryOf(event) !== undefined,
    isCut: event => cut.has(entryOf(event)?.id ?? ""),
    ...(unnamed.length > 0 && { unnamed }),
  };
}

/**
 * The entries that an interruption may have cut: those of the latest turn, calls that it closed, and prompts of other
 * clients, whose echo can be slow. What the user wrote here is complete.
 */
function cutEntries(state: SessionState): ReadonlySet<string> {
  const cut = new Set<string>();
  const start = latestTurnStart(state);
  for (let i = state.entries.length - 1; i >= 0; i--) {
    const entry = state.entries.at(i) as Entry;
    const isOwn = entry.kind === "message" && entry.submission !== undefined;
    const isOfOtherClient = isPrompt(entry) && !isOwn;
    const isClosed = entry.kind === "tool" && entry.closed === true && !isFinal(entry.fields.status);
    if ((i >= start && !isOwn) || isClosed || isOfOtherClient) cut.add(entry.id);
  }
  return cut;
}

/** How the agent continues the conversation, as a sentence. Undefined if there is no conversation yet. */
export function openingNotice(
  { continuedBy }: OpenedAgentSession,
  agentName: string,
  state: SessionState,
): string | undefined {
  if (!hasConversation(state)) return undefined;
  switch (continuedBy) {
    case "resume":
      return t("{0} resumed this conversation.", agentName);
    case "load":
      return t("{0} loaded this conversation.", agentName);
    case undefined:
      if (state.agentForgot && state.branches.length > 0 && isFirstOfBranch(state))
        return t(
          "This is a new session of {0}. Parley attaches the conversation up to here to your next prompt.",
          agentName,
        );
      return t(
        "{0} no longer has this conversation in its context. Parley attaches it to your next prompt.",
        agentName,
      );
    default:
      return continuedBy satisfies never;
  }
}

/** Whether the agent has opened no session since the branch began. */
const isFirstOfBranch = ({ agentSession, branches }: SessionState): boolean =>
  agentSession === branches.at(-1)?.agentSession;

/** The longest conversation that is attached to a prompt, in bytes. Of a longer one, the end is attached. */
const maxAttachedBytes = 100_000;

/** What a prompt gets of the conversation. */
interface AttachedConversation {
  /** Content that the agent accepts: one block for each message. Empty if the agent has the conversation. */
  readonly content: readonly ContentBlock[];
  /** Makes the pages of the whole conversation, if the content has only its end. */
  readonly makePages?: (pause: () => Promise<void>) => Promise<readonly string[]>;
}

/**
 * The conversation so far, for an agent session that does not have it. Prompts that the agent did not answer are left out.
 * `pages`: the paths of the files that have the whole conversation, if there are some.
 */
export function attachedConversation(
  state: SessionState,
  prompt: readonly ContentBlock[],
  accepts: PromptCapabilities,
  pages: readonly string[] = [],
): AttachedConversation {
  if (!state.needsConversation || !canAttachTo(prompt, accepts)) return { content: [] };
  const last = state.entries.findLast(
    entry => entry.kind === "tool" || (entry.kind === "message" && entry.author !== "user"),
  );
  if (!last) return { content: [] };
  const next = state.entries.at(state.entries.position(last.id) + 1)?.id;
  const { explanation, sections, isWhole } = conversationForAgent(state, next, maxAttachedBytes, pages);
  const block = (uri: string, text: string): ContentBlock => ({
    type: "resource",
    uri,
    mimeType: "text/markdown",
    text,
  });
  const blocks = [
    block("parley:conversation", explanation),
    ...sections.map(({ author, text }, at) => block(`parley:conversation/${at + 1}/${author}`, text)),
  ];
  const fitted = promptContentForAgent(blocks, accepts, "");
  return {
    content: "content" in fitted ? fitted.content : [],
    ...(!isWhole && { makePages: pause => conversationPages(state, next, pause) }),
  };
}
