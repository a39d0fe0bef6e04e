// Creates what can be mentioned in a prompt or attached to it, and its handlers.
import * as vscode from "vscode";
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import type { FileEvents } from "../../files/vscode/fileEvents.ts";
import type { Event } from "../../base/lifecycle.ts";
import type { ChatSurface } from "../../panel/chatSurface.ts";
import type { IntentHandlers } from "../../panel/intentHandlers.ts";
import type { HeadPart } from "../../panel/headParts.ts";
import { ActiveFile } from "./activeFile.ts";
import { addToChat, fixWithChat } from "./addToChat.ts";
import { Attachments, type AttachmentsOptions } from "./attachments.ts";
import { FileIndexer } from "./fileIndexer.ts";
import { Mentions } from "./mentions.ts";
import type { TerminalCommands } from "./terminalCommands.ts";
import type { MentionedConversations } from "../mentionedConversations.ts";
import type { RecentFiles } from "./recentFiles.ts";

export interface MentionsFeatureOptions extends AttachmentsOptions {
  readonly chat: ChatSurface & { readonly announce: (text: string) => void };
  readonly fileEvents: FileEvents;
  readonly recentFiles: RecentFiles;
  /** Fires when the chat shows another session. */
  readonly onDidChangeRoots: Event<void>;
  readonly terminals: TerminalCommands;
  readonly conversations: MentionedConversations;
}

export interface MentionsFeature {
  readonly attachments: Attachments;
  readonly activeFile: ActiveFile;
  readonly head: HeadPart<"activeFile">;
  readonly commands: CommandHandlers<"parley.addToChat" | "parley.fixWithChat" | "parley.toggleActiveFile">;
  readonly intents: IntentHandlers<
    "complete" | "preview" | "attachItem" | "attachUris" | "pickAttachment" | "sendActiveFile"
  >;
}

/** Creates the mentions of the composer and the actions that add to the chat. */
export function createMentions(
  { context, store, clock, log }: ExtensionPlatform,
  { chat, fileEvents, recentFiles, terminals, conversations, onDidChangeRoots, ...options }: MentionsFeatureOptions,
): MentionsFeature {
  const attachments = new Attachments(options);
  const activeFile = store.add(
    new ActiveFile({ attachments, state: context.globalState, onDidChangeRoots, clock, log }),
  );
  const mentions = store.add(
    new Mentions({
      indexer: store.add(new FileIndexer(fileEvents, log, clock)),
      recent: recentFiles,
      ...{ terminals, attachments, conversations },
      log,
    }),
  );
  return {
    attachments,
    activeFile,
    head: activeFile.head,
    commands: {
      "parley.addToChat": (...args) => addToChat(chat, attachments, args),
      "parley.fixWithChat": (...args) => fixWithChat(chat, attachments, args),
      "parley.toggleActiveFile": async () => chat.announce(switchesText(await activeFile.toggle())),
    },
    intents: { ...mentionIntents(mentions), sendActiveFile: ({ part, isOn }) => activeFile.set(part, isOn) },
  };
}

const switchesText = ({ file }: { readonly file: boolean }): string =>
  file
    ? vscode.l10n.t("The active file and its selection go with your messages.")
    : vscode.l10n.t("The active file and its selection do not go with your messages.");

const mentionIntents = (mentions: Mentions): Omit<MentionsFeature["intents"], "sendActiveFile"> => ({
  complete: ({ request, query }, replyTarget) => mentions.complete(replyTarget, request, query),
  preview: (intent, replyTarget) => mentions.preview(replyTarget, intent),
  attachItem: ({ request, key }, replyTarget) => mentions.attachItem(replyTarget, request, key),
  attachUris: ({ uris }, replyTarget) => mentions.attachUris(replyTarget, uris),
  pickAttachment: (_, replyTarget) => mentions.pick(replyTarget),
});
