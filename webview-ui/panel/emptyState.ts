// Shown while the conversation is empty: the list of agents, recent sessions, and example prompts.
import { html, nothing, type TemplateResult } from "lit";
import { keyed } from "lit/directives/keyed.js";
import type { ViewAgent, ViewHead, ViewRecentSession } from "../../src/panel/protocol.ts";
import { icon } from "../base/element.ts";
import { send } from "../base/vscodeApi.ts";
import { formatAge, t } from "../base/l10n.ts";
import { aboutAgent } from "./header.ts";

/** What the empty state does with the composer. */
interface ComposerActions {
  /** Inserts an example. */
  readonly fill: (text: string) => void;
  readonly focus: () => void;
}

/** The empty state. With a problem, the user cannot send a prompt yet, so it has no examples. */
export function emptyState(head: ViewHead, composer: ComposerActions): TemplateResult {
  const { agent, problem } = head;
  return html`<div class="empty">
    ${agentChoice(head, composer.focus)} ${recentSessions(head.recent ?? [])}
    ${agent === null || problem !== null ? nothing : examples(composer.fill)}
  </div>`;
}

/** The agents. They fold to one line once the user has chosen one, except if another one may solve a problem. */
function agentChoice({ agent, agents, problem }: ViewHead, leave: () => void): TemplateResult {
  if (agent && agents.length < 2)
    return html`<p class="empty-title">${agent.name}</p>
      ${agent.description === undefined ? nothing : html`<p class="quiet">${agent.description}</p>`}`;
  const list = html`<ul class="agents" aria-label=${t("Agents")}>
    ${agents.map(each => html`<li>${agentCard(each, each.id === agent?.id ? agent : undefined, leave)}</li>`)}
  </ul>`;
  if (!agent?.isChosen || (problem !== null && problem.signIn === undefined))
    return html`<p class="empty-title">${t("Choose an agent")}</p>
      ${list}`;
  // Another agent gets an element of its own, which is folded again.
  return html`${keyed(
    agent.id,
    html`<details class="chosen-agent">
      <summary>${agentMark(agent)} ${agentWords(agent)}<span class="change-agent">${t("Change")}</span></summary>
      ${list}
    </details>`,
  )}`;
}

/**
 * A button instead of a radio button, because choosing starts the agent, and arrow keys in the list must not. `selected`:
 * the agent of the session, if it is this one.
 */
function agentCard(agent: ViewAgent, selected: ViewAgent | undefined, leave: () => void): TemplateResult {
  const choose = ({ currentTarget }: Event): void => {
    if (!selected?.isChosen) send({ type: "selectAgent", agent: agent.id });
    else (currentTarget as Element).closest("details")?.removeAttribute("open");
    leave();
  };
  return html`<button
    class="agent"
    type="button"
    title=${aboutAgent(agent) || nothing}
    aria-pressed=${selected !== undefined}
    @click=${choose}
  >
    ${agentMark(agent)} ${agentWords(agent)} ${selected ? icon("check") : nothing}
  </button>`;
}

const agentMark = (agent: ViewAgent): TemplateResult =>
  html`<span class="agent-mark" dir="auto" aria-hidden="true"
    >${agent.icon === undefined ? initials(agent.name) : icon(agent.icon)}</span
  >`;

function agentWords(agent: ViewAgent): TemplateResult {
  const status = agentStatus(agent);
  return html`<span class="agent-words">
    <span class="agent-name" dir="auto">${agent.name}</span>
    ${agent.description === undefined ? nothing : html`<span class="agent-about quiet" dir="auto">${agent.description}</span>`}
    ${status === "" ? nothing : html`<span class="agent-status quiet">${status}</span>`}
  </span>`;
}

/** Whether the agent can start here, and its sign-in at the last connection. */
function agentStatus({ presence, signIn }: ViewAgent): string {
  const presences = {
    installed: t("Installed"),
    downloads: t("Not downloaded"),
    notFound: t("Not found"),
  };
  const signIns = { done: t("Signed in"), needed: t("Sign-in needed") };
  return [presence && presences[presence], signIn && signIns[signIn]].filter(text => text !== undefined).join(" · ");
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
    ${icon(sessionIcon(session))}<span class="recent-title" dir="auto">${title}</span
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
  const prompts = [
    [t("Explain this project"), t("Reads the files and describes them.")],
    [t("Run the tests"), t("Runs them and reports the result.")],
    [t("Plan a refactoring"), t("Proposes improvements to the code.")],
  ] as const;
  return html`<section class="examples" role="group" aria-label=${t("Example prompts")}>
      ${prompts.map(
        ([text, about]) =>
          html`<button type="button" @click=${() => fill(text)}>
            ${icon("comment")} <span>${text}</span> <span class="quiet">${about}</span>
          </button>`,
      )}
    </section>
    <p class="quiet hint">${t("Type @ to add context and / for commands. Hold Shift to drop files.")}</p>`;
}
