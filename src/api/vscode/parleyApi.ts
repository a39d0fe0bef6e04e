// The API of Parley for other extensions, as types. Copy this file into your extension: it imports only types of VS Code, and
// nothing of it runs. docs/API.md explains it.
import type * as vscode from "vscode";

/** What `vscode.extensions.getExtension("parley.parley")` exports. */
export interface ParleyExports {
  /** The version of the API. Another version can lack what these types declare. */
  readonly version: 1;
  /**
   * Asks the user, once for each extension, whether it may use Parley. `extension` is the `extension` of your own
   * `ExtensionContext`. Later calls return the same object until it is disposed. Rejects with a sentence if the user refuses,
   * and in an untrusted workspace.
   */
  connect(extension: vscode.Extension<unknown>): Promise<ParleyApi>;
}

/** Parley, as one extension uses it. */
export interface ParleyApi extends vscode.Disposable {
  /** The agents of the user's settings, the one of the next session first. Throws with a sentence after the end. */
  readonly agents: readonly ParleyAgent[];
  /**
   * Starts a session, which the list of sessions shows like any other. Resolves when its agent can work. Rejects with a
   * sentence: no such folder, agent or mode, too many open sessions, or an agent that does not start or needs a sign-in.
   */
  openSession(options?: ParleySessionOptions, token?: vscode.CancellationToken): Promise<ParleySession>;
  /** Fires once, with the reason as a sentence: the user has withdrawn the access, the window closes, or you have disposed it. */
  readonly onDidEnd: vscode.Event<string>;
  /** Disposes all open sessions of this object. */
  dispose(): void;
}

/** An agent of the user's settings. */
export interface ParleyAgent {
  readonly id: string;
  readonly name: string;
}

export interface ParleySessionOptions {
  /** A folder of the workspace. Default: the folder in which the user would start a session. */
  readonly folder?: vscode.Uri | undefined;
  /** The id of the agent. Default: the agent of the user's next session. */
  readonly agent?: string | undefined;
  /** The id of one of the agent's modes. One that approves everything is refused. Default: as the user's sessions begin. */
  readonly mode?: string | undefined;
}

/**
 * What a session does. `waiting`: it waits for the user, for example for an answer to a permission request. `failed`: the agent
 * is gone, and the user can start it again. `closed`: the session was closed, or your access has ended.
 */
export type ParleySessionState = "starting" | "idle" | "working" | "waiting" | "failed" | "closed";

/** A session that your extension has opened. Texts of agents can contain anything: show them as plain text. */
export interface ParleySession extends vscode.Disposable {
  readonly id: string;
  readonly agent: ParleyAgent;
  readonly folder: vscode.Uri;
  /** The title in the list of sessions. Empty before the first message. */
  readonly title: string;
  readonly state: ParleySessionState;
  /** Why the session waits, failed or was closed, as a sentence, if there is more to say. */
  readonly problem: string | undefined;
  /** The modes that the agent offers, without those that approve everything. */
  readonly modes: readonly ParleyMode[];
  /**
   * Sends a message. Resolves at the end of its turn, also if the user stops it. Rejects with a sentence if it cannot be sent,
   * if the agent fails, and if the session is closed or disposed before. Cancel the token to withdraw or stop it.
   */
  prompt(prompt: string | ParleyPrompt, token?: vscode.CancellationToken): Promise<ParleyTurn>;
  /** Withdraws and stops what {@link prompt} has sent. Turns and queued messages of the user go on. */
  stop(): void;
  /** Shows the session in the chat. */
  show(): Promise<void>;
  readonly onDidChangeState: vscode.Event<ParleySessionState>;
  /** Fires with each part of the agent's messages. */
  readonly onDidReceiveText: vscode.Event<ParleyText>;
  /** Fires when a tool call begins or changes. */
  readonly onDidChangeToolCall: vscode.Event<ParleyToolCall>;
  /** Fires at the end of each turn, also of those that the user began in the chat. */
  readonly onDidEndTurn: vscode.Event<ParleyTurnEnd>;
  /**
   * Stops what {@link prompt} has sent, and ends the events. The session is closed unless the user sees or uses it; the list
   * of sessions still has it.
   */
  dispose(): void;
}

export interface ParleyMode {
  readonly id: string;
  readonly name: string;
}

export interface ParleyPrompt {
  /** At most 1,000,000 characters. */
  readonly text: string;
  /** At most 100 items. Larger files go to the agent as links. */
  readonly context?: readonly ParleyContext[];
}

/** What goes to the agent with a message. Files are read when the message is sent, with unsaved changes. */
export type ParleyContext =
  | { readonly type: "file"; readonly uri: vscode.Uri }
  /** The lines of the range. */
  | { readonly type: "selection"; readonly uri: vscode.Uri; readonly range: vscode.Range }
  | { readonly type: "text"; readonly label: string; readonly text: string };

export interface ParleyTurnEnd {
  /** `end_turn`, `cancelled`, `refusal`, `max_tokens`, `max_turn_requests`, `error`, or another one that the agent reports. */
  readonly stopReason: string;
}

/** A turn that has ended. */
export interface ParleyTurn extends ParleyTurnEnd {
  /** The agent's messages in the turn, as Markdown, without those of its sub-agents. */
  readonly text: string;
}

/** A part of a message. */
export interface ParleyText {
  /** The id of the message. */
  readonly message: string;
  /** What was added, or the whole text if it replaces the text so far. */
  readonly text: string;
  readonly replaces?: true;
}

export interface ParleyToolCall {
  readonly id: string;
  readonly title: string;
  /** `read`, `edit`, `execute` and so on, as the protocol names them, if the agent reports it. */
  readonly kind?: string;
  /** `waiting`: the user is asked. */
  readonly status: "waiting" | "pending" | "running" | "paused" | "done" | "failed" | "cancelled";
}
