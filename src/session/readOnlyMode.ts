// Recognizes a mode in which the agent changes nothing. Agents report no such fact, so this is the one place where words count:
// the words in the id and name of a value, and in its description.
import { approvesEverything } from "./approvesEverything.ts";
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
  ({ description = "" }) => /\bread ?only\b/.test(words(description)),
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

/** Small letters, with one blank between words. */
const words = (text: string): string =>
  text
    .slice(0, 500)
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, " ")
    .trim();
