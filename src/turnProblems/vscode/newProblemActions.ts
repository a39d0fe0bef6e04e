// What the user can do with the new problems of a turn: see where they are, have them fixed, send them with the next prompt.
import * as vscode from "vscode";
import { DisposableStore, Emitter, type Disposable, type Event } from "../../base/lifecycle.ts";
import { asError } from "../../base/errors.ts";
import type { Clock, Log } from "../../base/log.ts";
import { relativeLabel } from "../../base/pathLabel.ts";
import { showInformationMessage, showQuickPick, showWarningMessage } from "../../editor/editorUi.ts";
import type { Attachments } from "../../mentions/vscode/attachments.ts";
import type { ChatSurface } from "../../panel/chatSurface.ts";
import type { HeadPart } from "../../panel/headParts.ts";
import type { Attachment, ViewNewProblems } from "../../panel/protocol.ts";
import type { Entry, SessionState } from "../../session/state.ts";
import {
  latestProblemEntry,
  newProblemsAt,
  placedProblems,
  problemsText,
  sentProblems,
  type NewProblems,
  type PlacedProblem,
} from "../newProblems.ts";
import type { WindowReports } from "./windowReports.ts";

/** A session, as these actions need it. */
export interface ProblemSession {
  readonly id: string;
  readonly state: SessionState;
}

export interface NewProblemActionsOptions {
  readonly reports: WindowReports;
  readonly chat: ChatSurface;
  readonly attachments: Pick<Attachments, "attachText" | "previewAccess">;
  /** Whether new problems go with the next prompt, and when that may have changed. */
  readonly sending: { readonly isOn: () => boolean; readonly onDidChange: Event<void> };
  readonly clock: Clock;
  readonly log: Log;
}

/** Servers report many times in a second while they check a project (ms). */
const updateDelay = 250;

