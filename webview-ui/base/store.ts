// Holds the view, applies patches by revision and requests a resync on a gap. It reports what changed, so that a chunk
// of one message updates one element.
import { Emitter } from "../../src/base/lifecycle.ts";
import { appendToLast, applyViewPatches } from "../../src/panel/patch.ts";
import type { Intent } from "../../src/panel/intents.ts";
import type { ViewHead, View, ViewUpdate, ViewEntry, ViewPatch } from "../../src/panel/protocol.ts";

/** The changes made by one message from the host. */
export interface StoreChange {
  /** The whole view was replaced. */
  readonly snapshot: boolean;
  /** The keys of the head that were replaced. */
  readonly head: ReadonlySet<keyof ViewHead>;
  /** The ids of entries that changed in place. Incomplete if `moved` is true. */
  readonly touched: ReadonlySet<string>;
  /** Whether entries were added or removed, or changed their id. */
  readonly moved: boolean;
  /** How many entries were added before all others. */
  readonly prepended: number;
  /** Whether earlier entries will follow. */
  readonly isPartial: boolean;
}

/** The panel's copy of the view. */
export class Store {
  readonly #send: (intent: Intent) => void;
  readonly #changed = new Emitter<StoreChange>();
  readonly onDidChange = this.#changed.event;
  #view: View | undefined;
  #revision = 0;
  #resyncing = false;

  constructor(send: (intent: Intent) => void) {
    this.#send = send;
  }

  /** Undefined until the first snapshot. */
  get view(): View | undefined {
    return this.#view;
  }

  get revision(): number {
    return this.#revision;
  }

  /** The entries with these ids. */
  entries(ids: ReadonlySet<string>): readonly ViewEntry[] {
    // Mostly one entry near the end changes, but a flood of tool calls changes thousands at once.
    if (ids.size < 4) return [...ids].flatMap(id => this.entry(id) ?? []);
    return this.#view?.entries.filter(({ id }) => ids.has(id)) ?? [];
  }

  /** The entry with this id. Searches from the end, where changes happen. */
  entry(id: string): ViewEntry | undefined {
    return this.#view?.entries.findLast(entry => entry.id === id);
  }

  receive(message: ViewUpdate): void {
    if (message.type === "snapshot") {
      this.#resyncing = false;
      this.#view = message.view;
      this.#revision = message.revision;
      this.#changed.fire({
        snapshot: true,
        head: new Set(Object.keys(message.view.head) as (keyof ViewHead)[]),
        touched: new Set(),
        moved: true,
        prepended: 0,
        isPartial: message.earlier !== undefined,
      });
      return;
    }
    const before = this.#view;
    if (this.#resyncing) return;
    if (before === undefined || message.base !== this.#revision) return this.#resync();
    const { base } = message;
    const change = applyPatches(before, () =>
      message.type === "text" ? [appendToLast(before, message.text)] : message.patches,
    );
    if (change === undefined) return this.#resync();
    this.#view = change.view;
    this.#revision = message.type === "text" ? base + 1 : message.revision;
    this.#changed.fire(changeOf(before, change.patches));
  }

  /** Invariant: at most one resync is pending. Patches that arrive before its answer belong to the old view. */
  #resync(): void {
    this.#resyncing = true;
    this.#send({ type: "resync" });
  }
}

/** Undefined if the patches do not apply to the view, which is then stale. */
function applyPatches(
  view: View,
  patchesOf: () => readonly ViewPatch[],
): { readonly view: View; readonly patches: readonly ViewPatch[] } | undefined {
  try {
    const patches = patchesOf();
    return { view: applyViewPatches(view, patches), patches };
  } catch {
    return undefined;
  }
}

function changeOf(before: View, patches: readonly ViewPatch[]): StoreChange {
  const head = new Set<keyof ViewHead>();
  const touched = new Set<string>();
  let moved = false;
  let prepended = 0;
  for (const patch of patches) {
    switch (patch.op) {
      case "head":
        for (const key of [...(Object.keys(patch.head) as (keyof ViewHead)[]), ...(patch.gone ?? [])]) head.add(key);
        break;
      case "append":
        touched.add(patch.id);
        break;
      case "place": {
        const entry = before.entries[patch.at - prepended];
        if (entry) touched.add(entry.id);
        break;
      }
      case "put":
        if (before.entries[patch.at - prepended]?.id === patch.entry.id) touched.add(patch.entry.id);
        else moved = true;
        break;
      case "prepend":
        prepended += patch.entries.length;
        moved = true;
        break;
      case "keep":
        moved = true;
        break;
      default:
        patch satisfies never;
    }
  }
  return { snapshot: false, head, touched, moved, prepended, isPartial: false };
}
