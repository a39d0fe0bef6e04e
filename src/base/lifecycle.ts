// Lifetimes and events: the few ideas of VS Code's own base library that every layer needs, without `vscode`.

/** Something that holds a resource until it is disposed. Disposing twice does nothing. */
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

/** Owns disposables and ends them in reverse order. Adding to a disposed store disposes at once. */
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
  /** Disposes `item` now and forgets it. */
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

/** A function that subscribes a listener; dispose the result to unsubscribe. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** The sending side of an {@link Event}. A listener that throws does not stop the others: it goes to `onError`. */
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

// The leak tracker: off in the product, on in the tests.
const tracked = new Map<Disposable, string>();
let tracking = false;
function track(item: Disposable): void {
  if (tracking) tracked.set(item, new Error("created here").stack ?? "");
}

/** Starts recording every disposable made from now on. For tests. */
export function trackLeaks(): void {
  tracking = true;
  tracked.clear();
}

/** Stops recording and returns the stacks of what was never disposed. For tests. */
export function findLeaks(): readonly string[] {
  tracking = false;
  const stacks = [...tracked.values()];
  tracked.clear();
  return stacks;
}
