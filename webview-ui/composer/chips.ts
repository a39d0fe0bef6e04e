// The attachments of a draft as chips in the composer, each with its size and a remove button.
import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { attachmentKinds } from "../../src/panel/mentionKinds.ts";
import type { Attachment } from "../../src/panel/protocol.ts";
import { kindIcon } from "./kindIcon.ts";
import { LightElement, icon, roveByKey, roveTabStop, roveToFocus } from "../base/element.ts";
import { iconButton } from "../base/iconButton.ts";
import { formatSize, t } from "../base/l10n.ts";

/** More chips in more lines fold into a button with their number. */
const maxLines = 2;
const maxShown = 3;

const countText = (count: number): string => (count === 1 ? t("1 attachment") : t("{0} attachments", count));

/** `<parley-chips>`: one tab stop; the arrow keys move between the buttons. */
export class ChipsElement extends LightElement {
  static override properties = {
    attachments: { attribute: false },
    pending: { attribute: false },
    isLong: { state: true },
    isOpen: { state: true },
    news: { state: true },
  };
  declare attachments: readonly Attachment[];
  /** The labels of attachments that are still being prepared. */
  declare pending: readonly string[];
  /** Whether the chips are so many that they can fold. */
  declare isLong: boolean;
  /** Whether the user opened the chips that can fold. */
  declare isOpen: boolean;
  /** What screen readers announce: attachments that were added while the chips are folded. */
  declare news: string;
  onRemove: (id: string) => void = () => {};
  /** Called to move the text of a chip into the message box. */
  onInsert: (attachment: Attachment) => void = () => {};
  /** Called when the last chip was removed while it had the focus. */
  onLeave: () => void = () => {};
  #removedAt: number | undefined;
  #announcedIds: readonly string[] | undefined;
  readonly #resize = new ResizeObserver(() => this.#measure());

  constructor() {
    super();
    this.attachments = [];
    this.pending = [];
    this.isLong = false;
    this.isOpen = false;
    this.news = "";
    this.addEventListener("keydown", event => this.#keydown(event));
    this.addEventListener("focusin", event => roveToFocus(this, event));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#resize.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resize.disconnect();
  }

  get #isFolded(): boolean {
    return this.isLong && !this.isOpen;
  }

  protected override updated(): void {
    this.#measure();
    this.#announceNew();
    roveTabStop(this);
    // The buttons of folded chips cannot have the focus.
    if (this.#isFolded) this.querySelector("button")?.setAttribute("tabindex", "0");
    const at = this.#removedAt;
    if (at === undefined) return;
    this.#removedAt = undefined;
    const buttons = this.querySelectorAll<HTMLElement>("[data-action=remove]");
    const next = buttons[Math.min(at, buttons.length - 1)];
    if (next) next.focus();
    else this.onLeave();
  }

  /** The lines are the same whether the chips are folded or not, because folded chips keep their width. */
  #measure(): void {
    const chips = [...this.querySelectorAll("li")];
    const isLong = chips.length > maxShown && new Set(chips.map(({ offsetTop }) => offsetTop)).size > maxLines;
    // The focus stays where it is.
    if (isLong && !this.isLong && chips.some(chip => chip.contains(document.activeElement))) this.isOpen = true;
    if (chips.length === 0) this.isOpen = false;
    this.isLong = isLong;
  }

  #announceNew(): void {
    const { attachments } = this;
    const earlier = this.#announcedIds;
    this.#announcedIds = attachments.map(({ id }) => id);
    const added = attachments.filter(({ id }) => earlier?.includes(id) === false).map(({ label }) => label);
    if (!this.#isFolded) this.news = "";
    else if (added.length > 0) this.news = t("Attached: {0}. {1}.", added.join(", "), countText(attachments.length));
  }

  protected override render(): TemplateResult | typeof nothing {
    const { attachments, pending } = this;
    const count = attachments.length + pending.length;
    if (count === 0) return nothing;
    return html`${this.isLong ? this.#fold(count) : nothing}
      <ul class="chips" ?data-folded=${this.#isFolded} aria-label=${t("Attachments")}>
        ${repeat(
          attachments,
          ({ id }) => id,
          one => this.#chip(one),
        )}
        ${pending.map(
          label =>
            html`<li class="chip">
              ${icon("loading codicon-modifier-spin")}<span class="ellipsis">${t("Attaching {0}…", label)}</span>
            </li>`,
        )}
      </ul>
      <div class="sr-only" role="status">${this.news}</div>`;
  }

  /** The button that opens and folds the chips. */
  #fold(count: number): TemplateResult {
    const isOpen = !this.#isFolded;
    const { attachments, pending } = this;
    return html`<button
      class="chips-fold"
      type="button"
      aria-expanded=${isOpen}
      title=${attachments.map(({ label }) => label).join(", ")}
      @click=${() => (this.isOpen = !isOpen)}
    >
      ${icon(isOpen ? "chevron-down" : "chevron-right")} ${countText(count)}
      ${pending.length > 0 ? icon("loading codicon-modifier-spin") : nothing}
    </button>`;
  }

  #chip(one: Attachment): TemplateResult {
    const { id, kind, label, detail, bytes, source, secret } = one;
    return html`<li
      class="chip"
      data-id=${id}
      data-preview=${`chip:${id}`}
      aria-description=${attachmentKinds[kind].name()}
    >
      ${
        kind === "image" && source.type === "data" && !secret
          ? html`<img class="thumbnail" src=${`data:${source.mimeType};base64,${source.data}`} alt="" />`
          : secret
            ? icon("lock")
            : kindIcon(kind, label)
      }<span class="ellipsis"><bdi>${label}</bdi></span>
      ${(kind === "conversation" || kind === "digest") && detail !== undefined ? html`<span class="quiet ellipsis chip-detail"><bdi>${detail}</bdi></span>` : nothing}
      ${bytes === undefined ? nothing : html`<span class="quiet chip-size">${formatSize(bytes)}</span>`}
      ${
        kind === "text"
          ? iconButton("insert", {
              label: t("Insert {0} into the Message", label),
              title: t("Insert into the Message"),
              onClick: () => this.onInsert(one),
            })
          : nothing
      }
      ${iconButton("close", {
        label: t("Remove {0}", label),
        title: t("Remove"),
        action: "remove",
        onClick: () => this.#remove(id),
      })}
    </li>`;
  }

  #keydown(event: KeyboardEvent): void {
    const id = (event.target as HTMLElement).closest("li")?.dataset["id"];
    if (id !== undefined && (event.key === "Delete" || event.key === "Backspace")) {
      event.preventDefault();
      this.#remove(id);
    } else if (!this.#isFolded) roveByKey(this, event);
  }

  #remove(id: string): void {
    this.#removedAt = this.attachments.findIndex(one => one.id === id);
    this.onRemove(id);
  }
}
