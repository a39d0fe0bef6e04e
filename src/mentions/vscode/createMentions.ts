// Creates what can be mentioned in a prompt or attached to it, and its handlers.
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import type { FileEvents } from "../../files/vscode/fileEvents.ts";
import type { ChatSurface } from "../../panel/chatSurface.ts";
import type { IntentHandlers } from "../../panel/intentHandlers.ts";
import { addToChat, fixWithChat } from "./addToChat.ts";
import { Attachments, type AttachmentsOptions } from "./attachments.ts";
import { FileIndexer } from "./fileIndexer.ts";
import { Mentions } from "./mentions.ts";
import { TerminalCommands } from "./terminalCommands.ts";
import type { MentionedConversations } from "../mentionedConversations.ts";
import type { RecentFiles } from "./recentFiles.ts";

export interface MentionsFeatureOptions extends AttachmentsOptions {
  readonly chat: ChatSurface;
  readonly fileEvents: FileEvents;
  readonly recentFiles: RecentFiles;
  readonly conversations: MentionedConversations;
}

export interface MentionsFeature {
  readonly attachments: Attachments;
  readonly commands: CommandHandlers<"parley.addToChat" | "parley.fixWithChat">;
  readonly intents: IntentHandlers<"complete" | "preview" | "attachItem" | "attachUris" | "pickAttachment">;
}

/** Creates the mentions of the composer and the actions that add to the chat. */
export function createMentions(
  { store, clock, log }: ExtensionPlatform,
  { chat, fileEvents, recentFiles, conversations, ...options }: MentionsFeatureOptions,
): MentionsFeature {
  const attachments = new Attachments(options);
  const mentions = store.add(
    new Mentions({
      indexer: store.add(new FileIndexer(fileEvents, log, clock)),
      recent: recentFiles,
      terminals: store.add(new TerminalCommands(log)),
      ...{ attachments, conversations },
      log,
    }),
  );
  return {
    attachments,
    commands: {
      "parley.addToChat": (...args) => addToChat(chat, attachments, args),
      "parley.fixWithChat": (...args) => fixWithChat(chat, attachments, args),
    },
    intents: mentionIntents(mentions),
  };
}

const mentionIntents = (mentions: Mentions): MentionsFeature["intents"] => ({
  complete: ({ request, query }, replyTarget) => mentions.complete(replyTarget, request, query),
  preview: (intent, replyTarget) => mentions.preview(replyTarget, intent),
  attachItem: ({ request, key }, replyTarget) => mentions.attachItem(replyTarget, request, key),
  attachUris: ({ uris }, replyTarget) => mentions.attachUris(replyTarget, uris),
  pickAttachment: (_, replyTarget) => mentions.pick(replyTarget),
});
