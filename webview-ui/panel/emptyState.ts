// Shown while the conversation is empty: the list of agents, recent sessions, and example prompts.
import { html, nothing, type TemplateResult } from "lit";
import type { ViewHead, ViewAgent, ViewRecentSession } from "../../src/panel/protocol.ts";
import { icon } from "../base/element.ts";
import { send } from "../base/vscodeApi.ts";
import { formatAge, t } from "../base/l10n.ts";

/** The empty state. `fill` inserts an example into the composer. */
export function emptyState(head: ViewHead, fill: (text: string) => void): TemplateResult {
  const { agent, agents } = head;
  const hasSeveralAgents = agents.length > 1;
  return html`<div class="empty">
    ${recentSessions(head.recent ?? [])} ${icon("comment-discussion")}
    <p class="empty-title">${agent && !hasSeveralAgents ? agent.name : t("Choose an agent")}</p>
    ${hasSeveralAgents || agent?.description === undefined ? nothing : html`<p class="quiet">${agent.description}</p>`}
    ${hasSeveralAgents ? agentList(agents, agent) : nothing} ${agent === null ? nothing : examples(fill)}
  </div>`;
}

function agentList(agents: readonly ViewAgent[], chosen: ViewAgent | null): TemplateResult {
  return html`<ul class="agents" aria-label=${t("Agents")}>
    ${agents.map(agent => html`<li>${agentCard(agent, agent.id === chosen?.id)}</li>`)}
  </ul>`;
}

/** A button instead of a radio button, because choosing starts the agent, and arrow keys in the list must not. */
function agentCard(agent: ViewAgent, isChosen: boolean): TemplateResult {
  return html`<button
    class="agent"
    type="button"
    aria-pressed=${isChosen}
    @click=${isChosen ? nothing : () => send({ type: "selectAgent", agent: agent.id })}
  >
    <span class="agent-mark" aria-hidden="true"
      >${agent.icon === undefined ? initials(agent.name) : icon(agent.icon)}</span
    >
    <span class="agent-words">
      <span class="agent-name">${agent.name}</span>
      ${agent.description === undefined ? nothing : html`<span class="quiet">${agent.description}</span>`}
    </span>
    ${isChosen ? icon("check") : nothing}
  </button>`;
}

function recentSessions(sessions: readonly ViewRecentSession[]): TemplateResult | typeof nothing {
  if (sessions.length === 0) return nothing;
  return html`<section class="recent" aria-labelledby="recent-sessions">
    <h2 id="recent-sessions" class="quiet">${t("Recent sessions")}</h2>
    <ul>
      ${sessions.map(session => html`<li>${recentSession(session)}</li>`)}
    </ul>
  </section>`;
}

function recentSession(session: ViewRecentSession): TemplateResult {
  const { id, title, agentName, updated } = session;
  const status = statusText(session);
  const age = updated === undefined ? "" : formatAge(Date.now() - updated);
  const details = [agentName, status, age].filter(text => text !== "");
  return html`<button
    type="button"
    title=${[title, details.join(" · ")].join("\n")}
    aria-label=${[title, ...details].join(", ")}
    @click=${() => send({ type: "showSession", id })}
  >
    ${icon(sessionIcon(session))}<span class="recent-title">${title}</span
    ><span class="quiet">${status === "" ? age : status}</span>
  </button>`;
}

function statusText({ status, isUnread }: ViewRecentSession): string {
  switch (status) {
    case "waiting":
      return t("Waiting for you");
    case "working":
      return t("Working");
    case "failed":
      return t("Failed");
    case "interrupted":
      return t("Interrupted");
    case "idle":
      return isUnread ? t("Unread") : "";
  }
}

function sessionIcon({ status, isUnread, icon: agentIcon = "comment-discussion" }: ViewRecentSession): string {
  switch (status) {
    case "waiting":
      return "bell-dot";
    case "working":
      return "loading";
    case "failed":
      return "error";
    case "interrupted":
      return "debug-disconnect";
    case "idle":
      return isUnread ? "circle-filled" : agentIcon;
  }
}

/** The initials of a name: "Gemini CLI" → "GC". */
const initials = (name: string): string =>
  name
    .split(/\s+/)
    .flatMap(word => [...word].slice(0, 1))
    .slice(0, 2)
    .join("")
    .toUpperCase();

function examples(fill: (text: string) => void): TemplateResult {
  const texts = [t("Explain this project"), t("Run the tests"), t("Plan a refactoring")];
  return html`<div class="examples" role="group" aria-label=${t("Example prompts")}>
      ${texts.map(text => html`<button class="secondary" type="button" @click=${() => fill(text)}>${text}</button>`)}
    </div>
    <p class="quiet hint">${t("Type @ to add context and / for commands. Hold Shift to drop files.")}</p>`;
}
