// What screen readers hear without asking: whole settled messages, questions, turn ends, waiting; never chunks.
import type { ViewHead, View } from "../../src/panel/protocol.ts";
import type { StoreChange } from "../base/store.ts";
import { activityText, connectionText } from "./statusText.ts";
import { t } from "../base/l10n.ts";
import { turnEndText } from "../transcript/statusRow.ts";

/** Spoken lines that stay in the region: enough for slow readers, few enough to be found empty by browsing. */
const maxKeptLines = 3;
/** Characters that are laid out quickly enough. */
const pieceLength = 4000;

/** Speaks through a polite live region. */
export class Speech {
  readonly #region: HTMLElement;
  readonly #textOf: (id: string) => Promise<string>;
  #head: ViewHead | undefined;
  /** Answers that have come in but were not yet complete. */
  readonly #pendingAnswers = new Set<string>();
  readonly #knownIds = new Set<string>();
  /** Lines to be said; the first is being said. */
  readonly #pendingLines: string[] = [];

  constructor(region: HTMLElement, textOf: (id: string) => Promise<string>) {
    this.#region = region;
    this.#textOf = textOf;
  }

  /** Says what a change means. The first view, and every snapshot, is the past: it stays silent. */
  async announceChange(change: StoreChange, view: View): Promise<void> {
    const before = this.#head;
    this.#head = view.head;
    if (change.snapshot || before === undefined) {
      this.#pendingAnswers.clear();
      this.#knownIds.clear();
      for (const entry of view.entries) this.#knownIds.add(entry.id);
      if (view.head.live !== null) this.#pendingAnswers.add(view.head.live);
      return;
    }
    if (change.moved) this.#announceNew(view);
    await this.#announceSettled(view);
    this.#announceHead(before, view);
  }

  #announceNew(view: View): void {
    for (let at = view.entries.length - 1; at >= 0; at--) {
      const entry = view.entries[at];
      if (!entry || this.#knownIds.has(entry.id)) return;
      this.#knownIds.add(entry.id);
      // A sub-agent's words are between it and its agent.
      if (entry.kind === "agent" && entry.parent === undefined) this.#pendingAnswers.add(entry.id);
      if (entry.kind === "notice") this.announce(entry.title);
      if (entry.kind === "problem") this.announce(entry.problem.message);
      if (entry.kind === "turnEnd") this.announce(turnEndText(entry.stopReason));
    }
  }

  async #announceSettled(view: View): Promise<void> {
    const settled = [...this.#pendingAnswers].filter(id => id !== view.head.live);
    for (const id of settled) this.#pendingAnswers.delete(id);
    for (const id of settled) this.announce(await this.#textOf(id));
  }

  #announceHead(before: ViewHead, view: View): void {
    const { head } = view;
    const name = head.agent?.name ?? t("The agent");
    const newQuestions = head.asks.filter(ask => !before.asks.some(({ id }) => id === ask.id));
    for (const ask of newQuestions) this.announce(t("Question from {0}: {1}", name, ask.title));
    if (before.connection?.state !== head.connection?.state) this.announce(connectionText(head) ?? "");
    if (before.activity.state === head.activity.state) return;
    const ended = head.activity.state === "idle" && view.entries.at(-1)?.kind !== "turnEnd";
    this.announce(ended ? t("{0} has finished.", name) : (activityText(head) ?? ""));
  }

  /** Says a line, after those before it; nothing if it is empty. */
  announce(text: string): void {
    if (text === "") return;
    this.#pendingLines.push(text);
    if (this.#pendingLines.length === 1) this.#announceNext();
  }

  #announceNext(): void {
    const [text] = this.#pendingLines;
    if (text === undefined) return;
    const line = document.createElement("p");
    this.#region.append(line);
    while (this.#region.childElementCount > maxKeptLines) this.#region.firstElementChild?.remove();
    if (text.length > pieceLength) return this.#announcePiece(line, text);
    line.textContent = text;
    this.#finishLine();
  }

  /** A long line comes in pieces: all of it at once would hold up the page. */
  #announcePiece(line: HTMLElement, text: string): void {
    const piece = document.createElement("span");
    const end =
      text.length <= pieceLength
        ? text.length
        : (/^[^]*\s/.exec(text.slice(0, pieceLength))?.[0].length ?? pieceLength);
    piece.textContent = text.slice(0, end);
    line.append(piece);
    if (end === text.length) this.#finishLine();
    else setTimeout(() => this.#announcePiece(line, text.slice(end)));
  }

  #finishLine(): void {
    this.#pendingLines.shift();
    this.#announceNext();
  }
}
