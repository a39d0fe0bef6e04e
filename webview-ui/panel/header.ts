// The header of the panel: the session's title, its agent, Follow, Session History, New Session, and the one menu with
// all other actions. The header of VS Code's view has no actions: at 300 pixels it shows 19 letters of a title and no
// agent, and changes the case of letters.
import { html, nothing, type TemplateResult } from "lit";
import type { NextStep } from "../../src/base/errors.ts";
import { visibleText } from "../../src/base/visibleText.ts";
import type { Intent } from "../../src/panel/intents.ts";
import type { ViewHead, ViewAgent, ViewWorktree } from "../../src/panel/protocol.ts";
import { worktreeCommits, worktreeLines, worktreeSentences } from "../../src/panel/worktreeTexts.ts";
import { LightElement, icon } from "../base/element.ts";
import { iconButton } from "../base/iconButton.ts";
import { keyName, withKey } from "../base/keyName.ts";
import { send } from "../base/vscodeApi.ts";
import { t } from "../base/l10n.ts";
import { inGroups, type MenuItem } from "./menu.ts";

type ShownPlace = Extract<Intent, { readonly type: "show" }>["place"];

/** `<parley-header>`. */
export class HeaderElement extends LightElement {
  static override properties = {
    sessionTitle: { attribute: false },
    folder: { attribute: false },
    path: { attribute: false },
    worktree: { attribute: false },
    hasSession: { attribute: false },
    agent: { attribute: false },
    agents: { attribute: false },
    follow: { attribute: false },
    editing: { state: true },
  };
  declare sessionTitle: string;
  /** The name of the session's folder. Undefined if the workspace has only one. */
  declare folder: string | undefined;
  /** The path of the session's folder. */
  declare path: string;
  /** The worktree in which the session works. Undefined: it works in none that Parley has made. */
  declare worktree: ViewWorktree | undefined;
  /** Whether there is a session to rename, copy or save. */
  declare hasSession: boolean;
  declare agent: ViewAgent | null;
  declare agents: readonly ViewAgent[];
  declare follow: ViewHead["follow"];
  declare editing: boolean;
  /** The element to focus after the next render. */
  #focusNext: "input" | "button" | undefined;

  constructor() {
    super();
    this.editing = false;
    this.follow = "off";
  }

  /** Starts editing the title. */
  rename(): void {
    if (!this.hasSession || this.editing) return;
    this.#focusNext = "input";
    this.editing = true;
  }

  protected override updated(): void {
    if (this.#focusNext === "input") this.querySelector<HTMLInputElement>(".title-input")?.select();
    if (this.#focusNext === "button") this.querySelector<HTMLElement>(".rename")?.focus();
    this.#focusNext = undefined;
  }

  protected override render(): TemplateResult {
    return html`<div class="header" @keydown=${this.#keydown}>
      ${this.editing ? this.#input() : this.#title()} ${this.editing ? nothing : this.#place()} ${this.#agentPicker()}
      <div class="header-buttons">
        ${this.hasSession ? this.#followButton() : nothing}
        ${iconButton("history", {
          label: t("Session History"),
          onClick: () => send({ type: "show", place: "sessionHistory" }),
        })}
        ${iconButton("add", {
          label: t("New Session"),
          title: withKey(t("New Session"), "N"),
          onClick: () => send({ type: "newSession" }),
        })}
        <parley-menu .label=${t("More Actions")} .items=${this.#menuItems()}></parley-menu>
      </div>
    </div>`;
  }

  #followButton(): TemplateResult {
    const { follow } = this;
    const tooltips = {
      off: t("Follow the agent in the editor"),
      on: t("Following the agent in the editor"),
      paused: t("Following paused. Click to follow the agent again"),
    };
    return html`${iconButton("target", {
        label: t("Follow"),
        title: withKey(tooltips[follow], "T"),
        classes: `follow ${follow}`,
        pressed: follow === "on",
        onClick: () => send({ type: "follow", on: follow !== "on" }),
      })} <span class="sr-only" role="status">${follow === "paused" ? t("Following paused") : ""}</span>`;
  }

  #title(): TemplateResult {
    const title = this.sessionTitle === "" ? t("New Conversation") : this.sessionTitle;
    return html`<div class="title">
      <h1 class="ellipsis" dir="auto" title=${title} @dblclick=${() => this.rename()}>${title}</h1>
      ${this.hasSession ? this.#renameButton() : nothing}
    </div>`;
  }

