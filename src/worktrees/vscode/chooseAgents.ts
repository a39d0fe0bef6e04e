// Asks which agents get a prompt, how often, and when it is sent.
import * as vscode from "vscode";
import type { AgentDefinition } from "../../agents/registry.ts";
import { t } from "../../base/l10n.ts";
import { showInformationMessage, showQuickPick, showQuickPicks } from "../../editor/editorUi.ts";
import { candidateNames } from "../candidates/candidateNames.ts";

/** Asks for one to `max` agents. Undefined: cancelled. */
export async function chooseAgents(
  agents: readonly AgentDefinition[],
  max: number,
  title: string,
): Promise<readonly AgentDefinition[] | undefined> {
  const picks = agents.map(agent => ({
    label: agent.name,
    ...(agent.description !== undefined && { description: agent.description }),
    ...(agent.icon !== undefined && { iconPath: new vscode.ThemeIcon(agent.icon) }),
    agent,
  }));
  const placeHolder = t("Select up to {0} agents. Each does the whole task, so costs add up", max);
  for (;;) {
    const picked = await showQuickPicks(picks, { title, placeHolder, matchOnDescription: true, ignoreFocusOut: true });
    if (!picked || picked.length === 0) return undefined;
    if (picked.length <= max) return picked.map(({ agent }) => agent);
    void showInformationMessage(
      t(
        "Select at most {0} agents: you pay for each of them and review what each of them did. To change this number, use “parley.worktrees.maxCandidates”.",
        max,
      ),
    );
  }
}

/** The agents that are asked, also one several times. */
export interface ChosenStart {
  readonly agents: readonly AgentDefinition[];
  /** Whether the prompts are sent as soon as all agents are ready. Otherwise, the user sends them on the page. */
  readonly sendsAtOnce: boolean;
}

/** Asks when the prompt is sent, and offers each agent once more until there are `max`. Undefined: cancelled. */
export async function chooseStart(
  chosen: readonly AgentDefinition[],
  max: number,
  title: string,
): Promise<ChosenStart | undefined> {
  let agents = chosen;
  for (;;) {
    const picked = await showQuickPick(startPicks(agents, max), {
      title,
      placeHolder:
        agents.length < 2
          ? t("Select the agent once more, because one is nothing to compare")
          : t("Select how to start"),
      matchOnDetail: true,
      ignoreFocusOut: true,
    });
    if (!picked) return undefined;
    if (!picked.agent) return { agents, sendsAtOnce: picked.sendsAtOnce };
    const { agent } = picked;
    // The same agents are beside each other.
    const at = agents.lastIndexOf(agent) + 1;
    agents = [...agents.slice(0, at), agent, ...agents.slice(at)];
  }
}

interface StartPick extends vscode.QuickPickItem {
  readonly sendsAtOnce: boolean;
  /** The agent to ask once more. */
  readonly agent?: AgentDefinition;
}

function startPicks(agents: readonly AgentDefinition[], max: number): readonly StartPick[] {
  const names = candidateNames(agents.map(({ name }) => name)).join(", ");
  const starts: readonly StartPick[] = [
    {
      label: t("Send to {0} Agents", agents.length),
      description: names,
      detail: t("As soon as all worktrees are set up and all agents are ready"),
      iconPath: new vscode.ThemeIcon("send"),
      sendsAtOnce: true,
    },
    {
      label: t("Choose Models and Modes First"),
      description: names,
      detail: t("On the page that compares the agents, which has a button that sends the prompt"),
      iconPath: new vscode.ThemeIcon("settings"),
      sendsAtOnce: false,
    },
  ];
  const more = [...new Set(agents)].map((agent): StartPick => ({
    label: t("{0} Once More", agent.name),
    detail: t("With a worktree of its own, for example for another model"),
    iconPath: new vscode.ThemeIcon("add"),
    sendsAtOnce: false,
    agent,
  }));
  return [...(agents.length < 2 ? [] : starts), ...(agents.length < max ? more : [])];
}
