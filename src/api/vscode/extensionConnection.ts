// Parley, as one extension uses it: agents and sessions, until the access ends.
import * as vscode from "vscode";
import { untilAborted } from "../../base/async.ts";
import { visibleName } from "../../base/inertText.ts";
import { t } from "../../base/l10n.ts";
import { commaSeparated } from "../../base/sentences.ts";
import { isWorkspaceFolder } from "../../editor/folders.ts";
import type { Session } from "../../session/session.ts";
import { whenStarted } from "../../worktrees/candidates/candidateStart.ts";
import { optionOfMode } from "../sessionModes.ts";
import type { ApiHost } from "./apiModule.ts";
import { checkToken } from "./cancellation.ts";
import type { CallingExtension, ExtensionConsents } from "./extensionConsents.ts";
import { ExtensionSession } from "./extensionSession.ts";
import type { ParleyAgent, ParleyApi, ParleySession } from "./parleyApi.ts";

/** The open sessions of one extension, with those that are being opened. */
const maxSessions = 10;
const maxShown = 100;

export interface ExtensionConnectionOptions {
  readonly host: ApiHost;
  readonly caller: CallingExtension;
  readonly consents: Pick<ExtensionConsents, "isAllowed">;
  /** Called once, when the object is of no more use. */
  readonly onEnded: () => void;
}

export class ExtensionConnection {
  /** What the extension gets. */
  readonly api: ParleyApi;
  readonly #options: ExtensionConnectionOptions;
  readonly #sessions = new Set<ExtensionSession>();
  readonly #opening = new Set<AbortController>();
  readonly #didEnd = new vscode.EventEmitter<string>();
  /** Why the access has ended, as a sentence. */
  #end: string | undefined;

  constructor(options: ExtensionConnectionOptions) {
    this.#options = options;
    const agents = (): readonly ParleyAgent[] => this.#agents();
    this.api = Object.freeze({
      get agents() {
        return agents();
      },
      openSession: (wanted?: unknown, token?: vscode.CancellationToken) => this.#openSession(wanted, token),
      onDidEnd: this.#didEnd.event,
      dispose: () => this.end(t("The connection to Parley was disposed.")),
    });
  }

  /** The number of open sessions. */
  get sessionCount(): number {
    return this.#sessions.size;
  }

  /** Ends all sessions, rejects all promises with the reason, and ends the events. */
  end(reason: string): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    for (const opening of this.#opening) opening.abort(new Error(reason));
    for (const session of [...this.#sessions]) session.end(reason);
    queueMicrotask(() => {
      this.#didEnd.fire(reason);
      this.#didEnd.dispose();
    });
    this.#options.onEnded();
  }

  #check(): void {
    const { caller, consents } = this.#options;
    // The user can have withdrawn it in another window.
    if (this.#end === undefined && !consents.isAllowed(caller.id)) this.end(withdrawnReason());
    if (this.#end !== undefined) throw new Error(this.#end);
  }

  #agents(): readonly ParleyAgent[] {
    this.#check();
    const { agents } = this.#options.host;
    const usual = agents.of(undefined)?.id;
    return [...agents.definitions()]
      .sort((a, b) => Number(b.id === usual) - Number(a.id === usual))
      .map(({ id, name }) => Object.freeze({ id, name }));
  }

  async #openSession(wanted: unknown, token: vscode.CancellationToken | undefined): Promise<ParleySession> {
    this.#check();
    checkToken(token);
    const { host, caller } = this.#options;
    if (this.#sessions.size + this.#opening.size >= maxSessions)
      throw new Error(t("The extension has {0} open sessions already. Dispose one of them first.", maxSessions));
    const { folder, agent, mode } = sessionStart(wanted, host);
    const session = host.registry.startUnshown(agent, folder);
    if (!session) throw new Error(t("No session could be started."));
    const opening = new AbortController();
    this.#opening.add(opening);
    const cancel = (): void => opening.abort(new Error(t("Opening the session was cancelled.")));
    let link: vscode.Disposable | undefined;
    try {
      link = token?.onCancellationRequested(cancel);
      if (token?.isCancellationRequested) cancel();
      await whenReady(host.registry, session, opening.signal);
      if (mode !== undefined) {
        const { options, agent: connected } = session.state;
        const chosen = session.setOption(optionOfMode(options, mode, connected?.name ?? ""), mode);
        await untilAborted(chosen, [opening.signal], () => opening.signal.throwIfAborted());
      }
      this.#check();
    } catch (error) {
      if (host.registry.open.surfacesOf(session).length === 0) host.registry.close(session);
      throw error;
    } finally {
      this.#opening.delete(opening);
      link?.dispose();
    }
    const opened: ExtensionSession = new ExtensionSession({
      ...{ session, caller, host },
      check: () => this.#check(),
      onEnded: () => this.#sessions.delete(opened),
    });
    this.#sessions.add(opened);
    return opened.api;
  }
}

/** Why the access of an extension has ended, if the user has withdrawn it. */
export const withdrawnReason = (): string => t("The user does not allow this extension to use Parley any more.");

/** Where a session starts, and how. Throws with a sentence if that is not possible. */
function sessionStart(
  wanted: unknown,
  { registry, agents, folders }: Pick<ApiHost, "registry" | "agents" | "folders">,
): { readonly folder: string; readonly agent: string; readonly mode: string | undefined } {
  const given = (wanted ?? {}) as { readonly folder?: unknown; readonly agent?: unknown; readonly mode?: unknown };
  const { folder, agent, mode } = given;
  const isText = (value: unknown): value is string | undefined => value === undefined || typeof value === "string";
  if ((folder !== undefined && !(folder instanceof vscode.Uri)) || !isText(agent) || !isText(mode))
    throw new Error(t("Pass the folder as a Uri, and the agent and the mode as ids."));
  const { obstacle } = registry;
  if (obstacle) throw new Error(obstacle.message);
  return { folder: folderToUse(folder, folders), agent: agentToUse(agent, agents), mode };
}

/** The path of the folder, or of the usual one. Throws with a sentence if the window does not have it. */
function folderToUse(folder: vscode.Uri | undefined, folders: ApiHost["folders"]): string {
  if (folder && (folder.scheme !== "file" || !isWorkspaceFolder(folder.fsPath)))
    throw new Error(t("“{0}” is no folder of this window.", visibleName(folder.fsPath, maxShown)));
  const path = folder?.fsPath ?? folders.usual();
  if (path === undefined) throw new Error(t("Open a folder for the agent to work in."));
  return path;
}

/** The id of the agent, or of the usual one. Throws with a sentence if there is no such agent. */
function agentToUse(agent: string | undefined, agents: ApiHost["agents"]): string {
  const ids = agents.definitions().map(({ id }) => id);
  const found = agent === undefined ? agents.of(undefined)?.id : ids.find(id => id === agent);
  if (found === undefined)
    throw new Error(
      t("There is no agent “{0}”. The agents are: {1}.", visibleName(agent ?? "", maxShown), commaSeparated(ids)),
    );
  return found;
}

/** Resolves when the session can work. Rejects with a sentence. */
async function whenReady({ open }: ApiHost["registry"], session: Session, signal: AbortSignal): Promise<void> {
  const [failed] = await whenStarted(open, [session.id], () => {}, signal);
  if (failed) throw new Error(failed.reason);
  const { signIn, lost } = session.state;
  const problem = signIn ?? lost;
  if (problem) throw new Error(t("{0} Start a session in Parley’s chat to sign in.", problem.message));
}
