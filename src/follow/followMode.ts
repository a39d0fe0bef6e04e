// Whether the view goes with the agent, how often it moves, and whose a movement was. Pure, on the clock's time.
import type { Disposable } from "../base/lifecycle.ts";
import type { Clock } from "../base/log.ts";
import type { Lines } from "./agentLocations.ts";

/** Paused: the user wanted to follow, and then looked at something. */
export type FollowMode = "off" | "on" | "paused";

/** Between two moves, ms: four a second. */
const pause = 250;

export interface FollowingOptions<T> {
  readonly clock: Clock;
  /** Shows the place. Never rejects. */
  readonly reveal: (target: T) => Promise<void>;
  /** The mode is another. */
  readonly changed: () => void;
}

/** Goes to the newest place, and skips those in between. */
export class Following<T> implements Disposable {
  readonly #options: FollowingOptions<T>;
  #mode: FollowMode = "off";
  /** Where the agent is, for who begins to follow now. */
  #latest: T | undefined;
  #next: T | undefined;
  #last = -Infinity;
  #timer: Disposable | undefined;
  #moving = false;

  constructor(options: FollowingOptions<T>) {
    this.#options = options;
  }

  get mode(): FollowMode {
    return this.#mode;
  }

  /** The user wants to follow, or does no longer. Goes to where the agent is. */
  set(on: boolean): void {
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
  at(target: T): void {
    this.#latest = target;
    if (this.#mode !== "on") return;
    this.#next = target;
    this.#pump();
  }

  /** The turn is over: there is nowhere to go. */
  leave(): void {
    this.#latest = undefined;
  }

  /** Another session: nobody asked to follow that one. */
  reset(): void {
    this.leave();
    this.set(false);
  }

  dispose(): void {
    this.reset();
    this.#timer?.dispose();
  }

  #change(mode: FollowMode): void {
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
    const wait = this.#last + pause - clock.now();
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
export const longestMove = 2000;

/** Where an editor was sent. */
interface Aim {
  readonly line: number;
  readonly smooth: boolean;
  readonly opening: boolean;
  isInSight: boolean;
}

/**
 * Tells the user's scrolling in one editor from what we and the text cause. Editors say only which lines are in sight,
 * and say it of every cause alike.
 */
export class ScrollJudge {
  #visible: Lines | undefined;
  #version = 0;
  #target: Aim | undefined;

  /** What is in sight counts as known. */
  seen(visible: Lines | undefined, version: number): void {
    this.#visible = visible;
    this.#version = version;
  }

  /** It stands where it is to stand. */
  arrived(visible: Lines | undefined, version: number): void {
    this.seen(visible, version);
    this.#target = undefined;
  }

  /**
   * The editor is sent there. `smooth`: it gets there in steps, and brings the line into its middle. `opening`: it is
   * being opened and laid out, so all that it does is ours until it is said to have arrived.
   */
  sent(lines: Lines, { smooth = false, opening = false } = {}): void {
    this.#target = { line: lines.first, smooth, opening, isInSight: false };
  }

  /** What is in sight has changed: whether that was the user. */
  isUser(visible: Lines, version: number): boolean {
    const [before, known] = [this.#visible, this.#version];
    this.seen(visible, version);
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

  #leads(target: Aim, before: Lines | undefined, visible: Lines, isOtherText: boolean): "there" | "away" {
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

const fromMiddle = (line: number, { first, last }: Lines): number => Math.abs(line - (first + last) / 2);
