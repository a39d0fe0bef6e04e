// Comments on their way to a session, and the answers on their way back.
import assert from "node:assert/strict";
import { Emitter } from "../../src/base/lifecycle.ts";
import { nullLog } from "../../src/base/log.ts";
import { Refusal } from "../../src/base/errors.ts";
import { CommentAnswers } from "../../src/comments/commentAnswers.ts";
import { CommentSender, CommentsNotSent } from "../../src/comments/commentSender.ts";
import { commentState, newComment, withRemark, type LineComment } from "../../src/comments/lineComment.ts";
import { LineComments } from "../../src/comments/lineComments.ts";
import { commentThreadView } from "../../src/comments/shownThread.ts";
import { sessionWork } from "../../src/comments/promptAnswer.ts";
import { stopAnswer } from "../../src/comments/stopAnswer.ts";
import { OpenSessions } from "../../src/library/openSessions.ts";
import { planQuery } from "../../src/session/planAddress.ts";
import type { Session } from "../../src/session/session.ts";
import { permissionQuestion, SessionBench } from "../support/fakes/sessionBench.ts";
import { until } from "../support/fakes/until.ts";

const text = "a\nb\nc\n";

/** `isSteered`: the agent accepts prompts while it works. */
async function bench({ isSteered = false } = {}) {
  const room = new SessionBench();
  if (isSteered) room.acceptsPromptsWhileRunning();
  await room.openReady();
  const open = new OpenSessions<Session>();
  open.add(room.session);
  const { clock } = room;
  const files = { read: () => Promise.resolve([]), write: () => Promise.resolve(), remove: () => Promise.resolve() };
  const comments = new LineComments({ files, clock, log: nullLog, onNotStored: () => {} });
  const asking = new Set<string>();
  const askedChanged = new Emitter<void>();
  const asked = { isAsking: (id: string) => asking.has(id), onDidChange: askedChanged.event };
  const ask = (isAsked: boolean): void => {
    if (isAsked) asking.add("session");
    else asking.delete("session");
    askedChanged.fire();
  };
  const answers = new CommentAnswers({ comments, open, asked, clock });
  const declined: string[] = [];
  let failure: Error | undefined;
  const sender = new CommentSender({
    comments,
    review: { files: [], turns: [], file: () => undefined, onDidChange: () => ({ dispose() {} }) },
    hasSession: id => id !== "deleted",
    openSession: () => (failure ? Promise.reject(failure) : Promise.resolve(room.session)),
    declined: () => Promise.resolve(declined),
  });
  const add = (id: string, words: string): void => {
    const place = { id, uri: "file:///w/a.js", path: "/w/a.js", lines: { from: 1, to: 2 }, session: "session" };
    comments.add(withRemark(newComment(place, text), { id: `${id}r`, text: words, at: 1 }), text);
  };
  const say = (words: string, messageId = "m"): void =>
    room.remote.report({ type: "messageChunk", author: "agent", messageId, content: { type: "text", text: words } });
  const get = (id: string): LineComment => {
    const comment = comments.get(id);
    assert.ok(comment);
    return comment;
  };
  /** What the thread shows: its label, and each text with its label. */
  const shown = (id: string): readonly string[] => {
    const view = commentThreadView(get(id), { sessionTitle: "", phaseOf: one => answers.phaseOf(one) });
    return [
      view.contextValue,
      ...view.comments.map(one => `${one.author}: ${one.text}${one.label && ` (${one.label})`}`),
    ];
  };
  const started = (): Promise<void> => until(() => room.session.state.activity.state === "running");
  const update = (): void => clock.advance(200);
  const fail = (error: Error | undefined): void => void (failure = error);
  return { room, comments, open, answers, sender, declined, fail, ask, add, say, get, shown, started, update };
}

