// Asks for one of the agents.
import * as vscode from "vscode";
import { packageOfNpx } from "../../agents/npmDownload.ts";
import type { AgentDefinition } from "../../agents/registry.ts";
import { showQuickPick } from "../../editor/editorUi.ts";

/** The texts of the list, and the id of the agent that it marks as current. */
export interface AgentPickOptions {
  readonly title: string;
  readonly placeHolder: string;
  readonly current?: string | undefined;
  /** The last row adds an agent. */
  readonly canAdd?: boolean;
}

/** Asks for an agent. Undefined: the user has cancelled. */
export async function pickAgent(
  agents: readonly AgentDefinition[],
  { title, placeHolder, current, canAdd = false }: AgentPickOptions,
): Promise<AgentDefinition | undefined> {
  const picks = agents.map(agent => ({
    label: agent.name,
    ...(agent.icon !== undefined && { iconPath: new vscode.ThemeIcon(agent.icon) }),
    description: agent.id === current ? vscode.l10n.t("current") : "",
    detail: [agent.description, packageOfNpx(agent)].filter(text => text !== undefined).join(" · "),
    agent,
  }));
  const add = { label: vscode.l10n.t("Add Agent…"), iconPath: new vscode.ThemeIcon("add"), agent: undefined };
  const rows = canAdd ? [...picks, add] : picks;
  const picked = await showQuickPick(rows, { title, placeHolder, matchOnDetail: true });
  if (picked === add) void vscode.commands.executeCommand("parley.addAgent");
  return picked?.agent;
}

/** The only agent, or the one that the user picks. Undefined: there is none, or the user has cancelled. */
export const onlyOrPickedAgent = async (
  agents: readonly AgentDefinition[],
  options: AgentPickOptions,
): Promise<AgentDefinition | undefined> => (agents.length <= 1 ? agents[0] : pickAgent(agents, options));
