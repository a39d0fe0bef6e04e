// Plans of agents as read-only documents that stay current. The address of a document is the same in every window, so VS Code
// opens it again after a reload.
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { DisposableStore, type Disposable, type Event } from "../../base/lifecycle.ts";
import type { Clock, Log } from "../../base/log.ts";
import { isOutsideSession } from "../../editor/folders.ts";
import { showInformationMessage, showQuickPick } from "../../editor/editorUi.ts";
import { ReadOnlyProvider } from "../../editor/readOnlyProvider.ts";
import { planText } from "../../session/conversation/planText.ts";
import type { Plan } from "../../session/events.ts";
import { planAddress, planQuery, planScheme } from "../../session/planAddress.ts";
import { planOf } from "../../session/planApproval.ts";
import { isEmptyPlan } from "../../session/plans.ts";
import type { SessionState } from "../../session/state.ts";
import { openFile } from "./openFile.ts";

export interface PlanSource {
  /** The state of the open session with that id. */
  state(session: string): SessionState | undefined;
  /** Fires when a session has changed, was opened or was closed. */
  readonly onDidChange: Event<unknown>;
}

/** VS Code reads a changed document again at most this often (ms). */
const maxDelay = 250;

export class PlanDocuments extends ReadOnlyProvider implements Disposable {
  readonly #source: PlanSource;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #scheme: string;
  readonly #store = new DisposableStore();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  /** What was read last of each document, and the number of the read. */
  readonly #shown = new Map<string, { readonly text: string; readonly version: number }>();
  #timer: Disposable | undefined;

  constructor(source: PlanSource, clock: Clock, log: Log, scheme = planScheme) {
    super();
    this.#scheme = scheme;
    this.#source = source;
    this.#clock = clock;
    this.#log = log;
    this.#store.add(this.#changed);
    this.#store.add(
      vscode.workspace.registerFileSystemProvider(scheme, this, { isReadonly: true, isCaseSensitive: true }),
    );
    this.#store.add(
      source.onDidChange(() => {
        if (this.#shown.size > 0) this.#timer ??= clock.after(maxDelay, () => this.#update());
      }),
    );
  }

  /** Opens a plan of the session, or its file if it has one in the folders of the session. Rejects with a sentence. */
  async open(session: string, id: string): Promise<void> {
    const state = this.#source.state(session);
    const plan = state && planOf(state, id);
    if (!state || !plan) throw new Error(vscode.l10n.t("The session no longer has this plan."));
    if (plan.path !== undefined && !isOutsideSession(plan.path, state.workspaceFolder)) {
      try {
        return await openFile(plan.path, undefined, state.workspaceFolder);
      } catch (error) {
        this.#log.info("The file of a plan could not be opened, so its text is shown.", asError(error).message);
      }
    }
    const uri = vscode.Uri.from({ scheme: this.#scheme, path: "/Plan.md", query: planQuery({ session, plan: id }) });
    this.#update();
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }

  /** Opens the plan of the session, or asks for one of several. */
  async choose(session: string | undefined): Promise<void> {
    const plans = [...((session === undefined ? undefined : this.#source.state(session)?.plans) ?? [])].filter(
      ([, plan]) => !isEmptyPlan(plan),
    );
    if (session === undefined || plans.length === 0) {
      void showInformationMessage(vscode.l10n.t("The session has no plan."));
      return;
    }
    const picks = plans.map(([id, plan]) => ({
      label: titleOf(plan),
      iconPath: new vscode.ThemeIcon("checklist"),
      id,
    }));
    const placeHolder = vscode.l10n.t("Select the plan to open");
    const chosen = picks.length === 1 ? picks[0] : await showQuickPick(picks, { placeHolder });
    if (chosen) await this.open(session, chosen.id);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { text, version } = this.#read(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime: version, size: Buffer.byteLength(text) };
  }
  readFile(uri: vscode.Uri): Uint8Array {
    return Buffer.from(this.#read(uri).text);
  }

  #read(uri: vscode.Uri): { readonly text: string; readonly version: number } {
    const key = uri.toString();
    const text = this.#textOf(uri);
    const shown = this.#shown.get(key);
    if (shown?.text === text) return shown;
    // VS Code reads a document again only if its time is newer, also than in an earlier window.
    const read = { text, version: Math.max(this.#clock.now(), (shown?.version ?? 0) + 1) };
    this.#shown.set(key, read);
    return read;
  }

  #textOf({ query }: vscode.Uri): string {
    const address = planAddress({ scheme: planScheme, query });
    const state = address && this.#source.state(address.session);
    if (!state) return `_${vscode.l10n.t("The session of this plan is not open.")}_\n`;
    const plan = planOf(state, address.plan);
    return plan ? planText(plan) : `_${vscode.l10n.t("The session no longer has this plan.")}_\n`;
  }

  /** Reports the documents whose text has changed. */
  #update(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    const open = new Set(vscode.workspace.textDocuments.map(({ uri }) => uri.toString()));
    const changed: vscode.Uri[] = [];
    for (const [key, { text }] of this.#shown) {
      const uri = vscode.Uri.parse(key);
      if (!open.has(key)) this.#shown.delete(key);
      else if (this.#textOf(uri) !== text) changed.push(uri);
    }
    if (changed.length > 0) this.#changed.fire(changed.map(uri => ({ type: vscode.FileChangeType.Changed, uri })));
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#store.dispose();
    this.#shown.clear();
  }
}

/** The first words of a plan, for a choice. */
function titleOf({ markdown, entries, uri }: Plan): string {
  const line = (markdown ?? "").split("\n").find(each => each.trim() !== "") ?? entries[0]?.content ?? uri ?? "";
  return line.replace(/^\s*(?:#+|[-*]|\d+\.)\s+/, "").slice(0, 200) || vscode.l10n.t("Plan");
}
