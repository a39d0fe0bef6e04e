// Asks for the agent that continues a conversation.
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { AgentDefinition } from "../../agents/registry.ts";
import { showQuickPick } from "../../editor/editorUi.ts";
import type { SessionState } from "../../session/state.ts";
import { continueConversation, type ContinueConversationOptions } from "../continueConversation.ts";

export interface ContinueWithOptions extends Omit<ContinueConversationOptions, "newId"> {
  readonly agents: { definitions(): readonly AgentDefinition[] };
}

/** Continues the session with this id with an agent that the user selects. Rejects with a sentence. */
export const continueWith = (options: ContinueWithOptions, id: string): Promise<void> =>
  continueConversation({ ...options, newId: () => randomUUID() }, id, state =>
    pickAgent(options.agents.definitions(), state),
  );

/** Asks for an agent. It can be the one of the session. */
async function pickAgent(
  agents: readonly AgentDefinition[],
  { agent: current }: SessionState,
): Promise<AgentDefinition | undefined> {
  const picks = agents.map(agent => ({
    label: agent.name,
    ...(agent.icon !== undefined && { iconPath: new vscode.ThemeIcon(agent.icon) }),
    description: agent.id === current?.id ? vscode.l10n.t("current") : "",
    ...(agent.description !== undefined && { detail: agent.description }),
    agent,
  }));
  const picked = await showQuickPick(picks, {
    title: vscode.l10n.t("Continue With"),
    placeHolder: vscode.l10n.t("A new session starts with the selected agent and this conversation"),
    matchOnDetail: true,
  });
  return picked?.agent;
}
