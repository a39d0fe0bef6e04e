// What an editor shows of agents at work: where each is, and its edits as they fade. Pure; time is handed in.
import { shiftLines, type LineSpan, type Replacement } from "./agentLocations.ts";

/** How long an edit stands out, ms. */
export const editFadeTime = 3000;
/** In how many steps it fades. */
export const editFadeSteps = 3;

/** What an editor marks. */
export interface FollowMark {
  readonly lines: LineSpan;
  /** Which agent: "" is the main one, others are named by the tool call they work for. */
  readonly who: string;
  /** How far an edit has faded, from 0; absent: the agent is here. */
  readonly step?: number;
  /** The agent's name stands beside it. */
  readonly named: boolean;
}

interface RecentEdit {
  readonly key: string;
  readonly who: string;
  readonly at: number;
  lines: LineSpan;
}

const maxEdits = 200;
const maxAgents = 50;

/** The marks of all files, by the files' keys. */
export class FollowMarks {
  /** Where each agent is. */
  readonly #here = new Map<string, { readonly key: string; lines: LineSpan }>();
  #edits: RecentEdit[] = [];

  /** The agent is there. Lines that are not known leave it where it was in that file, else at its start. */
  visit(who: string, key: string, lines: LineSpan | undefined): void {
    const was = this.#here.get(who);
    this.#here.delete(who);
    this.#here.set(who, { key, lines: lines ?? (was?.key === key ? was.lines : { first: 0, last: 0 }) });
    for (const oldest of this.#here.keys()) {
      if (this.#here.size <= maxAgents) break;
      this.#here.delete(oldest);
    }
  }

  /** The agent changed these lines, and is there. */
  edit(who: string, key: string, lines: LineSpan, now: number): void {
    this.visit(who, key, { first: lines.first, last: lines.first });
    const isElsewhere = (edit: RecentEdit): boolean =>
      edit.key !== key || edit.lines.last < lines.first || edit.lines.first > lines.last;
    this.#edits = [...this.#edits.filter(isElsewhere), { key, who, at: now, lines }].slice(-maxEdits);
  }

  /** Where the agent is, if it is in that file. */
  linesOfAgent(who: string, key: string): LineSpan | undefined {
    const here = this.#here.get(who);
    return here?.key === key ? here.lines : undefined;
  }

  /** The document changed: marks go with their lines. */
  shift(key: string, replacements: readonly Replacement[]): void {
    for (const here of this.#here.values()) if (here.key === key) here.lines = shiftLines(here.lines, replacements);
    for (const edit of this.#edits) if (edit.key === key) edit.lines = shiftLines(edit.lines, replacements);
  }

  /** The turn is over: nobody is anywhere. Edits go on fading. */
  clearAgents(): void {
    this.#here.clear();
  }

  clear(): void {
    this.clearAgents();
    this.#edits = [];
  }

  /** What to mark in a file. With one step, edits go without fading. */
  marks(key: string, now: number, steps = editFadeSteps): readonly FollowMark[] {
    this.#expire(now);
    const edits = this.#edits.filter(edit => edit.key === key);
    const marks: FollowMark[] = edits.map(({ lines, who, at }) => {
      const step = Math.min(steps - 1, Math.max(0, Math.floor(((now - at) * steps) / editFadeTime)));
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
  timeToNextChange(now: number, steps = editFadeSteps): number | undefined {
    this.#expire(now);
    const length = editFadeTime / steps;
    const waits = this.#edits.map(({ at }) => length - ((((now - at) % length) + length) % length));
    return waits.length === 0 ? undefined : Math.max(1, Math.ceil(Math.min(...waits)));
  }

  #expire(now: number): void {
    if (this.#edits.some(edit => now - edit.at >= editFadeTime)) {
      this.#edits = this.#edits.filter(edit => now - edit.at < editFadeTime);
    }
  }
}
