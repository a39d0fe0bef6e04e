// The composer: the growing text box with attachments, Send and Stop, and the options below.
import { html, nothing, type TemplateResult } from "lit";
import { live } from "lit/directives/live.js";
import type { Attachment, ViewHead, PanelMessage } from "../../src/panel/protocol.ts";
import { LightElement, icon } from "../base/element.ts";
import { iconButton } from "../base/iconButton.ts";
import { savedState, send, updateSavedState } from "../base/vscodeApi.ts";
import { keyName } from "../base/keyName.ts";
import { t } from "../base/l10n.ts";
import { optionControls } from "./options.ts";
import { mcpServers } from "./mcpServers.ts";
import type { UsageRingElement } from "./usageRing.ts";
import { endTyping } from "../scheduling/paintScheduler.ts";
import { activeFileSwitches } from "./activeFile.ts";
import { newProblemsSwitch } from "./newProblems.ts";
import { attachButton } from "./attachButton.ts";
import { changesComposer, type ComposerHead } from "./composerHead.ts";
import { DraftController } from "./draftController.ts";
import { FileDrop } from "./fileDrop.ts";
import { suggestionListId, Suggestions, type SuggestionChoice, type TriggerToken } from "./suggestions.ts";
import { promptInDraft, slashCommands, type SlashCommand } from "./slashCommands.ts";
import { removeRanges, replaceAllText, replaceText } from "./textEdit.ts";
import { attachmentPreview, PreviewController } from "./preview.ts";
import { longPastedText, pastedFiles, readAttachment } from "./dropAndPaste.ts";
import { placeholderHead } from "../base/placeholderHead.ts";

type ComposerMessage = Extract<
  PanelMessage,
  { type: "completions" | "preview" | "attached" | "refused" | "unsent" | "draft" | "readDraft" | "draftUsed" }
>;

