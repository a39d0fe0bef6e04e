// The values of `${input:…}` in definitions of servers: asked once, and kept in VS Code's secret storage.
import * as vscode from "vscode";
import { visibleText } from "../../base/visibleText.ts";
import type { McpServer, ServerInput } from "../servers.ts";
import { inputsOf } from "../serverVariables.ts";
import { serverKey } from "./serverConsents.ts";

/** Values belong to a definition: a changed definition cannot read the values that were entered for another. */
const secretKey = (server: McpServer, { id }: ServerInput): string => `parley.mcp.input.${serverKey(server)}.${id}`;

export class ServerInputs {
  readonly #secrets: vscode.SecretStorage;

  constructor(secrets: vscode.SecretStorage) {
    this.#secrets = secrets;
  }

  /**
   * The values that the server needs. Asks for those that are not stored, if `asks`. Undefined if a value is missing.
   */
  async values(server: McpServer, asks: boolean): Promise<ReadonlyMap<string, string> | undefined> {
    const values = new Map<string, string>();
    for (const input of inputsOf(server)) {
      const key = secretKey(server, input);
      let value = await this.#secrets.get(key);
      if (value === undefined && asks) {
        value = await askInput(server, input);
        if (value !== undefined) await this.#secrets.store(key, value);
      }
      if (value === undefined) return undefined;
      values.set(input.id, value);
    }
    return values;
  }

  /** Deletes the values of a server, so that they are asked for again. */
  async forget(server: McpServer): Promise<void> {
    for (const input of inputsOf(server)) await this.#secrets.delete(secretKey(server, input));
  }
}

async function askInput(server: McpServer, input: ServerInput): Promise<string | undefined> {
  const title = vscode.l10n.t("MCP Server “{0}”", visibleText(server.name));
  const placeHolder = visibleText(input.description ?? input.id);
  if (input.options)
    return vscode.window.showQuickPick([...input.options], { title, placeHolder, ignoreFocusOut: true });
  return vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t("{0}. Parley keeps the value in VS Code's secret storage.", placeHolder),
    password: input.secret,
    ...(input.default !== undefined && { value: input.default }),
    ignoreFocusOut: true,
  });
}
