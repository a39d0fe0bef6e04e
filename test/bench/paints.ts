// Runs inside a webview: records when changes below an element were painted, the messages that caused them, and long
// tasks.

export interface Paint {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Whether a change is visible without scrolling. */
  readonly inSight: boolean;
}

/** A message of the host (all times in ms since the epoch). */
export interface Arrival {
  /** When the extension called `postMessage`. NaN if the time was not recorded. */
  readonly sent: number;
  readonly arrived: number;
  readonly painted: number;
}

/** A key that changed a text box. */
export interface Stroke {
  readonly pressed: number;
  readonly painted: number;
}

/** The start (ms since the epoch) and the duration. */
export interface LongTask {
  readonly at: number;
  readonly duration: number;
}

/** The properties that {@link install} adds to the window. */
export interface Watched {
  paints: Paint[];
  arrivals: Arrival[];
  strokes: Stroke[];
  /** Tasks of more than 50 ms. */
  longTasks: LongTask[];
  stopWatching?: () => void;
}

/**
 * Starts watching, in place of an earlier watcher. A change counts as painted after an animation frame and then a turn
 * of a message channel. The page receives its source, so it uses nothing from outside.
 */
export function install(element: Element): void {
  const watched = window as unknown as Watched;
  watched.stopWatching?.();
  const paints: Paint[] = [];
  const arrivals: Arrival[] = [];
  const strokes: Stroke[] = [];
  const longTasks: LongTask[] = [];
  Object.assign(watched, { paints, arrivals, strokes, longTasks });
  const now = (): number => performance.timeOrigin + performance.now();

  const { port1, port2 } = new MessageChannel();
  const turns: (() => void)[] = [];
  port1.onmessage = () => turns.shift()?.();
  /** Collects items until the next frame, and reports when that frame has been painted. */
  const atPaint = <T>(painted: (items: readonly T[], at: number) => void): ((item: T) => void) => {
    let waiting: T[] = [];
    return item => {
      if (waiting.push(item) > 1) return;
      requestAnimationFrame(() => {
        // Later changes belong to the next frame.
        const items = waiting;
        waiting = [];
        turns.push(() => painted(items, now()));
        port2.postMessage(0);
      });
    };
  };

  /**
   * Checks the box of a long answer itself, which may be excluded from the layout: checking elements inside it would
   * lay it out.
   */
  const isInSight = (target: Node): boolean => {
    const element = target instanceof Element ? target : target.parentElement;
    const box = (element?.closest(".blocks") ?? element)?.getBoundingClientRect();
    const view = (element?.closest(".log") ?? document.documentElement).getBoundingClientRect();
    return box !== undefined && box.bottom > view.top && box.top < view.bottom;
  };
  const changed = atPaint<readonly MutationRecord[]>((batches, at) => {
    const targets = new Set(batches.flat().map(record => record.target));
    paints.push({ at, inSight: [...targets].some(isInSight) });
  });
  const observer = new MutationObserver(changed);
  observer.observe(element, { subtree: true, childList: true, characterData: true });

  const arrived = atPaint<{ readonly sent: number; readonly arrived: number }>((items, painted) =>
    arrivals.push(...items.map(item => ({ ...item, painted }))),
  );
  const onMessage = (event: MessageEvent): void => {
    const { sentAt } = (event.data ?? {}) as { readonly sentAt?: number };
    if (sentAt === undefined) return;
    arrived({ sent: sentAt, arrived: now() });
  };
  // Before the page's own listener.
  addEventListener("message", onMessage, true);

  let pressed = NaN;
  const typed = atPaint<number>((items, painted) => strokes.push(...items.map(one => ({ pressed: one, painted }))));
  const onKey = (event: KeyboardEvent): void => {
    pressed = performance.timeOrigin + event.timeStamp;
  };
  const onInput = (): void => {
    if (!Number.isNaN(pressed)) typed(pressed);
    pressed = NaN;
  };
  addEventListener("keydown", onKey, true);
  addEventListener("input", onInput, true);

  const tasks = new PerformanceObserver(list => {
    // Ignore the tasks of other pages in the same process.
    for (const { name, startTime, duration } of list.getEntries())
      if (!name.startsWith("cross-origin")) longTasks.push({ at: performance.timeOrigin + startTime, duration });
  });
  tasks.observe({ type: "longtask" });

  watched.stopWatching = () => {
    observer.disconnect();
    tasks.disconnect();
    port1.close();
    removeEventListener("message", onMessage, true);
    removeEventListener("keydown", onKey, true);
    removeEventListener("input", onInput, true);
  };
}
