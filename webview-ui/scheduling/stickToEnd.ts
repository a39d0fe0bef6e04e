// Keeps a scroll box at its end until the user scrolls up, and again once the user is back at the end.

/** A position nearer to the end than this counts as the end. Pixels. */
const endTolerance = 8;
/** A scroll within this time after a wheel, key, touch or focus event was made by the user. Milliseconds. */
const intentTime = 1000;
/** The most frames that scrolling to a place takes, and how many it must stay there. */
const maxFrames = 60;
const minStillFrames = 4;

/** Keeps `box` scrolled to its end while its `content` grows. */
export class StickToEnd {
  readonly #box: HTMLElement;
  readonly #onChange: () => void;
  readonly #hasContent: () => boolean;
  #isPinned = true;
  #lastTop = 0;
  #intentAt = -Infinity;
  #isPointerDown = false;
  /** A pressed element stays under the pointer until the release, because otherwise there is no click. */
  #isPressed = false;
  /** Text was selected with the pointer, so new content does not move it away. */
  #hasPointerSelection = false;
  #isPlacing = false;
  /** This class has scrolled the box, and its scroll event is pending. */
  #awaitsScrollEvent = false;

  /** While `hasContent` is false, there is no end to follow, and the box stays where the user scrolls it. */
  constructor(box: HTMLElement, content: HTMLElement, onChange: () => void, hasContent: () => boolean) {
    this.#box = box;
    this.#hasContent = hasContent;
    this.#onChange = onChange;
    const recordIntent = (): void => {
      this.#intentAt = performance.now();
    };
    for (const type of ["wheel", "touchmove", "keydown", "focusin"])
      box.addEventListener(type, recordIntent, { passive: true });
    box.addEventListener("pointerdown", event => {
      this.#isPointerDown = true;
      this.#isPressed = event.target !== box;
      this.#hasPointerSelection = false;
    });
    const release = (): void => {
      if (this.#isPointerDown) recordIntent();
      this.#isPointerDown = false;
      if (!this.#isPressed) return;
      // The click event follows the release.
      requestAnimationFrame(() => {
        if (this.#isPointerDown) return;
        this.#isPressed = false;
        this.#hasPointerSelection = this.#hasSelection();
        this.follow();
      });
    };
    for (const type of ["pointerup", "pointercancel", "blur"]) window.addEventListener(type, release);
    // There is no event for the release of a scroll bar, but the next move shows it.
    window.addEventListener(
      "pointermove",
      event => {
        if (this.#isPointerDown && event.buttons === 0) release();
      },
      { passive: true },
    );
    box.addEventListener("scroll", () => {
      // Ignore our own scroll: handling it would force a layout of the content that arrived since.
      const isOwn = this.#awaitsScrollEvent && !this.#isPointerDown && performance.now() - this.#intentAt > intentTime;
      this.#awaitsScrollEvent = false;
      if (!isOwn) this.#handleScroll();
    });
    // Heights also change later, because of code colours, images and entries that were not laid out yet.
    const observer = new ResizeObserver(() => {
      // No scroll event reports that the end comes into view because the box grows or its content shrinks.
      if (this.#isPinned) this.follow();
      else if (!this.#isPlacing) this.#handleScroll();
    });
    observer.observe(content);
    observer.observe(box);
  }

  /** Whether the box follows its end. */
  get isPinned(): boolean {
    return this.#isPinned;
  }

  /** Scrolls to the end if the box follows it. While the pointer presses an element, waits for its release. */
  follow(): void {
    if (!this.#isPinned || this.#isPressed || !this.#hasContent()) return;
    if (!this.#hasPointerSelection || !this.#hasSelection()) this.#scrollToEnd();
    else if (this.#distanceToEnd > endTolerance) this.#setPinned(false);
  }

  /** Scrolls to the end and follows it from now on. Without content, scrolls to the top. */
  pin(): void {
    this.#hasPointerSelection = false;
    this.#setPinned(true);
    if (this.#hasContent()) this.#scrollToEnd();
    else this.#box.scrollTop = this.#lastTop = 0;
  }

  /**
   * Scrolls to a place that the panel chose. `distance` returns how far below the top the place is now. It is called
   * until the place no longer moves, because entries get their real heights only when they become visible.
   */
  async goTo(distance: () => number): Promise<void> {
    this.#isPlacing = true;
    this.#setPinned(false);
    for (let frame = 0, still = 0; frame < maxFrames && still < minStillFrames; frame++) {
      const top = this.#box.scrollTop;
      this.#box.scrollTop += distance();
      still = this.#box.scrollTop === top ? still + 1 : 0;
      await new Promise(requestAnimationFrame);
    }
    this.#isPlacing = false;
    this.#handleScroll();
  }

  /** The distance from the visible bottom to the end. */
  get #distanceToEnd(): number {
    return this.#box.scrollHeight - this.#box.scrollTop - this.#box.clientHeight;
  }

  #hasSelection(): boolean {
    const selection = getSelection();
    return selection !== null && !selection.isCollapsed && this.#box.contains(selection.anchorNode);
  }

  #scrollToEnd(): void {
    this.#box.scrollTop = this.#box.scrollHeight;
    const top = this.#box.scrollTop;
    if (top !== this.#lastTop) this.#awaitsScrollEvent = true;
    this.#lastTop = top;
  }

  #handleScroll(): void {
    if (this.#isPlacing) return;
    const top = this.#box.scrollTop;
    const up = top < this.#lastTop - 1;
    this.#lastTop = top;
    if (!this.#hasContent()) return;
    if (this.#distanceToEnd <= endTolerance) return this.#setPinned(true);
    if (up && (this.#isPointerDown || performance.now() - this.#intentAt < intentTime)) this.#setPinned(false);
  }

  #setPinned(pinned: boolean): void {
    if (this.#isPinned === pinned) return;
    this.#isPinned = pinned;
    this.#onChange();
  }
}
