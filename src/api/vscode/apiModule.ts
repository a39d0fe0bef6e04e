// What `dist/api.js` exports, and what the extension gives it. The bundle is loaded on first use, so this file has types only.
import type * as vscode from "vscode";
import type { WindowAgents } from "../../agents/vscode/windowAgents.ts";
import type { Translator } from "../../base/l10n.ts";
import type { SessionRegistry, WorkspaceFolders } from "../../library/sessionRegistry.ts";
import type { PromptContent, PromptContentOptions } from "../../mentions/promptContent.ts";
import type { PromptDraft } from "../../mentions/promptDraft.ts";
import type { AskingExtension } from "../../mentions/vscode/attachments.ts";
import type { ChatSurface } from "../../panel/chatSurface.ts";
import type { Attachment } from "../../panel/protocol.ts";
import type { SecretHider } from "../sessionReports.ts";
import type { ParleyApi } from "./parleyApi.ts";

/** The prompts of the window, as extensions and links use them. */
export interface ApiPrompts {
  /** The draft of the session in the surface. Undefined: there is none. */
  read(session: string, surface: string): Promise<PromptDraft | undefined>;
  /** Asks about files that may be secret. Why the attachments are not sent, as a sentence. */
  refusalOf(attachments: readonly Attachment[], asker: AskingExtension): Promise<string | undefined>;
  contentOf(draft: PromptDraft, agent: Pick<PromptContentOptions, "accepts" | "agentName">): Promise<PromptContent>;
}

/** How the API uses Parley. */
export interface ApiHost {
  readonly context: Pick<vscode.ExtensionContext, "globalState" | "extension">;
  readonly registry: Pick<SessionRegistry, "open" | "obstacle" | "start" | "startUnshown" | "restoreOrStart" | "close">;
  readonly folders: Pick<WorkspaceFolders, "usual">;
  readonly agents: Pick<WindowAgents, "definitions" | "of">;
  readonly chat: ChatSurface;
  readonly prompts: ApiPrompts;
  /** Shows the session with this id. */
  readonly show: (session: string) => Promise<void>;
  readonly secrets: SecretHider;
}

/** The API of one window. */
export interface WindowApi {
  /** {@link ParleyExports.connect}, with whatever another extension passes. */
  connect(extension: unknown): Promise<ParleyApi>;
  /** Fills the message box as the link says. What prevents that is shown. Never rejects. */
  openLink(uri: vscode.Uri): Promise<void>;
  /** Starts a session as the arguments of the command say. Rejects with a sentence. */
  startSession(wanted: object): Promise<void>;
  /** Shows which extensions use Parley, and changes it. */
  manage(): Promise<void>;
  /** Ends the access of all extensions. Their promises settle. */
  dispose(): void;
}

/** What the bundle exports. */
export interface ApiModule {
  /** Sets what translates the texts of the bundle. */
  translateApiWith(translator: Translator): void;
  createWindowApi(host: ApiHost): WindowApi;
}
