// Disposables and events, modelled on VS Code's base library. Does not use the `vscode` API.

/** Holds a resource until it is disposed. Disposing again has no effect. */
export interface Disposable {
  dispose(): void;
}

/** Wraps `end` so that it runs at most once. Tracked until disposed when the leak tracker is on. */
export function toDisposable(end: () => void): Disposable {
  let done = false;
  const made: Disposable = {
    dispose() {
      if (done) return;
      done = true;
      tracked.delete(made);
      end();
    },
  };
  track(made);
  return made;
}

/** Owns disposables and disposes them in reverse order. Items added to a disposed store are disposed at once. */
export class DisposableStore implements Disposable {
  readonly #items = new Set<Disposable>();
  #disposed = false;
  constructor() {
    track(this);
  }
  get isDisposed(): boolean {
    return this.#disposed;
  }
  add<T extends Disposable>(item: T): T {
    if (this.#disposed) item.dispose();
    else this.#items.add(item);
    return item;
  }
  /** Removes and disposes `item`. */
  delete(item: Disposable): void {
    if (this.#items.delete(item)) item.dispose();
  }
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    tracked.delete(this);
    const errors: unknown[] = [];
    for (const item of [...this.#items].reverse()) {
      try {
        item.dispose();
      } catch (error) {
        errors.push(error);
      }
    }
    this.#items.clear();
    if (errors.length > 0) throw new AggregateError(errors, "Some resources could not be released.");
  }
}

/** A function that subscribes a listener. Dispose the result to unsubscribe. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** The sender of an {@link Event}. If a listener throws, the error goes to `onError` and the others still run. */
export class Emitter<T> implements Disposable {
  readonly #listeners = new Set<(value: T) => void>();
  readonly #onError: (error: unknown) => void;
  constructor(onError: (error: unknown) => void = rethrowLater) {
    this.#onError = onError;
  }
  readonly event: Event<T> = listener => {
    const own = (value: T): void => listener(value);
    this.#listeners.add(own);
    return toDisposable(() => this.#listeners.delete(own));
  };
  fire(value: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
  dispose(): void {
    this.#listeners.clear();
  }
}

function rethrowLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

// The leak tracker, which only tests turn on.
const tracked = new Map<Disposable, string>();
let tracking = false;
function track(item: Disposable): void {
  if (tracking) tracked.set(item, new Error("created here").stack ?? "");
}

/** Starts tracking every disposable that is created from now on. For tests. */
export function trackLeaks(): void {
  tracking = true;
  tracked.clear();
}

/** Stops tracking and returns the creation stacks of disposables that were not disposed. For tests. */
export function findLeaks(): readonly string[] {
  tracking = false;
  const stacks = [...tracked.values()];
  tracked.clear();
  return stacks;
}
