// What the composer offers while one writes: files and the like after `@`, the agent's commands after a leading `/`.
import { html, nothing, type TemplateResult } from "lit";
import type { Completion, PanelMessage } from "../../src/panel/protocol.ts";
import type { AgentCommand } from "../../src/session/events.ts";
import { icon } from "../base/element.ts";
import { send } from "../base/vscodeApi.ts";
import { t } from "../base/l10n.ts";
import { commandLabel, fitAbove, fitting, listIndex, matchedLabel } from "./listbox.ts";

/** The word that is being written at the caret, from its `@` or `/` to the caret. Offsets in UTF-16 units. */
export interface Token {
  readonly trigger: "@" | "/";
  readonly start: number;
  readonly end: number;
  readonly query: string;
}

/** The token at the caret: `@` at the start of a word or behind a bracket, `/` at the very start of the text. */
export function tokenAt(text: string, caret: number): Token | undefined {
  const before = text.slice(0, caret);
  const command = /^\/(\S*)$/.exec(before);
  if (command) return { trigger: "/", start: 0, end: caret, query: command[1] ?? "" };
  const mention = /(?:^|[\s([{<"'`])@(\S*)$/u.exec(before);
  if (!mention) return undefined;
  const query = mention[1] ?? "";
  return { trigger: "@", start: caret - query.length - 1, end: caret, query };
}

/** One row. */
type Item =
  | { readonly type: "completion"; readonly key: string; readonly completion: Completion }
  | {
      readonly type: "command";
      readonly key: string;
      readonly command: AgentCommand;
      readonly matches: readonly number[];
    };

/** What was chosen. `request` names the answer that a completion was in. */
export type Choice =
  | { readonly type: "completion"; readonly completion: Completion; readonly request: number }
  | { readonly type: "command"; readonly command: AgentCommand };

const icons: Readonly<Record<Completion["kind"], string>> = {
  file: "file",
  folder: "folder",
  symbol: "symbol-misc",
  editor: "window",
  selection: "list-selection",
  problems: "warning",
  terminal: "terminal",
  diff: "diff",
};

/** The codicon of a kind of completion or attachment. */
export const kindIcon = (kind: Completion["kind"] | "image" | "audio"): string =>
  kind === "image" ? "file-media" : kind === "audio" ? "unmute" : icons[kind];

/** The id of the list, for `aria-controls`. */
export const LIST_ID = "parley-suggestions";

interface Options {
  /** Something to paint has changed. */
  readonly onChange: () => void;
  readonly onChoose: (choice: Choice, token: Token) => void;
}

/** The list above the composer. It never has the focus: the text box hands it keys, and names its current row. */
export class Suggestions {
  readonly #options: Options;
  #token: Token | undefined;
  /** Where the token begins that Escape closed the list for. */
  #dismissed: number | undefined;
  #items: readonly Item[] = [];
  #at = 0;
  /** The user walked to a row: it stays chosen while others come and go. */
  #walked = false;
  #indexing = false;
  /** Numbers of the latest question and of the answer that is shown. */
  #asked = 0;
  #shown = 0;
  /** Enter came before the answer: its first row is meant. */
  #chooseNext = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Something is shown, so Escape belongs to it. */
  get open(): boolean {
    if (!this.#token) return false;
    if (this.#items.length > 0 || this.#indexing) return true;
    return this.#token.trigger === "@" && this.#token.query !== "" && this.#shown > 0;
  }

  /** The id of the current row, for `aria-activedescendant`. */
  get current(): string | undefined {
    return this.open && this.#items.length > 0 ? rowId(this.#at) : undefined;
  }

  /** The user wrote: offers what fits the token at the caret, if there is one. */
  typed(text: string, caret: number, commands: readonly AgentCommand[]): void {
    const token = tokenAt(text, caret);
    if (token?.start !== this.#dismissed) this.#dismissed = undefined;
    if (!token || this.#dismissed !== undefined) return this.close();
    if (token.start !== this.#token?.start || token.trigger !== this.#token.trigger) this.#reset();
    this.#token = token;
    this.#walked = false;
    if (token.trigger === "/") this.#offer(commandItems(token.query, commands));
    else this.#ask(token.query);
    this.#options.onChange();
  }

  /** The caret moved without a change of the text: another place closes the list. */
  moved(text: string, caret: number, commands: readonly AgentCommand[]): void {
    if (!this.#token || caret === this.#token.end) return;
    const token = tokenAt(text, caret);
    if (token?.start === this.#token.start) this.typed(text, caret, commands);
    else this.close();
  }

  /** Takes an answer; one to an earlier question is stale. More answers to the same one replace it. */
  hear({ request, items, indexing }: Extract<PanelMessage, { type: "completions" }>): void {
    if (this.#token?.trigger !== "@" || request !== this.#asked) return;
    this.#shown = request;
    this.#indexing = indexing ?? false;
    this.#offer(items.map(completion => ({ type: "completion", key: completion.key, completion })));
    const chooses = this.#chooseNext;
    this.#chooseNext = false;
    if (chooses) this.#choose(0);
    this.#options.onChange();
  }

  /** Whether the key was for the list. */
  keydown(event: KeyboardEvent): boolean {
    if (!this.open || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
    switch (event.key) {
      case "Escape":
        this.#dismissed = this.#token?.start;
        this.close();
        return true;
      case "Enter":
      case "Tab":
        return this.#chooseCurrent(event.key);
      default: {
        const to = listIndex(event.key, this.#at, this.#items.length);
        if (to === undefined) return false;
        this.#at = to;
        this.#walked = true;
        this.#options.onChange();
        return true;
      }
    }
  }

  close(): void {
    if (!this.#token) return;
    this.#token = undefined;
    this.#reset();
    this.#options.onChange();
  }

  /** The list, and what is said of it to those who do not see it. */
  render(): TemplateResult {
    return html`${this.open ? this.#list() : nothing}
      <div class="sr-only" aria-live="polite">${this.open ? this.#said() : nothing}</div>`;
  }

  /** Call when the list has been painted. */
  painted(anchor: HTMLElement): void {
    const popup = anchor.querySelector<HTMLElement>(".suggestions");
    if (popup) fitAbove(popup, anchor);
  }

  #list(): TemplateResult {
    const label = this.#token?.trigger === "/" ? t("Commands") : t("Suggestions");
    // Pressing the mouse would take the focus out of the text box.
    return html`<div class="popup suggestions" @mousedown=${(event: Event) => event.preventDefault()}>
      <div id=${LIST_ID} class="popup-list" role="listbox" aria-label=${label}>
        ${this.#items.map((item, i) => this.#row(item, i))}
      </div>
      ${
        this.#indexing
          ? html`<div class="popup-note">${icon("loading codicon-modifier-spin")} ${t("Indexing…")}</div>`
          : this.#items.length === 0
            ? html`<div class="popup-note">${t("No matches")}</div>`
            : nothing
      }
    </div>`;
  }

  #row(item: Item, at: number): TemplateResult {
    return html`<div
      id=${rowId(at)}
      class="popup-row"
      role="option"
      aria-selected=${at === this.#at ? "true" : "false"}
      @click=${() => this.#choose(at)}
    >
      ${item.type === "command" ? commandRow(item) : completionRow(item.completion)}
    </div>`;
  }

  #said(): string {
    if (this.#indexing) return t("Indexing…");
    if (this.#items.length === 0) return t("No matches");
    return this.#items.length === 1 ? t("1 suggestion") : t("{0} suggestions", this.#items.length);
  }

  #ask(query: string): void {
    send({ type: "complete", request: ++this.#asked, query });
  }

  #offer(items: readonly Item[]): void {
    const current = this.#walked ? this.#items[this.#at]?.key : undefined;
    this.#items = items;
    this.#at = Math.max(
      0,
      items.findIndex(item => item.key === current),
    );
  }

  /** Enter on a command that is written out and takes no words is for the message: it sends it. */
  #chooseCurrent(key: "Enter" | "Tab"): boolean {
    const item = this.#items[this.#at];
    if (key === "Enter" && item?.type === "command" && !item.command.hint && item.command.name === this.#token?.query) {
      this.close();
      return false;
    }
    const isStale = this.#token?.trigger === "@" && this.#asked !== this.#shown;
    if (isStale && !this.#walked && !this.#indexing && !this.#chooseNext) {
      this.#chooseNext = true;
      return true;
    }
    if (!item) return false;
    this.#choose(this.#at);
    return true;
  }

  #choose(at: number): void {
    const item = this.#items[at];
    const token = this.#token;
    if (!item || !token) return;
    const request = this.#shown;
    this.close();
    const { onChoose } = this.#options;
    if (item.type === "command") onChoose({ type: "command", command: item.command }, token);
    else onChoose({ type: "completion", completion: item.completion, request }, token);
  }

  #reset(): void {
    this.#items = [];
    this.#at = 0;
    this.#walked = false;
    this.#indexing = false;
    this.#chooseNext = false;
    // Answers that are still to come are stale.
    this.#shown = 0;
    this.#asked++;
  }
}

const rowId = (at: number): string => `${LIST_ID}-${at}`;

/** Commands whose names fit come first, then those whose descriptions do. */
function commandItems(query: string, commands: readonly AgentCommand[]): readonly Item[] {
  const item = (command: AgentCommand, matches: readonly number[]): Item => ({
    type: "command",
    key: command.name,
    command,
    matches,
  });
  if (query === "") return commands.map(command => item(command, []));
  const byName = fitting(query, commands, command => command.name);
  const named = new Set(byName.map(found => found.item));
  const rest = commands.filter(command => !named.has(command));
  const words = query.toLowerCase();
  return [
    ...byName.map(found => item(found.item, found.matches)),
    ...rest.filter(command => command.description.toLowerCase().includes(words)).map(command => item(command, [])),
  ];
}

function commandRow({ command, matches }: Extract<Item, { type: "command" }>): TemplateResult {
  const { name, description, hint } = command;
  return html`${icon("chevron-right")}${commandLabel(name, matches)}${
      hint ? html`<span class="command-hint quiet">${hint}</span>` : nothing
    }<span class="popup-detail" title=${description}>${description}</span>`;
}

function completionRow({ kind, label, detail, matches }: Completion): TemplateResult {
  return html`${icon(icons[kind])}${matchedLabel(label, matches)}${
    detail === undefined ? nothing : html`<span class="popup-detail path" title=${detail}><bdi>${detail}</bdi></span>`
  }`;
}
