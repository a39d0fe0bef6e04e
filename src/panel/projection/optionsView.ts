// The options of a session as the panel shows them: with the user's choices, and with warnings.
import { approvesEverything } from "../../session/approvesEverything.ts";
import { optionOf } from "../../session/choices.ts";
import type { OptionChoice, SessionOption } from "../../session/events.ts";
import type { Choice, SessionState } from "../../session/state.ts";
import type { ViewHead, ViewOption, ViewRefusedChoice } from "../protocol.ts";

/** The view of the options and of refused choices. Keep one per session: the views stay identical until one changes. */
export class OptionsView {
  #options: SessionState["options"] | undefined;
  #choices: SessionState["choices"] | undefined;
  #connection: SessionState["connection"] | undefined;
  #isConnected = false;
  #views: readonly ViewOption[] = [];
  #connectionView: ViewHead["connection"] = null;

  options(state: SessionState): readonly ViewOption[] {
    this.#update(state);
    return this.#views;
  }

  connection(state: SessionState): ViewHead["connection"] {
    this.#update(state);
    return this.#connectionView;
  }

  #update(state: SessionState): void {
    const { options, choices, connection } = state;
    if (this.#options === options && this.#choices === choices && this.#connection === connection) return;
    const isConnected = connection?.state === "ready";
    if (this.#options !== options || this.#choices !== choices || isConnected !== this.#isConnected)
      this.#views = options.map(option => optionView(option, state));
    const refusedChoices = choices.flatMap(choice => refusedView(choice, options));
    this.#connectionView = connection && refusedChoices.length > 0 ? { ...connection, refusedChoices } : connection;
    this.#options = options;
    this.#choices = choices;
    this.#connection = connection;
    this.#isConnected = isConnected;
  }
}

function optionView(option: SessionOption, { options, choices, connection }: SessionState): ViewOption {
  const choice = choices.find(each => each.status === "pending" && optionOf(options, each) === option);
  const isPending =
    choice !== undefined && choice.value !== option.value && typeof choice.value === typeof option.value;
  // A connected agent answers at once, so nothing is marked meanwhile.
  const pending = isPending && connection?.state !== "ready" && ({ pending: true } as const);
  if (option.type === "boolean") {
    const value = isPending ? choice.value === true : option.value;
    return { ...option, value, ...pending, ...warningOf(option, true) };
  }
  const value = isPending ? String(choice.value) : option.value;
  return {
    ...option,
    value,
    choices: option.choices.map(each => ({ ...each, ...warningOf(option, each.value, each) })),
    ...pending,
    ...warningOf(option, value),
  };
}

const warningOf = (
  option: SessionOption,
  value: SessionOption["value"],
  choice?: OptionChoice,
): { readonly warning?: true } => (approvesEverything(option, value, choice) ? { warning: true } : {});

function refusedView(choice: Choice, options: readonly SessionOption[]): readonly ViewRefusedChoice[] {
  if (choice.status !== "refused" || !choice.refusal) return [];
  const { name, value, valueName, refusal } = choice;
  const option = optionOf(options, choice);
  return [
    {
      ...(option && { option: option.id }),
      name,
      chosen: valueName ?? value,
      reason: refusal.reason,
      ...(refusal.message !== undefined && { message: refusal.message }),
    },
  ];
}
