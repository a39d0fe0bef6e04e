// The marks of agents at work in an editor: where each agent is, and its edits as they fade. Pure; the time is a parameter.
import { shiftLines, type LineSpan, type Replacement } from "./agentLocations.ts";

/** How long an edit stays marked. Milliseconds. */
export const editFadeTime = 3000;
/** The number of steps in which an edit fades. */
export const editFadeSteps = 3;

/** A mark in an editor. */
export interface FollowMark {
  readonly lines: LineSpan;
  /** The agent: "" is the main agent, a sub-agent is the tool call that started it. */
  readonly who: string;
  /** The step that the edit has faded to, from 0; absent: the mark is the agent's position. */
  readonly step?: number;
  /** Whether the agent's name is shown beside the mark. */
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
  /** The position of each agent. */
  readonly #here = new Map<string, { readonly key: string; lines: LineSpan }>();
  #edits: RecentEdit[] = [];

  /** The agent moves. Without lines it stays at its position in that file, or is at the start of the file. */
  visit(who: string, key: string, lines: LineSpan | undefined): void {
    const was = this.#here.get(who);
    this.#here.delete(who);
    this.#here.set(who, { key, lines: lines ?? (was?.key === key ? was.lines : { first: 0, last: 0 }) });
    for (const oldest of this.#here.keys()) {
      if (this.#here.size <= maxAgents) break;
      this.#here.delete(oldest);
    }
  }

  /** The agent changed these lines, and moves there. */
  edit(who: string, key: string, lines: LineSpan, now: number): void {
    this.visit(who, key, { first: lines.first, last: lines.first });
    const isElsewhere = (edit: RecentEdit): boolean =>
      edit.key !== key || edit.lines.last < lines.first || edit.lines.first > lines.last;
    this.#edits = [...this.#edits.filter(isElsewhere), { key, who, at: now, lines }].slice(-maxEdits);
  }

  /** The agent's position, if it is in that file. */
  linesOfAgent(who: string, key: string): LineSpan | undefined {
    const here = this.#here.get(who);
    return here?.key === key ? here.lines : undefined;
  }

  /** Moves the marks with their lines after a change of the document. */
  shift(key: string, replacements: readonly Replacement[]): void {
    for (const here of this.#here.values()) if (here.key === key) here.lines = shiftLines(here.lines, replacements);
    for (const edit of this.#edits) if (edit.key === key) edit.lines = shiftLines(edit.lines, replacements);
  }

  /** Removes the agents' positions at the end of a turn. Edits continue to fade. */
  clearAgents(): void {
    this.#here.clear();
  }

  clear(): void {
    this.clearAgents();
    this.#edits = [];
  }

  /** The marks in a file. With one step, edits disappear without fading. */
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

  /** Milliseconds until a mark fades further; undefined if there is none to fade. */
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
