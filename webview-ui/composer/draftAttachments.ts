// The attachments of a draft: adds them without duplicates, and splits them into those that a reload can restore and
// the rest.
import { jsonEqual } from "../../src/base/jsonEqual.ts";
import type { Attachment } from "../../src/panel/protocol.ts";
import { t } from "../base/l10n.ts";
import { characterCount } from "../base/restoredAttachments.ts";
import { joinedAttachment } from "./mentions.ts";

/** How many characters of attached text and data are saved for a reload. More would make each save slow. */
const maxKeptCharacters = 4_000_000;

/** The list with more attachments at its end. Joins duplicates, and numbers equal labels of images, audio and texts. */
export function withAttachments(old: readonly Attachment[], more: readonly Attachment[]): readonly Attachment[] {
  const list = [...old];
  for (const one of more) {
    const same = list.findIndex(other => other.id === one.id || jsonEqual(other.source, one.source));
    const known = list[same];
    if (known) {
      list[same] = joinedAttachment(known, one);
      continue;
    }
    const twins = list.filter(other => other.kind === one.kind && other.label === one.label).length;
    const isNameless = one.kind === "image" || one.kind === "audio" || one.kind === "text";
    list.push(twins > 0 && isNameless ? { ...one, label: `${one.label} ${twins + 1}` } : one);
  }
  return list;
}

/** The attachments that a reload restores, and the labels of the others. */
export function splitForReload(list: readonly Attachment[]): {
  readonly kept: readonly Attachment[];
  readonly unkept: readonly string[];
} {
  const kept: Attachment[] = [];
  const unkept: string[] = [];
  let charactersLeft = maxKeptCharacters;
  for (const one of list) {
    const needed = characterCount(one);
    if (needed > charactersLeft) unkept.push(one.label);
    else {
      charactersLeft -= needed;
      kept.push(one);
    }
  }
  return { kept, unkept };
}

/** The message about attachments that a reload did not restore. */
export function unkeptText(labels: readonly string[]): string {
  const names = labels.join(", ");
  return t("Too large to restore after the panel was reloaded: {0}. Attach again if needed.", names);
}
