// A link to a file whose name is already on the card.
import { html, nothing, type TemplateResult } from "lit";
import { visibleText } from "../../src/base/visibleText.ts";
import { t } from "../base/l10n.ts";

/** A link to a file that is named nearby. Its accessible name contains the name of the file. */
export function unnamedFileLink(path: string, label: string, line?: number): TemplateResult {
  const text = line === undefined ? t("Open File") : t("Line {0}", line);
  return html`<a
    class="link unnamed"
    role="link"
    tabindex="0"
    title=${visibleText(path)}
    aria-label=${`${text}: ${visibleText(label)}`}
    data-path=${path}
    data-line=${line ?? nothing}
    >${text}</a
  >`;
}
