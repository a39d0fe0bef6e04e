// "Show Protocol Traffic" and "Save Transcript": the messages to and from an agent, with secrets masked.
import * as vscode from "vscode";
import { maskRecord, transcriptText, type TrafficRecorder, type TrafficRecord } from "../acp/trafficRecorder.ts";
import type { AgentPool } from "../agents/pool.ts";
import type { Disposable } from "../base/lifecycle.ts";
import { showInformationMessage } from "../editor/editorUi.ts";

const scheme = "parley-traffic";
const maxRowLength = 20_000;

/** Records the traffic. */
type TrafficSource = Pick<AgentPool, "tap" | "onDidRecord">;

/** What happened to files, for the transcript. */
interface FileNotes {
  readonly allTexts: readonly string[];
}

/** A read-only document of an agent's traffic. It is updated while it is open. */
export class TrafficDocument implements vscode.TextDocumentContentProvider, Disposable {
  readonly #pool: TrafficSource;
  readonly #files: FileNotes;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #disposables: Disposable[];
  #timer: NodeJS.Timeout | undefined;

  constructor(pool: TrafficSource, files: FileNotes) {
    this.#pool = pool;
    this.#files = files;
    this.#disposables = [
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      pool.onDidRecord(agent => this.#scheduleUpdate(agent)),
      this.#changed,
    ];
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const tap = this.#pool.tap(uri.query);
    if (!tap) return vscode.l10n.t("No messages have been exchanged with this agent yet.");
    return headerText(tap) + tap.records.map(recordText).join("");
  }

  /** Opens the traffic of the agent in an editor. */
  async show(agent: string, name: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme, path: `${name} traffic.ndjson`, query: agent });
    this.#changed.fire(uri);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }

  /** Asks for a file and saves the traffic there as a transcript. */
  async save(agent: string): Promise<void> {
    const tap: TrafficRecorder | undefined = this.#pool.tap(agent);
    if (!tap || tap.records.length === 0) {
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
    await vscode.workspace.fs.writeFile(
      target,
      Buffer.from(transcriptText([...tap.records, ...this.#notes(tap)]), "utf8"),
    );
    void showInformationMessage(
      vscode.l10n.t(
        "The transcript was saved. Values that look like secrets are masked, but it contains prompts, file contents, and paths.",
      ),
    );
  }

  /** What happened to files, after all messages. */
  #notes({ records }: TrafficRecorder): readonly TrafficRecord[] {
    const t = records.at(-1)?.t ?? 0;
    return this.#files.allTexts.map(text => ({ t, dir: "note", text }));
  }

  #scheduleUpdate(agent: string): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      for (const document of vscode.workspace.textDocuments) {
        if (document.uri.scheme === scheme && document.uri.query === agent) this.#changed.fire(document.uri);
      }
    }, 500);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const disposable of this.#disposables) disposable.dispose();
  }
}

/** Says how many lines are missing below, and how many lines of the agent's output are not messages. */
function headerText({ dropped, badLines }: TrafficRecorder): string {
  const lines = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;
  const kept = dropped > 0 ? `// Dropped: ${lines(dropped, "older line")}\n` : "";
  const bad =
    badLines > 0 ? `// Not valid messages: ${lines(badLines, "line")} of the agent's output ("dir":"out")\n` : "";
  return kept + bad;
}

function recordText(record: TrafficRecord): string {
  const line = JSON.stringify(maskRecord(record));
  return (line.length > maxRowLength ? `${line.slice(0, maxRowLength)}… (${line.length} characters)` : line) + "\n";
}
