// Whether the view follows the agent, how often it moves, and whether the user or Parley scrolled. Pure except for timers
// of the clock.
import type { Disposable } from "../base/lifecycle.ts";
import type { Clock } from "../base/log.ts";
import type { LineSpan } from "./agentLocations.ts";

/** Paused: the user looked at something else while following. */
export type FollowState = "off" | "on" | "paused";

/** The least time between two moves of the view: four moves a second. Milliseconds. */
const minInterval = 250;

export interface FollowModeOptions<T> {
  readonly clock: Clock;
  /** Shows the target. Must not reject. */
  readonly reveal: (target: T) => Promise<void>;
  /** Called when the state changes. */
  readonly changed: () => void;
}

/** Moves to the newest target, and skips the ones in between. */
export class FollowMode<T> implements Disposable {
  readonly #options: FollowModeOptions<T>;
  #mode: FollowState = "off";
  /** The agent's latest target, for when the user starts to follow. */
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

  /** Starts or stops following. Starting moves to the agent's latest target. */
  setFollowing(on: boolean): void {
    this.#next = on ? this.#latest : undefined;
    this.#change(on ? "on" : "off");
    this.#pump();
  }

  /** The user typed, scrolled, selected or opened something. The view stays there until the user resumes following. */
  interrupt(): void {
    if (this.#mode !== "on") return;
    this.#next = undefined;
    this.#change("paused");
  }

  /** The agent moved to the target. */
  agentMoved(target: T): void {
    this.#latest = target;
    if (this.#mode !== "on") return;
    this.#next = target;
    this.#pump();
  }

  /** Forgets the agent's latest target at the end of a turn. */
  turnEnded(): void {
    this.#latest = undefined;
  }

  /** Stops following, because another session begins. */
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

/** The longest time between two steps of an editor on the way to its target. Smooth scrolling takes 125 ms. Milliseconds. */
export const maxScrollTime = 2000;

/** The target of a scroll that Parley started. */
interface ScrollTarget {
  readonly line: number;
  readonly smooth: boolean;
  readonly opening: boolean;
  isInSight: boolean;
  /** The visible lines have changed on the way. */
  hasMoved: boolean;
}

/**
 * Distinguishes the user's scrolling in one editor from scrolling caused by Parley or by text changes. VS Code reports
 * only the visible lines, and not the cause.
 */
export class UserScrollDetector {
  #visible: LineSpan | undefined;
  #version = 0;
  #target: ScrollTarget | undefined;

  /** Sets the visible lines, as a base for later changes. */
  setVisible(visible: LineSpan | undefined, version: number): void {
    this.#visible = visible;
    this.#version = version;
  }

  /** The editor shows its target. */
  arrived(visible: LineSpan | undefined, version: number): void {
    this.setVisible(visible, version);
    this.#target = undefined;
  }

  /**
   * Parley scrolls the editor to the lines. `smooth`: it scrolls in steps, and centers the line. `opening`: it is being
   * opened and laid out, so every scroll counts as Parley's until {@link arrived}.
   */
  expectScroll(lines: LineSpan, { smooth = false, opening = false } = {}): void {
    this.#target = { line: lines.first, smooth, opening, isInSight: false, hasMoved: false };
  }

  /** The visible lines changed. Returns whether the user scrolled. */
  isUserScroll(visible: LineSpan, version: number): boolean {
    const [before, known] = [this.#visible, this.#version];
    this.setVisible(visible, version);
    if (this.#target) this.#target.hasMoved ||= visible.first !== before?.first;
    if (this.#target) return this.#leads(this.#target, before, visible, version !== known) === "away";
    // Text inserted or deleted above moves the visible lines. Resizing the editor keeps its first visible line.
    return before !== undefined && version === known && visible.first !== before.first;
  }

  /** Whether the editor is on the way to its target. */
  get isScrolling(): boolean {
    return this.#target !== undefined;
  }

  /**
   * Stops waiting for the target. Returns whether the user stopped the scroll on the way, so that the target never became
   * visible. An editor that has not moved is slow: VS Code can be busy for seconds.
   */
  giveUp(): boolean {
    const stopped = this.#target !== undefined && this.#target.hasMoved && !this.#target.isInSight;
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
