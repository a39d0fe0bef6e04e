// The option of a category, such as the mode, with the value that the user sees, and the value that follows it. Pure.
import { approvesEverything } from "./approvesEverything.ts";
import { optionOf } from "./choices.ts";
import type { OptionChoice, SessionOption } from "./events.ts";
import type { SessionState } from "./state.ts";

type SelectOption = Extract<SessionOption, { readonly type: "select" }>;

/** An option with the value that the user chose or, without a choice, the one that the agent reported. */
export interface ChosenOption {
  readonly option: SelectOption;
  readonly value: string;
}

/** The option in which the user selects the mode or the model. Undefined if the agent offers none. */
export function chosenOption(
  { options, choices }: Pick<SessionState, "options" | "choices">,
  category: "mode" | "model",
): ChosenOption | undefined {
  const option = options.find((each): each is SelectOption => each.type === "select" && each.category === category);
  if (!option) return undefined;
  const pending = choices.find(each => each.status === "pending" && optionOf(options, each) === option);
  return { option, value: typeof pending?.value === "string" ? pending.value : option.value };
}

/**
 * The value after the current one in the agent's order, or the first after the last. It is never a value with which the
 * agent does everything without asking. Undefined if there is no other.
 */
export function nextValue({ option, value }: ChosenOption): OptionChoice | undefined {
  const at = option.choices.findIndex(choice => choice.value === value);
  const others = [...option.choices.slice(at + 1), ...option.choices.slice(0, Math.max(at, 0))];
  return others.find(choice => !approvesEverything(option, choice.value, choice));
}
