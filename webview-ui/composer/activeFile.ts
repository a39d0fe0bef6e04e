// The active file of the editor in the composer: two switches, dim until the user presses one.
import { html, nothing, type TemplateResult } from "lit";
import type { ActiveFilePart, ViewActiveFile } from "../../src/panel/protocol.ts";
import { icon } from "../base/element.ts";
import { t } from "../base/l10n.ts";
import { send } from "../base/vscodeApi.ts";

/** The switches. `isWorking`: a message to an agent that works goes without them. */
export function activeFileSwitches(
  file: ViewActiveFile | null | undefined,
  isWorking: boolean,
): TemplateResult | typeof nothing {
  if (!file) return nothing;
  const { name, path, lines, sends } = file;
  return html`<div class="message-switch" role="group" aria-label=${t("Active file")}>
    ${switchOf("file", sends.file, name, t("Send a link to {0} with each message", path), isWorking)}
    ${
      lines === undefined
        ? nothing
        : switchOf(
            "selection",
            sends.selection,
            lines.from === lines.to ? t("line {0}", lines.from) : t("lines {0}-{1}", lines.from, lines.to),
            t("Send the selected text with each message"),
            isWorking,
          )
    }
  </div>`;
}

function switchOf(
  part: ActiveFilePart,
  isOn: boolean,
  label: string,
  words: string,
  isWorking: boolean,
): TemplateResult {
  return html`<button
    type="button"
    aria-pressed=${isOn}
    title=${isWorking ? t("{0}. Not sent while the agent works.", words) : words}
    @click=${() => send({ type: "sendActiveFile", part, isOn: !isOn })}
  >
    ${icon(isOn ? "eye" : "eye-closed")} <span class="ellipsis"><bdi>${label}</bdi></span>
  </button>`;
}
