// The whole panel: header, banner, transcript or empty state, and the dock below.
import { html, nothing, type TemplateResult } from "lit";
import type { ViewHead, PanelMessage, View } from "../../src/panel/protocol.ts";
import type { FormCardElement } from "../question/formCard.ts";
import type { QuestionCardElement } from "../question/questionCard.ts";
import { forgetClosedQuestions } from "../transcript/questionOptions.ts";
import { changesKey } from "./changes.ts";
import type { ComposerElement } from "../composer/composer.ts";
import { refusedChoices } from "../composer/refusedChoices.ts";
import type { FindElement, FindContext, FindTarget } from "../find/find.ts";
import { LightElement, everySecond } from "../base/element.ts";
import { emptyState } from "./emptyState.ts";
import type { HeaderElement } from "./header.ts";
import { savedState, send, setShownSession, updateSavedState } from "../base/vscodeApi.ts";
import { t } from "../base/l10n.ts";
import { showEntryEvent } from "../markdown/links.ts";
import { messageText } from "../transcript/message.ts";
import { runId } from "../transcript/outline.ts";
import { planKeys } from "./plan.ts";
import { bannerBody } from "../transcript/problem.ts";
import { playSound } from "./sound.ts";
import { Speech } from "./speech.ts";
import type { StoreChange, Store } from "../base/store.ts";
import { showQuestionEvent } from "../transcript/toolCall.ts";
import type { TranscriptElement } from "../transcript/transcript.ts";
import { placeholderHead } from "../base/placeholderHead.ts";
import { StartLimit } from "./startLimit.ts";
import { isUnused } from "../composer/sessionDrafts.ts";
import { OpenedLater } from "./openedLater.ts";
import { resumeCard } from "./resumeCard.ts";
import { readOnlyNotice } from "./readOnlyNotice.ts";
import { showsElapsedTime, statusLine } from "./statusLine.ts";

