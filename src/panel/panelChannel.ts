// The updates of one panel: the view it got last and its revision, the pace of updates, and a new snapshot when the
// panel's state is unknown.
import type { Disposable } from "../base/lifecycle.ts";
import type { Clock } from "../base/log.ts";
import { diffViews, textForLast, type SharedView } from "./patch.ts";
import type { View, ViewUpdate, ViewEntry, ViewPatch } from "./protocol.ts";
import { maxEntriesAtOnce, type RecentEntries } from "./projection/recentEntries.ts";

/** The minimum time between two updates of a panel, in milliseconds. */
export const minFlushInterval = 33;

/** The pause after a panel has painted, in milliseconds. Changes during the pause go out as one update. */
export const pauseAfterPaint = 18;

/**
 * The maximum time to wait for a panel to paint the last update before the next is sent, in milliseconds. Until then,
 * the panel is busy.
 */
export const paintTimeout = 250;

/** The view that the panel has, without the entries before position `from`. */
interface SentView {
  readonly view: SharedView;
  readonly from: number;
}

export interface PanelChannelOptions {
  readonly clock: Clock;
  /** The current view. Called once for each flush. */
  readonly view: () => SharedView;
  /** The end of a long view, which is sent first. */
  readonly recentEntries?: () => RecentEntries | undefined;
  /** A view or a difference is about to be sent. */
  readonly onSend?: () => void;
  /** Resolves with false if the panel did not accept the message. */
  readonly post: (message: ViewUpdate) => PromiseLike<boolean>;
}

/**
 * Keeps one panel up to date with differences instead of a queue: a hidden panel gets everything it missed in one
 * difference. Before its hello, a panel gets at most one view, the first one that is not empty. That view waits for the
 * page to load, and the page then says hello with its revision.
 */
export class PanelChannel implements Disposable {
  readonly #options: PanelChannelOptions;
  /** The entries before position `from`, the start of the view, have not been sent yet. */
  #sent: (SentView & { readonly revision: number }) | undefined;
  #revision = 0;
  #isConnected = false;
  /** The panel wants all entries at once. */
  #sendsWhole = false;
  #visible = true;
  #dirty = false;
  #timer: Disposable | undefined;
  #lastFlush = -Infinity;
  #paintedAt = -Infinity;
  /** Whether the panel acknowledges paints, and whether it has yet to acknowledge the last update. */
  #acknowledgesPaints = false;
  #painting = false;
  #disposed = false;

  constructor(options: PanelChannelOptions) {
    this.#options = options;
  }

  /**
   * The panel is loaded. A revision that it still has is built upon. Otherwise it gets a snapshot: the end of a long
   * conversation first, unless the panel wants the `whole`.
   */
  hello(revision: number, whole = false): void {
    // A page that was just loaded has not received the waiting view yet, and is about to get it.
    const awaitsFirstView = !this.#isConnected && revision === 0 && !whole;
    this.#isConnected = true;
    this.#sendsWhole = whole;
    if (this.#sent?.revision !== revision && !awaitsFirstView) this.#sent = undefined;
    this.#dirty = true;
    if (!this.#sent || !this.#painting) return this.#flush();
    this.#timer?.dispose();
    this.#timer = this.#options.clock.after(paintTimeout, () => this.#flush());
  }

  /** The panel has lost track of the view. */
  resync(): void {
    this.#sent = undefined;
    // The panel may show a place far from the end.
    this.#sendsWhole = true;
    this.#dirty = true;
    this.#flush();
  }

  /** The panel has painted a revision. Changes made meanwhile go out as one difference, not as a queue. */
  acknowledgePaint(revision: number): void {
    this.#acknowledgesPaints = true;
    if (revision !== this.#revision) return;
    this.#painting = false;
    this.#paintedAt = this.#options.clock.now();
    this.#timer?.dispose();
    this.#timer = undefined;
    if (this.#dirty) this.changed();
  }

  /** Whether a visible panel has yet to get or to paint an update. */
  get isBehind(): boolean {
    return this.#isConnected && this.#visible && (this.#dirty || this.isPainting);
  }

  /** Whether a visible panel has yet to paint an update. Always false for a panel that does not acknowledge paints. */
  get isPainting(): boolean {
    return this.#isConnected && this.#visible && this.#acknowledgesPaints && this.#painting;
  }

  setVisible(visible: boolean): void {
    this.#visible = visible;
    if (visible && this.#dirty) this.#flush();
  }

  /**
   * The state behind the view changed. The first change is sent at once. Later changes follow at the pace of the panel,
   * and shortly after it has painted the previous one.
   */
  changed(): void {
    this.#dirty = true;
    if (this.#timer || this.#disposed) return;
    // Waits at most for the interval, even if the system clock is set back.
    const interval = this.#acknowledgesPaints && this.#painting ? paintTimeout : minFlushInterval;
    const due = Math.max(this.#lastFlush + interval, this.#paintedAt + pauseAfterPaint);
    const wait = Math.min(interval, due - this.#options.clock.now());
    if (wait <= 0) this.#flush();
    else this.#timer = this.#options.clock.after(wait, () => this.#flush());
  }

  /** Sends what has changed at once, because a message about it follows. The rest of a long view can follow later. */
  bringUpToDate(): void {
    if (!this.#dirty || !this.#isConnected || this.#disposed) return;
    const sent = this.#sent;
    if (sent && sent.from > 0 && !isOtherConversation(sent, this.#options.view())) return;
    this.#flush();
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

  /** Sends a new view. Of many entries, the last ones are sent first, and the others after those have been painted. */
  #sendSnapshot(): void {
    const recent = this.#sendsWhole ? undefined : this.#options.recentEntries?.();
    const view = recent?.view ?? this.#options.view();
    const isEmpty = view.entries.length === 0;
    // An empty view does not have to wait for a page that is not loaded yet.
    if (isEmpty && !this.#isConnected) return;
    if (!isEmpty) this.#sendsWhole = false;
    this.#dirty = recent !== undefined;
    const revision = ++this.#revision;
    const whole: View = { head: view.head, entries: [...view.entries] };
    if (!recent) return this.#send({ type: "snapshot", revision, view: whole }, view);
    this.#send({ type: "snapshot", revision, view: whole, earlier: recent.from }, view, recent.from);
    this.#timer = this.#options.clock.after(paintTimeout, () => this.#flush());
  }

  #send(message: ViewUpdate, view: SharedView, from = 0): void {
    // Invariant: the last sent view has the newest revision, so a difference leads to the revision after its base.
    const revision = this.#revision;
    this.#painting = true;
    this.#sent = { view, revision, from };
    const failed = (): void => {
      // The panel did not accept the message, so its state is unknown. The next message is a snapshot.
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

/**
 * Whether this is a different conversation that is long enough to send its end first. Entries never change their
 * position.
 */
function isOtherConversation({ view: { entries }, from }: SentView, to: SharedView): boolean {
  return entries.at(0)?.id !== to.entries.at(from)?.id && (from > 0 || to.entries.length > maxEntriesAtOnce);
}

function patchesBetween({ view, from }: SentView, to: SharedView): readonly ViewPatch[] {
  if (from === 0) return diffViews(view, to);
  const earlier: readonly ViewEntry[] = [...to.entries].slice(0, from);
  return [{ op: "prepend", entries: earlier }, ...diffViews({ ...view, entries: [...earlier, ...view.entries] }, to)];
}
