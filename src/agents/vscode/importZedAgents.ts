// The command that adds the agents of Zed's settings to `parley.agents`. The user sees each agent and chooses.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import * as vscode from "vscode";
import { commandLineText } from "../../base/commandLineText.ts";
import { asError } from "../../base/errors.ts";
import { withoutMiddle, exactLine } from "../../base/inertText.ts";
import { jsonEqual } from "../../base/jsonEqual.ts";
import { maskText } from "../../base/mask.ts";
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import type { AgentDefinition } from "../registry.ts";
import { readZedAgents, withDistinctNames, zedSettingsFiles, type ZedAgent, type ZedAgents } from "../zedSettings.ts";
import { showInformationMessage, showQuickPick, showQuickPicks } from "../../editor/editorUi.ts";
import { updateUserAgents, userAgent, userAgents } from "./agentSettings.ts";

/** Of a command line, and of the names of its variables (characters). */
const maxPreview = 300;

/** Handler of the command. `agents` are the agents that can be chosen now. */
export const importZedCommands = (
  agents: () => readonly AgentDefinition[],
): CommandHandlers<"parley.importZedAgents"> => ({
  "parley.importZedAgents": async () => {
    const file = await pickFile();
    if (file !== undefined) await importZedAgents(file, agents());
  },
});

async function pickFile(): Promise<string | undefined> {
  const found = zedSettingsFiles(process.platform, process.env, homedir()).filter(existsSync);
  if (found.length > 0) {
    const other = { label: vscode.l10n.t("Choose File…"), file: undefined };
    const picked = await showQuickPick([...found.map(file => ({ label: file, file })), other], {
      title: vscode.l10n.t("Import Agents from Zed"),
      placeHolder: vscode.l10n.t("The settings file of Zed"),
    });
    if (!picked) return undefined;
    if (picked.file !== undefined) return picked.file;
  }
  const [uri] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t("Settings File of Zed"),
      openLabel: vscode.l10n.t("Import"),
      filters: { [vscode.l10n.t("Settings")]: ["json", "jsonc"] },
    })) ?? [];
  return uri?.fsPath;
}

/** Shows the agents of Zed's settings file, and adds those that the user selects to the user's settings. */
export async function importZedAgents(file: string, existing: readonly AgentDefinition[]): Promise<void> {
  const { agents: found, skipped } = await read(file);
  const agents = withDistinctNames(found, existing);
  const own = userAgents();
  const isKnown = (agent: ZedAgent): boolean =>
    Object.hasOwn(own, agent.id) && jsonEqual(own[agent.id], { ...userAgent(agent.id), ...entryOf(agent) });
  const added = agents.filter(agent => !isKnown(agent));
  if (added.length === 0) {
    void showInformationMessage(nothingToImport(agents, skipped));
    return;
  }
  const isTaken = ({ id }: ZedAgent): boolean => Object.hasOwn(own, id) || existing.some(each => each.id === id);
  const picks = added.map(agent => ({
    label: agent.name,
    description: isTaken(agent) ? vscode.l10n.t("replaces the command of your agent {0}", agent.id) : agent.id,
    detail: preview(agent),
    // An agent that exists is replaced only if the user selects it.
    picked: !isTaken(agent),
    agent,
  }));
  const picked = await showQuickPicks(picks, {
    title: vscode.l10n.t("Import Agents from Zed"),
    placeHolder: vscode.l10n.t("The agents to add to parley.agents"),
    ignoreFocusOut: true,
  });
  if (!picked || picked.length === 0) return;
  const entries = picked.map(({ agent }) => [agent.id, { ...userAgent(agent.id), ...entryOf(agent) }] as const);
  await updateUserAgents(Object.fromEntries(entries));
  const names = picked.map(({ label }) => label).join(", ");
  void showInformationMessage(vscode.l10n.t("Added to the agents: {0}.", names));
}

async function read(file: string): Promise<ZedAgents> {
  try {
    return readZedAgents(await readFile(file, "utf8"));
  } catch (error) {
    const reason = asError(error).message;
    throw new Error(vscode.l10n.t("The settings of Zed could not be read: {0} ({1})", reason, file));
  }
}

function nothingToImport(agents: readonly ZedAgent[], skipped: readonly string[]): string {
  if (agents.length > 0) return vscode.l10n.t("Every agent of Zed's settings is in parley.agents already.");
  return skipped.length === 0
    ? vscode.l10n.t("Zed's settings contain no agents.")
    : vscode.l10n.t("Zed's settings contain no agents with a command. Without one: {0}.", skipped.join(", "));
}

/** The command line without secrets, and the names of the variables, in one line. */
function preview({ command, args, env }: ZedAgent): string {
  const line = withoutMiddle(exactLine(maskText(commandLineText(command, args))), maxPreview);
  const names = Object.keys(env);
  return names.length === 0 ? line : `${line} — ${withoutMiddle(exactLine(names.join(", ")), maxPreview)}`;
}

const entryOf = ({ name, command, args, env, defaults }: ZedAgent): Readonly<Record<string, unknown>> => ({
  name,
  command,
  args,
  ...(Object.keys(env).length > 0 && { env }),
  ...(defaults && { defaults }),
});
