// "Save Transcript", and the export of the protocol inspector: the messages to and from an agent, with secrets masked.
import * as vscode from "vscode";
import { transcriptText, type TrafficRecorder, type TrafficRecord } from "../acp/trafficRecorder.ts";
import { showInformationMessage } from "../editor/editorUi.ts";

/** Records that are written before other work of the extension host runs. */
const recordsPerSlice = 200;

/** What happened to files, for the transcript. */
interface FileNotes {
  readonly allTexts: readonly string[];
}

/**
 * Asks for a file and saves the recording of the agent there as a transcript. What happened to files follows all messages.
 */
export async function saveTranscript(agent: string, tap: TrafficRecorder | undefined, files: FileNotes): Promise<void> {
  if (!tap || tap.count === tap.dropped) {
    void showInformationMessage(
      vscode.l10n.t("There is nothing to save yet. This agent has not been started in this window."),
    );
    return;
  }
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const name = `parley-${agent.replace(/[^\w-]/g, "_")}.ndjson`;
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t("Save Transcript"),
    filters: { [vscode.l10n.t("Transcript")]: ["ndjson"] },
    ...(folder && { defaultUri: vscode.Uri.joinPath(folder, name) }),
  });
  if (!target) return;
  const { records } = tap;
  const t = records.at(-1)?.t ?? 0;
  const notes = files.allTexts.map((text): TrafficRecord => ({ t, dir: "note", text }));
  await vscode.workspace.fs.writeFile(target, Buffer.from(await textOf([...records, ...notes]), "utf8"));
  void showInformationMessage(
    tap.dropped > 0
      ? vscode.l10n.t(
          "The transcript was saved without the oldest messages, so it cannot be replayed. Values that look like secrets are masked, but it contains prompts, file contents, and paths.",
        )
      : vscode.l10n.t(
          "The transcript was saved. Values that look like secrets are masked, but it contains prompts, file contents, and paths.",
        ),
  );
}

async function textOf(records: readonly TrafficRecord[]): Promise<string> {
  let text = "";
  for (let at = 0; at < records.length; at += recordsPerSlice) {
    text += transcriptText(records.slice(at, at + recordsPerSlice));
    await new Promise(resolve => setImmediate(resolve));
  }
  return text;
}
