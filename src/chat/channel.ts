// One panel: the view it last got, its revision, when to send the next difference, and starting over when in doubt.
import type { Disposable } from "../base/lifecycle.ts";
import type { Clock } from "../base/log.ts";
import { diff, textForLast } from "./patch.ts";
import type { View, ViewChange } from "./protocol.ts";

/** A panel is painted at most this often, in milliseconds. */
export const flushPace = 33;

/** A panel that has not painted what it got is sent no more for this long, in milliseconds: it has enough to do. */
export const paintPatience = 250;

export interface ChannelOptions {
  readonly clock: Clock;
  /** The view as it should be now. Called at each flush only. */
  readonly view: () => View;
  /** Resolves with false when the panel did not take the message. */
  readonly post: (message: ViewChange) => PromiseLike<boolean>;
}

/**
 * Keeps one panel up to date with differences, never with a queue: what a hidden panel missed is one difference later.
 * Nothing is sent before the panel said hello.
 */
export class Channel implements Disposable {
  readonly #options: ChannelOptions;
  #sent: { readonly view: View; readonly revision: number } | undefined;
  #revision = 0;
  #hello = false;
  #visible = true;
  #dirty = false;
  #timer: Disposable | undefined;
  #lastFlush = -Infinity;
  /** Whether the panel says what it has painted, and has yet to say it of what was sent last. */
  #tells = false;
  #painting = false;
  #disposed = false;

  constructor(options: ChannelOptions) {
    this.#options = options;
  }

  /** The panel is there. A revision it still holds can be built upon; anything else gets a snapshot. */
  hello(revision: number): void {
    this.#hello = true;
    if (this.#sent?.revision !== revision) this.#sent = undefined;
    this.#dirty = true;
    this.#flush();
  }

  /** The panel lost track. */
  resync(): void {
    this.#sent = undefined;
    this.#dirty = true;
    this.#flush();
  }

  /** The panel has painted that revision. What changed meanwhile goes out as one difference, not as a queue. */
  painted(revision: number): void {
    this.#tells = true;
    if (revision !== this.#revision) return;
    this.#painting = false;
    this.#timer?.dispose();
    this.#timer = undefined;
    if (this.#dirty) this.changed();
  }

  setVisible(visible: boolean): void {
    this.#visible = visible;
    if (visible && this.#dirty) this.#flush();
  }

  /**
   * The state behind the view changed. The first change is sent at once, those after it at the pace, and when the panel
   * has painted the one before.
   */
  changed(): void {
    this.#dirty = true;
    if (this.#timer || this.#disposed) return;
    // The system's clock may be set back: never wait for longer than the pace.
    const pause = this.#tells && this.#painting ? paintPatience : flushPace;
    const wait = Math.min(pause, this.#lastFlush + pause - this.#options.clock.now());
    if (wait <= 0) this.#flush();
    else this.#timer = this.#options.clock.after(wait, () => this.#flush());
  }

  #flush(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    if (this.#disposed || !this.#hello || !this.#visible) return;
    this.#dirty = false;
    this.#lastFlush = this.#options.clock.now();
    const view = this.#options.view();
    const base = this.#sent;
    if (!base) return this.#send({ type: "snapshot", revision: ++this.#revision, view }, view);
    const patches = diff(base.view, view);
    if (patches.length === 0) return;
    const text = textForLast(base.view, patches);
    const revision = ++this.#revision;
    if (text !== undefined) this.#send({ type: "text", base: base.revision, text }, view);
    else this.#send({ type: "patch", base: base.revision, revision, patches }, view);
  }

  #send(message: ViewChange, view: View): void {
    // Invariant: what was sent has the newest revision, so a difference leads to the one after its base.
    const revision = this.#revision;
    this.#painting = true;
    this.#sent = { view, revision };
    const failed = (): void => {
      // Not taken: whatever the panel holds now is unknown, so the next message is whole.
      if (this.#sent && this.#sent.revision >= revision) {
        this.#sent = undefined;
        this.#dirty = true;
      }
    };
    this.#options.post(message).then(taken => {
      if (!taken) failed();
    }, failed);
  }

  dispose(): void {
    this.#disposed = true;
    this.#timer?.dispose();
  }
}
