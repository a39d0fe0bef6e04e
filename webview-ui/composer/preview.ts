// The preview above the composer: what the chip or the suggestion below the pointer or the focus stands for.
import { html, nothing, type ReactiveController, type ReactiveControllerHost, type TemplateResult } from "lit";
import type { Intent } from "../../src/panel/intents.ts";
import { previewText, type ItemPreview } from "../../src/panel/itemPreview.ts";
import { attachmentKinds, type AttachmentKind, type Completion } from "../../src/panel/mentionKinds.ts";
import type { Attachment, PanelMessage } from "../../src/panel/protocol.ts";
import { t } from "../base/l10n.ts";
import { send } from "../base/vscodeApi.ts";

/** What a preview shows. `target`: the host is asked for the content. */
export interface PreviewSubject {
  readonly kind: AttachmentKind;
  readonly content: ItemPreview;
  readonly target?: Extract<Intent, { type: "preview" }>["target"];
}

/** Milliseconds until a preview appears, until it follows to another item, and until it disappears. */
const showDelay = 300;
const followDelay = 80;
const hideDelay = 200;
/** A smaller preview shows nothing useful, in pixels. */
const minHeight = 60;

const previewId = "parley-preview";

/** The preview of an attachment. Its own content is shown; files are read by the host. */
export function attachmentPreview({ kind, label, detail, source, preview, secret }: Attachment): PreviewSubject {
  if (source.type === "path") return { kind, content: { path: source.path }, target: source };
  const path = [label, detail].filter(Boolean).join(" · ");
  if (secret)
    return { kind, content: { path, note: t("This file may contain secrets, so its content is not shown.") } };
  if (source.type === "text") return { kind, content: { path, text: preview ?? previewText(source.text) } };
  return { kind, content: kind === "image" ? { path, image: source } : { path } };
}

/** The preview of a suggestion, which the host knows by the request and the key. */
export function completionPreview({ kind, label, detail, key }: Completion, request: number): PreviewSubject {
  const path = [label, detail].filter(Boolean).join(" · ");
  return { kind, content: { path }, target: { type: "item", request, key } };
}

/**
 * Shows the preview of the element with `data-preview` that the pointer is over, that has the focus, or that is the
 * current row of the suggestions. The pointer can move onto the preview. Escape closes it, except together with the
 * suggestions.
 */
export class PreviewController implements ReactiveController {
  readonly #host: ReactiveControllerHost & HTMLElement;
  readonly #subjectOf: (key: string) => PreviewSubject | undefined;
  #hovered: string | undefined;
  #row: string | undefined;
  #focused: string | undefined;
  #wanted: string | undefined;
  #shown: { readonly key: string; readonly subject: PreviewSubject; content: ItemPreview } | undefined;
  #described: Element | undefined;
  #request = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: ReactiveControllerHost & HTMLElement, subjectOf: (key: string) => PreviewSubject | undefined) {
    this.#host = host;
    this.#subjectOf = subjectOf;
    host.addController(this);
    host.addEventListener("pointerover", this.#handlePointer);
    host.addEventListener("pointerleave", this.#handlePointer);
    host.addEventListener("focusin", this.#handleFocus);
    host.addEventListener("focusout", this.#handleFocus);
  }

  hostConnected(): void {
    document.addEventListener("keydown", this.#keydown, true);
  }

  hostDisconnected(): void {
    document.removeEventListener("keydown", this.#keydown, true);
    clearTimeout(this.#timer);
  }

  #handlePointer = (event: Event): void => {
    const target = event.target as Element;
    const isInside = event.type === "pointerover" && target.closest(".preview");
    this.#hovered = isInside ? this.#shown?.key : event.type === "pointerover" ? keyOf(target) : undefined;
    this.#settle();
  };

  #handleFocus = (event: Event): void => {
    const target = event.target as Element;
    this.#focused = event.type === "focusin" && target.matches(":focus-visible") ? keyOf(target) : undefined;
    this.#settle();
  };

  #keydown = (event: KeyboardEvent): void => {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key !== "Escape" || !this.#shown || this.#host.querySelector(".suggestions")) return;
    event.preventDefault();
    event.stopPropagation();
    this.#show(undefined);
  };

  #settle(): void {
    const wanted = this.#hovered ?? this.#row ?? this.#focused;
    if (wanted === this.#wanted) return;
    this.#wanted = wanted;
    clearTimeout(this.#timer);
    const delay = wanted === undefined ? hideDelay : this.#shown ? followDelay : showDelay;
    this.#timer = setTimeout(() => this.#show(wanted), delay);
  }

  #show(key: string | undefined): void {
    if (key === this.#shown?.key) return;
    const subject = key === undefined ? undefined : this.#subjectOf(key);
    this.#shown = key === undefined || !subject ? undefined : { key, subject, content: subject.content };
    this.#request++;
    if (subject?.target) send({ type: "preview", request: this.#request, target: subject.target });
    this.#host.requestUpdate();
  }

  /** Shows the answer of the host, unless another item is shown now. */
  receive({ request, preview }: Extract<PanelMessage, { type: "preview" }>): void {
    if (!this.#shown || request !== this.#request) return;
    this.#shown.content = { ...this.#shown.content, ...preview };
    this.#host.requestUpdate();
  }

  render(): TemplateResult | typeof nothing {
    if (!this.#shown) return nothing;
    const { subject, content } = this.#shown;
    const { path, text, image, note } = content;
    const kind = attachmentKinds[subject.kind].name();
    // The name of a pasted text begins with its kind.
    const shownKind = subject.kind === "text" ? nothing : html`<span class="quiet">${kind}</span>`;
    return html`<div class="preview" id=${previewId} role="tooltip">
      <div>${shownKind} <bdi>${path}</bdi></div>
      ${image ? html`<img src=${`data:${image.mimeType};base64,${image.data}`} alt="" />` : nothing}
      ${text ? html`<pre>${text}</pre>` : nothing} ${note ? html`<div class="quiet">${note}</div>` : nothing}
    </div>`;
  }

  /** Places the preview above the composer and its list, and follows the current row. Call after they were rendered. */
  place(composer: HTMLElement): void {
    this.#row = composer.querySelector<HTMLElement>("[data-preview-now]")?.dataset["preview"];
    this.#settle();
    if (this.#shown && !this.#subjectOf(this.#shown.key)) this.#show(undefined);
    const preview = composer.querySelector<HTMLElement>(".preview");
    this.#describe(preview ? composer : undefined);
    if (!preview) return;
    const own = composer.getBoundingClientRect().top;
    const top = composer.querySelector(".suggestions")?.getBoundingClientRect().top ?? own;
    preview.hidden = top < minHeight;
    preview.style.setProperty("--above", `${own - top}px`);
    preview.style.setProperty("--room", `${Math.floor(top) - 8}px`);
  }

  /** Describes the row, or the focused button of the chip, by the preview. */
  #describe(composer: HTMLElement | undefined): void {
    const key = this.#shown?.key ?? "";
    const item = composer?.querySelector(`[data-preview="${CSS.escape(key)}"]`) ?? undefined;
    const focus = document.activeElement;
    const described = item?.matches("[role=option]") ? item : focus && item?.contains(focus) ? focus : undefined;
    if (described !== this.#described) this.#described?.removeAttribute("aria-describedby");
    described?.setAttribute("aria-describedby", previewId);
    this.#described = described;
  }
}

const keyOf = (target: Element): string | undefined =>
  target.closest<HTMLElement>("[data-preview]")?.dataset["preview"];
