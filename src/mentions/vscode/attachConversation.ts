// The Attach menu: asks for a stored conversation, and attaches it.
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { showQuickPick } from "../../editor/editorUi.ts";
import {
  conversationDetail,
  conversationLabel,
  type MentionedConversation,
  type MentionedConversations,
} from "../mentionedConversations.ts";
import type { AttachResult } from "./attachments.ts";

interface ConversationPick extends vscode.QuickPickItem {
  readonly id: string;
}

const pickOf = ({ id, title, agentName, updated }: MentionedConversation): ConversationPick => ({
  ...{ id, label: conversationLabel(title), description: conversationDetail(agentName, updated) },
});

/** Shows the conversations, the latest first, and attaches the chosen one. The result is empty if the user cancels. */
export async function attachConversation(conversations: MentionedConversations): Promise<AttachResult> {
  const none = new vscode.CancellationTokenSource();
  const list = async (): Promise<readonly ConversationPick[]> => {
    await conversations.load();
    const picks = conversations.list().map(pickOf);
    if (picks.length === 0) none.cancel();
    return picks;
  };
  const options = {
    title: vscode.l10n.t("Attach a Conversation"),
    placeHolder: vscode.l10n.t("Select the conversation to attach to the message"),
    matchOnDescription: true,
  };
  try {
    const picked = await showQuickPick(list(), options, none.token);
    if (none.token.isCancellationRequested)
      return { attachments: [], refused: [vscode.l10n.t("This folder has no other conversation.")] };
    if (!picked) return { attachments: [], refused: [] };
    return await attachOrRefuse(picked.label, async () => ({
      attachments: [await conversations.attachment(picked.id)],
      refused: [],
    }));
  } finally {
    none.dispose();
  }
}

/** Attaches an item with this label. An error is a refusal, because the panel waits for an answer. */
export const attachOrRefuse = (label: string, attach: () => Promise<AttachResult>): Promise<AttachResult> =>
  attach().catch((error: unknown) => ({
    attachments: [],
    refused: [vscode.l10n.t("{0} could not be attached: {1}", label, asError(error).message)],
  }));
