// What messages and tool cards hold besides their frame: text, images, links, diffs, terminals, JSON.
import { html, nothing, type TemplateResult } from "lit";
import type { ToolPart, ViewEntry, ViewPart } from "../src/chat/protocol.ts";
import { copyFrom } from "./copy.ts";
import { changedFile, diffView } from "./diffView.ts";
import { icon } from "./element.ts";
import { send } from "./host.ts";
import { size, t } from "./l10n.ts";
import { hrefLink } from "./links.ts";
import type { TerminalElement } from "./terminal.ts";

const IMAGE_TYPES = /^image\/(?:png|jpeg|gif|webp|bmp|avif|svg\+xml)$/;
const AUDIO_TYPES = /^audio\/[\w.+-]+$/;

/** A part of a message. Text is Markdown; while `live`, it may grow. */
export function messagePart(part: ViewPart, live: boolean): TemplateResult {
  switch (part.type) {
    case "text":
      return html`<parley-markdown .content=${{ text: part.text, live }}></parley-markdown>${cutNote(part.cut)}`;
    case "image":
      return imagePart(part.mimeType, part.data, part.uri);
    case "audio":
      if (!AUDIO_TYPES.test(part.mimeType)) return placeholder(part.mimeType);
      return html`<audio controls aria-label=${t("Audio")} src="data:${part.mimeType};base64,${part.data}"></audio>`;
    case "link":
      return html`<div class="chip" title=${part.description ?? part.uri}>
        ${icon("link")} ${hrefLink(part.uri, part.name)}
        ${part.size === undefined ? nothing : html`<span class="quiet">${size(part.size)}</span>`}
      </div>`;
    case "resource":
      return html`<details class="resource">
        <summary>
          ${icon("file")} ${fileName(part.uri)}
          ${part.bytes === undefined ? nothing : html`<span class="quiet">${size(part.bytes)}</span>`}
        </summary>
        ${
          part.text === undefined
            ? html`<p class="quiet">${hrefLink(part.uri, part.uri)} ${part.mimeType ?? ""}</p>`
            : html`<pre tabindex="0">${part.text}</pre>`
        }
      </details>`;
    case "placeholder":
      return placeholder(part.kind);
    default:
      part satisfies never;
      return html``;
  }
}

/** A part at its index, by which what was found in it is looked up. Takes no place of its own. */
export function partAt(index: number, content: TemplateResult): TemplateResult {
  return html`<div class="part" data-part=${index}>${content}</div>`;
}

/** A part of a user's message: as it was typed. */
export function userPart(part: ViewPart): TemplateResult {
  if (part.type !== "text") return messagePart(part, false);
  return html`<div class="typed">${part.text}</div>
    ${cutNote(part.cut)}`;
}

