// Makes the thread of a comment for the editor: its texts and its marks. Pure.
import { isolatedMarkdown } from "../base/isolatedMarkdown.ts";
import { t } from "../base/l10n.ts";
import { commentState, wasSent, type LineComment, type Remark } from "./lineComment.ts";
import { isUnfinished, type AnswerPhase } from "./promptAnswer.ts";

/** A thread needs this besides its comment. */
export interface ThreadContext {
  /** The title of the session that gets the comment. Empty: it has none yet. */
  readonly sessionTitle: string;
  readonly phaseOf: (remark: Remark) => AnswerPhase | undefined;
}

/** One text of a thread: a remark of the user, or an answer. */
export interface ThreadText {
  readonly key: string;
  readonly author: string;
  readonly label: string;
  readonly contextValue: string;
  readonly at?: number;
  readonly text: string;
  readonly isMarkdown?: boolean;
}

/** A thread of the editor. */
export interface CommentThreadView {
  readonly label: string;
  /** For menus: the state, and whether the agent works on it. */
  readonly contextValue: string;
  readonly lines: LineComment["lines"];
  readonly isResolved: boolean;
  readonly comments: readonly ThreadText[];
}

/** The thread of a comment. */
export function commentThreadView(comment: LineComment, context: ThreadContext): CommentThreadView {
  const state = commentState(comment);
  const isWorking = comment.remarks.some(one => isUnfinished(context.phaseOf(one)));
  return {
    label: threadLabel(comment, context.sessionTitle),
    contextValue: `${menuState(comment)}${isWorking ? ".working" : ""}`,
    lines: comment.lines,
    isResolved: state === "resolved",
    comments: comment.remarks.flatMap(remark => textsOf(remark, context.phaseOf(remark))),
  };
}

/** The state of a comment for menus. `collected.sent`: a remark is not sent, and others were. */
export function menuState(comment: LineComment): string {
  const state = commentState(comment);
  return state === "collected" && wasSent(comment) ? "collected.sent" : state;
}

function threadLabel(comment: LineComment, sessionTitle: string): string {
  const title = sessionTitle === "" ? t("New session") : sessionTitle;
  const state = stateText(comment);
  return state === "" ? title : `${title} · ${state}`;
}

/** The state of a comment in words. Empty: it needs none. */
function stateText(comment: LineComment): string {
  if (comment.gone === "undone") return t("the change was undone, so these lines are gone");
  if (comment.gone === "removed") return t("these lines are gone");
  switch (commentState(comment)) {
    case "collected":
      return t("not sent");
    case "answered":
      return t("answered with a change");
    case "resolved":
      return t("resolved");
    default:
      return "";
  }
}

function textsOf(remark: Remark, phase: AnswerPhase | undefined): readonly ThreadText[] {
  const { id, text, at, prompt, answer = "", agent = t("The agent") } = remark;
  if (remark.isAgents) {
    const shown = isolatedMarkdown(text, { hasImages: false });
    return [{ key: id, author: agent, label: t("review"), contextValue: "answer", at, text: shown, isMarkdown: true }];
  }
  const isSent = prompt !== undefined;
  const own: ThreadText = {
    key: id,
    author: t("You"),
    label: isSent ? "" : t("not sent"),
    contextValue: isSent ? "sentRemark" : "collectedRemark",
    at,
    text,
  };
  if (!isSent) return [own];
  const said = answer === "" ? emptyAnswer(phase) : isolatedMarkdown(answer, { hasImages: false });
  if (said === "") return [own];
  return [
    own,
    {
      key: `${id}:answer`,
      author: agent,
      label: phaseText(phase),
      contextValue: "answer",
      text: said,
      isMarkdown: true,
    },
  ];
}

/** The text in place of an answer without words. */
function emptyAnswer(phase: AnswerPhase | undefined): string {
  switch (phase) {
    case "queued":
      return t("The agent gets the comment when it has finished its present work.");
    case "working":
      return t("Working…");
    case "waiting":
      return t("The agent waits for you in the chat.");
    case "failed":
      return t("The agent could not answer. The chat says why.");
    case "stopped":
      return t("Stopped before the agent had answered.");
    case "done":
      return t("The agent has finished without an answer.");
    default:
      return t("The session is not open. Show it in the chat to see the answer.");
  }
}

function phaseText(phase: AnswerPhase | undefined): string {
  switch (phase) {
    case "queued":
      return t("queued");
    case "working":
      return t("working");
    case "waiting":
      return t("waiting for you");
    case "stopped":
      return t("stopped");
    case "failed":
      return t("failed");
    default:
      return "";
  }
}