/** `<parley-composer>`. */
export class ComposerElement extends LightElement {
  static override properties = { head: { attribute: false, hasChanged: changesComposer } };
  declare head: ComposerHead;
  /** The earlier prompts of this session, oldest first. */
  prompts: () => readonly string[] = () => [];
  /** Called when a prompt is sent. */
  onSend: () => void = () => {};
  /** The MCP server whose row the user has chosen to start it, and what this row says so far. */
  #startingServer: { readonly server: string; readonly description: string } | undefined;
  #usage: UsageRingElement["usage"];
  /** The send key pressed before the first view arrived, when the setting for the send key is not known yet. */
  #earlyKey: ViewHead["sendKey"] | undefined;
  readonly #draft = new DraftController(this);
  readonly #fileDrop = new FileDrop(this, {
    onUris: uris => {
      send({ type: "attachUris", uris });
      this.focusBox();
    },
    onFiles: files => {
      void this.#takeFiles(files);
      this.focusBox();
    },
    onText: text => {
      const box = this.#box;
      if (box) replaceText(box, box.selectionStart, box.selectionEnd, text);
      this.focusBox();
    },
  });
  readonly #suggestions = new Suggestions({
    commands: () => slashCommands(this.head),
    onChange: () => this.requestUpdate(),
    onChoose: (choice, token) => this.#insertChoice(choice, token),
  });

  readonly #preview = new PreviewController(this, key => {
    const attachment = this.#draft.attachments.find(({ id }) => key === `chip:${id}`);
    return attachment ? attachmentPreview(attachment) : this.#suggestions.previewOf(key);
  });

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener("selectionchange", this.#handleCaretMove);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener("selectionchange", this.#handleCaretMove);
  }

  /** The usage has an element of its own, because it changes often, and nothing else in the composer depends on it. */
  set usage(usage: UsageRingElement["usage"]) {
    this.#usage = usage;
    this.#showUsage();
  }

  #showUsage(): void {
    const ring = this.querySelector<UsageRingElement>("parley-usage");
    if (ring) ring.usage = this.#usage;
  }

  /** Focuses the text box. */
  focusBox(): void {
    if (this.hasUpdated) this.#box?.focus();
    else void this.updateComplete.then(() => this.#box?.focus());
  }

  /** Handles the host's messages to the composer of this panel. */
  receive(message: ComposerMessage): void {
    if (message.type === "completions") return this.#suggestions.showCompletions(message);
    if (message.type === "preview") return this.#preview.receive(message);
    if (message.type === "unsent" || message.type === "draft") return this.#draft.restore(message);
    if (message.type === "readDraft") return this.#answerDraft(message);
    if (message.type === "draftUsed") return this.#draft.clear(message, this.head.session);
    if (this.#draft.settle(message)) this.#sendPrompt();
  }

  /** Every panel is asked. Only one that shows the session has its draft. */
  #answerDraft({ request, session }: Extract<ComposerMessage, { type: "readDraft" }>): void {
    if (this.head.session !== session) return;
    send({ type: "draft", request, text: this.#draft.text, attachments: [...this.#draft.attachments] });
  }

  /** Replaces the draft by a text that the user can edit or send. */
  fill(text: string): void {
    if (this.#box) replaceAllText(this.#box, text);
    else this.#draft.setText(text);
  }

  /** Restores the user's edit of a queued prompt that was sent before the edit was saved. */
  restoreLateEdit(text: string): void {
    // Without the text box, because that would move the focus.
    this.#draft.restoreText(text);
    this.#draft.refuse([
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
    this.#showUsage();
    // Restore the caret only; the focus does not move.
    this.#box?.setSelectionRange(...savedState.caret);
  }

  protected override willUpdate(changed: Map<PropertyKey, unknown>): void {
    const before = changed.get("head") as ComposerHead | undefined;
    if (before && before.prompts !== this.head.prompts) this.#showNewPrompts();
    if (!before || before.session === this.head.session) return;
    if (this.#draft.showSession(before, this.head.session)) this.#suggestions.close();
  }

  /** The dialog that allows a server to start has closed the list, so it opens again when the server starts. */
  #showNewPrompts(): void {
    this.#suggestions.refreshCommands();
    const box = this.#box;
    const starting = this.#startingServer;
    if (!box || !starting) return;
    const row = this.head.prompts?.find(({ action }) => action?.server === starting.server);
    // Another server changed while the user reads the dialog.
    if (row && row.description === starting.description) return;
    const isStarting = row?.action?.kind === "wait";
    this.#startingServer = isStarting ? { server: starting.server, description: row.description } : undefined;
    if (document.activeElement !== box) box.focus();
    this.#suggestions.handleInput(box.value, box.selectionEnd);
  }

  protected override updated(): void {
    // The editors of sent messages use the same key.
    document.body.dataset["sendKey"] = this.head.sendKey;
    const box = this.querySelector<HTMLElement>(".composer");
    if (box) {
      this.#suggestions.placeList(box);
      this.#preview.place(box);
    }
    if (this.#hasHead) this.#handleEarlyKey();
  }

  #handleEarlyKey(): void {
    const pressed = this.#earlyKey;
    this.#earlyKey = undefined;
    if (pressed === this.head.sendKey) this.#sendPrompt();
    else if (pressed === "enter") this.#draft.setText(`${this.#draft.text}\n`);
  }

  protected override render(): TemplateResult {
    const { head } = this;
    return html`<div class="composer" data-dropping=${this.#fileDrop.isOver ? "" : nothing}>
        ${this.#suggestions.render()} ${this.#preview.render()}
        <parley-chips
          .attachments=${this.#draft.attachments}
          .pending=${this.#draft.pending}
          .onRemove=${(id: string) => this.#removeAttachment(id)}
          .onInsert=${(one: Attachment) => this.#insertText(one)}
          .onLeave=${() => this.focusBox()}
        ></parley-chips>
        <div class="message-switches">
          ${activeFileSwitches(head.activeFile, this.#isRunning)}${newProblemsSwitch(head.newProblems)}
        </div>
        ${head.allowsEdits ? this.#allEdits() : nothing} ${this.#textBox(head)}
        <div class="composer-bar">
          <div class="option-list">${optionControls(head.options)}</div>
          <div class="composer-end">
            ${mcpServers(head)} <parley-usage></parley-usage> ${attachButton()} ${this.#sendAndStop()}
          </div>
        </div>
      </div>
      <div role="alert">${this.#refusals()}</div>`;
  }

  #allEdits(): TemplateResult {
    const askAgain = (): void => {
      send({ type: "allowAllEdits", isOn: false });
      this.focusBox();
    };
    return html`<div class="all-edits" role="status">
      ${icon("warning")} <span>${t("All edits are allowed in this session.")}</span>
      <button class="link" type="button" @click=${askAgain}>${t("Ask About Edits Again")}</button>
    </div>`;
  }

  #textBox({ agent }: ComposerHead): TemplateResult {
    const { isOpen, current } = this.#suggestions;
    const hint = this.#hint();
    return html`<div class="text-box">
      <textarea
        dir="auto"
        aria-label=${t("Message")}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls=${isOpen ? suggestionListId : nothing}
        aria-activedescendant=${current ?? nothing}
        aria-description=${hint ?? nothing}
        placeholder=${this.#placeholder(agent)}
        rows="1"
        .value=${live(this.#draft.text)}
        @input=${this.#input}
        @keydown=${this.#keydown}
        @paste=${this.#paste}
        @blur=${() => this.#suggestions.close()}
      ></textarea>
      ${
        hint === undefined
          ? nothing
          : html`<div class="ghost" dir="auto" aria-hidden="true">
              <span class="ghost-typed">${this.#draft.text}</span>${hint}
            </div>`
      }
    </div>`;
  }

  #placeholder(agent: ViewHead["agent"]): string {
    if (!this.#hasHead) return "";
    return agent ? t("Message {0}", agent.name) : t("Select an agent to start");
  }

  /** The argument hint of a complete command, until the user types an argument. */
  #hint(): string | undefined {
    const name = /^\/(\S+)[ ]$/.exec(this.#draft.text)?.[1];
    return slashCommands(this.head).find(command => command.name === name)?.hint;
  }

  #sendAndStop(): TemplateResult {
    return html`${this.#canStop ? this.#stopButton() : nothing}
    ${iconButton("send", {
      label: t("Send"),
      title: this.#isQueued ? t("Add to Queue") : this.#sendTitle(),
      classes: "send",
      disabled: !this.#canSend,
      onClick: this.#sendPrompt,
    })}`;
  }

  /** Whether a prompt would wait: for the turn that runs, or behind a prompt on hold. */
  get #isQueued(): boolean {
    return this.#isRunning || this.head.queue.find(({ sent }) => !sent)?.isOnHold === true;
  }

  #sendTitle(): string {
    return this.head.sendKey === "enter" ? t("Send (Enter)") : t("Send (Ctrl+Enter or ⌘Enter)");
  }

  #stopButton(): TemplateResult {
    const { cancelling } = this.head.activity;
    return iconButton("debug-stop", {
      label: t("Stop"),
      title: cancelling ? t("Stopping…") : t("Stop (Escape or {0})", keyName("S")),
      classes: "stop",
      disabled: cancelling,
      onClick: this.#stop,
    });
  }

  #refusals(): TemplateResult | typeof nothing {
    const { refusals } = this.#draft;
    if (refusals.length === 0) return nothing;
    return html`<div class="refused">
      ${icon("warning")}
      <div class="sentence">${refusals.map(sentence => html`<div>${sentence}</div>`)}</div>
      ${iconButton("close", { label: t("Dismiss"), onClick: this.#dismiss })}
    </div>`;
  }

  #dismiss = (): void => {
    this.#draft.dismissRefusals();
    this.focusBox();
  };

  #input = (event: Event): void => {
    const box = event.target as HTMLTextAreaElement;
    this.#earlyKey = undefined;
    this.#startingServer = undefined;
    const isSlash = box.value.startsWith("/");
    if (isSlash && !this.#draft.text.startsWith("/")) send({ type: "listPrompts" });
    this.#draft.typed(box.value);
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
    const { text, attachments, pending } = this.#draft;
    return this.#acceptsPrompts && (text.trim() !== "" || attachments.length + pending.length > 0);
  }

  #sendPrompt = (): void => {
    if (!this.#canSend || !this.#draft.mayBeSent()) return;
    const { text, attachments } = this.#draft;
    endTyping();
    const prompt = promptInDraft(this.head, text);
    if (prompt) {
      send({ type: "usePrompt", ...prompt });
      this.#suggestions.close();
      return this.#draft.takeText();
    }
    send({ type: "send", text, ...(attachments.length > 0 && { attachments }) });
    this.#suggestions.close();
    this.#draft.clear();
    this.onSend();
    this.focusBox();
  };

  #stop = (): void => {
    if (this.head.activity.cancelling) return;
    send({ type: "stop" });
    this.focusBox();
  };

  /** The Up and Down keys recall earlier prompts. */
  #recall(event: KeyboardEvent, step: 1 | -1): void {
    if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.#draft.recall(step, this.prompts)) event.preventDefault();
  }

  #insertChoice(choice: SuggestionChoice, token: TriggerToken): void {
    const box = this.#box;
    if (!box) return;
    const follows = box.value.charAt(token.end);
    const gap = /\s/.test(follows) ? "" : " ";
    if (choice.type === "command" && choice.command.isPrompt) return this.#choosePrompt(box, choice.command, token);
    if (choice.type === "command") return replaceText(box, token.start, token.end, `/${choice.command.name}${gap}`);
    const { key, continuesWith } = choice.completion;
    if (continuesWith !== undefined) return replaceText(box, token.end, token.end, continuesWith);
    send({ type: "attachItem", request: choice.request, key });
    replaceText(box, token.start, token.end, `${this.#draft.expect(choice.completion)}${gap}`);
  }

  /** Removes an attachment, with its mentions in the text. */
  #removeAttachment(id: string): void {
    const mentions = this.#draft.remove(id);
    if (!this.#box || mentions.length === 0) return;
    removeRanges(this.#box, mentions);
    this.#suggestions.close();
  }

  /** The name of a prompt never goes to the agent: it leaves the draft, and the text after it stays. */
  #choosePrompt(box: HTMLTextAreaElement, { name, description, action }: SlashCommand, token: TriggerToken): void {
    if (action?.kind === "wait") return;
    if (action?.kind === "signIn") return send({ type: "signInToServer", server: action.server, action: "signIn" });
    if (action) {
      this.#startingServer = { server: action.server, description: description ?? "" };
      return send({ type: "setMcpServer", server: action.server, action: action.kind });
    }
    replaceText(box, token.start, token.end, "");
    send({ type: "usePrompt", prompt: name, text: "" });
  }

  #removeLast(event: KeyboardEvent): void {
    const box = event.target as HTMLTextAreaElement;
    const last = this.#draft.attachments.at(-1);
    if (box.selectionEnd > 0 || !last || event.repeat) return;
    event.preventDefault();
    this.#removeAttachment(last.id);
  }

  #paste = (event: ClipboardEvent): void => {
    const files = pastedFiles(event.clipboardData);
    const text = longPastedText(event.clipboardData);
    if (files.length === 0 && !text) return;
    event.preventDefault();
    if (text) this.#draft.attach([text]);
    else void this.#takeFiles(files);
  };

  /** Moves the text of an attachment into the message box, at the caret. */
  #insertText({ id, source }: Attachment): void {
    const box = this.#box;
    if (!box || source.type !== "text") return;
    this.#draft.remove(id);
    replaceText(box, box.selectionStart, box.selectionEnd, source.text);
  }

  async #takeFiles(files: readonly File[]): Promise<void> {
    const { agent, accepts } = this.head;
    const name = agent?.name ?? t("The agent");
    const read = await Promise.all(files.map(file => readAttachment(file, accepts, name)));
    this.#draft.attach(read.flatMap(one => ("attachment" in one ? [one.attachment] : [])));
    this.#draft.refuse(read.flatMap(one => ("refused" in one ? [one.refused] : [])));
  }
}
