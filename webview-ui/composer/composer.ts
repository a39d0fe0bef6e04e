// The composer: the growing text box with attachments, Send and Stop, and the options below.
import { html, nothing, type TemplateResult } from "lit";
import { live } from "lit/directives/live.js";
import type { Attachment, ViewHead, PanelMessage } from "../../src/panel/protocol.ts";
import { splitForReload, unkeptText, withAttachments } from "./draftAttachments.ts";
import { LightElement, icon } from "../base/element.ts";
import { iconButton } from "../base/iconButton.ts";
import { savedState, updateSavedState, send } from "../base/vscodeApi.ts";
import { t } from "../base/l10n.ts";
import { optionControls } from "./options.ts";
import { mcpServers } from "./mcpServers.ts";
import { usageRing } from "./usageRing.ts";
import { endTyping } from "../scheduling/paintScheduler.ts";
import { attachButton } from "./attachButton.ts";
import { isUnused, SessionDrafts } from "./sessionDrafts.ts";
import { suggestionListId, Suggestions, type SuggestionChoice, type TriggerToken } from "./suggestions.ts";
import { promptInDraft, slashCommands, type SlashCommand } from "./slashCommands.ts";
import { replaceAllText, replaceText } from "./textEdit.ts";
import { carriesFiles, fileUris, readAttachment } from "./dropAndPaste.ts";
import { placeholderHead } from "../base/placeholderHead.ts";

