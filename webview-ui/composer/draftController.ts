// The draft of the composer: its text, its attachments, the prompts that it recalls, and the draft of each session.
import type { ReactiveController, ReactiveControllerHost } from "lit";
import type { Completion } from "../../src/panel/mentionKinds.ts";
import type { Attachment, PanelMessage, ViewHead } from "../../src/panel/protocol.ts";
import { savedState, updateSavedState } from "../base/vscodeApi.ts";
import { splitForReload, unkeptText, withAttachments } from "./draftAttachments.ts";
import { findMentions, mentioned, mentionFor, mentionsOf, withoutMentions, type FoundMention } from "./mentions.ts";
import { isUnused, SessionDrafts, type Draft } from "./sessionDrafts.ts";

/** The keys of the head by which a session and its draft are known. */
type SessionHead = Pick<ViewHead, "session" | "title" | "queue">;

/** The most refusals that are shown. */
const maxRefusals = 3;

const none: readonly string[] = [];

const refusalsOf = ({ unkept, note }: Pick<Draft, "unkept" | "note">): readonly string[] => [
  ...(unkept.length === 0 ? none : [unkeptText(unkept)]),
  ...(note === undefined ? none : [note]),
];

/** A completion that the host turns into an attachment, and the text that stands for it. */
interface PendingItem {
  readonly key: string;
  readonly label: string;
  readonly mention: string;
}

