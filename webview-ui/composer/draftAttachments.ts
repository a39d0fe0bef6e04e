// What goes with a draft besides its text: without doubles, and as much of it as is kept across a reload.
import { jsonEqual } from "../../src/base/jsonEqual.ts";
import type { Attachment } from "../../src/panel/protocol.ts";
import { characterCount } from "../base/restoredAttachments.ts";

/** Characters of attached text and data that a reload keeps. More would make every save slow. */
export const maxKeptCharacters = 4_000_000;

/** The list with more at its end. What is attached already is not attached again; equal labels get a number. */
export function withAttachments(old: readonly Attachment[], more: readonly Attachment[]): readonly Attachment[] {
  const list = [...old];
  for (const one of more) {
    if (list.some(other => other.id === one.id || jsonEqual(other.source, one.source))) continue;
    const twins = list.filter(other => other.kind === one.kind && other.label === one.label).length;
    const isNameless = one.kind === "image" || one.kind === "audio";
    list.push(twins > 0 && isNameless ? { ...one, label: `${one.label} ${twins + 1}` } : one);
  }
  return list;
}

/** What a reload keeps, and the labels of what it does not. */
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
