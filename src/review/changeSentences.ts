// The sentences for changed files that have no hunks.
import { t } from "../base/l10n.ts";
import { meanwhileTurn } from "../history/author.ts";

/** What changed a file that is no text. */
export const binarySentence = (turn: string): string =>
  turn === meanwhileTurn
    ? t("Changed meanwhile, perhaps by you. The file is binary or too large, so its changes cannot be shown.")
    : t("Changed by the agent. The file is binary or too large, so its changes cannot be shown.");

/** What changed a file whose text before is not known. */
export const withoutBaseSentence = (turn: string): string =>
  turn === meanwhileTurn
    ? t("Changed meanwhile, perhaps by you. There is no earlier text to compare with.")
    : t("Changed by a command. There is no earlier text to compare with.");
