// Runs inside a webview: notes when what changed below an element was painted.

export interface Paint {
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What {@link install} leaves on the window. */
export interface Watched {
  paints: Paint[];
  stopWatching?: () => void;
}

/**
 * Watches from now on, in place of an earlier watch. Painted is an animation frame after the change and then a turn of a
 * message channel. Sent to the page as its source, so it uses nothing from outside.
 */
export function install(element: Element): void {
  const watched = window as unknown as Watched;
  watched.stopWatching?.();
  const paints: Paint[] = [];
  watched.paints = paints;
  let waiting = false;
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => paints.push({ at: performance.timeOrigin + performance.now() });
  const observer = new MutationObserver(() => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      // Changes from here on are for the next frame.
      waiting = false;
      port2.postMessage(0);
    });
  });
  observer.observe(element, { subtree: true, childList: true, characterData: true });
  watched.stopWatching = () => {
    observer.disconnect();
    port1.close();
  };
}
