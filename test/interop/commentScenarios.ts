// Comments on lines of a file are sent to a real agent, and a real agent reviews changes. The text of a comment is part of the
// prompt, so it contains the script of the model.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promptAnswer } from "../../src/comments/promptAnswer.ts";
import { reviewRemarks, reviewRequest } from "../../src/comments/reviewRequest.ts";
import { track } from "../../src/review/fileChanges.ts";
import { readOnlyMode } from "../../src/session/readOnlyMode.ts";
import { CommentRoom } from "./commentRoom.ts";
import type { Turn } from "./conversation.ts";
import { isAboutOwnFile, messageText, onlyOwnFiles, stillAnswers, type Scenario, type Stage } from "./scenario.ts";

export const commentScenarios: readonly Scenario[] = [
  { id: "comment", title: "Comment on lines", play: stage => withRoom(stage, comment) },
  { id: "comment-queued", title: "Comment while the agent works", play: stage => withRoom(stage, queuedComment) },
  { id: "comments", title: "Several comments in one prompt", play: stage => withRoom(stage, severalComments) },
  { id: "comment-slash", title: "Comment that begins with a slash", play: stage => withRoom(stage, commentWithSlash) },
  { id: "review", title: "Review of changes", play: review },
];

/** A scenario of comments on the file. */
type CommentPlay = (stage: Stage, room: CommentRoom, file: string) => Promise<readonly string[]>;

async function withRoom(stage: Stage, play: CommentPlay): Promise<readonly string[]> {
  const file = join(stage.folder, "src", "sum.js");
  await stage.prepareEdit(file);
  const room = new CommentRoom(stage.conversation, file);
  try {
    return await play(stage, room, file);
  } finally {
    room.dispose();
  }
}

/** The line with the loop, 0-based, and its text. */
const loop = { from: 5, to: 6 };
const loopText = "  for (let i = 1; i < numbers.length; i += 1) {";