/** `<parley-panel>`: set `store` before it is connected. */
export class PanelElement extends LightElement {
  static override properties = { head: { state: true } };
  declare store: Store;
  declare head: ViewHead | undefined;
  #speech: Speech | undefined;
  /** Changes are announced one after the other, each after it has been painted. */
  #announcements: Promise<void> = Promise.resolve();
  #stopTicking: (() => void) | undefined;
  readonly #startLimit = new StartLimit();
  readonly #openedLater = new OpenedLater();
  /** The id of the question that is shown above the composer. */
  #shownQuestion: string | undefined;
  /** Whether the question about a large conversation is shown. */
  #shownResumeQuestion = false;
  /** Whether the focus was in the banner before the update. */
  #bannerHadFocus = false;
  /** A hit in a conversation that is not shown yet. */
  #findTarget: FindTarget | undefined;
  readonly #findContext: FindContext = {
    transcript: () => this.#transcript,
    entries: () => this.store.view?.entries ?? [],
    focusElsewhere: () => this.focusComposer(),
  };

  readonly #emptyStateActions = {
    fill: (text: string) => this.#composer?.fill(text),
    focus: () => this.focusComposer(),
  };

  /** Renders a change. Only the affected entry is rendered if it changed in place. */
  show(change: StoreChange, view: View): void {
    const transcript = this.#transcript;
    const questionsBefore = this.head?.questions ?? [];
    if (view.head.session !== this.head?.session) this.#openedLater.sessionChanged();
    if (change.head.size > 0) this.head = view.head;
    if (change.head.has("live")) transcript.setLive(view.head.live);
    if (change.head.has("questions")) {
      forgetClosedQuestions(view.head.questions);
      transcript.setQuestions(view.head.questions, questionsBefore);
    }
    if (change.snapshot ? !change.isPartial : change.prepended > 0) forgetOtherSessions(view);
    transcript.show(view.entries, change, this.store.entries(change.touched));
    const isEmpty = view.entries.length === 0;
    transcript.empty = isEmpty ? emptyState(view.head, this.#emptyStateActions) : nothing;
    if (change.snapshot) void transcript.restoreAnchor();
    this.#find?.viewChanged(change);
    this.#announcements = this.#announcements.then(async () => {
      await this.updateComplete;
      await transcript.updateComplete;
      await this.#speech?.announceChange(change, view);
    });
  }

  /** Handles messages to this panel only. */
  receive(message: PanelMessage): void {
    switch (message.type) {
      case "focus":
        if (message.target === "find") void this.#find?.open();
        else if (message.target === "question") void this.#focusQuestionOnceShown();
        else if (message.target === "previousPrompt") void this.#transcript.goToPrompt(-1);
        else if (message.target === "nextPrompt") void this.#goToNextPrompt();
        else this.#focusComposerUnlessUsed();
        break;
      case "hidden":
        if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
        break;
      case "completions":
      case "preview":
      case "attached":
      case "refused":
      case "unsent":
      case "draft":
      case "readDraft":
      case "draftUsed":
        this.#composer?.receive(message);
        break;
      case "formHeld":
        for (const form of this.querySelectorAll<FormCardElement>("parley-form")) form.showHeld(message);
        break;
      case "argumentValues":
        this.querySelector<FormCardElement>("parley-form")?.showValues(message);
        break;
      case "findAt":
        this.#findTarget = message;
        this.#findOnceShown();
        break;
      case "found":
        this.#find?.showResults(message);
        break;
      case "sound":
        playSound(message.sound);
        break;
      case "say":
        this.#speech?.announce(message.text);
        break;
      default:
        message satisfies never;
    }
  }

  /** Focuses the text box. A session that can only be read has buttons instead. */
  focusComposer(): void {
    if (this.head?.isReadOnly) this.querySelector<HTMLElement>(".read-only button")?.focus();
    else this.#composer?.focusBox();
  }

  /** Focuses the open question, or the composer if there is none. A question of the agent comes first. */
  focusQuestion(): void {
    if (this.head && this.head.questions.length > 0)
      this.querySelector<QuestionCardElement>("parley-question")?.focusCard();
    else {
      const answer = this.querySelector<HTMLElement>(".resume-question button");
      if (answer) answer.focus();
      else this.#focusComposerUnlessUsed();
    }
  }

  /** Focuses the composer, unless the user has opened a menu, a list or the title since the command began. */
  #focusComposerUnlessUsed(): void {
    if (!this.#openedLater.hasFocus) this.focusComposer();
  }

  /** After the last prompt, the message box follows, at the end of the conversation. */
  async #goToNextPrompt(): Promise<void> {
    if (await this.#transcript.goToPrompt(1)) return;
    this.#transcript.scrollToEnd();
    this.focusComposer();
  }

  async #focusQuestionOnceShown(): Promise<void> {
    await this.updateComplete;
    await this.querySelector<QuestionCardElement>("parley-question")?.updateComplete;
    this.focusQuestion();
  }

  get #transcript(): TranscriptElement {
    return this.querySelector("parley-transcript") as TranscriptElement;
  }
  get #find(): FindElement | null {
    return this.querySelector("parley-find");
  }
  get #composer(): ComposerElement | null {
    return this.querySelector("parley-composer");
  }

  protected override firstUpdated(): void {
    this.addEventListener(showQuestionEvent, event => {
      const { detail } = event as CustomEvent<string | null>;
      if (detail !== null) this.querySelector<QuestionCardElement>("parley-question")?.show(detail);
      void this.#focusQuestionOnceShown();
    });
    this.addEventListener(showEntryEvent, event => void this.#showEntry((event as CustomEvent<string>).detail));
    const region = this.querySelector<HTMLElement>(".speech");
    if (region) this.#speech = new Speech(region, id => this.#transcript.spokenText(id));
  }

  /** The conversation of a hit can be opened after its message. */
  #findOnceShown(): void {
    const target = this.#findTarget;
    if (!target || target.session !== this.head?.session) return;
    this.#findTarget = undefined;
    void this.#find?.openAt(target);
  }

  async #showEntry(id: string): Promise<void> {
    const entry = await this.#transcript.reveal(id);
    entry?.querySelector<HTMLElement>("button, [role=link]")?.focus({ preventScroll: true });
  }

  protected override willUpdate(): void {
    this.#bannerHadFocus = this.querySelector(".banner")?.contains(document.activeElement) === true;
  }

  /** A button of the banner can start a sign-in, which replaces the buttons, and can ask for a form. */
  #keepFocus(hasNewQuestion: boolean): void {
    if (!this.#bannerHadFocus) return;
    const banner = this.querySelector(".banner");
    if (hasNewQuestion) void this.#focusQuestionOnceShown();
    else if (!banner) this.focusComposer();
    else if (!banner.contains(document.activeElement)) banner.querySelector<HTMLElement>("button")?.focus();
  }

  protected override updated(): void {
    setShownSession(this.head?.session, this.head !== undefined && isUnused(this.head));
    this.#findOnceShown();
    const question = this.head?.questions[0]?.id;
    this.#keepFocus(question !== undefined && question !== this.#shownQuestion);
    if (question !== undefined && question !== this.#shownQuestion) void this.#scrollToQuestion();
    const resumeQuestion = this.head?.resumeQuestion ?? null;
    if (resumeQuestion && !this.#shownResumeQuestion) this.#scrollTo(this.querySelector(".resume-question"));
    this.#shownResumeQuestion = resumeQuestion !== null;
    this.#shownQuestion = question;
    if (this.head !== undefined && showsElapsedTime(this.head))
      this.#stopTicking ??= everySecond(() => this.requestUpdate());
    else {
      this.#stopTicking?.();
      this.#stopTicking = undefined;
    }
  }

  /** In a small panel, the area above the composer scrolls. A new question is shown there from its top. */
  async #scrollToQuestion(): Promise<void> {
    const card = this.querySelector<QuestionCardElement>("parley-question");
    await card?.updateComplete;
    this.#scrollTo(card);
  }

  #scrollTo(card: Element | null): void {
    const area = this.querySelector(".above-composer");
    if (!card || !area || area.scrollHeight <= area.clientHeight) return;
    area.scrollTop += card.getBoundingClientRect().top - area.getBoundingClientRect().top;
  }

  protected override render(): TemplateResult {
    const { head } = this;
    return html`<main class="panel" data-session=${head?.session ?? nothing} @keydown=${this.#keydown}>
      ${head ? this.#top(head) : nothing}
      <parley-find .around=${this.#findContext}></parley-find>
      <parley-transcript></parley-transcript>
      ${this.#dock(head ?? placeholderHead)}
      <div class="speech sr-only" role="status" aria-live="polite"></div>
    </main>`;
  }

  /**
   * F2 renames the session, and F4 goes to the next hit of the search of all conversations, wherever the focus is. F4 is
   * not passed on to VS Code then, which would also go to the next result of its own search. Escape answers the question
   * about a large conversation.
   */
  #keydown = (event: KeyboardEvent): void => {
    if (event.isComposing || event.keyCode === 229 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "F2" && !event.shiftKey) this.querySelector<HeaderElement>("parley-header")?.rename();
    else if (event.key === "F4" && this.head?.hasSearchHits) {
      event.stopPropagation();
      send({ type: "goToSearchHit", step: event.shiftKey ? "previous" : "next" });
    } else if (event.key === "Escape" && this.#canAnswerResume(event)) {
      send({ type: "answerResume", answer: "readOnly" });
      this.focusComposer();
    } else return;
    event.preventDefault();
  };

  /** Escape answers the question about a large conversation, unless it has closed something else. */
  #canAnswerResume({ defaultPrevented, target }: KeyboardEvent): boolean {
    if (!this.head?.resumeQuestion || defaultPrevented || !(target instanceof Element)) return false;
    return target.matches(".composer textarea") || target.closest(".resume-question") !== null;
  }

  #top(head: ViewHead): TemplateResult {
    return html`<parley-header
        .sessionTitle=${head.title}
        .folder=${head.folder}
        .path=${head.cwd}
        .worktree=${head.worktree ?? undefined}
        .hasSession=${head.connection !== null}
        .agent=${head.agent}
        .agents=${head.agents}
        .follow=${head.follow}
      ></parley-header>
      ${
        head.problem
          ? html`<div class="problem banner" role="group" aria-label=${t("Problem")}>
              ${bannerBody(head.problem, head.title !== "" && head.connection?.state === "closed")}
            </div>`
          : nothing
      }`;
  }

  #dock(head: ViewHead): TemplateResult {
    return html`<div class="dock">
      <div class="above-composer">
        ${statusLine(head, this.#startLimit, {
          leave: () => this.focusComposer(),
          refresh: () => this.requestUpdate(),
        })}
        <parley-plan
          .plans=${head.plans}
          .isWorking=${head.activity.state !== "idle"}
          .onLeave=${() => this.focusComposer()}
        ></parley-plan>
        <parley-question
          .questions=${head.questions}
          .agentName=${head.agent?.name ?? ""}
          .entryOf=${(id: string) => this.store.entry(id)}
          .onLeave=${() => this.focusComposer()}
        ></parley-question>
        <parley-changes .changes=${head.changes} .comments=${head.comments}></parley-changes>
        <parley-queue
          .queue=${head.queue}
          .onLeave=${() => this.focusComposer()}
          .onLate=${(text: string) => this.#composer?.restoreLateEdit(text)}
        ></parley-queue>
        <div role="alert">${refusedChoices(head)}${resumeCard(head, () => this.focusComposer())}</div>
      </div>
      ${head.isReadOnly ? readOnlyNotice(head) : nothing}
      <parley-composer
        ?hidden=${head.isReadOnly}
        .head=${head}
        .usage=${head}
        .prompts=${() => this.#prompts()}
        .onSend=${() => this.#transcript.scrollToEnd()}
      ></parley-composer>
    </div>`;
  }

  #prompts(): readonly string[] {
    const entries = this.store.view?.entries ?? [];
    return entries
      .flatMap(entry => (entry.kind === "user" && entry.parent === undefined ? [messageText(entry.parts)] : []))
      .filter(text => text !== "");
  }
}

/** Removes the saved open states of other sessions, so that they do not accumulate. */
function forgetOtherSessions(view: View): void {
  const known = new Set([
    ...view.entries.flatMap(entry => [entry.id, runId(entry.id)]),
    ...view.head.plans.flatMap(plan => planKeys(plan.id)),
    changesKey,
  ]);
  const open = Object.fromEntries(Object.entries(savedState.open).filter(([id]) => known.has(id)));
  if (Object.keys(open).length < Object.keys(savedState.open).length) updateSavedState({ open });
}
