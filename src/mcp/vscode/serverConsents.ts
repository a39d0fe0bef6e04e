// The user's consent to servers: before Parley starts one for the first time, and before an agent gets one of the
// workspace. It holds for the definition as it was shown, so a changed server is asked about again.
import { createHash } from "node:crypto";
import * as vscode from "vscode";
import { commandLineText } from "../../base/commandLineText.ts";
import { maskVariable } from "../../base/mask.ts";
import { visibleText } from "../../base/visibleText.ts";
import { serverFingerprint, type McpServer } from "../servers.ts";
import { showWarningMessage } from "../../editor/editorUi.ts";

const consentsKey = "parley.mcp.allowed";
const maxConsents = 500;

/** What a server runs or where it is, as a user reads it. Secret values are masked. */
export function serverDetail(server: McpServer): string {
  return visibleText(server.type === "stdio" ? commandLineText(server.command, server.args) : server.url);
}

/** A short key of the definition. */
export const serverKey = (server: McpServer): string => keyOfFingerprint(serverFingerprint(server));

export const keyOfFingerprint = (fingerprint: string): string => createHash("sha256").update(fingerprint).digest("hex");

/** Remembers consents, those to servers of a workspace for this workspace only. */
export class ServerConsents {
  readonly #context: Pick<vscode.ExtensionContext, "globalState" | "workspaceState">;

  constructor(context: Pick<vscode.ExtensionContext, "globalState" | "workspaceState">) {
    this.#context = context;
  }

  #state({ source }: McpServer): vscode.Memento {
    return source === "workspace" ? this.#context.workspaceState : this.#context.globalState;
  }

  has(server: McpServer): boolean {
    return this.#state(server).get<readonly string[]>(consentsKey, []).includes(serverKey(server));
  }

  /** Asks, unless the user has allowed this definition. Resolves with whether the server may start. */
  async ask(server: McpServer): Promise<boolean> {
    if (this.has(server)) return true;
    const allow = vscode.l10n.t("Allow");
    const answer = await showWarningMessage(
      server.source === "workspace"
        ? vscode.l10n.t("Allow the MCP server “{0}” of this workspace?", visibleText(server.name))
        : vscode.l10n.t("Allow Parley to start the MCP server “{0}”?", visibleText(server.name)),
      { modal: true, detail: consentDetail(server) },
      allow,
    );
    if (answer !== allow) return false;
    const state = this.#state(server);
    const known = state.get<readonly string[]>(consentsKey, []);
    await state.update(consentsKey, [...known, serverKey(server)].slice(-maxConsents));
    return true;
  }
}

function consentDetail(server: McpServer): readonly string[] {
  const values = Object.entries(server.type === "stdio" ? server.env : server.headers).map(
    ([name, value]) => `${visibleText(name)}=${visibleText(maskVariable(name, value))}`,
  );
  return [
    serverDetail(server),
    ...(server.type === "stdio" && server.cwd !== undefined ? [vscode.l10n.t("in {0}", visibleText(server.cwd))] : []),
    ...values,
    ...(server.type === "stdio" && server.envFile !== undefined
      ? [vscode.l10n.t("with the variables of the file {0}", visibleText(server.envFile))]
      : []),
    "",
    server.type === "stdio"
      ? vscode.l10n.t("Parley starts it to offer its prompts, and the agent starts it to use its tools.")
      : vscode.l10n.t("Parley connects to it to offer its prompts, and the agent connects to it to use its tools."),
  ];
}
