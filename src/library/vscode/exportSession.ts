// Exports a session, which need not be open: as Markdown, or as a transcript of its events.
import * as vscode from "vscode";
import { maskKnownSecrets } from "../../base/secrets/knownSecrets.ts";
import { conversationText } from "../../session/conversation/conversationText.ts";
import { openLog, type OpenLogOptions } from "../../session/log/openLog.ts";
import { sessionFileName } from "../../session/log/sessionStore.ts";
import type { ListedSession } from "../sessionGroups.ts";
import { titleOf } from "./sessionTexts.ts";
import { setStatusBarMessage, showQuickPick } from "../../editor/editorUi.ts";
import type { SessionRegistry } from "../sessionRegistry.ts";

export type ExportSessionOptions = Omit<OpenLogOptions, "session"> & { readonly registry: SessionRegistry };

/** Asks for the format and the file, and writes the session there. */
export async function exportSession(options: ExportSessionOptions, target: ListedSession): Promise<void> {
  const formats = [
    {
      label: vscode.l10n.t("Markdown"),
      detail: vscode.l10n.t("The conversation as text"),
      extension: "md",
      text: () => markdownOf(options, target.id),
    },
    {
      label: vscode.l10n.t("Transcript"),
      detail: vscode.l10n.t("Every event with its time, one JSON object a line"),
      extension: "jsonl",
      text: () => logOf(options, target.id),
    },
  ];
  const title = vscode.l10n.t("Export Session");
  const format = await showQuickPick(formats, { title, placeHolder: titleOf(target) });
  if (!format) return;
  const { extension, label } = format;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const file = await vscode.window.showSaveDialog({
    title,
    filters: { [label]: [extension] },
    ...(folder && { defaultUri: vscode.Uri.joinPath(folder, `${fileNameOf(titleOf(target))}.${extension}`) }),
  });
  if (!file) return;
  await vscode.workspace.fs.writeFile(file, Buffer.from(await format.text(), "utf8"));
  setStatusBarMessage(vscode.l10n.t("Exported the session."));
}

async function markdownOf({ registry, ...options }: ExportSessionOptions, session: string): Promise<string> {
  const state = registry.open.get(session)?.state ?? (await openLog({ ...options, session }))?.state;
  if (!state) throw new Error(noLog());
  return conversationText(state);
}

async function logOf({ registry, storage }: ExportSessionOptions, session: string): Promise<string> {
  await registry.flushLog(session);
  const text = await storage.read(sessionFileName(session));
  if (text === undefined) throw new Error(noLog());
  // Each window begins a line of its own, in case the window before it was killed while it wrote.
  return maskKnownSecrets(text.replace(/\n{2,}/g, "\n"));
}

const noLog = (): string => vscode.l10n.t("This session no longer has a log.");

/** A name that every file system accepts. */
const fileNameOf = (title: string): string =>
  title
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .trim()
    .slice(0, 60)
    .trim() || "session";
