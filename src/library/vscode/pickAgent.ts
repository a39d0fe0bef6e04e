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
}

/** Asks for an agent. Undefined: the user has cancelled. */
export async function pickAgent(
  agents: readonly AgentDefinition[],
  { title, placeHolder, current }: AgentPickOptions,
): Promise<AgentDefinition | undefined> {
  const picks = agents.map(agent => ({
    label: agent.name,
    ...(agent.icon !== undefined && { iconPath: new vscode.ThemeIcon(agent.icon) }),
    description: agent.id === current ? vscode.l10n.t("current") : "",
    detail: [agent.description, packageOfNpx(agent)].filter(text => text !== undefined).join(" · "),
    agent,
  }));
  return (await showQuickPick(picks, { title, placeHolder, matchOnDetail: true }))?.agent;
}

/** The only agent, or the one that the user picks. Undefined: there is none, or the user has cancelled. */
export const onlyOrPickedAgent = async (
  agents: readonly AgentDefinition[],
  options: AgentPickOptions,
): Promise<AgentDefinition | undefined> => (agents.length <= 1 ? agents[0] : pickAgent(agents, options));
