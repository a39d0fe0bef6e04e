// The attachments of a draft as chips in the composer, each with its size and a remove button.
import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { attachmentKinds } from "../../src/panel/mentionKinds.ts";
import type { Attachment } from "../../src/panel/protocol.ts";
import { LightElement, icon, roveByKey, roveTabStop, roveToFocus } from "../base/element.ts";
import { iconButton } from "../base/iconButton.ts";
import { formatSize, t } from "../base/l10n.ts";

/** `<parley-chips>`: one tab stop; the arrow keys move between the buttons. */
export class ChipsElement extends LightElement {
  static override properties = { attachments: { attribute: false }, pending: { attribute: false } };
  declare attachments: readonly Attachment[];
  /** The labels of attachments that are still being prepared. */
  declare pending: readonly string[];
  onRemove: (id: string) => void = () => {};
  /** Called to move the text of a chip into the message box. */
  onInsert: (attachment: Attachment) => void = () => {};
  /** Called when the last chip was removed while it had the focus. */
  onLeave: () => void = () => {};
  #removedAt: number | undefined;

  constructor() {
    super();
    this.attachments = [];
    this.pending = [];
    this.addEventListener("keydown", event => this.#keydown(event));
    this.addEventListener("focusin", event => roveToFocus(this, event));
  }

  protected override updated(): void {
    roveTabStop(this);
    const at = this.#removedAt;
    if (at === undefined) return;
    this.#removedAt = undefined;
    const buttons = this.querySelectorAll<HTMLElement>("button");
    const next = buttons[Math.min(at, buttons.length - 1)];
    if (next) next.focus();
    else this.onLeave();
  }

  protected override render(): TemplateResult | typeof nothing {
    if (this.attachments.length + this.pending.length === 0) return nothing;
    return html`<ul class="chips" aria-label=${t("Attachments")}>
      ${repeat(
        this.attachments,
        ({ id }) => id,
        one => this.#chip(one),
      )}
      ${this.pending.map(
        label =>
          html`<li class="chip">
            ${icon("loading codicon-modifier-spin")}<span class="ellipsis">${t("Attaching {0}…", label)}</span>
          </li>`,
      )}
    </ul>`;
  }

  #chip(one: Attachment): TemplateResult {
    const { id, kind, label, bytes, source } = one;
    return html`<li class="chip" data-id=${id} title=${tooltip(one)}>
      ${
        kind === "image" && source.type === "data"
          ? html`<img class="thumbnail" src=${`data:${source.mimeType};base64,${source.data}`} alt="" />`
          : icon(attachmentKinds[kind].icon)
      }<span class="ellipsis"><bdi>${label}</bdi></span>
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
      ${iconButton("close", { label: t("Remove {0}", label), title: t("Remove"), onClick: () => this.#remove(id) })}
    </li>`;
  }

  #keydown(event: KeyboardEvent): void {
    const id = (event.target as HTMLElement).closest("li")?.dataset["id"];
    if (id !== undefined && (event.key === "Delete" || event.key === "Backspace")) {
      event.preventDefault();
      this.#remove(id);
    } else roveByKey(this, event);
  }

  #remove(id: string): void {
    this.#removedAt = this.attachments.findIndex(one => one.id === id);
    this.onRemove(id);
  }
}

function tooltip({ label, detail, bytes }: Attachment): string {
  return [label, detail, bytes === undefined ? undefined : formatSize(bytes)].filter(Boolean).join("\n");
}