  /** Where the session works: its worktree, or its folder if the workspace has several. */
  #place(): TemplateResult | typeof nothing {
    if (this.worktree) return this.#worktreeMenu(this.worktree);
    return this.folder === undefined ? nothing : this.#folderName(this.folder);
  }

  #worktreeMenu(worktree: ViewWorktree): TemplateResult {
    const branch = visibleText(worktree.branch);
    const sentences = worktreeSentences(worktree).map(visibleText);
    return html`<parley-menu
      class="worktree"
      .label=${t("Worktree")}
      .text=${branch.replace(/^parley\/(?=.)/, "")}
      .textIcon=${worktree.problem === undefined ? "git-branch" : "warning"}
      .details=${[worktreeCommits(worktree), worktreeLines(worktree)].filter(text => text !== "").join(" ")}
      .spoken=${[branch, ...sentences.slice(1)].join(", ")}
      .tooltip=${[...sentences, this.path].join("\n")}
      .items=${worktreeItems}
      .floats=${true}
    ></parley-menu>`;
  }

  #folderName(name: string): TemplateResult {
    return html`<div class="folder" title=${t("The agent works in {0}", this.path)}>
      ${icon("folder")} <span class="sr-only">${t("Folder:")}</span> <span class="ellipsis" dir="auto">${name}</span>
    </div>`;
  }

  #renameButton(): TemplateResult {
    return iconButton("edit", {
      label: t("Rename Session"),
      title: t("Rename Session (F2)"),
      classes: "rename",
      keyShortcut: "F2",
      onClick: () => this.rename(),
    });
  }

  #input(): TemplateResult {
    return html`<h1 class="sr-only">${this.sessionTitle}</h1>
      <input
        class="title-input"
        type="text"
        dir="auto"
        aria-label=${t("Session title")}
        placeholder=${t("Leave empty to use the agent's title")}
        maxlength="200"
        .value=${this.sessionTitle}
        @blur=${() => this.#finish("save")}
      />`;
  }

  #keydown = (event: KeyboardEvent): void => {
    if (event.isComposing || event.keyCode === 229) return;
    if (!this.editing) return;
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    this.#focusNext = "button";
    this.#finish(event.key === "Enter" ? "save" : "cancel");
  };

  #finish(how: "save" | "cancel"): void {
    const input = this.querySelector<HTMLInputElement>(".title-input");
    if (!this.editing || !input) return;
    const title = input.value.trim();
    this.editing = false;
    if (how === "save" && title !== this.sessionTitle) send({ type: "rename", title });
  }

  /** The only menu of the panel. It also has what the menus of VS Code's headers could have. */
  #menuItems(): readonly MenuItem[] {
    const step = (next: NextStep) => (): void => send({ type: "nextStep", step: next });
    const show = (place: ShownPlace) => (): void => send({ type: "show", place });
    const ifSession = (...items: readonly MenuItem[]): readonly MenuItem[] => (this.hasSession ? items : []);
    return inGroups([
      [
        ...ifSession({ label: t("Rename Session"), icon: "edit", key: "F2", run: () => this.rename() }),
        { label: t("Open in Editor"), icon: "open-preview", run: () => send({ type: "openInEditor" }) },
        ...ifSession(
          { label: t("Copy Conversation as Markdown"), icon: "copy", run: () => send({ type: "copyConversation" }) },
          { label: t("Save Transcript"), icon: "save", run: () => send({ type: "saveTranscript" }) },
        ),
      ],
      [
        { label: t("Select Agent…"), icon: "hubot", run: step("selectAgent") },
        ...ifSession(
          { label: t("Restart Agent"), icon: "debug-restart", run: step("restartAgent") },
          { label: t("Continue With…"), icon: "debug-continue", run: step("continueWith") },
        ),
      ],
      [
        { label: t("Show Sessions"), icon: "list-selection", key: keyName("B"), run: show("sessions") },
        { label: t("Show Changes"), icon: "diff-multiple", run: show("changes") },
      ],
      [
        { label: t("Manage Permission Rules"), icon: "shield", run: () => send({ type: "manageRules" }) },
        { label: t("Show Permission Log"), icon: "checklist", run: show("permissionLog") },
      ],
      [
        ...ifSession({ label: t("Show Protocol Inspector"), icon: "list-tree", run: show("inspector") }),
        { label: t("Show Log"), icon: "output", run: step("showLog") },
      ],
    ]);
  }

  #agentPicker(): TemplateResult {
    const { agent, agents } = this;
    if (agents.length === 0) {
      return html`<button
        class="secondary"
        type="button"
        @click=${() => send({ type: "nextStep", step: "selectAgent" })}
      >
        ${t("Select Agent")}
      </button>`;
    }
    // An agent that the settings no longer contain cannot be chosen again, but it is still the one in effect.
    const listed = agent === null || agents.some(each => each.id === agent.id) ? agents : [agent, ...agents];
    return html`<parley-menu
      class="agent-picker"
      .label=${t("Agent")}
      .text=${agent?.name ?? t("Select Agent")}
      .tooltip=${agent?.description}
      .items=${[...listed.map(each => agentItem(each, each.id === agent?.id)), ...signOutItems(listed, agent)]}
    ></parley-menu>`;
  }
}

