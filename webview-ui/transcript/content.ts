// Images, audio, links and files in messages and tool cards.
import { html, nothing, type TemplateResult } from "lit";
import { uriFileName } from "../../src/panel/fileNames.ts";
import { visibleText } from "../../src/base/visibleText.ts";
import type { ViewMedia, ViewPart } from "../../src/panel/protocol.ts";
import { icon } from "../base/element.ts";
import { iconButton } from "../base/iconButton.ts";
import { showImageDialog } from "./imageDialog.ts";
import { send } from "../base/vscodeApi.ts";
import { formatSize, t } from "../base/l10n.ts";
import { hrefLink } from "../markdown/links.ts";

/** Identifies the content block of a part for the host. */
export interface PartLocation {
  readonly entry: string;
  readonly part: number;
}

type Part<T extends ViewPart["type"]> = Extract<ViewPart, { type: T }>;

const imageTypes = /^image\/(?:png|jpeg|gif|webp|bmp|avif|svg\+xml)$/;
const audioTypes = /^audio\/[\w.+-]+$/;
/** The greatest height of an image in the transcript. Pixels. */
const maxImageHeight = 180;

/** An image of a message or a tool. */
export function imagePart(part: Part<"image">, place: PartLocation | undefined): TemplateResult {
  const name = part.uri === undefined ? t("Image") : uriFileName(part.uri);
  if (!imageTypes.test(part.mimeType)) return placeholder(part.mimeType);
  return part.data === undefined ? tooLargeChip("file-media", name, part, place) : imageButton(name, part, place);
}

/** An audio part, with the browser's own player. */
export function audioPart(part: Part<"audio">, place: PartLocation | undefined): TemplateResult {
  if (!audioTypes.test(part.mimeType)) return placeholder(part.mimeType);
  return part.data === undefined
    ? tooLargeChip("unmute", t("Audio"), part, place)
    : audioPlayer(t("Audio"), part, place);
}

/** A link to a workspace file or a URL. */
export function linkPart(part: Part<"link">): TemplateResult {
  const about = [part.mimeType, part.size === undefined ? undefined : formatSize(part.size)].filter(
    text => text !== undefined,
  );
  return html`<div class="attachment">
    <div class="chip">
      ${icon(/^https?:/i.test(part.uri) ? "globe" : "file")} ${hrefLink(part.uri, part.name)}
      ${about.length > 0 ? html`<span class="quiet">${about.join(" · ")}</span>` : nothing}
    </div>
    ${part.description === undefined ? nothing : html`<div class="quiet">${visibleText(part.description)}</div>`}
  </div>`;
}

/** An embedded binary file. Images and audio are shown as such. */
export function blobPart(part: Part<"resource">, place: PartLocation | undefined): TemplateResult {
  const name = uriFileName(part.uri);
  const { mimeType = "", data } = part;
  const known = { mimeType, ...(data !== undefined && { data }), ...part };
  const shown =
    data === undefined
      ? nothing
      : imageTypes.test(mimeType)
        ? imageButton(name, known, place)
        : audioTypes.test(mimeType)
          ? audioPlayer(name, known, place)
          : nothing;
  const about = [mimeType, part.bytes === undefined ? "" : formatSize(part.bytes)].filter(text => text !== "");
  return html`<div class="attachment" role="group" aria-label=${name}>
    ${shown}
    <div class="chip">
      ${icon("file-binary")} ${hrefLink(part.uri, name)} <span class="quiet">${about.join(" · ")}</span>
      ${part.bytes === undefined ? nothing : html`${openButton(name, place)} ${saveButton(name, place)}`}
    </div>
  </div>`;
}

/** A placeholder for content that this version does not support. */
export function placeholder(kind: string): TemplateResult {
  return html`<div class="chip quiet">${icon("question")} ${t("Unsupported content: {0}", kind)}</div>`;
}

/** Says how much of a text is not shown, with a button that opens the full text. */
export function omittedTextNote(cut: number | undefined, place?: PartLocation): TemplateResult | typeof nothing {
  return cut === undefined || cut <= 0
    ? nothing
    : html`<p class="quiet">
        ${t("{0} more characters are not shown.", cut)} ${openButton(t("the full text"), place)}
      </p>`;
}

/** A button that opens the part in an editor. Nothing if the host cannot identify the part. */
export function openButton(name: string, place: PartLocation | undefined): TemplateResult | typeof nothing {
  if (!place) return nothing;
  return iconButton("go-to-file", {
    label: t("Open {0}", name),
    onClick: () => send({ type: "openContent", ...place }),
  });
}

function saveButton(name: string, place: PartLocation | undefined): TemplateResult | typeof nothing {
  if (!place) return nothing;
  return iconButton("save", { label: t("Save {0}", name), onClick: () => send({ type: "saveContent", ...place }) });
}

type Media = ViewMedia & { readonly mimeType: string };

function tooLargeChip(glyph: string, name: string, part: Media, place: PartLocation | undefined): TemplateResult {
  return html`<div class="chip">
    ${icon(glyph)} ${name} <span class="quiet">${part.mimeType} · ${formatSize(part.bytes ?? 0)}</span>
    <span class="quiet">${t("Too large to show here.")}</span> ${openButton(name, place)} ${saveButton(name, place)}
  </div>`;
}

function imageButton(name: string, part: Media, place: PartLocation | undefined): TemplateResult {
  const enlargeImage = (event: Event): void => {
    const source = (event.currentTarget as HTMLElement).querySelector("img")?.src ?? "";
    showImageDialog(name, source, open);
  };
  const open = place && ((): void => send({ type: "openContent", ...place }));
  const { width, height } = shownSize(part);
  return html`<button
    class="image"
    type="button"
    aria-haspopup="dialog"
    aria-label=${t("Enlarge {0}", name)}
    @click=${enlargeImage}
  >
    <img
      class=${width === undefined ? "unsized" : ""}
      alt=${name}
      width=${width ?? nothing}
      height=${height ?? nothing}
      src="data:${part.mimeType};base64,${part.data ?? ""}"
    />
  </button>`;
}

/** The painted size. It reserves the space before the image is decoded, so that nothing below it moves. */
function shownSize({ width, height }: ViewMedia): { readonly width?: number; readonly height?: number } {
  if (width === undefined || height === undefined) return {};
  const scale = Math.min(1, maxImageHeight / height);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

function audioPlayer(name: string, part: Media, place: PartLocation | undefined): TemplateResult {
  const showError = (event: Event): void => {
    const note = (event.currentTarget as HTMLElement).nextElementSibling;
    if (note instanceof HTMLElement) note.hidden = false;
  };
  return html`<div class="attachment">
    <audio
      controls
      controlslist="nodownload noplaybackrate"
      preload="metadata"
      aria-label=${name}
      src="data:${part.mimeType};base64,${part.data ?? ""}"
      @error=${showError}
    ></audio>
    <div class="chip" hidden>${t("This audio cannot be played.")} ${openButton(name, place)}</div>
  </div>`;
}
