// Announcements for screen readers: complete messages, questions, turn ends and waiting, but never chunks.
import type { ViewHead, View } from "../../src/panel/protocol.ts";
import type { StoreChange } from "../base/store.ts";
import { activityText, connectionText } from "./statusText.ts";
import { t } from "../base/l10n.ts";
import { problemCountsText } from "../transcript/problemCounts.ts";
import { turnEndText } from "../transcript/statusRow.ts";

/** How many lines stay in the live region: enough for slow readers, but few for users who browse the page. */
const maxKeptLines = 3;
/** How many characters are added at once. More would take too long to lay out. */
const pieceLength = 4000;

/** The latest turn is at most this many entries before the end. Background work can follow it. */
const maxEntriesAfterTurn = 20;

/** The problems of the latest turn in words, by its entry. Nothing as long as they are not known. */
function problemTexts({ entries }: View): readonly (readonly [id: string, text: string])[] {
  const line = entries.slice(-maxEntriesAfterTurn).findLast(({ turn }) => turn !== undefined);
  const problems = line?.turn?.problems;
  return line && problems?.state === "known" ? [[line.id, problemCountsText(problems)]] : [];
}

/** Announces text through a polite live region. */
export class Speech {
  readonly #region: HTMLElement;
  readonly #textOf: (id: string) => Promise<string>;
  #head: ViewHead | undefined;
  /** The ids of answers that are not complete yet. */
  readonly #pendingAnswers = new Set<string>();
  readonly #knownIds = new Set<string>();
  /** How many characters of an answer were announced, by its id: it can continue after a thought. */
  readonly #spokenLengths = new Map<string, number>();
  /** What was announced of the problems of a turn, by its entry. */
  readonly #spokenProblems = new Map<string, string>();
  /** The lines to announce; the first is being added to the region. */
  readonly #pendingLines: string[] = [];

  constructor(region: HTMLElement, textOf: (id: string) => Promise<string>) {
    this.#region = region;
    this.#textOf = textOf;
  }

  /** Announces a change. Snapshots, including the first view, contain the past and are not announced. */
  async announceChange(change: StoreChange, view: View): Promise<void> {
    const before = this.#head;
    this.#head = view.head;
    if (change.snapshot || before === undefined) {
      this.#pendingAnswers.clear();
      this.#knownIds.clear();
      this.#spokenLengths.clear();
      for (const entry of view.entries) this.#knownIds.add(entry.id);
      for (const [id, text] of problemTexts(view)) this.#spokenProblems.set(id, text);
      if (view.head.live !== null) this.#pendingAnswers.add(view.head.live);
      return;
    }
    if (change.moved) this.#announceNew(view);
    if (view.head.live !== null && this.#spokenLengths.has(view.head.live)) this.#pendingAnswers.add(view.head.live);
    await this.#announceSettled(view);
    this.#announceHead(before, view.head);
    for (const [id, text] of problemTexts(view)) {
      if (this.#spokenProblems.get(id) === text) continue;
      this.#spokenProblems.set(id, text);
      this.announce(text);
    }
  }

  #announceNew(view: View): void {
    for (let at = view.entries.length - 1; at >= 0; at--) {
      const entry = view.entries[at];
      if (!entry || this.#knownIds.has(entry.id)) return;
      this.#knownIds.add(entry.id);
      // Messages of a sub-agent are addressed to its agent, not to the user.
      if (entry.kind === "agent" && entry.parent === undefined) this.#pendingAnswers.add(entry.id);
      if (entry.kind === "notice") this.announce(entry.title);
      if (entry.kind === "problem") this.announce(entry.problem.message);
      if (entry.kind === "turnEnd") this.announce(turnEndText(entry.stopReason, entry.unrequested));
    }
  }

  async #announceSettled(view: View): Promise<void> {
    const settled = [...this.#pendingAnswers].filter(id => id !== view.head.live);
    for (const id of settled) this.#pendingAnswers.delete(id);
    for (const id of settled) {
      const text = await this.#textOf(id);
      this.announce(text.slice(this.#spokenLengths.get(id) ?? 0).trim());
      this.#spokenLengths.set(id, text.length);
    }
  }

  #announceHead(before: ViewHead, head: ViewHead): void {
    const name = head.agent?.name ?? t("The agent");
    const newQuestions = head.questions.filter(question => !before.questions.some(({ id }) => id === question.id));
    for (const question of newQuestions) this.announce(t("Question from {0}: {1}", name, question.title));
    if (before.connection?.state !== head.connection?.state) this.announce(connectionText(head) ?? "");
    if (head.problem && before.problem?.message !== head.problem.message) this.announce(head.problem.message);
    if (head.activity.stopIgnored && !before.activity.stopIgnored) this.announce(activityText(head) ?? "");
    const isNowSilent = head.activity.silentSince !== undefined && before.activity.silentSince === undefined;
    if (isNowSilent) this.announce(activityText(head) ?? "");
    if (before.activity.state === head.activity.state) return;
    // A turn that ended in another way has an entry or a banner that says so.
    const finished = head.activity.state === "idle" && !head.activity.unfinished;
    this.announce(finished ? t("{0} has finished.", name) : (activityText(head) ?? ""));
  }

  /** Announces a line after the pending ones. Empty lines are ignored. */
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

  /** Adds a long line in pieces, because adding all of it at once would block the page. */
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
