// Feeds what is different between the start and the end of a turn to the review, because nothing may have reported it.
import { forEachLimited } from "../base/async.ts";
import { asError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { Log } from "../base/log.ts";
import { pairMoves } from "./turns/pairMoves.ts";
import type { FileDifference, TurnStart } from "./turns/turnStart.ts";
import type { FactSink } from "../history/facts.ts";
import type { WindowReview } from "./windowReview.ts";

export interface TurnComparisonOptions {
  readonly turn: string;
  readonly review: WindowReview;
  readonly facts: FactSink;
  readonly start: (turn: string) => Promise<TurnStart>;
  /** Whether no other turn has begun. */
  readonly isCurrent: () => boolean;
  /** Whether the user moved or deleted the file. */
  readonly isUsers: (path: string) => boolean;
  readonly attribute: (difference: FileDifference) => Promise<void>;
  /** Resolves when the editor has loaded what is on disk, and that is attributed too. */
  readonly whenLoaded: () => Promise<void>;
  readonly log: Log;
}

/** A comparison that takes longer is given up. Milliseconds. */
const maxComparisonTime = 60_000;

/** How many differences are attributed at the same time. */
const maxConcurrentDifferences = 32;

/** Compares the disk with the start of a turn that has ended. Never rejects. */
export async function compareWithStart(options: TurnComparisonOptions): Promise<void> {
  const { turn, start, isCurrent, attribute, log } = options;
  try {
    const differences = await (await start(turn)).differences(AbortSignal.timeout(maxComparisonTime));
    await forEachLimited(differences, maxConcurrentDifferences, async one => {
      // If the next turn has begun, it knows all files but those that are missing.
      if (isCurrent() || one.is === undefined) await attribute(one);
    });
    if (isCurrent()) await findMoves(options, differences);
  } catch (thrown) {
    log.warn("A turn could not be compared with its start.", asError(thrown).message);
  }
  await options.whenLoaded();
}

/** By default, a turn waits this long until the one before is compared with its start. Milliseconds. */
export const maxComparisonWait = 1500;

/** Resolves when a comparison is done, or after `wait` milliseconds. */
export async function settledOrLate(comparison: Promise<void>, wait: number): Promise<void> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), wait);
  const timeout = new Promise<void>(resolve => limit.signal.addEventListener("abort", () => resolve()));
  await Promise.race([comparison, timeout]);
  clearTimeout(timer);
}

/** Files that are gone and new files can be the same ones, moved. */
async function findMoves(
  { turn, review, facts, isUsers }: TurnComparisonOptions,
  differences: readonly FileDifference[],
): Promise<void> {
  const own = differences.filter(({ path }) => !isUsers(path));
  const gone = own.filter(({ was, is }) => was !== undefined && is === undefined);
  const added = own.filter(({ was, is }) => was === undefined && is !== undefined);
  const pairs = pairMoves(
    gone.map(({ path, was, before }) => ({ path, id: was, text: before ?? undefined })),
    added.map(({ path, is }) => ({ path, id: is, text: review.textOf(path) ?? undefined })),
  );
  const why = t("Moved by the agent. The file is binary or too large, so its content cannot be shown.");
  for (const { from, to } of pairs) {
    const before = gone.find(({ path }) => path === from)?.before ?? undefined;
    const [author = turn] = review.file(to)?.turns ?? [];
    facts.note({ type: "attributed", path: to, author: { kind: "agent", turn: author }, movedFrom: from });
    await review.agentMoved({ from, to, turn: author, before, why });
  }
}
