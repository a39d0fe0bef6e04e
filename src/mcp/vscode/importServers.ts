// The command that copies MCP servers of other programs into Parley's setting: from a file, or from VS Code.
import { join } from "node:path";
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { visibleText } from "../../base/visibleText.ts";
import { updateUserSetting, userSetting, userValueOf } from "../../editor/userSettings.ts";
import { parseJsonc } from "../jsonc.ts";
import { serverDetail } from "../serverDetail.ts";
import { readServerFile, serverSetting, type McpServer, type ServersRead } from "../servers.ts";
import { showInformationMessage, showQuickPick, showQuickPicks } from "../../editor/editorUi.ts";

/** After this time, VS Code has usually saved another change of the settings (ms). */
const retryDelay = 1000;

/** Asks from where and which, and writes the user's setting. Rejects with a sentence. */
export async function importServers(context: vscode.ExtensionContext): Promise<void> {
  const found = await findServers(context);
  if (!found) return;
  if (found.servers.length === 0)
    throw new Error(found.problems.join(" ") || vscode.l10n.t("There are no MCP servers to import."));
  const known = ownServers();
  const picked = await showQuickPicks(
    found.servers.map(server => ({
      label: visibleText(server.name),
      description: Object.hasOwn(known, server.name) ? vscode.l10n.t("replaces yours") : "",
      detail: serverDetail(server),
      picked: !Object.hasOwn(known, server.name),
      server,
    })),
    {
      title: vscode.l10n.t("Import MCP Servers"),
      placeHolder: vscode.l10n.t("The servers that every agent gets"),
    },
  );
  if (!picked || picked.length === 0) return;
  const imported = Object.fromEntries(picked.map(({ server }) => [server.name, serverSetting(server)]));
  await storeServers(imported);
  const message =
    picked.length === 1
      ? vscode.l10n.t("Imported 1 MCP server.")
      : vscode.l10n.t("Imported {0} MCP servers.", picked.length);
  void showInformationMessage([message, ...found.problems].join(" "));
}

/**
 * Adds the servers to the setting. VS Code refuses a change while another change of the settings is not saved yet, which
 * lasts less than a second. Only its localized message says why it refuses, so Parley tries every refused change once
 * more. Rejects with the last reason of VS Code, such as unsaved changes of the user in the file.
 */
async function storeServers(servers: Readonly<Record<string, unknown>>): Promise<void> {
  const store = (): Promise<void> => updateUserSetting("mcpServers", { ...ownServers(), ...servers });
  try {
    await store();
  } catch {
    await new Promise<void>(resolve => setTimeout(resolve, retryDelay));
    await store().catch((error: unknown) => {
      throw new Error(vscode.l10n.t("The MCP servers were not imported. {0}", asError(error).message), {
        cause: error,
      });
    });
  }
}

const ownServers = (): Readonly<Record<string, unknown>> =>
  (userSetting("mcpServers") ?? {}) as Readonly<Record<string, unknown>>;

/** Undefined if the user cancelled. */
async function findServers(context: vscode.ExtensionContext): Promise<ServersRead | undefined> {
  const ofEditor = await editorServers(context);
  const fromFile = { label: vscode.l10n.t("From a File…"), place: "file" as const };
  const fromEditor = {
    label: vscode.l10n.t("From VS Code"),
    description: ofEditor.servers.map(({ name }) => visibleText(name)).join(", "),
    place: "editor" as const,
  };
  const places: readonly (vscode.QuickPickItem & { readonly place: "file" | "editor" })[] =
    ofEditor.servers.length > 0 ? [fromEditor, fromFile] : [fromFile];
  const picked = await showQuickPick(places, { title: vscode.l10n.t("Import MCP Servers") });
  if (!picked) return undefined;
  if (picked.place === "editor") return ofEditor;
  const [file] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t("Import MCP Servers"),
      filters: { JSON: ["json", "jsonc"] },
    })) ?? [];
  return file && readFile(file);
}

async function readFile(file: vscode.Uri): Promise<ServersRead> {
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
  try {
    return readServerFile(parseJsonc(text), "user", file.fsPath);
  } catch (error) {
    throw new Error(vscode.l10n.t("{0} is not valid JSON: {1}", file.fsPath, asError(error).message), { cause: error });
  }
}

/** The servers of VS Code itself: its setting `mcp`, and the file of the user's profile that newer versions use. */
async function editorServers(context: vscode.ExtensionContext): Promise<ServersRead> {
  const setting = readServerFile(userValueOf("", "mcp") ?? { servers: {} }, "user", "mcp");
  const file = vscode.Uri.file(join(context.globalStorageUri.fsPath, "..", "..", "mcp.json"));
  const profile = await vscode.workspace.fs.stat(file).then(
    () => readFile(file),
    (): ServersRead => ({ servers: [], problems: [] }), // There is no such file.
  );
  const known = new Set(setting.servers.map(({ name }) => name));
  const more: readonly McpServer[] = profile.servers.filter(({ name }) => !known.has(name));
  return { servers: [...setting.servers, ...more], problems: [...setting.problems, ...profile.problems] };
}
