// What goes with a draft besides its text: without doubles, and as much of it as is kept across a reload.
import { same } from "../../src/base/jsonEqual.ts";
import type { Attachment } from "../../src/panel/protocol.ts";
import { weight } from "../base/restoredAttachments.ts";

/** Characters of attached text and data that a reload keeps. More would make every save slow. */
export const MOST_KEPT = 4_000_000;

/** The list with more at its end. What is attached already is not attached again; equal labels get a number. */
export function withAttachments(old: readonly Attachment[], more: readonly Attachment[]): readonly Attachment[] {
  const list = [...old];
  for (const one of more) {
    if (list.some(other => other.id === one.id || same(other.source, one.source))) continue;
    const twins = list.filter(other => other.kind === one.kind && other.label === one.label).length;
    const isNameless = one.kind === "image" || one.kind === "audio";
    list.push(twins > 0 && isNameless ? { ...one, label: `${one.label} ${twins + 1}` } : one);
  }
  return list;
}

/** What a reload keeps, and the labels of what it does not. */
export function keepable(list: readonly Attachment[]): {
  readonly kept: readonly Attachment[];
  readonly unkept: readonly string[];
} {
  const kept: Attachment[] = [];
  const unkept: string[] = [];
  let room = MOST_KEPT;
  for (const one of list) {
    const needed = weight(one);
    if (needed > room) unkept.push(one.label);
    else {
      room -= needed;
      kept.push(one);
    }
  }
  return { kept, unkept };
}