/** A title as agents write them: plain, but for code between backticks. */
export function titleText(title: string): (string | TemplateResult)[] {
  return title.split(/`([^`]+)`/).map((piece, i) => (i % 2 === 1 ? html`<code>${piece}</code>` : piece));
}

/** The parts of a tool card or of a question. `owner` is the tool card whose diffs the host can open. */
export function toolParts(parts: readonly ToolPart[], owner: ViewEntry | undefined, live: boolean): TemplateResult[] {
  // Raw input and output stay folded behind whatever says the same in words.
  const rawOnly = parts.every(part => part.type === "json");
  return parts.map((part, i) => partAt(i, toolPart(part, owner, live, rawOnly)));
}

function toolPart(part: ToolPart, owner: ViewEntry | undefined, live: boolean, rawOpen: boolean): TemplateResult {
  switch (part.type) {
    case "diff":
      return diffView(part, openDiff(part, owner));
    case "files":
      return filesPart(part);
    case "terminal":
      return terminalPart(part);
    case "json":
      return jsonPart(part, rawOpen);
    default:
      return messagePart(part, live);
  }
}

type Part<T extends ToolPart["type"]> = Extract<ToolPart, { type: T }>;

function openDiff(diff: Part<"diff">, owner: ViewEntry | undefined): (() => void) | undefined {
  if (owner?.kind !== "tool") return undefined;
  const same = (part: ToolPart): boolean => part === diff || (part.type === "diff" && part.path === diff.path);
  const exact = owner.parts.indexOf(diff);
  const part = exact >= 0 ? exact : owner.parts.findIndex(same);
  return part < 0 ? undefined : () => send({ type: "openDiff", entry: owner.id, part });
}

function filesPart(part: Part<"files">): TemplateResult {
  return html`<div class="files">
    <ul>
      ${part.files.map(changedFile)}
    </ul>
    ${
      part.patch === undefined
        ? nothing
        : html`<details>
            <summary>${t("Patch")}</summary>
            <pre class="patch" tabindex="0">${part.patch}</pre>
            ${cutNote(part.cut)}
          </details>`
    }
  </div>`;
}

function terminalPart(part: Part<"terminal">): TemplateResult {
  return html`<div class="terminal">
    ${part.command === undefined ? nothing : html`<div class="command"><code>${part.command}</code></div>`}
    <div class="terminal-bar">
      ${part.cwd === undefined ? nothing : html`<div class="quiet folder">${icon("folder")} <span>${part.cwd}</span></div>`}
      ${terminalButtons(part)}
    </div>
    ${part.truncated ? html`<p class="quiet">${t("The beginning of the output was left out.")}</p>` : nothing}
    ${
      part.text === ""
        ? nothing
        : html`<parley-terminal
            aria-label=${t("Output")}
            role="group"
            .text=${part.text}
            .ended=${part.exit !== undefined}
          ></parley-terminal>`
    }
    ${exitLine(part)}
  </div>`;
}

function terminalButtons({ text, terminalId, canKill }: Part<"terminal">): TemplateResult {
  const copy = (event: Event): void => {
    const button = event.currentTarget as HTMLElement;
    const output = button.closest(".terminal")?.querySelector<TerminalElement>("parley-terminal");
    if (output) copyFrom(button, output.plainText);
  };
  const open = (): void => send({ type: "openTerminal", terminal: terminalId });
  const kill = (): void => send({ type: "killTerminal", terminal: terminalId });
  return html`<div class="terminal-buttons">
    ${text === "" ? nothing : iconButton("copy", t("Copy Output"), copy)}
    ${iconButton("terminal", t("Open in Terminal"), open)}
    ${canKill ? iconButton("debug-stop", t("Kill"), kill) : nothing}
  </div>`;
}

function iconButton(glyph: string, label: string, onClick: (event: Event) => void): TemplateResult {
  return html`<button class="icon-button" type="button" aria-label=${label} title=${label} @click=${onClick}>
    ${icon(glyph)}
  </button>`;
}

function exitLine({ exit }: Part<"terminal">): TemplateResult | typeof nothing {
  if (exit === undefined) return nothing;
  const failed = exit.signal !== undefined || (exit.exitCode ?? 0) !== 0;
  return html`<div class="exit" data-failed=${failed}>${icon(failed ? "error" : "check")} ${exitWords(exit)}</div>`;
}

function exitWords(exit: { readonly exitCode?: number; readonly signal?: string }): string {
  if (exit.signal !== undefined) return t("Ended by {0}", exit.signal);
  return exit.exitCode === undefined ? t("Ended") : t("Exit code {0}", exit.exitCode);
}

function jsonPart(part: Part<"json">, open: boolean): TemplateResult {
  return html`<details class="json" ?open=${open}>
    <summary>${part.label === "Input" ? t("Input") : t("Output")}</summary>
    <pre tabindex="0">${part.text}</pre>
    ${cutNote(part.cut)}
  </details>`;
}

function imagePart(mimeType: string, data: string, uri: string | undefined): TemplateResult {
  if (!IMAGE_TYPES.test(mimeType)) return placeholder(mimeType);
  const name = uri === undefined ? t("Image") : fileName(uri);
  const enlarge = (event: Event): void => {
    const button = event.currentTarget as HTMLElement;
    button.ariaPressed = String(button.classList.toggle("large"));
  };
  return html`<button
    class="image"
    type="button"
    aria-pressed="false"
    aria-label=${t("{0}: show larger", name)}
    @click=${enlarge}
  >
    <img alt=${name} src="data:${mimeType};base64,${data}" />
  </button>`;
}

function placeholder(kind: string): TemplateResult {
  return html`<div class="chip quiet">${icon("question")} ${t("Content that cannot be shown here: {0}", kind)}</div>`;
}

function cutNote(cut: number | undefined): TemplateResult | typeof nothing {
  return cut === undefined || cut <= 0
    ? nothing
    : html`<p class="quiet">${t("{0} more characters were left out.", cut)}</p>`;
}

function fileName(uri: string): string {
  return (
    uri
      .replace(/[?#].*$/, "")
      .replace(/\/+$/, "")
      .split(/[\\/]/)
      .at(-1) || uri
  );
}
