// Suggestions while the user types: files and other context after `@`, the agent's commands after a leading `/`.
import { adjoiningLetters } from "../../src/base/spacelessScripts.ts";
import { html, nothing, type TemplateResult } from "lit";
import { mentionKinds, type Completion } from "../../src/panel/mentionKinds.ts";
import type { PanelMessage } from "../../src/panel/protocol.ts";
import { icon } from "../base/element.ts";
import { send } from "../base/vscodeApi.ts";
import { t } from "../base/l10n.ts";
import { kindIcon } from "./kindIcon.ts";
import { completionPreview, type PreviewSubject } from "./preview.ts";
import type { SlashCommand } from "./slashCommands.ts";
import { commandLabel, placeAbove, bestMatches, listIndex, matchedLabel } from "./listbox.ts";

/** The word at the caret, from its `@` or `/` to the caret. Offsets in UTF-16 units. */
export interface TriggerToken {
  readonly trigger: "@" | "/";
  readonly start: number;
  readonly end: number;
  readonly query: string;
}

/**
 * After a blank, a bracket or quotation mark of any script, or a letter that other words adjoin. In Hebrew and Arabic,
 * prepositions are written together with the word after them.
 */
const mentionPattern = new RegExp(
  String.raw`(?:^|[\s([{<"'\u0060\u00ab\u00bb\u2018-\u201f\u2039\u203a\u05be\u060c\u061b\u061f\p{Script=Hebrew}\p{Script=Arabic}\u3001-\u301f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff3d\uff5b-\uff65${adjoiningLetters}])@(\S*)$`,
  "u",
);

/**
 * The token at the caret: `@` at the start of a word, after a bracket, or directly after a letter of a script without
 * blanks, or of Korean; `/` at the very start of the text.
 */
function tokenAt(text: string, caret: number): TriggerToken | undefined {
  const before = text.slice(0, caret);
  const command = /^\/(\S*)$/.exec(before);
  if (command) return { trigger: "/", start: 0, end: caret, query: command[1] ?? "" };
  const mention = mentionPattern.exec(before);
  if (!mention) return undefined;
  const query = mention[1] ?? "";
  return { trigger: "@", start: caret - query.length - 1, end: caret, query };
}

/** One row of the list. */
type SuggestionItem =
  | { readonly type: "completion"; readonly key: string; readonly completion: Completion }
  | {
      readonly type: "command";
      readonly key: string;
      readonly command: SlashCommand;
      readonly matches: readonly number[];
    };

/** The chosen item. `request` identifies the response that contained the completion. */
export type SuggestionChoice =
  | { readonly type: "completion"; readonly completion: Completion; readonly request: number }
  | { readonly type: "command"; readonly command: SlashCommand };

/** More rows are not drawn: the user types to find the others. */
const maxCommandRows = 100;

/** The id of the list, for `aria-controls`. */
export const suggestionListId = "parley-suggestions";

interface SuggestionsOptions {
  /** The commands that `/` offers now. */
  readonly commands: () => readonly SlashCommand[];
  /** Something to paint has changed. */
  readonly onChange: () => void;
  readonly onChoose: (choice: SuggestionChoice, token: TriggerToken) => void;
}

/** The list above the composer. It never has the focus: the text box forwards keys and references the current row. */
export class Suggestions {
  readonly #options: SuggestionsOptions;
  #token: TriggerToken | undefined;
  /** The start of the token for which the user closed the list with Escape. */
  #dismissedStart: number | undefined;
  #items: readonly SuggestionItem[] = [];
  /** The number of items that are not drawn. */
  #more = 0;
  #currentIndex = 0;
  /** The user moved to a row, which stays current while the list changes. */
  #userMovedToRow = false;
  #isIndexing = false;
  /** The numbers of the latest request and of the request whose response is shown. */
  #latestRequest = 0;
  #shownRequest = 0;
  /** Enter was pressed before the response, so its first row will be chosen. */
  #choosesFirstAnswer = false;

  constructor(options: SuggestionsOptions) {
    this.#options = options;
  }

