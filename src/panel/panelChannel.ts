// One panel: the view it last got, its revision, when to send the next difference, and starting over when in doubt.
import type { Disposable } from "../base/lifecycle.ts";
import type { Clock } from "../base/log.ts";
import { diffViews, textForLast } from "./patch.ts";
import type { View, ViewUpdate, ViewEntry, ViewPatch } from "./protocol.ts";
import { maxEntriesAtOnce, type RecentEntries } from "./projection/recentEntries.ts";

/** A panel is painted at most this often, in milliseconds. */
export const minFlushInterval = 33;

/** A panel that has just painted is sent nothing for this long, in milliseconds: what comes meanwhile goes as one. */
export const pauseAfterPaint = 18;

/** A panel that has not painted what it got is sent no more for this long, in milliseconds: it has enough to do. */
export const paintTimeout = 250;

export interface PanelChannelOptions {
  readonly clock: Clock;
  /** The view as it should be now. Called at each flush only. */
  readonly view: () => View;
  /** The end of the view, where that is long: sent first. */
  readonly recentEntries?: () => RecentEntries | undefined;
  /** A view or a difference is going out. */
  readonly onSend?: () => void;
  /** Resolves with false when the panel did not take the message. */
  readonly post: (message: ViewUpdate) => PromiseLike<boolean>;
}

/**
 * Keeps one panel up to date with differences, never with a queue: what a hidden panel missed is one difference later.
 * A panel that has not said hello yet is sent one view at most, the first with something in it: it waits for the page,
 * and the page then says hello with its revision.
 */
export class PanelChannel implements Disposable {
  readonly #options: PanelChannelOptions;
  /** The entries before the view's first, which is at `from`, are still to be sent. */
  #sent: { readonly view: View; readonly revision: number; readonly from: number } | undefined;
  #revision = 0;
  #isConnected = false;
  /** The panel wants every entry at once. */
  #sendsWhole = false;
  #visible = true;
  #dirty = false;
  #timer: Disposable | undefined;
  #lastFlush = -Infinity;
  #paintedAt = -Infinity;
  /** Whether the panel says what it has painted, and has yet to say it of what was sent last. */
  #acknowledgesPaints = false;
  #painting = false;
  #disposed = false;

  constructor(options: PanelChannelOptions) {
    this.#options = options;
  }

