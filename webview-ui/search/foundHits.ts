// The hits of a search by conversation, and which one is selected.
import type { FoundFolder, FoundSession, SearchRow } from "../../src/panel/searchPage.ts";
import { visibleText } from "../../src/base/visibleText.ts";
import { t } from "../base/l10n.ts";

/** A line with hits: its index in the conversation. A conversation without hits has the row 0 only. */
export interface HitPlace {
  readonly session: string;
  readonly row: number;
}

/** The rows of one conversation that are shown before the button is pressed. */
const rowsBeforeMore = 10;

export class FoundHits {
  #sessions: readonly FoundSession[] = [];
  /** The other folders with hits, in the order in which they were found. */
  readonly #folders: string[] = [];
  readonly #shownWhole = new Set<string>();
  #selected: HitPlace | undefined;

  /** Those of the window's folder first, then folder by folder. The latest used first in each. */
  get sessions(): readonly FoundSession[] {
    return this.#sessions;
  }

  get selected(): HitPlace | undefined {
    return this.#selected;
  }

  /** Adds conversations. One that was found before is replaced. */
  add(found: readonly FoundSession[]): void {
    const ids = new Set(found.map(({ session }) => session));
    const others = this.#sessions.filter(({ session }) => !ids.has(session));
    for (const { folder } of found) if (folder && !this.#folders.includes(folder.uri)) this.#folders.push(folder.uri);
    const rank = ({ folder }: FoundSession): number => (folder ? this.#folders.indexOf(folder.uri) : -1);
    this.#sessions = [...others, ...found].sort((a, b) => rank(a) - rank(b) || b.updated - a.updated);
  }

  select(place: HitPlace): void {
    this.#selected = place;
    const found = this.#find(place.session);
    if (found && place.row >= this.shownRows(found).length) this.#shownWhole.add(place.session);
  }

  isSelected({ session, row }: HitPlace): boolean {
    return this.#selected?.session === session && this.#selected.row === row;
  }

  /** The row at the place. Undefined for a conversation without hits. */
  rowAt({ session, row }: HitPlace): SearchRow | undefined {
    return this.#find(session)?.rows[row];
  }

  /** The other folder of the conversation at the place, if it belongs to one. */
  folderAt({ session }: HitPlace): FoundFolder | undefined {
    return this.#find(session)?.folder;
  }

  /** The rows that are shown. */
  shownRows({ session, rows }: FoundSession): readonly SearchRow[] {
    return this.#shownWhole.has(session) ? rows : rows.slice(0, rowsBeforeMore);
  }

  showAll(session: string): void {
    this.#shownWhole.add(session);
  }

  /** The place after the selected one, or before it, also in other conversations. The first one if none is selected. */
  next(step: 1 | -1): HitPlace | undefined {
    const selected = this.#selected;
    const at = selected ? this.#sessions.findIndex(({ session }) => session === selected.session) : -1;
    if (!selected || at < 0) return this.#place(0, 0);
    const row = selected.row + step;
    if (row >= 0 && row < Math.max(1, this.#sessions[at]?.rows.length ?? 0)) return this.#place(at, row);
    const other = this.#sessions[at + step];
    return other && this.#place(at + step, step > 0 ? 0 : Math.max(0, other.rows.length - 1));
  }

  /** The place that {@link next} finds, if it is in the folder of the window; before hits of others, the last one that is. */
  nextInFolder(step: 1 | -1): HitPlace | undefined {
    const selected = this.#selected;
    const own = this.#sessions.filter(({ folder }) => !folder);
    const last = own.at(-1);
    if (step < 0 && selected && last && this.folderAt(selected))
      return { session: last.session, row: Math.max(0, last.rows.length - 1) };
    const place = this.next(step);
    return place && !this.folderAt(place) ? place : undefined;
  }

  #place(at: number, row: number): HitPlace | undefined {
    const found = this.#sessions[at];
    return found && { session: found.session, row };
  }

  #find(id: string): FoundSession | undefined {
    return this.#sessions.find(({ session }) => session === id);
  }
}

/** The hits in all of these conversations. */
export const countHits = (sessions: readonly FoundSession[]): number =>
  sessions.reduce((sum, { rows }) => sum + rows.reduce((hits, row) => hits + row.hits, 0), 0);

/** The title of a conversation, which may have none. */
export const sessionTitleText = (title: string): string =>
  title.trim() === "" ? t("New Conversation") : visibleText(title);
