// What a hook learns of its event: variables of its environment. Agents write most of the words, so no value has a line
// break or a control character, each is short, and none is ever in the command line.
import { withoutEscapeSequences } from "../base/lastLines.ts";
import { visibleLine } from "../base/lines.ts";
import { maskText } from "../base/mask.ts";
import type { SessionNotification } from "../session/notifications.ts";
import { latestTurnStart, sessionTitle, type SessionState } from "../session/state.ts";
import type { HookEvent } from "./hookSetting.ts";

/** The maximum length of `PARLEY_TEXT`, and of every other value (characters). */
export const maxHookText = 500;
const maxHookName = 200;
/** A folder is cut only where no system has a longer path. */
const maxHookFolder = 4096;

export type HookVariables = Readonly<Record<`PARLEY_${string}`, string>>;

/** The event of the notification. A turn that a limit or a refusal ended has ended; it has not failed. */
export function hookEventOf(news: SessionNotification): HookEvent {
  if (news.kind !== "turnEnd") return "question";
  return news.outcome === "failed" || news.outcome === "lost" ? "failure" : "turnEnd";
}

/** The variables for a notification about the session. `windowName` is the name of the workspace. */
export function hookVariables(
  news: SessionNotification,
  state: SessionState,
  { agent, windowName }: { readonly agent: string; readonly windowName: string },
): HookVariables {
  const event = hookEventOf(news);
  return {
    PARLEY_EVENT: event,
    PARLEY_WINDOW: shortLine(windowName, maxHookName),
    PARLEY_FOLDER: shortLine(state.workspaceFolder, maxHookFolder),
    PARLEY_SESSION: shortLine(sessionTitle(state), maxHookName),
    PARLEY_AGENT: shortLine(agent, maxHookName),
    PARLEY_TEXT: shortLine(textOf(event, news, state), maxHookText),
  };
}

/** The title of the question, the beginning of the agent's last message in the turn, or the failure. */
function textOf(event: HookEvent, news: SessionNotification, state: SessionState): string {
  switch (event) {
    case "question":
      return news.title;
    case "turnEnd":
      return answerOf(state);
    case "failure":
      return state.lost?.message ?? state.signIn?.message ?? latestProblem(state);
  }
}

function answerOf(state: SessionState): string {
  const { entries } = state;
  for (let at = entries.length - 1; at >= latestTurnStart(state); at--) {
    const entry = entries.at(at);
    if (entry?.kind !== "message" || entry.author !== "agent" || entry.parent !== undefined) continue;
    const texts = entry.content.flatMap(block => (block.type === "text" ? [block.text] : []));
    if (texts.some(text => text.trim() !== "")) return texts.join("\n");
  }
  return "";
}

/** The problem of the latest turn. */
function latestProblem(state: SessionState): string {
  const { entries } = state;
  for (let at = entries.length - 1; at >= latestTurnStart(state); at--) {
    const entry = entries.at(at);
    if (entry?.kind === "problem") return entry.problem.message;
  }
  return "";
}

/** The text without secrets, on one line that is at most `max` characters long. */
function shortLine(text: string, max: number): string {
  const whole = text.trim();
  // A code such as [U+202E] has eight characters. The last word is left out, because a part of a secret is not recognized.
  const read = whole.length > 8 * max ? whole.slice(0, 8 * max).replace(/\S+$/, "") : whole;
  const characters = Array.from(visibleLine(maskText(withoutEscapeSequences(read))).replaceAll("\t", " "));
  const isCut = characters.length > max || read.length < whole.length;
  return isCut ? `${characters.slice(0, max - 1).join("")}…` : characters.join("");
}