/** The agent gets the comment with its place, answers in the thread, and its edit of the line marks the comment answered. */
async function comment(stage: Stage, room: CommentRoom, file: string): Promise<readonly string[]> {
  const { conversation, passages } = stage;
  const before = passages().length;
  const script = `[[say:I look at it.]][[tool:edit ${file}|let i = 1;|let i = 0;]][[say:It starts at **zero** now.]]`;
  const id = room.write(loop, `The first number is missing, passage-remark. ${script}`);
  assert.equal(room.shown(id).state, "collected");
  await conversation.prompted(() => room.send(id));
  assert.equal(room.shown(id).state, "sent.working");
  const turn = await conversation.finish("allow");
  await room.untilState(id, "answered");
  assert.ok(
    passages()
      .slice(before)
      .some(words => words.includes("passage-remark")),
    "the model gets the comment",
  );
  assert.match(sentTexts(stage), /src\/sum\.js, line 6:\n```js\n {2}for \(let i = 1;/);
  assert.equal(room.comments.get(id)?.now, loopText.replace("let i = 1;", "let i = 0;"));
  const { texts } = room.shown(id);
  assert.equal(texts.length, 2);
  assert.match(texts[1] ?? "", /: I look at it\.\n\nIt starts at \*\*zero\*\* now\.$/);
  // A further remark goes to the same conversation, and leaves the first answer as it is.
  room.reply(id, "Thank you. [[say:You are welcome.]]");
  await conversation.prompted(() => room.send(id));
  await conversation.finish();
  await room.untilState(id, "sent");
  assert.deepEqual(room.shown(id).texts.slice(0, 2), texts);
  assert.match(room.shown(id).texts[3] ?? "", /: You are welcome\.$/);
  await room.review.keep({ kind: "all" });
  return turn.questions.length > 0 ? [] : ["The agent edits the lines of a comment without asking."];
}

/** The change of the turn that runs is no answer. The one of the next turn is. */
async function queuedComment(stage: Stage, room: CommentRoom, file: string): Promise<readonly string[]> {
  const { conversation } = stage;
  await conversation.prompt(`[[tool:edit ${file}|let i = 1;|let i = 2;]][[say:It starts at two.]]`);
  const question = await conversation.ask();
  const id = room.write(loop, `Not at two. [[tool:edit ${file}|let i = 2;|let i = 0;]][[say:It starts at zero.]]`);
  await room.send(id);
  assert.equal(room.shown(id).state, "sent.working");
  assert.match(room.shown(id).texts[1] ?? "", /when it has finished its present work\.$/);
  await conversation.answer(question, "allow");
  const next = await conversation.ask();
  assert.equal(room.shown(id).state, "sent.working", "the change of the present turn is no answer");
  assert.ok(readFileSync(file, "utf8").includes("let i = 2;"), "the present turn has changed the lines");
  await conversation.answer(next, "allow");
  await conversation.finish("allow");
  await room.untilState(id, "answered");
  assert.ok(readFileSync(file, "utf8").includes("let i = 0;"));
  assert.match(room.shown(id).texts[1] ?? "", /: It starts at zero\.$/);
  return [];
}

/** Each thread gets its part of one answer. */
async function severalComments(stage: Stage, room: CommentRoom): Promise<readonly string[]> {
  const { conversation } = stage;
  const first = room.write(loop, "Why not zero?");
  const answer = "[1]\\nBecause of a **mistake**.\\n\\n[2]\\nIt is the mean.\\n\\n    code";
  const second = room.write({ from: 12, to: 16 }, `What is this? [[say:${answer}]]`);
  await conversation.prompted(() => room.send(first, second));
  await conversation.finish("allow");
  await room.untilState(first, "sent");
  await room.untilState(second, "sent");
  assert.match(room.shown(first).texts[1] ?? "", /: Because of a \*\*mistake\*\*\.$/);
  assert.match(room.shown(second).texts[1] ?? "", /: It is the mean\.\n\n {4}code$/);
  return [];
}

/** Agents run a prompt that begins with a slash as a command, but a comment is about lines. */
async function commentWithSlash(stage: Stage, room: CommentRoom): Promise<readonly string[]> {
  const { conversation, passages } = stage;
  const before = passages().length;
  const id = room.write(loop, "/help does not mention this, passage-slash. [[say:I will mention it.]]");
  await conversation.prompted(() => room.send(id));
  await conversation.finish("allow");
  await room.untilState(id, "sent");
  assert.ok(
    passages()
      .slice(before)
      .some(words => words.includes("passage-slash")),
    `the model gets the comment. The thread: ${JSON.stringify(room.shown(id).texts)}`,
  );
  assert.match(room.shown(id).texts[1] ?? "", /: I will mention it\.$/);
  await stillAnswers(conversation);
  return [];
}

/** The agent gets the diff, in a mode in which it only reads if it has one. Its remarks are about the lines that they name. */
async function review({ conversation, folder, passages }: Stage): Promise<readonly string[]> {
  const { session } = conversation;
  const file = join(folder, "src", "sum.js");
  const base = readFileSync(file, "utf8");
  const answer = [
    "I have read the change.",
    "- `src/sum.js:7`: This **leaves out** the last number.",
    `${file}:7-8: Two lines.`,
    "The rest is good.",
  ].join("\\n\\n");
  // The diff is part of the prompt.
  const script = `// passage-diff [[tool:read ${file}]][[say:${answer}]]`;
  const text = base.replace(loopText, `  ${script}\n  for (let i = 0; i < numbers.length - 1; i += 1) {`);
  writeFileSync(file, text);
  const mode = readOnlyMode(session.state.options);
  if (mode) await session.setOption(mode.id, mode.value);
  const files = [{ name: "src/sum.js", path: file, changes: track(base, text, "turn") }];
  const before = passages().length;
  let prompt: string | undefined;
  await conversation.prompted(() => void (prompt = session.send([{ type: "text", text: reviewRequest(files) }])));
  const turn = await conversation.finish(onlyOwnFiles);
  assert.ok(
    passages()
      .slice(before)
      .some(words => words.includes("passage-diff")),
    "the model gets the diff",
  );
  const said = promptAnswer(session.state, prompt ?? "");
  assert.equal(said.phase, "done");
  assert.deepEqual(reviewRemarks(said.text, files), [
    { name: "src/sum.js", lines: { from: 6, to: 7 }, text: "This **leaves out** the last number." },
    { name: "src/sum.js", lines: { from: 6, to: 8 }, text: "Two lines." },
  ]);
  const asked = isAsked(turn) ? ["The agent requests permission to read the changed files."] : [];
  if (!mode) return [...asked, "The agent has no mode in which it only reads, so it reviews in its usual mode."];
  const attempt = await conversation.turn(`[[tool:edit ${file}|let i = 0;|let i = 3;]][[say:Done.]]`, onlyOwnFiles);
  assert.equal(readFileSync(file, "utf8"), text, "the file stays as it is");
  const how = isAsked(attempt)
    ? "it still asks before an edit"
    : messageText(attempt.entries) === "Done."
      ? "it refuses an edit and goes on"
      : "it refuses an edit and ends its turn";
  return [...asked, `The agent reviews changes in its mode “${mode.name}”: ${how}.`];
}

/** Whether the agent asked about anything but its own files. */
const isAsked = ({ questions }: Turn): boolean => questions.some(question => !isAboutOwnFile(question));

/** The texts of all prompts on the wire. */
const sentTexts = ({ conversation }: Stage): string =>
  conversation.records
    .filter(({ dir, msg }) => dir === "c>a" && JSON.stringify(msg).includes('"session/prompt"'))
    .map(({ msg }) => JSON.stringify(msg).replaceAll("\\n", "\n"))
    .join("\n");
