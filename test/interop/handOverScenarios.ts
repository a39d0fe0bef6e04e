// A conversation with one real agent continues with another one. What the second agent got is read from its requests to the
// model server, because its answers are scripted.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { nullLog } from "../../src/base/log.ts";
import { continueConversation, type ContinueConversationOptions } from "../../src/library/continueConversation.ts";
import { promptContent } from "../../src/mentions/promptContent.ts";
import type { PanelMessage } from "../../src/panel/protocol.ts";
import type { ContentBlock } from "../../src/session/events.ts";
import type { Conversation } from "./conversation.ts";
import { messageText, NotPossible, type Scenario, type Stage } from "./scenario.ts";

export const handOverScenarios: readonly Scenario[] = [
  { id: "hand-over", title: "Conversation of another agent", play: handOver },
  { id: "pages", title: "Long conversation of another agent", play: readPages },
];

/** The task and the answer of the first agent are in the second agent's request to the model. */
async function handOver(stage: Stage): Promise<readonly string[]> {
  const first = await openOther(stage);
  await first.turn("The task is passage-task. [[say:The answer is passage-answer.]]");
  const { before } = await continued(stage, first);
  const requests = stage.passages().slice(before);
  assert.ok(
    requests.some(words => words.includes("passage-task") && words.includes("passage-answer")),
    `a request has the passages: ${JSON.stringify(requests)}`,
  );
  return [`Continues a conversation with ${first.session.state.agent?.name}: the model gets it with the prompt.`];
}

/** The second agent reads a page, and its next request to the model has what the prompt could not hold. */
async function readPages(stage: Stage): Promise<readonly string[]> {
  const { conversation } = stage;
  const first = await openOther(stage);
  // The digest has the beginning of the task only.
  await first.turn(`Begin. ${"And so on. ".repeat(300)}[[say:It began with passage-early.]]`);
  await first.turn("Go on. [[big:150000]]");
  const { content, before } = await continued(stage, first);
  assert.ok(
    !stage
      .passages()
      .slice(before)
      .some(words => words.includes("passage-early")),
    "the prompt has the end only",
  );
  const page = /^- (.*-page-1-of-\d+\.md)$/m.exec(JSON.stringify(content).replaceAll("\\n", "\n"))?.[1];
  assert.ok(page, "the prompt names the pages");
  const asked = new Set<string>();
  const hasRead = async (tool: string): Promise<boolean> => {
    const turn = await conversation.turn(`[[tool:${tool}]][[say:Read.]]`, question => {
      asked.add(question.title.replaceAll(page, "…"));
      return "allow";
    });
    assert.equal(messageText(turn.entries), "Read.");
    return stage
      .passages()
      .slice(before)
      .some(words => words.includes("passage-early"));
  };
  const isReadByTool = await hasRead(`read ${page}`);
  assert.ok(isReadByTool || (await hasRead(`bash cat "${page}"`)), "the agent reads the page");
  const isThroughClient = conversation.records.some(
    ({ dir, msg }) => dir === "a>c" && JSON.stringify(msg).includes('"fs/read_text_file"'),
  );
  const how = isThroughClient ? "through the client" : isReadByTool ? "directly from disk" : "by a command only";
  return [
    `The agent reads the pages of a long conversation ${how}${asked.size > 0 ? ", after a permission request" : ""}.`,
  ];
}

function openOther({ openOther: open }: Stage): Promise<Conversation> {
  if (!open) throw new NotPossible("No other agent is installed.");
  return open();
}

/**
 * Continues the first conversation as the command does, and sends the prompt. Resolves with its content, and with the number
 * of requests to the model before it.
 */
async function continued(
  { conversation, passages }: Stage,
  first: Conversation,
): Promise<{ readonly content: readonly ContentBlock[]; readonly before: number }> {
  const text = "[[say:Continued.]]";
  const { session } = conversation;
  const { agent } = session.state;
  let revealed: PanelMessage | undefined;
  await continueConversation(
    {
      registry: {
        open: { get: () => first.session, activeSurface: "view" },
        flushLog: () => Promise.resolve(),
        start: () => session,
      },
      stored: { get: () => undefined },
      chat: {
        focus: () => Promise.resolve(),
        reveal: (message: PanelMessage) => Promise.resolve(void (revealed = message)),
      },
      ...{ undecided: () => [], newId: () => randomUUID(), pages: conversation.pages, log: nullLog },
    } as unknown as ContinueConversationOptions,
    "first",
    () => Promise.resolve({ id: agent?.id ?? "", name: agent?.name ?? "" } as never),
  );
  assert.ok(revealed?.type === "attached", "the draft gets attachments");
  const made = await promptContent(text, revealed.attachments, {
    ...{
      accepts: session.state.accepts,
      agentName: agent?.name ?? "",
      read: () => Promise.reject(new Error("unused")),
    },
  });
  assert.ok("content" in made, "the prompt can be sent");
  const [, ...more] = made.content;
  // It could still send requests, for example for a title.
  await first.end();
  const before = passages().length;
  await conversation.prompt(text, ...more);
  const turn = await conversation.finish();
  assert.equal(messageText(turn.entries), "Continued.");
  return { content: made.content, before };
}
