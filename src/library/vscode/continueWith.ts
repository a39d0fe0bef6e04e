// Asks for the agent that continues a conversation.
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { AgentDefinition } from "../../agents/registry.ts";
import { continueConversation, type ContinueConversationOptions } from "../continueConversation.ts";
import { pickAgent } from "./pickAgent.ts";

export interface ContinueWithOptions extends Omit<ContinueConversationOptions, "newId"> {
  readonly agents: { definitions(): readonly AgentDefinition[] };
}

/** Continues the session with this id with an agent that the user selects. Rejects with a sentence. */
export const continueWith = (options: ContinueWithOptions, id: string): Promise<void> =>
  continueConversation({ ...options, newId: () => randomUUID() }, id, state =>
    pickAgent(options.agents.definitions(), {
      title: vscode.l10n.t("Continue With"),
      placeHolder: vscode.l10n.t("A new session starts with the selected agent and this conversation"),
      current: state.agent?.id,
    }),
  );
