// The history of a view: how often each part changed, and which contents are no longer shown.
import type { ViewHead, ToolPart, View, ViewEntry } from "../../../src/panel/protocol.ts";
import { withoutTimes, sameJson } from "./normalise.ts";

/** Content that a panel once showed and no longer shows. */
export interface Superseded {
  /** An entry's id, or a key of the head. */
  readonly of: string;
  readonly was: unknown;
}

/** Keys of the head whose values can be derived from the rest. */
const transient = new Set<keyof ViewHead>(["live", "activity", "connection", "queue"]);

export class History {
  readonly steps: Record<string, number> = {};
  readonly superseded: Superseded[] = [];

  /** Records a change of the view. */
  note(from: View, to: View): void {
    for (const [at, entry] of to.entries.entries()) {
      const old = from.entries[at];
      if (old === entry) continue;
      this.#step(entry.id);
      if (old) this.#entry(old, entry);
    }
    for (const key of Object.keys(to.head) as (keyof ViewHead)[]) {
      if (from.head[key] === to.head[key] || sameJson(withoutTimes(from.head[key]), withoutTimes(to.head[key])))
        continue;
      this.#step(key);
      if (!transient.has(key)) this.#vanished(key, from.head[key], to.head[key]);
    }
  }

  #step(of: string): void {
    this.steps[of] = (this.steps[of] ?? 0) + 1;
  }

  /** For a list, the removed items; for anything else, the old value. */
  #vanished(of: string, from: unknown, to: unknown): void {
    if (Array.isArray(from) && Array.isArray(to)) {
      const still = new Set(to.map(item => JSON.stringify(withoutTimes(item))));
      for (const item of from) if (!still.has(JSON.stringify(withoutTimes(item)))) this.#add(of, item);
    } else if (from !== null && from !== undefined && from !== "") this.#add(of, from);
  }

  #entry(from: ViewEntry, to: ViewEntry): void {
    const a = from as unknown as Record<string, unknown>;
    const b = to as unknown as Record<string, unknown>;
    for (const key of Object.keys(a)) {
      if (key === "parts" || a[key] === b[key] || sameJson(withoutTimes(a[key]), withoutTimes(b[key]))) continue;
      if (key !== "at" && key !== "until" && key !== "ended") this.#vanished(`${from.id} ${key}`, a[key], b[key]);
    }
    const parts = (a["parts"] ?? []) as readonly ToolPart[];
    const next = (b["parts"] ?? []) as readonly ToolPart[];
    const gone = parts.filter(part => !next.some(other => sameJson(part, other) || isGrown(part, other)));
    for (const part of gone) this.#add(`${from.id} part`, part);
  }

  #add(of: string, was: unknown): void {
    this.superseded.push({ of, was: withoutTimes(was) });
  }
}

function isGrown(part: ToolPart, other: ToolPart): boolean {
  return (
    part.type === other.type && "text" in part && "text" in other && (other.text ?? "").startsWith(part.text ?? "")
  );
}
