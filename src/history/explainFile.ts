// What happened to a file, in sentences for the user.
import { inertText } from "../base/inertText.ts";
import { t } from "../base/l10n.ts";
import type { FactLog, HeadMove, LoggedFact } from "./factLog.ts";

/** git's log of HEAD can be read this long before or after the files that a move of HEAD changed are noticed (ms). */
const maxHeadMoveDistance = 5000;

/** Facts of the same kind within this time are one line (ms). */
const maxGap = 60_000;

/** The most lines of a file that a sentence names. */
const maxNamedLines = 5;

/** What happened at a time, or between two times. In ms since the epoch. */
export interface ExplainedFact {
  readonly from: number;
  readonly to: number;
  readonly sentence: string;
}

/** One fact in words, with what it takes to join it with an equal one. */
interface Sentence extends Omit<ExplainedFact, "sentence"> {
  /** Facts with the same key are one line. */
  readonly key: string;
  readonly lines: readonly number[];
  readonly text: (lines: string) => string;
}

/** What happened to the file, the oldest first. `isInside`: whether the file is in that folder. */
export function explainFile(
  log: FactLog,
  path: string,
  isInside: (folder: string) => boolean,
): readonly ExplainedFact[] {
  const moves = log.headMoves.filter(({ folder }) => isInside(folder));
  const sentences: Sentence[] = [];
  /** The turn whose agent writes the file through the editor. */
  let writing: string | undefined;
  for (const fact of log.factsOf(path)) {
    const added = sentenceOf(log, fact, moves);
    const last = sentences.at(-1);
    if (fact.type === "writeBegan") writing = fact.turn;
    if (fact.type === "writeEnded") writing = undefined;
    if (!added || isOfWrite(fact, writing, last)) continue;
    if (last?.key !== added.key || added.from - last.to > maxGap) sentences.push(added);
    else
      sentences[sentences.length - 1] = { ...last, to: added.to, lines: [...new Set([...last.lines, ...added.lines])] };
  }
  return sentences.map(({ from, to, lines, text }) => ({ from, to, sentence: text(namedLines(lines)) }));
}

/** Whether the fact is the change that the agent's write through the editor makes, or has just made. */
const isOfWrite = (fact: LoggedFact, writing: string | undefined, last: Sentence | undefined): boolean =>
  fact.type === "attributed" &&
  fact.author.kind === "agent" &&
  (fact.author.turn === writing || last?.key === `write ${fact.author.turn}`);

function sentenceOf(log: FactLog, fact: LoggedFact, moves: readonly HeadMove[]): Sentence | undefined {
  const { at, lines = [], isMissing = false } = fact;
  const one = (key: string, text: (lines: string) => string): Sentence => ({ from: at, to: at, key, lines, text });
  switch (fact.type) {
    case "toolNamed": {
      const session = titleOf(log.turnOf(fact.session));
      const call = inertText(fact.title ?? fact.toolCallId);
      return one(`tool ${fact.session} ${fact.toolCallId}`, () =>
        t("The agent of “{0}” named the file in its tool call “{1}”.", session, call),
      );
    }
    case "writeEnded":
      return one(`write ${fact.turn}`, () =>
        t("The agent of “{0}” wrote the file through the editor.", titleOf(log.turn(fact.turn))),
      );
    case "userCreated":
      return one("created", () => t("You created the file in the editor."));
    case "userDeleted":
      return one("deleted", () => t("You deleted the file in the editor."));
    case "userMoved":
      return one("moved", () => t("You moved the file here from {0}.", inertText(fact.from)));
    case "decided":
      return one(`decided ${fact.decision} ${fact.movedFrom}`, () => decisionText(fact));
    case "committed":
      return one("committed", () => t("A commit contains the file."));
    case "allowedOutside":
      return one("allowed", () =>
        t("You allowed the agent to write the file, which is outside the workspace folders."),
      );
    case "attributed": {
      const { author, movedFrom, why } = fact;
      const text = changeText(log, fact, isMissing, moves);
      return one(`${JSON.stringify(author)} ${isMissing} ${movedFrom} ${why}`, lines => withReason(text(lines), fact));
    }
    case "textSeen":
    case "documentChanged":
    case "documentDirtied":
    case "documentSaved":
    case "writeBegan":
    case "diskSeen":
    case "changeDated":
    case "startKnown":
    case "compared":
    case "userBegan":
    case "decisionBegan":
    case "decisionFailed":
    case "located":
    case "fileRestored":
      return undefined;
  }
}

/** Who made a change. */
function changeText(
  log: FactLog,
  { at, author, movedFrom }: Extract<LoggedFact, { readonly type: "attributed" }>,
  isMissing: boolean,
  moves: readonly HeadMove[],
): (lines: string) => string {
  if (author.kind === "agent") {
    const session = titleOf(log.turn(author.turn));
    if (movedFrom !== undefined)
      return () => t("The agent of “{0}” moved the file here from {1}.", session, inertText(movedFrom));
    return isMissing
      ? () => t("The agent of “{0}” deleted the file.", session)
      : () => t("The agent of “{0}” changed the file on disk.", session);
  }
  if (author.kind === "user") return lines => t("You changed {0} in the editor.", lines);
  if (author.kind === "editor")
    return () => t("The editor returned to another text of the file (undo, redo or revert).");
  if (author.kind === "meanwhile")
    return isMissing
      ? () => t("The file was deleted while no tool call of an agent ran, perhaps by you.")
      : () => t("The file was changed while no tool call of an agent ran, perhaps by you.");
  const move = moves.findLast(one => Math.abs(one.at - at) <= maxHeadMoveDistance);
  if (author.kind === "git" && !move)
    return isMissing ? () => t("git removed the file.") : () => t("git replaced the content of the file.");
  if (move) {
    const what = inertText(move.what);
    return isMissing
      ? () => t("git removed the file ({0}).", what)
      : () => t("git replaced the content of the file ({0}).", what);
  }
  return isMissing
    ? () => t("The file was removed, but not by an agent of this window.")
    : () => t("Another program replaced the content of the file.");
}

/** The sentence with the evidence. If that names the user, it replaces the sentence. */
function withReason(sentence: string, { author, why }: Extract<LoggedFact, { readonly type: "attributed" }>): string {
  if (why === undefined) return sentence;
  return author.kind === "others" ? why : `${sentence} ${why}`;
}

function decisionText({ decision, movedFrom }: Extract<LoggedFact, { readonly type: "decided" }>): string {
  switch (decision) {
    case "keep":
      return t("You kept changes of the file.");
    case "undo":
      if (movedFrom !== undefined) return t("Undo moved the file back from {0}.", inertText(movedFrom));
      return t("You undid changes of the file.");
    case "undoDecision":
      return t("You undid your last decision about the file.");
    case "restore":
      return t("You restored the file from a checkpoint.");
    case "bringBack":
      return t("You brought the file back from a worktree.");
  }
}

const titleOf = (turn: { readonly title: string; readonly sessionTitle: string } | undefined): string =>
  inertText(turn?.sessionTitle || turn?.title || t("a session that is not known"));

function namedLines(lines: readonly number[]): string {
  const sorted = [...lines].sort((a, b) => a - b);
  const shown = sorted.slice(0, maxNamedLines).join(", ");
  if (sorted.length > maxNamedLines) return t("lines {0} and {1} more", shown, sorted.length - maxNamedLines);
  return sorted.length === 1 ? t("line {0}", shown) : t("lines {0}", shown);
}
