// Keeps a scroll box at its end until the user means to look up, and again once the user is back at the end.

/** Nearer to the end than this counts as being there. */
const endTolerance = 8;
/** A scroll this soon after a wheel, key, touch or move of the focus is the user's. */
const intentTime = 1000;
/** A place is looked for this long at most. */
const maxFrames = 60;
const minStillFrames = 4;

/** Follows the end of `box` while its `content` grows. */
export class StickToEnd {
  readonly #box: HTMLElement;
  readonly #onChange: () => void;
  #isPinned = true;
  #lastTop = 0;
  #intentAt = -Infinity;
  #isPointerDown = false;
  /** What is pressed stays under the pointer until it is released: only then is it a click. */
  #isPressed = false;
  /** Text was selected with the pointer: what comes does not move it away. */
  #hasPointerSelection = false;
  #isPlacing = false;
  /** It has scrolled, and the box is yet to tell. */
  #awaitsScrollEvent = false;

  constructor(box: HTMLElement, content: HTMLElement, onChange: () => void) {
    this.#box = box;
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
      // The click comes after the release.
      requestAnimationFrame(() => {
        if (this.#isPointerDown) return;
        this.#isPressed = false;
        this.#hasPointerSelection = this.#hasSelection();
        this.follow();
      });
    };
    for (const type of ["pointerup", "pointercancel", "blur"]) window.addEventListener(type, release);
    // A scroll bar does not tell of its release: the next movement does.
    window.addEventListener(
      "pointermove",
      event => {
        if (this.#isPointerDown && event.buttons === 0) release();
      },
      { passive: true },
    );
    box.addEventListener("scroll", () => {
      // Its own movement: to look at it would lay out what has come since.
      const isOwn = this.#awaitsScrollEvent && !this.#isPointerDown && performance.now() - this.#intentAt > intentTime;
      this.#awaitsScrollEvent = false;
      if (!isOwn) this.#handleScroll();
    });
    // Heights also change later: colours, images, entries that were not yet laid out.
    const observer = new ResizeObserver(() => this.follow());
    observer.observe(content);
    observer.observe(box);
  }

  /** Whether the end is being followed. */
  get isPinned(): boolean {
    return this.#isPinned;
  }

  /** Goes to the end if it is being followed; while something is pressed, once it is released. */
  follow(): void {
    if (!this.#isPinned || this.#isPressed) return;
    if (this.#hasPointerSelection && this.#hasSelection() && this.#distanceToEnd > endTolerance) this.#setPinned(false);
    else this.#scrollToEnd();
  }

  /** Goes to the end and follows it from now on. */
  pin(): void {
    this.#hasPointerSelection = false;
    this.#setPinned(true);
    this.#scrollToEnd();
  }

  /**
   * Goes to a place of the panel's own choice: `distance` says how far below the top it is now. Asked again until it
   * stays there, since entries get their real heights only when they come into sight.
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

  /** How far below the end of what is seen the end is. */
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
    if (this.#distanceToEnd <= endTolerance) return this.#setPinned(true);
    if (up && (this.#isPointerDown || performance.now() - this.#intentAt < intentTime)) this.#setPinned(false);
  }

  #setPinned(pinned: boolean): void {
    if (this.#isPinned === pinned) return;
    this.#isPinned = pinned;
    this.#onChange();
  }
}
