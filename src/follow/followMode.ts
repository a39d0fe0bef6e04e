// Whether the view goes with the agent, how often it moves, and whose a movement was. Pure, on the clock's time.
import type { Disposable } from "../base/lifecycle.ts";
import type { Clock } from "../base/log.ts";
import type { LineSpan } from "./agentLocations.ts";

/** Paused: the user wanted to follow, and then looked at something. */
export type FollowState = "off" | "on" | "paused";

/** Between two moves, ms: four a second. */
const minInterval = 250;

export interface FollowModeOptions<T> {
  readonly clock: Clock;
  /** Shows the place. Never rejects. */
  readonly reveal: (target: T) => Promise<void>;
  /** The mode is another. */
  readonly changed: () => void;
}

/** Goes to the newest place, and skips those in between. */
export class FollowMode<T> implements Disposable {
  readonly #options: FollowModeOptions<T>;
  #mode: FollowState = "off";
  /** Where the agent is, for who begins to follow now. */
  #latest: T | undefined;
  #next: T | undefined;
  #last = -Infinity;
  #timer: Disposable | undefined;
  #moving = false;

  constructor(options: FollowModeOptions<T>) {
    this.#options = options;
  }

  get state(): FollowState {
    return this.#mode;
  }

  /** The user wants to follow, or does no longer. Goes to where the agent is. */
  setFollowing(on: boolean): void {
    this.#next = on ? this.#latest : undefined;
    this.#change(on ? "on" : "off");
    this.#pump();
  }

  /** The user typed, scrolled, selected or went elsewhere: the view is theirs until they want to follow again. */
  interrupt(): void {
    if (this.#mode !== "on") return;
    this.#next = undefined;
    this.#change("paused");
  }

  /** The agent is there. */
  agentMoved(target: T): void {
    this.#latest = target;
    if (this.#mode !== "on") return;
    this.#next = target;
    this.#pump();
  }

  /** The turn is over: there is nowhere to go. */
  turnEnded(): void {
    this.#latest = undefined;
  }

  /** Another session: nobody asked to follow that one. */
  reset(): void {
    this.turnEnded();
    this.setFollowing(false);
  }

  dispose(): void {
    this.reset();
    this.#timer?.dispose();
  }

  #change(mode: FollowState): void {
    if (mode === this.#mode) return;
    this.#mode = mode;
    this.#options.changed();
  }

  #pump(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    const next = this.#next;
    if (next === undefined || this.#moving) return;
    const { clock, reveal } = this.#options;
    const wait = this.#last + minInterval - clock.now();
    if (wait > 0) {
      this.#timer = clock.after(wait, () => this.#pump());
      return;
    }
    this.#next = undefined;
    this.#last = clock.now();
    this.#moving = true;
    void reveal(next).finally(() => {
      this.#moving = false;
      this.#pump();
    });
  }
}

/** How long an editor may take to get to where it was sent, ms. Smooth scrolling takes an eighth of a second. */
export const maxScrollTime = 2000;

/** Where an editor was sent. */
interface ScrollTarget {
  readonly line: number;
  readonly smooth: boolean;
  readonly opening: boolean;
  isInSight: boolean;
}

/**
 * Tells the user's scrolling in one editor from what we and the text cause. Editors say only which lines are in sight,
 * and say it of every cause alike.
 */
export class UserScrollDetector {
  #visible: LineSpan | undefined;
  #version = 0;
  #target: ScrollTarget | undefined;

  /** What is in sight counts as known. */
  setVisible(visible: LineSpan | undefined, version: number): void {
    this.#visible = visible;
    this.#version = version;
  }

  /** It stands where it is to stand. */
  arrived(visible: LineSpan | undefined, version: number): void {
    this.setVisible(visible, version);
    this.#target = undefined;
  }

  /**
   * The editor is sent there. `smooth`: it gets there in steps, and brings the line into its middle. `opening`: it is
   * being opened and laid out, so all that it does is ours until it is said to have arrived.
   */
  expectScroll(lines: LineSpan, { smooth = false, opening = false } = {}): void {
    this.#target = { line: lines.first, smooth, opening, isInSight: false };
  }

  /** What is in sight has changed: whether that was the user. */
  isUserScroll(visible: LineSpan, version: number): boolean {
    const [before, known] = [this.#visible, this.#version];
    this.setVisible(visible, version);
    if (this.#target) return this.#leads(this.#target, before, visible, version !== known) === "away";
    // Text that comes or goes above moves what is in sight; another size of the editor leaves its first line.
    return before !== undefined && version === known && visible.first !== before.first;
  }

  /** Gives up waiting: whether it never came in sight, because somebody stopped it. */
  giveUp(): boolean {
    const stopped = this.#target !== undefined && !this.#target.isInSight;
    this.#target = undefined;
    return stopped;
  }

  #leads(
    target: ScrollTarget,
    before: LineSpan | undefined,
    visible: LineSpan,
    isOtherText: boolean,
  ): "there" | "away" {
    if (target.opening) return "there";
    const isInSight = visible.first <= target.line && target.line <= visible.last;
    const nearer = before !== undefined && fromMiddle(target.line, visible) <= fromMiddle(target.line, before);
    if (isInSight && !target.smooth) this.#target = undefined;
    if (isInSight && (!target.isInSight || nearer || isOtherText)) {
      target.isInSight = true;
      return "there";
    }
    const isStill = before === undefined || visible.first === before.first;
    if (isStill || isOtherText || (target.smooth && nearer)) return "there";
    this.#target = undefined;
    return "away";
  }
}

const fromMiddle = (line: number, { first, last }: LineSpan): number => Math.abs(line - (first + last) / 2);