describe("a comment that is sent", () => {
  it("waits for the user while the chat asks whether to resume its session, and then goes on", async () => {
    const { sender, ask, add, shown, started, update } = await bench();
    add("c", "Why?");
    ask(true);
    await sender.send(["c"]);
    update();
    assert.deepEqual(shown("c"), [
      "sent.working",
      "You: Why?",
      "Stub: The agent waits for you in the chat. (waiting for you)",
    ]);
    await started();
    ask(false);
    assert.deepEqual(shown("c"), ["sent.working", "You: Why?", "Stub: Working… (working)"]);
  });

  it("is a prompt of its session, and its thread shows the answer while it arrives", async () => {
    const { room, sender, add, say, shown, started, update } = await bench();
    add("c", "Why?");
    await sender.send(["c"]);
    await started();
    assert.deepEqual(room.remote.texts, ["Why?\n\na.js, line 2:\n```js\nb\n```"]);
    update();
    assert.deepEqual(shown("c"), ["sent.working", "You: Why?", "Stub: Working… (working)"]);
    say("Because");
    update();
    assert.deepEqual(shown("c").at(-1), "Stub: Because (working)");
    say(" it must.");
    say("All done.", "m2");
    room.remote.end();
    update();
    assert.deepEqual(shown("c"), ["sent", "You: Why?", "Stub: Because it must.\n\nAll done."]);
  });

  it("works as soon as it is sent, until the answer is in its thread", async () => {
    const { room, sender, add, say, shown, started, update } = await bench();
    const working = ["sent.working", "You: Why?", "Stub: Working… (working)"];
    add("c", "Why?");
    await sender.send(["c"]);
    assert.deepEqual(shown("c"), working);
    await started();
    say("Because.");
    room.remote.end();
    await until(() => room.session.state.activity.state === "idle");
    assert.deepEqual(shown("c"), working);
    update();
    assert.deepEqual(shown("c"), ["sent", "You: Why?", "Stub: Because."]);
  });

  it("changes its thread at most five times in a second", async () => {
    const { room, comments, sender, add, say, started, update } = await bench();
    add("c", "Why?");
    await sender.send(["c"]);
    await started();
    update();
    let changes = 0;
    comments.onDidChange(() => changes++);
    for (let at = 0; at < 100; at++) {
      say("word ");
      room.clock.advance(10);
    }
    assert.ok(changes >= 4 && changes <= 5, `${changes} changes in one second`);
  });

  it("says what it waits for: its turn in the queue, and the user", async () => {
    const { room, sender, add, shown, started, update } = await bench();
    room.send("first");
    await started();
    add("c", "Why?");
    await sender.send(["c"]);
    update();
    assert.match(shown("c").at(-1) ?? "", /present work\. \(queued\)$/);
    room.remote.end();
    await until(() => room.remote.texts.length === 2);
    void room.remote.client.requestPermission(permissionQuestion, new AbortController().signal);
    await room.flushPromises();
    update();
    assert.match(shown("c").at(-1) ?? "", /waits for you in the chat\. \(waiting for you\)$/);
  });

  it("on a plan that waits for approval answers that the agent goes on planning", async () => {
    const { room, comments, sender, started } = await bench();
    room.send("plan it");
    await started();
    const content = [{ type: "content", content: { type: "text", text: "1. Look\n2. Write" } }] as const;
    const patch = { title: "Approve Plan", kind: "switch_mode", status: "pending", content } as const;
    room.remote.report({ type: "tool", toolCallId: "t", patch });
    const no = { id: "n", name: "No, keep planning", kind: "reject_once" } as const;
    const question = { ...permissionQuestion, options: [...permissionQuestion.options, no] };
    const answer = room.remote.client.requestPermission(question, new AbortController().signal);
    await room.flushPromises();
    const uri = `parley-plan:/Plan.md?${encodeURIComponent(planQuery({ session: "session", plan: "tool:t" }))}`;
    const place = { id: "c", uri, lines: { from: 1, to: 2 }, session: "session" };
    comments.add(withRemark(newComment(place, "1. Look\n2. Write\n"), { id: "r", text: "Test first", at: 1 }), text);
    await sender.send(["c"]);
    assert.deepEqual(await answer, { option: "n" });
    room.remote.end();
    await until(() => room.remote.texts.length === 2);
    assert.match(room.remote.texts[1] ?? "", /^Test first\n\nyour plan, line 2:\n[^]*2\. Write/);
  });

  it("has its own answer if the user sends it into the turn in progress, whose later edits can answer it", async () => {
    const { room, sender, add, say, get, shown, started, update } = await bench({ isSteered: true });
    room.send("first");
    await started();
    say("I begin.", "m1");
    add("c", "Why?");
    await sender.send(["c"]);
    update();
    const prompt = get("c").remarks[0]?.prompt ?? "";
    assert.deepEqual(sessionWork(room.session.state, prompt).isQueued, true);
    room.session.sendWhileRunning(prompt);
    await room.flushPromises();
    assert.deepEqual(room.remote.texts, ["first", "Why?\n\na.js, line 2:\n```js\nb\n```"]);
    const { isQueued, running } = sessionWork(room.session.state, prompt);
    assert.deepEqual([isQueued, running !== undefined], [false, true]);
    say("Because.", "m2");
    update();
    assert.equal(shown("c").at(-1), "Stub: Because. (working)");
    room.remote.end();
    update();
    assert.equal(shown("c").at(-1), "Stub: Because.");
  });

  it("is collected again if the user withdraws its prompt from the queue", async () => {
    const { room, sender, add, get, started, update } = await bench();
    room.send("first");
    await started();
    add("c", "Why?");
    await sender.send(["c"]);
    update();
    room.session.queue.withdraw(get("c").remarks[0]?.prompt ?? "");
    update();
    assert.equal(commentState(get("c")), "collected");
  });

  it("stays sent in its session if the user chooses another session for the next remark", async () => {
    const { room, comments, open, sender, add, say, get, shown, started, update } = await bench();
    const other = await new SessionBench().openReady();
    Object.defineProperty(other.session, "id", { value: "other" });
    open.add(other.session);
    add("c", "Why?");
    await sender.send(["c"]);
    await started();
    comments.change("c", one => ({ ...withRemark(one, { id: "more", text: "And then?", at: 2 }), session: "other" }));
    say("Because.");
    update();
    room.remote.end();
    update();
    assert.deepEqual(shown("c").slice(1), ["You: Why?", "Stub: Because.", "You: And then? (not sent)"]);
    assert.deepEqual(
      get("c").remarks.map(({ prompt }) => prompt === undefined),
      [false, true],
    );
  });

  it("has its answer after a sign-in that the agent asked for", async () => {
    const { room, sender, add, say, shown, started, update } = await bench();
    add("c", "Why?");
    await sender.send(["c"]);
    await started();
    const signIn = [{ id: "login", name: "Log in" }];
    const problem = { message: "Sign in.", next: ["retry" as const], signIn };
    room.remote.report({ type: "activity", state: "idle", stopReason: "error", problem, unsent: true });
    await room.flushPromises();
    update();
    assert.match(shown("c").at(-1) ?? "", /\(waiting for you\)$/);
    await room.session.signedIn(false);
    await started();
    say("Because.");
    room.remote.end();
    update();
    assert.deepEqual(shown("c").at(-1), "Stub: Because.");
  });

  it("does not work any more if its answer ended while it was discarded", async () => {
    const { room, comments, sender, add, say, get, shown, started, update } = await bench();
    add("c", "Why?");
    await sender.send(["c"]);
    await started();
    update();
    const discarded = get("c");
    comments.remove("c");
    say("Because.");
    room.remote.end();
    update();
    comments.add(discarded);
    update();
    assert.deepEqual(shown("c"), ["sent", "You: Why?", "Stub: Because."]);
  });

  it("leaves the queue when it is stopped, and the present work goes on", async () => {
    const { room, answers, sender, add, get, started, update } = await bench();
    room.send("first");
    await started();
    add("c", "Why?");
    await sender.send(["c"]);
    update();
    const prompt = get("c").remarks[0]?.prompt ?? "";
    assert.ok(answers.isWorking(get("c")));
    assert.deepEqual(sessionWork(room.session.state, prompt), {
      running: room.session.state.turnPrompt,
      isQueued: true,
    });
    assert.ok(stopAnswer(room.session, prompt));
    update();
    assert.deepEqual([commentState(get("c")), answers.isWorking(get("c"))], ["collected", false]);
    assert.deepEqual([room.session.state.activity.state, room.session.state.cancelling], ["running", false]);
    room.remote.end();
    await room.flushPromises();
    await sender.send(["c"]);
    await until(() => room.remote.texts.length === 2);
    const next = get("c").remarks[0]?.prompt ?? "";
    assert.deepEqual(sessionWork(room.session.state, next), { running: next, isQueued: false });
    assert.ok(stopAnswer(room.session, next));
    assert.equal(room.session.state.cancelling, true);
    room.remote.end("cancelled");
    await room.flushPromises();
    assert.equal(stopAnswer(room.session, next), false);
  });

  it("says that it was stopped, or that the agent failed", async () => {
    const { room, sender, add, shown, started, update } = await bench();
    add("c", "Why?");
    await sender.send(["c"]);
    await started();
    room.session.stop();
    room.remote.end("cancelled");
    update();
    assert.match(shown("c").at(-1) ?? "", /^Stub: Stopped before .* \(stopped\)$/);
    add("d", "And this?");
    await sender.send(["d"]);
    await until(() => room.remote.texts.length === 2);
    room.remote.end("error");
    update();
    assert.match(shown("d").at(-1) ?? "", /^Stub: The agent could not answer\..* \(failed\)$/);
  });

  it("is one of several in one prompt, and gets its own part of the answer", async () => {
    const { room, sender, add, say, shown, started, update } = await bench();
    add("c", "Why?");
    add("d", "What?");
    await sender.send(["c", "d"]);
    await started();
    assert.equal(room.remote.texts.length, 1);
    say("[1]\nBecause.\n[2]\nA list.");
    room.remote.end();
    update();
    assert.deepEqual([shown("c").at(-1), shown("d").at(-1)], ["Stub: Because.", "Stub: A list."]);
  });

  it("is one of twelve in one prompt, and gets the part with its number", async () => {
    const { room, sender, add, say, shown, started, update } = await bench();
    const numbers = Array.from({ length: 12 }, (_, at) => at + 1);
    for (const number of numbers) add(`c${number}`, `Question ${number}?`);
    await sender.send(numbers.map(number => `c${number}`));
    await started();
    const [prompt = "", ...others] = room.remote.texts;
    assert.deepEqual(others, []);
    for (const number of numbers) assert.ok(prompt.includes(`\n\n[${number}] Question ${number}?\n\na.js, line 2:\n`));
    // The agent answers them in another order.
    say(
      numbers
        .toReversed()
        .map(number => `[${number}]\nAnswer ${number}, see [1].`)
        .join("\n\n"),
    );
    room.remote.end();
    update();
    for (const number of numbers) assert.equal(shown(`c${number}`).at(-1), `Stub: Answer ${number}, see [1].`);
  });

  it("gets its part of an answer that is too long for one thread", async () => {
    const { room, sender, add, say, shown, started, update } = await bench();
    add("c", "Why?");
    add("d", "What?");
    await sender.send(["c", "d"]);
    await started();
    say(`[1]\n${"Because. ".repeat(3000)}\n[2]\nA list.`);
    room.remote.end();
    update();
    assert.deepEqual(shown("d").at(-1), "Stub: A list.");
    assert.ok((shown("c").at(-1) ?? "").length < 20_100);
  });

  it("gets the whole answer if the agent does not number its parts", async () => {
    const { room, sender, add, say, shown, started, update } = await bench();
    add("c", "Why?");
    add("d", "What?");
    await sender.send(["c", "d"]);
    await started();
    say("Both are done.");
    update();
    assert.match(shown("c").at(-1) ?? "", /Working…/);
    room.remote.end();
    update();
    assert.deepEqual([shown("c").at(-1), shown("d").at(-1)], ["Stub: Both are done.", "Stub: Both are done."]);
  });

  it("shows the answer of an agent without HTML and images", async () => {
    const { room, sender, add, say, shown, started, update } = await bench();
    add("c", "Why?");
    await sender.send(["c"]);
    await started();
    say("<img src=x onerror=alert(1)> ![x](https://example.com/x.png)\n```rust\nvec![1]\n```");
    room.remote.end();
    update();
    const [, , answer = ""] = shown("c");
    assert.ok(answer.includes("&lt;img") && !answer.includes("![x]") && answer.includes("vec![1]"), answer);
  });

  it("stays collected if its session was deleted, and does not go to another one", async () => {
    const { room, comments, sender, fail, add, get } = await bench();
    for (const id of ["c", "d", "e"]) add(id, "Why?");
    comments.change("c", one => ({ ...one, session: "deleted" }));
    comments.change("d", one => ({ ...one, session: "other" }));
    fail(new Refusal("failed", "There is no folder."));
    const error = await sender.send(["c", "d", "e"]).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof CommentsNotSent);
    assert.equal(error.message, "The session of a comment was deleted. There is no folder.");
    assert.deepEqual([error.ids, error.ofDeletedSessions], [["c", "d", "e"], ["c"]]);
    fail(undefined);
    await assert.rejects(sender.send(["c", "e"]), { ids: ["c"] });
    assert.deepEqual(
      ["c", "e"].map(id => commentState(get(id))),
      ["collected", "sent"],
    );
    assert.equal(room.queued.length + room.remote.texts.length, 1);
  });

  it("starts a session only if the user shares the file", async () => {
    const { sender, declined, add, get } = await bench();
    const started: string[] = [];
    const start = (): Promise<string> => Promise.resolve(`new${started.push("")}`);
    add("c", "Why?");
    declined.push("/w/a.js");
    await assert.rejects(sender.send(["c"], start), /declined/);
    assert.deepEqual(started, []);
    declined.length = 0;
    const none = (): Promise<string> => Promise.reject(new Error("No agent."));
    await assert.rejects(sender.send(["c"], none), { message: "No agent.", ids: ["c"] });
    assert.equal(commentState(get("c")), "collected");
    await sender.send(["c"], start);
    assert.deepEqual([started.length, commentState(get("c"))], [1, "sent"]);
  });

  it("stays collected if no session can start, or if the user declines to share the file", async () => {
    const { sender, declined, fail, add, get } = await bench();
    add("c", "Why?");
    fail(new Refusal("failed", "There is no folder."));
    await assert.rejects(sender.send(["c"]), /There is no folder\./);
    assert.equal(commentState(get("c")), "collected");
    fail(undefined);
    declined.push(".env");
    await assert.rejects(sender.send(["c"]), /declined to share \.env/);
    assert.equal(commentState(get("c")), "collected");
  });
});
