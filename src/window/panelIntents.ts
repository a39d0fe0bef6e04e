// Handlers for each panel: sending, finding, copying, the commands of its menu, reports of its errors.
import * as vscode from "vscode";
import type { Log } from "../base/log.ts";
import { intentHandlers, type IntentOf } from "../panel/intentHandlers.ts";
import { findInConversation } from "./findInConversation.ts";
import { runPanelCommand, type PanelCommand } from "./panelCommands.ts";
import type { SurfaceViews } from "../library/surfaceViews.ts";
import type { PromptSender } from "./promptSender.ts";

const placeCommands: Readonly<Record<IntentOf<"show">["place"], PanelCommand>> = {
  sessionHistory: "showSessionHistory",
  sessions: "showSessions",
  changes: "showChanges",
  permissionLog: "showPermissionLog",
  inspector: "showInspector",
};

/** Handlers for every panel of the window. */
export const panelIntents = (views: SurfaceViews, sender: PromptSender, log: Log) =>
  intentHandlers({
    send: (intent, replyTarget) => sender.send(intent, replyTarget),
    find: (intent, replyTarget) =>
      findInConversation(intent, replyTarget, [...views.view(replyTarget.surface).entries]),
    copy: async ({ text }) => vscode.env.clipboard.writeText(text),
    show: ({ place }) => runPanelCommand(placeCommands[place]),
    // The surface of every intent becomes the active one.
    used: () => {},
    openInEditor: () => runPanelCommand("openChatInEditor"),
    copyConversation: () => runPanelCommand("copyConversation"),
    saveTranscript: () => runPanelCommand("saveTranscript"),
    report: ({ kind, text }) =>
      log.error(`The chat view reported ${kind === "csp" ? "a policy violation" : "an error"}: ${text}`),
  });
