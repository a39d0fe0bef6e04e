// The panel's access to the extension host: posts intents, and keeps the state that the panel saves itself.
import { intents, type Intent } from "../../src/panel/intents.ts";
import type { FormValue } from "../../src/session/forms/form.ts";
import type { Attachment } from "../../src/panel/protocol.ts";
import { restoredAttachments, characterCount } from "./restoredAttachments.ts";
import { webviewApi } from "./webviewApi.ts";

let shownSession: string | undefined;

/**
 * Sets the session that the panel shows, once it is painted. The intents that follow are about this session. `isUnused`:
 * it has no messages, so its draft moves to the session that replaces it.
 */
export function setShownSession(session: string | undefined, isUnused: boolean): void {
  shownSession = session;
  if (session !== undefined && (session !== state.session || isUnused !== state.isUnused))
    updateSavedState({ session, isUnused });
}

/**
 * Sends the user's intent to the host, with the session that the panel shows if the intent is about it. The result
 * arrives as state.
 */
export function send(intent: Intent): void {
  const isAboutSession = shownSession !== undefined && intents[intent.type].scope === "session";
  webviewApi.postMessage(isAboutSession ? { ...intent, session: shownSession } : intent);
}

/** A scroll position that survives a reload: an entry, and how far its top is above the top of the transcript. */
export interface Anchor {
  readonly id: string;
  readonly offset: number;
}

/** What the user has entered in a form. `key` identifies the form by its content. */
export interface FormDraft {
  readonly key: string;
  readonly values: readonly (readonly [string, FormValue])[];
}

/** The draft of a session that the panel does not show now. */
export interface HiddenDraft {
  readonly session: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** The labels of attachments that are too large to be saved. */
  readonly unkept: readonly string[];
  /** Why the text is not the user's own, as a sentence. */
  readonly note?: string | undefined;
}

interface SavedState {
  /** The session that the panel shows. A restored editor tab shows it again. */
  session?: string | undefined;
  /** Whether that session has no messages. */
  isUnused: boolean;
  draft: string;
  /** Start and end of the selection in the draft. */
  caret: readonly [number, number];
  attachments: readonly Attachment[];
  /** The labels of attachments that are too large to be saved. */
  unkept: readonly string[];
  /** Why the draft is not the user's own, as a sentence. */
  note?: string | undefined;
  /** The items that the user opened (true) or closed (false), by stable id. */
  open: Record<string, boolean>;
  /** The drafts of other sessions, the oldest first. */
  drafts: readonly HiddenDraft[];
  /** The values of open forms. */
  formDrafts: readonly FormDraft[];
  /** Null while the transcript is scrolled to its end. */
  anchor: Anchor | null;
}

/** Milliseconds. A draft with large attachments is saved less often, because each save writes all of them. */
const saveDelay = 100;
const charactersPerMillisecond = 4000;
const state = restoreState(webviewApi.getState());
let saveTimer: ReturnType<typeof setTimeout> | undefined;

/** The state that survives a reload. Read only: change it with {@link updateSavedState}. */
export const savedState: Readonly<SavedState> = state;

/** Changes the saved state, and saves it after a short delay. */
export function updateSavedState(change: Partial<SavedState>): void {
  Object.assign(state, change);
  const attached = state.attachments.reduce((sum, one) => sum + characterCount(one), 0);
  saveTimer ??= setTimeout(saveNow, saveDelay + attached / charactersPerMillisecond);
}

/** Saves immediately, for when the page is unloaded. */
export function saveNow(): void {
  clearTimeout(saveTimer);
  saveTimer = undefined;
  webviewApi.setState(state);
}

/** Whether the user opened (true) or closed (false) the item with this id; undefined if neither. */
export function openState(id: string): boolean | undefined {
  return Object.hasOwn(state.open, id) ? state.open[id] : undefined;
}

/** How many opened or closed items are saved. The oldest are dropped first. */
const maxOpenStates = 1000;

/** Saves that the user opened or closed the item with this id. */
export function setOpen(id: string, open: boolean): void {
  const { [id]: _, ...others } = state.open;
  const kept = Object.entries(others).slice(-(maxOpenStates - 1));
  updateSavedState({ open: { ...Object.fromEntries(kept), [id]: open } });
}

function restoreState(saved: unknown): SavedState {
  const fields = isRecord(saved) ? saved : {};
  const anchor = fields["anchor"];
  const open: Record<string, boolean> = {};
  for (const [id, value] of Object.entries(isRecord(fields["open"]) ? fields["open"] : {}))
    if (typeof value === "boolean") open[id] = value;
  return {
    session: typeof fields["session"] === "string" ? fields["session"] : undefined,
    // Earlier versions of Parley had one draft for all sessions.
    isUnused: fields["isUnused"] !== false,
    draft: typeof fields["draft"] === "string" ? fields["draft"] : "",
    caret: isCaret(fields["caret"]) ? fields["caret"] : [0, 0],
    attachments: restoredAttachments(fields["attachments"]),
    unkept: labels(fields["unkept"]),
    ...savedNote(fields),
    open,
    drafts: Array.isArray(fields["drafts"]) ? fields["drafts"].flatMap(hiddenDraft) : [],
    formDrafts: Array.isArray(fields["formDrafts"]) ? fields["formDrafts"].filter(isFormDraft) : [],
    anchor:
      isRecord(anchor) && typeof anchor["id"] === "string" && typeof anchor["offset"] === "number"
        ? { id: anchor["id"], offset: anchor["offset"] }
        : null,
  };
}

function labels(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter(label => typeof label === "string") : [];
}

function savedNote({ note }: Readonly<Record<string, unknown>>): { readonly note?: string } {
  return typeof note === "string" ? { note } : {};
}

function hiddenDraft(value: unknown): readonly HiddenDraft[] {
  if (!isRecord(value) || typeof value["session"] !== "string" || typeof value["text"] !== "string") return [];
  const { session, text } = value;
  const attachments = restoredAttachments(value["attachments"]);
  return [{ session, text, attachments, unkept: labels(value["unkept"]), ...savedNote(value) }];
}

function isCaret(value: unknown): value is readonly [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every(each => Number.isSafeInteger(each) && each >= 0);
}

function isFormDraft(value: unknown): value is FormDraft {
  if (!isRecord(value) || typeof value["key"] !== "string" || !Array.isArray(value["values"])) return false;
  return value["values"].every(
    (entry: unknown) =>
      Array.isArray(entry) && entry.length === 2 && typeof entry[0] === "string" && isFormValue(entry[1]),
  );
}

function isFormValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(one => typeof one === "string");
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
