// What becomes of the prompts that wait for the answer to the question about a large conversation.
import assert from "node:assert/strict";
import { nullLog } from "../../src/base/log.ts";
import { answerResume, type AnswerResumeOptions } from "../../src/library/answerResume.ts";
import type { PanelMessage } from "../../src/panel/protocol.ts";
import type { ContentBlock } from "../../src/session/events.ts";
import { SessionBench } from "../support/fakes/sessionBench.ts";
import { StoredFiles } from "../support/fakes/storedData.ts";

describe("the answer to the question about a large conversation", () => {
  let bench: SessionBench;
  let definition: { readonly id: string; readonly name: string } | undefined;
  let asks: boolean;
  let happened: unknown[];
  /** Called when the new session starts. */
  let onStart: () => unknown;

  beforeEach(async () => {
    const first = new SessionBench();
    await first.openReady();
    first.send("one");
    await first.flushPromises();
    first.remote.end();
    await first.flushPromises();
    first.session.dispose();
    bench = new SessionBench(first.log);
    bench.agent.continueSession = () => Promise.resolve(undefined);
    bench.mayContinue = false;
    bench.send("two");
    bench.send("three");
    await bench.flushPromises();
    asks = true;
    happened = [];
    definition = { id: "stub", name: "Stub" };
    onStart = () => ({ id: "new", addNotice: () => undefined });
  });
  afterEach(() => bench.session.dispose());

  const answering = (): ((answer: "resume" | "digest" | "readOnly") => Promise<void>) => {
    const { session } = bench;
    const answered = (what: string) => (): void => {
      asks = false;
      bench.mayContinue = what === "allow";
      happened.push(what);
    };
    const { answerResume: handle } = answerResume({
      questions: { isAsking: () => asks, allow: answered("allow"), withdraw: answered("withdraw") },
      registry: {
        open: { get: () => session, activeSurface: "view" },
        flushLog: () => Promise.resolve(),
        start: () => onStart(),
      },
      agents: { of: () => definition },
      chat: {
        focus: () => Promise.resolve(),
        reveal: (message: PanelMessage, surfaces: readonly string[]) => {
          const attached = message.type === "attached" ? message.attachments.length : 0;
          happened.push(message.type === "draft" ? [message.text, ...surfaces] : [message.type, attached]);
          return Promise.resolve();
        },
      },
      stored: { get: () => undefined },
      undecided: () => [],
      newId: () => "id",
      ...{ storage: new StoredFiles({}), version: "1.0.0", log: nullLog },
    } as unknown as AnswerResumeOptions);
    const reply = (message: PanelMessage): void => {
      if (message.type === "draft") happened.push([message.text, message.attachments.length]);
    };
    return async answer => handle({ type: "answerResume", session: "session", answer }, { surface: "tab", reply });
  };

  it("Resume sends them", async () => {
    await answering()("resume");
    await bench.flushPromises();
    assert.deepEqual(happened, ["allow"]);
    assert.deepEqual(bench.remote.texts, ["two"]);
  });

  it("Read Only returns them to the panel of the answer, and only once", async () => {
    const answer = answering();
    await answer("readOnly");
    await answer("readOnly");
    assert.deepEqual(happened, ["withdraw", ["two\n\nthree", 0]]);
    assert.deepEqual(bench.queued, []);
  });

  it("Read Only leaves those on hold in the queue, and those that the message box cannot attach", async () => {
    const [two] = bench.session.state.pendingPrompts;
    assert.ok(two);
    bench.session.queue.hold(two.id);
    const row: ContentBlock = { type: "resource", uri: "db:row", blob: "AAAA" };
    bench.session.send([{ type: "text", text: "four" }, row]);
    await answering()("readOnly");
    assert.deepEqual(happened, ["withdraw", ["three", 0]]);
    assert.deepEqual(bench.queued, ["two", "four"]);
  });

  it("Continue From Digest gives them to the new session, once, whatever is pressed meanwhile", async () => {
    const answer = answering();
    await Promise.all([answer("digest"), answer("digest"), answer("resume"), answer("readOnly")]);
    assert.deepEqual(happened, [["attached", 2], ["two\n\nthree", "tab"], "withdraw"]);
    assert.deepEqual(bench.queued, []);
  });

  it("Continue From Digest changes nothing if no session can start, so the question can be answered again", async () => {
    onStart = () => undefined;
    const answer = answering();
    await assert.rejects(answer("digest"), /No session could be started/);
    assert.deepEqual(bench.queued, ["two", "three"]);
    assert.deepEqual(happened, []);
    await answer("readOnly");
    assert.deepEqual(happened, ["withdraw", ["two\n\nthree", 0]]);
  });

  it("Continue From Digest says so if the settings no longer have the agent, and keeps them", async () => {
    definition = undefined;
    await assert.rejects(answering()("digest"), /no longer in your settings\. Use “Continue With…”/);
    assert.deepEqual([bench.queued, happened], [["two", "three"], []]);
  });
});
