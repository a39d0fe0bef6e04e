// An embedded text file: folded, highlighted by its name or MIME type, with buttons to copy and to open it.
import { html, nothing, type TemplateResult } from "lit";
import { uriFileName } from "../../src/panel/fileNames.ts";
import type { ViewPart } from "../../src/panel/protocol.ts";
import { omittedTextNote, openButton, type PartLocation } from "./content.ts";
import { copyButton } from "../markdown/copy.ts";
import { LightElement, icon } from "../base/element.ts";
import { highlight, languageOf } from "../markdown/highlight.ts";
import { formatSize, t } from "../base/l10n.ts";
import { hrefLink } from "../markdown/links.ts";

/** `<parley-resource>`: its text is on the page only while it is open. */
export class ResourceElement extends LightElement {
  static override properties = { file: { attribute: false }, place: { attribute: false }, open: { state: true } };
  declare file: Extract<ViewPart, { type: "resource" }>;
  declare place: PartLocation | undefined;
  declare open: boolean;

  constructor() {
    super();
    this.open = false;
  }

  protected override render(): TemplateResult {
    const { file } = this;
    const name = uriFileName(file.uri);
    const text = file.text ?? "";
    const toggled = (event: Event): void => void (this.open = (event.currentTarget as HTMLDetailsElement).open);
    return html`<details class="resource" @toggle=${toggled}>
      <summary>
        ${icon("file")} <span>${name}</span> <span class="quiet">${formatSize(text.length + (file.cut ?? 0))}</span>
      </summary>
      ${this.open ? this.#body(name, text) : nothing}
    </details>`;
  }

  #body(name: string, text: string): TemplateResult {
    return html`<div class="code">
        <div class="code-bar">
          <span class="code-label ellipsis">${hrefLink(this.file.uri, this.file.uri)}</span>
          ${openButton(name, this.place)} ${copyButton(t("Copy {0}", name), () => text)}
        </div>
        <pre tabindex="0"><code></code></pre>
      </div>
      ${omittedTextNote(this.file.cut, this.place)}`;
  }

  protected override updated(): void {
    const code = this.querySelector<HTMLElement>("pre code");
    const { text = "", uri, mimeType } = this.file;
    if (!code || code.textContent === text) return;
    code.textContent = text;
    const language = languageOf(uriFileName(uri), mimeType);
    if (language !== "") highlight(code, language);
  }
}
