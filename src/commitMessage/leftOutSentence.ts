// The sentence about files whose content no agent got for a commit message.
import { t } from "../base/l10n.ts";
import type { CommitChange, LeftOutReason } from "./changesToCommit.ts";

/** More files are only counted. */
const maxNamed = 5;

/** Names the files, those that look like secrets first. */
export function leftOutSentence(files: readonly (CommitChange & { readonly reason: LeftOutReason })[]): string {
  const order: readonly LeftOutReason[] = ["secret", "conflict", "large", "binary", "lockFile"];
  const sorted = files.toSorted((a, b) => order.indexOf(a.reason) - order.indexOf(b.reason));
  const names = sorted.slice(0, maxNamed).map(({ path, reason }) => `${path} (${reasonText(reason)})`);
  const more = files.length - names.length;
  const list = [...names, ...(more > 0 ? [t("{0} more", more)] : [])].join(", ");
  return files.length === 1
    ? t("The agent got only the name of 1 file: {0}.", list)
    : t("The agent got only the names of {0} files: {1}.", files.length, list);
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
    case "conflict":
      return t("in conflict");
    default:
      return reason satisfies never;
  }
}