  /**
   * The panel is there. A revision it still holds can be built upon; anything else gets a snapshot: of a long
   * conversation the end first, unless the panel wants the `whole`.
   */
  hello(revision: number, whole = false): void {
    // A page that has just been loaded has not seen yet what waits for it, and gets it.
    const awaitsFirstView = !this.#isConnected && revision === 0 && !whole;
    this.#isConnected = true;
    this.#sendsWhole = whole;
    if (this.#sent?.revision !== revision && !awaitsFirstView) this.#sent = undefined;
    this.#dirty = true;
    if (!this.#sent || !this.#painting) return this.#flush();
    this.#timer?.dispose();
    this.#timer = this.#options.clock.after(paintTimeout, () => this.#flush());
  }

  /** The panel lost track. */
  resync(): void {
    this.#sent = undefined;
    // It may be shown at a place far from its end.
    this.#sendsWhole = true;
    this.#dirty = true;
    this.#flush();
  }

  /** The panel has painted that revision. What changed meanwhile goes out as one difference, not as a queue. */
  acknowledgePaint(revision: number): void {
    this.#acknowledgesPaints = true;
    if (revision !== this.#revision) return;
    this.#painting = false;
    this.#paintedAt = this.#options.clock.now();
    this.#timer?.dispose();
    this.#timer = undefined;
    if (this.#dirty) this.changed();
  }

  /** Whether a panel in sight is yet to be sent something, or to paint what it was sent. */
  get isBehind(): boolean {
    return this.#isConnected && this.#visible && (this.#dirty || this.isPainting);
  }

  /** Whether a panel in sight is yet to paint what it was sent. One that never says what it has painted is not known to. */
  get isPainting(): boolean {
    return this.#isConnected && this.#visible && this.#acknowledgesPaints && this.#painting;
  }

  setVisible(visible: boolean): void {
    this.#visible = visible;
    if (visible && this.#dirty) this.#flush();
  }

  /**
   * The state behind the view changed. The first change is sent at once, those after it at the pace, and a little after
   * the panel has painted the one before.
   */
  changed(): void {
    this.#dirty = true;
    if (this.#timer || this.#disposed) return;
    // The system's clock may be set back: never wait for longer than the pace.
    const interval = this.#acknowledgesPaints && this.#painting ? paintTimeout : minFlushInterval;
    const due = Math.max(this.#lastFlush + interval, this.#paintedAt + pauseAfterPaint);
    const wait = Math.min(interval, due - this.#options.clock.now());
    if (wait <= 0) this.#flush();
    else this.#timer = this.#options.clock.after(wait, () => this.#flush());
  }

  #flush(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    if (this.#disposed || !this.#visible || (!this.#isConnected && this.#sent)) return;
    this.#lastFlush = this.#options.clock.now();
    const base = this.#sent;
    const view = base && this.#options.view();
    if (!base || !view || isOtherConversation(base, view)) return this.#sendSnapshot();
    this.#dirty = false;
    const patches = patchesBetween(base, view);
    if (patches.length === 0) return;
    const text = textForLast(base.view, patches);
    const revision = ++this.#revision;
    if (text !== undefined) this.#send({ type: "text", base: base.revision, text }, view);
    else this.#send({ type: "patch", base: base.revision, revision, patches }, view);
  }

  /** Sends the view anew: of many entries those at the end, and the others when these have been painted. */
  #sendSnapshot(): void {
    const recent = this.#sendsWhole ? undefined : this.#options.recentEntries?.();
    const view = recent?.view ?? this.#options.view();
    const isEmpty = view.entries.length === 0;
    // Nothing to wait for a page that is not there yet.
    if (isEmpty && !this.#isConnected) return;
    if (!isEmpty) this.#sendsWhole = false;
    this.#dirty = recent !== undefined;
    const revision = ++this.#revision;
    if (!recent) return this.#send({ type: "snapshot", revision, view }, view);
    this.#send({ type: "snapshot", revision, view, earlier: recent.from }, view, recent.from);
    this.#timer = this.#options.clock.after(paintTimeout, () => this.#flush());
  }

  #send(message: ViewUpdate, view: View, from = 0): void {
    // Invariant: what was sent has the newest revision, so a difference leads to the one after its base.
    const revision = this.#revision;
    this.#painting = true;
    this.#sent = { view, revision, from };
    const failed = (): void => {
      // Not taken: whatever the panel holds now is unknown, so the next message is whole.
      if (this.#sent && this.#sent.revision >= revision) {
        this.#sent = undefined;
        this.#sendsWhole = true;
        this.#dirty = true;
      }
    };
    this.#options.onSend?.();
    this.#options.post(message).then(taken => {
      if (!taken) failed();
    }, failed);
  }

  dispose(): void {
    this.#disposed = true;
    this.#timer?.dispose();
  }
}

/** Another conversation, long enough for its end to be sent first. An entry keeps its place for ever. */
function isOtherConversation({ view: { entries }, from }: RecentEntries, to: View): boolean {
  return entries[0]?.id !== to.entries[from]?.id && (from > 0 || to.entries.length > maxEntriesAtOnce);
}

function patchesBetween({ view, from }: RecentEntries, to: View): readonly ViewPatch[] {
  if (from === 0) return diffViews(view, to);
  const earlier: readonly ViewEntry[] = to.entries.slice(0, from);
  return [{ op: "prepend", entries: earlier }, ...diffViews({ ...view, entries: [...earlier, ...view.entries] }, to)];
}
