// Below the composer: the MCP servers of the session, in a list behind a button.
import { html, nothing, type TemplateResult } from "lit";
import type { SignInAction, ViewMcpServer } from "../../src/panel/protocol.ts";
import { LightElement, icon } from "../base/element.ts";
import { t } from "../base/l10n.ts";
import { send } from "../base/vscodeApi.ts";
import type { ComposerHead } from "./composerHead.ts";
import { placeAbove } from "./listbox.ts";

/** The button, if there are servers. */
export const mcpServers = ({ mcpServers: servers = [], agent }: ComposerHead): TemplateResult | typeof nothing =>
  servers.length === 0
    ? nothing
    : html`<parley-servers .servers=${servers} .agentName=${agent?.name ?? ""}></parley-servers>`;

/** `<parley-servers>` */
export class McpServersElement extends LightElement {
  static override properties = {
    servers: { attribute: false },
    agentName: { attribute: false },
    open: { state: true },
  };
  declare servers: readonly ViewMcpServer[];
  declare agentName: string;
  declare open: boolean;

  constructor() {
    super();
    this.servers = [];
    this.agentName = "";
    this.open = false;
    this.addEventListener("focusout", ({ relatedTarget }) => {
      // The focused button has gone, for example because its server has started. See `updated`.
      if (relatedTarget === null && document.hasFocus()) return;
      if (!(relatedTarget instanceof Node && this.contains(relatedTarget))) this.open = false;
    });
    this.addEventListener("keydown", event => {
      if (event.key !== "Escape" || !this.open) return;
      event.stopPropagation();
      this.open = false;
      this.querySelector<HTMLElement>("button")?.focus();
    });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener("pointerdown", this.#closeOutside);
    window.addEventListener("blur", this.#close);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener("pointerdown", this.#closeOutside);
    window.removeEventListener("blur", this.#close);
  }

  /** The focus left the panel, for example for a dialog of VS Code. Keys would not reach the list any more. */
  #close = (): void => {
    this.open = false;
  };

  #closeOutside = ({ target }: PointerEvent): void => {
    if (this.open && !(target instanceof Node && this.contains(target))) this.open = false;
  };

  protected override updated(changed: Map<PropertyKey, unknown>): void {
    const popup = this.querySelector<HTMLElement>(".popup");
    const bar = this.closest<HTMLElement>(".composer-bar");
    if (!popup || !bar) return;
    placeAbove(popup, bar);
    // Escape closes the list wherever the focus was, and also after its focused button has gone.
    if (changed.has("open") || (document.hasFocus() && document.activeElement === document.body)) popup.focus();
  }

  protected override render(): TemplateResult {
    const on = this.servers.filter(server => server.on).length;
    const label = t("MCP servers: {0} of {1} on", on, this.servers.length);
    const hasFailed = this.servers.some(server => server.on && server.reason !== undefined);
    return html`<button
        class="icon-button"
        type="button"
        aria-label=${label}
        title=${label}
        aria-haspopup="dialog"
        aria-expanded=${this.open ? "true" : "false"}
        @click=${() => (this.open = !this.open)}
      >
        ${icon(hasFailed ? "warning" : "plug")}
      </button>
      ${this.open ? this.#list() : nothing}`;
  }

  #list(): TemplateResult {
    // A press on the text must not close the list by taking the focus.
    return html`<div class="popup mcp-servers" role="dialog" aria-label=${t("MCP servers")} tabindex="-1">
      <div class="popup-list">${this.servers.map(server => this.#row(server))}</div>
      ${
        this.servers.some(server => server.pending)
          ? html`<div class="popup-note mcp-pending">
              <span>${t("The change takes effect when {0} opens its next session.", this.agentName)}</span>
              <button class="link" type="button" @click=${() => this.#restart()}>${t("Restart Agent")}</button>
            </div>`
          : nothing
      }
    </div>`;
  }

  #row(server: ViewMcpServer): TemplateResult {
    const { name, detail, on, state, reason, signedIn, icon: image } = server;
    const set = (action: "on" | "off" | "allow" | "retry") => (): void =>
      send({ type: "setMcpServer", server: name, action });
    const signIn = (action: SignInAction) => (): void => send({ type: "signInToServer", server: name, action });
    return html`<div class="mcp-server">
      <label class="choice">
        <input type="checkbox" .checked=${on} @change=${set(on ? "off" : "on")} />
        ${image === undefined ? nothing : html`<img class="mcp-icon" src=${image} alt="" />`}
        <span class="mcp-name">${name}</span>
        <span class="quiet mcp-state">${stateText(server)}</span>
      </label>
      <div class="quiet mcp-detail" title=${detail}>${detail}</div>
      ${reason === undefined || !on ? nothing : html`<div class="mcp-reason">${icon("warning")} <span>${reason}</span></div>`}
      ${on && state === "notStarted" ? button(t("Start…"), t("Start {0}", name), set("allow")) : nothing}
      ${on && state === "notAllowed" ? button(t("Allow…"), t("Allow {0}", name), set("allow")) : nothing}
      ${on && state === "failed" ? button(t("Start Again"), t("Start {0} again", name), set("retry")) : nothing}
      ${on && state === "signInNeeded" ? button(t("Sign In…"), t("Sign in to {0}", name), signIn("signIn")) : nothing}
      ${on && state === "signingIn" ? button(t("Cancel"), t("Cancel the sign-in to {0}", name), signIn("cancelSignIn")) : nothing}
      ${on && signedIn !== undefined ? this.#signedIn(server, signIn) : nothing}
    </div>`;
  }

  /** The user is signed in: whether the agent gets that, and signing out. */
  #signedIn({ name, signedIn }: ViewMcpServer, run: (action: SignInAction) => () => void): TemplateResult {
    const { agentName } = this;
    return html`<div class="quiet mcp-signed-in">
        ${
          signedIn === "given"
            ? t("You are signed in, and {0} gets your sign-in.", agentName)
            : signedIn === "kept"
              ? t("You are signed in. {0} does not get your sign-in.", agentName)
              : t("You are signed in.")
        }
      </div>
      ${signedIn === "kept" ? button(t("Give to {0}…", agentName), t("Give {0} the sign-in to {1}", agentName, name), run("giveSignIn")) : nothing}
      ${signedIn === "given" ? button(t("Don't Give to {0}", agentName), t("Don't give {0} the sign-in to {1}", agentName, name), run("keepSignIn")) : nothing}
      ${button(t("Sign Out"), t("Sign out of {0}", name), run("signOut"))}`;
  }

  #restart(): void {
    this.open = false;
    send({ type: "nextStep", step: "restartAgent" });
  }
}

const button = (label: string, name: string, onClick: () => void): TemplateResult =>
  html`<button class="link" type="button" aria-label=${name} @click=${onClick}>${label}</button>`;

function stateText({ on, state }: ViewMcpServer): string {
  if (!on) return t("Off");
  switch (state) {
    case "notStarted":
      return t("Not started yet");
    case "notAllowed":
      return t("Not allowed yet");
    case "stopped":
      return t("Not running");
    case "starting":
      return t("Starting…");
    case "ready":
      return t("Ready");
    case "failed":
      return t("Failed");
    case "signInNeeded":
      return t("Not signed in");
    case "signingIn":
      return t("Waiting for the browser…");
  }
}
