// The sentences for changed files that have no hunks, and authors as the history notes them.
import { t } from "../base/l10n.ts";
import { meanwhileTurn, type Author } from "../history/author.ts";
import type { FactAuthor } from "../history/facts.ts";

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

/** What happened to a folder that is gone. */
export const goneFolderSentence = (turn: string): string =>
  turn === meanwhileTurn
    ? t("Deleted meanwhile, perhaps by you. Its files are not known, or not all of them, so Undo cannot restore it.")
    : t("A command deleted this folder. Its files are not known, or not all of them, so Undo cannot restore it.");

/** What happened to a file in whose place a link is. */
export const linkSentence = (turn: string): string =>
  turn === meanwhileTurn
    ? t("Replaced by a symbolic link meanwhile, perhaps by you.")
    : t("The agent replaced the file by a symbolic link.");

/** The author of a change that waits for review in the turn. */
export const factAuthorOf = (turn: string): FactAuthor =>
  turn === meanwhileTurn ? { kind: "meanwhile" } : { kind: "agent", turn };

/** The author of a change that does not wait for review. */
export const otherAuthor = ({ kind }: Author): FactAuthor => ({ kind: kind === "git" ? "git" : "others" });

/** The evidence for the author, if it says more than who the author is. */
export const whyOf = (author: Author | undefined): { readonly why?: string } =>
  author?.kind === "agent" || author?.kind === "user" ? { why: author.why } : {};
