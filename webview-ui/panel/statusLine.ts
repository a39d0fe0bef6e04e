// The line above the composer: what the panel waits for, for how long, and what the user can do about it.
import { html, nothing, type TemplateResult } from "lit";
import type { Intent } from "../../src/panel/intents.ts";
import type { ViewHead } from "../../src/panel/protocol.ts";
import { icon } from "../base/element.ts";
import { formatDuration, t } from "../base/l10n.ts";
import { send } from "../base/vscodeApi.ts";
import { activityText, connectionText } from "./statusText.ts";

/** Whether the line shows a time that passes. */
export const showsElapsedTime = (head: ViewHead): boolean =>
  activityText(head) !== undefined || head.connection?.since !== undefined;

/** The line, or nothing if the session is ready and idle. `leave` moves the focus away from a button that disappears. */
export function statusLine(head: ViewHead, leave: () => void): TemplateResult | typeof nothing {
  const connecting = connectionText(head);
  const words = connecting ?? activityText(head);
  if (words === undefined) return nothing;
  const since = connecting === undefined ? (head.activity.background ?? head.activity.since) : head.connection?.since;
  const elapsed = since === undefined ? 0 : Date.now() - since;
  const isWaiting = connecting === undefined && head.asks.length > 0;
  const detail = connecting === undefined ? undefined : head.connection?.detail;
  return html`<div class="status-line">
    <span class="status-words"
      >${icon(isWaiting ? "question" : head.connection?.state === "closed" ? "debug-disconnect" : "loading codicon-modifier-spin")}
      <span
        >${words}${elapsed >= 1000 ? html` <span class="quiet">${formatDuration(elapsed)}</span>` : nothing}</span
      ></span
    >
    ${head.connection?.since === undefined ? nothing : statusButton(t("Cancel"), { type: "cancelConnecting" }, leave)}
    ${head.activity.stopIgnored ? statusButton(t("Restart Agent"), { type: "nextStep", step: "restartAgent" }, leave) : nothing}
    ${detail === undefined ? nothing : html`<span class="status-detail ellipsis" title=${detail}>${detail}</span>`}
  </div>`;
}

function statusButton(label: string, intent: Intent, leave: () => void): TemplateResult {
  const run = (): void => {
    send(intent);
    leave();
  };
  return html`<button class="secondary" type="button" @click=${run}>${label}</button>`;
}
