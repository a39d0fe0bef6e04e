// The text of a tool as it is: monospaced, with its line breaks, and with colours if its language is known.
import { html, nothing, type TemplateResult } from "lit";
import type { ViewPart } from "../../src/panel/protocol.ts";
import { copyButton } from "../markdown/copy.ts";
import { highlight } from "../markdown/highlight.ts";
import { LightElement } from "../base/element.ts";
import { t } from "../base/l10n.ts";

/** `<parley-preformatted>`: set `output`. Text that grows is appended, so that a selection in it survives. */
export class PreformattedElement extends LightElement {
  static override properties = { output: { attribute: false } };
  declare output: Extract<ViewPart, { type: "text" }>;
  /** The painted text, before colours. */
  #painted = "";

  protected override render(): TemplateResult {
    const isLong = this.output.text.trimEnd().includes("\n");
    return html`<div class="preformatted">
      <pre tabindex="0"><code></code></pre>
      ${isLong ? copyButton(t("Copy Text"), () => this.output.text) : nothing}
    </div>`;
  }

  protected override updated(): void {
    const code = this.querySelector<HTMLElement>("pre code");
    const { text, pre } = this.output;
    if (!code || this.#painted === text) return;
    const isAppended = this.#painted !== "" && text.startsWith(this.#painted);
    const node = isAppended && code.childNodes.length === 1 ? code.firstChild : null;
    if (node instanceof Text) node.appendData(text.slice(this.#painted.length));
    else code.textContent = text;
    this.#painted = text;
    if (pre?.language !== undefined) highlight(code, pre.language);
  }
}
