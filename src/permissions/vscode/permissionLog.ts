// "Show Permission Log": the answers to permission requests, as a read-only document.
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import { byAllEdits } from "../../session/byAllEdits.ts";
import type { Disposable } from "../../base/lifecycle.ts";
import type { AuditLog, AuditRecord } from "../auditLog.ts";

const scheme = "parley-permissions";
const uri = vscode.Uri.from({ scheme, path: "Parley permissions.log" });
const refreshDelay = 300;

/** A document of the permission log, updated while it is open. */
export class PermissionLog implements vscode.TextDocumentContentProvider, Disposable {
  readonly #log: AuditLog;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #disposables: Disposable[];
  #timer: NodeJS.Timeout | undefined;

  constructor(log: AuditLog) {
    this.#log = log;
    this.#disposables = [
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      log.onDidRecord(() => this.#scheduleRefresh()),
      this.#changed,
    ];
  }

  async provideTextDocumentContent(): Promise<string> {
    try {
      const { records, broken } = await this.#log.read();
      return logText(records, broken);
    } catch (error) {
      return t("The permission log could not be read: {0}", asError(error).message);
    }
  }

  /** Opens the log in an editor and reveals its newest line. */
  async show(): Promise<void> {
    this.#changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    const editor = await vscode.window.showTextDocument(document, { preview: true });
    const end = document.lineAt(document.lineCount - 1).range.end;
    editor.revealRange(new vscode.Range(end, end));
  }

  #scheduleRefresh(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const isOpen = vscode.workspace.textDocuments.some(document => document.uri.toString() === uri.toString());
      if (isOpen) this.#changed.fire(uri);
    }, refreshDelay);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const disposable of this.#disposables) disposable.dispose();
  }
}

function logText(records: readonly AuditRecord[], broken: number): string {
  const unreadableNote = broken === 0 ? "" : t("Unreadable lines of the log, not shown: {0}", broken).concat("\n\n");
  if (records.length === 0) {
    return unreadableNote + t("No permission request has been answered in this workspace yet.");
  }
  const head = [
    t("Date"),
    t("Agent"),
    t("Session"),
    t("Answer"),
    t("Decided by"),
    t("Question"),
    t("Command, files or addresses"),
  ];
  return unreadableNote + alignColumns([head, ...records.map(row)]);
}

function row(record: AuditRecord): readonly string[] {
  const { at, agent, sessionTitle = "", answer, option, what, subject } = record;
  const words = {
    allowed: t("allowed"),
    refused: t("refused"),
    cancelled: t("cancelled"),
    notPrevented: t("not prevented"),
  };
  const chosen = option === undefined ? words[answer] : `${words[answer]} (${option})`;
  return [
    localTime(at),
    agent,
    sessionTitle.slice(0, maxPaddedWidth),
    chosen,
    decider(record),
    what,
    subject === what ? "" : subject,
  ].map(oneLine);
}

function decider({ by, answer }: AuditRecord): string {
  if (by === byAllEdits) return t("you, with all edits of the session");
  if (by !== undefined) return answer === "notPrevented" ? t("denied by rule: {0}", by) : t("rule: {0}", by);
  return answer === "cancelled" ? t("no one") : t("you");
}

function localTime(at: number): string {
  const date = new Date(at);
  const two = (part: number): string => String(part).padStart(2, "0");
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":")}`;
}

/** Agents write these texts. A text must not imitate another line or change the direction of the text. */
function oneLine(cell: string): string {
  return cell.replace(/\r\n|[\n\r\u2028\u2029]/g, "⏎").replace(/[\p{Cc}\p{Cf}]/gu, "�");
}

/** A wider cell only shifts its own line. */
const maxPaddedWidth = 48;

function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.min(maxPaddedWidth, Math.max(...rows.map(cells => cells[column]?.length ?? 0))),
  );
  return rows
    .map(cells => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "))
    .map(line => `${line.trimEnd()}\n`)
    .join("");
}
