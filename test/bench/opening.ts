// Runs in every page of a window from its beginning, and records when the content that a click opens has been painted.

/**
 * The properties that {@link watchOpening} adds to the window (ms since the epoch); NaN for events that have not
 * happened.
 */
export interface Opening {
  /** In the workbench: the pointer press that opened something. */
  clicked: number;
  /** In a webview: the text was on the page, at the end of its box and visible. */
  painted: number;
  /** In a webview: there was a text box. */
  ready: number;
  /** A character that was typed into it was painted. */
  typed: number;
  /** The durations of this page's tasks of more than 50 ms. */
  longTasks: number[];
}

export interface Watched {
  /** A selector of the scrolling element. */
  readonly box: string;
  readonly words: string;
  /** Logged to the console when the content has been painted, because polling for it would affect the measurement. */
  readonly isOpened: string;
}

/** The pages receive its source, so it uses nothing from outside. */
export function watchOpening({ box, words, isOpened }: Watched): void {
  const opening: Opening = { clicked: NaN, painted: NaN, ready: NaN, typed: NaN, longTasks: [] };
  Object.assign(window, { opening });
  const now = (): number => performance.timeOrigin + performance.now();
  if (window.top === window) {
    const clicked = (event: Event): void => {
      if ((event.target as Element).closest(".activitybar") && Number.isNaN(opening.clicked))
        opening.clicked = performance.timeOrigin + event.timeStamp;
    };
    addEventListener("pointerdown", clicked, true);
    return;
  }
  /** In an animation frame: reports when that frame has been painted. */
  const afterFrame = (then: (at: number) => void): void => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => then(now());
    port2.postMessage(0);
  };
  const isAtEnd = (): boolean => {
    const element = document.querySelector(box);
    if (element === null || !(element.textContent ?? "").trimEnd().endsWith(words)) return false;
    return element.scrollHeight - element.scrollTop - element.clientHeight <= 8;
  };
  const frame = (): void => {
    const textBox = document.querySelector("textarea");
    if (textBox && Number.isNaN(opening.ready)) {
      opening.ready = now();
      const typed = (): void => {
        if (!Number.isNaN(opening.typed)) return;
        opening.typed = 0;
        requestAnimationFrame(() => afterFrame(at => (opening.typed = at)));
      };
      textBox.addEventListener("input", typed);
    }
    if (Number.isNaN(opening.painted) && isAtEnd()) {
      opening.painted = 0;
      afterFrame(at => {
        opening.painted = at;
        console.debug(isOpened);
      });
    }
    if (!(opening.painted > 0 && opening.ready > 0)) requestAnimationFrame(frame);
  };
  // A webview's page is written into an existing document, which ends its animation frames. Timers continue.
  const begun = setInterval(() => {
    if (document.querySelector("textarea, #parley") === null) return;
    clearInterval(begun);
    const tasks = new PerformanceObserver(list => {
      for (const entry of list.getEntries())
        if (!entry.name.startsWith("cross-origin")) opening.longTasks.push(entry.duration);
    });
    tasks.observe({ type: "longtask", buffered: true });
    requestAnimationFrame(frame);
  }, 2);
}
