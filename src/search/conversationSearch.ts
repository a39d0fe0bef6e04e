// The search of all conversations: chooses the sessions, has their joined texts searched, makes those that are missing, and
// names the sessions that cannot be searched.
import { asError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { maskKnownIn } from "../base/secrets/knownSecrets.ts";
import type { OtherFolder, OtherFolders } from "../library/otherFolders.ts";
import type { SessionEntry } from "../library/sessionEntry.ts";
import type { FindQuery } from "../panel/find/findProtocol.ts";
import { findProblemText } from "../panel/find/findProblemText.ts";
import type { FoundSession, SearchMessage, UnsearchedSession } from "../panel/searchPage.ts";
import { passesFilters, readQuery, type SearchFilters } from "./searchQuery.ts";
import type { SearchEnd, SearchProgress } from "./textSearch.ts";
import type { TextSearchTask } from "./workerMessages.ts";

/** The search ends after this many lines with hits. */
const maxRows = 2000;

/** The other folders are not read again for each letter that the user types. Milliseconds. */
const maxFoldersAge = 10_000;

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
  /** The other folders of the profile. Their texts are read, but never made. */
  readonly others: Pick<OtherFolders, "each">;
  readonly searchTexts: SearchTexts;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** Where conversations are stored: in this window's folder, or in another one. */
interface SearchPlace {
  /** The folder of the logs. */
  readonly sessionsFolder: string;
  readonly entries: ReadonlyMap<string, SessionEntry>;
  readonly other?: OtherFolder;
}

/** What is searched for. `allFolders`: also in the other folders of the profile. */
export interface ConversationQuery extends FindQuery {
  readonly allFolders: boolean;
}

/** A search that has been started. */
interface SearchRun {
  readonly request: number;
  readonly query: FindQuery;
  readonly filters: SearchFilters;
  readonly own: SearchPlace;
  readonly unsearched: UnsearchedSession[];
  readonly report: (message: SearchMessage) => void;
  /** Sessions whose joined texts have to be made first. */
  stale: string[];
  /** How many rows with hits were reported. */
  rows: number;
}

export class ConversationSearch {
  readonly #options: ConversationSearchOptions;
  #run: SearchRun | undefined;

  constructor(options: ConversationSearchOptions) {
    this.#options = options;
  }

  /**
   * Searches all conversations of the folder, or of all folders, and reports hits as they are found, and the end. A newer
   * search ends this one, which then reports nothing more. Never rejects.
   */
  async search(request: number, typed: ConversationQuery, report: (message: SearchMessage) => void): Promise<void> {
    const read = readQuery(typed.query, this.#options.now());
    if ("problem" in read) {
      this.#run = undefined;
      return report({ type: "done", request, isCut: false, unsearched: [], problem: read.problem });
    }
    const { allFolders, ...query } = typed;
    const run: SearchRun = {
      ...{ request, report, filters: read.filters, query: { ...query, query: read.words } },
      own: {
        sessionsFolder: this.#options.folder,
        entries: filteredEntries(this.#options.entries(), read.filters),
      },
      ...{ unsearched: [], stale: [], rows: 0 },
    };
    this.#run = run;
    const isEmpty = read.words === "" && isUnfiltered(read.filters);
    if (read.words !== "") run.unsearched.push(...maskKnownIn(this.#options.unreadable()));
    try {
      const own = isEmpty ? { isCut: false } : await this.#searchAll(run);
      const end = own && allFolders && !isEmpty ? await this.#searchOthers(run, own) : own;
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
    const ids = [...run.own.entries.keys()];
    // What is open here is searched as it is now.
    const behind = new Set(ids.filter(id => texts.isBehind(id)));
    const end = await this.#searchIn(run, run.own, ids.filter(id => !behind.has(id))); // prettier-ignore
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
      noteUnsearched(run, run.own, id, asError(error).message);
      return { isCut: false };
    }
    if (this.#run !== run) return undefined;
    const others = run.stale;
    run.stale = [];
    const end = await this.#searchIn(run, run.own, [id], true);
    if (run.stale.length > 0) noteUnsearched(run, run.own, id, t("Its text for the search could not be read."));
    run.stale = others;
    return end;
  }

  /** Searches the other folders, after this one, because what the user works with comes first. */
  async #searchOthers(run: SearchRun, own: SearchEnd): Promise<SearchEnd | undefined> {
    if (own.problem || own.isCut) return own;
    for await (const other of this.#options.others.each(maxFoldersAge)) {
      if (this.#run !== run) return undefined;
      const entries = filteredEntries(
        other.sessions.map(({ entry }) => entry),
        run.filters,
      );
      if (run.query.query !== "") run.unsearched.push(...maskKnownIn(unreadableOf(other)));
      const place = { sessionsFolder: other.sessionsFolder, entries, other };
      const end = await this.#searchIn(run, place, [...entries.keys()]);
      if (!end || end.problem || end.isCut || run.rows >= maxRows) return end && { ...end, isCut: !end.problem };
    }
    return { isCut: false };
  }

  async #searchIn(
    run: SearchRun,
    place: SearchPlace,
    ids: readonly string[],
    isMade = false,
  ): Promise<SearchEnd | undefined> {
    if (ids.length === 0) return { isCut: false };
    return this.#options.searchTexts(
      {
        ...{ folder: place.sessionsFolder, query: run.query, files: run.filters.files, maxRows: maxRows - run.rows },
        sessions: ids.map(id => ({ id, isCurrent: isMade })),
      },
      progress => this.#found(run, place, progress),
    );
  }

  #found(run: SearchRun, place: SearchPlace, { found, stale, cut, damaged }: SearchProgress): void {
    if (this.#run !== run) return;
    const { other } = place;
    if (!other) run.stale.push(...stale);
    else
      for (const id of stale)
        noteUnsearched(
          run,
          place,
          id,
          t("Its text for the search is missing or old. Search once in a window on its folder."),
        );
    for (const id of cut) noteUnsearched(run, place, id, t("It is very long, so only its beginning was searched."));
    for (const { id, lines } of damaged)
      noteUnsearched(
        run,
        place,
        id,
        lines === 1
          ? t("1 line of its log is damaged, so it was not searched.")
          : t("{0} lines of its log are damaged, so they were not searched.", lines),
      );
    const sessions = found.flatMap(({ id, rows, isCut }): readonly FoundSession[] => {
      const entry = place.entries.get(id);
      if (!entry) return [];
      run.rows += rows.length;
      const { title, agentName: agent, updated, done } = entry;
      const common = { title, agent, updated, isDone: done === true, rows, isCut };
      if (!other) return [{ session: id, ...common }];
      const { uri, name, label } = other;
      return [{ session: sessionElsewhere(uri, id), folder: { uri, name, label }, ...common }];
    });
    // A secret that Parley has learned since the text was made is hidden, too.
    if (sessions.length > 0)
      run.report({ type: "found", request: run.request, sessions: maskKnownIn(sessions, sentBack) });
  }
}

/** What the page calls a session of another folder. Copies of a folder can have sessions of the same ids. */
const sessionElsewhere = (folder: string, id: string): string => `${folder} ${id}`;

/** The URI of the other folder and the id of a session that the page names. Undefined for one of this window's folder. */
export function readSessionElsewhere(session: string): { readonly uri: string; readonly id: string } | undefined {
  const end = session.lastIndexOf(" ");
  return end < 0 ? undefined : { uri: session.slice(0, end), id: session.slice(end + 1) };
}

function noteUnsearched(run: SearchRun, { entries, other }: SearchPlace, id: string, reason: string): void {
  run.unsearched.push({ title: entries.get(id)?.title ?? "", reason, ...(other && { folder: other.name }) });
}

/** The files of another folder that could not be read are named, because the titles are not known. */
const unreadableOf = ({ damaged, name }: OtherFolder): readonly UnsearchedSession[] =>
  damaged.map(({ file, reason }) => ({ title: file, reason, folder: name }));

const filteredEntries = (entries: readonly SessionEntry[], filters: SearchFilters): ReadonlyMap<string, SessionEntry> =>
  new Map(entries.filter(entry => passesFilters(entry, filters)).map(entry => [entry.id, entry]));

/** What the page sends back must match. */
const sentBack: ReadonlySet<string> = new Set(["session", "uri"]);

const isUnfiltered = ({ agents, files, after, before, isDone }: SearchFilters): boolean =>
  agents.length + files.length === 0 && after === undefined && before === undefined && !isDone;
