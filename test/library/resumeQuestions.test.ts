// Which conversations are large, and for which sessions the window has the user's answer.
import assert from "node:assert/strict";
import { Emitter } from "../../src/base/lifecycle.ts";
import { nullLog } from "../../src/base/log.ts";
import type { OpenSessionsChange } from "../../src/library/openSessions.ts";
import { ResumeQuestions, resumeQuestion, type ResumeLimits } from "../../src/library/resumeQuestions.ts";
import type { Session } from "../../src/session/session.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";

const limits: ResumeLimits = { tokens: 100, bytes: 1000 };
const usd = (amount: number): { readonly amount: number; readonly currency: string } => ({ amount, currency: "USD" });
const using = (used: number, more: Partial<SessionState> = {}): SessionState => ({
  ...emptySession,
  usage: { used, size: 200 },
  ...more,
});

describe("the question about a large conversation", () => {
  it("is asked above the limit of tokens or of the size, and not at it", () => {
    const cases: readonly (readonly [SessionState, number | undefined, boolean])[] = [
      [using(100), 1000, false],
      [using(101), 1000, true],
      [using(100), 1001, true],
      [emptySession, 1001, true],
      [emptySession, 1000, false],
      [using(101), undefined, true],
      [emptySession, undefined, false],
    ];
    for (const [state, bytes, isAsked] of cases)
      assert.equal(resumeQuestion(state, bytes, limits) !== undefined, isAsked, `${state.usage?.used} ${bytes}`);
  });

  it("is never asked because of a limit of 0", () => {
    assert.equal(resumeQuestion(using(1e9), 1000, { tokens: 0, bytes: 1000 }), undefined);
    assert.equal(resumeQuestion(using(100), 1e12, { tokens: 100, bytes: 0 }), undefined);
  });

  it("names what is known, and nothing else", () => {
    assert.deepEqual(resumeQuestion(emptySession, 2000, limits), { bytes: 2000 });
    assert.deepEqual(resumeQuestion(using(-5), 2000, limits), { bytes: 2000 });
    assert.deepEqual(resumeQuestion(using(500), undefined, limits), { tokens: 500 });
  });

  it("names the cost that Parley counted, otherwise the one that the agent reported", () => {
    const turns = [
      { at: 1, cost: usd(0.5) },
      { at: 2, cost: usd(0.25) },
      { at: 3, cost: { amount: 3, currency: "EUR" } },
    ];
    const reported = { used: 500, size: 600, cost: usd(9) };
    const both = using(500, { usage: reported, spending: { turns } });
    assert.deepEqual(resumeQuestion(both, 1, limits)?.costs, [{ amount: 3, currency: "EUR" }, usd(0.75)]);
    assert.deepEqual(resumeQuestion(using(500, { usage: reported }), 1, limits)?.costs, [usd(9)]);
    const free = using(500, { usage: { ...reported, cost: usd(0) } });
    assert.equal(resumeQuestion(free, 1, limits)?.costs, undefined);
  });
});

describe("the questions of a window", () => {
  const session = (id: string): Session => ({ id }) as unknown as Session;

  function questionsOf(size: () => Promise<number | undefined> = () => Promise.resolve(2000)) {
    const changed = new Emitter<OpenSessionsChange>();
    let shown = limits;
    const questions = new ResumeQuestions({
      open: { onDidChange: changed.event },
      storage: { size },
      limits: () => shown,
      log: nullLog,
    });
    let changes = 0;
    questions.head.onDidChange(() => changes++);
    return {
      questions,
      changed,
      changes: () => changes,
      setLimits: (next: ResumeLimits) => void (shown = next),
      view: (id: string) => questions.head.values.resumeQuestion(session(id)),
    };
  }

  it("hold a large session until the user chooses to resume it, also after it is opened again", async () => {
    const { questions, view } = questionsOf();
    const gate = questions.gateOf("a");
    assert.equal(await gate.mayContinue(emptySession), false);
    assert.deepEqual(view("a"), { bytes: 2000 });
    assert.equal(view("b"), null);
    assert.equal(await gate.mayContinue(emptySession), false);
    questions.allow("a");
    assert.equal(view("a"), null);
    assert.equal(await gate.mayContinue(emptySession), true);
    assert.equal(await questions.gateOf("a").mayContinue(emptySession), true);
    assert.equal(await questions.gateOf("b").mayContinue(emptySession), false);
  });

  it("are asked again after Read Only, by the next prompt", async () => {
    const { questions, changes, view } = questionsOf();
    const gate = questions.gateOf("a");
    await gate.mayContinue(emptySession);
    questions.withdraw("a");
    assert.equal(questions.isAsking("a"), false);
    assert.equal(changes(), 2);
    assert.equal(await gate.mayContinue(emptySession), false);
    assert.notEqual(view("a"), null);
  });

  it("end if the session is closed, or if the user raises the limits", async () => {
    const { questions, changed, setLimits } = questionsOf();
    await questions.gateOf("a").mayContinue(emptySession);
    changed.fire({ type: "closed", session: session("a") } as OpenSessionsChange);
    assert.equal(questions.isAsking("a"), false);
    const gate = questions.gateOf("b");
    await gate.mayContinue(emptySession);
    setLimits({ tokens: 0, bytes: 0 });
    assert.equal(await gate.mayContinue(emptySession), true);
    assert.equal(questions.isAsking("b"), false);
  });

  it("depend on the tokens alone if the size cannot be read", async () => {
    const { questions } = questionsOf(() => Promise.reject(new Error("EIO")));
    assert.equal(await questions.gateOf("a").mayContinue(using(10)), true);
    assert.equal(await questions.gateOf("b").mayContinue(using(5000)), false);
  });
});
