// The full web address of a question, with its host emphasised.
import { html, nothing, type TemplateResult } from "lit";
import { visibleText } from "../../src/base/visibleText.ts";
import type { WebAddress } from "../../src/session/forms/form.ts";
import { icon } from "../base/element.ts";
import { t } from "../base/l10n.ts";

/** `openedFor` is the agent that waits for the user, once the address was opened. */
export function addressDetails(address: WebAddress, openedFor: string | undefined): TemplateResult {
  const { href, host, decodedHost, hasUserName } = address;
  const start = href.indexOf("//") + 2;
  const slash = href.slice(start).search(/[/?#]/);
  const end = slash < 0 ? href.length : start + slash;
  // The host is the last part of the authority, after a user name.
  const at = end - host.length;
  return html`<div class="address" tabindex="0" role="group" aria-label=${t("Web address")}>
      <code
        >${visibleText(href.slice(0, at))}<strong>${visibleText(href.slice(at, end))}</strong>${visibleText(href.slice(end))}</code
      >
    </div>
    ${decodedHost === undefined ? nothing : warning(t("The host is written in Punycode. Decoded, it reads “{0}”, and its letters can look like others.", visibleText(decodedHost)))}
    ${hasUserName ? warning(t("The address begins with a user name, which is not its host. The host is “{0}”.", visibleText(host))) : nothing}
    ${openedFor === undefined ? nothing : html`<div class="quiet">${t("The address was opened in the browser. {0} waits until you are done there.", visibleText(openedFor))}</div>`}`;
}

const warning = (text: string): TemplateResult =>
  html`<div class="address-warning">${icon("warning")} <span>${text}</span></div>`;
