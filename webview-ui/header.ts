// The top of the panel: the session's title, its agent, New Session.
import { html, nothing, type TemplateResult } from "lit";
import { live } from "lit/directives/live.js";
import type { ViewAgent } from "../src/chat/protocol.ts";
import { LightElement, icon } from "./element.ts";
import { send } from "./host.ts";
import { t } from "./l10n.ts";

/** `<parley-header>`. */
export class HeaderElement extends LightElement {
  static override properties = {
    sessionTitle: { attribute: false },
    agent: { attribute: false },
    agents: { attribute: false },
  };
  declare sessionTitle: string;
  declare agent: ViewAgent | null;
  declare agents: readonly ViewAgent[];

  protected override render(): TemplateResult {
    const title = this.sessionTitle === "" ? t("New Conversation") : this.sessionTitle;
    return html`<div class="header">
      <h1 class="ellipsis" title=${title}>${title}</h1>
      ${this.#picker()}
      <button
        class="icon-button"
        type="button"
        aria-label=${t("New Session")}
        title=${t("New Session")}
        @click=${() => send({ type: "newSession" })}
      >
        ${icon("add")}
      </button>
    </div>`;
  }

  #picker(): TemplateResult {
    const { agent, agents } = this;
    const known = agents.some(each => each.id === agent?.id);
    if (agents.length === 0) {
      return html`<button
        class="secondary"
        type="button"
        @click=${() => send({ type: "nextStep", step: "selectAgent" })}
      >
        ${t("Select Agent")}
      </button>`;
    }
    return html`<select
      class="agent-picker"
      aria-label=${t("Agent")}
      title=${agent?.description ?? t("Agent")}
      .value=${live(agent?.id ?? "")}
      @change=${this.#change}
    >
      ${agent === null ? html`<option value="" selected disabled>${t("Select Agent")}</option>` : nothing}
      ${agent !== null && !known ? html`<option value=${agent.id} selected>${agent.name}</option>` : nothing}
      ${agents.map(
        each =>
          html`<option value=${each.id} title=${each.description ?? nothing} ?selected=${each.id === agent?.id}>
            ${each.name}
          </option>`,
      )}
    </select>`;
  }

  #change = (event: Event): void => {
    const select = event.target as HTMLSelectElement;
    send({ type: "selectAgent", agent: select.value });
    // What is chosen is state: it shows once the host says so.
    select.value = this.agent?.id ?? "";
  };
}