/** `<parley-composer>`. */
export class ComposerElement extends LightElement {
  static override properties = {
    head: { attribute: false },
    draft: { state: true },
    attachments: { state: true },
    pending: { state: true },
    refused: { state: true },
    dropping: { state: true },
  };
  declare head: ViewHead;
  declare draft: string;
  declare attachments: readonly Attachment[];
  /** The labels of attachments that the host is still preparing. */
  declare pending: readonly string[];
  /** Messages about attachments that were refused or not restored. */
  declare refused: readonly string[];
  /** Whether files are being dragged over the panel. */
  declare dropping: boolean;
  /** The earlier prompts of this session, oldest first. */
  prompts: () => readonly string[] = () => [];
  /** Called when a prompt is sent. */
  onSend: () => void = () => {};
  /** How many prompts back the recalled draft is; 0 if the draft was typed. */
  #historyOffset = 0;
  #sendWhenAttached = false;
  /** The user has chosen a row that starts an MCP server. */
  #startsServer = false;
  /** The send key pressed before the first view arrived, when the setting for the send key is not known yet. */
  #earlyKey: ViewHead["sendKey"] | undefined;
  readonly #drafts = new SessionDrafts();
  readonly #saved = { ...savedState };
  /** The draft moves to the next session that is shown: it was written for a session that is replaced. */
  #draftMoves = false;
  readonly #suggestions = new Suggestions({
    commands: () => slashCommands(this.head),
    onChange: () => this.requestUpdate(),
    onChoose: (choice, token) => this.#insertChoice(choice, token),
  });

  constructor() {
    super();
    this.draft = savedState.draft;
    this.attachments = savedState.attachments;
    this.pending = [];
    this.refused = savedState.unkept.length === 0 ? [] : [unkeptText(savedState.unkept)];
    this.dropping = false;
    if (savedState.unkept.length > 0) updateSavedState({ unkept: [] });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener("selectionchange", this.#handleCaretMove);
    // Files can be dropped anywhere in the panel.
    addEventListener("dragover", this.#dragover);
    addEventListener("dragleave", this.#dragleave);
    addEventListener("drop", this.#drop);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener("selectionchange", this.#handleCaretMove);
    removeEventListener("dragover", this.#dragover);
    removeEventListener("dragleave", this.#dragleave);
    removeEventListener("drop", this.#drop);
  }

  /** Focuses the text box. */
  focusBox(): void {
    if (this.hasUpdated) this.#box?.focus();
    else void this.updateComplete.then(() => this.#box?.focus());
  }

  /** Handles the host's messages to the composer of this panel. */
  receive(message: Extract<PanelMessage, { type: "completions" | "attached" | "refused" | "unsent" | "draft" }>): void {
    if (message.type === "completions") return this.#suggestions.showCompletions(message);
    if (message.type === "unsent" || message.type === "draft") {
      this.restoreText(message.text);
      this.#attach(message.attachments);
      // The session that refuses a prompt can be one that the user has left already.
      this.#draftMoves = message.type === "unsent";
      return message.type === "unsent" ? this.#showRefusals([message.reason]) : undefined;
    }
    this.pending = this.pending.slice(1);
    if (message.type === "attached") this.#attach(message.attachments);
    else {
      this.#sendWhenAttached = false;
      this.#showRefusals([message.reason]);
    }
    if (!this.#sendWhenAttached || this.pending.length > 0) return;
    this.#sendWhenAttached = false;
    this.#sendPrompt();
  }

  /** Replaces the draft by a text that the user can edit or send. */
  fill(text: string): void {
    if (this.#box) replaceAllText(this.#box, text);
    else this.#setDraft(text);
  }

  /** Inserts a text that was not sent before the text typed since. */
  restoreText(text: string): void {
    // Without the text box, because that would move the focus.
    this.#setDraft([text, this.draft].filter(each => each.trim() !== "").join("\n"));
  }

  /** Restores the user's edit of a queued prompt that was sent before the edit was saved. */
  restoreLateEdit(text: string): void {
    this.restoreText(text);
    this.#showRefusals([
      t("The queued message was sent before you saved your edit. Your text is now in the message box."),
    ]);
  }

  get #box(): HTMLTextAreaElement | null {
    return this.querySelector(".composer textarea");
  }

  get #hasHead(): boolean {
    return this.head !== placeholderHead;
  }

  get #isRunning(): boolean {
    return this.head.activity.state !== "idle";
  }

  /** Whether the agent works on a turn or in the background. */
  get #canStop(): boolean {
    return this.#isRunning || this.head.activity.background !== undefined;
  }

  protected override firstUpdated(): void {
    // Restore the caret only; the focus does not move.
    this.#box?.setSelectionRange(...savedState.caret);
  }

  protected override willUpdate(changed: Map<PropertyKey, unknown>): void {
    const before = changed.get("head") as ViewHead | undefined;
    if (before && before.prompts !== this.head.prompts) this.#showNewPrompts();
    if (before && before.session !== this.head.session) this.#showDraftOfSession(before);
  }

  /** Each session has its own draft. What was typed before the first view moves, and that of a session that is closed. */
  #showDraftOfSession(before: ViewHead): void {
    const draft = { text: this.draft, attachments: this.attachments, unkept: [] };
    const saved = before.session === undefined;
    const session = saved ? this.#saved.session : before.session;
    const isFree = saved ? this.#saved.isUnused || this.draft !== this.#saved.draft : isUnused(before);
    const moves = this.#draftMoves || isFree || session === this.head.session;
    this.#draftMoves = false;
    if (session !== undefined && !moves) this.#drafts.keep(session, draft);
    const moved = moves ? draft : { text: "", attachments: [], unkept: [] };
    const shown = this.head.session === undefined ? moved : this.#drafts.take(this.head.session, moved);
    this.#historyOffset = 0;
    if (shown === draft) return;
    this.#suggestions.close();
    this.#setDraft(shown.text);
    this.#setAttachments(shown.attachments);
    this.refused = shown.unkept.length === 0 ? [] : [unkeptText(shown.unkept)];
  }

  /** The dialog that allows a server to start has closed the list, so it opens again when the server starts. */
  #showNewPrompts(): void {
    this.#suggestions.refreshCommands();
    const box = this.#box;
    if (!box || !this.#startsServer) return;
    this.#startsServer = this.head.prompts?.some(prompt => prompt.action?.kind === "wait") === true;
    if (document.activeElement !== box) box.focus();
    this.#suggestions.handleInput(box.value, box.selectionEnd);
  }

  protected override updated(): void {
    const box = this.querySelector<HTMLElement>(".composer");
    if (box) this.#suggestions.placeList(box);
    if (this.#hasHead) this.#handleEarlyKey();
  }

  #handleEarlyKey(): void {
    const pressed = this.#earlyKey;
    this.#earlyKey = undefined;
    if (pressed === this.head.sendKey) this.#sendPrompt();
    else if (pressed === "enter") this.#setDraft(`${this.draft}\n`);
  }

  protected override render(): TemplateResult {
    const { head } = this;
    return html`<div class="composer" data-dropping=${this.dropping ? "" : nothing}>
        ${this.#suggestions.render()}
        <parley-chips
          .attachments=${this.attachments}
          .pending=${this.pending}
          .onRemove=${(id: string) => this.#remove(id)}
          .onLeave=${() => this.focusBox()}
        ></parley-chips>
        ${this.#textBox(head)}
        <div class="composer-bar">
          <div class="option-list">${optionControls(head.options)}</div>
          <div class="composer-end">
            ${mcpServers(head)} ${usageRing(head)} ${attachButton()} ${this.#sendAndStop()}
          </div>
        </div>
      </div>
      <div role="alert">${this.#refusals()}</div>`;
  }

  #textBox({ agent }: ViewHead): TemplateResult {
    const { isOpen: isOpen, current } = this.#suggestions;
    const hint = this.#hint();
    return html`<div class="text-box">
      <textarea
        aria-label=${t("Message")}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls=${isOpen ? suggestionListId : nothing}
        aria-activedescendant=${current ?? nothing}
        aria-description=${hint ?? nothing}
        placeholder=${this.#placeholder(agent)}
        rows="1"
        .value=${live(this.draft)}
        @input=${this.#input}
        @keydown=${this.#keydown}
        @paste=${this.#paste}
        @blur=${() => this.#suggestions.close()}
      ></textarea>
      ${
        hint === undefined
          ? nothing
          : html`<div class="ghost" aria-hidden="true"><span class="ghost-typed">${this.draft}</span>${hint}</div>`
      }
    </div>`;
  }

  #placeholder(agent: ViewHead["agent"]): string {
    if (!this.#hasHead) return "";
    return agent ? t("Message {0}", agent.name) : t("Select an agent to start");
  }

  /** The argument hint of a complete command, until the user types an argument. */
  #hint(): string | undefined {
    const name = /^\/(\S+)[ ]$/.exec(this.draft)?.[1];
    return slashCommands(this.head).find(command => command.name === name)?.hint;
  }

  #sendAndStop(): TemplateResult {
    return html`${this.#canStop ? this.#stopButton() : nothing}
    ${iconButton("send", {
      label: t("Send"),
      title: this.#isRunning ? t("Add to Queue") : this.#sendTitle(),
      classes: "send",
      disabled: !this.#canSend,
      onClick: this.#sendPrompt,
    })}`;
  }

  #sendTitle(): string {
    return this.head.sendKey === "enter" ? t("Send (Enter)") : t("Send (Ctrl+Enter or ⌘Enter)");
  }

  #stopButton(): TemplateResult {
    const { cancelling } = this.head.activity;
    return iconButton("debug-stop", {
      label: t("Stop"),
      title: cancelling ? t("Stopping…") : t("Stop (Escape)"),
      classes: "stop",
      disabled: cancelling,
      onClick: this.#stop,
    });
  }

  #refusals(): TemplateResult | typeof nothing {
    if (this.refused.length === 0) return nothing;
    return html`<div class="refused">
      ${icon("warning")}
      <div class="sentence">${this.refused.map(sentence => html`<div>${sentence}</div>`)}</div>
      ${iconButton("close", { label: t("Dismiss"), onClick: this.#dismiss })}
    </div>`;
  }

  #dismiss = (): void => {
    this.refused = [];
    this.focusBox();
  };

  #input = (event: Event): void => {
    const box = event.target as HTMLTextAreaElement;
    this.#historyOffset = 0;
    this.#earlyKey = undefined;
    const isSlash = box.value.startsWith("/");
    if (isSlash && !this.draft.startsWith("/") && this.head.mcpServers?.length) send({ type: "listPrompts" });
    this.#setDraft(box.value);
    this.#suggestions.handleInput(box.value, box.selectionEnd);
  };

  #handleCaretMove = (): void => {
    const box = this.#box;
    if (!box || document.activeElement !== box) return;
    updateSavedState({ caret: [box.selectionStart, box.selectionEnd] });
    this.#suggestions.handleCaretMove(box.value, box.selectionEnd);
  };

  #keydown = (event: KeyboardEvent): void => {
    // Key code 229: the key belongs to an input method, even if `isComposing` is already false.
    if (event.isComposing || event.keyCode === 229) return;
    if (this.#suggestions.keydown(event)) {
      event.preventDefault();
      // Escape closes the list before it does anything else.
      event.stopPropagation();
    } else if (event.key === "Enter" && this.#isSendKey(event)) {
      event.preventDefault();
      this.#sendPrompt();
    } else if (event.key === "Escape" && this.#canStop) {
      event.preventDefault();
      this.#stop();
    } else if (event.key === "Backspace") this.#removeLast(event);
    else if (event.key === "ArrowUp") this.#recall(event, 1);
    else if (event.key === "ArrowDown") this.#recall(event, -1);
  };

  #isSendKey(event: KeyboardEvent): boolean {
    if (event.shiftKey || event.altKey) return false;
    const modified = event.ctrlKey || event.metaKey;
    if (!this.#hasHead) {
      this.#earlyKey = modified ? "modEnter" : "enter";
      return true;
    }
    return this.head.sendKey === "modEnter" ? modified : !modified;
  }

  /** Whether a prompt can be sent: not if no agent can be started, so that no text is lost. */
  get #acceptsPrompts(): boolean {
    const { agent, connection, problem } = this.head;
    return agent !== null && !(connection === null && problem !== null);
  }

  get #canSend(): boolean {
    return this.#acceptsPrompts && (this.draft.trim() !== "" || this.attachments.length + this.pending.length > 0);
  }

  #sendPrompt = (): void => {
    if (!this.#canSend) return;
    if (this.pending.length > 0 && !this.#sendWhenAttached) {
      // The chosen attachments belong to this prompt. A second press sends it without them.
      this.#sendWhenAttached = true;
      return;
    }
    const { draft: text, attachments } = this;
    endTyping();
    const prompt = promptInDraft(this.head, text);
    if (prompt) {
      send({ type: "usePrompt", ...prompt });
      this.#suggestions.close();
      return this.#setDraft("");
    }
    send({ type: "send", text, ...(attachments.length > 0 && { attachments }) });
    this.#historyOffset = 0;
    this.#sendWhenAttached = false;
    this.refused = [];
    this.#suggestions.close();
    this.#setDraft("");
    this.#setAttachments([]);
    this.onSend();
    this.focusBox();
  };

  #stop = (): void => {
    if (this.head.activity.cancelling) return;
    send({ type: "stop" });
    this.focusBox();
  };

  /** The Up and Down keys recall earlier prompts, if the box is empty or the recalled prompt is unchanged. */
  #recall(event: KeyboardEvent, step: 1 | -1): void {
    if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.#historyOffset === 0 && (step < 0 || this.draft !== "")) return;
    const prompts = this.prompts();
    const back = Math.min(this.#historyOffset + step, prompts.length);
    if (back === this.#historyOffset) return;
    event.preventDefault();
    this.#historyOffset = back;
    this.#setDraft(back === 0 ? "" : (prompts.at(-back) ?? ""));
  }

  #setDraft(draft: string): void {
    this.draft = draft;
    updateSavedState({ draft });
  }

  #insertChoice(choice: SuggestionChoice, token: TriggerToken): void {
    const box = this.#box;
    if (!box) return;
    const follows = box.value.charAt(token.end);
    const gap = /\s/.test(follows) ? "" : " ";
    if (choice.type === "command" && choice.command.isPrompt) return this.#choosePrompt(box, choice.command, token);
    if (choice.type === "command") return replaceText(box, token.start, token.end, `/${choice.command.name}${gap}`);
    const { key, label, continuesWith } = choice.completion;
    if (continuesWith !== undefined) return replaceText(box, token.end, token.end, continuesWith);
    send({ type: "attachItem", request: choice.request, key });
    this.pending = [...this.pending, label];
    replaceText(box, token.start, token.end, `@${label}${gap}`);
  }

  /** The name of a prompt never goes to the agent: it leaves the draft, and the text after it stays. */
  #choosePrompt(box: HTMLTextAreaElement, { name, action }: SlashCommand, token: TriggerToken): void {
    if (action?.kind === "wait") return;
    if (action) {
      this.#startsServer = true;
      return send({ type: "setMcpServer", server: action.server, action: action.kind });
    }
    replaceText(box, token.start, token.end, "");
    send({ type: "usePrompt", prompt: name, text: "" });
  }

  #attach(more: readonly Attachment[]): void {
    this.#setAttachments(withAttachments(this.attachments, more));
  }

  #setAttachments(attachments: readonly Attachment[]): void {
    this.attachments = attachments;
    const { kept, unkept } = splitForReload(attachments);
    updateSavedState({ attachments: kept, unkept });
  }

  #remove(id: string): void {
    this.#setAttachments(this.attachments.filter(one => one.id !== id));
  }

  #removeLast(event: KeyboardEvent): void {
    const box = event.target as HTMLTextAreaElement;
    const last = this.attachments.at(-1);
    if (box.selectionEnd > 0 || !last || event.repeat) return;
    event.preventDefault();
    this.#remove(last.id);
  }

  #showRefusals(sentences: readonly string[]): void {
    this.refused = [...new Set([...this.refused, ...sentences])].slice(-3);
  }

  #paste = (event: ClipboardEvent): void => {
    const data = event.clipboardData;
    // Text that also comes as an image, such as a table, is pasted as text.
    if (!data || data.files.length === 0 || data.getData("text/plain") !== "") return;
    event.preventDefault();
    void this.#takeFiles([...data.files]);
  };

  #dragover = (event: DragEvent): void => {
    if (!carriesFiles(event.dataTransfer)) return;
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = "copy";
    this.dropping = true;
  };

  #dragleave = (event: DragEvent): void => {
    // Without a related target, the drag has left the panel.
    if (event.relatedTarget === null) this.dropping = false;
  };

  #drop = (event: DragEvent): void => {
    const data = event.dataTransfer;
    this.dropping = false;
    if (!data || !carriesFiles(data)) return;
    event.preventDefault();
    const uris = fileUris(data);
    const text = data.getData("text/plain");
    if (uris.length > 0) send({ type: "attachUris", uris });
    else if (data.files.length > 0) void this.#takeFiles([...data.files]);
    else if (this.#box) replaceText(this.#box, this.#box.selectionStart, this.#box.selectionEnd, text);
    this.focusBox();
  };

  async #takeFiles(files: readonly File[]): Promise<void> {
    const { agent, accepts } = this.head;
    const name = agent?.name ?? t("The agent");
    const read = await Promise.all(files.map(file => readAttachment(file, accepts, name)));
    this.#attach(read.flatMap(one => ("attachment" in one ? [one.attachment] : [])));
    this.#showRefusals(read.flatMap(one => ("refused" in one ? [one.refused] : [])));
  }
}