/** What the user has written and not sent. Every change is saved for a reload, and renders the composer again. */
export class DraftController implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  readonly #drafts = new SessionDrafts();
  readonly #saved = { ...savedState };
  #text = savedState.draft;
  /** Also those whose mentions are not in the text now: an undo of the text brings them back. */
  #known: readonly Attachment[] = savedState.attachments;
  /** The attachments that belong to the text. */
  #attachments = mentioned(this.#text, this.#known);
  #pending: readonly PendingItem[] = [];
  /** The keys of the completions that were chosen for this draft, by their mentions. */
  readonly #chosenKeys = new Map<string, string>();
  /** Why the text is not the user's own. */
  #note = savedState.note;
  #refusals = refusalsOf(savedState);
  /** How many prompts back the recalled draft is; 0 if the draft was typed. */
  #historyOffset = 0;
  #sendsWhenAttached = false;
  /** The draft moves to the next session that is shown: it was written for a session that is replaced. */
  #moves = false;

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  /** The message about attachments that were not restored is shown once. */
  hostConnected(): void {
    if (savedState.unkept.length > 0) updateSavedState({ unkept: [] });
  }

  get text(): string {
    return this.#text;
  }
  get attachments(): readonly Attachment[] {
    return this.#attachments;
  }
  /** The labels of attachments that the host is still preparing, and that the text still mentions. */
  get pending(): readonly string[] {
    // The same list each time, because a new one would render the chips again with each key.
    if (this.#pending.length === 0) return none;
    const found = new Set(this.#find().map(({ mention }) => mention));
    return this.#pending.filter(({ mention }) => found.has(mention)).map(({ label }) => label);
  }
  /** Messages about attachments that were refused or not restored. */
  get refusals(): readonly string[] {
    return this.#refusals;
  }

  setText(text: string): void {
    this.#text = text;
    updateSavedState({ draft: text });
    if (mentionsOf(this.#known).length > 0) this.#setAttachments(this.#known);
    this.#host.requestUpdate();
  }

  /** Empties the text, because it was used. Its attachments stay, although their mentions leave with it. */
  takeText(): void {
    this.#setAttachments(this.#attachments.map(withoutMentions));
    this.setText("");
  }

  /** The user has changed the text, so it is no recalled prompt any more. */
  typed(text: string): void {
    this.#historyOffset = 0;
    this.setText(text);
  }

  /** Inserts a text that was not sent before the text typed since, or below it. */
  restoreText(text: string, below?: boolean): void {
    const texts = below ? [this.#text, text] : [text, this.#text];
    this.typed(texts.filter(each => each.trim() !== "").join("\n"));
  }

  /** Restores what the host did not send, or prepared elsewhere. */
  restore(message: Extract<PanelMessage, { type: "unsent" | "draft" }>): void {
    const isUnsent = message.type === "unsent";
    this.restoreText(message.text, !isUnsent && message.below);
    this.attach(message.attachments);
    // The session that refuses a prompt can be one that the user has left already.
    this.#moves = isUnsent;
    const note = isUnsent ? message.reason : message.note;
    if (note === undefined) return;
    if (!isUnsent) this.#setNote(note);
    this.refuse([note]);
  }

  /**
   * Empties the draft, because its prompt was sent. `elsewhere`: empties only the draft of this session, shown or hidden, if it
   * still has this text.
   */
  clear(elsewhere?: Extract<PanelMessage, { type: "draftUsed" }>, shownSession?: string): void {
    if (elsewhere && elsewhere.session !== shownSession) return this.#drafts.forget(elsewhere.session, elsewhere.text);
    if (elsewhere && elsewhere.text !== this.#text) return;
    this.#historyOffset = 0;
    this.#sendsWhenAttached = false;
    this.dismissRefusals();
    this.#chosenKeys.clear();
    this.#setAttachments([]);
    this.setText("");
  }

  /** The earlier prompt `step` further back, if the box is empty or the recalled prompt is unchanged. */
  recall(step: 1 | -1, prompts: () => readonly string[]): boolean {
    if (this.#historyOffset === 0 && (step < 0 || this.#text !== "")) return false;
    const all = prompts();
    const back = Math.min(this.#historyOffset + step, all.length);
    if (back === this.#historyOffset) return false;
    this.#historyOffset = back;
    this.setText(back === 0 ? "" : (all.at(-back) ?? ""));
    return true;
  }

  attach(more: readonly Attachment[]): void {
    this.#setAttachments(withAttachments(this.#known, more));
  }

  /**
   * Removes an attachment. If the text mentions it, returns these mentions: the attachment leaves with them, and an undo
   * of the text brings back both.
   */
  remove(id: string): readonly FoundMention[] {
    const removed = this.#known.find(one => one.id === id);
    if (!removed) return [];
    const ofOthers = new Set(mentionsOf(this.#attachments.filter(one => one !== removed)));
    const mentions = mentionsOf([removed]).filter(mention => !ofOthers.has(mention));
    const found = this.#find().filter(({ mention }) => mentions.includes(mention));
    const kept = found.length > 0 ? [{ ...withoutMentions(removed), mentions }] : [];
    this.#setAttachments(this.#known.flatMap(one => (one === removed ? kept : [one])));
    return found;
  }

  /** The host prepares the attachment of a completion. Returns the text that stands for it in the message. */
  expect(completion: Completion): string {
    const { key, label } = completion;
    const known = [...mentionsOf(this.#known), ...this.#pending.map(({ mention }) => mention)];
    const keys = new Map(known.map(mention => [mention, this.#chosenKeys.get(mention)]));
    const mention = mentionFor(completion, keys);
    this.#chosenKeys.set(mention, key);
    this.#pending = [...this.#pending, { key, label, mention }];
    this.#host.requestUpdate();
    return mention;
  }

  /** The mentions in the text. */
  #find(): readonly FoundMention[] {
    return findMentions(this.#text, [...mentionsOf(this.#known), ...this.#pending.map(({ mention }) => mention)]);
  }

  /** Whether to send now. The chosen attachments belong to the prompt; a second press sends it without them. */
  mayBeSent(): boolean {
    if (this.pending.length === 0 || this.#sendsWhenAttached) return true;
    this.#sendsWhenAttached = true;
    return false;
  }

  /** The host has prepared or refused an attachment. Returns whether the prompt waited for it and is sent now. */
  settle(message: Extract<PanelMessage, { type: "attached" | "refused" }>): boolean {
    const item = this.#pending.find(({ key }) => key === message.key);
    this.#pending = this.#pending.filter(one => one !== item);
    if (message.type === "attached")
      this.attach(message.attachments.map(one => (item ? { ...one, mentions: [item.mention] } : one)));
    else {
      this.#sendsWhenAttached = false;
      this.refuse([message.reason]);
    }
    if (!this.#sendsWhenAttached || this.pending.length > 0) return false;
    this.#sendsWhenAttached = false;
    return true;
  }

  refuse(sentences: readonly string[]): void {
    this.#refusals = [...new Set([...this.#refusals, ...sentences])].slice(-maxRefusals);
    this.#host.requestUpdate();
  }

  dismissRefusals(): void {
    this.#setNote();
    this.#refusals = [];
    this.#host.requestUpdate();
  }

  /**
   * Shows the draft of another session. What was typed before the first view moves there, and that of a session that is
   * closed. Returns whether the draft was replaced.
   */
  showSession(before: SessionHead, shownSession: string | undefined): boolean {
    const draft: Draft = { text: this.#text, attachments: this.#attachments, unkept: [], note: this.#note };
    const saved = before.session === undefined;
    const session = saved ? this.#saved.session : before.session;
    const isFree = saved ? this.#saved.isUnused || this.#text !== this.#saved.draft : isUnused(before);
    const moves = this.#moves || isFree || session === shownSession;
    this.#moves = false;
    if (session !== undefined && !moves) this.#drafts.keep(session, draft);
    const moved = moves ? draft : { text: "", attachments: [], unkept: [] };
    const shown = shownSession === undefined ? moved : this.#drafts.take(shownSession, moved);
    this.#historyOffset = 0;
    if (shown === draft) return false;
    this.setText(shown.text);
    this.#setAttachments(shown.attachments);
    this.#setNote(shown.note);
    this.#refusals = refusalsOf(shown);
    return true;
  }

  #setNote(note?: string): void {
    this.#note = note;
    updateSavedState({ note });
  }

  #setAttachments(known: readonly Attachment[]): void {
    this.#known = known;
    const attachments = mentioned(this.#text, known);
    const before = this.#attachments;
    if (attachments.length === before.length && attachments.every((one, i) => one === before[i])) return;
    this.#attachments = attachments;
    const { kept, unkept } = splitForReload(attachments);
    updateSavedState({ attachments: kept, unkept });
    this.#host.requestUpdate();
  }
}
