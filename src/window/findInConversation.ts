// "Find in conversation" for each panel: runs the search and replies with the hits or a problem.
import { findProblemText } from "../panel/find/findProblemText.ts";
import { Finder } from "../panel/find/finder.ts";
import type { Intent } from "../panel/intents.ts";
import type { ViewEntry } from "../panel/protocol.ts";
import type { ReplyTarget } from "../panel/replyTarget.ts";

const finders = new WeakMap<ReplyTarget, Finder>();

/** Searches these entries for a panel. A newer search of the same panel cancels this one, which then gets no reply. */
export async function findInConversation(
  intent: Extract<Intent, { type: "find" }>,
  replyTarget: ReplyTarget,
  entries: readonly ViewEntry[],
): Promise<void> {
  const finder = finders.get(replyTarget) ?? new Finder(() => new Promise(resolve => setImmediate(resolve)));
  finders.set(replyTarget, finder);
  const result = await finder.find(intent, entries);
  if (!result) return;
  const { hits, truncated, problem } = result;
  replyTarget.reply({
    type: "found",
    request: intent.request,
    total: hits.length,
    hits,
    ...(truncated && { truncated }),
    ...(problem && { problem: findProblemText(problem) }),
  });
}
