// Asks which agents get a prompt. An agent can be chosen several times.
import * as vscode from "vscode";
import type { AgentDefinition } from "../../agents/registry.ts";
import { t } from "../../base/l10n.ts";
import { createQuickPick, setItems, showInformationMessage } from "../../editor/editorUi.ts";

interface AgentPick extends vscode.QuickPickItem {
  readonly agent: AgentDefinition;
  /** How many of the same agent are above it. */
  readonly nth: number;
}

const keyOf = ({ agent, nth }: AgentPick): string => `${nth}:${agent.id}`;

/**
 * The rows: each agent, and the same agent once more below each one that is chosen. `max`: no more can be chosen, so there are
 * no further rows.
 */
export function agentPicks(
  agents: readonly AgentDefinition[],
  chosen: readonly AgentPick[],
  max: number,
): readonly AgentPick[] {
  return agents.flatMap(agent => {
    const times = chosen.filter(one => one.agent.id === agent.id).length;
    const rows = times > 0 && chosen.length < max ? times + 1 : Math.max(times, 1);
    return Array.from({ length: rows }, (_, nth): AgentPick => ({
      label: nth === 0 ? agent.name : t("{0}, once more", agent.name),
      ...(nth === 0 && agent.description !== undefined && { description: agent.description }),
      ...{ agent, nth },
    }));
  });
}

/** Why this number of agents cannot be asked, as a sentence. */
function countProblem(count: number, max: number): string | undefined {
  if (count < 2) return t("Select at least two agents. One that is selected can be selected once more below it.");
  if (count <= max) return undefined;
  return t(
    "Select at most {0} agents: you pay for each of them and review what each of them did. To change this number, use “parley.worktrees.maxCandidates”.",
    max,
  );
}

/** Asks for two to `max` agents. Undefined: cancelled. */
export function chooseAgents(
  agents: readonly AgentDefinition[],
  max: number,
  title: string,
): Promise<readonly AgentDefinition[] | undefined> {
  const placeHolder = t("Select 2 to {0} agents. Each does the whole task, so tokens and costs add up", max);
  const pick = createQuickPick<AgentPick>({ title, placeHolder, matchOnDescription: true });
  pick.canSelectMany = true;
  pick.keepScrollPosition = true;
  pick.ignoreFocusOut = true;
  /** The keys of the rows that are shown. */
  let rows = "";
  const show = (chosen: readonly AgentPick[]): void => {
    const next = agentPicks(agents, chosen, max);
    const keys = next.map(keyOf).join("\n");
    if (keys === rows) return;
    rows = keys;
    const [active] = pick.activeItems;
    setItems(pick, next);
    const counts = new Map(agents.map(({ id }) => [id, chosen.filter(({ agent }) => agent.id === id).length]));
    pick.selectedItems = pick.items.filter(({ agent, nth }) => nth < (counts.get(agent.id) ?? 0));
    pick.activeItems = pick.items.filter(item => active && keyOf(item) === keyOf(active));
  };
  show([]);
  return new Promise(resolve => {
    pick.onDidChangeSelection(show);
    pick.onDidAccept(() => {
      const chosen = pick.selectedItems.map(({ agent }) => agent);
      const problem = countProblem(chosen.length, max);
      if (problem !== undefined) return void showInformationMessage(problem);
      resolve(agents.flatMap(agent => chosen.filter(({ id }) => id === agent.id)));
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}
