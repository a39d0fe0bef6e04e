// What an editor shows of agents at work: where each is, and its edits as they fade. Pure; time is handed in.
import { shifted, type Lines, type Replacement } from "./agentLocations.ts";

/** How long an edit stands out, ms. */
export const editTime = 3000;
/** In how many steps it fades. */
export const editSteps = 3;

/** What an editor marks. */
export interface Mark {
  readonly lines: Lines;
  /** Which agent: "" is the main one, others are named by the tool call they work for. */
  readonly who: string;
  /** How far an edit has faded, from 0; absent: the agent is here. */
  readonly step?: number;
  /** The agent's name stands beside it. */
  readonly named: boolean;
}

interface Edit {
  readonly key: string;
  readonly who: string;
  readonly at: number;
  lines: Lines;
}

const mostEdits = 200;
const mostAgents = 50;

/** The marks of all files, by the files' keys. */
export class FollowMarks {
  /** Where each agent is. */
  readonly #here = new Map<string, { readonly key: string; lines: Lines }>();
  #edits: Edit[] = [];

  /** The agent is there. Lines that are not known leave it where it was in that file, else at its start. */
  visit(who: string, key: string, lines: Lines | undefined): void {
    const was = this.#here.get(who);
    this.#here.delete(who);
    this.#here.set(who, { key, lines: lines ?? (was?.key === key ? was.lines : { first: 0, last: 0 }) });
    for (const oldest of this.#here.keys()) {
      if (this.#here.size <= mostAgents) break;
      this.#here.delete(oldest);
    }
  }

  /** The agent changed these lines, and is there. */
  edit(who: string, key: string, lines: Lines, now: number): void {
    this.visit(who, key, { first: lines.first, last: lines.first });
    const apart = (edit: Edit): boolean =>
      edit.key !== key || edit.lines.last < lines.first || edit.lines.first > lines.last;
    this.#edits = [...this.#edits.filter(apart), { key, who, at: now, lines }].slice(-mostEdits);
  }

  /** Where the agent is, if it is in that file. */
  where(who: string, key: string): Lines | undefined {
    const here = this.#here.get(who);
    return here?.key === key ? here.lines : undefined;
  }

  /** The document changed: marks go with their lines. */
  shift(key: string, replacements: readonly Replacement[]): void {
    for (const here of this.#here.values()) if (here.key === key) here.lines = shifted(here.lines, replacements);
    for (const edit of this.#edits) if (edit.key === key) edit.lines = shifted(edit.lines, replacements);
  }

  /** The turn is over: nobody is anywhere. Edits go on fading. */
  leave(): void {
    this.#here.clear();
  }

  clear(): void {
    this.leave();
    this.#edits = [];
  }

  /** What to mark in a file. With one step, edits go without fading. */
  marks(key: string, now: number, steps = editSteps): readonly Mark[] {
    this.#expire(now);
    const edits = this.#edits.filter(edit => edit.key === key);
    const marks: Mark[] = edits.map(({ lines, who, at }) => {
      const step = Math.min(steps - 1, Math.max(0, Math.floor(((now - at) * steps) / editTime)));
      return { lines, who, step, named: true };
    });
    for (const [who, here] of this.#here) {
      if (here.key !== key) continue;
      const named = !marks.some(mark => mark.who === who && mark.lines.first === here.lines.first);
      marks.push({ lines: here.lines, who, named });
    }
    return marks;
  }

  /** Milliseconds until a mark changes by time alone; undefined: none will. */
  next(now: number, steps = editSteps): number | undefined {
    this.#expire(now);
    const length = editTime / steps;
    const waits = this.#edits.map(({ at }) => length - ((((now - at) % length) + length) % length));
    return waits.length === 0 ? undefined : Math.max(1, Math.ceil(Math.min(...waits)));
  }

  #expire(now: number): void {
    if (this.#edits.some(edit => now - edit.at >= editTime)) {
      this.#edits = this.#edits.filter(edit => now - edit.at < editTime);
    }
  }
}
