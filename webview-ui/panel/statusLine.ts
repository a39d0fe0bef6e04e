// The line above the composer: what the panel waits for, for how long, and what the user can do about it.
import { html, nothing, type TemplateResult } from "lit";
import type { Intent } from "../../src/panel/intents.ts";
import type { ViewHead } from "../../src/panel/protocol.ts";
import { icon } from "../base/element.ts";
import { formatDuration, t } from "../base/l10n.ts";
import { send } from "../base/vscodeApi.ts";
import type { StartLimit } from "./startLimit.ts";
import { activityText, connectionText } from "./statusText.ts";

/** Whether the line shows a time that passes. */
export const showsElapsedTime = (head: ViewHead): boolean =>
  activityText(head) !== undefined || head.connection?.since !== undefined;

/** What the line does besides sending intents. */
export interface StatusLineActions {
  /** Moves the focus away from a button that disappears. */
  readonly leave: () => void;
  /** Renders the line again. */
  readonly refresh: () => void;
}

/** The line, or nothing if the session is ready and idle. */
export function statusLine(
  head: ViewHead,
  startLimit: StartLimit,
  actions: StatusLineActions,
): TemplateResult | typeof nothing {
  const connecting = connectionText(head);
  const words = connecting ?? activityText(head);
  if (words === undefined) return nothing;
  const now = Date.now();
  if (connecting !== undefined && startLimit.isOver(head, now)) return lateLine(head, startLimit, actions);
  const since = connecting === undefined ? activitySince(head) : head.connection?.since;
  const elapsed = since === undefined ? 0 : now - since;
  const isWaiting = connecting === undefined && head.questions.length > 0;
  const detail = connecting === undefined ? undefined : head.connection?.detail;
  const { leave } = actions;
  return html`<div class="status-line">
    <span class="status-words"
      >${icon(isWaiting ? "question" : head.connection?.state === "closed" ? "debug-disconnect" : "loading codicon-modifier-spin")}
      <span
        >${words}${elapsed >= 1000 ? html` <span class="quiet">${formatDuration(elapsed)}</span>` : nothing}</span
      ></span
    >
    ${head.connection?.since === undefined ? nothing : statusButton(t("Cancel"), { type: "cancelConnecting" }, leave)}
    ${head.activity.stopIgnored ? statusButton(t("Restart Agent"), { type: "nextStep", step: "restartAgent" }, leave) : nothing}
    ${detailText(detail)}
  </div>`;
}

/** The start of the activity that {@link activityText} names, in ms since the epoch. */
function activitySince({ activity, questions }: ViewHead): number {
  const { background, since, silentSince, cancelling } = activity;
  const isSilent = silentSince !== undefined && !cancelling && questions.length === 0;
  return background ?? (isSilent ? silentSince : since);
}

/** The start takes longer than its limit. Its text does not change every second, because it is announced. */
function lateLine(head: ViewHead, startLimit: StartLimit, { leave, refresh }: StatusLineActions): TemplateResult {
  const name = head.agent?.name ?? t("The agent");
  const keepWaiting = (): void => {
    startLimit.keepWaiting(head, Date.now());
    refresh();
    leave();
  };
  return html`<div class="status-line">
    <span class="status-words" role="status"
      >${icon("warning")}
      <span
        >${t("{0} has not answered within {1}. It may still be downloading, or it may not be an ACP agent.", name, formatDuration(startLimit.limit(head) ?? 0))}</span
      ></span
    >
    <button class="secondary" type="button" @click=${keepWaiting}>${t("Keep Waiting")}</button>
    ${statusButton(t("Stop"), { type: "cancelConnecting" }, leave)}
    ${statusButton(t("Check Agent"), { type: "nextStep", step: "checkAgent" }, leave)}
    ${detailText(head.connection?.detail)}
  </div>`;
}

const detailText = (detail: string | undefined): TemplateResult | typeof nothing =>
  detail === undefined
    ? nothing
    : html`<span class="status-detail ellipsis" dir="auto" title=${detail}>${detail}</span>`;

function statusButton(label: string, intent: Intent, leave: () => void): TemplateResult {
  const run = (): void => {
    send(intent);
    leave();
  };
  return html`<button class="secondary" type="button" @click=${run}>${label}</button>`;
}
