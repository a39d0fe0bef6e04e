// Runs in the pages of the workbench and of the panel: when a stream, another session, or a row of a list is painted.

/** What was watched, in milliseconds. */
export interface StreamWatch {
  /** For each paint, the age of the oldest chunk that it shows for the first time. */
  readonly latencies: number[];
  /** Tasks of more than 50 ms. */
  readonly longTasks: number[];
}

/** What {@link watchStream} and {@link watchWords} add to the window. */
export interface PaintedPage {
  stream: StreamWatch;
  /** When the words were painted (ms since the epoch). NaN before. */
  paintedAt: number;
  stopWatching?: () => void;
}

/** What {@link watchClick} adds to the window. */
export interface ClickedPage {
  /** When the button of the mouse was released next (ms since the epoch). NaN before. */
  clickedAt: number;
}

/**
 * Starts watching, in place of an earlier watcher. A change counts as painted after an animation frame and then a turn of a
 * message channel. The page receives the source of these functions, so they use nothing from outside.
 */
export function watchStream(log: Element): void {
  const page = window as unknown as PaintedPage;
  page.stopWatching?.();
  const watched: StreamWatch = { latencies: [], longTasks: [] };
  page.stream = watched;
  const now = (): number => performance.timeOrigin + performance.now();
  /** The latest time that has been painted. */
  let newest = now();
  const { port1, port2 } = new MessageChannel();
  let times: readonly number[] = [];
  port1.onmessage = () => {
    const [oldest] = times;
    if (oldest !== undefined) watched.latencies.push(now() - oldest);
    newest = times.at(-1) ?? newest;
    times = [];
  };
  let isRequested = false;
  const observer = new MutationObserver(() => {
    if (isRequested) return;
    isRequested = true;
    requestAnimationFrame(() => {
      isRequested = false;
      const end = log.lastElementChild?.textContent?.slice(-2000) ?? "";
      times = [...end.matchAll(/t(\d{13})/g)].map(([, time]) => Number(time)).filter(time => time > newest);
      port2.postMessage(0);
    });
  });
  observer.observe(log, { subtree: true, childList: true, characterData: true });
  const tasks = new PerformanceObserver(list => {
    for (const { name, duration } of list.getEntries())
      if (!name.startsWith("cross-origin")) watched.longTasks.push(duration);
  });
  tasks.observe({ type: "longtask" });
  page.stopWatching = () => {
    observer.disconnect();
    tasks.disconnect();
    port1.close();
  };
}

/** Waits until the end of the element has the words, and its end is in view if it scrolls. */
export function watchWords(element: Element, words: string): void {
  const page = window as unknown as PaintedPage;
  page.stopWatching?.();
  page.paintedAt = NaN;
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    page.paintedAt = performance.timeOrigin + performance.now();
    page.stopWatching?.();
  };
  let isRequested = false;
  const observer = new MutationObserver(() => {
    if (isRequested) return;
    isRequested = true;
    requestAnimationFrame(() => {
      isRequested = false;
      const isThere = element.lastElementChild?.textContent?.includes(words) === true;
      const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight <= 8;
      if (!isThere || !isAtEnd) return;
      observer.disconnect();
      port2.postMessage(0);
    });
  });
  observer.observe(element, { subtree: true, childList: true, characterData: true });
  page.stopWatching = () => {
    observer.disconnect();
    port1.close();
  };
}

/** Records the next click. */
export function watchClick(): void {
  const page = window as unknown as ClickedPage;
  page.clickedAt = NaN;
  const released = (event: Event): void => {
    page.clickedAt = performance.timeOrigin + event.timeStamp;
  };
  addEventListener("mouseup", released, { capture: true, once: true });
}
