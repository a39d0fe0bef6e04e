// The sessions about which Parley asks the user, which a test sets.
import { Emitter } from "../../../src/base/lifecycle.ts";
import type { AskedSessions } from "../../../src/library/attention.ts";

export class FakeAskedSessions implements AskedSessions {
  readonly #asked = new Set<string>();
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;

  isAsking(id: string): boolean {
    return this.#asked.has(id);
  }
  ask(id: string): void {
    this.#asked.add(id);
    this.#changed.fire();
  }
  answer(id: string): void {
    this.#asked.delete(id);
    this.#changed.fire();
  }
}
