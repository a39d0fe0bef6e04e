// What screen readers hear without asking: whole settled messages, questions, turn ends, waiting; never chunks.
import type { Head, View } from "../../src/panel/protocol.ts";
import type { Change } from "../base/store.ts";
import { activityWords, connectionWords } from "./statusText.ts";
import { t } from "../base/l10n.ts";
import { turnEndWords } from "../transcript/statusRow.ts";

/** Spoken lines that stay in the region: enough for slow readers, few enough to be found empty by browsing. */
const KEPT = 3;
/** Characters that are laid out quickly enough. */
const PIECE = 4000;

/** Speaks through a polite live region. */
export class Speech {
  readonly #region: HTMLElement;
  readonly #textOf: (id: string) => Promise<string>;
  #head: Head | undefined;
  /** Answers that have come in but were not yet complete. */
  readonly #unspoken = new Set<string>();
  readonly #known = new Set<string>();
  /** Lines to be said; the first is being said. */
  readonly #unsaid: string[] = [];

  constructor(region: HTMLElement, textOf: (id: string) => Promise<string>) {
    this.#region = region;
    this.#textOf = textOf;
  }

  /** Says what a change means. The first view, and every snapshot, is the past: it stays silent. */
  async hear(change: Change, view: View): Promise<void> {
    const before = this.#head;
    this.#head = view.head;
    if (change.snapshot || before === undefined) {
      this.#unspoken.clear();
      this.#known.clear();
      for (const entry of view.entries) this.#known.add(entry.id);
      if (view.head.live !== null) this.#unspoken.add(view.head.live);
      return;
    }
    if (change.moved) this.#noticeNew(view);
    await this.#speakSettled(view);
    this.#speakHead(before, view);
  }

  #noticeNew(view: View): void {
    for (let at = view.entries.length - 1; at >= 0; at--) {
      const entry = view.entries[at];
      if (!entry || this.#known.has(entry.id)) return;
      this.#known.add(entry.id);
      // A sub-agent's words are between it and its agent.
      if (entry.kind === "agent" && entry.parent === undefined) this.#unspoken.add(entry.id);
      if (entry.kind === "notice") this.say(entry.title);
      if (entry.kind === "problem") this.say(entry.problem.message);
      if (entry.kind === "turnEnd") this.say(turnEndWords(entry.stopReason));
    }
  }

  async #speakSettled(view: View): Promise<void> {
    const settled = [...this.#unspoken].filter(id => id !== view.head.live);
    for (const id of settled) this.#unspoken.delete(id);
    for (const id of settled) this.say(await this.#textOf(id));
  }

  #speakHead(before: Head, view: View): void {
    const { head } = view;
    const name = head.agent?.name ?? t("The agent");
    const asked = head.asks.filter(ask => !before.asks.some(({ id }) => id === ask.id));
    for (const ask of asked) this.say(t("Question from {0}: {1}", name, ask.title));
    if (before.connection?.state !== head.connection?.state) this.say(connectionWords(head) ?? "");
    if (before.activity.state === head.activity.state) return;
    const ended = head.activity.state === "idle" && view.entries.at(-1)?.kind !== "turnEnd";
    this.say(ended ? t("{0} has finished.", name) : (activityWords(head) ?? ""));
  }

  /** Says a line, after those before it; nothing if it is empty. */
  say(text: string): void {
    if (text === "") return;
    this.#unsaid.push(text);
    if (this.#unsaid.length === 1) this.#sayNext();
  }

  #sayNext(): void {
    const [text] = this.#unsaid;
    if (text === undefined) return;
    const line = document.createElement("p");
    this.#region.append(line);
    while (this.#region.childElementCount > KEPT) this.#region.firstElementChild?.remove();
    if (text.length > PIECE) return this.#sayPiece(line, text);
    line.textContent = text;
    this.#said();
  }

  /** A long line comes in pieces: all of it at once would hold up the page. */
  #sayPiece(line: HTMLElement, text: string): void {
    const piece = document.createElement("span");
    const end = text.length <= PIECE ? text.length : (/^[^]*\s/.exec(text.slice(0, PIECE))?.[0].length ?? PIECE);
    piece.textContent = text.slice(0, end);
    line.append(piece);
    if (end === text.length) this.#said();
    else setTimeout(() => this.#sayPiece(line, text.slice(end)));
  }

  #said(): void {
    this.#unsaid.shift();
    this.#sayNext();
  }
}
