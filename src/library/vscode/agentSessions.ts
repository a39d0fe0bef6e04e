// Commands for the sessions that agents keep: import one with its conversation, and copy one.
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { AgentDefinition } from "../../agents/registry.ts";
import type { WindowAgents } from "../../agents/vscode/windowAgents.ts";
import { asProblem, ProblemError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import type { Clock, Log } from "../../base/log.ts";
import { visibleName } from "../../base/inertText.ts";
import { sessionFolder } from "../../editor/folders.ts";
import type { McpFeature } from "../../mcp/vscode/createMcp.ts";
import type { Agent, AgentMcpServer, AgentSessionInfo, AgentSessionStore } from "../../session/agent.ts";
import type { SessionEvent } from "../../session/events.ts";
import { openLog } from "../../session/log/openLog.ts";
import type { LogStorage } from "../../session/log/sessionStore.ts";
import { copyLog, writeNewLog } from "../../session/log/writeLog.ts";
import type { SessionEntry } from "../sessionEntry.ts";
import type { StoredSessions } from "../storedSessions.ts";
import { showSession, type ShowSessionOptions } from "./showSession.ts";
import { ageText } from "./sessionTexts.ts";
import {
  createQuickPick,
  setItems,
  showErrorMessage,
  showInformationMessage,
  withProgress,
} from "../../editor/editorUi.ts";
import { onlyOrPickedAgent } from "./pickAgent.ts";

export interface AgentSessionsOptions extends ShowSessionOptions {
  readonly agents: Pick<WindowAgents, "definitions" | "connect" | "sessionStoreOf">;
  readonly mcp: Pick<McpFeature, "serversFor" | "notOpened">;
  readonly storage: LogStorage;
  /** The version of Parley. */
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** An agent that repeats its cursors must not keep Parley asking (pages). */
const maxPages = 50;
/** The newest sessions of an agent are listed. */
const maxListed = 2000;
/** A longer title is cut (characters). */
const maxTitle = 200;
/** No session with a longer id is listed, because the id is stored (characters). */
const maxSessionId = 1000;

interface SessionPick extends vscode.QuickPickItem {
  readonly info?: AgentSessionInfo;
}

/** Asks for a session of an agent, and imports it with its conversation. One that Parley has already is shown. */
export async function importSession(options: AgentSessionsOptions): Promise<void> {
  const folder = sessionFolder();
  const definition = await onlyOrPickedAgent(options.agents.definitions(), {
    title: vscode.l10n.t("Import from Agent"),
    placeHolder: vscode.l10n.t("Select the agent that has the session"),
  });
  if (!definition || folder === undefined) return;
  await offeringHelp(options, definition.id, () => importFrom(options, definition, folder));
}

async function importFrom(options: AgentSessionsOptions, definition: AgentDefinition, folder: string): Promise<void> {
  const { stored } = options;
  const agent = await connectTo(options, definition);
  const { list, load } = agent.sessionStore ?? {};
  if (!list || !load) {
    const message = list
      ? vscode.l10n.t("{0} can list its sessions, but it cannot load their conversations.", definition.name)
      : vscode.l10n.t("{0} cannot list its sessions.", definition.name);
    void showInformationMessage(message);
    return;
  }
  const info = await pickSession(options, definition, list, folder);
  if (!info) return;
  const known = knownSession(stored, definition.id, info.sessionId);
  if (known !== undefined) return showSession(options, known);
  const { sessionId, title, updated, cwd = folder } = info;
  const id = randomUUID();
  const { mcpServers, notices } = await serversFor(options, definition, agent, { id, cwd });
  const importing = {
    location: vscode.ProgressLocation.Notification,
    title: vscode.l10n.t("Importing from {0}…", definition.name),
  };
  const replayed = await openAtAgent(options, id, () =>
    withProgress(importing, () => load({ sessionId, cwd, connection: 1, mcpServers })),
  );
  const events: readonly SessionEvent[] = [
    { type: "opened", agent: definition.id, agentName: definition.name, cwd, choices: true },
    ...[...replayed, ...(title === undefined ? [] : [{ type: "info", title } as const])].map(withBoundedTitle),
    { type: "connection", state: "closed" },
    { type: "notice", severity: "info", title: t("Imported from {0}.", definition.name) },
    ...notices,
  ];
  await writeNewLog({ ...options, session: id }, events, updated ?? options.clock.now());
  await stored.load();
  await showSession(options, id);
}

/** The title is stored with the list of sessions, and shown wherever sessions are. */
function withBoundedTitle(event: SessionEvent): SessionEvent {
  if (event.type !== "info" || typeof event.title !== "string") return event;
  return { ...event, title: visibleName(event.title, maxTitle) || null };
}

/** The MCP servers that the agent gets as for a new session, and notices about those that it does not get. */
async function serversFor(
  { mcp }: AgentSessionsOptions,
  { id: agentId, name }: AgentDefinition,
  { info }: Agent,
  session: { readonly id: string; readonly cwd: string },
): Promise<{ readonly mcpServers: readonly AgentMcpServer[]; readonly notices: readonly SessionEvent[] }> {
  const notices: SessionEvent[] = [];
  const state = { agent: { id: agentId, name }, workspaceFolder: session.cwd };
  const addNotice = (title: string): void => void notices.push({ type: "notice", severity: "info", title });
  const mcpServers = await mcp.serversFor({ id: session.id, state, addNotice }, name, info);
  return { mcpServers, notices };
}

/** Opens a session at the agent. If it fails, the servers that the agent was given for the session end. */
async function openAtAgent<T>(
  { mcp }: Pick<AgentSessionsOptions, "mcp">,
  session: string,
  open: () => PromiseLike<T>,
): Promise<T> {
  try {
    return await open();
  } catch (error) {
    mcp.notOpened(session);
    throw error;
  }
}

/** The session of Parley that continues in this session of the agent. */
const knownSession = ({ entries }: StoredSessions, agent: string, sessionId: string): string | undefined =>
  entries.find(entry => entry.agent === agent && entry.agentSession === sessionId)?.id;

/** Copies the session with this id, at the agent too. */
export async function forkSession(options: AgentSessionsOptions, id: string): Promise<void> {
  const entry = options.stored.get(id);
  const definition = options.agents.definitions().find(agent => agent.id === entry?.agent);
  if (entry && definition) await offeringHelp(options, definition.id, () => copySession(options, definition, entry));
}

async function copySession(
  options: AgentSessionsOptions,
  definition: AgentDefinition,
  entry: SessionEntry,
): Promise<void> {
  const { stored, storage, version, log } = options;
  const { id } = entry;
  const agent = await connectTo(options, definition);
  const { fork } = agent.sessionStore ?? {};
  await options.registry.flushLog(id);
  const opened = await openLog({ storage, session: id, version, log });
  if (!fork || !opened || entry.agentSession === undefined)
    throw new Error(vscode.l10n.t("{0} cannot copy this session.", definition.name));
  const connection = opened.state.connections + 1;
  const copy = randomUUID();
  const { mcpServers, notices } = await serversFor(options, definition, agent, { id: copy, cwd: entry.folder });
  const { agentSession, folder: cwd } = entry;
  const sessionId = await openAtAgent(options, copy, () =>
    fork({ sessionId: agentSession, cwd, connection, mcpServers }),
  );
  const events: readonly SessionEvent[] = [
    { type: "agentSession", sessionId, continued: true },
    { type: "connection", state: "closed" },
    { type: "titled", title: vscode.l10n.t("{0} (copy)", visibleName(entry.title, maxTitle)) },
    ...notices,
  ];
  await copyLog({ ...options, session: copy }, { session: id, nextSeq: opened.nextSeq }, events);
  await stored.load();
  await showSession(options, copy);
}

/**
 * Runs with the agent that has this id. If the agent needs a sign-in or does not start, offers what to do about it. Rejects
 * with other errors.
 */
export async function offeringHelp(
  { registry, chat, log }: Pick<AgentSessionsOptions, "registry" | "chat" | "log">,
  id: string,
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run();
  } catch (error) {
    const problem = asProblem(error);
    const offer = async (button: string, help: () => PromiseLike<unknown>): Promise<void> => {
      log.error(problem.message, problem.detail);
      if ((await showErrorMessage(problem.message, button)) === button) await help();
    };
    if (problem.signIn) {
      return offer(vscode.l10n.t("Sign In…"), async () => {
        // The panel of the session offers to sign in.
        if (await registry.startInChosenFolder(undefined, id))
          await chat.focus("composer", [registry.open.activeSurface]);
      });
    }
    if (!(error instanceof StartError) && !problem.next.includes("checkAgent")) throw error;
    await offer(vscode.l10n.t("Check Agent"), () => vscode.commands.executeCommand("parley.checkAgents", id));
  }
}

/** The agent did not start. */
class StartError extends ProblemError {}

async function connectTo({ agents }: AgentSessionsOptions, definition: AgentDefinition): Promise<Agent> {
  const title = vscode.l10n.t("Connecting to {0}…", definition.name);
  return withProgress({ location: vscode.ProgressLocation.Notification, title }, async () => {
    try {
      return (await agents.connect(definition, () => {})).agent;
    } catch (error) {
      throw new StartError(asProblem(error));
    }
  });
}

/** Lists the sessions of the folder while the pages arrive. */
async function pickSession(
  { clock, stored }: AgentSessionsOptions,
  { id: agent, name }: AgentDefinition,
  list: NonNullable<AgentSessionStore["list"]>,
  folder: string,
): Promise<AgentSessionInfo | undefined> {
  const pick = createQuickPick<SessionPick>({
    title: vscode.l10n.t("Import from {0}", name),
    placeHolder: vscode.l10n.t("Select a session of {0} in this folder", name),
  });
  pick.busy = true;
  let isOpen = true;
  const chosen = new Promise<AgentSessionInfo | undefined>(resolve => {
    pick.onDidAccept(() => resolve(pick.selectedItems[0]?.info));
    pick.onDidHide(() => resolve(undefined));
  });
  const read = async (): Promise<void> => {
    const found = new Map<string, AgentSessionInfo>();
    const cursors = new Set<string | undefined>();
    let cursor: string | undefined;
    for (let page = 0; isOpen && page < maxPages && !cursors.has(cursor); page++) {
      cursors.add(cursor);
      const { sessions, nextCursor } = await list(folder, cursor);
      // Agents may ignore the folder.
      for (const info of sessions)
        if ((info.cwd ?? folder) === folder && info.sessionId.length <= maxSessionId) found.set(info.sessionId, info);
      const newest = [...found.values()].sort((a, b) => (b.updated ?? 0) - (a.updated ?? 0)).slice(0, maxListed);
      const known = (info: AgentSessionInfo): string | undefined => knownSession(stored, agent, info.sessionId);
      setItems(
        pick,
        newest.map(info => sessionItem(info, clock.now(), known(info))),
      );
      if (nextCursor === undefined) break;
      cursor = nextCursor;
    }
    pick.busy = false;
    if (found.size === 0) setItems(pick, [{ label: vscode.l10n.t("{0} has no sessions in this folder.", name) }]);
  };
  pick.show();
  try {
    const failed = read().then(
      () => chosen,
      (error: unknown) => {
        throw error instanceof ProblemError ? error : new Error(vscode.l10n.t("The sessions could not be listed."));
      },
    );
    return await Promise.race([chosen, failed]);
  } finally {
    isOpen = false;
    pick.dispose();
  }
}

const sessionItem = (info: AgentSessionInfo, now: number, known: string | undefined): SessionPick => ({
  label: visibleName(info.title ?? "", maxTitle) || visibleName(info.sessionId, maxTitle),
  description: [
    ...(info.updated === undefined ? [] : [ageText(info.updated, now)]),
    ...(known === undefined ? [] : [vscode.l10n.t("in Parley already")]),
  ].join(" · "),
  info,
});
