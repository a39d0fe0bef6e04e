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
import { mentionKinds } from "../../panel/mentionKinds.ts";
import type { AttachResult } from "./attachments.ts";

interface ConversationPick extends vscode.QuickPickItem {
  readonly id: string;
}

const pickOf = ({ id, title, agentName, updated }: MentionedConversation): ConversationPick => ({
  ...{ id, label: conversationLabel(title), description: conversationDetail(agentName, updated) },
});

/** What can be attached of a conversation. */
const parts = (conversations: MentionedConversations) => [
  {
    label: vscode.l10n.t("Whole Conversation"),
    iconPath: new vscode.ThemeIcon(mentionKinds.conversation.icon),
    detail: vscode.l10n.t("The messages and tool calls. Of a long conversation, only the end"),
    attach: (id: string) => conversations.attachment(id),
  },
  {
    label: vscode.l10n.t("Digest Only"),
    iconPath: new vscode.ThemeIcon(mentionKinds.digest.icon),
    detail: vscode.l10n.t("The task, your decisions, the changed files, and what is open"),
    attach: (id: string) => conversations.digest(id),
  },
];

/** Shows the conversations, the latest first, and attaches the chosen one, or only its digest. The result is empty if the user cancels. */
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
    const { id, label } = picked;
    const part = await showQuickPick(parts(conversations), {
      title: vscode.l10n.t("Attach “{0}”", label),
      placeHolder: vscode.l10n.t("Select what to attach"),
    });
    if (!part) return { attachments: [], refused: [] };
    return await attachOrRefuse(label, async () => ({ attachments: [await part.attach(id)], refused: [] }));
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
