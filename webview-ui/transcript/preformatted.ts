// The text of a tool as it is: monospaced, with its line breaks, and with colours if its language is known. Paths in the
// output of programs are links.
import { html, nothing, type TemplateResult } from "lit";
import type { ViewPart } from "../../src/panel/protocol.ts";
import { copyButton } from "../markdown/copy.ts";
import { highlight } from "../markdown/highlight.ts";
import { LightElement, roveTabStop } from "../base/element.ts";
import { t } from "../base/l10n.ts";
import { appendOutput, linkPaths, setOutput } from "./outputLinks.ts";

/** The languages with which agents mark the output of commands. Paths in code are no links. */
const outputLanguages = new Set([
  "ansi",
  "bash",
  "console",
  "log",
  "output",
  "plaintext",
  "sh",
  "shell",
  "text",
  "txt",
]);

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
    const added = isAppended ? text.slice(this.#painted.length) : undefined;
    this.#painted = text;
    const language = pre?.language;
    const isOutput = language === undefined || outputLanguages.has(language.toLowerCase());
    if (isOutput) {
      // Colours divide the text into other nodes.
      if (added !== undefined && code.querySelector("span") === null) appendOutput(code, added);
      else setOutput(code, text);
      const card = this.closest<HTMLElement>("parley-tool");
      if (card) roveTabStop(card);
    } else if (added !== undefined && code.childNodes.length === 1 && code.firstChild instanceof Text)
      code.firstChild.appendData(added);
    else code.textContent = text;
    if (language !== undefined) highlight(code, language, () => isOutput && linkPaths(code));
  }
}
