// The modes that an extension may choose for a session: those of the agent, without those that approve everything. Pure.
import { t } from "../base/l10n.ts";
import { commaSeparated } from "../base/sentences.ts";
import { approvesEverything } from "../session/approvesEverything.ts";
import type { SessionOption } from "../session/events.ts";

/** A mode, and the option that has it. */
interface Mode {
  readonly option: SessionOption;
  readonly id: string;
  readonly name: string;
}

const modesOf = (options: readonly SessionOption[]): readonly Mode[] =>
  options.flatMap(option =>
    option.category === "mode" && option.type === "select"
      ? option.choices.map(({ value, name }) => ({ option, id: value, name }))
      : [],
  );

/** The modes that an extension may choose. */
export const offeredModes = (
  options: readonly SessionOption[],
): readonly { readonly id: string; readonly name: string }[] =>
  modesOf(options)
    .filter(({ option, id }) => !approvesEverything(option, id))
    .map(({ id, name }) => ({ id, name }));

/** The id of the option that has the mode. Throws with a sentence if an extension may not choose it. */
export function optionOfMode(options: readonly SessionOption[], mode: string, agentName: string): string {
  const found = modesOf(options).find(({ id }) => id === mode);
  if (!found) {
    const modes = offeredModes(options).map(({ id }) => id);
    throw new Error(
      modes.length === 0
        ? t("{0} has no modes to choose from.", agentName)
        : t("{0} has no mode “{1}”. Its modes are: {2}.", agentName, mode, commaSeparated(modes)),
    );
  }
  if (approvesEverything(found.option, mode))
    throw new Error(t("The mode “{0}” lets {1} act without asking. Only the user can choose it.", mode, agentName));
  return found.option.id;
}
