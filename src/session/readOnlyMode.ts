// Recognizes a mode in which the agent changes nothing. Agents report no such fact, so the words in the id and the name of a
// value count, as in approvesEverything.ts.
import { approvesEverything, words } from "./approvesEverything.ts";
import type { OptionChoice, SessionOption } from "./events.ts";

/** An option and its value. */
export interface ModeChoice {
  readonly id: string;
  readonly value: string;
  /** The name of the value. */
  readonly name: string;
}

/** From the surest to the least sure one. */
const tests: readonly ((choice: OptionChoice) => boolean)[] = [
  ({ value, name }) => [value, name].some(one => /\bread ?only\b/.test(words(one))),
  ({ value, name }) => [value, name].some(one => /^ask(?: mode)?$/.test(words(one))),
  ({ value, name }) => [value, name].some(one => /^plan(?: mode|ning)?$/.test(words(one))),
];

/** The mode of an agent in which it only reads. It is a guess by words. Undefined: the agent has none. */
export function readOnlyMode(options: readonly SessionOption[]): ModeChoice | undefined {
  for (const test of tests) {
    for (const option of options) {
      if (option.type !== "select" || option.category !== "mode") continue;
      const found = option.choices.find(choice => test(choice) && !approvesEverything(option, choice.value, choice));
      if (found) return { id: option.id, value: found.value, name: found.name };
    }
  }
  return undefined;
}
