// The one door to the extension host: posts intents, keeps the little that the panel remembers by itself.
import type { Intent } from "../../src/panel/intents.ts";
import type { Attachment } from "../../src/panel/protocol.ts";
import { restoredAttachments, characterCount } from "./restoredAttachments.ts";

interface WebviewApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}
declare function acquireVsCodeApi(): WebviewApi;

const api = acquireVsCodeApi();

/** Tells the host what the user wants. Its outcome comes back as state. */
export function send(intent: Intent): void {
  api.postMessage(intent);
}

/** A place in the transcript that survives a reload: an entry, and how far its top is above the window's. */
export interface Anchor {
  readonly id: string;
  readonly offset: number;
}

interface SavedState {
  draft: string;
  /** Start and end of the selection in the draft. */
  caret: readonly [number, number];
  attachments: readonly Attachment[];
  /** Labels of attachments that are too large to be remembered. */
  unkept: readonly string[];
  /** What the user opened (true) or closed (false), by stable id. */
  open: Record<string, boolean>;
  /** Null while the transcript follows its end. */
  anchor: Anchor | null;
}

/** Milliseconds; a draft with much attached is saved less often, as all of it is written each time. */
const saveDelay = 100;
const charactersPerMillisecond = 4000;
const state = restoreState(api.getState());
let saveTimer: ReturnType<typeof setTimeout> | undefined;

/** What the panel remembers across reloads. Read only: change it with {@link updateSavedState}. */
export const savedState: Readonly<SavedState> = state;

/** Changes what is remembered, and saves it soon. */
export function updateSavedState(change: Partial<SavedState>): void {
  Object.assign(state, change);
  const attached = state.attachments.reduce((sum, one) => sum + characterCount(one), 0);
  saveTimer ??= setTimeout(saveNow, saveDelay + attached / charactersPerMillisecond);
}

/** Saves at once, for when the page goes away. */
export function saveNow(): void {
  clearTimeout(saveTimer);
  saveTimer = undefined;
  api.setState(state);
}

/** Whether the user opened or closed the thing with this id; undefined when neither. */
export function openState(id: string): boolean | undefined {
  return Object.hasOwn(state.open, id) ? state.open[id] : undefined;
}

/** More than these are not remembered: the oldest are forgotten first. */
const maxOpenStates = 1000;

/** Remembers that the user opened or closed the thing with this id. */
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
    draft: typeof fields["draft"] === "string" ? fields["draft"] : "",
    caret: isCaret(fields["caret"]) ? fields["caret"] : [0, 0],
    attachments: restoredAttachments(fields["attachments"]),
    unkept: Array.isArray(fields["unkept"]) ? fields["unkept"].filter(label => typeof label === "string") : [],
    open,
    anchor:
      isRecord(anchor) && typeof anchor["id"] === "string" && typeof anchor["offset"] === "number"
        ? { id: anchor["id"], offset: anchor["offset"] }
        : null,
  };
}

function isCaret(value: unknown): value is readonly [number, number] {
  return Array.isArray(value) && value.length === 2 && value.every(each => Number.isSafeInteger(each) && each >= 0);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
