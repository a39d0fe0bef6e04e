// The search of all conversations: chooses the sessions, has their joined texts searched, makes those that are missing, and
// names the sessions that cannot be searched.
import { asError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { maskKnownIn } from "../base/secrets/knownSecrets.ts";
import type { SessionEntry } from "../library/sessionEntry.ts";
import type { FindQuery } from "../panel/find/findProtocol.ts";
import { findProblemText } from "../panel/find/findProblemText.ts";
import type { FoundSession, SearchMessage, UnsearchedSession } from "../panel/searchPage.ts";
import { passesFilters, readQuery, type SearchFilters } from "./searchQuery.ts";
import type { SearchEnd, SearchProgress } from "./textSearch.ts";
import type { TextSearchTask } from "./workerMessages.ts";

/** The search ends after this many lines with hits. */
const maxRows = 2000;

/** The joined texts, as the search uses them. */
export interface SearchedTexts {
  isBehind(session: string): boolean;
  /** Rejects with a sentence. */
  make(session: string): Promise<void>;
}

/** Searches joined texts. See {@link TextSearch.search}. */
export type SearchTexts = (
  task: Omit<TextSearchTask, "task">,
  onProgress: (progress: SearchProgress) => void,
) => Promise<SearchEnd | undefined>;

export interface ConversationSearchOptions {
  /** The folder of the logs. */
  readonly folder: string;
  /** The sessions, the latest first. */
  readonly entries: () => readonly SessionEntry[];
  /** Stored sessions that could not be read at all, so that they have no entry. */
  readonly unreadable: () => readonly UnsearchedSession[];
  readonly texts: SearchedTexts;
  readonly searchTexts: SearchTexts;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** A search that has been started. */
interface SearchRun {
  readonly request: number;
  readonly query: FindQuery;
  readonly filters: SearchFilters;
  readonly entries: ReadonlyMap<string, SessionEntry>;
  readonly unsearched: UnsearchedSession[];
  readonly report: (message: SearchMessage) => void;
  /** Sessions whose joined texts have to be made first. */
  stale: string[];
  /** The sessions with hits whose joined text was older than the session. */
  rows: number;
}

export class ConversationSearch {
  readonly #options: ConversationSearchOptions;
  #run: SearchRun | undefined;

  constructor(options: ConversationSearchOptions) {
    this.#options = options;
  }

  /**
   * Searches all conversations, and reports hits as they are found, and the end. A newer search ends this one, which then
   * reports nothing more. Never rejects.
   */
  async search(request: number, typed: FindQuery, report: (message: SearchMessage) => void): Promise<void> {
    const read = readQuery(typed.query, this.#options.now());
    if ("problem" in read) {
      this.#run = undefined;
      return report({ type: "done", request, isCut: false, unsearched: [], problem: read.problem });
    }
    const entries = this.#options.entries().filter(entry => passesFilters(entry, read.filters));
    const run: SearchRun = {
      ...{ request, report, filters: read.filters, query: { ...typed, query: read.words } },
      entries: new Map(entries.map(entry => [entry.id, entry])),
      ...{ unsearched: [], stale: [], rows: 0 },
    };
    this.#run = run;
    const isEmpty = read.words === "" && isUnfiltered(read.filters);
    if (read.words !== "") run.unsearched.push(...maskKnownIn(this.#options.unreadable()));
    try {
      const end = isEmpty ? { isCut: false } : await this.#searchAll(run);
      if (!end || this.#run !== run) return;
      const problem = end.problem && findProblemText(end.problem);
      const { unsearched } = run;
      report({ type: "done", request, isCut: end.isCut, unsearched, ...(problem !== undefined && { problem }) });
    } catch (error) {
      if (this.#run !== run) return;
      const problem = t("The conversations could not be searched: {0}", asError(error).message);
      report({ type: "done", request, isCut: false, unsearched: run.unsearched, problem });
    }
  }

  /** Ends the search that runs. */
  cancel(): void {
    this.#run = undefined;
  }

  async #searchAll(run: SearchRun): Promise<SearchEnd | undefined> {
    const { texts } = this.#options;
    const ids = [...run.entries.keys()];
    // What is open here is searched as it is now.
    const behind = new Set(ids.filter(id => texts.isBehind(id)));
    const end = await this.#searchIn(run, ids.filter(id => !behind.has(id))); // prettier-ignore
    if (!end || end.problem) return end;
    run.stale = [...behind, ...run.stale];
    for (let id = run.stale.shift(); id !== undefined; id = run.stale.shift()) {
      if (this.#run !== run) return undefined;
      if (end.isCut || run.rows >= maxRows) return { isCut: true };
      run.report({ type: "reading", request: run.request, left: run.stale.length + 1 });
      const made = await this.#searchMade(run, id);
      if (!made || made.problem) return made;
    }
    return { isCut: end.isCut || run.rows >= maxRows };
  }

  async #searchMade(run: SearchRun, id: string): Promise<SearchEnd | undefined> {
    try {
      await this.#options.texts.make(id);
    } catch (error) {
      run.unsearched.push({ title: this.#titleOf(run, id), reason: asError(error).message });
      return { isCut: false };
    }
    if (this.#run !== run) return undefined;
    const others = run.stale;
    run.stale = [];
    const end = await this.#searchIn(run, [id], true);
    if (run.stale.length > 0)
      run.unsearched.push({ title: this.#titleOf(run, id), reason: t("Its text for the search could not be read.") });
    run.stale = others;
    return end;
  }

  #titleOf({ entries }: SearchRun, id: string): string {
    return entries.get(id)?.title ?? "";
  }

  async #searchIn(run: SearchRun, ids: readonly string[], isMade = false): Promise<SearchEnd | undefined> {
    const { folder, searchTexts } = this.#options;
    if (ids.length === 0) return { isCut: false };
    return searchTexts(
      {
        ...{ folder, query: run.query, files: run.filters.files, maxRows: maxRows - run.rows },
        sessions: ids.map(id => ({ id, isCurrent: isMade })),
      },
      progress => this.#found(run, progress),
    );
  }

  #found(run: SearchRun, { found, stale, cut, damaged }: SearchProgress): void {
    if (this.#run !== run) return;
    run.stale.push(...stale);
    for (const id of cut)
      run.unsearched.push({
        title: this.#titleOf(run, id),
        reason: t("It is very long, so only its beginning was searched."),
      });
    for (const { id, lines } of damaged)
      run.unsearched.push({
        title: this.#titleOf(run, id),
        reason:
          lines === 1
            ? t("1 line of its log is damaged, so it was not searched.")
            : t("{0} lines of its log are damaged, so they were not searched.", lines),
      });
    const sessions = found.flatMap(({ id, rows, isCut }): readonly FoundSession[] => {
      const entry = run.entries.get(id);
      if (!entry) return [];
      run.rows += rows.length;
      const { title, agentName: agent, updated, done } = entry;
      return [{ session: id, title, agent, updated, isDone: done === true, rows, isCut }];
    });
    // A secret that Parley has learned since the text was made is hidden, too.
    if (sessions.length > 0)
      run.report({ type: "found", request: run.request, sessions: maskKnownIn(sessions, sentBack) });
  }
}

/** What the page sends back must match. */
const sentBack: ReadonlySet<string> = new Set(["session"]);

const isUnfiltered = ({ agents, files, after, before, isDone }: SearchFilters): boolean =>
  agents.length + files.length === 0 && after === undefined && before === undefined && !isDone;
