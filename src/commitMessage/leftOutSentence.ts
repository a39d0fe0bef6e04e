// The sentence about files whose content no agent got for a commit message.
import { t } from "../base/l10n.ts";
import type { ChangesToCommit, LeftOutReason } from "./changesToCommit.ts";
import { commaSeparated } from "../base/sentences.ts";

/** More files are only counted. */
const maxNamed = 5;

/** Names the files, those that look like secrets first. Undefined: the agent got the content of all files. */
export function leftOutSentence({
  leftOut: files,
  unlisted,
}: Pick<ChangesToCommit, "leftOut" | "unlisted">): string | undefined {
  if (files.length === 0) return undefined;
  const order: readonly LeftOutReason[] = ["secret", "conflict", "large", "tooMany", "binary", "lockFile"];
  const sorted = files.toSorted((a, b) => order.indexOf(a.reason) - order.indexOf(b.reason));
  const names = sorted.slice(0, maxNamed).map(({ path, reason }) => `${path} (${reasonText(reason)})`);
  const total = files.length + unlisted;
  const more = total - names.length;
  const list = commaSeparated([...names, ...(more > 0 ? [t("{0} more", more)] : [])]);
  return total === 1
    ? t("The agent did not get the content of 1 file: {0}.", list)
    : t("The agent did not get the content of {0} files: {1}.", total, list);
}

function reasonText(reason: LeftOutReason): string {
  switch (reason) {
    case "secret":
      return t("possible secrets");
    case "lockFile":
      return t("lock file");
    case "binary":
      return t("binary");
    case "large":
      return t("too large");
    case "tooMany":
      return t("too many files");
    case "conflict":
      return t("in conflict");
    default:
      return reason satisfies never;
  }
}