/** What can be done with the worktree of the session. */
const worktreeItems: readonly MenuItem[] = inGroups([
  [
    { label: t("Show Worktree Changes"), icon: "diff-multiple", run: worktreeAction("showChanges") },
    { label: t("Open Terminal in Worktree"), icon: "terminal", run: worktreeAction("openTerminal") },
    { label: t("Open Worktree in New Window"), icon: "empty-window", run: worktreeAction("openWindow") },
  ],
  [
    { label: t("Bring Back Changes…"), icon: "git-pull-request", run: worktreeAction("bringBack") },
    { label: t("Commit and Merge Worktree…"), icon: "git-merge", run: worktreeAction("commit") },
    { label: t("Update Worktree from Base"), icon: "sync", run: worktreeAction("update") },
  ],
  [{ label: t("Remove Worktree…"), icon: "trash", run: worktreeAction("remove") }],
]);

function worktreeAction(action: Extract<Intent, { readonly type: "worktree" }>["action"]): () => void {
  return () => send({ type: "worktree", action });
}

/** Signing out of the agent of the session, if it can. */
function signOutItems(agents: readonly ViewAgent[], current: ViewAgent | null): readonly MenuItem[] {
  const agent = agents.find(({ id }) => id === current?.id);
  if (!agent?.canSignOut) return [];
  return [{ label: t("Sign Out of {0}", agent.name), icon: "sign-out", run: () => send({ type: "signOut" }) }];
}

/** What an agent is, and the package that npx starts. Empty if neither is known. */
export const aboutAgent = ({ description, package: packageSpec }: ViewAgent): string =>
  [description, packageSpec].filter(text => text !== undefined).join(" · ");

/** Acts only when it is chosen, because another agent replaces the conversation, and arrow keys must not. */
function agentItem(agent: ViewAgent, isCurrent: boolean): MenuItem {
  const { id, name, account, icon } = agent;
  const about = aboutAgent(agent);
  return {
    label: account === undefined ? name : t("{0} ({1})", name, visibleText(account)),
    icon: isCurrent ? "check" : (icon ?? "blank"),
    checked: isCurrent,
    value: id,
    ...(about !== "" && { title: about }),
    run: () => {
      if (!isCurrent) send({ type: "selectAgent", agent: id });
    },
  };
}