  /** Whether the list or a note is shown, so that Escape closes it. */
  get isOpen(): boolean {
    if (!this.#token) return false;
    if (this.#items.length > 0 || this.#isIndexing) return true;
    return this.#token.trigger === "@" && this.#token.query !== "" && this.#shownRequest > 0;
  }

  /** The id of the current row, for `aria-activedescendant`. */
  get current(): string | undefined {
    return this.isOpen && this.#items.length > 0 ? rowId(this.#currentIndex) : undefined;
  }

  /** The user wrote: offers what fits the token at the caret, if there is one. */
  handleInput(text: string, caret: number): void {
    const token = tokenAt(text, caret);
    if (token?.start !== this.#dismissedStart) this.#dismissedStart = undefined;
    if (!token || this.#dismissedStart !== undefined) return this.close();
    if (token.start !== this.#token?.start || token.trigger !== this.#token.trigger) this.#reset();
    this.#token = token;
    this.#userMovedToRow = false;
    if (token.trigger === "/") this.#showCommands(token.query);
    else this.#requestCompletions(token.query);
    this.#options.onChange();
  }

  /** The commands may have changed. Updates an open list of them, and keeps the row to which the user moved. */
  refreshCommands(): void {
    if (this.#token?.trigger === "/") this.#showCommands(this.#token.query);
  }

  #showCommands(query: string): void {
    const items = commandItems(query, this.#options.commands());
    this.#more = Math.max(0, items.length - maxCommandRows);
    this.#setItems(items.slice(0, maxCommandRows));
  }

  /** The caret moved without a change of the text: another place closes the list. */
  handleCaretMove(text: string, caret: number): void {
    if (!this.#token || caret === this.#token.end) return;
    const token = tokenAt(text, caret);
    if (token?.start === this.#token.start) this.handleInput(text, caret);
    else this.close();
  }

  /** Shows a response. Responses to earlier requests are ignored; further responses to the same request replace it. */
  showCompletions({ request, items, indexing }: Extract<PanelMessage, { type: "completions" }>): void {
    if (this.#token?.trigger !== "@" || request !== this.#latestRequest) return;
    this.#shownRequest = request;
    this.#isIndexing = indexing ?? false;
    this.#setItems(items.map(completion => ({ type: "completion", key: completion.key, completion })));
    const chooses = this.#choosesFirstAnswer;
    this.#choosesFirstAnswer = false;
    if (chooses) this.#choose(0);
    this.#options.onChange();
  }

  /** Handles a key. Returns true if the list used it. */
  keydown(event: KeyboardEvent): boolean {
    if (!this.isOpen || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
    switch (event.key) {
      case "Escape":
        this.#dismissedStart = this.#token?.start;
        this.close();
        return true;
      case "Enter":
      case "Tab":
        return this.#chooseCurrent(event.key);
      default: {
        const to = listIndex(event.key, this.#currentIndex, this.#items.length);
        if (to === undefined) return false;
        this.#currentIndex = to;
        this.#userMovedToRow = true;
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

  /** The list, and its status for screen readers. */
  render(): TemplateResult {
    return html`${this.isOpen ? this.#list() : nothing}
      <div class="sr-only" aria-live="polite">${this.isOpen ? this.#statusText() : nothing}</div>`;
  }

  /** Places the list. Call after it was rendered. */
  placeList(anchor: HTMLElement): void {
    const popup = anchor.querySelector<HTMLElement>(".suggestions");
    if (popup) placeAbove(popup, anchor);
  }

  #list(): TemplateResult {
    const label = this.#token?.trigger === "/" ? t("Commands") : t("Suggestions");
    // A mouse press must not take the focus from the text box.
    return html`<div class="popup suggestions" @mousedown=${(event: Event) => event.preventDefault()}>
      <div id=${suggestionListId} class="popup-list" role="listbox" aria-label=${label}>
        ${this.#items.map((item, i) => this.#row(item, i))}
      </div>
      ${this.#more === 0 ? nothing : html`<div class="popup-note">${t("{0} more. Type to find them.", this.#more)}</div>`}
      ${
        this.#isIndexing
          ? html`<div class="popup-note">${icon("loading codicon-modifier-spin")} ${t("Indexing…")}</div>`
          : this.#items.length === 0
            ? html`<div class="popup-note">${t("No matches")}</div>`
            : nothing
      }
    </div>`;
  }

  #row(item: SuggestionItem, at: number): TemplateResult {
    return html`<div
      id=${rowId(at)}
      class="popup-row"
      role="option"
      aria-selected=${at === this.#currentIndex ? "true" : "false"}
      aria-description=${item.type === "completion" ? mentionKinds[item.completion.kind].name() : nothing}
      data-preview=${this.#previewKey(item) ?? nothing}
      ?data-preview-now=${this.#userMovedToRow && at === this.#currentIndex}
      @click=${() => this.#choose(at)}
    >
      ${item.type === "command" ? commandRow(item) : completionRow(item.completion)}
    </div>`;
  }

  /** Only items that attach something have a preview. */
  #previewKey(item: SuggestionItem): string | undefined {
    if (item.type === "command" || item.completion.continuesWith !== undefined) return undefined;
    return `row:${this.#shownRequest}:${item.key}`;
  }

  /** The preview of the row with this `data-preview`, if it is shown. */
  previewOf(key: string): PreviewSubject | undefined {
    const item = this.#items.find(one => this.#previewKey(one) === key);
    return this.isOpen && item?.type === "completion"
      ? completionPreview(item.completion, this.#shownRequest)
      : undefined;
  }

  #statusText(): string {
    if (this.#isIndexing) return t("Indexing…");
    if (this.#items.length === 0) return t("No matches");
    return this.#items.length === 1 ? t("1 suggestion") : t("{0} suggestions", this.#items.length);
  }

  #requestCompletions(query: string): void {
    send({ type: "complete", request: ++this.#latestRequest, query });
  }

  #setItems(items: readonly SuggestionItem[]): void {
    const current = this.#userMovedToRow ? this.#items[this.#currentIndex]?.key : undefined;
    this.#items = items;
    this.#currentIndex = Math.max(
      0,
      items.findIndex(item => item.key === current),
    );
  }

  /** Chooses the current item. Enter on a complete command without arguments sends the message instead. */
  #chooseCurrent(key: "Enter" | "Tab"): boolean {
    const item = this.#items[this.#currentIndex];
    if (
      key === "Enter" &&
      item?.type === "command" &&
      !item.command.isPrompt &&
      !item.command.hint &&
      item.command.name === this.#token?.query
    ) {
      this.close();
      return false;
    }
    const isStale = this.#token?.trigger === "@" && this.#latestRequest !== this.#shownRequest;
    if (isStale && !this.#userMovedToRow && !this.#isIndexing && !this.#choosesFirstAnswer) {
      this.#choosesFirstAnswer = true;
      return true;
    }
    if (!item) return false;
    this.#choose(this.#currentIndex);
    return true;
  }

  #choose(at: number): void {
    const item = this.#items[at];
    const token = this.#token;
    if (!item || !token) return;
    // The item only tells what can be typed.
    if (item.type === "completion" && item.completion.continuesWith === "") return;
    const request = this.#shownRequest;
    this.close();
    const { onChoose } = this.#options;
    if (item.type === "command") onChoose({ type: "command", command: item.command }, token);
    else onChoose({ type: "completion", completion: item.completion, request }, token);
  }

  #reset(): void {
    this.#items = [];
    this.#more = 0;
    this.#currentIndex = 0;
    this.#userMovedToRow = false;
    this.#isIndexing = false;
    this.#choosesFirstAnswer = false;
    // Makes pending responses stale.
    this.#shownRequest = 0;
    this.#latestRequest++;
  }
}

const rowId = (at: number): string => `${suggestionListId}-${at}`;

/** Commands with a matching name, followed by those with a matching description. */
function commandItems(query: string, commands: readonly SlashCommand[]): readonly SuggestionItem[] {
  const item = (command: SlashCommand, matches: readonly number[]): SuggestionItem => ({
    type: "command",
    key: command.name,
    command,
    matches,
  });
  if (query === "") return commands.map(command => item(command, []));
  const byName = bestMatches(query, commands, command => command.name);
  const named = new Set(byName.map(found => found.item));
  const rest = commands.filter(command => !named.has(command));
  const words = query.toLowerCase();
  return [
    ...byName.map(found => item(found.item, found.matches)),
    ...rest.filter(command => command.description.toLowerCase().includes(words)).map(command => item(command, [])),
  ];
}

function commandRow({ command, matches }: Extract<SuggestionItem, { type: "command" }>): TemplateResult {
  const { name, description, hint, isPrompt, isFaulty, action } = command;
  return html`${icon(isFaulty ? "warning" : action ? "server" : isPrompt ? "sparkle" : "chevron-right")}${commandLabel(name, matches)}${
      hint ? html`<span class="command-hint quiet">${hint}</span>` : nothing
    }<span class="popup-detail" title=${description}>${description}</span>`;
}

function completionRow({ kind, label, detail, matches, symbolKind }: Completion): TemplateResult {
  return html`${kindIcon(kind, label, symbolKind)}${matchedLabel(label, matches)}${
    detail === undefined ? nothing : html`<span class="popup-detail path"><bdi>${detail}</bdi></span>`
  }`;
}
