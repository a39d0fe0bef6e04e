// The hits of a search by conversation, and which one is selected.
import type { FoundSession, SearchRow } from "../../src/panel/searchPage.ts";
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
  readonly #shownWhole = new Set<string>();
  #selected: HitPlace | undefined;

  /** The latest used first. */
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
    this.#sessions = [...others, ...found].sort((a, b) => b.updated - a.updated);
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
