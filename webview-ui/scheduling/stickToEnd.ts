// Keeps a scroll box at its end until the user means to look up, and again once the user is back at the end.

/** Nearer to the end than this counts as being there. */
const SLACK = 8;
/** A scroll this soon after a wheel, key, touch or move of the focus is the user's. */
const INTENT = 1000;
/** A place is looked for this long at most. */
const MAX_FRAMES = 60;
const STILL_FRAMES = 4;

/** Follows the end of `box` while its `content` grows. */
export class StickToEnd {
  readonly #box: HTMLElement;
  readonly #onChange: () => void;
  #pinned = true;
  #lastTop = 0;
  #intentAt = -Infinity;
  #pointerDown = false;
  /** What is pressed stays under the pointer until it is released: only then is it a click. */
  #isHeld = false;
  /** Text was selected with the pointer: what comes does not move it away. */
  #isSelected = false;
  #placing = false;
  /** It has scrolled, and the box is yet to tell. */
  #moved = false;

  constructor(box: HTMLElement, content: HTMLElement, onChange: () => void) {
    this.#box = box;
    this.#onChange = onChange;
    const intent = (): void => {
      this.#intentAt = performance.now();
    };
    for (const type of ["wheel", "touchmove", "keydown", "focusin"])
      box.addEventListener(type, intent, { passive: true });
    box.addEventListener("pointerdown", event => {
      this.#pointerDown = true;
      this.#isHeld = event.target !== box;
      this.#isSelected = false;
    });
    const release = (): void => {
      if (this.#pointerDown) intent();
      this.#pointerDown = false;
      if (!this.#isHeld) return;
      // The click comes after the release.
      requestAnimationFrame(() => {
        if (this.#pointerDown) return;
        this.#isHeld = false;
        this.#isSelected = this.#hasSelection();
        this.follow();
      });
    };
    for (const type of ["pointerup", "pointercancel", "blur"]) window.addEventListener(type, release);
    // A scroll bar does not tell of its release: the next movement does.
    window.addEventListener(
      "pointermove",
      event => {
        if (this.#pointerDown && event.buttons === 0) release();
      },
      { passive: true },
    );
    box.addEventListener("scroll", () => {
      // Its own movement: to look at it would lay out what has come since.
      const isOwn = this.#moved && !this.#pointerDown && performance.now() - this.#intentAt > INTENT;
      this.#moved = false;
      if (!isOwn) this.#scrolled();
    });
    // Heights also change later: colours, images, entries that were not yet laid out.
    const observer = new ResizeObserver(() => this.follow());
    observer.observe(content);
    observer.observe(box);
  }

  /** Whether the end is being followed. */
  get pinned(): boolean {
    return this.#pinned;
  }

  /** Goes to the end if it is being followed; while something is pressed, once it is released. */
  follow(): void {
    if (!this.#pinned || this.#isHeld) return;
    if (this.#isSelected && this.#hasSelection() && this.#left > SLACK) this.#set(false);
    else this.#toEnd();
  }

  /** Goes to the end and follows it from now on. */
  pin(): void {
    this.#isSelected = false;
    this.#set(true);
    this.#toEnd();
  }

  /**
   * Goes to a place of the panel's own choice: `distance` says how far below the top it is now. Asked again until it
   * stays there, since entries get their real heights only when they come into sight.
   */
  async goTo(distance: () => number): Promise<void> {
    this.#placing = true;
    this.#set(false);
    for (let frame = 0, still = 0; frame < MAX_FRAMES && still < STILL_FRAMES; frame++) {
      const top = this.#box.scrollTop;
      this.#box.scrollTop += distance();
      still = this.#box.scrollTop === top ? still + 1 : 0;
      await new Promise(requestAnimationFrame);
    }
    this.#placing = false;
    this.#scrolled();
  }

  /** How far below the end of what is seen the end is. */
  get #left(): number {
    return this.#box.scrollHeight - this.#box.scrollTop - this.#box.clientHeight;
  }

  #hasSelection(): boolean {
    const selection = getSelection();
    return selection !== null && !selection.isCollapsed && this.#box.contains(selection.anchorNode);
  }

  #toEnd(): void {
    this.#box.scrollTop = this.#box.scrollHeight;
    const top = this.#box.scrollTop;
    if (top !== this.#lastTop) this.#moved = true;
    this.#lastTop = top;
  }

  #scrolled(): void {
    if (this.#placing) return;
    const top = this.#box.scrollTop;
    const up = top < this.#lastTop - 1;
    this.#lastTop = top;
    if (this.#left <= SLACK) return this.#set(true);
    if (up && (this.#pointerDown || performance.now() - this.#intentAt < INTENT)) this.#set(false);
  }

  #set(pinned: boolean): void {
    if (this.#pinned === pinned) return;
    this.#pinned = pinned;
    this.#onChange();
  }
}
