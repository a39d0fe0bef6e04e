// When the terminals of an agent ran, as evidence. A terminal that runs can change files. Pure.
import type { SessionState } from "../session/state.ts";
import type { CallEvidence } from "./author.ts";
import { isGitCommand } from "./namesGit.ts";
import type { Period } from "./turnTimes.ts";

/** The most terminals that are remembered after their end. */
const maxEnded = 500;

export class AgentTerminals {
  readonly #ran = new Map<string, Period>();
  readonly #commands = new Map<string, string>();

  /** The state has changed. `now`: in ms since the epoch. Terminals of an earlier window don't run. */
  stateChanged(before: SessionState, after: SessionState, now: number): void {
    if (before.terminals === after.terminals) return;
    for (const [id, terminal] of after.terminals) {
      const earlier = before.terminals.get(id);
      if (earlier === terminal) continue;
      if (terminal.command !== undefined) this.#commands.set(id, terminal.command);
      const ran = this.#ran.get(id);
      if (!ran && !earlier && !terminal.exit) this.#ran.set(id, { from: now });
      else if (ran && terminal.exit && ran.to === undefined) this.#ran.set(id, { from: ran.from, to: now });
    }
    this.#forgetOldest();
  }

  /** The session has ended, or its agent: nothing runs. */
  ended(now: number): void {
    for (const [id, { from, to }] of this.#ran) if (to === undefined) this.#ran.set(id, { from, to: now });
  }

  /** The terminals as calls that name no file. */
  get calls(): readonly CallEvidence[] {
    return [...this.#ran].map(([id, ran]) => ({
      ran,
      waited: [],
      namesFile: false,
      namesGit: isGitCommand(this.#commands.get(id)),
    }));
  }

  #forgetOldest(): void {
    for (const [id, { to }] of this.#ran) {
      if (this.#ran.size <= maxEnded) return;
      if (to === undefined) continue;
      this.#ran.delete(id);
      this.#commands.delete(id);
    }
  }
}
