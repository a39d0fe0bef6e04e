// What the scenarios of real agents share: their form, and checks of a finished turn.
import assert from "node:assert/strict";
import type { ViewEntry, ViewQuestion, ViewTool } from "../../src/panel/protocol.ts";
import type { SessionOption } from "../../src/session/events.ts";
import type { Answer, Answers, Conversation, Turn } from "./conversation.ts";

/** A new workspace and a session in it. */
export interface Stage {
  readonly conversation: Conversation;
  readonly folder: string;
  /** Opens a session with another agent in the same folder. Absent if no other agent is installed. */
  readonly openOther?: () => Promise<Conversation>;
  /** The words of the form “passage-…” that each request to the model server has contained, in order. */
  readonly passages: () => readonly string[];
  /** Lets the agent read a file, if it edits only files that it has read. */
  readonly prepareEdit: (file: string) => Promise<void>;
}

/** A row of the table. Returns remarks about behavior that a user would notice. */
export interface Scenario {
  readonly id: string;
  readonly title: string;
  readonly play: (stage: Stage) => Promise<readonly string[]>;
  /** The scenario opens the session itself. */
  readonly opens?: true;
  /** The user has not signed in to the agent. */
  readonly isKeyless?: true;
}

/** The agent cannot do what the scenario is about. The message is the reason, for the table. */
export class NotPossible extends Error {}

/** Checks that the session still works after the preceding steps. */
export async function stillAnswers(conversation: Conversation, answers?: Answers): Promise<void> {
  const turn = await conversation.turn("[[say:Still here.]]", answers);
  assert.equal(messageText(turn.entries), "Still here.");
}

/** The text of all messages of the agent, joined. */
export function messageText(entries: readonly ViewEntry[]): string {
  const parts = entries.flatMap(entry => (entry.kind === "agent" ? entry.parts : []));
  return parts.map(part => (part.type === "text" ? part.text : "")).join("");
}

/** Checks that there are only entries of these kinds: no problems, no notices, no early end. */
export function assertPlain(entries: readonly ViewEntry[], kinds: readonly ViewEntry["kind"][]): void {
  const others = entries.filter(entry => !kinds.includes(entry.kind));
  assert.deepEqual(others, []);
}

export function onlyTool(turn: Turn): ViewTool {
  const tools = turn.entries.filter(entry => entry.kind === "tool");
  const [tool, ...others] = tools;
  assert.ok(tool && others.length === 0, `one tool card is shown: ${JSON.stringify(tools.map(each => each.title))}`);
  return tool;
}

export const requestsOf = (conversation: Conversation, method: string): readonly unknown[] =>
  conversation.records.filter(({ dir, msg }) => dir === "a>c" && JSON.stringify(msg).includes(`"${method}"`));

export function ending(turn: Turn): string {
  const end = turn.entries.find(entry => entry.kind === "turnEnd");
  return end ? ` (${end.stopReason})` : "";
}

export function modeOption(conversation: Conversation): Extract<SessionOption, { type: "select" }> {
  const option = conversation.view.head.options.find(each => each.category === "mode" && each.type === "select");
  assert.ok(option?.type === "select", "the agent offers modes");
  return option;
}

/** In some modes, agents keep files of their own outside the workspace, such as a plan. */
export const isAboutOwnFile = ({ title }: ViewQuestion): boolean => title.endsWith("outside this workspace");

/** Lets the agent use its own files, and rejects everything else. */
export const onlyOwnFiles = (question: ViewQuestion): Answer => (isAboutOwnFile(question) ? "allow" : "reject");