export class NewProblemActions implements Disposable {
  readonly #options: NewProblemActionsOptions;
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new Emitter<void>());
  readonly head: HeadPart<"newProblems"> = {
    values: { newProblems: session => this.#view(session) },
    onDidChange: this.#changed.event,
  };
  /** The entries whose problems the user does not send, by their sessions. */
  readonly #unsent = new Map<string, string>();
  /** What is shown of each entry, until something is reported. */
  #views = new WeakMap<Entry, ViewNewProblems>();
  /** The files about which something was reported since the last update. */
  readonly #reported = new Set<string>();
  /** Whether the problems of files may be sent, by path. False until it is known. */
  readonly #shared = new Map<string, boolean>();
  #timer: Disposable | undefined;

  constructor(options: NewProblemActionsOptions) {
    this.#options = options;
    this.#store.add(
      options.sending.onDidChange(() => {
        this.#update();
        void this.#readAccess([...this.#shared.keys()]);
      }),
    );
    this.#store.add(
      options.reports.onDidReport(paths => {
        if (!options.sending.isOn()) return;
        for (const path of paths) this.#reported.add(path);
        this.#timer ??= options.clock.after(updateDelay, () => void this.#readReported());
      }),
    );
  }

  /** Lists the new problems of the entry, or of the latest turn, and opens the chosen one. */
  async show(session: ProblemSession | undefined, entry?: string): Promise<void> {
    const found = findProblems(session, entry);
    if (!session || !found) return noProblems();
    const items = this.#place(found).map(problem => this.#item(problem, session.state.workspaceFolder));
    const more = found.count + found.withheld - found.problems.length;
    const rest = more > 0 ? [{ label: vscode.l10n.t("{0} more in the Problems view", more) }] : [];
    const placeHolder = vscode.l10n.t("Select the problem to open");
    const chosen = await showQuickPick<ProblemItem>([...items, ...rest], { placeHolder, matchOnDescription: true });
    if (!chosen) return;
    if (!chosen.problem) return void (await vscode.commands.executeCommand("workbench.actions.view.problems"));
    const { path, line, column } = chosen.problem;
    const at = new vscode.Position(line - 1, column - 1);
    await vscode.window.showTextDocument(vscode.Uri.file(path), { selection: new vscode.Range(at, at) });
  }

  /** Attaches the new problems of the entry, or of the latest turn, to the message in the composer. */
  async fix(session: ProblemSession | undefined, entry?: string, surfaces?: readonly string[]): Promise<void> {
    const found = findProblems(session, entry);
    if (!session || !found) return noProblems();
    const { workspaceFolder } = session.state;
    const { attachments, refused, isWithheld } = await this.#attach(found, workspaceFolder, "Fix these problems.\n");
    if (refused.length > 0) void showWarningMessage(refused.join(" "));
    if (attachments.length === 0) {
      if (refused.length === 0) void showInformationMessage(isWithheld ? withheldText() : goneText());
      return;
    }
    await this.#options.chat.reveal({ type: "attached", attachments }, surfaces);
    await this.#options.chat.focus("composer", surfaces);
  }

  /** Sends the new problems of the latest turn with the next prompt of the session, or does not. */
  setSent(session: ProblemSession | undefined, isSent: boolean): void {
    const entry = session && latestProblemEntry(session.state);
    if (!session || !entry) return;
    if (isSent) this.#unsent.delete(session.id);
    else this.#unsent.set(session.id, entry.id);
    this.#update();
  }

  /** What goes with a prompt that begins a turn. Rejects with a sentence if it cannot be sent. */
  async content(session: ProblemSession): Promise<readonly Attachment[]> {
    const entry = latestProblemEntry(session.state);
    const found = newProblemsAt(entry);
    if (!found || !this.#options.sending.isOn() || this.#unsent.get(session.id) === entry?.id) return [];
    const { attachments, refused } = await this.#attach(found, session.state.workspaceFolder, "");
    if (refused.length > 0) throw new Error(refused.join(" "));
    return attachments;
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#store.dispose();
  }

  /** A view is made at once, so problems are read before. Never rejects. */
  async #readReported(): Promise<void> {
    const paths = [...this.#reported];
    this.#reported.clear();
    this.#timer = undefined;
    try {
      for (const path of paths) await this.#options.reports.readFile(path);
    } catch (error) {
      this.#options.log.error("New problems could not be read.", asError(error).stack);
    }
    this.#update();
  }

  #update(): void {
    this.#views = new WeakMap();
    this.#changed.fire();
  }

  #view(session: ProblemSession | undefined): ViewNewProblems | null {
    if (!session || !this.#options.sending.isOn()) return null;
    const entry = latestProblemEntry(session.state);
    const found = newProblemsAt(entry);
    if (!entry || !found) return null;
    const known = this.#views.get(entry);
    if (known) return known.count === 0 ? null : known;
    const placed = this.#place(found);
    const unknown = new Set(placed.map(({ path }) => path).filter(path => !this.#shared.has(path)));
    for (const path of unknown) this.#shared.set(path, false);
    if (unknown.size > 0) void this.#readAccess(unknown);
    const view = { count: this.#sent(found, placed).count, isSent: this.#unsent.get(session.id) !== entry.id };
    this.#views.set(entry, view);
    return view.count === 0 ? null : view;
  }

  #place({ problems }: NewProblems): readonly PlacedProblem[] {
    return placedProblems(problems, path => this.#options.reports.problemsOf(path));
  }

  #sent(found: NewProblems, placed: readonly PlacedProblem[]): NewProblems {
    return sentProblems(found, placed, path => this.#shared.get(path) === true);
  }

  /** Finds out whether the problems of the files may be sent: their messages can quote lines, also of secrets. */
  async #checkAccess(paths: Iterable<string>): Promise<void> {
    let isChanged = false;
    for (const path of paths) {
      const isShared = (await this.#options.attachments.previewAccess(path)) === "allowed";
      if (this.#shared.get(path) === isShared) continue;
      this.#shared.set(path, isShared);
      isChanged = true;
    }
    if (isChanged) this.#update();
  }

  /** Like {@link #checkAccess}, but never rejects. */
  async #readAccess(paths: Iterable<string>): Promise<void> {
    try {
      await this.#checkAccess(paths);
    } catch (error) {
      this.#options.log.error("Files with new problems could not be checked.", asError(error).stack);
    }
  }

  /** `isWithheld`: there are problems that are not attached because of their files. */
  async #attach(
    found: NewProblems,
    workspaceFolder: string,
    request: string,
  ): Promise<ReturnType<Attachments["attachText"]> & { readonly isWithheld: boolean }> {
    const placed = this.#place(found);
    const remaining = placed.filter(({ isGone }) => !isGone);
    await this.#checkAccess(new Set(remaining.map(({ path }) => path)));
    const sent = this.#sent(found, placed);
    const { count, problems } = sent;
    const isWithheld = found.withheld > 0 || problems.length < remaining.length;
    if (problems.length === 0) return { attachments: [], refused: [], isWithheld };
    const text = problemsText(sent, workspaceFolder);
    const label = count === 1 ? vscode.l10n.t("1 new problem") : vscode.l10n.t("{0} new problems", count);
    const detail = problems[0]?.message ?? "";
    return { ...this.#options.attachments.attachText("problems", label, `${text}${request}`, { detail }), isWithheld };
  }

  #item(problem: PlacedProblem, workspaceFolder: string): ProblemItem {
    const { path, line, column, severity, message, source, code, isGone } = problem;
    const from = [source, code].filter(one => one !== undefined).join(" ");
    const place = `${relativeLabel(path, workspaceFolder)}:${line}:${column}`;
    return {
      label: message,
      description: [place, from, ...(isGone ? [vscode.l10n.t("no longer reported")] : [])]
        .filter(one => one !== "")
        .join(" · "),
      iconPath: new vscode.ThemeIcon(
        severity,
        new vscode.ThemeColor(severity === "error" ? "problemsErrorIcon.foreground" : "problemsWarningIcon.foreground"),
      ),
      problem,
    };
  }
}

interface ProblemItem extends vscode.QuickPickItem {
  /** Absent: the problems that are not listed. */
  readonly problem?: PlacedProblem;
}

function findProblems(session: ProblemSession | undefined, entry: string | undefined): NewProblems | undefined {
  if (!session) return undefined;
  const { entries } = session.state;
  return newProblemsAt(entry === undefined ? entries.findLast(({ turn }) => turn !== undefined) : entries.get(entry));
}

const goneText = (): string => vscode.l10n.t("The editor no longer reports these problems.");
const withheldText = (): string =>
  vscode.l10n.t(
    "The new problems are in files that look like secrets or are outside the workspace, so they are not attached.",
  );

const noProblems = (): void =>
  void showInformationMessage(vscode.l10n.t("The latest turn of the session has no new problems."));
