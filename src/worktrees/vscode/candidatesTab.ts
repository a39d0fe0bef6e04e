// The editor tab that compares candidates: shows the page with their live state, and passes its intents on.
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import { DisposableStore, type Disposable, type Event } from "../../base/lifecycle.ts";
import type { Clock, Log } from "../../base/log.ts";
import { maskText } from "../../base/mask.ts";
import { PageTab } from "../../editor/pageTab.ts";
import type { OpenSessions } from "../../library/openSessions.ts";
import type { SessionEntry } from "../../library/sessionEntry.ts";
import { isCandidatesIntent, type CandidatesIntent, type CandidatesMessage } from "../../panel/candidatesPage.ts";
import type { CandidateChanges } from "../candidates/candidateChanges.ts";
import type { CandidateChecks } from "../candidates/candidateChecks.ts";
import type { CandidateGroup, CandidateGroups } from "../candidates/candidateGroups.ts";
import { candidateRow } from "../candidates/candidateRow.ts";
import { newErrorsOf } from "./candidateProblems.ts";

/** An intent that the tab does not handle itself. */
export type CandidatesAction = Exclude<CandidatesIntent, { readonly type: "ready" }>;

export interface CandidatesTabOptions {
  readonly groups: Pick<CandidateGroups, "get">;
  readonly open: OpenSessions;
  readonly stored: { get(id: string): SessionEntry | undefined; readonly onDidChange: Event<void> };
  readonly changes: CandidateChanges;
  readonly checks: CandidateChecks;
  /** The command line of the check. Empty: none. */
  readonly command: () => string;
  /** Shows the page in a webview. */
  readonly openPage: (webview: vscode.Webview) => void;
  /** Does what the user wants. Rejects with a sentence. */
  readonly run: (action: CandidatesAction, group: CandidateGroup) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Sessions change often. The page is painted again at most this often. Milliseconds. */
const paintInterval = 250;

/** The number of letters of a commit id that are shown. */
const idLength = 8;

/** The only tab that compares candidates. */
export class CandidatesTab implements Disposable {
  readonly #options: CandidatesTabOptions;
  readonly #store = new DisposableStore();
  readonly #page: PageTab<CandidatesMessage>;
  #group: string | undefined;
  #timer: Disposable | undefined;

  constructor(options: CandidatesTabOptions) {
    this.#options = options;
    const { open, stored, changes, checks, openPage, log } = options;
    const [title, about] = [t("Compare Candidates"), "the page of candidates"];
    this.#page = this.#store.add(new PageTab({ viewType: "parley.candidates", title, about, openPage, log }));
    this.#store.add(this.#page.onDidReceive(message => this.#receive(message)));
    this.#store.add(
      open.onDidChange(change => {
        if (!("session" in change)) return;
        const group = this.#shownGroup();
        const candidate = group?.candidates.find(({ session }) => session === change.session.id);
        if (!group || !candidate) return;
        changes.refresh(candidate, group.base);
        this.refresh();
      }),
    );
    for (const { onDidChange } of [stored, changes, checks]) this.#store.add(onDidChange(() => this.refresh()));
    this.#store.add(vscode.languages.onDidChangeDiagnostics(() => this.refresh()));
  }

  /** Shows the candidates of the group, in the tab that is open or in a new one. */
  show(group: string): void {
    this.#group = group;
    if (this.#page.show()) this.#show();
    this.refreshFiles();
  }

  /** The files of any candidate may have changed. */
  refreshFiles(): void {
    const group = this.#shownGroup();
    for (const candidate of group?.candidates ?? []) this.#options.changes.refresh(candidate, group?.base ?? "");
  }

  /** Paints the page again soon. */
  refresh(): void {
    if (!this.#page.isOpen) return;
    this.#timer ??= this.#options.clock.after(paintInterval, () => {
      this.#timer = undefined;
      this.#show();
    });
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#store.dispose();
  }

  /** A hidden tab keeps its group. */
  #shownGroup(): CandidateGroup | undefined {
    return this.#page.isOpen && this.#group !== undefined ? this.#options.groups.get(this.#group) : undefined;
  }

  #receive(message: unknown): void {
    const { log, run } = this.#options;
    if (!isCandidatesIntent(message)) return log.warn("The page of candidates sent an unknown message.");
    if (message.type === "ready") {
      this.#page.setReady();
      this.refreshFiles();
      return this.#show();
    }
    const group = this.#shownGroup();
    if (!group) return;
    run(message, group)
      .catch((thrown: unknown) => {
        const problem = maskText(asError(thrown).message);
        log.warn("The page of candidates could not do something.", problem);
        this.#page.post({ type: "problem", problem });
      })
      .finally(() => this.refresh());
  }

  #show(): void {
    const group = this.#shownGroup();
    if (!this.#page.isReady) return;
    // The last candidate was removed.
    if (!group) return this.#page.close();
    const { open, stored, changes, checks, command } = this.#options;
    const rows = group.candidates.map(candidate => {
      const state = open.get(candidate.session)?.state;
      const entry = stored.get(candidate.session);
      const compared = changes.of(candidate);
      const checkSince = checks.runsSince(candidate.session);
      return candidateRow(candidate, {
        exists: compared?.exists ?? true,
        ...(state && { state }),
        ...(entry && { entry }),
        ...(compared?.changes !== undefined && { changes: compared.changes }),
        problems: newErrorsOf(candidate.worktree, group.origin, compared?.changes ?? []),
        ...(checkSince !== undefined && { checkSince }),
      });
    });
    const { title, base } = group;
    this.#page.post({
      type: "candidates",
      view: { title, base: base.slice(0, idLength), command: maskText(command()), rows },
    });
  }
}
